//! Surfaces: the surface of a capsule with balls and boxes, and the surface of a box with moving balls.

use orthant::{
    Aabb, Broadphase, Handle, Hollow, Linear, LooseOrthtree, Motion, Moving, Orthtree, Overlaps,
    Sphere, Sweep, Volume,
};
use proptest::prelude::*;

use crate::cases::cases;

type V = [f32; 3];

fn ball((at, radius): ([i8; 3], u8)) -> Sphere<V> {
    Sphere::new(at.map(f32::from), f32::from(radius) * 0.5)
}

fn raw(range: i8, most: u8) -> impl Strategy<Value = ([i8; 3], u8)> {
    (proptest::array::uniform3(-range..=range), 0..most)
}

/// Returns a displacement along an axis by a power of two, so that closest approaches are exact.
fn way(axis: usize, exponent: i32, sign: f32) -> V {
    [0, 1, 2].map(|a| {
        if a == axis {
            sign * 2.0_f32.powi(exponent)
        } else {
            0.0
        }
    })
}

/// Returns the squared distance of a point from the path of a center, in `f64`.
fn to_way_sq(capsule: &Moving<Sphere<V>>, p: V) -> f64 {
    let (from, by) = (capsule.shape().center(), capsule.displacement());
    let sum = (0..3).map(|a| {
        let ends = [from[a], from[a] + by[a]];
        let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        f64::from(p[a] - p[a].clamp(low, high)).powi(2)
    });
    sum.sum()
}

/// Checks that trees, bodies and the scan give the expected answer.
fn same(balls: &[Sphere<V>], skin: &Hollow<Moving<Sphere<V>>>, expected: &[usize]) {
    assert_eq!(Linear::new(balls).query(skin).collect::<Vec<_>>(), expected);
    let mut found: Vec<_> = Orthtree::new(balls).query(skin).collect();
    found.sort();
    assert_eq!(found, expected);
    let mut loose = LooseOrthtree::new();
    loose.insert_batch(balls.iter().copied());
    let mut found: Vec<_> = loose.query(skin).map(Handle::slot).collect();
    found.sort();
    assert_eq!(found, expected);
    let world: Broadphase<V> = balls.iter().map(|&ball| (ball, Motion::Dynamic)).collect();
    let mut found: Vec<_> = world.query(skin).map(Handle::slot).collect();
    found.sort();
    // A body is not met unless its box is.
    let volumes: Vec<Volume<V>> = balls.iter().map(|&ball| ball.into()).collect();
    assert_eq!(found, Linear::new(&volumes).query(skin).collect::<Vec<_>>());
}

proptest! {
    #![proptest_config(cases(60, 600))]

    #[test]
    fn of_capsules_against_balls(
        raws in proptest::collection::vec(raw(20, 12), 0..150),
        of in raw(12, 24),
        axis in 0..3usize,
        exponent in 0..5i32,
        sign in prop::sample::select(&[-1.0f32, 1.0][..]),
    ) {
        let balls: Vec<_> = raws.into_iter().map(ball).collect();
        let capsule = Moving::new(ball(of), way(axis, exponent, sign));
        let radius = f64::from(capsule.shape().radius());
        let meets = |ball: &Sphere<V>| {
            let (apart_sq, r) = (to_way_sq(&capsule, ball.center()), f64::from(ball.radius()));
            apart_sq <= (radius + r).powi(2) && apart_sq >= (radius - r).max(0.0).powi(2)
        };
        let expected: Vec<_> = (0..balls.len()).filter(|&i| meets(&balls[i])).collect();
        same(&balls, &Hollow(capsule), &expected);
        // The surface of a capsule at rest is that of the ball.
        let rests = Hollow(Moving::new(ball(of), [0.0; 3]));
        let expected: Vec<_> = Linear::new(&balls).query(Hollow(ball(of))).collect();
        same(&balls, &rests, &expected);
        for cell in balls.iter().map(|ball| Aabb::new(ball.center(), ball.center().map(|x| x + ball.radius()))) {
            prop_assert_eq!(rests.overlaps(&Hollow(cell)), Hollow(ball(of)).overlaps(&Hollow(cell)));
        }
    }

    #[test]
    fn of_boxes_against_moving_balls(
        of in raw(10, 9),
        by in proptest::array::uniform3(-24i8..=24),
        low in proptest::array::uniform3(-8i8..=8),
        size in proptest::array::uniform3(0u8..=12),
        around in 0..3i8,
    ) {
        // A third of the boxes hold the ball where it starts, and a third where it ends.
        let there = [0, 1, 2].map(|a| of.0[a] + (around - 1) * by[a]);
        let low = if around > 0 { [0, 1, 2].map(|a| there[a] - 5 - size[a] as i8 / 2) } else { low };
        let size = if around > 0 { size.map(|size| size + 10) } else { size };
        let wide = |v: [i8; 3]| v.map(f64::from);
        let shape = Sphere::new(wide(of.0), f64::from(of.1) * 0.5);
        let moving = Moving::new(shape, wide(by));
        let low = wide(low);
        let skin = Hollow(Aabb::new(low, [0, 1, 2].map(|a| low[a] + f64::from(size[a]))));
        let at = |time: f64| {
            let center = shape.center();
            Sphere::new([0, 1, 2].map(|a| center[a] + time * moving.displacement()[a]), shape.radius())
        };
        let impact = moving.sweep(&skin);
        prop_assert_eq!(moving.times(&skin), impact.map(|impact| (impact.first, impact.last)));
        prop_assert_eq!(moving.overlaps(&skin), impact.is_some());
        if shape.overlaps(&skin) {
            prop_assert_eq!(impact.map(|impact| impact.first), Some(0.0));
        }
        // At these steps all numbers are exact.
        for step in 0..=64 {
            let time = f64::from(step) / 64.0;
            if at(time).overlaps(&skin) {
                prop_assert!(impact.is_some_and(|impact| impact.first <= time && time <= impact.last));
            }
        }
        let Some(impact) = impact else { return Ok(()) };
        // The shapes touch at that time, and penetrate by no more than rounding.
        for time in [impact.first, impact.last] {
            let there = at(time);
            let grown = Sphere::new(there.center(), there.radius() + 1e-9);
            prop_assert!(grown.overlaps(&skin));
        }
        prop_assert!(skin.overlaps(&impact.point) || !skin.0.overlaps(&impact.point));
        let apart: f64 = (0..3).map(|a| (at(impact.first).center()[a] - impact.point[a]).powi(2)).sum();
        prop_assert!(apart.sqrt() <= shape.radius() + 1e-9);
        let outward: f64 = (0..3).map(|a| impact.normal[a] * moving.displacement()[a]).sum();
        if impact.first > 0.0 {
            prop_assert!((apart.sqrt() - shape.radius()).abs() < 1e-9);
            prop_assert!(outward <= 1e-9, "{:?}", impact);
        }
    }
}
