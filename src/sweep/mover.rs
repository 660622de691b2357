//! Rays and moving shapes, as structures take them.

use super::{Moving, Ray, Sweep};
use crate::overlap::lanes::Plain;
use crate::overlap::{Extent, Overlaps, Region};
use crate::shape::{Aabb, Bounded, Sphere};
use crate::vector::Vector;

/// A shape that can be sent through a structure of items `T`: a [`Ray`], a [`Moving`] sphere or box.
///
/// [`Sweep`] tests one item; a mover also bounds the times at which it touches the space around items, so that
/// structures can prune.
///
/// ```
/// use orthant::{Bounded, Mover, Orthtree, Ray, SpatialIndex};
/// fn meets<T: Bounded + Clone + Sync>(items: &[T], mover: impl Mover<T>) -> bool {
///     Orthtree::new(items).sweep(mover).is_some()
/// }
/// assert!(meets(&[[3.0, 0.0]], Ray::new([0.0, 0.0], [1.0, 0.0])));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be sent through a structure of `{T}`",
    label = "meets no `{T}`",
    note = "what is sent is a `Ray`, a `Moving<Sphere>` or a `Moving<Aabb>`, of the same type of vector; what it meets are points, spheres and boxes, of a `Ray` solids of planes too, and what `With` or `orthant::item!` makes of them"
)]
pub trait Mover<T: Bounded>:
    Sweep<T, Vector = T::Vector> + Overlaps<T> + Region<Vector = T::Vector>
{
    /// A time before which nothing of an extent is touched; `None` if nothing is.
    #[doc(hidden)]
    fn bound(&self, extent: &Extent<T::Vector>) -> Option<<T::Vector as Vector>::Scalar>;

    /// The mover in arrays, whatever its vectors are.
    #[doc(hidden)]
    fn cast(&self) -> Cast<<T::Vector as Vector>::Array>;
}

/// The kinds of movers, in arrays.
#[derive(Clone, Copy, Debug)]
pub enum Cast<V: Vector> {
    Ray(Ray<V>),
    Box(Moving<Aabb<V>>),
    Ball(Moving<Sphere<V>>),
}

impl<S, T> Mover<T> for Moving<S>
where
    S: Bounded<Vector = T::Vector> + Region<Vector = T::Vector>,
    T: Bounded,
    Self: Sweep<T, Vector = T::Vector>,
{
    #[inline]
    fn bound(&self, extent: &Extent<T::Vector>) -> Option<<T::Vector as Vector>::Scalar> {
        self.bound_of_extent::<T>(extent)
    }

    fn cast(&self) -> Cast<<T::Vector as Vector>::Array> {
        let (by, horizon) = (self.displacement.array(), self.horizon);
        match self.shape.plain().map(Plain::cast).filter(Plain::is_usual) {
            Some(Plain::Box(bounds)) => Cast::Box(Moving::made(bounds, by, horizon)),
            Some(Plain::Ball(ball)) => Cast::Ball(Moving::made(
                Sphere::valid(ball.center, ball.outer),
                by,
                horizon,
            )),
            None => unreachable!("only balls and boxes move"),
        }
    }
}

impl<V, T> Mover<T> for Ray<V>
where
    V: Vector,
    T: Bounded<Vector = V>,
    Self: Sweep<T, Vector = V>,
{
    #[inline]
    fn bound(&self, extent: &Extent<V>) -> Option<V::Scalar> {
        self.as_ball().bound_of_extent::<T>(extent)
    }

    fn cast(&self) -> Cast<V::Array> {
        Cast::Ray(self.arrays())
    }
}
