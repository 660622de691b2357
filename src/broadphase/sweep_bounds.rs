//! Finds the boxes that a moving box enters, the earliest first, by lower bounds of times for sixteen boxes at once.
//!
//! Bounds are on the safe side: the moving box is widened by more than the predicate of a ball at rest may round away,
//! and products with an inverse, which stand for quotients, allow for eight roundings where there are four. Answers and
//! their order depend on exact times only.

use fearless_simd::Simd;
use smallvec::SmallVec;

use super::World;
use super::row::numbered;
use super::tree_query::{STACK, in_place, level_and_place, node};

use crate::overlap::columns::Boxes;
use crate::overlap::lanes::W;
use crate::shape::Bounded;
use crate::simd::{ArrayVec, Column, LANES, Mask, Wide, compress, run};
use crate::sweep::Moving;
use crate::vector::{Scalar, Vector};

/// Bounds of a moving shape, tested against sixteen boxes. An axis on which the shape does not move, or on which the
/// inverse of its displacement is not a normal number, has an inverse of zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct SweepBounds<V: Vector> {
    /// True if an axis has an inverse of zero.
    stands: bool,
    // All fields below are arrays, because a vector indexed by axis goes through memory.
    /// The sides of the moving box on axes with an inverse of zero.
    low: [V::Scalar; 4],
    high: [V::Scalar; 4],
    /// The sides of the moving box that enter and that leave another.
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
    pub(super) fn new<S: Bounded<Vector = V>>(moving: &Moving<S>) -> Self {
        let (zero, one, least) = (V::Scalar::ZERO, V::Scalar::ONE, V::Scalar::MIN_POSITIVE);
        // Widen the box by more than the predicate of a ball at rest rounds.
        let radius = moving.shape().radius();
        let slack = V::Scalar::from_f64(8.0) * V::Scalar::EPSILON;
        let around = moving.shape().bounds().grown(radius * slack + least.sqrt());
        let mut bounds = Self {
            stands: false,
            low: [zero; 4],
            high: [zero; 4],
            front: [zero; 4],
            back: [zero; 4],
            slow: [zero; 4],
            fast: [zero; 4],
            latest: V::Scalar::MAX,
        };
        for axis in 0..V::DIM {
            // Store the inverse of the displacement, if it is a normal number.
            let by = moving.displacement().axis(axis);
            let inverse = one / by;
            let (slow, fast) = (inverse * (one - slack), inverse * (one + slack));
            let is_normal = inverse.abs() >= least && fast.is_finite();
            let (low, high) = (around.min().axis(axis), around.max().axis(axis));
            if is_normal && (radius * radius).is_finite() {
                let (back, front) = if by > zero { (low, high) } else { (high, low) };
                (bounds.back[axis], bounds.front[axis]) = (back, front);
                (bounds.slow[axis], bounds.fast[axis]) = (slow, fast);
                bounds.latest = bounds.latest.smaller(V::Scalar::MAX * slow.abs());
                continue;
            }
            bounds.stands = true;
            (bounds.low[axis], bounds.high[axis]) = (low, high);
            if by != zero || !(radius * radius).is_finite() {
                // Times cannot be computed on this axis, so the shape may be anywhere along it.
                bounds.low[axis] = zero - V::Scalar::MAX;
                bounds.high[axis] = V::Scalar::MAX;
            }
        }
        bounds
    }

    /// Lower bounds of the times at which sixteen boxes are entered, and the lanes that may be entered up to a limit.
    ///
    /// ```text
    /// on each other axis:
    ///     it enters a box no sooner than its front has gone to the near side: the latest of these counts
    ///     it leaves no later than its back has gone to the far side: the earliest of these counts
    /// on each axis with an inverse of zero: the two have to meet
    /// a lane is entered if it is not left before, nor entered beyond the limit
    /// ```
    #[inline(always)]
    fn times<S: Simd>(&self, simd: S, boxes: &Boxes<V>, limit: V::Scalar) -> (W<V, S>, Mask) {
        let zero = V::Scalar::ZERO;
        let mut enter = <W<V, S>>::splat(simd, zero - V::Scalar::MAX);
        let mut leave = <W<V, S>>::splat(simd, V::Scalar::INFINITY);
        let (lows, highs) = (boxes.low.as_ref(), boxes.high.as_ref());
        for axis in 0..V::DIM {
            let (low, high, slow) = (&lows[axis].0, &highs[axis].0, self.slow[axis]);
            if slow != zero {
                let (near, far) = if slow > zero {
                    (low, high)
                } else {
                    (high, low)
                };
                let ahead = <W<V, S>>::load(simd, near) - <W<V, S>>::splat(simd, self.front[axis]);
                let behind = <W<V, S>>::load(simd, far) - <W<V, S>>::splat(simd, self.back[axis]);
                enter = enter.larger(ahead * <W<V, S>>::splat(simd, slow));
                leave = leave.smaller(behind * <W<V, S>>::splat(simd, self.fast[axis]));
            }
        }
        let mut meet = Mask::new(simd, !0);
        if self.stands {
            for axis in 0..V::DIM {
                if self.slow[axis] == zero {
                    let low = <W<V, S>>::load(simd, &lows[axis].0);
                    let high = <W<V, S>>::load(simd, &highs[axis].0);
                    let below = <W<V, S>>::splat(simd, self.low[axis]);
                    let above = <W<V, S>>::splat(simd, self.high[axis]);
                    meet = meet & low.at_most(above) & below.at_most(high);
                }
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

// The search for the blocks that are entered first. Nodes that are entered at the start are opened at once, in any
// order, since all of them have to be opened. Other nodes wait with their times, in groups of siblings.

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

/// A search for the boxes that are entered first.
pub(super) struct EntrySearch<V: Vector> {
    /// The nodes to open next, in any order.
    nodes: ArrayVec<STACK>,
    waiting: SmallVec<[Waiting<V>; MOST_WAITING]>,
}

/// Boxes of a block that may be entered up to a limit.
pub(super) struct Entered<V: Vector> {
    pub(super) block: usize,
    /// A bit for each such box.
    pub(super) lanes: u32,
    /// Times before which they are not entered.
    pub(super) times: [V::Scalar; LANES],
}

impl<V: Vector> EntrySearch<V> {
    /// Starts at the top of the tree.
    #[inline]
    pub(super) fn new(world: &World<V>) -> Self {
        let mut nodes = ArrayVec::new();
        if let Some(top) = world.top() {
            nodes.writer().append(&[top]);
        }
        let waiting = SmallVec::new();
        Self { nodes, waiting }
    }

    /// Finds the next boxes that may be entered up to a limit. Opens no node that is entered later than `until`. Both
    /// times may decrease from call to call.
    #[inline]
    pub(super) fn next(
        &mut self,
        world: &World<V>,
        bounds: &SweepBounds<V>,
        [limit, until]: [V::Scalar; 2],
    ) -> Option<Entered<V>> {
        run!(world.instructions(), |simd| search(
            simd,
            world,
            self,
            bounds,
            [limit, until]
        ))
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

/// ```text
/// until no node is entered in time:
///     take a node that is entered at the start, or else the earliest of those that wait
///     find out when its sixteen children are entered
///     boxes: return those that may be entered up to the limit
///     nodes: open those next that are entered at the start; the others wait
/// ```
#[inline(always)]
fn search<V: Vector, S: Simd>(
    simd: S,
    world: &World<V>,
    this: &mut EntrySearch<V>,
    bounds: &SweepBounds<V>,
    [limit, until]: [V::Scalar; 2],
) -> Option<Entered<V>> {
    let (tree, zero) = (&world.tree, <W<V, S>>::splat(simd, V::Scalar::ZERO));
    loop {
        let next = this.nodes.writer().pop();
        let parent = match next {
            Some(node) => node,
            None => this.earliest(simd, until)?,
        };
        let (level, at) = level_and_place(parent);
        let (times, mut lanes) = bounds.times(simd, &tree.levels[level][at], limit);
        if lanes.is_empty() {
            continue;
        }
        if level == 0 {
            if !world.bodies.changed.is_empty() {
                lanes = in_place(simd, lanes, &tree.ids[at], world);
            }
            return Some(Entered {
                block: at,
                lanes: lanes.bits(simd),
                times: times.store(),
            });
        }
        let now = if this.waiting.len() < MOST_WAITING {
            times.at_most(zero) & lanes
        } else {
            lanes
        };
        let children = node(level - 1, at * LANES);
        let numbers = numbered(simd, children);
        compress(simd, &numbers, now, &mut this.nodes.writer());
        let later = lanes & !now;
        if !later.is_empty() {
            this.waiting.push(Waiting {
                times: Column(times.store()),
                first: first::<V, S>(simd, times, later),
                left: later.bits(simd),
                children,
            });
        }
    }
}
