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

use crate::orthtree::build::padded;
use crate::overlap::Extent;
use crate::overlap::columns::Boxes;
use crate::simd::{Column, LANES, Mask, Wide, run};
use crate::vector::{Scalar, Vector};
use crate::wide_nodes::{Nodes, Tree};

/// Checks the nodes and the indices of a tree; the error says what is wrong.
pub(in crate::orthtree) fn check<A: Vector>(tree: &Tree<A>) -> Result<(), &'static str> {
    for nodes in [&tree.nodes, &tree.wide_nodes] {
        let many = nodes.levels.blocks();
        if nodes.boxes.len() != many || ![0, many].contains(&nodes.radii.len()) {
            return Err("the nodes are not as many as the items need");
        }
        if many > 0 {
            let root = nodes.extent(many - 1, 0);
            let are_radii_in_order = A::Scalar::ZERO <= root.least && root.least <= root.most;
            if root.check().is_err() || !are_radii_in_order {
                return Err("bounds of the root are none");
            }
        }
        if !run!(up_to_avx2(tree.instructions), |simd| are_nested(
            simd, nodes
        )) {
            return Err("bounds of a node do not lie within those above");
        }
    }
    if tree.indices.len() != padded(tree.len) {
        return Err("the indices are not as many as the slots");
    }
    let largest = run!(up_to_avx2(tree.instructions), |_simd| largest(
        &tree.indices
    ));
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

/// Returns true if all boxes below the root lie within those of their parents.
#[inline(always)]
fn are_nested<A: Vector, S: Simd>(simd: S, nodes: &Nodes<A>) -> bool {
    for pair in nodes.levels.as_slice().windows(2) {
        for (number, block, lane) in pair[1].boxes() {
            let Extent { core, least, most } = nodes.extent(block, lane);
            let (first, children) = (pair[0].block_below(number), pair[0].below(number).len());
            // Unused lanes repeat the last child, so whole blocks can be tested.
            for block in first..first + children.div_ceil(LANES) {
                let Boxes { low, high } = &nodes.boxes[block];
                let every = Mask::new(simd, u32::MAX);
                let mut all = every;
                for axis in 0..A::DIM {
                    let ends = [core.min().axis(axis), core.max().axis(axis)];
                    all = all & between(simd, ends, &low.as_ref()[axis], &high.as_ref()[axis]);
                }
                if let Some(radii) = nodes.radii.get(block) {
                    all = all & between(simd, [least, most], &radii[0], &radii[1]);
                }
                if all != every {
                    return false;
                }
            }
        }
    }
    true
}

/// The lanes in which two columns are in order and between two ends.
#[inline(always)]
fn between<X: Scalar, S: Simd>(
    simd: S,
    [least, most]: [X; 2],
    low: &Column<X>,
    high: &Column<X>,
) -> Mask {
    let low = <X::Wide<S>>::load(simd, &low.0);
    let high = <X::Wide<S>>::load(simd, &high.0);
    let (least, most) = (
        <X::Wide<S>>::splat(simd, least),
        <X::Wide<S>>::splat(simd, most),
    );
    least.at_most(low) & low.at_most(high) & high.at_most(most)
}
