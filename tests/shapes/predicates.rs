//! The exact test vectors of `tests/data/predicates.json`: 1006 boxes against spheres and ellipsoids,
//! in 1 to 4 dimensions, with answers from rational arithmetic.
//!
//! A vector lists the modes in which plain floating-point arithmetic must be wrong (rounding, overflow, underflow). Ours must be wrong in
//! exactly those, and right in all others.

use orthant::{Aabb, Contains, Ellipsoid, Hollow, Overlaps, Scalar, Sphere, Vector};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Deserialize)]
struct File {
    vectors: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    id: u32,
    dim: usize,
    lo: Vec<f64>,
    hi: Vec<f64>,
    c: Vec<f64>,
    r: Option<f64>,
    radii: Option<Vec<f64>>,
    expect: BTreeMap<String, bool>,
    f32_wrong: Vec<String>,
    f64_wrong: Vec<String>,
}

fn vector<V: Vector>(values: &[f64]) -> V {
    V::from_fn(|a| Scalar::from_f64(values[a]))
}

/// Returns the answers of all modes of one shape against one box.
fn modes<V, S>(shape: S, cell: Aabb<V>) -> BTreeMap<&'static str, bool>
where
    V: Vector,
    S: Overlaps<Aabb<V>> + Overlaps<Hollow<Aabb<V>>> + Contains<Aabb<V>> + Copy,
    Hollow<S>: Overlaps<Aabb<V>> + Overlaps<Hollow<Aabb<V>>>,
    Aabb<V>: Contains<S>,
{
    BTreeMap::from([
        ("ss", shape.overlaps(&cell)),
        ("sh", Hollow(shape).overlaps(&cell)),
        ("hs", shape.overlaps(&Hollow(cell))),
        ("hh", Hollow(shape).overlaps(&Hollow(cell))),
        ("box_in_sphere", shape.contains(&cell)),
        ("box_in_sphere_strict", shape.contains_strictly(&cell)),
        ("sphere_in_box", cell.contains(&shape)),
        ("sphere_in_box_strict", cell.contains_strictly(&shape)),
    ])
}

fn check<V: Vector>(case: &Case, flagged: &[String]) {
    let cell = Aabb::new(vector::<V>(&case.lo), vector(&case.hi));
    let center = vector::<V>(&case.c);
    let ours = match (&case.r, &case.radii) {
        (Some(r), None) => modes(Sphere::new(center, Scalar::from_f64(*r)), cell),
        (None, Some(radii)) => modes(Ellipsoid::new(center, vector(radii)), cell),
        _ => panic!("vector {} is neither a sphere nor an ellipsoid", case.id),
    };
    assert!(!case.expect.is_empty());
    let wrong = case
        .expect
        .iter()
        .filter(|&(mode, expected)| ours[&**mode] != *expected);
    let wrong: BTreeSet<&str> = wrong.map(|(mode, _)| &**mode).collect();
    let flagged: BTreeSet<&str> = flagged.iter().map(String::as_str).collect();
    assert_eq!(wrong, flagged, "vector {}", case.id);
}

fn cases() -> Vec<Case> {
    let file: File = serde_json::from_str(include_str!("../data/predicates.json")).unwrap();
    assert_eq!(file.vectors.len(), 1006);
    file.vectors
}

#[test]
fn in_single_precision() {
    for case in cases() {
        match case.dim {
            1 => check::<[f32; 1]>(&case, &case.f32_wrong),
            2 => check::<orthant::glam::Vec2>(&case, &case.f32_wrong),
            3 => {
                check::<orthant::glam::Vec3>(&case, &case.f32_wrong);
                check::<orthant::glam::Vec3A>(&case, &case.f32_wrong);
                check::<[f32; 3]>(&case, &case.f32_wrong);
            }
            4 => check::<orthant::glam::Vec4>(&case, &case.f32_wrong),
            _ => panic!("vector {} has {} dimensions", case.id, case.dim),
        }
    }
}

#[test]
fn in_double_precision() {
    for case in cases() {
        match case.dim {
            1 => check::<[f64; 1]>(&case, &case.f64_wrong),
            2 => check::<orthant::glam::DVec2>(&case, &case.f64_wrong),
            3 => check::<orthant::glam::DVec3>(&case, &case.f64_wrong),
            4 => check::<orthant::glam::DVec4>(&case, &case.f64_wrong),
            _ => panic!("vector {} has {} dimensions", case.id, case.dim),
        }
    }
}
