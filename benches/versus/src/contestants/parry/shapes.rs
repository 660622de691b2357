//! parry's tests of shapes.

use super::vector;
use crate::contestant::one_by_one::Test;
use crate::worlds::{Ball, Bounds};
use parry3d::bounding_volume::{Aabb, BoundingSphere};
use parry3d::math::Pose;
use parry3d::query::{PointQuery, intersection_test};
use parry3d::shape;

/// Compares the distance of the center from the box with the radius, which is parry's fastest test.
pub(super) struct Distance;

impl Test for Distance {
    const NAME: &'static str = "parry3d";
    type Box = Aabb;
    type Ball = BoundingSphere;

    fn cuboid(cuboid: &Bounds<3>) -> Aabb {
        Aabb::new(vector(cuboid.min), vector(cuboid.max))
    }

    fn ball(ball: &Ball) -> BoundingSphere {
        BoundingSphere::new(vector(ball.center), ball.radius)
    }

    fn meet(cuboid: &Aabb, ball: &BoundingSphere) -> bool {
        cuboid.distance_to_local_point(ball.center, true) <= ball.radius
    }
}

/// The general test of two shapes with poses.
pub(super) struct Shapes;

impl Test for Shapes {
    const NAME: &'static str = "parry3d shapes";
    type Box = (Pose, shape::Cuboid);
    type Ball = (Pose, shape::Ball);

    fn cuboid(cuboid: &Bounds<3>) -> Self::Box {
        let bounds = Distance::cuboid(cuboid);
        (
            Pose::from_translation(bounds.center()),
            shape::Cuboid::new(bounds.half_extents()),
        )
    }

    fn ball(ball: &Ball) -> Self::Ball {
        (
            Pose::from_translation(vector(ball.center)),
            shape::Ball::new(ball.radius),
        )
    }

    fn meet(cuboid: &Self::Box, ball: &Self::Ball) -> bool {
        intersection_test(&cuboid.0, &cuboid.1, &ball.0, &ball.1)
            .expect("cuboids and balls are supported")
            .intersecting
    }
}
