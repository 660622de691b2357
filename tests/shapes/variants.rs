//! The documented properties of each published form: where it equals the plain test, and where it does not.

use orthant::variants::{arvo, branch_free, center_extents, quick_first, quick_interleaved};
use orthant::{Aabb, Overlaps, Sphere};
use proptest::prelude::*;

/// Returns coordinates with ties, of all magnitudes.
fn coordinate() -> impl Strategy<Value = f64> {
    let lattice = (-6..7).prop_map(f64::from);
    let tenths = (-60..61).prop_map(|i| f64::from(i) * 0.1);
    let scale = prop_oneof![
        Just(1.0),
        Just(1e-23),
        Just(1e-45),
        Just(1e18),
        Just(1e37),
        Just(1e-19)
    ];
    (prop_oneof![lattice, tenths, -6.0..6.0_f64], scale).prop_map(|(x, scale)| x * scale)
}

/// Returns a box, a center and a radius. The radius lies some steps from the distance to the box, or from that on one axis.
fn scene() -> impl Strategy<Value = (Aabb<[f32; 3]>, [f32; 3], f32)> {
    let axes = || prop::array::uniform3(coordinate().prop_map(|x| x as f32));
    let lattice = || prop::array::uniform3((-6..7).prop_map(|i| i as f32));
    let triple = prop_oneof![(axes(), axes(), axes()), (lattice(), lattice(), lattice())];
    (triple, 0..3_usize, -3..4_i32, any::<bool>()).prop_map(|((a, b, c), axis, steps, whole)| {
        let cell = Aabb::spanning(a, b);
        let on = |i: usize| (cell.min()[i] - c[i]).max(c[i] - cell.max()[i]).max(0.0);
        let near = if whole {
            (on(0) * on(0) + on(1) * on(1) + on(2) * on(2)).sqrt()
        } else {
            on(axis)
        };
        // The larger of two zeros may be the negative one, whose bits do not step to larger numbers; adding 0 makes it positive.
        let near = near.min(f32::MAX) + 0.0;
        let bits = near.to_bits().saturating_add_signed(steps);
        (cell, c, f32::from_bits(bits).min(f32::MAX))
    })
}

fn all<const N: usize>(ball: &Sphere<[f32; N]>, cell: &Aabb<[f32; N]>) -> [bool; 5]
where
    [f32; N]: orthant::Vector<Scalar = f32>,
{
    [
        ball.overlaps(cell),
        arvo(ball, cell),
        branch_free(ball, cell),
        quick_interleaved(ball, cell),
        quick_first(ball, cell),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn arvo_and_branch_free_equal_the_plain_test((cell, center, radius) in scene()) {
        let [plain, arvo, free, ..] = all(&Sphere::new(center, radius), &cell);
        prop_assert_eq!((arvo, free), (plain, plain));
    }

    #[test]
    fn quick_rejection_equals_it_while_the_square_is_normal((cell, center, radius) in scene()) {
        let [plain, .., interleaved, first] = all(&Sphere::new(center, radius), &cell);
        prop_assert_eq!(interleaved, first);
        if (radius * radius).is_normal() {
            prop_assert_eq!(interleaved, plain);
        } else {
            prop_assert!(plain || !interleaved);
        }
    }

    /// Tests the smallest and largest radii whose squares are normal and finite.
    #[test]
    fn quick_rejection_at_both_ends(steps in 0..9_u32, beyond in -9..9_i32, large: bool) {
        let radius = if large {
            f32::from_bits(f32::MAX.sqrt().to_bits() - steps)
        } else {
            f32::from_bits(f32::MIN_POSITIVE.sqrt().to_bits() + steps)
        };
        prop_assume!((radius * radius).is_normal());
        let apart = f32::from_bits(radius.to_bits().saturating_add_signed(beyond));
        let cell = Aabb::new([apart], [f32::MAX]);
        let [plain, .., interleaved, first] = all(&Sphere::new([0.0], radius), &cell);
        prop_assert_eq!((interleaved, first), (plain, plain));
    }

    #[test]
    fn center_extents_equal_the_plain_test_where_nothing_rounds(
        center in prop::array::uniform3(-9..10_i16),
        half in prop::array::uniform3(0..5_i16),
        at in prop::array::uniform3(-9..10_i16),
        radius in 0..15_i16,
        scale in prop_oneof![Just(1.0_f32), Just(0.125), Just(4096.0)],
    ) {
        let float = |a: [i16; 3]| a.map(|x| f32::from(x) * scale);
        let cell = Aabb::new(
            float(std::array::from_fn(|i| center[i] - half[i])),
            float(std::array::from_fn(|i| center[i] + half[i])),
        );
        let ball = Sphere::new(float(at), f32::from(radius) * scale);
        prop_assert_eq!(center_extents(&ball, float(center), float(half)), ball.overlaps(&cell));
    }
}

/// The box lies one step beyond the radius, and the rounded squares are equal: only the quick rejections tell them apart.
#[test]
fn quick_rejection_differs_where_squares_vanish_or_overflow() {
    let first_infinite = f32::from_bits(f32::MAX.sqrt().to_bits() + 1);
    assert!((first_infinite * first_infinite).is_infinite());
    for radius in [0.0, 1e-45, 1e-30, 1e-23, 1e-20, first_infinite, 1e30, 3e38] {
        assert!(!(radius * radius).is_normal());
        let apart = f32::from_bits(radius.to_bits() + 1);
        let (ball, cell) = (
            Sphere::new([0.0; 2], radius),
            Aabb::new([apart, 0.0], [f32::MAX; 2]),
        );
        assert_eq!(
            all(&ball, &cell),
            [true, true, true, false, false],
            "{radius:e}"
        );
    }
}

/// Each of the two forms finds an overlap that the other does not.
#[test]
fn center_extents_differ_where_they_round() {
    let answers = |[lo, hi, c, r]: [f32; 4]| {
        let (ball, cell) = (Sphere::new([c], r), Aabb::new([lo], [hi]));
        let half = [0.5 * (hi - lo)];
        (
            ball.overlaps(&cell),
            center_extents(&ball, cell.center(), half),
        )
    };
    assert_eq!(answers([0.2, 0.9, -0.6, 0.8]), (true, false));
    assert_eq!(answers([1.2, 3.3, -1.6, 2.8]), (false, true));
}
