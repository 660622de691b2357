//! All points against all, of one tree or of two: sixteen that lie together descend together. What may be near
//! any of them is packed once, and each of them asks only that; what is near all of them is copied.

pub(super) mod count;
pub(super) mod descent;
pub(super) mod extremes;
mod near;
pub(super) mod nearest;
mod others;
mod points;

use alloc::vec::Vec;
use core::ops::{ControlFlow, Range};

use fearless_simd::Simd;

use super::tree::Tree;
use crate::candidates::Limit;
use crate::error::{Error, or_panic};
use crate::lists::{NeighborLists, PART};
use crate::overlap::columns::{Columns, point};
use crate::simd::{Job, LANES};
use crate::vector::{Scalar, Vector};
use descent::Most;
use near::{Near, around};

/// Fills lists of the neighbors of every point of a tree, which may be another one.
pub(super) fn lists<A: Vector>(
    tree: &Tree<A>,
    of: &Tree<A>,
    radius: A::Scalar,
    near: &mut NeighborLists,
) -> Result<(), Error> {
    let (points, indices) = (&of.items.points, &of.indices[..of.len]);
    lists_about(tree, points, indices, radius, near)
}

/// The same of the points at some slots, each with the number of its list.
pub(super) fn lists_of<A: Vector>(
    tree: &Tree<A>,
    asking: &[(u32, u32)],
    radius: A::Scalar,
    near: &mut NeighborLists,
) -> Result<(), Error> {
    let numbers: Vec<u32> = asking.iter().map(|&(_, number)| number).collect();
    let points = nearest::in_columns(asking, |&(slot, _)| {
        let slot = slot as usize;
        point::<A>(&tree.items.points[slot / LANES], slot % LANES)
    });
    lists_about(tree, &points, &numbers, radius, near)
}

/// Makes list `numbers[i]` of what is near point `i`.
fn lists_about<A: Vector>(
    tree: &Tree<A>,
    points: &[Columns<A>],
    numbers: &[u32],
    radius: A::Scalar,
    near: &mut NeighborLists,
) -> Result<(), Error> {
    // A part begins where a block does.
    const { assert!(PART.is_multiple_of(LANES)) }
    near.fill(numbers, PART, |places, part| {
        let (mut before, lens) = (0, &mut part.lens);
        let asking = Asking {
            points,
            numbers,
            radius,
            places,
            later: false,
        };
        let _ = for_each_list(tree, asking, &mut part.items, &mut |_, found| {
            lens.push((found.len() - before) as u32);
            before = found.len();
            ControlFlow::Continue(())
        })?;
        Ok(())
    })
}

/// Hands on each point of a tree, which may be another one, and its neighbors; or, of the tree itself, those that come `later`
/// in its order, so that each pair comes once: in 0.6 of the time.
pub(super) fn visit<A: Vector>(
    tree: &Tree<A>,
    of: &Tree<A>,
    radius: A::Scalar,
    later: bool,
    visit: &mut dyn FnMut(usize, &[u32]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let found = &mut Vec::new();
    let asking = Asking {
        points: &of.items.points,
        numbers: &of.indices,
        radius,
        places: 0..of.len,
        later,
    };
    // One list at a time, which is no longer than the tree.
    let visited = for_each_list(tree, asking, found, &mut |point, found| {
        let flow = visit(point, found);
        found.clear();
        flow
    });
    or_panic("Orthtree", visited)
}

/// Appends what is near each of some points, and calls `f` with it.
fn for_each_list<A: Vector>(
    tree: &Tree<A>,
    asking: Asking<'_, A>,
    found: &mut Vec<u32>,
    f: &mut dyn FnMut(usize, &mut Vec<u32>) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, Error> {
    tree.instructions.run(ForEachList {
        tree,
        asking,
        found,
        f,
    })
}

/// Points in the order of the tree, whose neighbors are asked for.
struct Asking<'a, A: Vector> {
    points: &'a [Columns<A>],
    /// What each is called.
    numbers: &'a [u32],
    radius: A::Scalar,
    /// Those that ask, the first of which begins a block.
    places: Range<usize>,
    /// Whether they ask for what comes after them; they are the points of the tree then.
    later: bool,
}

/// The neighbors of some points.
struct ForEachList<'a, A: Vector> {
    tree: &'a Tree<A>,
    asking: Asking<'a, A>,
    /// Where what is near a point is appended, before `f` is called with it.
    found: &'a mut Vec<u32>,
    f: &'a mut dyn FnMut(usize, &mut Vec<u32>) -> ControlFlow<()>,
}

impl<A: Vector> Job for ForEachList<'_, A> {
    type Output = Result<ControlFlow<()>, Error>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Result<ControlFlow<()>, Error> {
        let tree = self.tree;
        let Asking {
            points,
            numbers,
            radius,
            places,
            later,
        } = self.asking;
        let mut near = Near::new();
        for first in places.clone().step_by(LANES) {
            let used = LANES.min(places.end - first);
            let points = &points[first / LANES];
            if later {
                near.first = first / LANES + 1;
            }
            // A radius below 0 reaches nothing, and neither does NaN.
            if radius >= Scalar::ZERO {
                let bounds = around(points, used);
                near.gather::<S, true>(simd, tree, &bounds, radius * radius, Most::ALL)?;
            }
            let packed = near.candidates.packed::<false>(Limit::Radius);
            for lane in 0..used {
                let ball = (point::<A>(points, lane), radius);
                if later && radius >= Scalar::ZERO {
                    near.list_later(simd, tree, ball, first + lane, self.found)?;
                }
                near.list(simd, tree, &packed, ball, self.found)?;
                let flow = (self.f)(numbers[first + lane] as usize, self.found);
                if flow.is_break() {
                    return Ok(flow);
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}
