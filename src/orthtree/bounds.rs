//! Computes the boxes of nodes: first of leaves around their items, then of nodes around their children.

use alloc::vec::Vec;

use super::build::wide_leaf;
use crate::overlap::Extent;
use crate::overlap::columns::{Boxes, all};
use crate::parallel::fill;
use crate::simd::{Column, LANES, run};
use crate::vector::{Scalar, Vector};
use crate::wide_nodes::{Flat, Nodes, Tree};

/// Computes the boxes of both sets of nodes from the columns of items.
pub(super) fn bound<A: Vector>(tree: &mut Tree<A>) {
    let Tree {
        items,
        nodes,
        wide_nodes,
        ..
    } = tree;
    // Take whole blocks of items, since unused lanes repeat the last item.
    let mut leaves = Vec::new();
    fill(&mut leaves, items.points.len(), LANES, |leaf| {
        run!(tree.instructions, |_simd| items
            .around(leaf..leaf + 1, LANES))
    });
    // A wide leaf consists of a few small ones.
    let wide_leaves = leaves.chunks(wide_leaf::<A::Scalar>() / LANES);
    let wide_leaves = wide_leaves.map(around).collect();
    let has_radii = !items.radii.is_empty();
    write(nodes, leaves, has_radii);
    write(wide_nodes, wide_leaves, has_radii);
}

fn around<A: Vector>(extents: &[Extent<A>]) -> Extent<A> {
    let all = extents.iter().copied();
    let all = all.reduce(|all, extent| all.union(&extent));
    all.expect("a node has children")
}

/// Replaces a list by copies of an element, in no more memory than they need.
fn repeat<X: Clone>(list: &mut Flat<X>, len: usize, with: X) {
    list.edit(|list| {
        list.clear();
        list.reserve_exact(len);
        list.resize(len, with);
    });
}

/// Writes the boxes of all levels, given those of the leaves.
fn write<A: Vector>(nodes: &mut Nodes<A>, mut extents: Vec<Extent<A>>, has_radii: bool) {
    let zeros = all::<A>(Scalar::ZERO);
    let (low, high, radius) = (zeros, zeros, Column([Scalar::ZERO; LANES]));
    let levels = nodes.levels;
    let blocks = levels.blocks();
    repeat(&mut nodes.boxes, blocks, Boxes { low, high });
    let blocks = if has_radii { blocks } else { 0 };
    repeat(&mut nodes.radii, blocks, [radius; 2]);
    for level in levels.as_slice() {
        let mut above = Vec::new();
        for parent in 0..level.parents() {
            let (first, children) = (level.block_below(parent), level.below(parent));
            let children = &extents[children];
            // Unused lanes repeat the last sibling.
            for lane in 0..children.len().next_multiple_of(LANES) {
                nodes.set(
                    first * LANES + lane,
                    &children[lane.min(children.len() - 1)],
                );
            }
            above.push(around(children));
        }
        extents = above;
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use crate::orthtree::Orthtree;
    use crate::overlap::Extent;
    use crate::shape::{Aabb, Bounded, Hollow, Sphere};
    use crate::simd::InstructionSet;

    fn around<T: Bounded>(items: &[T]) -> Extent<T::Vector> {
        let first = Extent::of(&items[0]);
        let rest = items[1..].iter();
        rest.fold(first, |all, item| all.union(&Extent::of(item)))
    }

    /// Checks that every box is the smallest around its items.
    fn tight<T: Bounded + Clone + Sync>(items: &[T]) {
        for set in InstructionSet::available() {
            let mut tree = Orthtree::new(&[]).with_instructions(set);
            tree.rebuild(items).unwrap();
            let core = &tree.core;
            for nodes in [&core.nodes, &core.wide_nodes] {
                for level in nodes.levels.as_slice() {
                    for (number, block, lane) in level.boxes() {
                        let inside = core.indices[level.slots(number, core.len)].iter();
                        let inside: Vec<T> = inside.map(|&i| items[i as usize].clone()).collect();
                        assert_eq!(nodes.extent(block, lane).cast(), around(&inside));
                    }
                }
            }
        }
    }

    #[test]
    fn bounds_are_tight() {
        let places = (0..3000u32).map(|i| i.wrapping_mul(0x9E37_79B9));
        let of = |i: u32, shift: u32| f64::from(i >> shift & 255) - 100.0;
        let points: Vec<[f64; 3]> = places.map(|i| [of(i, 0), of(i, 9), of(i, 20)]).collect();
        let balls = points.iter().map(|&p| Sphere::new(p, 130.0 + p[0]));
        let balls: Vec<_> = balls.collect();
        let boxes: Vec<Aabb<_>> = balls.iter().map(Bounded::bounds).collect();
        let plane: Vec<_> = points.iter().map(|p| [p[0] as f32, p[1] as f32]).collect();
        let hollow: Vec<_> = boxes.iter().copied().map(Hollow).collect();
        tight(&plane);
        tight(&boxes);
        tight(&hollow);
        for many in [1, 2, 15, 16, 17, 64, 65, points.len()] {
            tight(&points[..many]);
            tight(&balls[..many]);
        }
    }
}
