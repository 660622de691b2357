//! Capsules, asked of sixteen cells or items at once, by the nearest points of boxes and of the line in the middle.

use fearless_simd::Simd;

use super::inexact::{Found, Item};
use super::{W, splat};
use crate::overlap::columns::Columns;
use crate::shape::Aabb;
use crate::simd::{Column, Mask, Wide};
use crate::vector::{Scalar, Vector};

/// A capsule: all that a moving ball sweeps over.
#[derive(Clone, Debug)]
pub struct Capsule<V: Vector> {
    pub(crate) from: V,
    pub(crate) displacement: V,
    pub(crate) horizon: V::Scalar,
    pub(crate) radius: V::Scalar,
    /// Whether the moving ball touches an item: what lanes leave open. It is known farther down in the list of rooms.
    overlaps: fn(&Self, &Item<V>) -> bool,
    /// From the start to the end of the line.
    by: V,
    /// One over the square of its length; 0 where that is none.
    inverse: V::Scalar,
    /// A box around all that overlaps.
    around: Aabb<V>,
    /// The sum of all coordinates, and the radius.
    size: V::Scalar,
}

/// Bound on the error of distances, those of lanes and of the predicates, as a multiple of the sum of the coordinates: some
/// forty operations, each rounded by half of an epsilon.
fn slack_factor<S: Scalar>() -> S {
    S::EPSILON * S::from_f64(128.0)
}

/// More than what is lost where squares vanish.
fn lost<S: Scalar>() -> S {
    S::MIN_POSITIVE.sqrt() * S::from_f64(8.0)
}

impl<V: Vector> Capsule<V> {
    /// The capsule of a ball whose motion ends; `None` where it has no end, or squares may overflow, which counts as a touch.
    pub(crate) fn new(
        (from, radius): (V, V::Scalar),
        (displacement, horizon): (V, V::Scalar),
        overlaps: fn(&Self, &Item<V>) -> bool,
    ) -> Option<Self> {
        let by = V::from_fn(|a| displacement.axis(a) * horizon);
        let to = V::from_fn(|a| from.axis(a) + by.axis(a));
        let (mut size, mut length_sq) = (radius, V::Scalar::ZERO);
        for a in 0..V::DIM {
            size = size + from.axis(a).abs() + by.axis(a).abs();
            length_sq = length_sq + by.axis(a) * by.axis(a);
        }
        let slack = size * slack_factor() + lost();
        let reach = radius + slack + slack;
        let around = Aabb::from_corners(
            V::from_fn(|a| from.axis(a).smaller(to.axis(a)) - reach),
            V::from_fn(|a| from.axis(a).larger(to.axis(a)) + reach),
        );
        if !(size * size * Scalar::from_f64(1e6)).is_finite() || around.check().is_err() {
            return None;
        }
        let inverse = V::Scalar::ONE / length_sq;
        Some(Self {
            from,
            displacement,
            horizon,
            radius,
            overlaps,
            by,
            inverse: if inverse.is_finite() {
                inverse
            } else {
                Scalar::ZERO
            },
            around,
            size,
        })
    }

    pub(super) fn overlaps(&self, item: &Item<V>) -> bool {
        (self.overlaps)(self, item)
    }

    /// A function of its own, compiled once for each instruction set. Planes are not: of points they take 1.2 to 1.5 of
    /// the time so, since a point is not seen to be a box of one corner.
    #[inline(never)]
    pub(super) fn relate_apart<S: Simd>(
        &self,
        simd: S,
        low: &Columns<V>,
        high: &Columns<V>,
        radii: Option<&Column<V::Scalar>>,
    ) -> Found {
        simd.vectorize(
            #[inline(always)]
            || self.relate(simd, low, high, radii),
        )
    }

    /// ```text
    /// q      = the point of the line nearest to the middle of the box
    /// inside = the farthest corner from q is within the radius
    /// p      = the point of the box nearest to q
    /// q      = the point of the line nearest to p; p = that of the box nearest to q
    /// held   = the distance from q to p is within the radius
    /// near   = not beyond the box around the capsule, nor parted by planes across q - p by more than the radius
    /// ```
    ///
    /// All of this is certain whichever point of the line q is; it is the nearest, or nearly so.
    #[inline(always)]
    fn relate<S: Simd>(
        &self,
        simd: S,
        low: &Columns<V>,
        high: &Columns<V>,
        radii: Option<&Column<V::Scalar>>,
    ) -> Found {
        let zero = splat::<V, S>(simd, Scalar::ZERO);
        let one = splat::<V, S>(simd, Scalar::ONE);
        let half = splat::<V, S>(simd, Scalar::from_f64(0.5));
        let inverse = splat::<V, S>(simd, self.inverse);
        let (mut lows, mut highs) = ([zero; 4], [zero; 4]);
        let (mut from, mut by, mut p) = ([zero; 4], [zero; 4], [zero; 4]);
        let (mut size, mut way) = (splat::<V, S>(simd, self.size), zero);
        let mut near = Mask::new(simd, !0);
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
            // Without a lane that holds nothing.
            near = near & lows[0].at_most(splat::<V, S>(simd, Scalar::MAX));
            let radii = <W<V, S>>::load(simd, &radii.0);
            radius = radius + radii;
            size = size + radii;
        }
        let slack = size * splat::<V, S>(simd, slack_factor()) + splat::<V, S>(simd, lost());
        let (within, beyond) = (radius - slack, radius + slack);
        let within = within.larger(zero);
        let within_sq = within * within;

        let mut time = (way * inverse).larger(zero).smaller(one);
        let (mut far_sq, mut way) = (zero, zero);
        for a in 0..V::DIM {
            let q = from[a] + time * by[a];
            let far = (q - lows[a]).larger(highs[a] - q);
            far_sq = far_sq + far * far;
            p[a] = q.larger(lows[a]).smaller(highs[a]);
            way = way + (p[a] - from[a]) * by[a];
        }
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
        // Nothing of the box is ahead of p, which is its nearest to q.
        let gap = start.smaller(start + along);
        // More than 0, though both squares vanish.
        let least = splat::<V, S>(simd, Scalar::MIN_POSITIVE);
        let beyond = beyond * beyond * apart_sq + least;
        let most = splat::<V, S>(simd, Scalar::MAX);
        let parted = beyond.at_most(most) & beyond.at_most(gap * gap) & zero.at_most(gap);
        near = near & !parted;
        // Not where the radius is less than what may be wrong.
        let sure = near & slack.at_most(radius);
        Found {
            near,
            held: sure & apart_sq.at_most(within_sq),
            inside: sure & far_sq.at_most(within_sq),
        }
    }
}
