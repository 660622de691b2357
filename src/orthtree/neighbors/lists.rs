//! Lists the neighbors of many points, of the tree itself or of any other set.
//!
//! ```text
//! for each block of sixteen points that lie together:
//!     gather the points that are near all of them, and the candidates: those that may be near some of them
//!     for each point: list the points that are near all, and the candidates that are near it
//! ```

use alloc::vec::Vec;
use core::ops::{ControlFlow, Range};

use fearless_simd::Simd;

use super::QueryPoints;
use super::descent::{append, box_around};
use super::gather::{Gathered, Wanted};
use crate::candidates::{Limit, Packed, QueryPoint};
use crate::error::{Error, or_panic, reserve};
use crate::lists::{NeighborLists, PART};
use crate::overlap::columns::point;
use crate::overlap::lanes::W;
use crate::simd::{LANES, ListWriter, Mask, Wide, run};
use crate::vector::{Scalar, Vector};
use crate::wide_nodes::Tree;

/// Fills list `query.numbers[i]` with the neighbors of query point `i`.
pub(in crate::orthtree) fn fill_lists<A: Vector>(
    tree: &Tree<A>,
    query: &QueryPoints<'_, A>,
    radius: A::Scalar,
    near: &mut NeighborLists,
) -> Result<(), Error> {
    // Each part begins with a block.
    const { assert!(PART.is_multiple_of(LANES)) }
    near.fill(query.numbers, PART, &|places, part| {
        let (mut before, lens) = (0, &mut part.lens);
        let visit = &mut |_, found: &mut Vec<u32>| {
            lens.push((found.len() - before) as u32);
            before = found.len();
            ControlFlow::Continue(())
        };
        let found = &mut part.items;
        let _ = run!(tree.instructions, |simd| for_each_list(
            simd, tree, query, places, radius, false, found, visit
        ))?;
        Ok(())
    })
}

/// Calls `visit` with the number of each query point and its neighbors. With `later`, the query points must be those of the tree, and only
/// neighbors that follow a point in the tree's order are given, so that each pair comes once.
pub(in crate::orthtree) fn visit_lists<A: Vector>(
    tree: &Tree<A>,
    query: &QueryPoints<'_, A>,
    radius: A::Scalar,
    later: bool,
    visit: &mut dyn FnMut(usize, &[u32]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let (found, places) = (&mut Vec::new(), 0..query.numbers.len());
    let visit = &mut |number, found: &mut Vec<u32>| {
        let flow = visit(number, found);
        found.clear();
        flow
    };
    let visited = run!(tree.instructions, |simd| for_each_list(
        simd, tree, query, places, radius, later, found, visit
    ));
    or_panic("Orthtree", visited)
}

/// For each of the query points at some places, the first of which begins a block: appends its neighbors to `found`, and calls `visit`.
#[inline(always)]
#[allow(
    clippy::too_many_arguments,
    reason = "a kernel that is compiled for each instruction set"
)]
fn for_each_list<A: Vector, S: Simd>(
    simd: S,
    tree: &Tree<A>,
    query: &QueryPoints<'_, A>,
    places: Range<usize>,
    radius: A::Scalar,
    later: bool,
    found: &mut Vec<u32>,
    visit: &mut dyn FnMut(usize, &mut Vec<u32>) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, Error> {
    // A negative radius reaches nothing, and neither does NaN.
    let reaches = radius >= Scalar::ZERO;
    let mut near = Gathered::new();
    for first in places.clone().step_by(LANES) {
        let used = LANES.min(places.end - first);
        let block = first / LANES;
        let points = &query.points[block];
        // Gather the candidates of the block.
        if reaches {
            let wanted = Wanted {
                first: if later { block + 1 } else { 0 },
                leaves: usize::MAX,
                whole: true,
            };
            near.gather(
                simd,
                tree,
                &box_around(points, used),
                radius * radius,
                wanted,
            )?;
        }
        // List the neighbors of each point.
        let packed = near.candidates.packed::<false>(Limit::Radius);
        for lane in 0..used {
            let center = point::<A>(points, lane);
            reserve(found, near.whole.len() + (packed.indices.len() + 1) * LANES)?;
            if later && reaches {
                // Later points of the block itself.
                let later = Mask::new(simd, (0xfffe << lane) & (0xffff >> (LANES - used)));
                let squares = QueryPoint::new(simd, center, radius).squares_to(points, None);
                let mask = squares.at_most(<W<A, S>>::splat(simd, radius * radius));
                append(
                    simd,
                    found,
                    &tree.indices.as_chunks().0[block],
                    mask & later,
                );
            }
            found.extend_from_slice(&near.whole);
            list_packed(simd, &packed, center, radius, found);
            let flow = visit(query.numbers[first + lane] as usize, found);
            if flow.is_break() {
                return Ok(flow);
            }
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// Appends the candidates within a radius of a point.
///
/// It is not inlined: inside its caller, no registers would be left for the ends of the columns (0.9 of the time).
#[inline(never)]
fn list_packed<A: Vector, S: Simd>(
    simd: S,
    packed: &Packed<'_, A>,
    center: A,
    radius: A::Scalar,
    to: &mut Vec<u32>,
) {
    simd.vectorize(
        #[inline(always)]
        || {
            let point = QueryPoint::<A, S>::new(simd, center, radius);
            ListWriter::extend(
                to,
                #[inline(always)]
                |to| point.list::<false>(Limit::Radius, packed, &mut to.writer()),
            );
        },
    );
}
