//! The iterator over bricks: by layers of slabs, or gathered from spans.

use alloc::collections::BTreeMap;
use core::iter::FusedIterator;

use super::boxes::BoxSlabs;
use super::layers::Layers;
use super::merged::Merged;
use super::round::RoundSlabs;
use super::slab::{Rows, Slabs};
use super::spans::Source;
use super::{Brick, Span, Spans, Voxelize};
use crate::{Ellipsoid, InstructionSet, Region, Sphere, Vector, Voxel};

type VectorOf<R> = <R as Region>::Vector;
type VoxelOf<R> = <VectorOf<R> as Vector>::Voxel;

/// The bricks of a region, from [`VoxelGrid::bricks`](super::VoxelGrid::bricks).
#[derive(Clone, Debug)]
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct Bricks<R: Voxelize> {
    source: Walled<R>,
}

#[derive(Clone, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "one per listing, on the stack; a box would allocate"
)]
enum Walled<R: Voxelize> {
    Sphere(Layers<RoundSlabs<Sphere<VectorOf<R>>>>),
    Ellipsoid(Layers<RoundSlabs<Ellipsoid<VectorOf<R>>>>),
    Aabb(Layers<BoxSlabs<VectorOf<R>>>),
    Any(Gathered<Merged<R>, VoxelOf<R>>),
    /// Rows longer than layers take.
    Long(Gathered<Spans<R>, VoxelOf<R>>),
}

macro_rules! by_layers {
    ($source:expr, $layers:ident => $bricks:expr, $gathered:ident => $any:expr) => {
        match $source {
            Walled::Sphere($layers) => $bricks,
            Walled::Ellipsoid($layers) => $bricks,
            Walled::Aabb($layers) => $bricks,
            Walled::Any($gathered) => $any,
            Walled::Long($gathered) => $any,
        }
    };
}

impl<R: Voxelize> Bricks<R> {
    pub(super) fn new(spans: Spans<R>) -> Self {
        const { assert!(VoxelOf::<R>::DIM <= 3, "bricks have at most three axes") }
        let set = spans.instructions;
        let source = match spans.source {
            Source::Sphere(rows) if rows.are_short() => Walled::Sphere(rows.layers(set)),
            Source::Ellipsoid(rows) if rows.are_short() => Walled::Ellipsoid(rows.layers(set)),
            Source::Aabb(rows) if rows.are_short() => Walled::Aabb(rows.layers(set)),
            Source::Any(merged) => Walled::Any(Gathered::new(merged)),
            source => Walled::Long(Gathered::new(Spans {
                source,
                instructions: set,
            })),
        };
        Self { source }
    }
}

impl<T: Slabs> Rows<T> {
    fn are_short(&self) -> bool {
        self.walk.block().range(0).len() < 1 << 30
    }

    fn layers(self, instructions: InstructionSet) -> Layers<T> {
        Layers::new(self.walk.into_shape(), instructions)
    }
}

/// The masks of a layer of bricks, gathered from spans in their order.
#[derive(Clone, Debug)]
struct Gathered<I, X> {
    spans: I,
    /// The first span of the next layer of bricks.
    next: Option<Span<X>>,
    /// By their places on axes 1 and 0.
    layer: BTreeMap<[i32; 2], [u64; 8]>,
    /// The place of the layer on axis 2.
    height: i32,
}

impl<X: Voxel, I: Iterator<Item = Span<X>>> Gathered<I, X> {
    fn new(mut spans: I) -> Self {
        Self {
            next: spans.next(),
            spans,
            layer: BTreeMap::new(),
            height: 0,
        }
    }

    fn gather(&mut self) {
        let Some(first) = self.next else {
            return;
        };
        self.height = place(first.first(), 2) >> 3;
        while let Some(span) = self
            .next
            .filter(|s| place(s.first(), 2) >> 3 == self.height)
        {
            let (y, z) = (place(span.first(), 1), place(span.first(), 2) & 7);
            let range = span.range();
            for x in range.start >> 3..=(range.end - 1) >> 3 {
                // Wider than `i32`: the last brick ends where the indices do.
                let bit = |index: i32| (i64::from(index) - i64::from(x) * 8).clamp(0, 8) as u32;
                let bits = (1 << bit(range.end)) - (1 << bit(range.start));
                let mask = self.layer.entry([y >> 3, x]).or_default();
                mask[z as usize] |= bits << (8 * (y & 7));
            }
            self.next = self.spans.next();
        }
    }

    fn next(&mut self) -> Option<Brick<X>> {
        if self.layer.is_empty() {
            self.gather();
        }
        let ([y, x], mask) = self.layer.pop_first()?;
        let place = [x, y, self.height];
        Some(Brick {
            coordinates: Voxel::from_fn(|a| place[a]),
            mask,
        })
    }
}

/// The index on an axis, 0 on one that there is not.
fn place<X: Voxel>(voxel: X, axis: usize) -> i32 {
    if axis < X::DIM { voxel.axis(axis) } else { 0 }
}

impl<R: Voxelize> Iterator for Bricks<R> {
    type Item = Brick<VoxelOf<R>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        by_layers!(
            &mut self.source,
            layers => {
                if layers.next == layers.bricks.len() && !layers.advance() {
                    return None;
                }
                layers.next += 1;
                Some(layers.bricks[layers.next - 1])
            },
            gathered => gathered.next()
        )
    }

    #[inline]
    fn fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, mut f: F) -> B {
        let mut all = init;
        by_layers!(
            self.source,
            mut_layers => {
                let mut layers = mut_layers;
                let mut next = layers.next;
                loop {
                    for &brick in &layers.bricks[next..] {
                        all = f(all, brick);
                    }
                    if !layers.advance() {
                        return all;
                    }
                    next = 0;
                }
            },
            gathered => {
                let mut gathered = gathered;
                while let Some(brick) = gathered.next() {
                    all = f(all, brick);
                }
                all
            }
        )
    }
}

impl<R: Voxelize> FusedIterator for Bricks<R> {}
