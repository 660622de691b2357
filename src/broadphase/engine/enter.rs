//! When a moving box may enter sixteen others.
//!
//! Times are lower bounds of those that bodies tell: the box is widened by more than what the
//! predicate of a ball at rest may round away, quotients are products with an inverse, and four
//! roundings are paid for with eight. What is told, and in which order, is decided by exact times.

use fearless_simd::Simd;

use super::Engine;
use super::queries::Node;
use super::tree::NOBODY;
use crate::overlap::lanes::{Boxes, Plain, W};
use crate::simd::{Job, LANES, Mask, Wide};
use crate::{Aabb, Bounded, Moving, Region, Scalar, Vector};

/// A moving box, as sixteen boxes are asked about it.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Probe<V: Vector> {
    /// What moves, where it is when it starts; `None` for a shape of which sixteen cannot be asked.
    pub(super) start: Option<Plain<V>>,
    around: Aabb<V>,
    /// Whether it stands still on some axis.
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

impl<V: Vector> Probe<V> {
    /// `None` where the inverse of a displacement is no normal number, or the square of a ball's
    /// radius no finite one.
    #[inline]
    pub(in super::super) fn new<S>(moving: &Moving<S>) -> Option<Self>
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
