//! Convex solids as items: the regions that overlap and contain them, and how far they are.
//!
//! A structure prunes by the box around the solid, rounded outwards. So every region is related to this box first, by
//! the same expressions as to nodes, and to the solid, in `f64`, only if that leaves it open: the tree's
//! answer is the scan's, bit for bit.

use super::{limit, reaches};
use crate::overlap::distance::near_sq;
use crate::overlap::{Contains, Distance, Overlaps, Region};
use crate::shape::polytope::{Point, Polytope, wide};
use crate::shape::{Aabb, Bounded, ConvexSolid, Ellipsoid, Hollow, Shell, Sphere};
use crate::vector::{Scalar, Vector};

/// Whether a region overlaps a solid, as the box around it decides or, where that leaves it open, `overlaps`.
#[inline]
fn box_first<R: Region>(
    region: &R,
    solid: &impl Bounded<Vector = R::Vector>,
    overlaps: impl FnOnce() -> bool,
) -> bool {
    region.relate(&solid.core()).or_ask(overlaps)
}

/// A solid in the metric of an ellipsoid, which is then the unit ball around the origin.
fn seen_by<V: Vector>(egg: &Ellipsoid<V>, solid: &Polytope) -> Polytope {
    let mut by: Point = wide(egg.semi_axes());
    by[V::DIM.min(3)..].fill(1.0);
    solid.measured(wide(egg.center()), by)
}

/// Computed in `f64` and rounded once; never less than the distance to the box around the solid, by which trees
/// prune.
impl<V: Vector> Distance for ConvexSolid<V> {
    fn distance_sq(&self, from: V) -> V::Scalar {
        let foot = self.solid.foot(wide(from));
        let distance_sq: V::Scalar =
            foot.map_or(Scalar::ZERO, |foot| Scalar::from_f64(foot.distance_sq()));
        distance_sq.larger(near_sq(&from, &self.core()))
    }
}

overlaps! {
    Sphere<V>: ConvexSolid<V>, |ball, item| box_first(ball, item, || {
        // `Nearest::radius` is a rounded distance, and a ball of that radius must find the item.
        item.overlaps(ball) || item.distance_sq(ball.center()) <= ball.radius() * ball.radius()
    });
    Hollow<Sphere<V>>: ConvexSolid<V>, |skin, item| box_first(skin, item, || item.overlaps(skin));
    Shell<V>: ConvexSolid<V>, |shell, item| box_first(shell, item, || {
        item.overlaps(&shell.filled()) && reaches(&item.solid, &Sphere::valid(shell.center(), shell.inner()))
    });
    Ellipsoid<V>: ConvexSolid<V>, |egg, item| box_first(egg, item, || seen_by(egg, &item.solid).overlaps_ball([0.0; 3], 1.0));
    Hollow<Ellipsoid<V>>: ConvexSolid<V>, |skin, item| box_first(skin, item, || {
        let seen = seen_by(&skin.0, &item.solid);
        // Some point of the solid lies on or outside the surface.
        seen.overlaps_ball([0.0; 3], 1.0) && seen.farthest_sq(V::splat(Scalar::ZERO)) >= 1.0
    });
    Aabb<V>: ConvexSolid<V>, |cell, item| box_first(cell, item, || item.overlaps(cell));
    Hollow<Aabb<V>>: ConvexSolid<V>, |skin, item| box_first(skin, item, || item.overlaps(skin));
    ConvexSolid<V>: ConvexSolid<V>, |region, item| box_first(region, item, || region.solid.meets(&item.solid));
    Hollow<ConvexSolid<V>>: ConvexSolid<V>, |skin, item| box_first(skin, item, || {
        !skin.0.contains_strictly(item) && skin.0.solid.meets(&item.solid)
    });
}

/// Whether the bounds of a solid lie within a box, by a comparison of their ends.
fn is_within<V: Vector>(
    solid: &ConvexSolid<V>,
    cell: &Aabb<V>,
    is_ordered: fn(&f64, &f64) -> bool,
) -> bool {
    let (bounds, lo, hi) = (&solid.solid.bounds, wide(cell.min()), wide(cell.max()));
    let (min, max) = (bounds.min(), bounds.max());
    (0..V::DIM.min(3)).all(|a| is_ordered(&lo[a], &min[a]) && is_ordered(&max[a], &hi[a]))
}

contains! {
    Sphere<V>: ConvexSolid<V>, |this, item|
        item.solid.farthest_sq(this.center()) <= limit(this),
        strictly item.solid.farthest_sq(this.center()) < limit(this);
    Aabb<V>: ConvexSolid<V>, |this, item|
        is_within(item, this, f64::le),
        strictly is_within(item, this, f64::lt);
    ConvexSolid<V>: ConvexSolid<V>, |this, other|
        this.solid.covers::<V>(&other.solid, |corner| this.solid.holds(corner)),
        strictly this.solid.covers::<V>(&other.solid, |corner| this.solid.encloses(&Aabb::point(corner)));
}
