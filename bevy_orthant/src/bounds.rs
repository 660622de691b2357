//! The place of an entity: a point, or a box that a component gives.

use std::fmt;

use bevy_ecs::component::Component;
use bevy_math::{Ray2d, Ray3d, Vec2, Vec3};
use bevy_transform::components::GlobalTransform;
use orthant::{Aabb, Vector};

/// The vectors of the plane, [`Vec2`], and of space, [`Vec3`].
pub trait Axes: Copy + fmt::Debug + Send + Sync + 'static + private::Sealed {
    /// The array of the coordinates.
    #[doc(hidden)]
    type Array: Vector<Scalar = f32>;

    /// A ray: [`Ray2d`] or [`Ray3d`].
    type Ray;

    /// Returns the origin of a ray, and its direction of length 1.
    #[doc(hidden)]
    fn parts(ray: Self::Ray) -> [Self::Array; 2];

    #[doc(hidden)]
    const ORIGIN: Self;

    #[doc(hidden)]
    fn array(self) -> Self::Array;

    /// Returns the position to which a transform maps a point.
    #[doc(hidden)]
    fn placed(transform: &GlobalTransform, point: Self) -> Self;

    /// Returns how far a box of this half size reaches from its center on each axis, after the transform's rotation and scale.
    #[doc(hidden)]
    fn reach(transform: &GlobalTransform, half_size: Self) -> Self;

    /// Returns the box with this center and half size, or none if that is no box.
    #[doc(hidden)]
    fn cuboid(center: Self, half_size: Self) -> Option<Aabb<Self::Array>>;
}

mod private {
    pub trait Sealed {}
    impl Sealed for bevy_math::Vec2 {}
    impl Sealed for bevy_math::Vec3 {}
}

macro_rules! axes {
    ($vector:ty, $ray:ty, $dim:literal, |$place:ident| $of:expr, |$flat:ident| $lifted:expr) => {
        impl Axes for $vector {
            type Array = [f32; $dim];
            type Ray = $ray;

            const ORIGIN: Self = <$vector>::ZERO;

            fn parts(ray: $ray) -> [[f32; $dim]; 2] {
                [ray.origin.array(), ray.direction.array()]
            }

            fn array(self) -> [f32; $dim] {
                self.to_array()
            }

            fn placed(transform: &GlobalTransform, $flat: Self) -> Self {
                let $place = transform.transform_point($lifted);
                $of
            }

            fn reach(transform: &GlobalTransform, $flat: Self) -> Self {
                let half: Vec3 = $lifted;
                let [x, y, z] =
                    [0, 1, 2].map(|axis| Vec3::from(transform.affine().matrix3.col(axis)));
                let $place = x.abs() * half.x + y.abs() * half.y + z.abs() * half.z;
                $of
            }

            fn cuboid(center: Self, half_size: Self) -> Option<Aabb<[f32; $dim]>> {
                let (low, high) = (center - half_size, center + half_size);
                Aabb::try_new(low.array(), high.array()).ok()
            }
        }
    };
}

axes!(Vec3, Ray3d, 3, |place| place, |point| point);
axes!(Vec2, Ray2d, 2, |place| place.truncate(), |point| point
    .extend(0.0));

/// A component that gives the box of an entity, in the entity's own space.
///
/// ```
/// use bevy_ecs::component::Component;
/// use bevy_math::Vec3;
/// use bevy_orthant::LocalBounds;
///
/// #[derive(Component)]
/// struct Hull { length: f32 }
///
/// impl LocalBounds<Vec3> for Hull {
///     fn local_bounds(&self) -> [Vec3; 2] {
///         [Vec3::ZERO, Vec3::new(0.5 * self.length, 1.0, 1.0)]
///     }
/// }
/// ```
pub trait LocalBounds<V: Axes>: Component {
    /// Returns the center, and half of the size.
    fn local_bounds(&self) -> [V; 2];
}

/// A box in an entity's own space.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub struct Bounds<V: Axes = Vec3> {
    /// The center of the box.
    pub center: V,
    /// The distance from the center to a face, on each axis.
    pub half_size: V,
}

impl<V: Axes> LocalBounds<V> for Bounds<V> {
    fn local_bounds(&self) -> [V; 2] {
        [self.center, self.half_size]
    }
}

/// The box that bevy has for the entities that it draws.
#[cfg(feature = "camera")]
impl LocalBounds<Vec3> for bevy_camera::primitives::Aabb {
    fn local_bounds(&self) -> [Vec3; 2] {
        [self.center.into(), self.half_extents.into()]
    }
}
