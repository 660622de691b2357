//! A moving box against points, boxes and balls: slabs, but for the ball, which sees it the other
//! way round.

use super::{Impact, Moving, Sweep, Times, moved, negated};
use crate::shape::{Aabb, Sphere};
use crate::vector::{Scalar, Vector};

/// When two boxes touch along one axis: `lo..hi` rests, `below..above` moves.
fn slab<S: Scalar>([lo, hi]: [S; 2], [below, above]: [S; 2], by: S) -> Option<(S, S)> {
    // What is left behind already is, though the time since then vanish.
    if by > S::ZERO {
        (below <= hi).then_some(((lo - above) / by, (hi - below) / by))
    } else if by < S::ZERO {
        (lo <= above).then_some(((hi - below) / by, (lo - above) / by))
    } else {
        // For ever, or never.
        (lo <= above && below <= hi).then_some((S::ZERO - S::INFINITY, S::INFINITY))
    }
}

fn slab_of<V: Vector>(mover: &Moving<Aabb<V>>, target: &Aabb<V>, a: usize) -> Option<Times<V>> {
    let ends = |cell: &Aabb<V>| [cell.min().axis(a), cell.max().axis(a)];
    slab(ends(target), ends(&mover.shape), mover.displacement.axis(a))
}

impl<V: Vector> Sweep<Aabb<V>> for Moving<Aabb<V>> {
    type Vector = V;

    #[inline]
    fn times(&self, target: &Aabb<V>) -> Option<Times<V>> {
        let (mut first, mut last) = (V::Scalar::ZERO, self.horizon);
        for a in 0..V::DIM {
            let (enter, leave) = slab_of(self, target, a)?;
            // In this order, so that a zero keeps its sign.
            first = enter.larger(first);
            last = last.smaller(leave);
        }
        // A time beyond the numbers is none, as for a ball.
        (first <= last && first.is_finite()).then_some((first, last))
    }

    fn sweep(&self, target: &Aabb<V>) -> Option<Impact<V>> {
        let (zero, one) = (V::Scalar::ZERO, V::Scalar::ONE);
        let (first, last) = self.times(target)?;
        let lo = moved(self.shape.min(), self.displacement, first);
        let hi = moved(self.shape.max(), self.displacement, first);
        // Through the face that was reached last; of boxes that overlap from the start, out by the
        // shortest way.
        let mut best = (zero - V::Scalar::INFINITY, 0, zero);
        for a in 0..V::DIM {
            let by = self.displacement.axis(a);
            let sides = if first > zero {
                let enter = slab_of(self, target, a)?.0;
                [(enter, if by > zero { zero - one } else { one }); 2]
            } else {
                [
                    (target.min().axis(a) - hi.axis(a), zero - one),
                    (lo.axis(a) - target.max().axis(a), one),
                ]
            };
            for (rank, facing) in sides {
                let against = by * facing < zero && rank == best.0;
                if rank > best.0 || (against && best.2 * self.displacement.axis(best.1) >= zero) {
                    best = (rank, a, facing);
                }
            }
        }
        let half = V::Scalar::from_f64(0.5);
        let point = V::from_fn(|a| {
            let (below, above) = (target.min().axis(a), target.max().axis(a));
            // In the target, though where the mover is may be rounded out of it.
            let within = |x: V::Scalar| x.larger(below).smaller(above);
            within(lo.axis(a)) * half + within(hi.axis(a)) * half
        });
        Some(Impact {
            first,
            last,
            point,
            normal: V::from_fn(|a| if a == best.1 { best.2 } else { zero }),
        })
    }
}

impl<V: Vector> Sweep<V> for Moving<Aabb<V>> {
    type Vector = V;

    #[inline]
    fn times(&self, target: &V) -> Option<Times<V>> {
        self.times(&Aabb::point(*target))
    }

    fn sweep(&self, target: &V) -> Option<Impact<V>> {
        let impact = self.sweep(&Aabb::point(*target))?;
        Some(Impact {
            point: *target,
            ..impact
        })
    }
}

impl<V: Vector> Moving<Aabb<V>> {
    /// The ball moves, and the box rests.
    fn reversed(&self, ball: &Sphere<V>) -> Moving<Sphere<V>> {
        Moving {
            shape: *ball,
            displacement: negated(self.displacement),
            horizon: self.horizon,
        }
    }
}

impl<V: Vector> Sweep<Sphere<V>> for Moving<Aabb<V>> {
    type Vector = V;

    #[inline]
    fn times(&self, target: &Sphere<V>) -> Option<Times<V>> {
        self.reversed(target).times(&self.shape)
    }

    fn sweep(&self, target: &Sphere<V>) -> Option<Impact<V>> {
        let impact = self.reversed(target).sweep(&self.shape)?;
        Some(Impact {
            point: moved(impact.point, self.displacement, impact.first),
            normal: negated(impact.normal),
            ..impact
        })
    }
}
