//! When a moving box may enter sixteen others.
//!
//! Times are lower bounds of those that bodies tell: the box is widened by more than what the
//! predicate of a ball at rest may round away, quotients are products with an inverse, and four
//! roundings are paid for with eight. What is told, and in which order, is decided by exact times.

use fearless_simd::Simd;

use super::Engine;
use super::around::Asked;
use super::queries::Node;
use super::tree::NOBODY;
use crate::overlap::lanes::{Boxes, W};
use crate::simd::{Job, LANES, Mask, Wide};
use crate::{Aabb, Bounded, Moving, Region, Scalar, Vector};

/// A moving box, as sixteen boxes are asked about it.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Probe<V: Vector> {
    /// What moves, where it is when it starts; `None` for a shape of which sixteen cannot be asked.
    pub(super) start: Option<Asked<V>>,
    around: Aabb<V>,
    /// The sides of the moving box that enter and that leave another.
    front: V,
    back: V,
    /// The inverse of the displacement, rounded towards zero and away from it; zero where it is.
    slow: V,
    fast: V,
    /// Bounds below every time that is out of range.
    latest: V::Scalar,
}

impl<V: Vector> Probe<V> {
    /// `None` where the inverse of a displacement is no normal number, or the square of a ball's
    /// radius no finite one.
    pub(in super::super) fn new<S>(moving: &Moving<S>) -> Option<Self>
    where
        S: Bounded<Vector = V> + Region<Vector = V>,
    {
        let (zero, one, least) = (V::Scalar::ZERO, V::Scalar::ONE, V::Scalar::MIN_POSITIVE);
        let (shape, by) = (moving.shape(), moving.displacement());
        let radius = shape.rounding();
        let slack = V::Scalar::from_f64(8.0) * V::Scalar::EPSILON;
        let around = shape.bounds().grown(radius * slack + least.sqrt());
        let inverse = V::from_fn(|a| {
            let moves = by.axis(a) != zero;
            if moves { one / by.axis(a) } else { zero }
        });
        let (slow, fast) = (one - slack, one + slack);
        let fast = V::from_fn(|a| inverse.axis(a) * fast);
        let mut latest = V::Scalar::MAX;
        for axis in 0..V::DIM {
            let inverse = inverse.axis(axis).abs();
            if by.axis(axis) != zero {
                if inverse < least || !fast.axis(axis).is_finite() {
                    return None;
                }
                latest = latest.smaller(V::Scalar::MAX * inverse * slow);
            }
        }
        let side = |ahead: bool, a| {
            let bounds = if ahead { around.max() } else { around.min() };
            bounds.axis(a)
        };
        (radius * radius).is_finite().then_some(Self {
            start: Asked::of(shape),
            around,
            front: V::from_fn(|a| side(by.axis(a) > zero, a)),
            back: V::from_fn(|a| side(by.axis(a) < zero, a)),
            slow: V::from_fn(|a| inverse.axis(a) * slow),
            fast,
            latest,
        })
    }

    /// The times, and the lanes that are entered up to a limit.
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
        let mut meet = Mask::new(simd, !0);
        for axis in 0..V::DIM {
            let (low, high) = (&boxes.low.as_ref()[axis].0, &boxes.high.as_ref()[axis].0);
            let slow = self.slow.axis(axis);
            if slow == zero {
                let low = <W<V, S>>::load(simd, low);
                let high = <W<V, S>>::load(simd, high);
                let below = <W<V, S>>::splat(simd, self.around.min().axis(axis));
                let above = <W<V, S>>::splat(simd, self.around.max().axis(axis));
                meet = meet & low.at_most(above) & below.at_most(high);
                continue;
            }
            let (near, far) = if slow > zero {
                (low, high)
            } else {
                (high, low)
            };
            let front = <W<V, S>>::splat(simd, self.front.axis(axis));
            let back = <W<V, S>>::splat(simd, self.back.axis(axis));
            let slow = <W<V, S>>::splat(simd, slow);
            let fast = <W<V, S>>::splat(simd, self.fast.axis(axis));
            enter = enter.larger((<W<V, S>>::load(simd, near) - front) * slow);
            leave = leave.smaller((<W<V, S>>::load(simd, far) - back) * fast);
        }
        // What is too small for a quotient is rounded by less than this.
        let least = <W<V, S>>::splat(simd, V::Scalar::MIN_POSITIVE);
        let latest = <W<V, S>>::splat(simd, self.latest);
        let enter = (enter - least).larger(<W<V, S>>::splat(simd, zero));
        let enter = enter.smaller(latest);
        let leave = (leave + least).smaller(<W<V, S>>::splat(simd, limit));
        (enter, meet & enter.at_most(leave))
    }
}

/// Finds the times, and a bit for each lane that is entered up to a limit.
struct Enter<'a, V: Vector> {
    probe: &'a Probe<V>,
    boxes: &'a Boxes<V>,
    limit: V::Scalar,
}

impl<V: Vector> Job for Enter<'_, V> {
    type Output = ([V::Scalar; LANES], u32);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        let (times, lanes) = self.probe.times(simd, self.boxes, self.limit);
        (times.store(), lanes.bits(simd))
    }
}

impl<V: Vector> Engine<V> {
    /// Calls `node` with the children of a node that may be entered up to a limit, and when, and
    /// `item` with the ids of boxes in it; says whether it could.
    pub(in super::super) fn enter(
        &self,
        parent: u32,
        probe: &Probe<V>,
        limit: V::Scalar,
        mut node: impl FnMut(u32, V::Scalar),
        mut item: impl FnMut(u32),
    ) -> bool {
        let Node::Of { rests, level, at } = Node::new(parent) else {
            return false;
        };
        let tree = self.tree(rests);
        let (times, mut left) = self.instructions().run(Enter {
            probe,
            boxes: &tree.levels[level][at],
            limit,
        });
        while left != 0 {
            let lane = left.trailing_zeros() as usize % LANES;
            left &= left - 1;
            if level > 0 {
                node(Node::of(rests, level - 1, at * LANES + lane), times[lane]);
            } else {
                let id = tree.ids[at].0[lane];
                if id != NOBODY && self.items.is_settled(id) {
                    item(id);
                }
            }
        }
        true
    }
}
