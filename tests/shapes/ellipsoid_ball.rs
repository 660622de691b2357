//! Compares ellipsoids and balls with known distances and with a dense sampling of the surface, since there is no closed form.

use orthant::{Bounded, Contains, Ellipsoid, Hollow, Overlaps, Sphere};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

#[test]
fn on_the_axes_distances_are_exact() {
    let egg = Ellipsoid::new([1.0, 0.0, 0.0], [4.0, 2.0, 1.0]);
    // The balls lie outside on the longest axis, where the nearest point is the tip.
    let tip = |radius| Sphere::new([8.0, 0.0, 0.0], radius);
    for (radius, hit) in [(3.0, true), (2.999, false)] {
        assert_eq!(egg.overlaps(&tip(radius)), hit);
        assert_eq!(Hollow(egg).overlaps(&tip(radius)), hit);
    }
    // The surface is the shortest semi-axis away from the center.
    for (radius, hit) in [(1.0, true), (0.999, false), (0.0, false)] {
        let ball = Sphere::new([1.0, 0.0, 0.0], radius);
        assert!(egg.overlaps(&ball));
        assert_eq!(Hollow(egg).overlaps(&ball), hit, "{radius}");
    }
    // Inside near the long tip: beyond its center of curvature, 4 - 2²/4 = 3 from the middle, the
    // nearest point is the tip itself.
    let disc = Ellipsoid::new([0.0, 0.0], [4.0, 2.0]);
    for (radius, hit) in [(0.5, true), (0.499, false)] {
        assert_eq!(Hollow(disc).overlaps(&Sphere::new([3.5, 0.0], radius)), hit);
    }
    // Between the middle and that center, the nearest points lie off the axis: x = 16 q / 12, y² = 4 (1 - x² / 16).
    let q = 1.5f64;
    let x = 16.0 * q / 12.0;
    let distance = ((x - q).powi(2) + 4.0 * (1.0 - x * x / 16.0)).sqrt();
    for (radius, hit) in [
        (distance * (1.0 + 1e-12), true),
        (distance * (1.0 - 1e-12), false),
    ] {
        assert_eq!(Hollow(disc).overlaps(&Sphere::new([q, 0.0], radius)), hit);
    }
}

#[test]
fn scale_does_not_matter() {
    for scale in [1.0, 1e-150, 1e150, 1e-300] {
        let egg = Ellipsoid::new([0.0, 0.0], [4.0 * scale, 2.0 * scale]);
        for (radius, hit) in [(1.001, true), (0.999, false)] {
            let ball = Sphere::new([0.0, 3.0 * scale], radius * scale);
            assert_eq!(egg.overlaps(&ball), hit, "{scale}");
            assert_eq!(Hollow(egg).overlaps(&ball), hit, "{scale}");
        }
    }
}

#[test]
fn round_ellipsoids_are_spheres() {
    let mut random = SmallRng::seed_from_u64(1);
    for _ in 0..2000 {
        let mut number = || f64::from(random.random_range(-8..=8));
        let (a, b) = (
            [number(), number(), number()],
            [number(), number(), number()],
        );
        let (r, s) = (number().abs() + 1.0, number().abs());
        let (egg, ball) = (Ellipsoid::new(a, [r; 3]), Sphere::new(a, r));
        // Keep off the exact tie, which a root found by halving may miss by its rounding.
        for s in [s * (1.0 + 1e-9), s * (1.0 - 1e-9)] {
            let probe = Sphere::new(b, s);
            assert_eq!(
                egg.overlaps(&probe),
                ball.overlaps(&probe),
                "{egg:?} {probe:?}"
            );
            assert_eq!(
                Hollow(egg).overlaps(&probe),
                Hollow(ball).overlaps(&probe),
                "{egg:?} {probe:?}"
            );
        }
    }
}

#[test]
fn sampled_surfaces_agree() {
    let mut random = SmallRng::seed_from_u64(2);
    let mut decided = 0;
    for _ in 0..400 {
        let mut number = |low: f64, high: f64| random.random_range(low..high);
        let egg = Ellipsoid::new(
            [number(-1.0, 1.0), number(-1.0, 1.0)],
            [number(0.1, 3.0), number(0.1, 3.0)],
        );
        let ball = Sphere::new([number(-4.0, 4.0), number(-4.0, 4.0)], number(0.0, 2.0));
        let (c, s, p) = (egg.center(), egg.semi_axes(), ball.center());
        let nearest = (0..20_000)
            .map(|i| f64::from(i) / 20_000.0 * std::f64::consts::TAU)
            .map(|t| (c[0] + s[0] * t.cos() - p[0]).hypot(c[1] + s[1] * t.sin() - p[1]))
            .fold(f64::INFINITY, f64::min);
        // Neighboring samples are less than a thousandth apart.
        if (nearest - ball.radius()).abs() < 1e-3 {
            continue;
        }
        decided += 1;
        let touches = nearest <= ball.radius();
        assert_eq!(Hollow(egg).overlaps(&ball), touches, "{egg:?} {ball:?}");
        assert_eq!(
            egg.overlaps(&ball),
            touches || egg.contains(&p),
            "{egg:?} {ball:?}"
        );
        if egg.overlaps(&ball) {
            assert!(ball.bounds().overlaps(&egg.bounds()));
        }
    }
    assert!(decided > 350, "{decided}");
}
