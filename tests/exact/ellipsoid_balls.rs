//! Ellipsoids and balls in the exact mode: round ellipsoids against spheres, tangents known in whole numbers, and others against the plain
//! predicate with a slightly larger and smaller radius.

use orthant::exact::Exact;
use orthant::glam::{DVec2, DVec3, DVec4, Vec2, Vec3};
use orthant::{Broadphase, Ellipsoid, Hollow, Motion, Overlaps, Scalar, Sphere, Vector};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use crate::random::{Source, nudged};

/// Returns whether a ball meets the solid ellipsoid, and whether it meets the surface.
fn met<V: Vector>(egg: Ellipsoid<V>, ball: Sphere<V>) -> (bool, bool) {
    let solid = Exact(egg).overlaps(&ball);
    let hollow = Exact(Hollow(egg)).overlaps(&ball);
    assert!(solid || !hollow, "{egg:?} {ball:?}");
    (solid, hollow)
}

fn round<V: Vector>(seed: u64) {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut hits = [0; 2];
    for _ in 0..1000 {
        let source = Source::draw::<V::Scalar>(&mut random);
        let center = V::from_fn(|_| source.number(&mut random));
        let mut radius = V::Scalar::ZERO;
        while radius == V::Scalar::ZERO {
            radius = source.number::<V::Scalar>(&mut random).abs();
        }
        let at = V::from_fn(|_| source.number(&mut random));
        let other = source.number::<V::Scalar>(&mut random).abs();
        let ball = Sphere::new(at, nudged(other, &mut random));
        let sphere = Sphere::new(center, radius);
        let expected = (
            Exact(sphere).overlaps(&ball),
            Exact(Hollow(sphere)).overlaps(&ball),
        );
        let egg = Ellipsoid::new(center, V::splat(radius));
        assert_eq!(met(egg, ball), expected, "{sphere:?} {ball:?}");
        hits[0] += usize::from(expected.0);
        hits[1] += usize::from(expected.1);
    }
    assert!(
        hits[0] > hits[1] && hits[1] > 100 && hits[0] < 900,
        "{hits:?}"
    );
}

#[test]
fn round_ones_are_spheres() {
    round::<[f32; 1]>(1);
    round::<Vec2>(2);
    round::<DVec3>(3);
}

/// Balls lie within an ellipse with the semi-axes 5 and 3, centered on the long axis at `4 cos`; a radius of `3 sin` would reach the ellipse
/// beside that axis while the cosine is below 4/5, in two points. From there on the end of the axis is nearest, and a little farther away. Whole
/// numbers decide: the tangents of half the angle are fractions beside 1/3.
#[test]
fn balls_that_end_just_before_the_long_axis() {
    for n in [10, 1000, 100_000, 3_000_000, 10_000_000_i64] {
        for (u, touches) in [(n - 1, false), (n, true), (n + 1, true)] {
            let v = 3 * n;
            let unit = (u * u + v * v) as f64;
            let (cos, sin) = ((v * v - u * u) as f64, (2 * u * v) as f64);
            for (long, short) in [(0, 1), (1, 0)] {
                let mut axes = DVec2::ZERO;
                (axes[long], axes[short]) = (5.0 * unit, 3.0 * unit);
                let mut center = DVec2::ZERO;
                center[long] = 4.0 * cos;
                let found = met(
                    Ellipsoid::new(DVec2::ZERO, axes),
                    Sphere::new(center, 3.0 * sin),
                );
                assert_eq!(found, (true, touches), "{n} {u}");
            }
        }
    }
}

/// Balls touch at (27, 20) on the ellipse with semi-axes 45 and 25, whose normal there is (5, 12) / 13.
#[test]
fn tangents_in_whole_numbers() {
    // At the first scale squares vanish in single precision, at the last they overflow.
    for scale in [1e-30_f32, 1.0, 1e30] {
        let unit = f32::from_bits(scale.to_bits() & f32::INFINITY.to_bits());
        let at = |x: f32, y: f32| Vec2::new(x * unit, y * unit);
        let egg = Ellipsoid::new(at(0.0, 0.0), at(45.0, 25.0));
        for away in [1.0, 2.0, 31.0] {
            let center = at(27.0 + 5.0 * away, 20.0 + 12.0 * away);
            let radius = 13.0 * away * unit;
            assert_eq!(met(egg, Sphere::new(center, radius)), (true, true));
            let less = Sphere::new(center, radius.next_down());
            assert_eq!(met(egg, less), (false, false));
        }
        let center = at(22.0, 8.0);
        let radius = 13.0 * unit;
        assert_eq!(met(egg, Sphere::new(center, radius)), (true, true));
        let less = Sphere::new(center, radius.next_down());
        assert_eq!(met(egg, less), (true, false));
    }
}

/// Balls have their centers on the axes: at the ends of the long axis the ball must be no rounder than the ellipse, and in the middle it touches
/// on both sides.
#[test]
fn tangents_on_the_axes() {
    let egg = Ellipsoid::new(Vec3::ZERO, Vec3::new(8.0, 4.0, 4.0));
    for (center, radius) in [(Vec3::X * 6.0, 2.0f32), (Vec3::ZERO, 4.0), (Vec3::Y, 3.0)] {
        assert_eq!(met(egg, Sphere::new(center, radius)), (true, true));
        let less = Sphere::new(center, radius.next_down());
        assert_eq!(met(egg, less), (true, false), "{center}");
    }
    // This ball is rounder than the end, so it comes out at the sides first.
    let out = |radius| met(egg, Sphere::new(Vec3::X * 4.5, radius)).1;
    assert!(out(3.5) && out(3.05) && !out(3.04));
    for (center, radius) in [(Vec3::X * 9.0, 1.0f32), (Vec3::Z * 104.0, 100.0)] {
        assert_eq!(met(egg, Sphere::new(center, radius)), (true, true));
        let less = Sphere::new(center, radius.next_down());
        assert_eq!(met(egg, less), (false, false), "{center}");
    }
    // Test a ball that holds the whole ellipsoid, one at the end of its long axis, and one inside.
    assert_eq!(met(egg, Sphere::new(Vec3::ONE, 1e30)), (true, true));
    assert_eq!(met(egg, Sphere::new(Vec3::X * 8.0, 0.0)), (true, true));
    assert_eq!(met(egg, Sphere::new(Vec3::X * 7.0, 0.0)), (true, false));
}

fn near_the_plain<V: Vector>(seed: u64) {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut sure = 0;
    for _ in 0..500 {
        let mut number =
            |from: i32| -> V::Scalar { Scalar::from_f64(f64::from(random.random_range(from..=9))) };
        let center = V::from_fn(|_| number(-9));
        let egg = Ellipsoid::new(V::from_fn(|_| number(-9)), V::from_fn(|_| number(1)));
        let radius = number(1);
        let found = met(egg, Sphere::new(center, radius));
        let plain = |by: f64| {
            let by: V::Scalar = Scalar::from_f64(by);
            let ball = Sphere::new(center, radius * by);
            (egg.overlaps(&ball), Hollow(egg).overlaps(&ball))
        };
        let (less, more) = (plain(0.999_99), plain(1.000_01));
        if less == more {
            assert_eq!(found, less, "{egg:?} {center:?} {radius}");
            sure += 1;
        }
    }
    assert!(sure > 480, "{sure}");
}

#[test]
fn others_are_as_the_plain_predicate_says() {
    near_the_plain::<DVec2>(1);
    near_the_plain::<Vec3>(2);
    near_the_plain::<DVec4>(3);
}

#[test]
fn a_broadphase_can_be_asked() {
    let mut world = Broadphase::new();
    let near = world.insert(Sphere::new(Vec2::new(32.0, 32.0), 13.0), Motion::Dynamic);
    world.insert(Sphere::new(Vec2::new(32.0, 32.0), 12.9), Motion::Dynamic);
    let egg = Exact(Ellipsoid::new(Vec2::ZERO, Vec2::new(45.0, 25.0)));
    assert!(world.query(egg).eq([near]));
    world.update();
    assert!(world.query(egg).eq([near]));
    assert!(world.query(Exact(Hollow(egg.0))).eq([near]));
}
