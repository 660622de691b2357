use orthant::{Aabb, Overlaps, ShapeError, Sphere};

use super::BoxAndSphere;

/// Returns the distance of a center from an interval, as in the branch-free version.
fn outside(lo: f32, hi: f32, c: f32) -> f32 {
    (lo - c).max(0.0) + (c - hi).max(0.0)
}

/// Follows the branch-free version, with the comparison on each axis as printed or reversed.
fn branch_free(input: &BoxAndSphere, rejects: impl Fn(f32, f32) -> bool) -> bool {
    let mut sum = 0.0;
    let r = input.r as f32;
    for ((&lo, &hi), &c) in input.lo.iter().zip(&input.hi).zip(&input.c) {
        let e = outside(lo as f32, hi as f32, c as f32);
        if rejects(e, r) {
            return false;
        }
        sum += e * e;
    }
    sum <= r * r
}

/// Follows the plain loop, with branches; `early` turns on the rejection that is interleaved with it.
fn arvo(lo: [f32; 1], hi: [f32; 1], c: [f32; 1], r: f32, early: bool) -> bool {
    let mut sum = 0.0;
    for i in 0..1 {
        let (below, above) = (c[i] - lo[i], c[i] - hi[i]);
        if below < 0.0 {
            if early && below < -r {
                return false;
            }
            sum += below * below;
        } else if above > 0.0 {
            if early && above > r {
                return false;
            }
            sum += above * above;
        }
    }
    sum <= r * r
}

#[test]
fn l1_branch_free_rejection() {
    let (erratum, input) = BoxAndSphere::of("L1");
    let printed = branch_free(&input, |e, r| e <= r);
    assert!(!printed && printed == erratum.says("printed"));
    let (ball, cell) = (input.ball::<3>(), input.cell());
    assert_eq!(ball.overlaps(&cell), erratum.says("correct"));
    assert!(ball.overlaps(&cell) && branch_free(&input, |e, r| e > r));
    // As printed, it rejects every input: an axis passes only if e > r, and then the sum is too large as well.
    for r in [0.0, 0.5, 1.0, 7.0] {
        for x in -8..8 {
            let c = vec![f64::from(x), 0.5, -0.5];
            let input = BoxAndSphere {
                lo: vec![0.0; 3],
                hi: vec![1.0; 3],
                c,
                r,
            };
            assert!(!branch_free(&input, |e, r| e <= r));
            let ours = input.ball::<3>().overlaps(&input.cell());
            assert_eq!(branch_free(&input, |e, r| e > r), ours);
        }
    }
}

#[test]
fn l4_quick_rejection_where_squares_vanish_or_overflow() {
    let tiny = 2f32.powi(-75);
    let (lo, hi, r) = ([0.0], [1.0], tiny / 2.0);
    assert!(arvo(lo, hi, [-tiny], r, false));
    assert!(!arvo(lo, hi, [-tiny], r, true));
    let (huge, wide) = (2f32.powi(100), 2f32.powi(99));
    assert!(arvo(lo, hi, [-huge], wide, false));
    assert!(!arvo(lo, hi, [-huge], wide, true));
    // Both miss. In double precision nothing vanishes, and the exact mode does not need it.
    for (distance, radius) in [(tiny, r), (huge, wide)] {
        let ball = Sphere::new([-f64::from(distance)], f64::from(radius));
        assert!(!ball.overlaps(&Aabb::new([0.0], [1.0])));
        #[cfg(feature = "exact")]
        {
            let ball = orthant::exact::Exact(Sphere::new([-distance], radius));
            assert!(!ball.overlaps(&Aabb::new([0.0_f32], [1.0])));
        }
    }
}

#[test]
fn l5_nan_overlaps_everything() {
    let nan = f32::NAN;
    for early in [false, true] {
        assert!(arvo([0.0], [1.0], [nan], 0.5, early));
    }
    assert_eq!(outside(0.0, 1.0, nan), 0.0);
    let refused = Sphere::try_new([nan], 0.5).unwrap_err();
    assert!(matches!(
        refused,
        ShapeError::NotFinite {
            part: "center",
            axis: 0,
            ..
        }
    ));
    // A bare point may hold any numbers; a point with NaN lies in nothing.
    let ball = Sphere::new([0.0_f32], 0.5);
    assert!(!ball.overlaps(&[nan]));
}
