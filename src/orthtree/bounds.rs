//! Computes the boxes of nodes: first of leaves around their items, then of nodes around their children.

use fearless_simd::Simd;

use crate::overlap::Extent;
use crate::overlap::columns::{Boxes, all, ends_of};
use crate::overlap::lanes::RadiusRange;
use crate::parallel::fill;
use crate::simd::{Column, InstructionSet, LANES, Wide, run};
use crate::vector::{Scalar, Vector};
use crate::wide_nodes::{Items, Level, Nodes};

/// The cost of bounding the leaves of a block, in the units of `fill`.
const LEAVES: usize = 16 * LANES;

/// Computes the boxes of the small nodes, which have sixteen children, from the columns of items.
pub(super) fn bound<A: Vector>(nodes: &mut Nodes<A>, items: &Items<A>, set: InstructionSet) {
    let (leaves, has_radii) = (nodes.levels.leaves(), !items.radii.is_empty());
    let blocks = leaves.div_ceil(LANES);
    reserve(nodes, has_radii);
    nodes.boxes.edit(|boxes| {
        fill(boxes, blocks, LEAVES, |block| {
            run!(set, |simd| leaf_boxes(simd, items, block, leaves))
        });
    });
    if has_radii {
        nodes.radii.edit(|radii| {
            fill(radii, blocks, LEAVES, |block| {
                leaf_radii(items, block, leaves)
            });
        });
    }
    bound_above(nodes, has_radii);
}

/// Computes the boxes of the wide nodes; each of their leaves is a union of consecutive small leaves.
pub(super) fn bound_wide<A: Vector>(wide: &mut Nodes<A>, nodes: &Nodes<A>, leaf: usize) {
    let has_radii = !nodes.radii.is_empty();
    reserve(wide, has_radii);
    let Some(&leaves) = wide.levels.as_slice().first() else {
        return;
    };
    let (small, many) = (nodes.levels.level(0), leaf / LANES);
    append(wide, &leaves, has_radii, |_, number| {
        let leaves = number * many..small.len().min((number + 1) * many);
        union(leaves.map(|leaf| nodes.extent(leaf / LANES, leaf % LANES)))
    });
    bound_above(wide, has_radii);
}

/// Empties the lists of boxes and radii, and reserves exactly the memory that they will need.
fn reserve<A: Vector>(nodes: &mut Nodes<A>, has_radii: bool) {
    let many = nodes.levels.blocks();
    nodes.boxes.edit(|boxes| {
        boxes.clear();
        boxes.reserve_exact(many);
    });
    nodes.radii.edit(|radii| {
        radii.clear();
        radii.reserve_exact(if has_radii { many } else { 0 });
    });
}

/// Computes the boxes above leaves, each around its children on the level below.
fn bound_above<A: Vector>(nodes: &mut Nodes<A>, has_radii: bool) {
    let levels = nodes.levels;
    for pair in levels.as_slice().windows(2) {
        append(nodes, &pair[1], has_radii, |nodes, number| {
            let children = pair[0].below(number).map(|child| pair[0].place(child));
            union(children.map(|(block, lane)| nodes.extent(block, lane)))
        });
    }
}

/// Appends the boxes of a level, block by block; unused lanes repeat the last sibling.
fn append<A: Vector>(
    nodes: &mut Nodes<A>,
    level: &Level,
    has_radii: bool,
    around: impl Fn(&Nodes<A>, usize) -> Extent<A>,
) {
    for block in level.blocks() {
        let zeros = all::<A>(Scalar::ZERO);
        let (low, high) = (zeros, zeros);
        let mut boxes = Boxes { low, high };
        let mut ranges = [Column([A::Scalar::ZERO; LANES]); 2];
        let mut last = None;
        for lane in 0..LANES {
            if let Some(number) = level.number(block, lane) {
                last = Some(around(nodes, number));
            }
            let Some(extent) = last else { continue };
            boxes.set(lane, &extent.core);
            (ranges[0].0[lane], ranges[1].0[lane]) = (extent.least, extent.most);
        }
        nodes.boxes.edit(|list| list.push(boxes));
        if has_radii {
            nodes.radii.edit(|list| list.push(ranges));
        }
    }
}

/// The union of some extents. Panics if there is none.
fn union<A: Vector>(extents: impl Iterator<Item = Extent<A>>) -> Extent<A> {
    let all = extents.reduce(|all, extent| all.union(&extent));
    all.expect("a node has a child")
}

/// The boxes of the leaves in a block; unused lanes repeat the last leaf.
#[inline(always)]
fn leaf_boxes<A: Vector, S: Simd>(
    simd: S,
    items: &Items<A>,
    block: usize,
    leaves: usize,
) -> Boxes<A> {
    let Items { points, highs, .. } = items;
    let highs = if highs.is_empty() { points } else { highs };
    let zeros = all::<A>(Scalar::ZERO);
    let (low, high) = (zeros, zeros);
    let mut boxes = Boxes { low, high };
    for lane in 0..LANES {
        let leaf = (block * LANES + lane).min(leaves - 1);
        for axis in 0..A::DIM {
            let low = <A::Scalar as Scalar>::Wide::<S>::load(simd, &points[leaf].as_ref()[axis].0);
            let high = <A::Scalar as Scalar>::Wide::<S>::load(simd, &highs[leaf].as_ref()[axis].0);
            boxes.set_on(axis, lane, low.smallest(), high.largest());
        }
    }
    boxes
}

/// The least and largest radius of each leaf in a block; unused lanes repeat the last leaf.
fn leaf_radii<A: Vector>(items: &Items<A>, block: usize, leaves: usize) -> RadiusRange<A::Scalar> {
    let mut ranges = [Column([A::Scalar::ZERO; LANES]); 2];
    for lane in 0..LANES {
        let Column(radii) = &items.radii[(block * LANES + lane).min(leaves - 1)];
        (ranges[0].0[lane], ranges[1].0[lane]) = ends_of([radii].into_iter(), LANES);
    }
    ranges
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use crate::orthtree::Orthtree;
    use crate::overlap::Extent;
    use crate::shape::{Aabb, Bounded, Hollow, Sphere};
    use crate::simd::InstructionSet;

    /// The union of the extents of some items.
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
                    for number in 0..level.len() {
                        let inside = core.indices[level.slots(number, core.len)].iter();
                        let inside: Vec<T> = inside.map(|&i| items[i as usize].clone()).collect();
                        let (block, lane) = level.place(number);
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
        let plane = points.iter().map(|p| [p[0] as f32, p[1] as f32]);
        let hollow: Vec<_> = boxes.iter().copied().map(Hollow).collect();
        tight(&points);
        tight(&plane.collect::<Vec<_>>());
        tight(&boxes);
        tight(&balls);
        tight(&hollow);
        for many in [1, 2, 15, 16, 17, 64, 65] {
            tight(&points[..many]);
            tight(&balls[..many]);
        }
    }
}
