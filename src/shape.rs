//! The shapes: boxes, spheres, shells, ellipsoids, planes, solids of at most six planes, and their surfaces.
//!
//! A shape is valid from its constructor on, which is why no predicate or query can fail. All are
//! closed sets: their boundary belongs to them.

/// Declares a shape: the struct, a getter for each field, and serde's traits, which read it through its constructor.
/// A second type parameter is a norm.
macro_rules! shape {
    (
        $(#[$about:meta])*
        pub struct $shape:ident<V $(: $bound:ident)? $(, $norm:ident)?> {
            $($(#[doc = $doc:literal])* $(#[serde($($serde:tt)*)])? $field:ident: $type:ty,)*
        }
        read through $try_new:ident
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize))]
        pub struct $shape<V $(: $bound)? $(, $norm)?> {
            $(
                $(#[cfg_attr(feature = "serde", serde($($serde)*))])?
                $field: $type,
            )*
        }

        impl<V: Vector $(, $norm: Norm<V>)?> $shape<V $(, $norm)?> {
            $(
                $(#[doc = $doc])*
                #[inline(always)]
                #[must_use]
                pub fn $field(&self) -> $type {
                    self.$field
                }
            )*
        }

        #[cfg(feature = "serde")]
        const _: () = {
            #[derive(serde::Deserialize)]
            struct Raw<V: Vector $(, $norm)?> {
                $($(#[serde($($serde)*)])? $field: $type,)*
            }

            impl<'de, V: Vector $(, $norm: Norm<V>)?> serde::Deserialize<'de> for $shape<V $(, $norm)?>
            where
                $($type: serde::Deserialize<'de>,)*
            {
                fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                    let raw: Raw<V $(, $norm)?> = serde::Deserialize::deserialize(from)?;
                    Self::$try_new($(raw.$field),*).map_err(serde::de::Error::custom)
                }
            }
        };
    };
}
pub(crate) use shape;

mod aabb;
mod frustum;
mod plane;
pub(crate) mod polytope;
mod round;
mod solid;

pub use aabb::Aabb;
pub use frustum::{Frustum, Matrix4};
pub use plane::{Plane, Side};
pub use round::{Ellipsoid, Shell, Sphere};
pub use solid::{ConvexSolid, Hexahedron, Quadrilateral};

use alloc::borrow::Cow;

use crate::error::ShapeError;
use crate::vector::{Scalar, Vector};

/// The surface of a shape, without its interior.
///
/// The surface of a box with a zero extent is the box itself, and that of a sphere of radius 0 its
/// center.
///
/// ```
/// use orthant::{Aabb, Hollow, Overlaps, Sphere};
/// let ball = Sphere::new([0.0, 0.0, 0.0], 2.0);
/// let inner = Aabb::new([-1.0; 3], [1.0; 3]);
/// assert!(ball.overlaps(&inner));
/// assert!(!Hollow(ball).overlaps(&inner));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Hollow<S>(pub S);

/// A thing with a place, which structures hold as an item.
///
/// Implemented for points (every [`Vector`]), [`Aabb`], [`Sphere`] and hollow boxes, which can be tested against all
/// regions of the crate; for [`Hexahedron`], [`Frustum`] and [`Quadrilateral`], which can be tested against all but
/// moving shapes; and for [`Ellipsoid`] and [`Hollow`], which are regions. Implement it so that structures hold types
/// of yours. An item lies within `radius` of its `core`; most items define only their `core`, a box around them.
/// Keeping a ball's radius apart from its center lets structures prune by the very arithmetic of the ball test (see
/// [`Region::relate_balls`]).
/// ```
/// use orthant::{Aabb, Bounded};
/// struct Wall { from: [f32; 2], to: [f32; 2] }
/// impl Bounded for Wall {
///     type Vector = [f32; 2];
///     fn core(&self) -> Aabb<[f32; 2]> { Aabb::spanning(self.from, self.to) }
/// }
/// let wall = Wall { from: [2.0, 0.0], to: [0.0, 1.0] };
/// assert_eq!(wall.bounds(), Aabb::new([0.0, 0.0], [2.0, 1.0]));
/// ```
///
/// [`Region::relate_balls`]: crate::Region::relate_balls
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an item of a structure: it does not implement `Bounded`",
    label = "not an item",
    note = "items are points (vectors of `orthant::glam`, arrays `[f32; N]`), `Aabb`, `Sphere`, or a type of yours: `orthant::item!(Type: Aabb<Vec3>, |this| this.walls)`, or `impl orthant::Bounded`",
    note = "a point of another version of glam needs the feature of that version: `glam033` for glam 0.33 (bevy 0.20, parry3d 0.31), `glam032` for glam 0.32 (bevy 0.19)"
)]
pub trait Bounded {
    /// The type of its points.
    type Vector: Vector;

    /// Whether [`radius`](Self::radius) may be other than 0.
    const HAS_RADIUS: bool = false;

    /// The columns in which structures may keep items.
    #[doc(hidden)]
    const LAYOUT: Layout = Layout::Whole;

    /// Restores an item from its core and radius, if these are all that it consists of. Columns are then all that
    /// structures keep of it.
    #[doc(hidden)]
    const FROM_PARTS: FromParts<Self> = None;

    /// Whether the item is exactly a box grown by a radius, those that [`rounded`](Self::rounded) returns.
    #[doc(hidden)]
    const IS_ROUNDED: bool = !matches!(Self::LAYOUT, Layout::Whole);

    /// A box that, grown by `radius`, encloses the item.
    fn core(&self) -> Aabb<Self::Vector>;

    /// How far the item may reach out of its core.
    #[inline]
    fn radius(&self) -> <Self::Vector as Vector>::Scalar {
        Scalar::ZERO
    }

    /// A box that encloses the item, rounded outwards.
    fn bounds(&self) -> Aabb<Self::Vector> {
        self.core().grown(self.radius())
    }

    /// The box and the radius that make up an item that is [rounded](Self::IS_ROUNDED): a radius for balls, even if
    /// it is 0, and `None` for points and boxes.
    #[doc(hidden)]
    #[inline(always)]
    fn rounded(&self) -> (Aabb<Self::Vector>, Option<<Self::Vector as Vector>::Scalar>) {
        (self.core(), Self::HAS_RADIUS.then(|| self.radius()))
    }

    /// The coordinates of items that are points.
    #[doc(hidden)]
    fn points(_items: &[Self]) -> Option<Cow<'_, [ArrayOf<Self>]>>
    where
        Self: Sized,
    {
        None
    }
}

/// How the items of a type lie in columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// No columns: each item is kept as it is.
    Whole,
    /// A point: its coordinates.
    Point,
    /// A box: its least coordinates, then its largest.
    Box,
    /// A ball: its center, then its radius.
    Ball,
}

impl Layout {
    /// Returns true if items have two corners.
    #[inline(always)]
    pub(crate) const fn has_corners(self) -> bool {
        matches!(self, Self::Box | Self::Whole)
    }

    /// The center of an item with some core. A point is its own center: to compute it as that of a box would take a tenth of a build.
    #[inline(always)]
    pub(crate) fn center<V: Vector>(self, core: &Aabb<V>) -> V {
        if self.has_corners() {
            core.center()
        } else {
            core.min()
        }
    }
}

/// The coordinates of an item's vectors.
pub(crate) type ScalarOf<T> = <<T as Bounded>::Vector as Vector>::Scalar;

/// Makes an item from its core and radius.
pub(crate) type FromParts<T> = Option<fn(Aabb<<T as Bounded>::Vector>, ScalarOf<T>) -> T>;

/// The arrays of an item's vectors.
pub(crate) type ArrayOf<T> = <<T as Bounded>::Vector as Vector>::Array;

/// A point's box is finite if the point is; structures check that.
#[diagnostic::do_not_recommend]
impl<V: Vector> Bounded for V {
    type Vector = V;
    const LAYOUT: Layout = Layout::Point;
    const FROM_PARTS: FromParts<V> = Some(|core, _| core.min());

    #[inline(always)]
    fn core(&self) -> Aabb<V> {
        Aabb::point(*self)
    }

    #[inline]
    fn points(items: &[V]) -> Option<Cow<'_, [V::Array]>> {
        Some(V::arrays(items))
    }
}

impl<S: Bounded> Bounded for Hollow<S> {
    type Vector = S::Vector;

    // The core is all of it, with no radius: a region that contains the center of a hollow ball may miss it.
    #[inline]
    fn core(&self) -> Aabb<S::Vector> {
        self.0.bounds()
    }
}

/// Refuses infinities and NaN; `part` names the argument.
pub(crate) fn check_finite<V: Vector>(part: &'static str, v: V) -> Result<(), ShapeError> {
    match v.non_finite_axis() {
        None => Ok(()),
        Some(axis) => Err(ShapeError::NotFinite {
            part,
            axis,
            value: v.axis(axis).into(),
        }),
    }
}

/// Refuses a radius that is negative, infinite or NaN.
pub(crate) fn check_radius<S: Scalar>(radius: S) -> Result<(), ShapeError> {
    check_number("radius", radius)?;
    // The square of the radius would hide its sign.
    if radius < S::ZERO {
        return Err(ShapeError::NegativeRadius {
            radius: radius.into(),
        });
    }
    Ok(())
}

/// Refuses a single number that is infinite or NaN.
pub(crate) fn check_number<S: Scalar>(part: &'static str, value: S) -> Result<(), ShapeError> {
    if value.is_finite() {
        return Ok(());
    }
    Err(ShapeError::NotFinite {
        part,
        axis: 0,
        value: value.into(),
    })
}
