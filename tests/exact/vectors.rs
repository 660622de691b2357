use std::collections::BTreeMap;

use num_rational::BigRational;
use orthant::exact::Meeting;
use orthant::glam::{DVec2, DVec3, DVec4, Vec2, Vec3, Vec3A, Vec4};
use orthant::{Aabb, Ellipsoid, Scalar, Sphere, Vector};
use serde::Deserialize;

use crate::reference::{Reference, our_meetings, ours, vector};

#[derive(Deserialize)]
struct File {
    vectors: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    id: u32,
    tag: String,
    dim: usize,
    lo: Vec<f64>,
    hi: Vec<f64>,
    c: Vec<f64>,
    r: Option<f64>,
    radii: Option<Vec<f64>>,
    expect: BTreeMap<String, bool>,
    dmin2: String,
    dmax2: String,
    dsurf2: String,
    f32_wrong: Vec<String>,
    f64_wrong: Vec<String>,
}

/// Compares the exact mode with one recorded case, and returns how the solid shapes meet.
fn check<V: Vector>(case: &Case) -> [Meeting; 4] {
    let cell = Aabb::new(vector::<V>(&case.lo), vector(&case.hi));
    let center = vector::<V>(&case.c);
    let (ours, meetings, reference) = match (&case.r, &case.radii) {
        (Some(r), None) => {
            let ball = Sphere::new(center, Scalar::from_f64(*r));
            let reference = Reference::sphere(&ball, &cell);
            (ours(ball, cell), our_meetings(ball, cell), reference)
        }
        (None, Some(radii)) => {
            let egg = Ellipsoid::new(center, vector(radii));
            let reference = Reference::ellipsoid(&egg, &cell);
            (ours(egg, cell), our_meetings(egg, cell), reference)
        }
        _ => panic!("vector {} is neither a sphere nor an ellipsoid", case.id),
    };
    assert_eq!(case.expect.len(), 8);
    for (mode, expected) in &case.expect {
        assert_eq!(ours[&**mode], *expected, "vector {}, {mode}", case.id);
    }
    // The recorded distances confirm those of the reference.
    let printed =
        [&case.dmin2, &case.dmax2, &case.dsurf2].map(|s| s.parse::<BigRational>().unwrap());
    assert_eq!(reference.distances(), printed, "vector {}", case.id);
    assert_eq!(reference.modes(), ours, "vector {}", case.id);
    assert_eq!(meetings, reference.meetings(), "vector {}", case.id);
    meetings
}

fn check_all(check: impl Fn(&Case) -> [Meeting; 4], wrong: impl Fn(&Case) -> &[String]) {
    let file: File = serde_json::from_str(include_str!("../data/predicates.json")).unwrap();
    assert_eq!(file.vectors.len(), 1006);
    let mut tangent = BTreeMap::<_, usize>::new();
    for case in &file.vectors {
        if check(case).contains(&Meeting::Tangent) {
            *tangent.entry(&*case.tag).or_default() += 1;
        }
    }
    for tag in ["corner", "feature", "inner_face", "far_corner"] {
        assert!(tangent[&*format!("{tag}_tangent")] > 15, "{tangent:?}");
    }
    // The file has cases that plain arithmetic gets wrong.
    assert!(file.vectors.iter().any(|case| !wrong(case).is_empty()));
}

#[test]
fn all_vectors_in_single_precision() {
    let check = |case: &Case| match case.dim {
        1 => check::<[f32; 1]>(case),
        2 => check::<Vec2>(case),
        3 => {
            check::<Vec3A>(case);
            check::<Vec3>(case)
        }
        4 => check::<Vec4>(case),
        _ => panic!("vector {} has {} dimensions", case.id, case.dim),
    };
    check_all(check, |case| &case.f32_wrong);
}

#[test]
fn all_vectors_in_double_precision() {
    let check = |case: &Case| match case.dim {
        1 => check::<[f64; 1]>(case),
        2 => check::<DVec2>(case),
        3 => check::<DVec3>(case),
        4 => check::<DVec4>(case),
        _ => panic!("vector {} has {} dimensions", case.id, case.dim),
    };
    check_all(check, |case| &case.f64_wrong);
}
