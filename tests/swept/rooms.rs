//! Moving balls in hollow boxes. All numbers are halves and whole numbers, so that the position of the ball at a time is exact, and so is
//! whether it touches a wall then.

use orthant::glam::DVec2;
use orthant::{Aabb, Hollow, Moving, Overlaps, Sphere, Sweep};

/// The number of times in a unit at which the ball is tested.
const LOOKS: u32 = 4;

/// The ball moves by a unit on each axis, or by none, until `end`. It first and last touches the walls at tested times; only corners may be
/// touched between two of them.
fn check(room: &Hollow<Aabb<DVec2>>, from: DVec2, radius: f64, by: DVec2, end: u32) {
    let ball = |look: u32| Sphere::new(from + by * f64::from(look) / f64::from(LOOKS), radius);
    let touched: Vec<_> = (0..=end * LOOKS)
        .filter(|&look| ball(look).overlaps(room))
        .map(|look| f64::from(look) / f64::from(LOOKS))
        .collect();
    let moving = Moving::new(ball(0), by).until(f64::from(end));
    let found = moving.times(room);
    let scene = || format!("{moving:?} {room:?}: {found:?}, {touched:?}");
    let hit = moving.sweep(room);
    assert_eq!(hit.map(|hit| (hit.first, hit.last)), found, "{}", scene());
    let Some((first, last)) = found else {
        assert!(touched.is_empty(), "{}", scene());
        return;
    };
    let (Some(&least), Some(&most)) = (touched.first(), touched.last()) else {
        // The ball touches a corner between two tested times.
        assert!(last - first < 1.0 / f64::from(LOOKS), "{}", scene());
        return;
    };
    let agrees = |time: f64, looked: f64| {
        let looks = time * f64::from(LOOKS);
        time == looked || (looks.fract() != 0.0 && (looks - looked * f64::from(LOOKS)).abs() < 1.0)
    };
    assert!(agrees(first, least) && agrees(last, most), "{}", scene());
    let is_inside = ball(0).overlaps(&room.0) && least > 0.0;
    if let (true, Some(hit)) = (is_inside, hit) {
        // The normal of a wall that is met from inside points towards the ball.
        let center = from + by * first;
        assert_eq!(center - hit.point, hit.normal * radius, "{}", scene());
        assert!(hit.normal.dot(by) < 0.0, "{}", scene());
    }
}

#[test]
fn walls_are_met_from_both_sides() {
    for width in [2.0, 3.0, 7.0] {
        let room = Hollow(Aabb::new(DVec2::ZERO, DVec2::new(width, 4.0)));
        for x in -4..20 {
            for y in -4..12 {
                let from = DVec2::new(f64::from(x), f64::from(y)) * 0.5;
                for radius in [0.5, 1.0, 1.5, 2.0] {
                    for way in 0..9 {
                        let by = DVec2::new(f64::from(way / 3 - 1), f64::from(way % 3 - 1));
                        for end in [1, 4] {
                            check(&room, from, radius, by, end);
                        }
                    }
                }
            }
        }
    }
}

/// A ball that rests strictly inside touches nothing, although the sum of a wall's position and the radius may be rounded to the ball's center.
#[test]
fn a_ball_that_rests_by_a_wall_far_out_touches_none() {
    let far = 2.0_f64.powi(53);
    let room = Hollow(Aabb::new(DVec2::splat(far), DVec2::splat(2.0 * far)));
    let center = DVec2::new(far + 2.0, 1.5 * far);
    let ball = Sphere::new(center, 1.5);
    assert!(ball.overlaps(&room.0) && !ball.overlaps(&room));
    assert_eq!(Moving::new(ball, DVec2::ZERO).times(&room), None);
}
