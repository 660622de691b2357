//! Capsules against sixteen cells or items at once, by the nearest points of a box and of the line in the middle.

use fearless_simd::Simd;

use super::inexact::{BoxColumns, Item, LaneRelations};
use super::{W, splat};
use crate::shape::Aabb;
use crate::simd::{Mask, Wide};
use crate::vector::{Scalar, Vector};

/// A capsule: all that a moving ball sweeps over.
#[derive(Clone, Debug)]
pub struct Capsule<V: Vector> {
    pub(crate) from: V,
    pub(crate) displacement: V,
    pub(crate) horizon: V::Scalar,
    pub(crate) radius: V::Scalar,
    /// The exact test of an item, for what lanes leave open; a pointer, since `sweep`, where it is, is a later room.
    pub(super) overlaps: fn(&Self, &Item<V>) -> bool,
    /// The vector from the start to the end of the line.
    by: V,
    /// One over the squared length of `by`, or 0 where that is not finite.
    inverse: V::Scalar,
    /// A box around everything that overlaps.
    around: Aabb<V>,
    /// The sum of all coordinates, and the radius.
    size: V::Scalar,
}

/// Bound on the error of distances, those of lanes and of the predicates, as a multiple of the sum of the coordinates: some
/// forty operations, each rounded by half of an epsilon.
fn slack_factor<S: Scalar>() -> S {
    S::EPSILON * S::from_f64(128.0)
}

/// Bound on the error where squares underflow.
fn lost<S: Scalar>() -> S {
    S::MIN_POSITIVE.sqrt() * S::from_f64(8.0)
}

impl<V: Vector> Capsule<V> {
    /// The capsule of a ball whose motion ends. `None` if it has no end, or if squares may overflow: that counts as a
    /// touch.
    pub(crate) fn new(
        (from, radius): (V, V::Scalar),
        (displacement, horizon): (V, V::Scalar),
        overlaps: fn(&Self, &Item<V>) -> bool,
    ) -> Option<Self> {
        // The line, the size of its numbers, and the error bound from these.
        let by = V::from_fn(|a| displacement.axis(a) * horizon);
        let to = V::from_fn(|a| from.axis(a) + by.axis(a));
        let (mut size, mut length_sq) = (radius, V::Scalar::ZERO);
        for a in 0..V::DIM {
            size = size + from.axis(a).abs() + by.axis(a).abs();
            length_sq = length_sq + by.axis(a) * by.axis(a);
        }
        let slack = size * slack_factor() + lost();
        // The box around everything that overlaps, unless squares may overflow.
        let reach = radius + slack + slack;
        let around = Aabb::from_corners(
            V::from_fn(|a| from.axis(a).smaller(to.axis(a)) - reach),
            V::from_fn(|a| from.axis(a).larger(to.axis(a)) + reach),
        );
        if !(size * size * Scalar::from_f64(1e6)).is_finite() || around.check().is_err() {
            return None;
        }
        let inverse = Some(V::Scalar::ONE / length_sq).filter(|inverse| inverse.is_finite());
        Some(Self {
            from,
            displacement,
            horizon,
            radius,
            overlaps,
            by,
            inverse: inverse.unwrap_or_default(),
            around,
            size,
        })
    }

    /// [`relate`](Self::relate) out of line, compiled once for each instruction set. Planes are inlined instead: out
    /// of line they take 1.2 to 1.5 of the time for points, since the compiler does not see that a point is a box of
    /// one corner.
    #[inline(never)]
    pub(super) fn relate_apart<S: Simd>(&self, simd: S, cells: BoxColumns<'_, V>) -> LaneRelations {
        simd.vectorize(
            #[inline(always)]
            || self.relate(simd, cells),
        )
    }

    /// Compares sixteen boxes, or balls with centers in them, with the capsule by bounds:
    ///
    /// ```text
    /// q      = the point of the line nearest to the middle of the box
    /// inside = the farthest corner from q is within the radius
    /// p      = the point of the box nearest to q
    /// q      = the point of the line nearest to p; p = that of the box nearest to q
    /// held   = the distance from q to p is within the radius
    /// near   = not beyond the box around the capsule, nor parted by planes across q - p by more than the radius
    /// ```
    ///
    /// These answers are certain for any point q of the line; q is the nearest, or nearly so.
    #[inline(always)]
    fn relate<S: Simd>(&self, simd: S, (low, high, radii): BoxColumns<'_, V>) -> LaneRelations {
        let zero = splat::<V, S>(simd, Scalar::ZERO);
        let one = splat::<V, S>(simd, Scalar::ONE);
        let half = splat::<V, S>(simd, Scalar::from_f64(0.5));
        let inverse = splat::<V, S>(simd, self.inverse);
        let (mut lows, mut highs) = ([zero; 4], [zero; 4]);
        let (mut from, mut by, mut p) = ([zero; 4], [zero; 4], [zero; 4]);
        let (mut size, mut way) = (splat::<V, S>(simd, self.size), zero);
        let mut near = Mask::new(simd, !0);
        // Load the boxes, compare them with the box around the capsule, and project their middles on the line.
        for a in 0..V::DIM {
            let lo = <W<V, S>>::load(simd, &low.as_ref()[a].0);
            let hi = <W<V, S>>::load(simd, &high.as_ref()[a].0);
            (lows[a], highs[a]) = (lo, hi);
            from[a] = splat::<V, S>(simd, self.from.axis(a));
            by[a] = splat::<V, S>(simd, self.by.axis(a));
            size = size + lo.abs() + hi.abs();
            way = way + (lo * half + hi * half - from[a]) * by[a];
            if radii.is_none() {
                near = near
                    & lo.at_most(splat::<V, S>(simd, self.around.max().axis(a)))
                    & splat::<V, S>(simd, self.around.min().axis(a)).at_most(hi);
            }
        }
        let mut radius = splat::<V, S>(simd, self.radius);
        if let Some(radii) = radii {
            // Leave out lanes that hold nothing.
            near = near & lows[0].at_most(splat::<V, S>(simd, Scalar::MAX));
            let radii = <W<V, S>>::load(simd, &radii.0);
            radius = radius + radii;
            size = size + radii;
        }
        // The limits, by the error bound.
        let slack = size * splat::<V, S>(simd, slack_factor()) + splat::<V, S>(simd, lost());
        let (within, beyond) = (radius - slack, radius + slack);
        let within = within.larger(zero);
        let within_sq = within * within;

        // The point q of the line, the farthest corner from it, and the nearest point p of the box.
        let mut time = (way * inverse).larger(zero).smaller(one);
        let (mut far_sq, mut way) = (zero, zero);
        for a in 0..V::DIM {
            let q = from[a] + time * by[a];
            let far = (q - lows[a]).larger(highs[a] - q);
            far_sq = far_sq + far * far;
            p[a] = q.larger(lows[a]).smaller(highs[a]);
            way = way + (p[a] - from[a]) * by[a];
        }
        // The point q once more, from p, and the distance between the two.
        time = (way * inverse).larger(zero).smaller(one);
        let (mut apart_sq, mut start, mut along) = (zero, zero, zero);
        for a in 0..V::DIM {
            let q = from[a] + time * by[a];
            let p = q.larger(lows[a]).smaller(highs[a]);
            let apart = q - p;
            apart_sq = apart_sq + apart * apart;
            start = start + apart * (from[a] - p);
            along = along + apart * by[a];
        }
        // The box lies behind the plane through p across q - p. The line stays ahead of it by at least `gap` / |q -
        // p|.
        let gap = start.smaller(start + along);
        // More than 0, even if both squares underflow.
        let least = splat::<V, S>(simd, Scalar::MIN_POSITIVE);
        let beyond = beyond * beyond * apart_sq + least;
        let most = splat::<V, S>(simd, Scalar::MAX);
        let parted = beyond.at_most(most) & beyond.at_most(gap * gap) & zero.at_most(gap);
        near = near & !parted;
        // Nothing is sure where the radius is less than the error bound.
        let sure = near & slack.at_most(radius);
        LaneRelations {
            near,
            held: sure & apart_sq.at_most(within_sq),
            inside: sure & far_sq.at_most(within_sq),
        }
    }
}
