//! Lower bounds of the times at which a moving box enters sixteen others, and the search that goes by them.
//!
//! The box is widened by more than the predicate of a ball at rest may round away, quotients are products with an
//! inverse, and eight roundings are allowed where there are four. The answers and their order depend on exact times only.

use fearless_simd::Simd;
use smallvec::SmallVec;

use super::pair_collector::numbered;
use super::tree::NONE;
use super::tree_query::{Node, STACK, in_place, meets};
use super::world::World;

use crate::bits::set_bits;
use crate::overlap::Region;
use crate::overlap::columns::Boxes;
use crate::overlap::lanes::{Plain, W, with_wide};
use crate::shape::{Aabb, Bounded};
use crate::simd::{ArrayVec, Column, InstructionSet, LANES, Mask, Wide, compress, run};
use crate::sweep::Moving;
use crate::vector::{Scalar, Vector};

/// Bounds of a moving shape, tested against sixteen boxes.
#[derive(Clone, Copy, Debug)]
pub(super) struct SweepBounds<V: Vector> {
    /// The shape at its start; `None` if it cannot be tested against sixteen boxes.
    pub(super) start: Option<Plain<V>>,
    around: Aabb<V>,
    /// True if it stands still on some axis.
    stands: bool,
    // Arrays by axis, since what is one number of a vector goes through memory.
    /// The sides of the moving box that enter and that leave another.
    front: [V::Scalar; 4],
    back: [V::Scalar; 4],
    /// The inverse of the displacement, rounded towards zero and away from it; zero where that is.
    slow: [V::Scalar; 4],
    fast: [V::Scalar; 4],
    /// Bounds below every time that is out of range.
    latest: V::Scalar,
}

impl<V: Vector> SweepBounds<V> {
    /// `None` where the inverse of a displacement is no normal number, or the square of a ball's
    /// radius no finite one.
    #[inline]
    pub(super) fn new<S>(moving: &Moving<S>) -> Option<Self>
    where
        S: Bounded<Vector = V> + Region<Vector = V>,
    {
        let (zero, one, least) = (V::Scalar::ZERO, V::Scalar::ONE, V::Scalar::MIN_POSITIVE);
        let shape = moving.shape();
        let radius = shape.radius();
        let slack = V::Scalar::from_f64(8.0) * V::Scalar::EPSILON;
        let mut probe = Self {
            start: shape.plain(),
            around: shape.bounds().grown(radius * slack + least.sqrt()),
            stands: false,
            front: [zero; 4],
            back: [zero; 4],
            slow: [zero; 4],
            fast: [zero; 4],
            latest: V::Scalar::MAX,
        };
        for axis in 0..V::DIM {
            let by = moving.displacement().axis(axis);
            if by == zero {
                probe.stands = true;
                continue;
            }
            let inverse = one / by;
            let (slow, fast) = (inverse * (one - slack), inverse * (one + slack));
            if inverse.abs() < least || !fast.is_finite() {
                return None;
            }
            let (low, high) = (probe.around.min().axis(axis), probe.around.max().axis(axis));
            let (back, front) = if by > zero { (low, high) } else { (high, low) };
            (probe.back[axis], probe.front[axis]) = (back, front);
            (probe.slow[axis], probe.fast[axis]) = (slow, fast);
            probe.latest = probe.latest.smaller(V::Scalar::MAX * slow.abs());
        }
        (radius * radius).is_finite().then_some(probe)
    }

    /// The times, and the lanes that are entered up to a limit.
    ///
    /// ```text
    /// on each axis on which it moves:
    ///     it enters a box no sooner than its front has gone to the near side: the latest of these counts
    ///     it leaves no later than its back has gone to the far side: the earliest of these counts
    /// on each axis on which it stands: the two have to meet
    /// a lane is entered if it is not left before, nor entered beyond the limit
    /// ```
    #[inline(always)]
    pub(super) fn times<S: Simd>(
        &self,
        simd: S,
        boxes: &Boxes<V>,
        limit: V::Scalar,
    ) -> (W<V, S>, Mask) {
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
                    let below = <W<V, S>>::splat(simd, self.around.min().axis(axis));
                    let above = <W<V, S>>::splat(simd, self.around.max().axis(axis));
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

/// Finds the times, and a bit for each lane that is entered up to a limit.
#[inline(always)]
fn enter<V: Vector, S: Simd>(
    simd: S,
    probe: &SweepBounds<V>,
    boxes: &Boxes<V>,
    limit: V::Scalar,
) -> ([V::Scalar; LANES], u32) {
    let (times, lanes) = probe.times(simd, boxes, limit);
    (times.store(), lanes.bits(simd))
}

impl<V: Vector> World<V> {
    /// Calls `node` with the children of a node that may be entered up to a limit, and when, and `item` with the bodies in
    /// it. Does nothing and returns false where the node is no part of the tree.
    pub(super) fn enter(
        &self,
        parent: u32,
        probe: &SweepBounds<V>,
        limit: V::Scalar,
        mut node: impl FnMut(u32, V::Scalar),
        mut item: impl FnMut(u32),
    ) -> bool {
        let Node::Of { level, at } = Node::new(parent) else {
            return false;
        };
        let boxes = &self.tree.levels[level][at];
        let set = self.instructions();
        let (times, entered) = run!(set, |simd| enter(simd, probe, boxes, limit));
        if level > 0 {
            for lane in set_bits(entered) {
                let lane = lane % LANES;
                node(Node::of(level - 1, at * LANES + lane), times[lane]);
            }
            return true;
        }
        for lane in set_bits(entered) {
            let id = self.tree.ids[at].0[lane % LANES];
            if id != NONE && self.is_in_place(id) {
                item(id);
            }
        }
        true
    }
}

// The blocks that a moving box enters, the earliest first.
//
// Nodes that are entered at the start are opened at once, in any order, since all of them have to be. Other nodes wait, row
// by row, with their times.

/// Rows that wait. If there are more, nodes are opened too soon.
const ROWS: usize = 8;

/// A search for what is entered first.
pub(super) struct Descent<V: Vector> {
    set: InstructionSet,
    /// To be gone into next.
    nodes: ArrayVec<{ STACK }>,
    waiting: Rows<V>,
}

/// The children of a node that are still to be gone into, and when they are entered.
struct Waiting<V: Vector> {
    times: Column<V::Scalar>,
    /// The earliest time.
    first: V::Scalar,
    /// A bit for each lane; not 0.
    left: u32,
    /// The number of the first child.
    children: u32,
}

type Rows<V> = SmallVec<[Waiting<V>; ROWS]>;

/// Takes the earliest node out of some rows, if it is entered up to a limit.
#[inline(always)]
fn earliest<V: Vector, S: Simd>(simd: S, rows: &mut Rows<V>, limit: V::Scalar) -> Option<u32> {
    let mut at = 0;
    for other in 1..rows.len() {
        if rows[other].first < rows[at].first {
            at = other;
        }
    }
    let row = rows.get_mut(at)?;
    if row.first > limit {
        return None;
    }
    let times = <W<V, S>>::load(simd, &row.times.0);
    let nearest = times.at_most(<W<V, S>>::splat(simd, row.first));
    let lane = (nearest & Mask::new(simd, row.left))
        .bits(simd)
        .trailing_zeros();
    let node = row.children | lane;
    row.left &= !(1 << lane);
    if row.left == 0 {
        rows.swap_remove(at);
    } else {
        row.first = first::<V, S>(simd, times, Mask::new(simd, row.left));
    }
    Some(node)
}

/// The earliest of some times, which are finite.
#[inline(always)]
fn first<V: Vector, S: Simd>(simd: S, times: W<V, S>, lanes: Mask) -> V::Scalar {
    let never = <W<V, S>>::splat(simd, V::Scalar::INFINITY);
    times.only(lanes, never).smallest()
}

/// Some boxes of a block.
pub(super) struct Entered<V: Vector> {
    pub(super) block: usize,
    /// A bit for each box that is met at the start, if it was possible to tell.
    pub(super) met: u32,
    /// A bit for each other that may be met up to the limit, not before its time.
    pub(super) others: u32,
    pub(super) times: [V::Scalar; LANES],
}

impl<V: Vector> World<V> {
    /// A search that starts at the top of the tree.
    #[inline]
    pub(super) fn descent(&self) -> Descent<V> {
        let mut nodes = ArrayVec::new();
        if let Some(top) = self.tree.levels.len().checked_sub(1) {
            nodes.writer().append(&[Node::of(top, 0)]);
        }
        Descent {
            set: self.instructions(),
            nodes,
            waiting: Rows::new(),
        }
    }

    /// The next boxes that may be entered up to a limit, which may fall from call to call.
    #[inline]
    pub(super) fn next_entered(
        &self,
        descent: &mut Descent<V>,
        probe: &SweepBounds<V>,
        limit: V::Scalar,
    ) -> Option<Entered<V>> {
        run!(descent.set, |simd| descend(
            simd,
            self,
            &mut descent.nodes,
            &mut descent.waiting,
            probe,
            limit
        ))
    }
}

/// ```text
/// until there is no node that is entered up to the limit:
///     take a node that is entered at the start, or else the earliest of those that wait
///     when are its sixteen children entered?
///     a block of boxes: return those that may be met up to the limit
///     else go into those that are entered at the start; the others wait
/// ```
#[inline(always)]
fn descend<V: Vector, S: Simd>(
    simd: S,
    world: &World<V>,
    nodes: &mut ArrayVec<{ STACK }>,
    waiting: &mut Rows<V>,
    probe: &SweepBounds<V>,
    limit: V::Scalar,
) -> Option<Entered<V>> {
    let zero = <W<V, S>>::splat(simd, V::Scalar::ZERO);
    let mut nodes = nodes.writer();
    loop {
        let node = match nodes.pop() {
            Some(node) => node,
            None => earliest(simd, waiting, limit)?,
        };
        let Node::Of { level, at } = Node::new(node) else {
            continue;
        };
        let tree = &world.tree;
        let boxes = &tree.levels[level][at];
        let (times, mut lanes) = probe.times(simd, boxes, limit);
        if lanes.is_empty() {
            continue;
        }
        if level == 0 {
            if !world.bodies.changed.is_empty() {
                lanes = in_place(simd, lanes, &tree.ids[at], world);
            }
            let met = match &probe.start {
                Some(start) => {
                    lanes & with_wide!(start, V, S, simd, |probe| meets(simd, &probe, boxes))
                }
                None => Mask::new(simd, 0),
            };
            let others = lanes & !met;
            if !lanes.is_empty() {
                return Some(Entered {
                    block: at,
                    met: met.bits(simd),
                    others: others.bits(simd),
                    times: times.store(),
                });
            }
            continue;
        }
        let now = if waiting.len() < ROWS {
            times.at_most(zero) & lanes
        } else {
            lanes
        };
        let children = Node::of(level - 1, at * LANES);
        compress(
            simd,
            &numbered(simd, children / LANES as u32),
            now,
            &mut nodes,
        );
        let later = lanes & !now;
        if !later.is_empty() {
            waiting.push(Waiting {
                times: Column(times.store()),
                first: first::<V, S>(simd, times, later),
                left: later.bits(simd),
                children,
            });
        }
    }
}
