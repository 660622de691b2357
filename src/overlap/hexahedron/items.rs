//! Hexahedra, frustums and quadrilaterals as items: what regions ask of them, and how far they are.
//!
//! A structure prunes by the box around the solid, rounded outwards. So every region is asked about this box first, by
//! the very expressions that are asked of nodes, and about the solid, in `f64`, only if that leaves it open: the tree's
//! answer is the scan's, bit for bit.

use super::reaches;
use crate::overlap::distance::near_sq;
use crate::overlap::{Contains, Distance, Overlaps, Region, Relation};
use crate::shape::polytope::{Point, Polytope, Solid, wide};
use crate::shape::{
    Aabb, Bounded, Ellipsoid, Frustum, Hexahedron, Hollow, Quadrilateral, Shell, Sphere,
};
use crate::vector::{Scalar, Vector};

/// What a region answers of a solid: that of the box around it, or else what is known of the solid.
#[inline]
fn asked<R: Region>(
    region: &R,
    solid: &impl Bounded<Vector = R::Vector>,
    overlaps: impl FnOnce() -> bool,
) -> bool {
    match region.relate(&solid.core()) {
        Relation::Outside => false,
        Relation::Inside => true,
        Relation::Straddles => overlaps(),
    }
}

/// Whether the distance that is given out for an item, rounded as it is, is one that the ball reaches: the least such ball
/// is that of [`Nearest::radius`](crate::Nearest::radius).
fn is_as_near<V: Vector>(solid: &impl Distance<Vector = V>, ball: &Sphere<V>) -> bool {
    solid.distance_sq(ball.center()) <= ball.radius() * ball.radius()
}

/// A solid in the metric of an ellipsoid, which is a ball around the origin then.
fn seen_by<V: Vector>(egg: &Ellipsoid<V>, solid: &Polytope) -> Polytope {
    let mut by: Point = wide(egg.semi_axes());
    by[V::DIM.min(3)..].fill(1.0);
    solid.measured(wide(egg.center()), by)
}

/// Whether a point of it is as far from the ellipsoid's center as the surface.
fn reaches_surface<V: Vector>(seen: &Polytope) -> bool {
    seen.farthest_sq(V::splat(Scalar::ZERO)) >= 1.0
}

macro_rules! asked {
    ($item:ident: $($region:ty, |$of:ident, $solid:ident| $overlaps:expr;)*) => {
        overlaps! {$(
            $region: $item<V>, |$of, $solid| asked($of, $solid, || $overlaps);
        )*}
    };
}

macro_rules! item {
    ($item:ident) => {
        /// Computed in `f64` and rounded once; never less than that of the box around it, rounded outwards, which
        /// trees go by.
        impl<V: Vector> Distance for $item<V> {
            fn distance_sq(&self, from: V) -> V::Scalar {
                let foot = self.solid().foot(wide(from));
                let distance_sq: V::Scalar = foot.map_or(Scalar::ZERO, |foot| {
                    Scalar::from_f64(foot.distance_sq())
                });
                distance_sq.larger(near_sq(&from, &self.core()))
            }
        }

        asked!($item:
            Sphere<V>, |ball, solid| solid.overlaps(ball) || is_as_near(solid, ball);
            Hollow<Sphere<V>>, |skin, solid| solid.overlaps(skin);
            Shell<V>, |shell, solid| {
                solid.overlaps(&Sphere::valid(shell.center(), shell.outer()))
                    && reaches(solid.solid(), &Sphere::valid(shell.center(), shell.inner()))
            };
            Ellipsoid<V>, |egg, solid| seen_by(egg, solid.solid()).overlaps_ball([0.0; 3], 1.0);
            Hollow<Ellipsoid<V>>, |skin, solid| {
                let seen = seen_by(&skin.0, solid.solid());
                seen.overlaps_ball([0.0; 3], 1.0) && reaches_surface::<V>(&seen)
            };
            Aabb<V>, |cell, solid| solid.overlaps(cell);
            Hollow<Aabb<V>>, |skin, solid| solid.overlaps(skin);
        );

        contains! {
            Sphere<V>: $item<V>, |this, solid|
                {
                    let r: f64 = this.radius().into();
                    solid.solid().farthest_sq(this.center()) <= r * r
                },
                strictly {
                    let r: f64 = this.radius().into();
                    solid.solid().farthest_sq(this.center()) < r * r
                };
            Aabb<V>: $item<V>, |this, solid|
                {
                    let (bounds, lo, hi) = (&solid.solid().bounds, wide(this.min()), wide(this.max()));
                    (0..V::DIM.min(3)).all(|a| lo[a] <= bounds.min()[a] && bounds.max()[a] <= hi[a])
                },
                strictly {
                    let (bounds, lo, hi) = (&solid.solid().bounds, wide(this.min()), wide(this.max()));
                    (0..V::DIM.min(3)).all(|a| lo[a] < bounds.min()[a] && bounds.max()[a] < hi[a])
                };
        }
    };
}

item!(Hexahedron);
item!(Frustum);
item!(Quadrilateral);

macro_rules! pairs {
    ($($region:ident: $item:ident;)*) => {$(
        contains! {
            $region<V>: $item<V>, |this, other|
                this.solid().covers::<V>(other.solid()),
                strictly this.solid().covers_strictly::<V>(other.solid());
        }

        asked!($item:
            $region<V>, |region, other| region.solid().meets(other.solid());
            Hollow<$region<V>>, |skin, other| {
                !skin.0.contains_strictly(other) && skin.0.solid().meets(other.solid())
            };
        );
    )*};
}

pairs!(
    Hexahedron: Hexahedron;
    Hexahedron: Frustum;
    Frustum: Hexahedron;
    Frustum: Frustum;
    Quadrilateral: Quadrilateral;
);
