//! Computes the boxes of nodes: first of leaves around their items, then of nodes around their children.

use alloc::vec::Vec;

use crate::overlap::Extent;
use crate::overlap::columns::{Boxes, all};
use crate::overlap::lanes::RadiusRange;
use crate::parallel::fill;
use crate::simd::{Column, InstructionSet, LANES, run};
use crate::vector::{Scalar, Vector};
use crate::wide_nodes::{Items, Level, Nodes};

/// The cost of one block for [`fill`], which divides work among threads: a block has sixteen boxes, each around sixteen items or boxes.
const BLOCK_COST: usize = 16 * LANES;

/// Computes the boxes of the small nodes, which have sixteen children, from the columns of items.
pub(super) fn bound<A: Vector>(nodes: &mut Nodes<A>, items: &Items<A>, set: InstructionSet) {
    // Take whole blocks, since unused lanes repeat the last item.
    bound_all(nodes, !items.radii.is_empty(), set, &|leaf| {
        run!(set, |_simd| items.around(leaf..leaf + 1, LANES))
    });
}

/// Computes the boxes of the wide nodes. A wide leaf has the box around consecutive small leaves.
pub(super) fn bound_wide<A: Vector>(
    wide: &mut Nodes<A>,
    nodes: &Nodes<A>,
    leaf: usize,
    set: InstructionSet,
) {
    let (leaves, many) = (nodes.levels.leaves(), leaf / LANES);
    bound_all(wide, !nodes.radii.is_empty(), set, &|number| {
        let leaves = number * many..leaves.min((number + 1) * many);
        let extents = leaves.map(|leaf| nodes.extent(leaf / LANES, leaf % LANES));
        let all = extents.reduce(|all, extent| all.union(&extent));
        all.expect("a wide leaf has a small one")
    });
}

/// Computes the boxes of all levels from the leaves up. `leaf` returns the extent of the leaf with a number.
fn bound_all<A: Vector>(
    nodes: &mut Nodes<A>,
    has_radii: bool,
    set: InstructionSet,
    leaf: &(dyn Fn(usize) -> Extent<A> + Sync),
) {
    let (levels, mut made) = (nodes.levels, Vec::new());
    let mut below: Option<&Level> = None;
    nodes.boxes.edit(Vec::clear);
    nodes.radii.edit(Vec::clear);
    for level in levels.as_slice() {
        let blocks = level.blocks();
        // Compute the boxes of the level, on several threads if it is large.
        fill(&mut made, blocks.len(), BLOCK_COST, |block| {
            in_block(level, blocks.start + block, |number| match below {
                None => leaf(number),
                Some(below) => {
                    let (first, len) = (below.block_below(number), below.below(number).len());
                    let blocks = first..first + len.div_ceil(LANES);
                    run!(set, |_simd| nodes.around(blocks, len))
                }
            })
        });
        // Append them to the boxes of the levels below.
        nodes.boxes.edit(|boxes| {
            boxes.reserve_exact(levels.blocks() - blocks.start);
            boxes.extend(made.iter().map(|(boxes, _)| boxes));
        });
        if has_radii {
            nodes.radii.edit(|radii| {
                radii.reserve_exact(levels.blocks() - blocks.start);
                radii.extend(made.iter().map(|(_, radii)| radii));
            });
        }
        below = Some(level);
    }
}

/// The boxes and radii of a block of a level; unused lanes repeat the last sibling.
fn in_block<A: Vector>(
    level: &Level,
    block: usize,
    around: impl Fn(usize) -> Extent<A>,
) -> (Boxes<A>, RadiusRange<A::Scalar>) {
    let zeros = all::<A>(Scalar::ZERO);
    let (low, high) = (zeros, zeros);
    let (mut boxes, mut last) = (Boxes { low, high }, None);
    let mut radii = [Column([A::Scalar::ZERO; LANES]); 2];
    for lane in 0..LANES {
        last = level.number(block, lane).map(&around).or(last);
        if let Some(extent) = last {
            boxes.set(lane, &extent.core);
            (radii[0].0[lane], radii[1].0[lane]) = (extent.least, extent.most);
        }
    }
    (boxes, radii)
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
