//! The bounds of cells: of leaves from their items, then of nodes from their children.

use core::ops::Range;

use fearless_simd::Simd;

use super::split::Part;
use super::tree::{INNER, Items, Nodes, Tree, blocks_of, edges_of};
use crate::overlap::columns::Boxes;
use crate::overlap::lanes::RadiusRange;
use crate::parallel::fill;
use crate::simd::{Column, LANES, Wide, run};
use crate::vector::{Scalar, Vector};

/// What bounding the leaves of a block takes, as `fill` counts.
const LEAVES: usize = 16 * LANES;

/// Fills in the blocks of a tree whose items are in place.
pub(super) fn bound<A: Vector>(tree: &mut Tree<A>, blocks: &[[Part; LANES]]) {
    let (nodes, items, set) = (&mut tree.nodes, &tree.items, tree.instructions);
    let many = blocks.len();
    nodes.children.edit(|children| {
        fill(children, many, LANES, |block| {
            blocks[block].map(|part| part.child)
        });
    });
    nodes.runs.edit(|runs| {
        fill(runs, many, LANES, |block| {
            blocks[block].map(|part| [part.from, part.to])
        });
    });
    nodes.edges.edit(|edges| {
        fill(edges, many, LANES, |block| {
            blocks[block].map(|part| {
                if part.from < part.to {
                    edges_of(part.from, part.to)
                } else {
                    0
                }
            })
        });
    });
    let rounded = if items.radii.is_empty() { 0 } else { many };
    let Nodes { cells, radii, .. } = nodes;
    cells.edit(|cells| {
        fill(cells, many, LEAVES, |block| {
            run!(set, |simd| leaf_boxes(simd, items, &blocks[block]))
        });
        radii.edit(|radii| {
            fill(radii, rounded, LEAVES, |block| {
                run!(set, |simd| leaf_radii(simd, items, &blocks[block]))
            });
            run!(set, |simd| inner(simd, cells, radii, blocks));
        });
    });
}

/// The slots of a leaf; none of a node and of no child.
#[inline(always)]
fn leaf(part: &Part) -> Option<Range<usize>> {
    let is_leaf = part.child & INNER == 0 && part.from < part.to;
    is_leaf.then_some(part.from as usize..part.to as usize)
}

/// Bounds the leaves of a block; other lanes are infinitely far.
#[inline(always)]
fn leaf_boxes<A: Vector, S: Simd>(simd: S, items: &Items<A>, parts: &[Part; LANES]) -> Boxes<A> {
    let sentinels = sentinels();
    let Items { points, highs, .. } = items;
    let highs = if highs.is_empty() { points } else { highs };
    let infinity = A::Scalar::INFINITY;
    let mut boxes = Boxes {
        low: A::axes(Column([infinity; LANES])),
        high: A::axes(Column([A::Scalar::ZERO - infinity; LANES])),
    };
    for (lane, part) in parts.iter().enumerate() {
        let Some(slots) = leaf(part) else { continue };
        for axis in 0..A::DIM {
            let low = least(
                simd,
                &sentinels[0],
                slots.clone(),
                #[inline(always)]
                |block| &points[block].as_ref()[axis],
            );
            let high = most(
                simd,
                &sentinels[1],
                slots.clone(),
                #[inline(always)]
                |block| &highs[block].as_ref()[axis],
            );
            boxes.set_on(axis, lane, low, high);
        }
    }
    boxes
}

/// Finds the least and largest radius in the leaves of a block; 0 for other lanes.
#[inline(always)]
fn leaf_radii<A: Vector, S: Simd>(
    simd: S,
    items: &Items<A>,
    parts: &[Part; LANES],
) -> RadiusRange<A::Scalar> {
    let sentinels = sentinels();
    let radii = &items.radii;
    let mut ranges = [Column([A::Scalar::ZERO; LANES]); 2];
    for (lane, part) in parts.iter().enumerate() {
        let Some(slots) = leaf(part) else { continue };
        let ends = [
            least(
                simd,
                &sentinels[0],
                slots.clone(),
                #[inline(always)]
                |block| &radii[block],
            ),
            most(
                simd,
                &sentinels[1],
                slots,
                #[inline(always)]
                |block| &radii[block],
            ),
        ];
        for (column, end) in ranges.iter_mut().zip(ends) {
            column.0[lane] = end;
        }
    }
    ranges
}

/// Bounds nodes by their children, whose blocks come before their own.
#[inline(always)]
fn inner<V: Vector, S: Simd>(
    simd: S,
    cells: &mut [Boxes<V>],
    radii: &mut [RadiusRange<V::Scalar>],
    blocks: &[[Part; LANES]],
) {
    let sentinels = sentinels();
    let (cells, radii) = (cells, radii);
    for (block, parts) in blocks.iter().enumerate() {
        let (below, cells) = cells.split_at_mut(block);
        for (lane, part) in parts.iter().enumerate() {
            if part.child & INNER == 0 {
                continue;
            }
            let children = blocks_of(part.child);
            let last = &blocks[children.end - 1];
            let missing = last.iter().filter(|part| part.from == part.to).count();
            let lanes = children.start * LANES..children.end * LANES - missing;
            for axis in 0..V::DIM {
                let low = least(
                    simd,
                    &sentinels[0],
                    lanes.clone(),
                    #[inline(always)]
                    |block| &below[block].low.as_ref()[axis],
                );
                let high = most(
                    simd,
                    &sentinels[1],
                    lanes.clone(),
                    #[inline(always)]
                    |block| &below[block].high.as_ref()[axis],
                );
                cells[0].set_on(axis, lane, low, high);
            }
            if !radii.is_empty() {
                let low = least(
                    simd,
                    &sentinels[0],
                    lanes.clone(),
                    #[inline(always)]
                    |block| &radii[block][0],
                );
                let high = most(
                    simd,
                    &sentinels[1],
                    lanes,
                    #[inline(always)]
                    |block| &radii[block][1],
                );
                radii[block][0].0[lane] = low;
                radii[block][1].0[lane] = high;
            }
        }
    }
}

/// What keeps the lanes before the first and behind the last of a run away: sixteen numbers that no
/// other exceeds, sixteen that every other exceeds, and the first again.
type Sentinels<X> = [X; 3 * LANES];

/// For the least and for the largest number.
#[inline(always)]
fn sentinels<X: Scalar>() -> [Sentinels<X>; 2] {
    let (outside, inside) = (X::INFINITY, X::ZERO - X::INFINITY);
    let mut sentinels = [[outside; 3 * LANES], [inside; 3 * LANES]];
    sentinels[0][LANES..2 * LANES].fill(inside);
    sentinels[1][LANES..2 * LANES].fill(outside);
    sentinels
}

/// Stamps the search for the extreme number of a run of lanes of columns.
macro_rules! extremes {
    ($($(#[$doc:meta])* $name:ident: $pick:ident, $keep:ident, $found:ident;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $name<'a, X: Scalar, S: Simd>(
            simd: S,
            sentinels: &Sentinels<X>,
            lanes: Range<usize>,
            column: impl Fn(usize) -> &'a Column<X>,
        ) -> X {
            let mut best = <X::Wide<S>>::splat(simd, sentinels[0]);
            for block in lanes.start / LANES..lanes.end.div_ceil(LANES) {
                let before = lanes.start.saturating_sub(block * LANES);
                let until = (lanes.end - block * LANES).min(LANES);
                let before = sentinels[LANES - before..].first_chunk().expect("three times sixteen");
                let behind = sentinels[2 * LANES - until..].first_chunk().expect("three times sixteen");
                let those = <X::Wide<S>>::load(simd, &column(block).0)
                    .$keep(<X::Wide<S>>::load(simd, before))
                    .$keep(<X::Wide<S>>::load(simd, behind));
                best = best.$pick(those);
            }
            best.$found()
        }
    )*};
}

extremes! {
    /// The least number.
    least: smaller, larger, smallest;
    /// The largest number.
    most: larger, smaller, largest;
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use crate::orthtree::Orthtree;
    use crate::overlap::Extent;
    use crate::query::Hierarchy;
    use crate::shape::{Aabb, Bounded, Hollow, Sphere};
    use crate::simd::{InstructionSet, LANES};

    /// What items have around them.
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
            for (block, runs) in tree.core.nodes.runs.iter().enumerate() {
                for (lane, &[from, to]) in runs.iter().enumerate() {
                    let slots = from as usize..to as usize;
                    let inside = tree.core.indices[slots].iter();
                    let inside: Vec<T> = inside.map(|&i| items[i as usize].clone()).collect();
                    if !inside.is_empty() {
                        let cell = tree.core.extent((block * LANES + lane) as u32).cast();
                        assert_eq!(cell, around(&inside));
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
