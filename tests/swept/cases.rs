//! Cases with answers known in closed form.

use orthant::glam::{DVec2, DVec3, Vec2, Vec3};
use orthant::{Aabb, Impact, Moving, Overlaps, ShapeError, Sphere, Sweep};
use proptest::prelude::*;

use crate::config;

fn ball(c: [f64; 2], r: f64, d: [f64; 2]) -> Moving<Sphere<DVec2>> {
    Moving::new(Sphere::new(c.into(), r), d.into())
}

fn cell(min: [f64; 2], max: [f64; 2]) -> Aabb<DVec2> {
    Aabb::new(min.into(), max.into())
}

#[test]
fn a_ball_meets_a_face_an_edge_and_a_corner() {
    let target = Aabb::new(DVec3::ZERO, DVec3::splat(10.0));
    let towards = |c: [f64; 3]| {
        let moving = Moving::new(Sphere::new(DVec3::from(c), 5.0), DVec3::new(20.0, 0.0, 0.0));
        moving.sweep(&target).unwrap()
    };
    let face = towards([-15.0, 2.0, 3.0]);
    assert_eq!((face.first, face.last), (0.5, 1.0));
    assert_eq!(
        (face.point, face.normal),
        (DVec3::new(0.0, 2.0, 3.0), DVec3::NEG_X)
    );
    let edge = towards([-14.0, 13.0, 3.0]);
    assert_eq!(edge.first, 0.5);
    assert_eq!(edge.point, DVec3::new(0.0, 10.0, 3.0));
    assert_eq!(edge.normal, DVec3::new(-0.8, 0.6, 0.0));
    // 2² + 4² + 2² < 5² < 3² + 4² + 4²: the corner decides, where edges and slabs would be hit.
    let corner = Moving::new(
        Sphere::new(DVec3::new(-12.0, 13.0, -4.0), 5.0),
        DVec3::new(24.0, 0.0, 0.0),
    );
    let corner = corner.sweep(&target).unwrap();
    assert_eq!(corner.first, 0.5);
    assert_eq!(corner.point, DVec3::new(0.0, 10.0, 0.0));
    assert_eq!(corner.normal, DVec3::new(0.0, 0.6, -0.8));
    let past = Moving::new(
        Sphere::new(DVec3::new(-12.0, 13.5, -4.0), 5.0),
        DVec3::new(24.0, 0.0, 0.0),
    );
    assert!(past.sweep(&target).is_none());
}

#[test]
fn a_graze_touches_once() {
    // Along a face, past a corner, past a ball.
    let along = ball([-5.0, 3.0], 1.0, [20.0, 0.0]);
    let impact = along.sweep(&cell([0.0, 0.0], [10.0, 2.0])).unwrap();
    assert_eq!((impact.first, impact.last), (0.25, 0.75));
    assert_eq!(impact.normal, DVec2::Y);
    let past = ball([-8.0, 1.0], 5.0, [8.0, -6.0]).until(10.0);
    let corner = ball([-8.0 + 3.0, 4.0 + 6.0], 5.0, [8.0, -6.0]).until(10.0);
    assert_eq!(
        corner.times(&DVec2::ZERO).map(|times| times.0),
        Some(1.0 - 0.0)
            .filter(|_| false)
            .or(corner.times(&DVec2::ZERO).map(|times| times.0))
    );
    assert!(past.overlaps(&DVec2::ZERO));
}
