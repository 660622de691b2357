//! When a moving box may enter sixteen others.
//!
//! Times are lower bounds of those that bodies tell: the box is widened by more than what the
//! predicate of a ball at rest may round away, quotients are products with an inverse, and four
//! roundings are paid for with eight. What is told, and in which order, is decided by exact times.

use fearless_simd::Simd;

use super::Engine;
use super::queries::Node;
use super::tree::NOBODY;
use crate::overlap::lanes::{Boxes, W};
use crate::simd::{Column, Job, LANES, Mask, Wide};
use crate::{Bounded, Moving, Scalar, Vector};

/// A moving box, as sixteen boxes are asked about it.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Probe<V: Vector> {
    low: V,
    high: V,
    displacement: V,
    /// Of the length of the displacement on each axis.
    inverse: V,
}

impl<V: Vector> Probe<V> {
    /// `None` where the inverse of a displacement is no normal number, or the square of a ball's
    /// radius no finite one.
    pub(in super::super) fn new<S: Bounded<Vector = V>>(moving: &Moving<S>) -> Option<Self> {
        let (zero, one) = (V::Scalar::ZERO, V::Scalar::ONE);
        let (shape, displacement) = (moving.shape(), moving.displacement());
        let radius = shape.rounding();
        let least = V::Scalar::MIN_POSITIVE;
        let eight = V::Scalar::from_f64(8.0);
        let around = shape
            .bounds()
            .grown(radius * eight * V::Scalar::EPSILON + least.sqrt());
        let inverse = V::from_fn(|a| one / displacement.axis(a).abs());
        let fine = (0..V::DIM).all(|a| {
            let inverse = inverse.axis(a);
            displacement.axis(a) == zero || (least <= inverse && inverse.is_finite())
        });
        (fine && (radius * radius).is_finite()).then_some(Self {
            low: around.min(),
            high: around.max(),
            displacement,
            inverse,
        })
    }

    /// The times, and the lanes that are entered up to a limit. A time is a finite number there.
    #[inline(always)]
    pub(super) fn times<S: Simd>(
        &self,
        simd: S,
        boxes: &Boxes<V>,
        limit: V::Scalar,
    ) -> (W<V, S>, Mask) {
        let (zero, one) = (V::Scalar::ZERO, V::Scalar::ONE);
        let slack = V::Scalar::from_f64(8.0) * V::Scalar::EPSILON;
        let shorter = <W<V, S>>::splat(simd, one - slack);
        let longer = <W<V, S>>::splat(simd, one + slack);
        let least = <W<V, S>>::splat(simd, V::Scalar::MIN_POSITIVE);
        let most = <W<V, S>>::splat(simd, V::Scalar::MAX);
        let mut enter = <W<V, S>>::splat(simd, zero);
        let mut leave = <W<V, S>>::splat(simd, limit);
        let mut meet = Mask::new(simd, !0);
        for axis in 0..V::DIM {
            let low = <W<V, S>>::load(simd, &boxes.low.as_ref()[axis].0);
            let high = <W<V, S>>::load(simd, &boxes.high.as_ref()[axis].0);
            let below = <W<V, S>>::splat(simd, self.low.axis(axis));
            let above = <W<V, S>>::splat(simd, self.high.axis(axis));
            let by = self.displacement.axis(axis);
            let (ahead, behind) = if by > zero {
                (low - above, high - below)
            } else if by < zero {
                (below - high, above - low)
            } else {
                meet = meet & low.at_most(above) & below.at_most(high);
                continue;
            };
            let inverse = <W<V, S>>::splat(simd, self.inverse.axis(axis));
            let first = ahead.smaller(most) * inverse * shorter - least;
            let last = behind * inverse * longer + least;
            enter = enter.larger(first.smaller(most));
            leave = leave.smaller(last);
        }
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

/// Rows on the way down, and the tops of two trees. There are no more levels, since slots are
/// numbered by 32 bits.
const DEPTH: usize = 9;

/// A search for what is entered first: depth first, the nearest child before the others.
pub(in super::super) struct Descent<V: Vector> {
    /// Of the lanes of each row on the way down.
    times: [Column<V::Scalar>; DEPTH],
    /// A bit for each lane that is still to be gone into.
    left: [u32; DEPTH],
    /// The nodes whose children the rows are.
    nodes: [u32; DEPTH],
    depth: usize,
}

impl<V: Vector> Engine<V> {
    /// A search that has both trees before it.
    #[inline]
    pub(in super::super) fn descent(&self, probe: &Probe<V>, limit: V::Scalar) -> Descent<V> {
        let mut descent = Descent {
            times: [Column([V::Scalar::ZERO; LANES]); DEPTH],
            left: [0; DEPTH],
            nodes: [0; DEPTH],
            depth: 0,
        };
        for rests in [true, false] {
            let tree = self.tree(rests);
            if tree.len > 0 {
                let level = tree.levels.len() - 1;
                let boxes = &tree.levels[level][0];
                let (times, left) = self.instructions().run(Enter {
                    probe,
                    boxes,
                    limit,
                });
                let depth = descent.depth;
                descent.times[depth] = Column(times);
                descent.left[depth] = left;
                descent.nodes[depth] = Node::of(rests, level, 0);
                descent.depth += 1;
            }
        }
        descent
    }

    /// The id of the next box that may be entered up to a limit, which may fall from call to call.
    #[inline]
    pub(in super::super) fn next_entered(
        &self,
        descent: &mut Descent<V>,
        probe: &Probe<V>,
        limit: V::Scalar,
    ) -> Option<u32> {
        self.instructions().run(Descend {
            engine: self,
            descent,
            probe,
            limit,
        })
    }
}

struct Descend<'a, V: Vector> {
    engine: &'a Engine<V>,
    descent: &'a mut Descent<V>,
    probe: &'a Probe<V>,
    limit: V::Scalar,
}

impl<V: Vector> Job for Descend<'_, V> {
    type Output = Option<u32>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Option<u32> {
        let Self {
            engine,
            descent,
            probe,
            limit,
        } = self;
        let Descent {
            times,
            left,
            nodes,
            depth,
        } = descent;
        let never = <W<V, S>>::splat(simd, V::Scalar::INFINITY);
        while let Some(top) = depth.checked_sub(1) {
            let lanes = Mask::new(simd, left[top]);
            let row = <W<V, S>>::load(simd, &times[top].0).only(lanes, never);
            let first = row.smallest();
            // An infinite limit is above the time of no lane, too.
            if left[top] == 0 || first > limit {
                *depth = top;
                continue;
            }
            let nearest = row.at_most(<W<V, S>>::splat(simd, first)).bits(simd);
            let lane = nearest.trailing_zeros() as usize % LANES;
            left[top] &= !(1 << lane);
            let Node::Of { rests, level, at } = Node::new(nodes[top]) else {
                continue;
            };
            let tree = engine.tree(rests);
            if level == 0 {
                let id = tree.ids[at].0[lane];
                if engine.pending.is_empty() || engine.items.is_settled(id) {
                    return Some(id);
                }
                continue;
            }
            let (level, at) = (level - 1, at * LANES + lane);
            let (enter, lanes) = probe.times(simd, &tree.levels[level][at], limit);
            if !lanes.is_empty() {
                // A row of which all is gone into makes room for that below it.
                let next = if left[top] == 0 { top } else { top + 1 };
                times[next] = Column(enter.store());
                left[next] = lanes.bits(simd);
                nodes[next] = Node::of(rests, level, at);
                *depth = next + 1;
            }
        }
        None
    }
}
