use bevy_math::Vec3A;
use bevy_shape::{Aabb3d, BoundingSphere, IntersectsVolume};

use super::pairs::Test;
use crate::jobs::predicate::{Ball, Cuboid};

/// The bounding volumes of `bevy_math`, which live in `bevy_shape` since 0.20.
pub(crate) struct Volumes;

impl Test for Volumes {
    const NAME: &'static str = "bevy_math";
    type Box = Aabb3d;
    type Ball = BoundingSphere;

    fn cuboid(cuboid: &Cuboid) -> Aabb3d {
        Aabb3d {
            min: Vec3A::from_array(cuboid.min),
            max: Vec3A::from_array(cuboid.max),
        }
    }

    fn ball(ball: &Ball) -> BoundingSphere {
        BoundingSphere::new(Vec3A::from_array(ball.center), ball.radius)
    }

    fn meet(cuboid: &Aabb3d, ball: &BoundingSphere) -> bool {
        cuboid.intersects(ball)
    }
}
