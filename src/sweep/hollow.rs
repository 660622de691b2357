//! A moving ball against the surface of a box: when it meets the box, less the time that it spends strictly inside.

use super::ball::Axis;
use super::{Impact, Moving, Sweep, Times, moved, negated, with_axis};
use crate::overlap::{Contains, Overlaps};
use crate::shape::{Aabb, Hollow, Sphere};
use crate::vector::{Scalar, Vector};

/// A face of a box: its axis, and whether it is the upper one.
type Face = (usize, bool);

/// The times between which a moving ball is strictly inside a box, even before the start or after the end; and the face
/// through which it leaves.
fn inside<V: Vector>(ball: &Moving<Sphere<V>>, cell: &Aabb<V>) -> Option<(Times<V>, Face)> {
    let (zero, infinity) = (V::Scalar::ZERO, V::Scalar::INFINITY);
    let (mut enter, mut leave, mut face) = (zero - infinity, infinity, (0, false));
    for a in 0..V::DIM {
        let (center, by) = (ball.shape.center().axis(a), ball.displacement.axis(a));
        // The range of the center while the ball is inside.
        let low = cell.min().axis(a) + ball.shape.radius();
        let high = cell.max().axis(a) - ball.shape.radius();
        if by == zero && !(low < center && center < high) {
            return None;
        }
        let axis = Axis::new(center, by, low, high);
        enter = enter.larger(axis.enter);
        if axis.leave < leave {
            (leave, face) = (axis.leave, (a, by > zero));
        }
    }
    (enter < leave).then_some(((enter, leave), face))
}

/// The times of a touch; and the face that is met, if it is met from inside.
fn touches<V: Vector>(
    ball: &Moving<Sphere<V>>,
    skin: &Hollow<Aabb<V>>,
) -> Option<(Times<V>, Option<Face>)> {
    let (zero, horizon) = (V::Scalar::ZERO, ball.horizon);
    let (first, last) = ball.times(&skin.0)?;
    let is_touching = ball.shape.overlaps(skin);
    // A ball that meets the box, and not its surface, is inside.
    let is_inside = !is_touching && ball.shape.overlaps(&skin.0);
    let Some(((enter, leave), face)) = inside(ball, &skin.0) else {
        // There is no time inside: the box has no room for the ball, or the ball rests. A ball that rests inside
        // touches nothing.
        let rests = is_inside && (0..V::DIM).all(|a| ball.displacement.axis(a) == zero);
        return (!rests).then_some(((first, last), None));
    };
    if is_inside {
        let first = leave.larger(zero);
        let is_met = first <= horizon && first.is_finite();
        return is_met.then_some(((first, last.larger(first)), Some(face)));
    }
    // If it is still inside at the end, the last touch is when it entered.
    let last = if leave > horizon {
        enter.larger(first).smaller(last)
    } else {
        last
    };
    Some(((first, last), None))
}

impl<V: Vector> Sweep<Hollow<Aabb<V>>> for Moving<Sphere<V>> {
    type Vector = V;

    fn times(&self, target: &Hollow<Aabb<V>>) -> Option<Times<V>> {
        touches(self, target).map(|(times, _)| times)
    }

    fn sweep(&self, target: &Hollow<Aabb<V>>) -> Option<Impact<V>> {
        let ((first, last), met) = touches(self, target)?;
        let (cell, zero, one) = (&target.0, V::Scalar::ZERO, V::Scalar::ONE);
        let Some((axis, is_upper)) = met else {
            let impact = self.sweep(cell)?;
            // The surface faces both ways.
            let inward = cell.contains_strictly(&self.shape.center()) && first == zero;
            let normal = if inward {
                negated(impact.normal)
            } else {
                impact.normal
            };
            return Some(Impact::new((first, last), impact.point, normal));
        };
        let center = moved(self.shape.center(), self.displacement, first);
        let (lo, hi) = (cell.min(), cell.max());
        let nearest = V::from_fn(|a| center.axis(a).larger(lo.axis(a)).smaller(hi.axis(a)));
        let (face, facing) = if is_upper {
            (hi, zero - one)
        } else {
            (lo, one)
        };
        let point = with_axis(nearest, axis, face.axis(axis));
        let normal = with_axis(V::splat(zero), axis, facing);
        Some(Impact::new((first, last), point, normal))
    }
}
