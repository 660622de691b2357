//! When a moving box may enter sixteen others.
//!
//! Times are lower bounds of those that bodies tell: the box is widened by more than what the
//! predicate of a ball at rest may round away, quotients are products with an inverse, and four
//! roundings are paid for with eight. What is told, and in which order, is decided by exact times.

use core::ops::Range;

use fearless_simd::Simd;

use super::Engine;
use super::queries::Node;
use super::tree::NOBODY;
use crate::overlap::lanes::Boxes;
use crate::simd::{Job, LANES};
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
}

/// Finds the times; NaN where a box is not entered up to a limit.
struct Enter<'a, V: Vector> {
    probe: &'a Probe<V>,
    boxes: &'a Boxes<V>,
    limit: V::Scalar,
}

impl<V: Vector> Job for Enter<'_, V> {
    type Output = [V::Scalar; LANES];

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> [V::Scalar; LANES] {
        let Self {
            probe,
            boxes,
            limit,
        } = self;
        let (zero, one, most) = (V::Scalar::ZERO, V::Scalar::ONE, V::Scalar::MAX);
        let slack = V::Scalar::from_f64(8.0) * V::Scalar::EPSILON;
        let (shorter, longer, least) = (one - slack, one + slack, V::Scalar::MIN_POSITIVE);
        let mut enter = [zero; LANES];
        let mut leave = [limit; LANES];
        for axis in 0..V::DIM {
            let lows = &boxes.low.as_ref()[axis].0;
            let highs = &boxes.high.as_ref()[axis].0;
            let (below, above) = (probe.low.axis(axis), probe.high.axis(axis));
            let (by, inverse) = (probe.displacement.axis(axis), probe.inverse.axis(axis));
            if by == zero {
                for lane in 0..LANES {
                    let apart = (lows[lane] > above) | (below > highs[lane]);
                    leave[lane] = if apart { zero - one } else { leave[lane] };
                }
                continue;
            }
            for lane in 0..LANES {
                let (ahead, behind) = if by > zero {
                    (lows[lane] - above, highs[lane] - below)
                } else {
                    (below - highs[lane], above - lows[lane])
                };
                let first = ahead.smaller(most) * inverse * shorter - least;
                let last = behind * inverse * longer + least;
                enter[lane] = enter[lane].larger(first);
                leave[lane] = leave[lane].smaller(last);
            }
        }
        for lane in 0..LANES {
            // Not a number is below no limit.
            let never = zero * V::Scalar::INFINITY;
            enter[lane] = if enter[lane] <= leave[lane] {
                enter[lane]
            } else {
                never
            };
        }
        enter
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
        let times = self.instructions().run(Enter {
            probe,
            boxes: &tree.levels[level][at],
            limit,
        });
        let lanes: Range<usize> = 0..LANES;
        for lane in lanes.filter(|&lane| times[lane] <= limit) {
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
