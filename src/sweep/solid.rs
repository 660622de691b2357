//! Rays against solids of few planes: each plane clips the ray (M. Cyrus and J. Beck, "Generalized two- and
//! three-dimensional clipping", 1978), in `f64`.

use super::{Impact, Ray, Sweep, Times, negated, unit};
use crate::overlap::Overlaps;
use crate::shape::polytope::{HalfSpace, dot, narrow, wide};
use crate::shape::{Bounded, ConvexSolid};
use crate::vector::{Scalar, Vector};

/// The times at which a ray is in a solid, and the plane through which it enters; no plane if it starts inside.
fn clipped<'a, V: Vector>(
    ray: &Ray<V>,
    target: &'a ConvexSolid<V>,
) -> Option<(Times<V>, Option<&'a HalfSpace>)> {
    let (from, along) = (wide(ray.origin()), wide(ray.direction()));
    let (mut enter, mut leave, mut face) = (0.0, f64::INFINITY, None);
    for plane in &target.solid.planes {
        let (height, slope) = (plane.at(from), dot(plane.n, along));
        if slope < 0.0 {
            let time = -height / slope;
            if time > enter {
                (enter, face) = (time, Some(plane));
            }
        } else if slope > 0.0 {
            leave = f64::min(leave, -height / slope);
        } else if height > 0.0 {
            return None;
        }
    }
    if enter > leave || enter > ray.horizon().into() {
        return None;
    }
    let mut first: V::Scalar = Scalar::from_f64(enter);
    if !target.overlaps(&ray.origin()) {
        // Touch no sooner than the box around the solid, by which structures prune.
        first = first.larger(ray.as_ball().entry(&target.core())?);
    }
    let last: V::Scalar = Scalar::from_f64(leave);
    let last = last.smaller(ray.horizon()).larger(first);
    first.is_finite().then_some(((first, last), face))
}

impl<V: Vector> Sweep<ConvexSolid<V>> for Ray<V> {
    type Vector = V;

    fn times(&self, target: &ConvexSolid<V>) -> Option<Times<V>> {
        clipped(self, target).map(|(times, _)| times)
    }

    fn sweep(&self, target: &ConvexSolid<V>) -> Option<Impact<V>> {
        let (times, face) = clipped(self, target)?;
        let (mut point, mut face) = (self.at(times.0), face);
        if face.is_none() && target.overlaps(&self.origin()) {
            // The ray starts inside.
            let (foot, plane) = target.solid.inner_foot(wide(self.origin()))?;
            (point, face) = (narrow(foot.point), Some(plane));
        }
        let outward = |plane: &HalfSpace| unit(narrow(plane.n));
        let normal = face.map_or_else(|| unit(negated(self.direction())), outward);
        Some(Impact::new(times, point, normal))
    }
}
