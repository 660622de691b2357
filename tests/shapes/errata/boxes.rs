use orthant::{Ellipsoid, Hollow, Overlaps, ShapeError, Sphere};

use super::BoxAndSphere;

fn square(x: f64) -> f64 {
    x * x
}

/// The sums that the figures accumulate.
struct Figures {
    near: f64,
    far: f64,
    face: f64,
    limit: f64,
}

impl Figures {
    fn of(input: &BoxAndSphere) -> Self {
        let mut sums = Self {
            near: 0.0,
            far: 0.0,
            face: f64::INFINITY,
            limit: square(input.r),
        };
        for ((lo, hi), c) in input.lo.iter().zip(&input.hi).zip(&input.c) {
            let (a, b) = (square(c - lo), square(c - hi));
            sums.far += a.max(b);
            if (lo..=hi).contains(&c) {
                sums.face = sums.face.min(a.min(b));
            } else {
                sums.face = 0.0;
                sums.near += a.min(b);
            }
        }
        sums
    }

    /// Follows figure 1.
    fn solid_solid(&self) -> bool {
        self.near <= self.limit
    }

    /// Follows figure 3.
    fn hollow_solid(&self) -> bool {
        self.near + self.face <= self.limit
    }

    /// Combines figures 2 and 3, as the text proposes.
    fn hollow_hollow(&self) -> bool {
        self.hollow_solid() && self.limit <= self.far
    }
}

/// Returns the flag of the C code for a hollow box against a hollow sphere (mode 0), by squares in single precision.
fn face_by_squares(input: &BoxAndSphere) -> bool {
    let square = |x: f32| x * x;
    let [lo, hi, c] = [&input.lo, &input.hi, &input.c].map(|v| v.iter().map(|&x| x as f32));
    let limit = square(input.r as f32);
    lo.zip(hi)
        .zip(c)
        .any(|((lo, hi), c)| c < lo || c > hi || square(c - lo).min(square(c - hi)) <= limit)
}

/// Returns the flag of the C code for a hollow box against a solid sphere (mode 1), by lengths.
fn face_by_lengths(input: &BoxAndSphere) -> bool {
    let [lo, hi, c] = [&input.lo, &input.hi, &input.c].map(|v| v.iter().map(|&x| x as f32));
    let r = input.r as f32;
    lo.zip(hi)
        .zip(c)
        .any(|((lo, hi), c)| c < lo || c > hi || c - lo <= r || hi - c <= r)
}

#[test]
fn a1_combined_figures_on_a_line() {
    let (erratum, input) = BoxAndSphere::of("A1");
    assert!(Figures::of(&input).hollow_hollow() && erratum.says("printed"));
    assert!(face_by_squares(&input), "and so says the C code");
    // The sphere consists of the points ±½, the surface of the box of -1 and 0.
    let (skin, shell) = (Hollow(input.ball::<1>()), Hollow(input.cell()));
    assert_eq!(skin.overlaps(&shell), erratum.says("correct"));
    assert!(!erratum.says("correct"));
    #[cfg(feature = "exact")]
    assert!(!orthant::exact::Exact(skin).overlaps(&shell));
}

#[test]
fn a3_total_inclusion_is_no_nonintersection_at_tangency() {
    let (erratum, input) = BoxAndSphere::of("A3");
    // By the text, a ball that lies in the box misses its surface.
    let axes = input.lo.iter().zip(&input.hi).zip(&input.c);
    let mut rooms = axes.map(|((lo, hi), c)| (c - lo).min(hi - c));
    let included = rooms.all(|room| room >= input.r);
    assert_eq!(!included, erratum.says("text"));
    // By the figures, and by closed sets, it touches all four faces.
    let figures = Figures::of(&input);
    assert_eq!(figures.hollow_solid(), erratum.says("figures"));
    assert_ne!(erratum.says("text"), erratum.says("figures"));
    let (ball, shell) = (input.ball::<2>(), Hollow(input.cell()));
    assert!(ball.overlaps(&shell) && Hollow(ball).overlaps(&shell));
    #[cfg(feature = "exact")]
    {
        use orthant::exact::{Meeting, classify};
        assert_eq!(classify(&ball, &shell), Meeting::Tangent);
    }
}

#[test]
fn a4_semi_axis_of_zero() {
    // This is the quotient of figure 4, for a center on the plane of a face.
    let quotient = |difference: f64, semi_axis: f64| difference / semi_axis;
    assert!(quotient(0.0, 0.0).is_nan());
    let flat = Ellipsoid::try_new([0.0, 0.0], [1.0, 0.0]);
    let refusal = ShapeError::SemiAxisNotPositive {
        axis: 1,
        value: 0.0,
    };
    assert_eq!(flat, Err(refusal));
}

#[test]
fn a5_negative_radius() {
    let (erratum, input) = BoxAndSphere::of("A5");
    // The square hides the sign in figure 1, but not in the C code that compares lengths.
    let solid = Figures::of(&input).solid_solid();
    assert!(solid && solid == erratum.says("fig1"));
    assert_eq!(face_by_lengths(&input), erratum.says("gg_mode1"));
    let refusal = ShapeError::NegativeRadius { radius: input.r };
    assert_eq!(Sphere::try_new([0.5, 0.5], input.r), Err(refusal));
}

#[test]
fn a6_squares_that_vanish() {
    let (erratum, input) = BoxAndSphere::of("A6");
    assert_eq!(face_by_squares(&input), erratum.says("mode0_face_flag"));
    assert_eq!(face_by_lengths(&input), erratum.says("mode1_face_flag"));
    let truth = erratum.says("correct_hollow_box");
    assert!(face_by_squares(&input) && !truth);
    // In double precision nothing underflows; the exact mode does not need that.
    let (ball, shell) = (input.ball::<1>(), Hollow(input.cell()));
    assert_eq!(ball.overlaps(&shell), truth);
    #[cfg(feature = "exact")]
    {
        use orthant::{Aabb, exact::Exact};
        let single = Sphere::new([input.c[0] as f32], input.r as f32);
        let shell = Hollow(Aabb::new([0.0_f32], [1.0]));
        assert_eq!(Exact(single).overlaps(&shell), truth);
        assert_eq!(Exact(Hollow(single)).overlaps(&shell), truth);
    }
}
