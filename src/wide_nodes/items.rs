//! The items of a tree, in blocks of sixteen.

use alloc::vec;
use core::ops::Range;

use fearless_simd::Simd;

use super::{Flat, InUse, Levels, Run, Tree};
use crate::overlap::Extent;
use crate::overlap::columns::{Columns, all, ends, ends_of, point, set_point};
use crate::overlap::lanes::WideRegion;
use crate::query::KeyWriter;
use crate::shape::{Aabb, Layout};
use crate::simd::{Column, LANES, Mask};
use crate::vector::{Scalar, Vector};

/// Items in blocks of sixteen. Columns that the layout does not need are empty: points have no `highs`.
#[derive(Clone, Debug)]
pub(crate) struct Items<A: Vector> {
    pub(crate) layout: Layout,
    /// Points, the least corners of boxes, or the centers of balls.
    pub(crate) points: Flat<Columns<A>>,
    /// The largest corners of boxes.
    pub(crate) highs: Flat<Columns<A>>,
    pub(crate) radii: Flat<Column<A::Scalar>>,
    /// A bit for each lane of a block that has an item; empty if items fill all blocks but the last.
    pub(crate) lanes: Flat<u16>,
}

impl<A: Vector> Tree<A> {
    /// The columns of items, borrowed for a search.
    #[inline(always)]
    pub(super) fn item_blocks(&self, in_order: bool) -> ItemBlocks<'_, A> {
        ItemBlocks {
            indices: self.indices.as_chunks().0,
            generations: self.generations.as_chunks().0,
            in_use: InUse::new(&self.items.lanes, self.len, in_order),
            in_order,
            ..self.items.blocks(self.len)
        }
    }
}

impl<A: Vector> Items<A> {
    /// Columns for a number of items, all of them zero.
    pub(crate) fn zeros(layout: Layout, len: usize) -> Self {
        let zero = A::Scalar::ZERO;
        let blocks_if = |is_kept: bool| if is_kept { len.div_ceil(LANES) } else { 0 };
        Self {
            layout,
            points: vec![all::<A>(zero); blocks_if(layout != Layout::Whole)].into(),
            highs: vec![all::<A>(zero); blocks_if(layout == Layout::Box)].into(),
            radii: vec![Column([zero; LANES]); blocks_if(layout == Layout::Ball)].into(),
            lanes: Flat::new(),
        }
    }

    /// The columns, borrowed for a search that needs no keys.
    #[inline(always)]
    pub(crate) fn blocks(&self, len: usize) -> ItemBlocks<'_, A> {
        ItemBlocks {
            layout: self.layout,
            points: &self.points,
            highs: &self.highs,
            radii: &self.radii,
            in_use: InUse::new(&[], len, true),
            in_order: true,
            len,
            indices: &[],
            generations: &[],
        }
    }

    /// The corners and the radius of an item.
    #[inline(always)]
    pub(crate) fn get(&self, place: usize) -> Extent<A> {
        let (block, lane) = (place / LANES, place % LANES);
        let low = point(&self.points[block], lane);
        let high = self.highs.get(block).map_or(low, |high| point(high, lane));
        let radii = self.radii.get(block);
        let radius = radii.map_or(Scalar::ZERO, |radii| radii.0[lane]);
        Extent {
            core: Aabb::from_corners(low, high),
            least: radius,
            most: radius,
        }
    }

    /// The smallest extent around the first `len` items of some blocks. `len` is not 0.
    #[inline(always)]
    pub(crate) fn around(&self, blocks: Range<usize>, len: usize) -> Extent<A> {
        let (low, mut high) = ends::<A, _>(&self.points[blocks.clone()], |points| points, len);
        if let Some(highs) = self.highs.get(blocks.clone()) {
            (_, high) = ends::<A, _>(highs, |highs| highs, len);
        }
        let zero = A::Scalar::ZERO;
        let (least, most) = self.radii.get(blocks).map_or((zero, zero), |radii| {
            ends_of(radii.iter().map(|radii| &radii.0), len)
        });
        Extent {
            core: Aabb::from_corners(low, high),
            least,
            most,
        }
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, place: usize, to: &Extent<A>) {
        let (block, lane) = (place / LANES, place % LANES);
        set_point(&mut self.points.to_mut()[block], lane, to.core.min());
        if !self.highs.is_empty() {
            set_point(&mut self.highs.to_mut()[block], lane, to.core.max());
        }
        if !self.radii.is_empty() {
            self.radii.to_mut()[block].0[lane] = to.most;
        }
    }
}

/// The columns of a tree's items as slices, which a search keeps in registers; through a reference to the tree it would load them at each
/// access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ItemBlocks<'a, A: Vector> {
    pub(crate) layout: Layout,
    pub(crate) points: &'a [Columns<A>],
    pub(crate) highs: &'a [Columns<A>],
    pub(crate) radii: &'a [Column<A::Scalar>],
    in_use: InUse<'a>,
    in_order: bool,
    pub(crate) len: usize,
    pub(crate) indices: &'a [[u32; LANES]],
    pub(crate) generations: &'a [[u32; LANES]],
}

impl<A: Vector> ItemBlocks<'_, A> {
    /// The lanes of a block whose items overlap a region. With `POINTS` the loop is compiled for points only.
    #[inline(always)]
    pub(crate) fn that_meet<S: Simd, P: WideRegion<A, S>, const POINTS: bool>(
        &self,
        probe: &P,
        block: usize,
    ) -> Mask {
        let layout = if POINTS { Layout::Point } else { self.layout };
        let points = &self.points[block];
        match layout {
            Layout::Point => probe.meets_points(points),
            Layout::Ball => probe.meets_balls(points, &self.radii[block]),
            Layout::Box => probe.meets_boxes(points, &self.highs[block]),
            Layout::Whole => unreachable!("tested one by one"),
        }
    }

    /// The lanes of a block that have an item.
    #[inline(always)]
    pub(super) fn in_use<S: Simd>(&self, simd: S, block: usize) -> Mask {
        self.in_use.of(simd, block)
    }

    /// The items of a leaf, which is given by its number in a tree in order, and by its entry otherwise.
    #[inline(always)]
    pub(super) fn of_leaf(&self, levels: &Levels, leaf: u32) -> Run {
        if !self.in_order {
            return Run::kept(self.in_use.stored, leaf);
        }
        let slots = levels.level(0).slots(leaf as usize, self.len);
        Run::new(slots.start / LANES, slots.len())
    }

    /// Appends the keys of the items of a block that a mask selects.
    #[inline(always)]
    pub(super) fn write<S: Simd>(&self, simd: S, block: usize, mask: Mask, to: &mut KeyWriter<'_>) {
        crate::simd::compress(simd, &self.indices[block], mask, &mut to.slots);
        if !self.in_order {
            crate::simd::compress(simd, &self.generations[block], mask, &mut to.generations);
        }
    }
}
