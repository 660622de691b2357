use crate::overlap::{Difference, Intersection, Region, Union};
use crate::shape::{Aabb, Bounded, Ellipsoid, Hollow, Shell, Sphere};
use crate::vector::Vector;

/// A region that can be moved: what can be asked of a [`Periodic`](super::Periodic) box.
///
/// Implemented for [`Sphere`], [`Shell`], [`Ellipsoid`] and [`Aabb`], their surfaces, and what two of
/// them make together; open, for regions of yours. Those have to be [`Outside`](crate::Relation::Outside) of cells that are far
/// enough away, since all others are images to be asked for.
///
/// ```
/// use orthant::{Sphere, Translate};
/// let ball = Sphere::new([1.0, 2.0], 0.5);
/// assert_eq!(ball.translated([4.0, 0.0]), Some(Sphere::new([5.0, 2.0], 0.5)));
/// assert_eq!(ball.translated([f64::INFINITY, 0.0]), None);
/// ```
pub trait Translate: Region + Bounded<Vector = <Self as Region>::Vector> + Sized {
    /// The region moved by a vector: a sum for each coordinate, rounded once. `None` where one is not
    /// finite.
    fn translated(&self, by: <Self as Region>::Vector) -> Option<Self>;
}

fn sum<V: Vector>(place: V, by: V) -> V {
    V::from_fn(|a| place.axis(a) + by.axis(a))
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
