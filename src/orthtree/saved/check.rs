//! Checks a saved tree, except its items, before it may be queried.
//!
//! ```text
//! the box of the root is finite with its corners in order, and its radii are in order
//! the corners of each box are in order, and it lies within the box of its parent
//! every index is less than the number of items
//! ```
//!
//! The place of each box follows from the number of items, so every descent ends and stays within the lists, whatever the boxes are.
//! `Orthtree::check_items` checks that each item lies in the boxes of its leaves in both sets of nodes, and thus in those of all nodes
//! above. A box that is larger than necessary changes no answer.

use fearless_simd::Simd;

use crate::orthtree::build::{padded, wide_leaf};
use crate::overlap::Extent;
use crate::overlap::columns::Columns;
use crate::simd::{Column, LANES, Mask, Wide, run_up_to_avx2};
use crate::vector::{Scalar, Vector};
use crate::wide_nodes::{Nodes, Tree, first_lanes};

/// Checks the nodes and the indices of a tree; the error says what is wrong.
pub(in crate::orthtree) fn check<A: Vector>(tree: &Tree<A>) -> Result<(), &'static str> {
    check_nodes(tree)?;
    if tree.indices.len() != padded(tree.len) {
        return Err("the indices are not as many as the slots");
    }
    let largest = run_up_to_avx2!(tree.instructions, |_simd| largest(&tree.indices));
    if largest as usize >= tree.len.max(1) {
        return Err("an index is not one of an item");
    }
    Ok(())
}

/// The largest index. Without vector instructions this would take longer than everything else.
#[inline(always)]
fn largest(indices: &[u32]) -> u32 {
    indices.iter().fold(0, |largest, &index| index.max(largest))
}

/// Checks the boxes of nodes; the error says what is wrong.
pub(in crate::orthtree) fn check_nodes<A: Vector>(tree: &Tree<A>) -> Result<(), &'static str> {
    for nodes in [&tree.nodes, &tree.wide_nodes] {
        let many = nodes.levels.blocks();
        if nodes.boxes.len() != many || ![0, many].contains(&nodes.radii.len()) {
            return Err("the nodes are not as many as the items need");
        }
        if many > 0 && !is_valid(&nodes.extent(many - 1, 0)) {
            return Err("bounds of the root are none");
        }
    }
    if !run_up_to_avx2!(tree.instructions, |simd| nodes_hold(simd, tree)) {
        return Err("bounds of a node do not lie within those above");
    }
    Ok(())
}

/// Returns true if a box is finite with its corners in order, and its radii are in order, too.
fn is_valid<A: Vector>(extent: &Extent<A>) -> bool {
    let Extent { least, most, .. } = *extent;
    extent.check().is_ok() && A::Scalar::ZERO <= least && least <= most
}

/// Returns true if all boxes below the roots lie within those of their parents.
#[inline(always)]
fn nodes_hold<A: Vector, S: Simd>(simd: S, tree: &Tree<A>) -> bool {
    for nodes in [&tree.nodes, &tree.wide_nodes] {
        for pair in nodes.levels.as_slice().windows(2) {
            for (number, block, lane) in pair[1].boxes() {
                let parent = nodes.extent(block, lane);
                let (first, children) = (pair[0].block_below(number), pair[0].below(number).len());
                for block in 0..children.div_ceil(LANES) {
                    let own = first_lanes(children - block * LANES);
                    if !holds_boxes(simd, &parent, nodes, first + block, own) {
                        return false;
                    }
                }
            }
        }
    }
    true
}

/// Returns true if all items in the columns are within the boxes of their leaves. These have been checked before and are finite, so the
/// items are valid, too. Returns false for items of the user's types, which have no columns.
pub(in crate::orthtree) fn holds_items<A: Vector>(tree: &Tree<A>) -> bool {
    run_up_to_avx2!(tree.instructions, |simd| leaves_hold(simd, tree))
}

#[inline(always)]
fn leaves_hold<A: Vector, S: Simd>(simd: S, tree: &Tree<A>) -> bool {
    let (nodes, wide, items) = (&tree.nodes, &tree.wide_nodes, &tree.items);
    let leaves = nodes.levels.leaves();
    if items.points.len() != leaves {
        return false;
    }
    // A wide leaf consists of a few small leaves, whose boxes share a block.
    let many = wide_leaf::<A::Scalar>() / LANES;
    for (number, block, lane) in wide.levels.level(0).boxes() {
        let first = number * many;
        let own = first_lanes(many.min(leaves - first)) << (first % LANES);
        if !holds_boxes(simd, &wide.extent(block, lane), nodes, first / LANES, own) {
            return false;
        }
    }
    for (leaf, points) in items.points.iter().enumerate() {
        let extent = nodes.extent(leaf / LANES, leaf % LANES);
        let highs = items.highs.get(leaf).unwrap_or(points);
        let radii = items.radii.get(leaf).map(|radii| [radii, radii]);
        let own = Mask::new(simd, first_lanes(tree.len - leaf * LANES));
        if !holds(simd, &extent, [points, highs], radii, own) {
            return false;
        }
    }
    true
}

/// Returns true if a box holds the boxes in some lanes of a block, and its radii hold theirs.
#[inline(always)]
fn holds_boxes<A: Vector, S: Simd>(
    simd: S,
    parent: &Extent<A>,
    nodes: &Nodes<A>,
    block: usize,
    lanes: u32,
) -> bool {
    let boxes = &nodes.boxes[block];
    let radii = nodes.radii.get(block).map(|[least, most]| [least, most]);
    let own = Mask::new(simd, lanes);
    holds(simd, parent, [&boxes.low, &boxes.high], radii, own)
}

/// Returns true if an extent holds some lanes of corners and radii.
#[inline(always)]
fn holds<A: Vector, S: Simd>(
    simd: S,
    extent: &Extent<A>,
    corners: [&Columns<A>; 2],
    radii: Option<[&Column<A::Scalar>; 2]>,
    own: Mask,
) -> bool {
    let mut within = own;
    for axis in 0..A::DIM {
        let ends = [extent.core.min().axis(axis), extent.core.max().axis(axis)];
        let columns = corners.map(
            #[inline(always)]
            |corners| &corners.as_ref()[axis],
        );
        within = within & between::<A::Scalar, S>(simd, ends, columns);
    }
    if let Some(radii) = radii {
        within = within & between::<A::Scalar, S>(simd, [extent.least, extent.most], radii);
    }
    within == own
}

/// The lanes in which two columns are in order and between two ends.
#[inline(always)]
fn between<X: Scalar, S: Simd>(simd: S, ends: [X; 2], [low, high]: [&Column<X>; 2]) -> Mask {
    let (low, high) = (
        <X::Wide<S>>::load(simd, &low.0),
        <X::Wide<S>>::load(simd, &high.0),
    );
    let [least, most] = ends.map(
        #[inline(always)]
        |end| <X::Wide<S>>::splat(simd, end),
    );
    least.at_most(low) & low.at_most(high) & high.at_most(most)
}
