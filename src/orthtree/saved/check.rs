//! What is checked of a saved tree before it is asked: everything but its items.
//!
//! ```text
//! for each block of children, those below come first:
//!     each child is nothing; or a leaf, in the blocks and between the edges that its run says;
//!                or a node, of blocks that come before, are nobody else's and divide its run, in the bounds around them
//!     their runs follow each other
//!     their bounds are numbers in order, and infinitely far of nothing
//! all blocks but the last belong to a node; in the last is the root alone, which has all items
//! no index is one that no item has
//! ```
//!
//! So descents end, soon, and whatever they look up is there, wherever the items lie. Of a million points that takes 0.2 ms.
//! Items are checked apart: each in the bounds of its leaf, and so in those of all nodes above.

use alloc::vec::Vec;

use fearless_simd::Simd;

use crate::orthtree::build::padded;
use crate::orthtree::split::{BLOCKS, LEAF};
use crate::orthtree::tree::{BLOCKS_BITS, INNER, Nodes, Tree, blocks_of, edges_of, lanes_within};
use crate::overlap::Extent;
use crate::overlap::columns::Boxes;
use crate::overlap::lanes::{RadiusRange, W};
use crate::query::Hierarchy;
use crate::shape::Aabb;
use crate::simd::{Column, LANES, Mask, Wide, run_up_to_avx2};
use crate::vector::{Scalar, Vector};

/// No tree that was built is as deep: each level takes a bit of a key.
const DEEPEST: u8 = 128;

/// More blocks of children cannot be named.
const MOST: usize = 1 << (u32::BITS - 1 - BLOCKS_BITS);

/// Says what is wrong with the nodes of a tree, or its indices.
pub(in crate::orthtree) fn check<A: Vector>(tree: &Tree<A>) -> Result<(), &'static str> {
    run_up_to_avx2!(tree.instructions, |simd| check_nodes(simd, tree))
}

/// Whether all items lie within the bounds of their leaves, which are known to be numbers: so are they. Of a tree whose nodes
/// have been checked.
pub(in crate::orthtree) fn holds_items<A: Vector>(tree: &Tree<A>) -> bool {
    run_up_to_avx2!(tree.instructions, |simd| leaves_hold(simd, tree))
}

/// What is known of a block that was looked at.
#[derive(Clone, Copy)]
struct Seen<A: Vector> {
    /// The slots of what its children hold.
    run: [u32; 2],
    extent: Extent<A>,
    /// Levels below it.
    depth: u8,
    has_parent: bool,
}

#[inline(always)]
fn check_nodes<A: Vector, S: Simd>(simd: S, tree: &Tree<A>) -> Result<(), &'static str> {
    let nodes = &tree.nodes;
    if nodes.children.len() > MOST {
        return Err("it has more nodes than can be numbered");
    }
    let mut seen: Vec<Seen<A>> = Vec::with_capacity(nodes.children.len());
    for (block, cells) in nodes.cells.iter().enumerate() {
        let (run, used, depth) = check_children(tree, block, &mut seen)?;
        let radii = nodes.radii.get(block);
        let extent = check_bounds::<A, S>(simd, cells, radii, used)?;
        seen.push(Seen {
            run,
            extent,
            depth,
            has_parent: false,
        });
    }
    match seen.split_last() {
        None if tree.len > 0 => return Err("items without a root"),
        None => {}
        Some((root, below)) => {
            if root.run != [0, tree.len as u32] {
                return Err("the root does not hold all items");
            }
            if nodes
                .children
                .last()
                .is_none_or(|root| root[0] & INNER == 0)
            {
                return Err("the root is a leaf");
            }
            let last = nodes.runs.last().map_or(&[][..], |runs| &runs[1..]);
            if last.iter().any(|[from, to]| from != to) || below.iter().any(|b| !b.has_parent) {
                return Err("a node has no parent");
            }
        }
    }
    if tree.indices.len() != padded(tree.len) {
        return Err("the indices are not as many as the slots");
    }
    let mut largest = 0;
    for &index in tree.indices.iter() {
        largest = index.max(largest);
    }
    if largest as usize >= tree.len.max(1) {
        return Err("an index is not one of an item");
    }
    Ok(())
}

/// Checks the children of a block; says which slots they hold, which lanes are used, and how many levels are below.
#[inline(always)]
fn check_children<A: Vector>(
    tree: &Tree<A>,
    block: usize,
    seen: &mut [Seen<A>],
) -> Result<([u32; 2], u32, u8), &'static str> {
    let nodes = &tree.nodes;
    let (children, edges) = (&nodes.children[block], &nodes.edges[block]);
    let (mut used, mut depth) = (0, 0);
    let [mut first, mut end] = [0; 2];
    for (lane, &[from, to]) in nodes.runs[block].iter().enumerate() {
        let (child, edges) = (children[lane], edges[lane]);
        if from == to {
            if child != 0 || edges != 0 || to as usize > tree.len {
                return Err("a leaf is not the run that its parent says");
            }
            continue;
        }
        if from > to || to as usize > tree.len {
            return Err("a run is not one of slots");
        }
        if used == 0 {
            first = from;
        } else if from != end {
            return Err("children do not divide their parent's run");
        }
        used |= 1 << lane;
        end = to;
        let below = blocks_of(child);
        if child & INNER != 0 {
            if below.is_empty() || below.end > block || below.len() > BLOCKS {
                return Err("a node does not lie before its parent");
            }
            let mut bounds: Option<Extent<A>> = None;
            let mut at = from;
            for below in &mut seen[below] {
                if core::mem::replace(&mut below.has_parent, true) {
                    return Err("a node has two parents");
                }
                if below.run[0] != at {
                    return Err("children do not divide their parent's run");
                }
                at = below.run[1];
                if below.depth >= DEEPEST {
                    return Err("it is deeper than any tree that is built");
                }
                depth = depth.max(below.depth + 1);
                let all = bounds.map_or(below.extent, |all| all.union(&below.extent));
                bounds = Some(all);
            }
            if at != to {
                return Err("children do not divide their parent's run");
            }
            if bounds != Some(tree.extent((block * LANES + lane) as u32)) {
                return Err("bounds of a node are not those around its children");
            }
        } else if (to - from) as usize > LEAF {
            return Err("a leaf holds more than a leaf may");
        } else if below != (from as usize / LANES..(to as usize).div_ceil(LANES))
            || edges != edges_of(from, to)
        {
            return Err("a leaf is not the run that its parent says");
        }
    }
    if used == 0 {
        return Err("a node holds no items");
    }
    Ok(([first, end], used, depth))
}

/// Checks the bounds of the children of a block, of which some lanes are used; returns those of all.
#[inline(always)]
fn check_bounds<A: Vector, S: Simd>(
    simd: S,
    cells: &Boxes<A>,
    radii: Option<&RadiusRange<A::Scalar>>,
    used: u32,
) -> Result<Extent<A>, &'static str> {
    let zero = A::Scalar::ZERO;
    let infinity = <W<A, S>>::splat(simd, A::Scalar::INFINITY);
    let below = <W<A, S>>::splat(simd, zero - A::Scalar::INFINITY);
    let (least, most) = (
        <W<A, S>>::splat(simd, zero - A::Scalar::MAX),
        <W<A, S>>::splat(simd, A::Scalar::MAX),
    );
    let unused = Mask::new(simd, !used);
    let mut valid = 0xffff;
    let mut corners = [zero; 8];
    for axis in 0..A::DIM {
        let low = <W<A, S>>::load(simd, &cells.low.as_ref()[axis].0);
        let high = <W<A, S>>::load(simd, &cells.high.as_ref()[axis].0);
        let are_bounds = least.at_most(low) & low.at_most(high) & high.at_most(most) & !unused;
        let are_none = infinity.at_most(low) & high.at_most(below) & unused;
        valid &= are_bounds.bits(simd) | are_none.bits(simd);
        corners[axis] = low.smallest();
        corners[4 + axis] = high.largest();
    }
    let mut range = [zero; 2];
    if let Some([low, high]) = radii {
        let (low, high) = (
            <W<A, S>>::load(simd, &low.0),
            <W<A, S>>::load(simd, &high.0),
        );
        let zero = <W<A, S>>::splat(simd, zero);
        let are_radii = zero.at_most(low) & low.at_most(high) & high.at_most(most);
        valid &= are_radii.bits(simd);
        range = [low.only(!unused, infinity).smallest(), high.largest()];
    }
    if valid != 0xffff {
        return Err("bounds of a node are none");
    }
    let core = Aabb::from_corners(
        A::from_fn(|axis| corners[axis]),
        A::from_fn(|axis| corners[4 + axis]),
    );
    let [least, most] = range;
    Ok(Extent { core, least, most })
}

#[inline(always)]
fn leaves_hold<A: Vector, S: Simd>(simd: S, tree: &Tree<A>) -> bool {
    let Nodes {
        cells,
        radii,
        children,
        edges,
        ..
    } = &tree.nodes;
    let items = &tree.items;
    for (block, children) in children.iter().enumerate() {
        for (lane, &child) in children.iter().enumerate() {
            if child & INNER != 0 || child == 0 {
                continue;
            }
            let blocks = blocks_of(child);
            let (many, edges) = (blocks.len(), edges[block][lane]);
            for (number, slots) in blocks.enumerate() {
                let own = Mask::new(simd, lanes_within(edges, number, many));
                let mut within = own;
                let points = &items.points[slots];
                let highs = items.highs.get(slots).unwrap_or(points);
                for axis in 0..A::DIM {
                    let ends = [
                        cells[block].low.as_ref()[axis].0[lane],
                        cells[block].high.as_ref()[axis].0[lane],
                    ];
                    let (low, high) = (&points.as_ref()[axis], &highs.as_ref()[axis]);
                    within = within & between::<A::Scalar, S>(simd, ends, low, high);
                }
                if let (Some(radii), Some([least, most])) =
                    (items.radii.get(slots), radii.get(block))
                {
                    let ends = [least.0[lane], most.0[lane]];
                    within = within & between::<A::Scalar, S>(simd, ends, radii, radii);
                }
                if within != own {
                    return false;
                }
            }
        }
    }
    true
}

/// The lanes in which two columns are in order and between two ends.
#[inline(always)]
fn between<X: Scalar, S: Simd>(simd: S, ends: [X; 2], low: &Column<X>, high: &Column<X>) -> Mask {
    let (low, high) = (
        <X::Wide<S>>::load(simd, &low.0),
        <X::Wide<S>>::load(simd, &high.0),
    );
    let [least, most] = ends;
    let (least, most) = (
        <X::Wide<S>>::splat(simd, least),
        <X::Wide<S>>::splat(simd, most),
    );
    least.at_most(low) & low.at_most(high) & high.at_most(most)
}

#[cfg(test)]
mod tests {
    use super::{BLOCKS_BITS, DEEPEST, check};
    use crate::orthtree::Orthtree;

    /// Descents begin at a node: bytes that leave out the block above a single leaf are refused.
    #[test]
    fn a_leaf_is_no_root() {
        let mut tree = Orthtree::new(&[[1.0f32, 2.0], [3.0, 4.0]]);
        assert_eq!(check(&tree.core), Ok(()));
        let nodes = &mut tree.core.nodes;
        nodes.children.edit(|list| list.truncate(1));
        nodes.edges.edit(|list| list.truncate(1));
        nodes.runs.edit(|list| list.truncate(1));
        nodes.cells.edit(|list| list.truncate(1));
        assert_eq!(check(&tree.core), Err("the root is a leaf"));
    }

    /// Puts a copy of a block of children before another.
    fn copy(tree: &mut Orthtree<[f32; 2]>, from: usize, to: usize) {
        let nodes = &mut tree.core.nodes;
        nodes.children.edit(|list| list.insert(to, list[from]));
        nodes.edges.edit(|list| list.insert(to, list[from]));
        nodes.runs.edit(|list| list.insert(to, list[from]));
        nodes.cells.edit(|list| list.insert(to, list[from]));
    }

    #[test]
    fn items_without_nodes_are_refused() {
        let mut tree = Orthtree::new(&[[1.0f32, 2.0], [3.0, 4.0]]);
        tree.core.nodes = Orthtree::<[f32; 2]>::new(&[]).core.nodes;
        assert_eq!(check(&tree.core), Err("items without a root"));
    }

    #[test]
    fn a_node_that_nobody_names_is_refused() {
        let mut tree = Orthtree::new(&[[1.0f32, 2.0], [3.0, 4.0]]);
        copy(&mut tree, 0, 1);
        assert_eq!(check(&tree.core), Err("a node has no parent"));
    }

    /// Nodes of one child each, one above the other.
    #[test]
    fn a_chain_is_no_deeper_than_descents_are() {
        for (nodes, is_refused) in [(DEEPEST, false), (DEEPEST + 1, true)] {
            let mut tree = Orthtree::new(&[[1.0f32, 2.0], [3.0, 4.0]]);
            (1..nodes).for_each(|_| copy(&mut tree, 1, 2));
            tree.core.nodes.children.edit(|list| {
                for (above, children) in (1..).zip(&mut list[2..]) {
                    children[0] += above << BLOCKS_BITS;
                }
            });
            let refused = Err("it is deeper than any tree that is built");
            let expected = if is_refused { refused } else { Ok(()) };
            assert_eq!(check(&tree.core), expected, "{nodes}");
        }
    }

    /// Lanes that are used have bounds of finite numbers in order, the others those of nothing.
    #[test]
    fn bounds_that_are_none_are_refused() {
        let tree = || Orthtree::new(&[[1.0f32, 2.0], [3.0, 4.0]]);
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
        let used = faults.map(|bounds| (0, bounds));
        let unused = [
            (1.0, 3.0),
            (infinity, 3.0),
            (1.0, -infinity),
            (-infinity, infinity),
        ];
        let unused = unused.map(|bounds| (15, bounds));
        for (lane, (low, high)) in used.into_iter().chain(unused) {
            let mut tree = tree();
            tree.core
                .nodes
                .cells
                .edit(|list| list[0].set_on(0, lane, low, high));
            let refused = Err("bounds of a node are none");
            assert_eq!(check(&tree.core), refused, "{lane} {low} {high}");
        }
    }
}
