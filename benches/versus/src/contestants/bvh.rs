use ::bvh::{aabb::Aabb, ball};
use nalgebra::Point3;

use super::pairs::Test;
use crate::jobs::predicate::{Ball, Cuboid};

pub(crate) struct Balls;

impl Test for Balls {
    const NAME: &'static str = "bvh";
    type Box = Aabb<f32, 3>;
    type Ball = ball::Ball<f32, 3>;

    fn cuboid(cuboid: &Cuboid) -> Self::Box {
        Aabb::with_bounds(Point3::from(cuboid.min), Point3::from(cuboid.max))
    }

    fn ball(ball: &Ball) -> Self::Ball {
        ball::Ball::new(Point3::from(ball.center), ball.radius)
    }

    fn meet(cuboid: &Self::Box, ball: &Self::Ball) -> bool {
        ball.intersects_aabb(cuboid)
    }
}
