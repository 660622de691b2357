use orthant::exact::Meeting;
use orthant::{Aabb, Contains, Ellipsoid, Hollow, Overlaps, Scalar, Sphere, Vector};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use crate::reference::{Reference, our_meetings, ours};

/// The set from which numbers are drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    /// All bit patterns of finite numbers.
    Anything,
    /// Small integers times one power of two for all: many ties, at any scale.
    Lattice(i32),
    /// Small integers times one of two powers of two.
    TwoLattices(i32, i32),
    /// Full mantissas of similar size.
    Similar(i32),
}

impl Source {
    /// Exponents from the spacing of subnormal numbers to near overflow.
    pub(crate) fn draw<S: Scalar>(random: &mut SmallRng) -> Self {
        let range = if S::MAX.into() > 1e300 {
            -1074..1019
        } else {
            -149..123
        };
        let exponent = random.random_range(range.clone());
        match random.random_range(0..9) {
            0 => Self::Anything,
            1 => Self::TwoLattices(exponent, random.random_range(range)),
            2 => Self::Similar(exponent),
            _ => Self::Lattice(exponent),
        }
    }

    pub(crate) fn number<S: Scalar>(self, random: &mut SmallRng) -> S {
        match self {
            Self::Anything => loop {
                let bits: u64 = random.random();
                let value = if S::MAX.into() > 1e300 {
                    f64::from_bits(bits)
                } else {
                    f64::from(f32::from_bits(bits as u32))
                };
                if value.is_finite() {
                    return S::from_f64(value);
                }
            },
            Self::Lattice(e) => S::from_f64(scaled(f64::from(random.random_range(-4..=4)), e)),
            Self::TwoLattices(e, f) => {
                let e = if random.random_bool(0.5) { e } else { f };
                Self::Lattice(e).number(random)
            }
            Self::Similar(e) => S::from_f64(scaled(random.random_range(-8.0..8.0), e)),
        }
    }

    fn vector<V: Vector>(self, random: &mut SmallRng) -> V {
        V::from_fn(|_| self.number(random))
    }

    fn cell<V: Vector>(self, random: &mut SmallRng) -> Aabb<V> {
        Aabb::spanning(self.vector::<V>(random), self.vector(random))
    }
}

/// `x * 2^e`, in two steps, since the power may be no float.
fn scaled(x: f64, e: i32) -> f64 {
    x * 2f64.powi(e / 2) * 2f64.powi(e - e / 2)
}

/// Returns a number or a float beside it, mostly the number itself; finite and non-negative.
pub(crate) fn nudged<S: Scalar>(x: S, random: &mut SmallRng) -> S {
    let nudged = match random.random_range(0..6) {
        0 => x.next_up(),
        1 => x.next_down(),
        _ => x,
    };
    if nudged.is_finite() && nudged >= S::ZERO {
        nudged
    } else {
        x
    }
}

fn positive<V: Vector>(v: V) -> Option<V> {
    let v = V::from_fn(|a| v.axis(a).abs());
    (0..V::DIM).all(|a| v.axis(a) > Scalar::ZERO).then_some(v)
}

fn everything_agrees<V: Vector>(seed: u64) {
    let mut random = SmallRng::seed_from_u64(seed);
    let (mut tangent, mut plain_wrong) = (0, 0);
    for _ in 0..2000 {
        let source = Source::draw::<V::Scalar>(&mut random);
        let cell = source.cell::<V>(&mut random);
        let center = source.vector::<V>(&mut random);
        let radius = source.number::<V::Scalar>(&mut random).abs();
        let ball = Sphere::new(center, nudged(radius, &mut random));
        let truth = Reference::sphere(&ball, &cell);
        assert_eq!(ours(ball, cell), truth.modes(), "{ball:?} {cell:?}");
        let meetings = our_meetings(ball, cell);
        assert_eq!(meetings, truth.meetings(), "{ball:?} {cell:?}");
        tangent += usize::from(meetings.contains(&Meeting::Tangent));
        plain_wrong += usize::from(ball.overlaps(&cell) != truth.modes()["ss"]);

        let Some(semi_axes) = positive(source.vector::<V>(&mut random)) else {
            continue;
        };
        let egg = Ellipsoid::new(center, semi_axes);
        let truth = Reference::ellipsoid(&egg, &cell);
        assert_eq!(ours(egg, cell), truth.modes(), "{egg:?} {cell:?}");
        assert_eq!(
            our_meetings(egg, cell),
            truth.meetings(),
            "{egg:?} {cell:?}"
        );
    }
    assert!(tangent > 30 && plain_wrong > 10, "{tangent} {plain_wrong}");
}

/// Tests radii at the rounded distance and beside it, where the filter is undecided. Half of them are so small that squares have few digits or
/// none.
fn near_ties_agree<V: Vector>(seed: u64) {
    let mut random = SmallRng::seed_from_u64(seed);
    let vanishing = if V::Scalar::MAX.into() > 1e300 {
        -543..-530
    } else {
        -80..-67
    };
    for i in 0..1400 {
        let exponents = if i % 2 == 0 {
            -20..20
        } else {
            vanishing.clone()
        };
        let exponent = random.random_range(exponents);
        let source = Source::Similar(exponent);
        let cell = source.cell::<V>(&mut random);
        let center = source.vector::<V>(&mut random);
        for corner in [cell.min(), cell.max()] {
            // Some radii reach exactly to a corner, where a ball touches or holds the box.
            let ends =
                (0..V::DIM).map(|a| scaled((corner.axis(a) - center.axis(a)).into(), -exponent));
            let distance = ends.map(|x| x * x).sum::<f64>().sqrt();
            let mut radius = <V::Scalar as Scalar>::from_f64(scaled(distance, exponent));
            for _ in 0..random.random_range(0..40) {
                radius = radius.next_down();
            }
            for _ in 0..random.random_range(0..40) {
                radius = radius.next_up();
            }
            let ball = Sphere::new(center, radius);
            let truth = Reference::sphere(&ball, &cell);
            assert_eq!(ours(ball, cell), truth.modes(), "{ball:?} {cell:?}");
            // An ellipsoid of this shape is tested too, since its quotients are rounded.
            let egg = Ellipsoid::new(center, V::splat(radius));
            assert_eq!(ours(egg, cell), truth.modes(), "{egg:?} {cell:?}");
        }
    }
}

/// Plain arithmetic is exact on small integers.
fn plain_arithmetic_agrees<V: Vector>(seed: u64) {
    let mut random = SmallRng::seed_from_u64(seed);
    for _ in 0..20_000 {
        let source = Source::Lattice(0);
        let cell = source.cell::<V>(&mut random);
        let radius = source.number::<V::Scalar>(&mut random).abs();
        let ball = Sphere::new(source.vector::<V>(&mut random), radius);
        let exact = ours(ball, cell);
        let plain = [
            ("ss", ball.overlaps(&cell)),
            ("sh", Hollow(ball).overlaps(&cell)),
            ("hs", ball.overlaps(&Hollow(cell))),
            ("hh", Hollow(ball).overlaps(&Hollow(cell))),
            ("box_in_sphere", ball.contains(&cell)),
            ("box_in_sphere_strict", ball.contains_strictly(&cell)),
            ("sphere_in_box", cell.contains(&ball)),
            ("sphere_in_box_strict", cell.contains_strictly(&ball)),
        ];
        assert_eq!(exact, plain.into(), "{ball:?} {cell:?}");
    }
}

macro_rules! all {
    ($($name:ident: $v:ty, $seed:literal;)*) => {$(
        mod $name {
            #[test]
            fn at_all_scales() {
                super::everything_agrees::<$v>($seed);
            }
            #[test]
            fn at_near_ties() {
                super::near_ties_agree::<$v>($seed);
            }
            #[test]
            fn with_plain_arithmetic_where_that_is_exact() {
                super::plain_arithmetic_agrees::<$v>($seed);
            }
        }
    )*};
}

all! {
    f32_1: [f32; 1], 1;
    f32_2: orthant::glam::Vec2, 2;
    f32_3: orthant::glam::Vec3A, 3;
    f32_5: [f32; 5], 4;
    f64_1: [f64; 1], 5;
    f64_2: orthant::glam::DVec2, 6;
    f64_3: orthant::glam::DVec3, 7;
    f64_4: orthant::glam::DVec4, 8;
}
