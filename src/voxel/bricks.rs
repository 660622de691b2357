//! The bricks of a region, gathered from its spans.

use alloc::collections::BTreeMap;
use core::iter::FusedIterator;

use super::{Brick, Span, Spans, Voxelize};
use crate::{Region, Vector, Voxel};

type VoxelOf<R> = <<R as Region>::Vector as Vector>::Voxel;

/// The bricks of a region, from [`VoxelGrid::bricks`](super::VoxelGrid::bricks).
#[derive(Clone, Debug)]
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct Bricks<R: Voxelize> {
    spans: Spans<R>,
    /// The first span of the next layer of bricks.
    next: Option<Span<VoxelOf<R>>>,
    /// The masks of a layer, by their places on axes 1 and 0.
    layer: BTreeMap<[i32; 2], [u64; 8]>,
    /// The place of the layer on axis 2.
    height: i32,
}

impl<R: Voxelize> Bricks<R> {
    pub(super) fn new(mut spans: Spans<R>) -> Self {
        const { assert!(VoxelOf::<R>::DIM <= 3, "bricks have at most three axes") }
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
}

/// The index on an axis, 0 on one that there is not.
fn place<X: Voxel>(voxel: X, axis: usize) -> i32 {
    if axis < X::DIM { voxel.axis(axis) } else { 0 }
}

impl<R: Voxelize> Iterator for Bricks<R> {
    type Item = Brick<VoxelOf<R>>;

    fn next(&mut self) -> Option<Self::Item> {
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

impl<R: Voxelize> FusedIterator for Bricks<R> {}
