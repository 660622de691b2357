//! The exact test vectors of `tests/data/swept.json`: 500 pairs of moving spheres in space, with
//! answers from rational arithmetic. All are decided right, in single and double precision.

use orthant::glam::{DVec3, Vec3, Vec3A};
use orthant::{Moving, Overlaps, Sphere, Sweep, Vector};
use serde::Deserialize;

use super::{rounding, vector};

#[derive(Deserialize)]
struct File {
    vectors: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    id: u32,
    p1: Vec<f64>,
    v1: Vec<f64>,
    r1: f64,
    p2: Vec<f64>,
    v2: Vec<f64>,
    r2: f64,
    hit: bool,
    toi: Option<String>,
    static_overlap: bool,
    f32_agrees: bool,
    f64_agrees: bool,
    #[serde(rename = "D")]
    discriminant: String,
}

impl Case {
    /// Returns how far a time may be off: the rounding of the lengths, divided by the speed of approach at the touch; at a graze, its square
    /// root.
    fn tolerance(&self, u: f64, toi: f64) -> f64 {
        let difference =
            |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| b - a).collect() };
        let length = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let (apart, by) = (
            difference(&self.p1, &self.p2),
            difference(&self.v1, &self.v2),
        );
        let reach = self.r1 + self.r2;
        let speed = length(&by);
        let off = u * (length(&apart) + reach + toi * speed);
        let (over, under) = self
            .discriminant
            .split_once('/')
            .unwrap_or((&self.discriminant, "1"));
        let discriminant = over.parse::<f64>().unwrap() / under.parse::<f64>().unwrap();
        let closing = off * reach / discriminant.max(0.0).sqrt();
        let grazing = (2.0 * off * reach).sqrt() / speed;
        2.0 * u * toi + closing.min(grazing)
    }
}

fn check<V: Vector>(agrees: impl Fn(&Case) -> bool) {
    let file: File = serde_json::from_str(include_str!("../data/swept.json")).unwrap();
    assert_eq!(file.vectors.len(), 500);
    let u = rounding::<V::Scalar>();
    for case in &file.vectors {
        let sphere = |p: &[f64], r| Sphere::new(vector::<V>(p), orthant::Scalar::from_f64(r));
        let a = Moving::new(sphere(&case.p1, case.r1), vector(&case.v1));
        let b = Moving::new(sphere(&case.p2, case.r2), vector(&case.v2));
        let impact = a.sweep(&b);
        assert_eq!(
            impact.is_some(),
            case.hit == agrees(case),
            "vector {}",
            case.id
        );
        assert_eq!(a.overlaps(&b), case.hit, "vector {}", case.id);
        assert_eq!(
            a.shape().overlaps(b.shape()),
            case.static_overlap,
            "vector {}",
            case.id
        );
        assert_eq!(a.times(&b), b.times(&a), "vector {}", case.id);
        let Some(impact) = impact else { continue };
        assert_eq!(a.times(&b), Some((impact.first, impact.last)));
        assert!(impact.first <= impact.last && impact.last <= orthant::Scalar::ONE);
        let toi: f64 = case.toi.as_ref().unwrap().parse().unwrap();
        let first: f64 = impact.first.into();
        let tolerance = if case.static_overlap {
            0.0
        } else {
            case.tolerance(u, toi)
        };
        let off = (first - toi).abs();
        assert!(
            off <= tolerance,
            "vector {}: {first} for {toi}, off by {off}",
            case.id
        );
    }
}

#[test]
fn in_single_precision() {
    check::<Vec3>(|case| case.f32_agrees);
    check::<Vec3A>(|case| case.f32_agrees);
    check::<[f32; 3]>(|case| case.f32_agrees);
}

#[test]
fn in_double_precision() {
    check::<DVec3>(|case| case.f64_agrees);
    check::<[f64; 3]>(|case| case.f64_agrees);
}
