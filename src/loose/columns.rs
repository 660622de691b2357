//! The columns of a tree: its items, and the children of its nodes.

use alloc::vec::Vec;
use core::mem::size_of;

use super::tree::nothing;
use crate::overlap::Extent;
use crate::overlap::columns::{Boxes, Columns, all, point, set_point};
use crate::overlap::lanes::RadiusRange;
use crate::shape::{Aabb, Layout};
use crate::simd::{Column, LANES};
use crate::vector::{Scalar, Vector};
use crate::wide_nodes::{MOST_BLOCKS, Run};

/// The items of all leaves. A list is empty where the layout has no use for it.
#[derive(Clone, Debug)]
pub(super) struct Items<A: Vector> {
    pub(super) layout: Layout,
    pub(super) has_radii: bool,
    /// Points, the least corners of boxes, or the centers of balls.
    pub(super) points: Vec<Columns<A>>,
    /// The largest corners of boxes.
    pub(super) highs: Vec<Columns<A>>,
    pub(super) radii: Vec<Column<A::Scalar>>,
    pub(super) slots: Vec<[u32; LANES]>,
    pub(super) generations: Vec<[u32; LANES]>,
}

/// The children of all nodes.
#[derive(Clone, Debug)]
pub(super) struct Children<A: Vector> {
    pub(super) boxes: Vec<Boxes<A>>,
    /// The least and largest radius of what each holds, if items have any.
    pub(super) radii: Vec<RadiusRange<A::Scalar>>,
    pub(super) cells: Vec<Boxes<A>>,
    /// The last block in use of each child: see [`Group::entry`](super::tree::Group::entry).
    pub(super) entries: Vec<[u32; LANES]>,
}

/// The block and the lane of a place.
#[inline(always)]
fn parts(place: usize) -> (usize, usize) {
    (place / LANES, place % LANES)
}

impl<A: Vector> Items<A> {
    pub(super) const fn new(layout: Layout, has_radii: bool) -> Self {
        Self {
            layout,
            has_radii,
            points: Vec::new(),
            highs: Vec::new(),
            radii: Vec::new(),
            slots: Vec::new(),
            generations: Vec::new(),
        }
    }

    /// Whether items have two corners.
    #[inline(always)]
    fn has_highs(&self) -> bool {
        matches!(self.layout, Layout::Box | Layout::Whole)
    }

    /// Reserves the memory of some leaves.
    pub(super) fn reserve(&mut self, leaves: usize) {
        let blocks = leaves * MOST_BLOCKS;
        self.points.reserve_exact(blocks);
        self.highs
            .reserve_exact(if self.has_highs() { blocks } else { 0 });
        self.radii
            .reserve_exact(if self.has_radii { blocks } else { 0 });
        self.slots.reserve_exact(blocks);
        self.generations.reserve_exact(blocks);
    }

    /// Adds room for one more leaf.
    pub(super) fn grow(&mut self) {
        let len = self.slots.len() + MOST_BLOCKS;
        let zeros = all::<A>(Scalar::ZERO);
        self.points.resize(len, zeros);
        if self.has_highs() {
            self.highs.resize(len, zeros);
        }
        if self.has_radii {
            self.radii.resize(len, Column([Scalar::ZERO; LANES]));
        }
        self.slots.resize(len, [0; LANES]);
        self.generations.resize(len, [0; LANES]);
    }

    /// The memory that it takes.
    pub(super) fn bytes(&self) -> usize {
        let corners = self.points.capacity() + self.highs.capacity();
        let names = self.slots.capacity() + self.generations.capacity();
        corners * size_of::<Columns<A>>()
            + self.radii.capacity() * size_of::<Column<A::Scalar>>()
            + names * size_of::<[u32; LANES]>()
    }

    #[inline(always)]
    pub(super) fn get(&self, place: usize) -> Extent<A> {
        let (block, lane) = parts(place);
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

    #[inline(always)]
    pub(super) fn set(&mut self, place: usize, to: &Extent<A>) {
        let (block, lane) = parts(place);
        set_point(&mut self.points[block], lane, to.core.min());
        if let Some(high) = self.highs.get_mut(block) {
            set_point(high, lane, to.core.max());
        }
        if let Some(radii) = self.radii.get_mut(block) {
            radii.0[lane] = to.most;
        }
    }

    /// The smallest extent around some items.
    pub(super) fn around(&self, run: Run) -> Extent<A> {
        if run.len == 0 {
            return nothing();
        }
        let blocks = run.first..run.first + run.blocks();
        let points = &self.points[blocks.clone()];
        let (low, mut high) = ends::<A>(points, run.len);
        if let Some(highs) = self.highs.get(blocks.clone()) {
            (_, high) = ends::<A>(highs, run.len);
        }
        let radii = self.radii.get(blocks);
        let (least, most) = radii.map_or([Scalar::ZERO; 2].into(), |radii| {
            ends_of(radii.iter().map(|radii| &radii.0), run.len)
        });
        Extent {
            core: Aabb::from_corners(low, high),
            least,
            most,
        }
    }

    #[inline(always)]
    pub(super) fn slot(&self, place: usize) -> u32 {
        self.slots.as_flattened()[place]
    }

    /// The centers of the items of a full leaf.
    pub(super) fn centers(&self, leaf: usize) -> [Columns<A>; MOST_BLOCKS] {
        crate::simd::from_fn(|block| {
            let block = leaf * MOST_BLOCKS + block;
            let mut centers = self.points[block];
            if self.has_highs() {
                for lane in 0..LANES {
                    let extent = self.get(block * LANES + lane);
                    set_point(&mut centers, lane, extent.core.center());
                }
            }
            centers
        })
    }

    /// The center of an item, which decides its leaf.
    #[inline(always)]
    pub(super) fn center_of(&self, extent: &Extent<A>) -> A {
        if self.has_highs() {
            extent.core.center()
        } else {
            extent.core.min()
        }
    }
}

impl<A: Vector> Children<A> {
    pub(super) const fn new() -> Self {
        Self {
            boxes: Vec::new(),
            radii: Vec::new(),
            cells: Vec::new(),
            entries: Vec::new(),
        }
    }

    /// Reserves the memory of some nodes.
    pub(super) fn reserve(&mut self, nodes: usize, has_radii: bool) {
        let blocks = nodes * MOST_BLOCKS;
        self.boxes.reserve_exact(blocks);
        self.cells.reserve_exact(blocks);
        self.radii.reserve_exact(if has_radii { blocks } else { 0 });
        self.entries.reserve_exact(blocks);
    }

    /// Adds room for one more node.
    pub(super) fn grow(&mut self, has_radii: bool) {
        let len = self.entries.len() + MOST_BLOCKS;
        self.boxes.resize(len, Boxes::empty());
        self.cells.resize(len, Boxes::empty());
        if has_radii {
            self.radii.resize(len, [Column([Scalar::ZERO; LANES]); 2]);
        }
        self.entries.resize(len, [0; LANES]);
    }

    /// The memory that it takes.
    pub(super) fn bytes(&self) -> usize {
        let boxes = self.boxes.capacity() + self.cells.capacity();
        boxes * size_of::<Boxes<A>>()
            + self.radii.capacity() * size_of::<RadiusRange<A::Scalar>>()
            + self.entries.capacity() * size_of::<[u32; LANES]>()
    }

    #[inline(always)]
    pub(super) fn get(&self, place: usize) -> Extent<A> {
        let (block, lane) = parts(place);
        let radii = self.radii.get(block);
        let [least, most] = radii.map_or([Scalar::ZERO; 2], |radii| {
            radii.each_ref().map(|radii| radii.0[lane])
        });
        Extent {
            core: self.boxes[block].get(lane),
            least,
            most,
        }
    }

    #[inline(always)]
    pub(super) fn set(&mut self, place: usize, to: &Extent<A>) {
        let (block, lane) = parts(place);
        self.boxes[block].set(lane, &to.core);
        if let Some([least, most]) = self.radii.get_mut(block) {
            (least.0[lane], most.0[lane]) = (to.least, to.most);
        }
    }

    pub(super) fn cell(&self, place: usize) -> Aabb<A> {
        let (block, lane) = parts(place);
        self.cells[block].get(lane)
    }

    pub(super) fn set_cell(&mut self, place: usize, to: &Aabb<A>) {
        let (block, lane) = parts(place);
        self.cells[block].set(lane, to);
    }

    #[inline(always)]
    pub(super) fn entry(&self, place: usize) -> u32 {
        self.entries.as_flattened()[place]
    }

    #[inline(always)]
    pub(super) fn set_entry(&mut self, place: usize, to: u32) {
        self.entries.as_flattened_mut()[place] = to;
    }

    /// The number of the leaf or node that is the child at a place.
    #[inline(always)]
    pub(super) fn child(&self, place: usize) -> usize {
        self.entry(place) as usize / MOST_BLOCKS
    }
}

/// The least and the largest coordinates of the first `len` points. `len` is not 0.
pub(super) fn ends<A: Vector>(blocks: &[Columns<A>], len: usize) -> (A, A) {
    let mut ends = [(A::Scalar::ZERO, A::Scalar::ZERO); 4];
    for (axis, ends) in ends.iter_mut().enumerate().take(A::DIM) {
        let columns = blocks.iter().map(|columns| &columns.as_ref()[axis].0);
        *ends = ends_of(columns, len);
    }
    (
        A::from_fn(|axis| ends[axis].0),
        A::from_fn(|axis| ends[axis].1),
    )
}

/// The least and the largest of the first `len` numbers. They are compared lane by lane, so that the compiler vectorizes it.
#[inline(always)]
fn ends_of<'a, S: Scalar>(columns: impl Iterator<Item = &'a [S; LANES]>, mut len: usize) -> (S, S) {
    let (mut low, mut high) = ([S::INFINITY; LANES], [S::ZERO - S::INFINITY; LANES]);
    for column in columns {
        for lane in 0..LANES {
            // Unused lanes repeat the first number of the block.
            let x = if lane < len { column[lane] } else { column[0] };
            (low[lane], high[lane]) = (low[lane].smaller(x), high[lane].larger(x));
        }
        len = len.saturating_sub(LANES);
    }
    (
        low.iter().fold(low[0], |low, &x| low.smaller(x)),
        high.iter().fold(high[0], |high, &x| high.larger(x)),
    )
}
