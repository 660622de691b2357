use num_bigint::BigInt;
use num_traits::Signed;
use orthant::exact::{Exact, Meeting, classify};
use orthant::{Contains, Hollow, Overlaps, Scalar, Sphere, Vector};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use serde::Deserialize;

use crate::random::{Source, nudged};
use crate::reference::{integer, vector};

/// Compares all predicates of two balls with whole numbers.
fn check<V: Vector>(a: Sphere<V>, b: Sphere<V>) -> Meeting {
    let apart = (0..V::DIM).map(|i| integer(a.center().axis(i)) - integer(b.center().axis(i)));
    let d: BigInt = apart.map(|x| &x * &x).sum();
    let (r, s) = (integer(a.radius()), integer(b.radius()));
    let (sum, left) = (&r + &s, &r - &s);
    let (outer, inner) = (&sum * &sum, &left * &left);
    let room = !left.is_negative();
    let expected = match d.cmp(&outer) {
        std::cmp::Ordering::Less => Meeting::Overlapping,
        std::cmp::Ordering::Equal => Meeting::Tangent,
        std::cmp::Ordering::Greater => Meeting::Separate,
    };
    let hollow = d <= outer && !(room && d < inner);
    assert_eq!(Exact(a).overlaps(&b), d <= outer, "{a:?} {b:?}");
    assert_eq!(Exact(Hollow(a)).overlaps(&b), hollow, "{a:?} {b:?}");
    assert_eq!(Exact(a).contains(&b), room && d <= inner, "{a:?} {b:?}");
    let strictly = room && d < inner;
    assert_eq!(Exact(a).contains_strictly(&b), strictly, "{a:?} {b:?}");
    assert_eq!(classify(&a, &b), expected, "{a:?} {b:?}");

    // The center of `b` is tested as a point.
    let (p, own) = (b.center(), &r * &r);
    assert_eq!(Exact(a).overlaps(&p), d <= own, "{a:?} {p:?}");
    assert_eq!(Exact(a).contains_strictly(&p), d < own, "{a:?} {p:?}");
    assert_eq!(Exact(Hollow(a)).overlaps(&p), d == own, "{a:?} {p:?}");
    expected
}

fn random_spheres<V: Vector>(seed: u64) {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut tangent = 0;
    for _ in 0..10_000 {
        let source = Source::draw::<V::Scalar>(&mut random);
        let mut ball = || {
            let center = V::from_fn(|_| source.number(&mut random));
            let radius = source.number::<V::Scalar>(&mut random).abs();
            Sphere::new(center, nudged(radius, &mut random))
        };
        tangent += usize::from(check(ball(), ball()) == Meeting::Tangent);
    }
    assert!(tangent > 20, "{tangent}");
}

#[test]
fn at_all_scales() {
    random_spheres::<[f32; 1]>(1);
    random_spheres::<orthant::glam::Vec2>(2);
    random_spheres::<orthant::glam::Vec3>(3);
    random_spheres::<[f64; 1]>(4);
    random_spheres::<orthant::glam::DVec2>(5);
    random_spheres::<orthant::glam::DVec3>(6);
}

#[derive(Deserialize)]
struct File {
    vectors: Vec<Moving>,
}

#[derive(Deserialize)]
struct Moving {
    id: u32,
    p1: Vec<f64>,
    r1: f64,
    p2: Vec<f64>,
    r2: f64,
    static_overlap: bool,
}

fn starts<V: Vector>(case: &Moving) {
    let ball = |p: &[f64], r| Sphere::new(vector::<V>(p), Scalar::from_f64(r));
    let (a, b) = (ball(&case.p1, case.r1), ball(&case.p2, case.r2));
    assert_eq!(Exact(a).overlaps(&b), case.static_overlap, "{}", case.id);
    assert_eq!(Exact(b).overlaps(&a), case.static_overlap, "{}", case.id);
    check(a, b);
}

/// Balls lie where the moving spheres of `tests/data/swept.json` start.
#[test]
fn the_swept_vectors_at_rest() {
    let file: File = serde_json::from_str(include_str!("../data/swept.json")).unwrap();
    assert_eq!(file.vectors.len(), 500);
    for case in &file.vectors {
        starts::<orthant::glam::Vec3>(case);
        starts::<orthant::glam::DVec3>(case);
    }
}
