//! Casts: the bodies that a ray, or a moving ball or box, touches on its way, in the order of their times.
//!
//! ```text
//! find the first body: sweep the bodies of blocks that may be entered before the earliest body found
//! for the other bodies:
//!     until no block of the tree can be entered before the earliest body of the heap:
//!         sweep the bodies of the next block that may be entered, and push those that are touched onto the heap
//!     hand out the earliest body of the heap
//! ```
//!
//! Lower bounds of the times are found for sixteen boxes at once, and are on the safe side: the moving box is widened by more than
//! the predicate of a ball at rest may round away, and products with an inverse, which stand for quotients, allow for eight
//! roundings where there are four. Answers and their order depend on exact times only.

use alloc::collections::BinaryHeap;
use core::cmp::Reverse;

use fearless_simd::Simd;
use smallvec::SmallVec;

use super::row::numbered;
use super::tree_query::{STACK, in_place, level_and_place, node};
use super::{Filter, Volume, World};
use crate::bits::set_bits;
use crate::handle::Handle;
use crate::nearest::Ranked;
use crate::overlap::columns::Boxes;
use crate::overlap::lanes::W;
use crate::shape::Bounded;
use crate::simd::{ArrayVec, Column, LANES, Mask, Wide, compress, run};
use crate::sweep::{Cast, Moving, Sweep};
use crate::vector::{Scalar, Vector};

/// Takes a body and the time of its first touch, and returns a limit for the times to come.
pub(super) type Visit<'a, S> = dyn FnMut(Handle, S) -> S + 'a;

impl<V: Vector> Cast<V> {
    /// The ray, box or ball that is cast, to be swept against volumes.
    fn sweeper(&self) -> &dyn Sweep<Volume<V>, Vector = V> {
        match self {
            Self::Ray(ray) => ray,
            Self::Box(bounds) => bounds,
            Self::Ball(ball) => ball,
        }
    }
}

/// Hands out the bodies that a moving shape touches to `visit`, as [`Broadphase::visit_sweep`](super::Broadphase::visit_sweep) says.
pub(super) fn visit_hits<V: Vector>(
    world: &World<V>,
    filter: Option<Filter>,
    mover: &Cast<V>,
    visit: &mut Visit<'_, V::Scalar>,
) {
    // Most visitors want only the first body, for which the shorter search suffices.
    let Some(first) = first_hit(world, filter, mover) else {
        return;
    };
    // Calls the visitor with a body. Returns its limit, or `None` if it ended the search by a negative number or NaN.
    let mut limit_after = |(body, time)| Some(visit(body, time)).filter(|&t| t >= V::Scalar::ZERO);
    let Some(limit) = limit_after(first) else {
        return;
    };
    let mut search = Search::new(world, filter, mover);
    search.nodes.writer().append(world.top().as_slice());
    let mut limit = search.horizon.smaller(limit);
    // The heap holds touched bodies before which others may be touched. Start with bodies that are not in place in the tree.
    let moved = world.out_of_place(0..world.bodies.changed.len());
    let touched = moved.filter_map(|id| search.touch((id, world.volume(id)), limit));
    let mut touched: BinaryHeap<_> = touched.map(Reverse).collect();
    loop {
        // Open blocks that are entered at an equal time too, since ties go by handle.
        let earliest = touched.peek().map(|Reverse(earliest)| earliest.0);
        let until = earliest.map_or(limit, |time| limit.smaller(time));
        if let Some((block, lanes, _)) = search.next([limit, until]) {
            let hits =
                set_bits(lanes).filter_map(|lane| search.touch(search.body_in(block, lane), limit));
            touched.extend(hits.map(Reverse));
            continue;
        }
        // No other body is touched before the earliest in the heap.
        let Some(Reverse(Ranked(time, body))) = touched.pop() else {
            return;
        };
        if time > limit {
            return;
        }
        if (body, time) != first {
            let Some(lower) = limit_after((body, time)) else {
                return;
            };
            limit = limit.smaller(lower);
        }
    }
}

/// The body that a moving shape touches first, ties by handle, and the time.
pub(super) fn first_hit<V: Vector>(
    world: &World<V>,
    filter: Option<Filter>,
    mover: &Cast<V>,
) -> Option<(Handle, V::Scalar)> {
    let mut search = Search::new(world, filter, mover);
    search.nodes.writer().append(world.top().as_slice());
    let mut limit = search.horizon;
    let mut first = None;
    let mut offer = |touched: Option<Ranked<V::Scalar, Handle>>, limit: &mut V::Scalar| {
        if let Some(rank) = touched.filter(|rank| first.is_none_or(|first| *rank < first)) {
            (first, *limit) = (Some(rank), rank.0);
        }
    };
    // Bodies that are not in place in the tree come first, then the blocks of the tree by time.
    for id in world.out_of_place(0..world.bodies.changed.len()) {
        offer(search.touch((id, world.volume(id)), limit), &mut limit);
    }
    while let Some((block, lanes, times)) = search.next([limit; 2]) {
        for lane in set_bits(lanes).map(|lane| lane % LANES) {
            if times[lane] <= limit {
                offer(search.touch(search.body_in(block, lane), limit), &mut limit);
            }
        }
    }
    first.map(|Ranked(time, body)| (body, time))
}

/// The most groups of siblings that wait. Beyond that, nodes are opened sooner than need be.
const MOST_WAITING: usize = 8;

/// The children of a node that are still to be opened, and when they are entered.
struct Waiting<V: Vector> {
    times: Column<V::Scalar>,
    /// The earliest time.
    first: V::Scalar,
    /// A bit for each child that is still to be opened; not 0.
    left: u32,
    /// The number of the first child.
    children: u32,
}

/// A search for the blocks that the moving shape enters first. Nodes that overlap the shape at the start are opened at once, in
/// any order, since none of them can be left out. Other nodes wait with their times, in groups of siblings.
struct Search<'a, V: Vector> {
    world: &'a World<V>,
    filter: Option<Filter>,
    mover: &'a Cast<V>,
    bounds: SweepBounds<V>,
    /// The time after which the moving shape touches nothing.
    horizon: V::Scalar,
    /// True if all bodies are their boxes in the tree, and there is no filter.
    is_bare: bool,
    /// The nodes to open next, in any order.
    nodes: ArrayVec<STACK>,
    waiting: SmallVec<[Waiting<V>; MOST_WAITING]>,
}

/// A block, a bit for each of its boxes that may be entered up to a limit, and a lower bound of each box's time.
type Entered<S> = (usize, u32, [S; LANES]);

impl<'a, V: Vector> Search<'a, V> {
    /// Makes a search without nodes. The caller adds the root afterwards, because a search with nodes is slow to move.
    #[inline(always)]
    fn new(world: &'a World<V>, filter: Option<Filter>, mover: &'a Cast<V>) -> Self {
        let (bounds, horizon) = match mover {
            Cast::Ray(ray) => (SweepBounds::new(&ray.as_box()), ray.horizon()),
            Cast::Box(bounds) => (SweepBounds::new(bounds), bounds.horizon()),
            Cast::Ball(ball) => (SweepBounds::new(ball), ball.horizon()),
        };
        Self {
            world,
            filter,
            mover,
            bounds,
            horizon,
            is_bare: filter.is_none() && world.is_bare(),
            nodes: ArrayVec::new(),
            waiting: SmallVec::new(),
        }
    }

    /// The body in a lane of a block, and its volume.
    #[inline(always)]
    fn body_in(&self, block: usize, lane: usize) -> (u32, Volume<V>) {
        let (tree, lane) = (&self.world.tree, lane % LANES);
        let id = tree.ids[block].0[lane];
        if self.is_bare {
            // The block has the box of the body, up to the signs of zeros. It is in the cache already; the table may not be.
            (id, Volume::Box(tree.levels[0][block].get(lane)))
        } else {
            (id, self.world.volume(id))
        }
    }

    /// The time at which the moving shape touches a body, if that is up to a limit and the body meets the filter.
    #[inline]
    fn touch(
        &self,
        (id, volume): (u32, Volume<V>),
        limit: V::Scalar,
    ) -> Option<Ranked<V::Scalar, Handle>> {
        if !self.world.passes(self.filter, id) {
            return None;
        }
        let time = self.mover.sweeper().first(&volume, limit);
        let time = time.filter(|&time| time <= limit)?;
        Some(Ranked(time, self.world.bodies.handle(id)))
    }

    /// Finds the next boxes that may be entered up to a limit. Opens no node that is entered later than `until`. Both
    /// times may decrease from call to call.
    #[inline]
    fn next(&mut self, limits: [V::Scalar; 2]) -> Option<Entered<V::Scalar>> {
        run!(self.world.instructions(), |simd| self.descend(simd, limits))
    }

    /// ```text
    /// until no node is entered in time:
    ///     take a node that is entered at the start, or else the earliest of those that wait
    ///     find out when its sixteen children are entered
    ///     boxes: return those that may be entered up to the limit
    ///     nodes: open those next that are entered at the start; the others wait
    /// ```
    #[inline(always)]
    fn descend<S: Simd>(
        &mut self,
        simd: S,
        [limit, until]: [V::Scalar; 2],
    ) -> Option<Entered<V::Scalar>> {
        let (tree, zero) = (&self.world.tree, <W<V, S>>::splat(simd, V::Scalar::ZERO));
        loop {
            let next = self.nodes.writer().pop();
            let parent = match next {
                Some(node) => node,
                None => self.earliest(simd, until)?,
            };
            let (level, at) = level_and_place(parent);
            let (times, mut lanes) = self.bounds.times(simd, &tree.levels[level][at], limit);
            if lanes.is_empty() {
                continue;
            }
            if level == 0 {
                if !self.world.bodies.changed.is_empty() {
                    lanes = in_place(simd, lanes, &tree.ids[at], self.world);
                }
                return Some((at, lanes.bits(simd), times.store()));
            }
            let now = if self.waiting.len() < MOST_WAITING {
                times.at_most(zero) & lanes
            } else {
                lanes
            };
            let children = node(level - 1, at * LANES);
            let numbers = numbered(simd, children);
            compress(simd, &numbers, now, &mut self.nodes.writer());
            let later = lanes & !now;
            if !later.is_empty() {
                self.waiting.push(Waiting {
                    times: Column(times.store()),
                    first: first::<V, S>(simd, times, later),
                    left: later.bits(simd),
                    children,
                });
            }
        }
    }

    /// Takes the earliest of the waiting nodes, if it may be entered up to a time.
    #[inline(always)]
    fn earliest<S: Simd>(&mut self, simd: S, until: V::Scalar) -> Option<u32> {
        let groups = &mut self.waiting;
        let mut at = 0;
        for other in 1..groups.len() {
            if groups[other].first < groups[at].first {
                at = other;
            }
        }
        let group = groups.get_mut(at)?;
        if group.first > until {
            return None;
        }
        let times = <W<V, S>>::load(simd, &group.times.0);
        let left = Mask::new(simd, group.left);
        let nearest = times.at_most(<W<V, S>>::splat(simd, group.first)) & left;
        let lane = nearest.bits(simd).trailing_zeros();
        let node = group.children | lane;
        group.left &= !(1 << lane);
        if group.left == 0 {
            groups.swap_remove(at);
        } else {
            group.first = first::<V, S>(simd, times, Mask::new(simd, group.left));
        }
        Some(node)
    }
}

/// The earliest of the times in some lanes, which are finite.
#[inline(always)]
fn first<V: Vector, S: Simd>(simd: S, times: W<V, S>, lanes: Mask) -> V::Scalar {
    let never = <W<V, S>>::splat(simd, V::Scalar::INFINITY);
    times.only(lanes, never).smallest()
}

/// Bounds of a moving shape, tested against sixteen boxes. An axis on which the shape does not move, or on which the
/// inverse of its displacement is not a normal number, has an inverse of zero.
///
/// Sides and inverses are arrays, because a vector indexed by axis goes through memory.
#[derive(Clone, Copy, Debug)]
struct SweepBounds<V: Vector> {
    /// The sides of the moving box that enter and that leave another; its upper and lower sides on axes with an inverse of zero.
    front: [V::Scalar; 4],
    back: [V::Scalar; 4],
    /// The inverse of the displacement, rounded towards zero and away from it.
    slow: [V::Scalar; 4],
    fast: [V::Scalar; 4],
    /// The cap of all times, below every time for which the difference of sides overflows.
    latest: V::Scalar,
}

impl<V: Vector> SweepBounds<V> {
    #[inline]
    fn new<S: Bounded<Vector = V>>(moving: &Moving<S>) -> Self {
        let (zero, one, least) = (V::Scalar::ZERO, V::Scalar::ONE, V::Scalar::MIN_POSITIVE);
        // Widen the box by more than the predicate of a ball at rest rounds.
        let radius = moving.shape().radius();
        let slack = V::Scalar::from_f64(8.0) * V::Scalar::EPSILON;
        let around = moving.shape().bounds().grown(radius * slack + least.sqrt());
        let [mut front, mut back, mut slow, mut fast] = [[zero; 4]; 4];
        let mut latest = V::Scalar::MAX;
        for axis in 0..V::DIM {
            let by = moving.displacement().axis(axis);
            let inverse = one / by;
            let inverses = (inverse * (one - slack), inverse * (one + slack));
            let is_normal = inverse.abs() >= least && inverses.1.is_finite();
            let (low, high) = (around.min().axis(axis), around.max().axis(axis));
            (back[axis], front[axis]) = if is_normal && (radius * radius).is_finite() {
                (slow[axis], fast[axis]) = inverses;
                latest = latest.smaller(V::Scalar::MAX * inverses.0.abs());
                if by > zero { (low, high) } else { (high, low) }
            } else if by == zero && (radius * radius).is_finite() {
                (low, high)
            } else {
                // Times cannot be computed on this axis, so the shape may be anywhere along it.
                (zero - V::Scalar::MAX, V::Scalar::MAX)
            };
        }
        Self {
            front,
            back,
            slow,
            fast,
            latest,
        }
    }

    /// Lower bounds of the times at which sixteen boxes are entered, and the lanes that may be entered up to a limit.
    ///
    /// ```text
    /// on each axis along which the shape does not move: the shape and the box have to overlap
    /// on each other axis:
    ///     it enters a box no sooner than its front has gone to the near side: the latest of these counts
    ///     it leaves no later than its back has gone to the far side: the earliest of these counts
    /// a lane is entered if it is not left before, nor entered beyond the limit
    /// ```
    #[inline(always)]
    fn times<S: Simd>(&self, simd: S, boxes: &Boxes<V>, limit: V::Scalar) -> (W<V, S>, Mask) {
        let zero = V::Scalar::ZERO;
        let mut enter = <W<V, S>>::splat(simd, zero - V::Scalar::MAX);
        let mut leave = <W<V, S>>::splat(simd, V::Scalar::INFINITY);
        let mut meet = Mask::new(simd, !0);
        let (lows, highs) = (boxes.low.as_ref(), boxes.high.as_ref());
        for axis in 0..V::DIM {
            let (low, high, slow) = (&lows[axis].0, &highs[axis].0, self.slow[axis]);
            let (near, far) = if slow < zero {
                (high, low)
            } else {
                (low, high)
            };
            let (near, far) = (<W<V, S>>::load(simd, near), <W<V, S>>::load(simd, far));
            let front = <W<V, S>>::splat(simd, self.front[axis]);
            let back = <W<V, S>>::splat(simd, self.back[axis]);
            if slow == zero {
                meet = meet & near.at_most(front) & back.at_most(far);
            } else {
                enter = enter.larger((near - front) * <W<V, S>>::splat(simd, slow));
                leave = leave.smaller((far - back) * <W<V, S>>::splat(simd, self.fast[axis]));
            }
        }
        // Quotients that are too small are rounded by less than this.
        let least = <W<V, S>>::splat(simd, V::Scalar::MIN_POSITIVE);
        let latest = <W<V, S>>::splat(simd, self.latest);
        let enter = (enter - least).larger(<W<V, S>>::splat(simd, zero));
        let enter = enter.smaller(latest);
        let leave = (leave + least).smaller(<W<V, S>>::splat(simd, limit));
        (enter, meet & enter.at_most(leave))
    }
}
