//! Checks a saved tree, except its items, before it may be queried.
//!
//! ```text
//! the box of the root is finite with its corners in order, and its radii are in order
//! the corners of each box are in order, and it lies within the box of its parent
//! every index is less than the number of items
//! ```
//!
//! The place of each box follows from the number of items. So every descent ends and stays within the lists, whatever the boxes are.
//! `Orthtree::check_items` checks that each item lies in the box of its leaf, and so in those of all nodes above. A box that is larger than
//! necessary changes no answer.

use fearless_simd::Simd;

use crate::orthtree::build::{padded, wide_leaf};
use crate::overlap::Extent;
use crate::simd::{Column, LANES, Mask, Wide, run_up_to_avx2};
use crate::vector::{Scalar, Vector};
use crate::wide_nodes::{Nodes, Tree, first_lanes};

/// Checks the nodes and the indices of a tree; the error says what is wrong.
pub(in crate::orthtree) fn check<A: Vector>(tree: &Tree<A>) -> Result<(), &'static str> {
    check_nodes(tree)?;
    if tree.indices.len() != padded(tree.len) {
        return Err("the indices are not as many as the slots");
    }
    let largest = tree
        .indices
        .iter()
        .fold(0, |largest, &index| index.max(largest));
    if largest as usize >= tree.len.max(1) {
        return Err("an index is not one of an item");
    }
    Ok(())
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
    let (nodes, wide) = (&tree.nodes, &tree.wide_nodes);
    for nodes in [nodes, wide] {
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
    // A wide leaf consists of a few small leaves, whose boxes share a block.
    let (leaves, many) = (nodes.levels.leaves(), wide_leaf::<A::Scalar>() / LANES);
    for (number, block, lane) in wide.levels.level(0).boxes() {
        let first = number * many;
        let own = first_lanes(many.min(leaves - first)) << (first % LANES);
        if !holds_boxes(simd, &wide.extent(block, lane), nodes, first / LANES, own) {
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
    let (own, boxes) = (Mask::new(simd, lanes), &nodes.boxes[block]);
    let mut within = own;
    for axis in 0..A::DIM {
        let ends = [parent.core.min().axis(axis), parent.core.max().axis(axis)];
        let columns = [&boxes.low.as_ref()[axis], &boxes.high.as_ref()[axis]];
        within = within & between::<A::Scalar, S>(simd, ends, columns);
    }
    if let Some([least, most]) = nodes.radii.get(block) {
        let ends = [parent.least, parent.most];
        within = within & between::<A::Scalar, S>(simd, ends, [least, most]);
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

#[cfg(test)]
mod tests {
    use super::check;
    use crate::orthtree::Orthtree;

    #[test]
    fn items_without_nodes_are_refused() {
        let mut tree = Orthtree::new(&[[1.0f32, 2.0], [3.0, 4.0]]);
        tree.core.nodes.boxes = Orthtree::<[f32; 2]>::new(&[]).core.nodes.boxes;
        let refused = Err("the nodes are not as many as the items need");
        assert_eq!(check(&tree.core), refused);
    }

    #[test]
    fn bounds_that_are_none_are_refused() {
        let infinity = f32::INFINITY;
        let faults = [
            (f32::NAN, 3.0),
            (1.0, f32::NAN),
            (-infinity, 3.0),
            (1.0, infinity),
            (3.0, 1.0),
            (infinity, -infinity),
            (infinity, 3.0),
        ];
        for (low, high) in faults {
            let mut tree = Orthtree::new(&[[1.0f32, 2.0], [3.0, 4.0]]);
            let cells = &mut tree.core.nodes.boxes;
            cells.edit(|list| list[0].set_on(0, 0, low, high));
            assert!(check(&tree.core).is_err(), "{low} {high}");
        }
    }

    #[test]
    fn bounds_of_nodes_hold_those_of_their_children() {
        let points: [[f32; 2]; 40] = core::array::from_fn(|i| [i as f32, (i % 7) as f32]);
        for is_wide in [false, true] {
            let mut tree = Orthtree::new(&points);
            assert_eq!(check(&tree.core), Ok(()));
            let core = &mut tree.core;
            let nodes = if is_wide {
                &mut core.wide_nodes
            } else {
                &mut core.nodes
            };
            nodes
                .boxes
                .edit(|list| list.last_mut().unwrap().set_on(1, 0, 0.0, 5.0));
            let refused = Err("bounds of a node do not lie within those above");
            assert_eq!(check(core), refused);
        }
    }
}
