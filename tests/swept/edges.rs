//! Moving shapes with answers known in closed form.

use orthant::glam::{DVec2, DVec3, Vec2, Vec3};
use orthant::{
    Aabb, Hexahedron, Hollow, Impact, Moving, Overlaps, Ray, Scalar, ShapeError, Sphere, Sweep,
};
use proptest::prelude::*;

use crate::cases::cases;

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
    // 2² + 4² + 2² < 5² < 3² + 4² + 4²: the corner decides, where tests of edges or slabs would report a hit.
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
    let half = Some((0.5, 0.5));
    assert_eq!(
        ball([-8.0, 5.0], 5.0, [16.0, 0.0]).times(&DVec2::ZERO),
        half
    );
    assert_eq!(
        ball([-11.0, -2.0], 5.0, [16.0, 12.0]).times(&DVec2::ZERO),
        half
    );
    let part = Sphere::new(DVec2::ZERO, 2.0);
    assert_eq!(ball([-11.0, -2.0], 3.0, [16.0, 12.0]).times(&part), half);
    let corner = cell([0.0, -9.0], [9.0, 0.0]);
    assert_eq!(ball([-11.0, -2.0], 5.0, [16.0, 12.0]).times(&corner), half);
    assert!(!ball([-11.0, -1.999], 5.0, [16.0, 12.0]).overlaps(&corner));
    let along = ball([-5.0, 3.0], 1.0, [20.0, 0.0]);
    let impact = along.sweep(&cell([0.0, 0.0], [10.0, 2.0])).unwrap();
    assert_eq!((impact.first, impact.last), (0.25, 0.75));
    assert_eq!(impact.normal, DVec2::Y);
    // Boxes slide along each other, and meet at a corner.
    let slide = Moving::new(cell([0.0, 2.0], [1.0, 3.0]), DVec2::new(4.0, 0.0));
    assert_eq!(
        slide.times(&cell([2.0, 0.0], [3.0, 2.0])),
        Some((0.25, 0.75))
    );
    let meet = Moving::new(cell([0.0, 3.0], [1.0, 4.0]), DVec2::new(6.0, -6.0));
    assert_eq!(meet.times(&cell([4.0, 6.0], [9.0, 9.0])), None);
    let meet = Moving::new(cell([0.0, 0.0], [1.0, 1.0]), DVec2::new(6.0, -6.0));
    assert_eq!(meet.times(&cell([4.0, 1.0], [9.0, 9.0])), None);
    assert_eq!(
        meet.times(&cell([4.0, -9.0], [9.0, -2.0])),
        Some((0.5, 1.0))
    );
    assert_eq!(
        meet.times(&cell([-9.0, -9.0], [3.0, -3.0])),
        Some((0.5, 0.5))
    );
}

#[test]
fn a_touch_at_the_horizon_counts() {
    let moving = ball([-6.0, 0.0], 1.0, [5.0, 0.0]);
    assert_eq!(moving.times(&DVec2::ZERO), Some((1.0, 1.0)));
    assert_eq!(
        moving.times(&cell([0.0, -1.0], [1.0, 1.0])),
        Some((1.0, 1.0))
    );
    assert_eq!(
        moving.until(Scalar::next_down(1.0)).times(&DVec2::ZERO),
        None
    );
    let bounds = Moving::new(cell([-6.0, 0.0], [-5.0, 1.0]), DVec2::new(5.0, 0.0));
    assert_eq!(bounds.times(&DVec2::ZERO), Some((1.0, 1.0)));
    let zero = moving.until(0.0);
    assert_eq!(zero.times(&DVec2::ZERO), None);
    assert_eq!(zero.times(&DVec2::new(-7.0, 0.0)), Some((0.0, 0.0)));
}

/// At the end of long paths the time of closest approach is rounded, so the end of the path is tested too.
#[test]
fn a_graze_at_the_horizon_counts() {
    for m in 1000..3000u16 {
        let m = f32::from(m);
        let end = Vec2::new(3.0, 4.0) * 7.0;
        let by = Vec2::new(-4.0, 3.0) * m;
        let moving = Moving::new(Sphere::new(end - by, 35.0), by);
        let times = moving.times(&Vec2::ZERO);
        assert!(times.is_some_and(|times| times.1 == 1.0), "{m}: {times:?}");
    }
}

/// Near a contact the root cancels, but the bounds limit the time of touch.
#[test]
fn a_touch_close_by_is_not_too_early() {
    for r in 1000..3000u16 {
        let r = f32::from(r) / 7.0;
        let p = (0..3).fold(r, |p, _| Scalar::next_up(p));
        let moving = Moving::new(Sphere::new(Vec2::ZERO, r), Vec2::X);
        let (first, _) = moving.times(&Vec2::new(p, 0.0)).unwrap();
        assert!(
            first >= Scalar::next_down(Scalar::next_down(p - r)),
            "{r}: {first}"
        );
    }
}

#[test]
fn a_start_in_contact_is_touched_at_once() {
    let leaving = ball([-1.0, 0.0], 1.0, [-3.0, 0.0])
        .sweep(&DVec2::ZERO)
        .unwrap();
    assert_eq!((leaving.first, leaving.last), (0.0, 0.0));
    assert_eq!(leaving.normal, DVec2::NEG_X);
    let inside = ball([0.0, 0.0], 3.0, [6.0, 0.0])
        .sweep(&DVec2::ZERO)
        .unwrap();
    assert_eq!((inside.first, inside.last), (0.0, 0.5));
    // Only the motion gives a direction.
    assert_eq!(inside.normal, DVec2::NEG_X);
    let box_around = cell([-1.0, -4.0], [9.0, 4.0]);
    let inside = ball([0.0, 0.0], 0.5, [18.5, 0.0])
        .sweep(&box_around)
        .unwrap();
    assert_eq!((inside.first, inside.last), (0.0, 9.5 / 18.5));
    assert_eq!((inside.point, inside.normal), (DVec2::NEG_X, DVec2::NEG_X));
}

/// The time since the ball left the box is too small for a number.
#[test]
fn what_is_left_behind_is_not_touched() {
    let target = Aabb::new(Vec2::new(0.0, 3e-39), Vec2::new(1.0, 2.0));
    let moving =
        |by: f32| Moving::new(Aabb::new(Vec2::ZERO, Vec2::ZERO), Vec2::new(0.0, by)).times(&target);
    assert_eq!(moving(-1e38), None);
    assert_eq!(moving(1e38).map(|times| times.0), Some(0.0));
}

#[test]
fn what_rests_touches_for_ever_or_never() {
    for horizon in [0.0, 1.0, f64::INFINITY] {
        let rest = ball([3.0, 4.0], 4.0, [0.0, 0.0]).until(horizon);
        let ever = Some((0.0, horizon));
        assert_eq!(rest.times(&Sphere::new(DVec2::ZERO, 1.0)), ever);
        assert_eq!(rest.times(&DVec2::ZERO), None);
        assert_eq!(rest.times(&cell([-9.0, -9.0], [9.0, 0.0])), ever);
        assert_eq!(rest.times(&cell([-9.0, -9.0], [9.0, -0.5])), None);
        // The ball is in a hollow box, without touching it and then touching it.
        assert_eq!(rest.times(&Hollow(cell([-9.0, -9.0], [9.0, 9.0]))), None);
        assert_eq!(rest.times(&Hollow(cell([-9.0, 0.0], [9.0, 9.0]))), ever);
        let rest = Moving::new(cell([0.0, 0.0], [1.0, 1.0]), DVec2::ZERO).until(horizon);
        assert_eq!(rest.times(&DVec2::ONE), ever);
        assert_eq!(rest.times(&DVec2::splat(1.5)), None);
        // Shapes with equal motions are at rest relative to each other.
        let pair = ball([3.0, 4.0], 4.0, [7.0, -1.0]).until(horizon);
        let other = ball([0.0, 0.0], 1.0, [7.0, -1.0]).until(f64::INFINITY);
        assert_eq!(pair.times(&other), ever);
    }
}

/// The ball moves along a wall of a hollow box, and touches it all the way.
#[test]
fn a_ball_that_slides_along_a_wall_touches_it_to_the_end() {
    let room = Hollow(cell([-9.0, 0.0], [9.0, 9.0]));
    for (height, radius) in [(0.5, 1.0), (-0.5, 1.0), (8.0, 1.5)] {
        let sliding = ball([-5.0, height], radius, [1.0, 0.0]).until(4.0);
        assert_eq!(sliding.times(&room), Some((0.0, 4.0)), "{height}");
    }
    let free = ball([-5.0, 4.0], 1.0, [1.0, 0.0]).until(4.0);
    assert_eq!(free.times(&room), None);
}

/// The surface of a box has two sides: the normal points towards the center.
#[test]
fn a_wall_that_is_touched_at_once_faces_the_center() {
    let room = Hollow(cell([0.0, 0.0], [10.0, 10.0]));
    for (x, normal) in [
        (0.5, DVec2::X),
        (-0.5, DVec2::NEG_X),
        (9.5, DVec2::NEG_X),
        (10.5, DVec2::X),
    ] {
        for by in [DVec2::X, DVec2::NEG_X, DVec2::Y] {
            let hit = ball([x, 5.0], 1.0, by.to_array()).sweep(&room).unwrap();
            assert_eq!((hit.first, hit.normal), (0.0, normal), "{x} {by}");
        }
    }
}

/// The ball begins with its center in the middle of a box. All faces are equally near, and the reported one is met head on.
#[test]
fn a_center_inside_is_met_head_on() {
    let square = cell([-1.0, -1.0], [1.0, 1.0]);
    for by in [DVec2::X, DVec2::NEG_X, DVec2::Y, DVec2::NEG_Y] {
        let hit = ball([0.0, 0.0], 0.5, by.to_array()).sweep(&square).unwrap();
        assert_eq!((hit.first, hit.normal, hit.point), (0.0, -by, -by));
    }
}

/// From inside a solid the nearest face is reported, whatever the length of its normal.
#[test]
fn a_ray_from_inside_of_a_leaning_solid() {
    let edges = [[4.0, 0.0, 0.0], [3.0, 1.0, 0.0], [0.0, 0.0, 4.0]];
    let corner = |bits: usize| {
        let along = (0..3)
            .filter(|i| bits >> i & 1 == 1)
            .map(|i| DVec3::from(edges[i]));
        along.sum::<DVec3>()
    };
    let solid = Hexahedron::from_corners([0, 1, 2, 3, 4, 5, 6, 7].map(corner));
    let slope = DVec3::new(-1.0, 3.0, 0.0) / 10f64.sqrt();
    for (below, expected) in [(0.2, slope), (0.28, DVec3::NEG_Y)] {
        // The point is `below` under the leaning face, and 0.25 above the lowest face.
        let from = DVec3::new(0.75 + below * 10f64.sqrt(), 0.25, 2.0);
        let hit = Ray::new(from, DVec3::Z).sweep(&solid).unwrap();
        assert_eq!((hit.first, hit.last), (0.0, 2.0));
        assert!((hit.normal - expected).length() < 1e-12, "{below} {hit:?}");
    }
}

#[test]
fn an_infinite_horizon_is_reached() {
    let moving = ball([-1e6, 0.0], 1.0, [1.0, 0.0]).until(f64::INFINITY);
    assert_eq!(moving.times(&DVec2::ZERO), Some((999_999.0, 1_000_001.0)));
    assert_eq!(moving.times(&DVec2::new(-2e6, 0.0)), None);
    assert_eq!(moving.times(&DVec2::new(0.0, 2.0)), None);
    let target = cell([0.0, 0.0], [5.0, 5.0]);
    assert_eq!(moving.times(&target), Some((999_999.0, 1_000_006.0)));
    let bounds = Moving::new(cell([-9.0, 0.0], [-8.0, 1.0]), DVec2::new(0.5, 0.0));
    let bounds = bounds.until(f64::INFINITY);
    assert_eq!(bounds.times(&target), Some((16.0, 28.0)));
}

#[test]
fn the_place_of_a_touch_is_in_the_world() {
    // Both balls move; they meet halfway at x = 5.
    let a = ball([0.0, 0.0], 1.0, [8.0, 2.0]);
    let b = ball([10.0, 0.0], 1.0, [-8.0, 2.0]);
    let impact = a.sweep(&b).unwrap();
    assert_eq!(
        (impact.first, impact.point, impact.normal),
        (0.5, DVec2::new(5.0, 1.0), DVec2::NEG_X)
    );
    let turned = b.sweep(&a).unwrap();
    assert_eq!(
        (turned.first, turned.point, turned.normal),
        (0.5, DVec2::new(5.0, 1.0), DVec2::X)
    );
    // A box and a ball both move.
    let target = Moving::new(cell([9.0, -9.0], [12.0, 9.0]), DVec2::new(-8.0, 0.0));
    let impact = a.sweep(&target).unwrap();
    assert_eq!(
        (impact.first, impact.point, impact.normal),
        (0.5, DVec2::new(5.0, 1.0), DVec2::NEG_X)
    );
    let turned = target.sweep(&a).unwrap();
    assert_eq!(
        (turned.first, turned.point, turned.normal),
        (0.5, DVec2::new(5.0, 1.0), DVec2::X)
    );
    // Two boxes touch in the middle of the common part of their faces.
    let moving = Moving::new(cell([0.0, 0.0], [2.0, 4.0]), DVec2::new(8.0, 0.0));
    let impact = moving.sweep(&cell([6.0, 2.0], [7.0, 9.0])).unwrap();
    let (first, last) = (0.5, 0.875);
    let (point, normal) = (DVec2::new(6.0, 3.0), DVec2::NEG_X);
    assert_eq!(
        impact,
        Impact {
            first,
            last,
            point,
            normal
        }
    );
    let impact = moving.sweep(&cell([1.5, 1.0], [7.0, 2.0])).unwrap();
    assert_eq!((impact.first, impact.normal), (0.0, DVec2::NEG_X));
}

#[test]
fn bad_motion_is_refused() {
    let ball = Sphere::new(Vec3::ZERO, 1.0);
    let refused = |by: Vec3| match Moving::try_new(ball, by) {
        Err(ShapeError::NotFinite { part, axis, .. }) => (part, axis),
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(Vec3::new(0.0, f32::NAN, 0.0)), ("displacement", 1));
    assert_eq!(
        refused(Vec3::new(0.0, 0.0, f32::NEG_INFINITY)),
        ("displacement", 2)
    );
    let moving = Moving::new(ball, Vec3::X);
    assert!(matches!(
        moving.try_until(f32::NAN),
        Err(ShapeError::Horizon { .. })
    ));
    let error = moving.try_until(-1.0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "horizon -1 is not a time from 0 to infinity"
    );
    assert_eq!(
        moving.try_until(f32::INFINITY).unwrap().horizon(),
        f32::INFINITY
    );
    // A bare point may hold any numbers, so it is checked as well.
    assert!(Moving::try_new(Vec2::NAN, Vec2::X).is_err());
}

#[test]
#[should_panic(expected = "Moving: displacement is NaN on axis 0, not a finite number")]
fn new_panics_and_says_why() {
    let _ = Moving::new(Sphere::new([0.0; 2], 1.0), [f64::NAN, 0.0]);
}

#[test]
fn the_largest_numbers_panic_nowhere() {
    let most = f32::MAX;
    for c in [most, 1e30, 1e-45, 0.0] {
        for by in [most, -most, 1e-45, 0.0] {
            let a = Moving::new(Sphere::new([c, -c], most), [by, -most]).until(f32::INFINITY);
            let b = Moving::new(Sphere::new([-c, c], 0.0), [-by, most]);
            let cell = Moving::new(Aabb::new([-most; 2], [c; 2]), [most, by]);
            for times in [
                a.times(&b),
                b.times(&a),
                a.times(&cell),
                cell.times(&b),
                cell.times(&cell),
            ] {
                assert!(times.is_none_or(|(first, last)| 0.0 <= first && first <= last));
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(1250, 20_000))]

    /// On the way back along the same path, the first and last touch swap places.
    #[test]
    fn the_way_back_is_the_way(
        c in proptest::array::uniform3(-12i8..=12), d in proptest::array::uniform3(-24i8..=24),
        r in 0u8..=6, size in proptest::array::uniform3(0u8..=4),
    ) {
        let [from, by] = [c, d].map(|v| DVec3::from_array(v.map(f64::from)));
        let there = Moving::new(Sphere::new(from, r.into()), by);
        let back = Moving::new(Sphere::new(from + by, r.into()), -by);
        let target = Aabb::new(DVec3::ZERO, DVec3::from_array(size.map(f64::from)));
        let center = target.center();
        let other = Sphere::new(center, f64::from(size[0]));
        for (there, back) in [
            (there.times(&target), back.times(&target)),
            (there.times(&center), back.times(&center)),
            (there.times(&other), back.times(&other)),
        ] {
            match (there, back) {
                (Some(there), Some(back)) => {
                    // A graze loses half of the digits.
                    prop_assert!((there.0 - (1.0 - back.1)).abs() < 1e-6, "{:?} {:?}", there, back);
                    prop_assert!((there.1 - (1.0 - back.0)).abs() < 1e-6, "{:?} {:?}", there, back);
                }
                (None, None) => {}
                (Some(times), None) | (None, Some(times)) => prop_assert!(times.1 - times.0 < 1e-6),
            }
        }
        let bounds = Aabb::new(from, from + DVec3::splat(f64::from(r)));
        let there = Moving::new(bounds, by).times(&target);
        let back = Moving::new(Aabb::new(bounds.min() + by, bounds.max() + by), -by).times(&target);
        match (there, back) {
            (Some(there), Some(back)) => {
                prop_assert!((there.0 - (1.0 - back.1)).abs() < 1e-14);
                prop_assert!((there.1 - (1.0 - back.0)).abs() < 1e-14);
            }
            (None, None) => {}
            (Some(times), None) | (None, Some(times)) => prop_assert!(times.1 - times.0 < 1e-14),
        }
    }

    /// At the first touch, the point of contact lies on both surfaces, and the normal points from the target's surface to the center.
    #[test]
    fn the_place_lies_on_both(
        c in proptest::array::uniform3(-24i8..=24), d in proptest::array::uniform3(-24i8..=24),
        e in proptest::array::uniform3(-4i8..=4),
        r in 1u8..=6, size in proptest::array::uniform3(0u8..=4),
    ) {
        let [from, by, other] = [c, d, e].map(|v| DVec3::from_array(v.map(f64::from)));
        let moving = Moving::new(Sphere::new(from, r.into()), by);
        let cell = Aabb::new(DVec3::ZERO, DVec3::from_array(size.map(f64::from)));
        let ball = Sphere::new(DVec3::ONE, f64::from(size[0]));
        let impacts = [
            moving.sweep(&Moving::new(cell, other)),
            moving.sweep(&Moving::new(ball, other)),
        ];
        for (is_ball, impact) in [false, true].into_iter().zip(impacts) {
            let Some(impact) = impact.filter(|impact| impact.first > 0.0) else { continue };
            let center = from + by * impact.first;
            let off = (center - impact.normal * f64::from(r) - impact.point).length();
            prop_assert!(off < 1e-6, "{} {:?}", off, impact);
            prop_assert!((impact.normal.length() - 1.0).abs() < 1e-15);
            prop_assert!(impact.normal.dot(by - other) < 1e-6);
            let there = impact.point - other * impact.first;
            if is_ball {
                prop_assert!(((there - DVec3::ONE).length() - ball.radius()).abs() < 1e-12);
            } else {
                prop_assert!((there - there.clamp(cell.min(), cell.max())).length() < 1e-12);
            }
        }
    }
}
