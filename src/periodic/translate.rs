//! Regions that can be moved to their images.

use crate::norm::{Norm, NormBall};
use crate::overlap::{Difference, Intersection, Region, Union};
use crate::shape::{Aabb, Bounded, Ellipsoid, Hollow, Shell, Sphere};
use crate::sweep::Moving;
use crate::vector::Vector;

/// A region that can be moved, as queries in a [`Periodic`](super::Periodic) box need.
///
/// Implemented for points, [`Sphere`], [`Shell`], [`Ellipsoid`] and [`Aabb`], their surfaces, [`NormBall`], [`Moving`]
/// shapes, and combinations of two of them; you can implement it for your own regions. A query goes through the images
/// that the [`Bounded::core`] of the region and its [radius](Bounded::radius) reach.
///
/// ```
/// use orthant::{Sphere, Translate};
/// let ball = Sphere::new([1.0, 2.0], 0.5);
/// assert_eq!(ball.translated([4.0, 0.0]), Some(Sphere::new([5.0, 2.0], 0.5)));
/// assert_eq!(ball.translated([f64::INFINITY, 0.0]), None);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be asked about in a `Periodic` box: it does not implement `Translate`",
    label = "cannot be moved to its images",
    note = "points, `Sphere`, `Shell`, `Ellipsoid` and `Aabb` can, `Hollow`, `Moving` or neither, and what two of them make together; a region of yours by `impl orthant::Translate`"
)]
pub trait Translate: Region + Bounded<Vector = <Self as Region>::Vector> + Sized {
    /// The region moved by a vector: a sum for each coordinate, rounded once. `None` where one is not
    /// finite.
    fn translated(&self, by: <Self as Region>::Vector) -> Option<Self>;
}

fn sum<V: Vector>(place: V, by: V) -> V {
    V::from_fn(|a| place.axis(a) + by.axis(a))
}

impl<V: Region<Vector = V> + Vector> Translate for V {
    #[inline]
    fn translated(&self, by: V) -> Option<Self> {
        let moved = sum(*self, by);
        moved.non_finite_axis().is_none().then_some(moved)
    }
}

impl<V: Vector> Translate for Sphere<V> {
    #[inline]
    fn translated(&self, by: V) -> Option<Self> {
        Self::try_new(sum(self.center(), by), self.radius()).ok()
    }
}

impl<V: Vector> Translate for Shell<V> {
    #[inline]
    fn translated(&self, by: V) -> Option<Self> {
        Self::try_new(sum(self.center(), by), self.inner(), self.outer()).ok()
    }
}

impl<V: Vector> Translate for Ellipsoid<V> {
    #[inline]
    fn translated(&self, by: V) -> Option<Self> {
        Self::try_new(sum(self.center(), by), self.semi_axes()).ok()
    }
}

impl<V: Vector, N: Norm<V>> Translate for NormBall<V, N> {
    #[inline]
    fn translated(&self, by: V) -> Option<Self> {
        Self::try_new(sum(self.center(), by), self.radius(), self.norm()).ok()
    }
}

impl<V: Vector> Translate for Aabb<V> {
    #[inline]
    fn translated(&self, by: V) -> Option<Self> {
        Self::try_new(sum(self.min(), by), sum(self.max(), by)).ok()
    }
}

impl<S> Translate for Hollow<S>
where
    S: Translate,
    Self: Region<Vector = <S as Region>::Vector>,
{
    #[inline]
    fn translated(&self, by: <S as Region>::Vector) -> Option<Self> {
        self.0.translated(by).map(Hollow)
    }
}

impl<S> Translate for Moving<S>
where
    S: Translate,
    Self: Region<Vector = <S as Region>::Vector> + Bounded<Vector = <S as Region>::Vector>,
{
    #[inline]
    fn translated(&self, by: <S as Region>::Vector) -> Option<Self> {
        let shape = self.shape().translated(by)?;
        Some(Self::new(shape, self.displacement()).until(self.horizon()))
    }
}

/// Moves both parts of a combination of regions.
macro_rules! pair {
    ($name:ident) => {
        impl<A, B> Translate for $name<A, B>
        where
            A: Translate,
            B: Translate + Region<Vector = <A as Region>::Vector>,
            Self: Bounded<Vector = <A as Region>::Vector>,
        {
            #[inline]
            fn translated(&self, by: <A as Region>::Vector) -> Option<Self> {
                Some(Self(self.0.translated(by)?, self.1.translated(by)?))
            }
        }
    };
}

pair!(Union);
pair!(Intersection);
pair!(Difference);
