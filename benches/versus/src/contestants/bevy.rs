//! bevy's bounding volumes. They are in `bevy_shape` since bevy 0.20, and were in `bevy_math` before.

use bevy_math::Vec3A;
use bevy_shape::{Aabb3d, BoundingSphere, IntersectsVolume};

use super::Register;
use crate::contestant::at_rest::{AtRest, Find, finder};
use crate::contestant::one_by_one::{OneByOne, Test};
use crate::jobs::frustum::View;
use crate::jobs::predicate::tester;
use crate::worlds::{Ball, Bounds};

pub(super) fn enter(to: &mut Register) {
    to.predicate.push(tester::<OneByOne<Volumes>>());
    to.frustum.push(finder::<3, _, Loop>());
}

/// A loop over all boxes, as in bevy's `check_visibility` on one thread.
struct Loop(Vec<[::glam::Vec3A; 2]>);

impl AtRest<3> for Loop {
    const NAME: &'static str = "bevy's loop";

    fn build(boxes: &[Bounds<3>]) -> Self {
        let cuboid = |bounds: &Bounds<3>| [bounds.min.into(), bounds.max.into()];
        Self(boxes.iter().map(cuboid).collect())
    }
}

impl Find<3, View> for Loop {
    fn find(&mut self, view: &View, ids: &mut Vec<u32>) {
        let seen = (0..).zip(&self.0);
        let seen = seen.filter(|(_, [min, max])| view.sees(*min, *max));
        ids.extend(seen.map(|(id, _)| id));
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
