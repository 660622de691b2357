//! The descent for a group of sixteen points: it goes level by level, tests sixteen boxes at a time, and finds the leaves that have to
//! be compared with the group.

use alloc::vec::Vec;

use fearless_simd::Simd;

use crate::candidates::QueryPoint;
use crate::overlap::columns::{Boxes, Columns, ends};
use crate::overlap::lanes::{Nearby, W};
use crate::shape::Aabb;
use crate::simd::{LANES, ListWriter, Mask, Wide, compress};
use crate::vector::Vector;
use crate::wide_nodes::{Nodes, Tree, first_block};

/// The nodes and leaves that a descent found, by the lanes of their boxes. A leaf's lane is its block of items.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Blocks of boxes to be tested, and those of the level below.
    blocks: [Vec<u32>; 2],
    /// Leaves whose points have to be tested, in the order of the tree.
    pub(super) leaves: Vec<u32>,
    /// Nodes and leaves whose points all are near.
    pub(super) whole: Vec<u32>,
}

impl Found {
    /// Descends level by level. `test` is given the height and the number of a block of boxes, and the lanes in use. It returns the lanes
    /// of boxes that may hold a near point, and the lanes of those whose points are all near. Returns false as soon as there are more than
    /// `most` leaves.
    #[inline(always)]
    pub(super) fn descend<A: Vector, S: Simd>(
        &mut self,
        simd: S,
        tree: &Tree<A>,
        most: usize,
        mut test: impl FnMut(&Nodes<A>, usize, usize, Mask) -> (Mask, Mask),
    ) -> bool {
        self.leaves.clear();
        self.whole.clear();
        let [above, below] = &mut self.blocks;
        above.clear();
        above.extend(tree.roots());
        for height in (0..tree.nodes.height).rev() {
            below.clear();
            let level = tree.nodes.level(height, true);
            let to = if height == 0 {
                &mut self.leaves
            } else {
                &mut *below
            };
            for &block in &*above {
                let block = block as usize;
                let there = level.in_use(simd, block);
                let (near, whole) = test(&tree.nodes, height, block, there);
                if near.is_empty() {
                    continue;
                }
                if !whole.is_empty() {
                    let lanes = crate::simd::from_fn(
                        #[inline(always)]
                        |lane| (block * LANES + lane) as u32,
                    );
                    append(simd, &mut self.whole, &lanes, whole);
                }
                let children = level.entries(block);
                let children = crate::simd::from_fn(
                    #[inline(always)]
                    |lane| first_block(children[lane]) as u32,
                );
                append(simd, to, &children, near & !whole);
                if height == 0 && to.len() > most {
                    return false;
                }
            }
            core::mem::swap(above, below);
        }
        true
    }
}

/// Appends the lanes that a mask selects.
#[inline(always)]
pub(super) fn append<S: Simd>(simd: S, list: &mut Vec<u32>, lanes: &[u32; LANES], mask: Mask) {
    list.reserve(LANES);
    ListWriter::extend(
        list,
        #[inline(always)]
        |to| compress(simd, lanes, mask, to),
    );
}

/// The box around the first points of a block.
pub(super) fn box_around<A: Vector>(points: &Columns<A>, used: usize) -> Aabb<A> {
    let (low, high) = ends::<A, _>(core::slice::from_ref(points), |points| points, used);
    Aabb::from_corners(low, high)
}

/// Tests a block of boxes for [`Found::descend`]: returns those that may hold a point within the limit, and, if `wants_whole`, those that
/// lie within it as a whole.
#[inline(always)]
pub(super) fn near_or_whole<A: Vector, S: Simd>(
    near: &Nearby<A, S>,
    Boxes { low, high }: &Boxes<A>,
    there: Mask,
    wants_whole: bool,
) -> (Mask, Mask) {
    let meets = near.meets(low, high) & there;
    if !wants_whole || meets.is_empty() {
        return (meets, meets & !meets);
    }
    (meets, meets & near.holds(low, high))
}

/// The lanes of sixteen points that may be within a squared distance of a point of a leaf.
#[inline(always)]
pub(super) fn lanes_near<A: Vector, S: Simd>(
    simd: S,
    tree: &Tree<A>,
    leaf: u32,
    points: &Columns<A>,
    limit: A::Scalar,
) -> u32 {
    let cell = tree.box_of(leaf);
    let near = Nearby::<A, S>::new(simd, &cell, limit, None);
    near.meets(points, points).bits(simd)
}

/// The lanes of the points of a leaf that are within a squared distance of a point, in a periodic image if there is an offset.
#[inline(always)]
pub(super) fn within<A: Vector, S: Simd>(
    simd: S,
    tree: &Tree<A>,
    leaf: u32,
    (from, offset): (A, Option<A>),
    limit: A::Scalar,
) -> Mask {
    let points = &tree.items.points[leaf as usize];
    let squares = QueryPoint::<A, S>::new(simd, from, limit).squares_to(points, offset);
    squares.at_most(<W<A, S>>::splat(simd, limit)) & Mask::new(simd, tree.lanes_of(leaf as usize))
}
