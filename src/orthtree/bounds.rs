//! The boxes of nodes: of leaves around their items, then of nodes around their children.

use alloc::vec::Vec;

use fearless_simd::Simd;

use super::tree::{Items, Nodes};
use crate::overlap::Extent;
use crate::overlap::columns::Boxes;
use crate::overlap::lanes::RadiusRange;
use crate::parallel::fill;
use crate::simd::{Column, InstructionSet, LANES, Wide, run};
use crate::vector::{Scalar, Vector};
use crate::wide_nodes::Level;

/// The cost of bounding the leaves of a block, in the units of `fill`.
const LEAVES: usize = 16 * LANES;

/// Makes the boxes of nodes of sixteen above blocks of items that are in place.
pub(super) fn bound<A: Vector>(nodes: &mut Nodes<A>, items: &Items<A>, set: InstructionSet) {
    let Nodes {
        levels,
        boxes: cells,
        radii,
        ..
    } = nodes;
    let leaves = levels.leaves();
    let has_radii = !items.radii.is_empty();
    cells.edit(|cells| {
        reserve(cells, levels.blocks());
        fill(cells, leaves.div_ceil(LANES), LEAVES, |block| {
            run!(set, |simd| leaf_boxes(simd, items, block, leaves))
        });
        radii.edit(|radii| {
            reserve(radii, if has_radii { levels.blocks() } else { 0 });
            let many = if has_radii { leaves.div_ceil(LANES) } else { 0 };
            fill(radii, many, LEAVES, |block| {
                leaf_radii(items, block, leaves)
            });
            for pair in levels.as_slice().windows(2) {
                above(&pair[0], &pair[1], cells, radii);
            }
        });
    });
}

/// Makes the boxes of the wide nodes, whose leaves are a few of those of the small ones.
pub(super) fn bound_wide<A: Vector>(wide: &mut Nodes<A>, nodes: &Nodes<A>, leaf: usize) {
    let Nodes {
        levels,
        boxes: cells,
        radii,
        ..
    } = wide;
    cells.edit(|cells| {
        radii.edit(|radii| {
            reserve(cells, levels.blocks());
            reserve(
                radii,
                if nodes.radii.is_empty() {
                    0
                } else {
                    levels.blocks()
                },
            );
            let Some(leaves) = levels.as_slice().first() else {
                return;
            };
            let around = |number: usize| around_leaves(nodes, leaf, number);
            append(leaves, cells, radii, !nodes.radii.is_empty(), around);
            for pair in levels.as_slice().windows(2) {
                above(&pair[0], &pair[1], cells, radii);
            }
        });
    });
}

/// Empties a list, with room for no more than it is to hold.
fn reserve<X>(list: &mut Vec<X>, many: usize) {
    list.clear();
    list.reserve_exact(many);
}

/// Appends the boxes of a level, each around its children on the level below.
fn above<A: Vector>(
    below: &Level,
    level: &Level,
    cells: &mut Vec<Boxes<A>>,
    radii: &mut Vec<RadiusRange<A::Scalar>>,
) {
    let mut made = (Vec::new(), Vec::new());
    let around = |number: usize| around_children(below, cells, radii, number);
    append(level, &mut made.0, &mut made.1, !radii.is_empty(), around);
    cells.append(&mut made.0);
    radii.append(&mut made.1);
}

/// Appends the boxes of a level, block by block; lanes behind the last of siblings repeat it.
fn append<A: Vector>(
    level: &Level,
    cells: &mut Vec<Boxes<A>>,
    radii: &mut Vec<RadiusRange<A::Scalar>>,
    has_radii: bool,
    around: impl Fn(usize) -> Extent<A>,
) {
    for block in level.blocks() {
        let mut boxes = Boxes {
            low: A::axes(Column([A::Scalar::ZERO; LANES])),
            high: A::axes(Column([A::Scalar::ZERO; LANES])),
        };
        let mut ranges = [Column([A::Scalar::ZERO; LANES]); 2];
        let mut last = None;
        for lane in 0..LANES {
            let number = level.number(block, lane);
            if let Some(number) = number {
                last = Some(around(number));
            }
            let Some(extent) = last else { continue };
            for axis in 0..A::DIM {
                let (low, high) = (extent.core.min().axis(axis), extent.core.max().axis(axis));
                boxes.set_on(axis, lane, low, high);
            }
            (ranges[0].0[lane], ranges[1].0[lane]) = (extent.least, extent.most);
        }
        cells.push(boxes);
        if has_radii {
            radii.push(ranges);
        }
    }
}

/// The union of the children of a box, which are on the level below.
pub(super) fn around_children<A: Vector>(
    below: &Level,
    cells: &[Boxes<A>],
    radii: &[RadiusRange<A::Scalar>],
    number: usize,
) -> Extent<A> {
    let children = below.below(number);
    union(children.map(|child| extent(cells, radii, below.place(child))))
}

/// The union of the small leaves that make one wide leaf.
pub(super) fn around_leaves<A: Vector>(nodes: &Nodes<A>, leaf: usize, number: usize) -> Extent<A> {
    let (small, many) = (nodes.levels.level(0), leaf / LANES);
    let leaves = number * many..small.len().min((number + 1) * many);
    union(leaves.map(|leaf| nodes.extent(leaf / LANES, leaf % LANES)))
}

/// The extent of the items below the box in a lane of a block.
#[inline(always)]
pub(super) fn extent<A: Vector>(
    cells: &[Boxes<A>],
    radii: &[RadiusRange<A::Scalar>],
    (block, lane): (usize, usize),
) -> Extent<A> {
    let [least, most] = radii.get(block).map_or([Scalar::ZERO; 2], |radii| {
        [radii[0].0[lane], radii[1].0[lane]]
    });
    Extent {
        core: cells[block].get(lane),
        least,
        most,
    }
}

/// The union of some extents. Panics if there is none.
fn union<A: Vector>(extents: impl Iterator<Item = Extent<A>>) -> Extent<A> {
    let all = extents.reduce(|all, extent| all.union(&extent));
    all.expect("a node has a child")
}

/// The boxes around sixteen leaves, or as many as there are, of blocks of items.
#[inline(always)]
fn leaf_boxes<A: Vector, S: Simd>(
    simd: S,
    items: &Items<A>,
    block: usize,
    leaves: usize,
) -> Boxes<A> {
    let Items { points, highs, .. } = items;
    let highs = if highs.is_empty() { points } else { highs };
    let mut boxes = Boxes {
        low: A::axes(Column([A::Scalar::ZERO; LANES])),
        high: A::axes(Column([A::Scalar::ZERO; LANES])),
    };
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

/// The least and largest radii in the same leaves.
fn leaf_radii<A: Vector>(items: &Items<A>, block: usize, leaves: usize) -> RadiusRange<A::Scalar> {
    let mut ranges = [Column([A::Scalar::ZERO; LANES]); 2];
    for lane in 0..LANES {
        let Column(radii) = items.radii[(block * LANES + lane).min(leaves - 1)];
        ranges[0].0[lane] = radii
            .iter()
            .fold(radii[0], |least, &radius| least.smaller(radius));
        ranges[1].0[lane] = radii
            .iter()
            .fold(radii[0], |most, &radius| most.larger(radius));
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

    /// Checks that every cell is the smallest around its items.
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
