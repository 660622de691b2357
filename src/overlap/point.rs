//! A point as a region: what holds it.
//!
//! It is asked for as the box without extent that it is; a point that is not finite lies in nothing.

use super::lanes::Plain;
use super::{Overlaps, Region, Relation};
use crate::shape::Aabb;
use crate::vector::{Vector, each_glam};

/// The box that a point is, if it is finite.
#[inline(always)]
fn as_box<V: Vector>(point: V) -> Option<Aabb<V>> {
    let is_finite = point.non_finite_axis().is_none();
    is_finite.then(|| Aabb::point(point))
}

/// One by one, since one for all vectors might clash with references, which are regions too.
macro_rules! points {
    (arrays $($dim:literal)*) => {$(
        points!([f32; $dim]);
        points!([f64; $dim]);
    )*};
    ($glam:ident) => {
        points!(::$glam::Vec2);
        points!(::$glam::Vec3);
        points!(::$glam::Vec3A);
        points!(::$glam::Vec4);
        points!(::$glam::DVec2);
        points!(::$glam::DVec3);
        points!(::$glam::DVec4);
    };
    ($vector:ty) => {
        /// Whether the point lies in it.
        impl<T: ?Sized> Overlaps<T> for $vector
        where
            Aabb<$vector>: Overlaps<T>,
        {
            #[inline]
            fn overlaps(&self, other: &T) -> bool {
                as_box(*self).is_some_and(|point| point.overlaps(other))
            }
        }

        /// All that holds the point: see [`Overlaps`].
        impl Region for $vector {
            type Vector = Self;

            #[inline]
            fn relate(&self, cell: &Aabb<Self>) -> Relation {
                as_box(*self).map_or(Relation::Outside, |point| point.relate(cell))
            }

            #[inline]
            fn hint(&self) -> Option<Aabb<Self>> {
                as_box(*self)
            }

            #[inline]
            fn plain(&self) -> Option<Plain<Self>> {
                as_box(*self).map(Plain::Box)
            }

            #[inline]
            fn relate_balls(
                &self,
                centers: &Aabb<Self>,
                least: <Self as Vector>::Scalar,
                most: <Self as Vector>::Scalar,
            ) -> Relation {
                let relate = |point: Aabb<Self>| point.relate_balls(centers, least, most);
                as_box(*self).map_or(Relation::Outside, relate)
            }
        }
    };
}

each_glam!(points);
points!(arrays 1 2 3 4 5 6 7 8);
