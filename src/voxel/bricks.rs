//! Bricks, which are blocks of eight voxels on each axis with a bit for each, and the iterator over them: made by
//! layers of slabs, or gathered from spans.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::iter::FusedIterator;

use super::lattice::Block;
use super::layers::Layers;
use super::slab::{Kernels, MOST_ROWS};
use super::spans::Source;
use super::voxelize::{ScalarOf, VectorOf, VoxelOf};
use super::{Span, Spans, VoxelGrid, Voxelize};
use crate::error::{Error, headroom, or_panic, reserve, shown_as};
use crate::vector::{Vector, Voxel};

/// The voxels of an aligned block of eight on each axis, as a mask; never empty.
///
/// Brick `b` holds the voxels from `8 * b` to `8 * b + 7` on each axis, of which there are at most
/// three. Bit `x + 8 * y` of `mask[z]` stands for the voxel at `[x, y, z]` in the brick; axes that the
/// grid lacks are 0.
///
/// ```
/// use orthant::{Brick, Sphere, VoxelGrid};
/// let grid = VoxelGrid::new([0.0f32; 3], 1.0);
/// let bricks: Vec<Brick<[i32; 3]>> = grid.bricks(Sphere::new([8.5, 1.5, 1.5], 0.25)).collect();
/// assert_eq!(bricks.len(), 1);
/// assert_eq!(bricks[0].coordinates, [1, 0, 0]);
/// assert_eq!(bricks[0].mask, [0, 1 << 8, 0, 0, 0, 0, 0, 0]);
/// assert_eq!(bricks[0].voxels().collect::<Vec<_>>(), [[8, 1, 1]]);
/// assert!(bricks[0].contains([8, 1, 1]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Brick<X> {
    /// The indices of the brick: those of its voxels, divided by eight and rounded down.
    pub coordinates: X,
    /// A bit for each voxel.
    pub mask: [u64; 8],
}

impl<X: Voxel> Brick<X> {
    /// The number of voxels.
    #[inline]
    #[must_use]
    pub fn count(&self) -> u32 {
        self.mask.iter().map(|slab| slab.count_ones()).sum()
    }

    /// Whether a voxel is in the mask.
    #[inline]
    #[must_use]
    pub fn contains(&self, voxel: X) -> bool {
        let here = (0..X::DIM).all(|a| voxel.axis(a) >> 3 == self.coordinates.axis(a));
        let place = |a| if a < X::DIM { voxel.axis(a) & 7 } else { 0 };
        here && self.mask[place(2) as usize] >> (place(0) + 8 * place(1)) & 1 == 1
    }

    /// The voxels, the last axis slowest and axis 0 fastest.
    pub fn voxels(self) -> impl Iterator<Item = X> + Clone {
        (0..8).flat_map(move |z| {
            let mut left = self.mask[z as usize];
            core::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros() as i32)?;
                left &= left - 1;
                let place = [bit & 7, bit >> 3, z];
                Some(X::from_fn(|a| self.coordinates.axis(a) << 3 | place[a]))
            })
        })
    }

    #[inline(always)]
    fn of_array(brick: &Brick<[i32; 3]>) -> Self {
        Self {
            coordinates: X::from_fn(|a| brick.coordinates[a]),
            mask: brick.mask,
        }
    }
}

/// The bricks of a region, from [`VoxelGrid::bricks`](super::VoxelGrid::bricks).
#[derive(Clone)]
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct Bricks<R: Voxelize> {
    source: BrickSource<R>,
    /// Some bricks in their order, those of a row or a layer, and the place of the next one.
    bricks: Vec<Brick<[i32; 3]>>,
    next: usize,
}

shown_as!(impl[R: Voxelize] Bricks<R> as "Bricks");

#[derive(Clone, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "one per listing, on the stack; a box would allocate"
)]
enum BrickSource<R: Voxelize> {
    Layers(Layers<ScalarOf<R>>),
    /// For halved regions, and for rows longer than layers take; with the first span of the next layer of bricks, once a
    /// layer has been gathered.
    Spans(Spans<R>, Option<Span<[i32; 4]>>),
}

impl<R: Voxelize> Bricks<R> {
    pub(crate) fn try_new(grid: &VoxelGrid<VectorOf<R>>, region: R) -> Result<Self, Error> {
        let mut spans = Spans::try_new(grid, region)?;
        let source = match spans.source {
            Source::Slabs(walk) if is_layered(grid, &walk.shape.block()) => {
                BrickSource::Layers(Layers::new(walk.shape, spans.instructions))
            }
            source => {
                spans.source = source;
                BrickSource::Spans(spans, None)
            }
        };
        Ok(Self {
            source,
            bricks: Vec::new(),
            next: 0,
        })
    }

    /// The next brick; an error if there is no memory for the row or layer in which it is made.
    #[inline]
    pub(crate) fn try_next(&mut self) -> Result<Option<Brick<VoxelOf<R>>>, Error> {
        if self.next == self.bricks.len() && !self.refill()? {
            return Ok(None);
        }
        self.next += 1;
        Ok(Some(Brick::of_array(&self.bricks[self.next - 1])))
    }

    /// Makes the next bricks; false if there are none.
    fn refill(&mut self) -> Result<bool, Error> {
        self.next = 0;
        self.bricks.clear();
        match &mut self.source {
            BrickSource::Layers(layers) => Kernels::next_bricks(layers, &mut self.bricks)?,
            BrickSource::Spans(spans, next) => {
                gather(&mut || spans.next_as(), next, &mut self.bricks)?;
            }
        }
        Ok(!self.bricks.is_empty())
    }
}

/// Returns true if the bricks of a shape are made layer by layer: the rows are short enough, and a window is so low that its empty
/// rows cost little.
fn is_layered<V: Vector>(grid: &VoxelGrid<V>, block: &Block<[i32; 4]>) -> bool {
    let is_low = || (1..3).all(|a| block.range(a).len() <= MOST_ROWS);
    block.range(0).len() < 1 << 30 && (grid.window.is_none() || is_low())
}

/// Number of bricks between two tests that there is memory left.
const HEADROOM: usize = 1 << 10;

/// Makes the bricks of a layer from its spans, the first of which may be known, and leaves the first span of the next.
fn gather(
    spans: &mut dyn FnMut() -> Option<Span<[i32; 4]>>,
    next: &mut Option<Span<[i32; 4]>>,
    to: &mut Vec<Brick<[i32; 3]>>,
) -> Result<(), Error> {
    *next = next.take().or_else(&mut *spans);
    let Some(first) = *next else {
        return Ok(());
    };
    let height = first.first()[2] >> 3;
    // The masks, by the indices of their bricks on axes 1 and 0.
    let mut layer = BTreeMap::<[i32; 2], [u64; 8]>::new();
    // Each span of the layer sets bits in the bricks along its row.
    while let Some(span) = next.filter(|span| span.first()[2] >> 3 == height) {
        let [_, y, z, _] = span.first();
        let range = span.range();
        for x in range.start >> 3..=(range.end - 1) >> 3 {
            if layer.len().is_multiple_of(HEADROOM) {
                headroom()?;
            }
            // Wider than `i32`, since the last brick ends where the indices do.
            let bit = |index: i32| (i64::from(index) - i64::from(x) * 8).clamp(0, 8) as u32;
            let bits = (1 << bit(range.end)) - (1 << bit(range.start));
            let mask = layer.entry([y >> 3, x]).or_default();
            mask[(z & 7) as usize] |= bits << (8 * (y & 7));
        }
        *next = spans();
    }
    reserve(to, layer.len())?;
    to.extend(layer.into_iter().map(|([y, x], mask)| Brick {
        coordinates: [x, y, height],
        mask,
    }));
    Ok(())
}

impl<R: Voxelize> Iterator for Bricks<R> {
    type Item = Brick<VoxelOf<R>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        or_panic("Bricks", self.try_next())
    }

    #[inline]
    fn fold<B, F: FnMut(B, Self::Item) -> B>(mut self, init: B, mut f: F) -> B {
        let mut all = init;
        loop {
            for brick in &self.bricks[self.next..] {
                all = f(all, Brick::of_array(brick));
            }
            if !or_panic("Bricks", self.refill()) {
                return all;
            }
        }
    }
}

impl<R: Voxelize> FusedIterator for Bricks<R> {}
