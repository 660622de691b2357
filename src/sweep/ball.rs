//! A moving ball against balls and boxes.

use super::{Impact, Moving, Sweep, Times, finite, moved, negated, unit, with_axis};
use crate::overlap::Overlaps;
use crate::shape::{Aabb, Bounded, Sphere};
use crate::vector::{Scalar, Vector};

#[inline(always)]
pub(crate) fn dot<V: Vector>(a: V, b: V) -> V::Scalar {
    let mut sum = a.axis(0) * b.axis(0);
    for i in 1..V::DIM {
        sum = sum + a.axis(i) * b.axis(i);
    }
    sum
}

/// The times of an interval at which `at + t by` is within `reach` of the origin.
///
/// `at` is the place at time 0, wherever the interval begins.
fn within<V: Vector>(at: V, by: V, reach: V::Scalar, span: Times<V>) -> Option<Times<V>> {
    let zero = V::Scalar::ZERO;
    let (from, to) = span;
    let limit = reach * reach;
    let distance_sq = |time| {
        let there = moved(at, by, time);
        dot(there, there)
    };
    let speed_sq = dot(by, by);
    if speed_sq == zero {
        return (dot(at, at) <= limit).then_some(span);
    }
    // Find a time at which it is near enough: that of the closest approach or, if rounding misses it, the end.
    let approach = dot(at, by);
    // Keep it finite, since infinity times a component of zero is NaN.
    let closest = finite((zero - approach) / speed_sq);
    let nearest = closest.larger(from).smaller(to);
    let found = if distance_sq(nearest) <= limit {
        nearest
    } else if to.is_finite() && distance_sq(to) <= limit {
        to
    } else {
        return None;
    };
    // Find the times at which it comes near enough, and at which it leaves.
    let room = (limit - distance_sq(closest)).larger(zero);
    // Take two roots, since `room * speed_sq` would overflow or vanish sooner.
    let root = room.sqrt() * speed_sq.sqrt();
    let outside = dot(at, at) - limit;
    let forward = root - approach;
    let first = if forward > zero {
        outside / forward
    } else {
        found
    };
    let last = if approach > zero {
        (zero - outside) / (approach + root)
    } else {
        forward / speed_sq
    };
    Some((
        first.larger(from).smaller(found),
        last.larger(found).smaller(to),
    ))
}

/// The motion of a center past a box on each axis, of which there are at most four; unused places repeat the first.
#[inline(always)]
pub(super) fn crossings<V: Vector>(
    ball: &Moving<Sphere<V>>,
    cell: &Aabb<V>,
) -> [Axis<V::Scalar>; 4] {
    crate::simd::from_fn(|a| {
        let a = if a < V::DIM { a } else { 0 };
        let (center, by) = (ball.shape.center().axis(a), ball.displacement.axis(a));
        Axis::new(center, by, cell.min().axis(a), cell.max().axis(a))
    })
}

/// The motion of a center past a box on one axis: before the near plane until `enter`, then between the planes until
/// `leave`, then behind the far plane.
#[derive(Clone, Copy)]
pub(super) struct Axis<S> {
    near: S,
    pub(super) enter: S,
    far: S,
    pub(super) leave: S,
}

impl<S: Scalar> Axis<S> {
    #[inline(always)]
    pub(super) fn new(center: S, by: S, low: S, high: S) -> Self {
        let (near, far) = if by < S::ZERO {
            (high, low)
        } else {
            (low, high)
        };
        let (enter, leave) = if by != S::ZERO {
            ((near - center) / by, (far - center) / by)
        } else if center < low || center > high {
            // It is before the one or behind the other for ever.
            let before = if center < low {
                S::ONE
            } else {
                S::ZERO - S::ONE
            };
            (before * S::INFINITY, before * S::INFINITY)
        } else {
            (S::ZERO - S::INFINITY, S::INFINITY)
        };
        Self {
            near,
            enter,
            far,
            leave,
        }
    }

    /// The next crossing after the time `from`, or `end` if there is none before that.
    #[inline(always)]
    pub(super) fn next(&self, from: S, end: S) -> S {
        let after = |time| if time > from { time } else { end };
        end.smaller(after(self.enter)).smaller(after(self.leave))
    }

    /// The plane from which the distance counts, from one crossing until the next; `None` between the two planes.
    #[inline(always)]
    pub(super) fn face(&self, from: S, until: S) -> Option<S> {
        if until <= self.enter {
            Some(self.near)
        } else if from >= self.leave {
            Some(self.far)
        } else {
            None
        }
    }
}

/// The times at which a moving center is within the ball's radius of a box, while their bounds meet. With a limit, only
/// the first time counts, and only up to the limit.
#[inline(always)]
fn within_of_box<V: Vector>(
    ball: &Moving<Sphere<V>>,
    cell: &Aabb<V>,
    (enter, leave): Times<V>,
    limit: Option<V::Scalar>,
) -> Option<Times<V>> {
    let (center, by, zero) = (ball.shape.center(), ball.displacement, V::Scalar::ZERO);
    let axes = crossings(ball, cell);
    let mut times: Option<Times<V>> = None;
    let mut from = enter;
    // Go from crossing to crossing: in between, the nearest point of the box lies on fixed planes.
    while from < leave {
        let until = axes
            .iter()
            .fold(leave, |until, axis| axis.next(from, until));
        let face = |a: usize| axes[a].face(from, until);
        let at = V::from_fn(|a| face(a).map_or(zero, |face| face - center.axis(a)));
        let towards = V::from_fn(|a| face(a).map_or(zero, |_| zero - by.axis(a)));
        let piece = within(at, towards, ball.shape.radius(), (from, until));
        if let Some((first, last)) = piece {
            times = Some((times.map_or(first, |times| times.0), last));
        }
        from = until;
        if limit.is_some_and(|limit| times.is_some() || from > limit) {
            break;
        }
    }
    times
}

/// The interval in which bounds meet, without time 0, for a ball that does not touch at the start.
fn later<S: Scalar>((enter, leave): (S, S)) -> (S, S) {
    (enter.larger(S::ZERO.next_up()), leave)
}

impl<V: Vector> Sweep<Sphere<V>> for Moving<Sphere<V>> {
    type Vector = V;

    /// The times begin at 0 if they touch at the start, and never before the bounds meet.
    #[inline]
    fn times(&self, target: &Sphere<V>) -> Option<Times<V>> {
        let touching = self.shape.overlaps(target);
        let entry = if touching {
            Scalar::ZERO
        } else {
            self.entry(&target.bounds())?
        };
        let (from, center, zero) = (self.shape.center(), target.center(), V::Scalar::ZERO);
        let apart = V::from_fn(|a| center.axis(a) - from.axis(a));
        let reach = self.shape.radius() + target.radius();
        let span = (zero, self.horizon);
        let times = within(apart, negated(self.displacement), reach, span);
        if touching {
            // Where it is `None`, only the plain predicate holds, by a rounding.
            return Some((zero, times.map_or(zero, |times| times.1)));
        }
        let (first, last) = times?;
        let first = first.larger(entry);
        Some((first, last.larger(first)))
    }

    fn sweep(&self, target: &Sphere<V>) -> Option<Impact<V>> {
        let times = self.times(target)?;
        let (from, center) = (self.shape.center(), target.center());
        let apart = V::from_fn(|a| from.axis(a) - center.axis(a));
        let away = moved(apart, self.displacement, times.0);
        let are_points = self.shape.radius() + target.radius() == Scalar::ZERO;
        let normal = if are_points || dot(away, away) == Scalar::ZERO {
            unit(negated(self.displacement))
        } else {
            unit(away)
        };
        let point = moved(center, normal, target.radius());
        Some(Impact::new(times, point, normal))
    }
}

impl<V: Vector> Sweep<Aabb<V>> for Moving<Sphere<V>> {
    type Vector = V;

    #[inline]
    fn times(&self, target: &Aabb<V>) -> Option<Times<V>> {
        let zero = V::Scalar::ZERO;
        let interval = self.interval(target);
        if self.shape.overlaps(target) {
            let leave = interval.map_or(self.horizon, |interval| interval.1);
            let times = within_of_box(self, target, (zero, leave), None);
            // Where it is `None`, only the plain predicate holds, by a rounding.
            return Some((zero, times.map_or(zero, |times| times.1)));
        }
        within_of_box(self, target, later(interval?), None)
    }

    #[inline]
    fn first(&self, target: &Aabb<V>, limit: V::Scalar) -> Option<V::Scalar> {
        if self.shape.overlaps(target) {
            return Some(V::Scalar::ZERO);
        }
        if limit == V::Scalar::ZERO {
            return None;
        }
        let (enter, leave) = later(self.interval(target)?);
        if enter > limit {
            return None;
        }
        let times = within_of_box(self, target, (enter, leave), Some(limit));
        times.map(|times| times.0)
    }

    fn sweep(&self, target: &Aabb<V>) -> Option<Impact<V>> {
        let times = self.times(target)?;
        let zero = V::Scalar::ZERO;
        let (lo, hi, by) = (target.min(), target.max(), self.displacement);
        let center = moved(self.shape.center(), by, times.0);
        let nearest = V::from_fn(|a| center.axis(a).larger(lo.axis(a)).smaller(hi.axis(a)));
        let away = V::from_fn(|a| center.axis(a) - nearest.axis(a));
        if self.shape.radius() > zero && dot(away, away) > zero {
            return Some(Impact::new(times, nearest, unit(away)));
        }
        // The center is in the box or on it. Take the nearest face; of several, the one that is met head on.
        let (mut depth, mut speed) = (V::Scalar::INFINITY, zero);
        let (mut axis, mut face, mut facing) = (0, lo.axis(0), zero);
        for a in 0..V::DIM {
            for (side, one) in [
                (lo.axis(a), zero - V::Scalar::ONE),
                (hi.axis(a), V::Scalar::ONE),
            ] {
                let (below, towards) = ((side - center.axis(a)) * one, zero - by.axis(a) * one);
                if below < depth || (below == depth && towards > speed) {
                    (depth, speed, axis, face, facing) = (below, towards, a, side, one);
                }
            }
        }
        let normal = with_axis(V::splat(zero), axis, facing);
        Some(Impact::new(times, with_axis(nearest, axis, face), normal))
    }
}
