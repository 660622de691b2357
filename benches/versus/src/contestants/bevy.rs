//! bevy's bounding volumes, those of `bevy_math`, which live in `bevy_shape` since 0.20.

use bevy_math::Vec3A;
use bevy_shape::{Aabb3d, BoundingSphere, IntersectsVolume};

use super::Crate;
use crate::contestant::one_by_one::{OneByOne, Test};
use crate::jobs::predicate::{Tester, tester};
use crate::worlds::{Ball, Bounds};

pub(super) struct Entries;

impl Crate for Entries {
    fn predicate(&self) -> Vec<Tester> {
        vec![tester::<OneByOne<Volumes>>()]
    }
}

struct Volumes;

impl Test for Volumes {
    const NAME: &'static str = "bevy_math";
    type Box = Aabb3d;
    type Ball = BoundingSphere;

    fn cuboid(cuboid: &Bounds<3>) -> Aabb3d {
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
