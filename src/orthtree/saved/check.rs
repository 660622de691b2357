//! What is checked of a saved tree before it is asked: everything but its items.
//!
//! ```text
//! boxes of leaves are numbers in order, and their radii too
//! boxes of nodes are those around their children
//! no index is one that no item has
//! ```
//!
//! Where a box lies follows from the number of items. So descents end, and whatever they look up is there, wherever the items lie.
//! Items are checked apart: each in the box of its leaf, and so in those of all nodes above.

use crate::orthtree::bounds::{around_children, around_leaves};
use crate::orthtree::build::padded;
use crate::orthtree::tree::{Nodes, Tree, wide_leaf};
use crate::overlap::Extent;
use crate::simd::LANES;
use crate::vector::{Scalar, Vector};

/// Says what is wrong with the nodes of a tree, or its indices.
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

/// Says what is wrong with the boxes of nodes.
pub(in crate::orthtree) fn check_nodes<A: Vector>(tree: &Tree<A>) -> Result<(), &'static str> {
    let (nodes, wide) = (&tree.nodes, &tree.wide_nodes);
    for nodes in [nodes, wide] {
        let many = nodes.levels.blocks();
        if nodes.cells.len() != many || ![0, many].contains(&nodes.radii.len()) {
            return Err("the nodes are not as many as the items need");
        }
    }
    if !(0..nodes.levels.leaves()).all(|leaf| is_valid(&nodes.extent(leaf / LANES, leaf % LANES))) {
        return Err("bounds of a node are none");
    }
    let leaf = wide_leaf::<A::Scalar>();
    let fits = |number: usize| {
        let (block, lane) = wide.levels.level(0).place(number);
        wide.extent(block, lane) == around_leaves(nodes, leaf, number)
    };
    if !((0..wide.levels.leaves()).all(fits)
        && are_around_children(nodes)
        && are_around_children(wide))
    {
        return Err("bounds of a node are not those around its children");
    }
    Ok(())
}

fn are_around_children<A: Vector>(nodes: &Nodes<A>) -> bool {
    nodes.levels.as_slice().windows(2).all(|pair| {
        (0..pair[1].len()).all(|number| {
            let (block, lane) = pair[1].place(number);
            let around = around_children(&pair[0], &nodes.cells, &nodes.radii, number);
            nodes.extent(block, lane) == around
        })
    })
}

/// Whether a box is one of finite numbers in order, and so are its radii.
fn is_valid<A: Vector>(extent: &Extent<A>) -> bool {
    let Extent { least, most, .. } = *extent;
    extent.check().is_ok() && A::Scalar::ZERO <= least && least <= most
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::orthtree::Orthtree;

    #[test]
    fn items_without_nodes_are_refused() {
        let mut tree = Orthtree::new(&[[1.0f32, 2.0], [3.0, 4.0]]);
        tree.core.nodes.cells = Orthtree::<[f32; 2]>::new(&[]).core.nodes.cells;
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
            let cells = &mut tree.core.nodes.cells;
            cells.edit(|list| list[0].set_on(0, 0, low, high));
            let refused = Err("bounds of a node are none");
            assert_eq!(check(&tree.core), refused, "{low} {high}");
        }
    }

    #[test]
    fn bounds_of_nodes_are_those_around_their_children() {
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
                .cells
                .edit(|list| list.last_mut().unwrap().set_on(1, 0, 0.0, 7.0));
            let refused = Err("bounds of a node are not those around its children");
            assert_eq!(check(core), refused);
        }
    }
}
