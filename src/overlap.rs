//! The predicates that tell whether two shapes touch.
//!
//! All distances are computed by the expressions of `overlap/distance.rs`, in one order of operations, with plain
//! multiply and add. Rounding is monotone, so these expressions are monotone in floats, too: the relation of a region to
//! a cell holds for everything inside the cell, bit for bit. So a tree answers exactly what a scan answers.
//! Rejected: fused multiply-add (an answer would depend on the machine), the center-extents form
//! and library dot products (not monotone, or another order of summation).

/// Implements [`Overlaps`] for pairs of types, a line each: `Region<V>: Item<V>, |region, item| expression;`.
/// `@always` in front stands for `#[inline(always)]`; large predicates go without it, since tests of all combinations
/// took several times as long to compile with it. Type parameters besides the vector are declared in front, as in
/// `@[K]`.
macro_rules! overlaps {
    ($(
        $(#[$about:meta])* $(@$inlined:ident)? $(@[$($more:ident $(: $bound:path)?),*])? $region:ty: $item:ty, |$this:ident, $other:ident| $overlaps:expr;
    )*) => {$(
        $(#[$about])*
        impl<V: Vector, $($($more $(: $bound)?),*)?> Overlaps<$item> for $region {
            #[inline $(($inlined))?]
            fn overlaps(&self, $other: &$item) -> bool {
                let $this = self;
                $overlaps
            }
        }
    )*};
}
pub(crate) use overlaps;

/// Implements [`Contains`] in the same syntax, with a second expression for strict containment.
macro_rules! contains {
    ($(
        $(@$inlined:ident)? $(@[$($more:ident $(: $bound:path)?),*])? $region:ty: $item:ty, |$this:ident, $other:ident| $contains:expr, strictly $strictly:expr;
    )*) => {$(
        impl<V: Vector, $($($more $(: $bound)?),*)?> Contains<$item> for $region {
            #[inline $(($inlined))?]
            fn contains(&self, $other: &$item) -> bool {
                let $this = self;
                $contains
            }

            #[inline $(($inlined))?]
            fn contains_strictly(&self, $other: &$item) -> bool {
                let $this = self;
                $strictly
            }
        }
    )*};
}

mod aabb;
pub(crate) mod ball_ball;
pub(crate) mod bisect;
pub(crate) mod columns;
pub(crate) mod combined;
pub(crate) mod distance;
#[cfg(feature = "exact")]
pub mod exact;
pub(crate) mod lanes;
mod polytope;
pub(crate) mod round;
mod rounded_box;
mod solid;
pub mod variants;

pub(crate) use aabb::clearance_sq;
pub(crate) use ball_ball::hole_sq;
pub use combined::{Complement, Difference, Intersection, Union};
pub use distance::Distance;
pub use rounded_box::RoundedBox;
pub(crate) use solid::widen;

use crate::error::{Error, ShapeError};
use crate::shape::{Aabb, Bounded, check_radius};
use crate::vector::{Scalar, Vector, assert_structure};
use lanes::Plain;
use lanes::inexact::Inexact;

/// A test whether two shapes share a point; touching counts.
///
/// Implemented for solid and hollow [`Sphere`](crate::Sphere), [`Ellipsoid`](crate::Ellipsoid) and
/// [`Aabb`] against points, boxes, hollow boxes and spheres; for these and solids of planes
/// ([`Hexahedron`](crate::Hexahedron), [`Frustum`](crate::Frustum), [`Quadrilateral`](crate::Quadrilateral)) against
/// each other. Implement it for your own types, as regions (see [`Region`]) or as items.
///
/// ```
/// use orthant::{Aabb, Hollow, Overlaps, Sphere};
/// let cube = Aabb::new([-3.0; 3], [3.0; 3]);
/// let ball = Sphere::new([0.0; 3], 1.0);
/// assert!(ball.overlaps(&cube));
/// assert!(!ball.overlaps(&Hollow(cube))); // it floats inside
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be asked whether it overlaps `{T}`",
    label = "does not overlap a `{T}`",
    note = "both must have the same type of vector",
    note = "an item of yours answers all regions after `orthant::item!(Item: Aabb<Vec3>, |item| item.walls)`; else each region needs an `impl orthant::Overlaps<Item>`"
)]
pub trait Overlaps<T: ?Sized> {
    /// True if `self` and `other` share a point.
    fn overlaps(&self, other: &T) -> bool;
}

impl<T: ?Sized, R: Overlaps<T> + ?Sized> Overlaps<T> for &R {
    #[inline(always)]
    fn overlaps(&self, other: &T) -> bool {
        (**self).overlaps(other)
    }
}

/// A test whether one solid shape lies within another.
///
/// ```
/// use orthant::{Aabb, Contains, Sphere};
/// let ball = Sphere::new([0.0, 0.0], 5.0);
/// let square = Aabb::new([-3.0, -3.0], [3.0, 4.0]);
/// assert!(ball.contains(&square)); // a corner touches from inside
/// assert!(!ball.contains_strictly(&square));
/// assert!(Aabb::new([-5.0; 2], [5.0; 2]).contains(&ball));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be asked whether it contains `{T}`",
    label = "does not contain a `{T}`",
    note = "both must have the same type of vector"
)]
pub trait Contains<T: ?Sized> {
    /// True if every point of `other` is a point of `self`.
    fn contains(&self, other: &T) -> bool;

    /// True if every point of `other` is an interior point of `self`.
    fn contains_strictly(&self, other: &T) -> bool;
}

/// How a region relates to a cell of a tree or grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Nothing in the cell overlaps the region: the cell is pruned.
    Outside,
    /// Undecided: each item in the cell must be tested.
    Straddles,
    /// Everything in the cell overlaps the region and is reported without a test.
    Inside,
}

/// A set of points by which structures can be queried.
///
/// # The law
///
/// If `relate(cell)` is [`Outside`](Relation::Outside), no item whose core lies in the cell
/// overlaps the region; if it is [`Inside`](Relation::Inside), every such item does. `relate_balls`
/// must keep this law for balls of the given radii centered in the cell. If a region keeps it as
/// computed, with rounding, every structure's answer is exactly the scan's. The surest way is to
/// compute `relate` and `overlaps` from the same monotone expressions. To return `Straddles` for
/// every cell is lawful, but slow.
///
/// ```
/// use orthant::{Aabb, Octree, Overlaps, Region, Relation, glam::Vec3};
///
/// /// All points below a height.
/// struct Below(f32);
/// impl Region for Below {
///     type Vector = Vec3;
///     fn relate(&self, cell: &Aabb<Vec3>) -> Relation {
///         if cell.max().z <= self.0 {
///             Relation::Inside
///         } else if cell.min().z <= self.0 {
///             Relation::Straddles
///         } else {
///             Relation::Outside
///         }
///     }
/// }
/// impl Overlaps<Vec3> for Below {
///     fn overlaps(&self, p: &Vec3) -> bool {
///         p.z <= self.0
///     }
/// }
/// let tree = Octree::new(&[Vec3::Z, Vec3::ZERO, Vec3::NEG_Z]);
/// assert_eq!(tree.count(Below(0.0)), 2);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a region that a structure can be asked for",
    label = "not a region",
    note = "regions are `Sphere`, `Aabb`, `Shell`, `Hollow(shape)`, `Moving` and others, references to them, or a type of yours for which you `impl orthant::Region`",
    note = "for what is near a point, ask for a ball, `Sphere::new(point, radius)`, or use `nearest(point)`"
)]
pub trait Region {
    /// The type of its points.
    type Vector: Vector;

    /// How the region relates to a solid cell.
    fn relate(&self, cell: &Aabb<Self::Vector>) -> Relation;

    /// A box around the region or most of it, which guides searches. No answer depends on it.
    fn hint(&self) -> Option<Aabb<Self::Vector>> {
        None
    }

    /// The region as a box or a ball, if it is one, which lanes compare exactly. A ball may have another norm than
    /// Euclid's, or see items in a periodic image.
    #[doc(hidden)]
    fn plain(&self) -> Option<Plain<Self::Vector>> {
        None
    }

    /// A box that holds the same points and meets the same boxes as the region, bit for bit, if there is one.
    #[doc(hidden)]
    fn cube(&self) -> Option<Aabb<Self::Vector>> {
        None
    }

    /// The region as a solid that lanes compare by bounds, if it is one.
    #[doc(hidden)]
    fn inexact(&self) -> Option<Inexact<<Self::Vector as Vector>::Array>> {
        None
    }

    /// How the region relates to balls with centers in a cell and radii from `least` to `most`.
    ///
    /// The provided method relates the region to the cell, and to the cell grown by `most`.
    fn relate_balls(
        &self,
        centers: &Aabb<Self::Vector>,
        least: <Self::Vector as Vector>::Scalar,
        most: <Self::Vector as Vector>::Scalar,
    ) -> Relation {
        let _ = least;
        let outside = self.relate(&centers.grown(most)) == Relation::Outside;
        Relation::of(
            outside,
            !outside && self.relate(centers) == Relation::Inside,
        )
    }
}

impl<R: Region + ?Sized> Region for &R {
    type Vector = R::Vector;

    #[inline(always)]
    fn relate(&self, cell: &Aabb<R::Vector>) -> Relation {
        (**self).relate(cell)
    }

    #[inline(always)]
    fn hint(&self) -> Option<Aabb<R::Vector>> {
        (**self).hint()
    }

    #[inline(always)]
    fn plain(&self) -> Option<Plain<R::Vector>> {
        (**self).plain()
    }

    #[inline(always)]
    fn cube(&self) -> Option<Aabb<R::Vector>> {
        (**self).cube()
    }

    #[inline(always)]
    fn inexact(&self) -> Option<Inexact<<R::Vector as Vector>::Array>> {
        (**self).inexact()
    }

    #[inline(always)]
    fn relate_balls(
        &self,
        centers: &Aabb<R::Vector>,
        least: <R::Vector as Vector>::Scalar,
        most: <R::Vector as Vector>::Scalar,
    ) -> Relation {
        (**self).relate_balls(centers, least, most)
    }
}

impl Relation {
    /// The relation to a cell, from whether the whole cell lies outside or inside the region. `outside` comes first.
    #[inline(always)]
    pub(crate) fn of(outside: bool, inside: bool) -> Self {
        if outside {
            Self::Outside
        } else if inside {
            Self::Inside
        } else {
            Self::Straddles
        }
    }

    /// Returns whether there is an overlap. Calls `overlaps` only if the relation leaves it open.
    #[inline(always)]
    pub(crate) fn or_ask(self, overlaps: impl FnOnce() -> bool) -> bool {
        match self {
            Self::Outside => false,
            Self::Inside => true,
            Self::Straddles => overlaps(),
        }
    }
}

/// Bounds of a set of items: a box around their cores, and their least and largest radius.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent<V: Vector> {
    pub(crate) core: Aabb<V>,
    pub(crate) least: V::Scalar,
    pub(crate) most: V::Scalar,
}

impl<V: Vector> Extent<V> {
    #[inline]
    pub(crate) fn of(item: &impl Bounded<Vector = V>) -> Self {
        Self {
            core: item.core(),
            least: item.radius(),
            most: item.radius(),
        }
    }

    #[inline]
    pub(crate) fn union(&self, other: &Self) -> Self {
        Self {
            core: self.core.union(&other.core),
            least: self.least.smaller(other.least),
            most: self.most.larger(other.most),
        }
    }

    /// Returns true if the bounds of another set lie within these.
    #[inline]
    pub(crate) fn holds(&self, inner: &Self) -> bool {
        self.core.contains(&inner.core) && self.least <= inner.least && inner.most <= self.most
    }

    #[inline(always)]
    pub(crate) fn cast<U: Vector<Array = V::Array, Scalar = V::Scalar>>(&self) -> Extent<U> {
        Extent {
            core: self.core.cast(),
            least: self.least,
            most: self.most,
        }
    }

    /// How a region relates to the items; `T` is their type.
    #[inline(always)]
    pub(crate) fn relate<T: Bounded>(&self, region: &impl Region<Vector = V>) -> Relation {
        if T::HAS_RADIUS {
            region.relate_balls(&self.core, self.least, self.most)
        } else {
            region.relate(&self.core)
        }
    }

    /// Refuses the bounds of an item that is not finite.
    #[inline(always)]
    pub(crate) fn check(&self) -> Result<(), ShapeError> {
        let (core, radius) = (&self.core, self.most);
        let (zero, most) = (V::Scalar::ZERO, V::Scalar::MAX);
        if core.is_valid() & (zero <= radius) & (radius <= most) {
            Ok(())
        } else {
            self.refuse()
        }
    }

    /// The error for an item with these bounds.
    #[cold]
    #[inline(never)]
    fn refuse(&self) -> Result<(), ShapeError> {
        check_radius(self.most)?;
        self.core.check()
    }

    /// A lower bound for the squared distance of a center from every item, as [`Center::item_sq`](distance::Center::item_sq) measures it.
    #[inline(always)]
    pub(crate) fn distance_sq<T: Bounded>(&self, from: &distance::Center<V>) -> V::Scalar {
        let core = if T::IS_ROUNDED {
            from.near_sq(&self.core)
        } else {
            distance::near_sq(&from.moved(), &self.core)
        };
        if T::HAS_RADIUS {
            distance::beyond_sq(core, self.most)
        } else {
            core
        }
    }
}

/// Refuses an item that is not finite: constructors check the crate's shapes, but not points and the user's types.
#[inline(always)]
pub(crate) fn check_item<T: Bounded>(item: &T) -> Result<(), ShapeError> {
    Extent::of(item).check()
}

/// Refuses a slice with an item that is not finite, or with more items than `u32` indices can name.
pub(crate) fn check_items<T: Bounded>(items: &[T]) -> Result<(), Error> {
    check_count(items.len())?;
    check_from(0, items)
}

/// Refuses a slice with an item that is not finite. `index` is the index of the first item of the slice, for the error.
pub(crate) fn check_from<T: Bounded>(index: usize, items: &[T]) -> Result<(), Error> {
    const { assert_structure::<T::Vector>() }
    for (index, item) in (index..).zip(items) {
        check_item(item).map_err(|error| Error::Item { index, error })?;
    }
    Ok(())
}

/// Refuses more items than `u32` can number; `u32::MAX` stands for none.
pub(crate) fn check_count(count: usize) -> Result<(), Error> {
    let most = u32::MAX as usize - 1;
    if count > most {
        return Err(Error::TooManyItems { count, most });
    }
    Ok(())
}
