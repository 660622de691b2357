//! Errors in four printed sources. Each algorithm is written from the text and run on the smallest counterexample of `tests/data/errata.json`;
//! its answer must be wrong, and ours right.
//!
//! `solids`: D. Holden, "Correct Box Sphere Intersection", 2013, as edited in 2019. `boxes`: J. Arvo,
//! "A simple method for box-sphere intersection testing", Graphics Gems, 1990, with the C code of its
//! second appendix. `moving`: "Simple bounding-sphere collision detection", gamedev.net. `summary`: a
//! summary of faster box–sphere tests (Arvo; Larsson, Akenine-Möller and Lengyel; branch-free; from
//! center and extents).

#[path = "errata/boxes.rs"]
mod boxes;
#[path = "errata/moving.rs"]
mod moving;
#[path = "errata/solids.rs"]
mod solids;
#[path = "errata/summary.rs"]
mod summary;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// An entry of the list of errata.
#[derive(Deserialize)]
struct Erratum {
    id: String,
    input: Option<Value>,
    #[serde(flatten)]
    answers: serde_json::Map<String, Value>,
}

impl Erratum {
    fn all() -> Vec<Self> {
        serde_json::from_str(include_str!("../data/errata.json")).unwrap()
    }

    fn find(id: &str) -> Self {
        let mut all = Self::all().into_iter().filter(|erratum| erratum.id == id);
        all.next().expect("a listed erratum")
    }

    /// Returns one of its printed or true answers.
    fn says(&self, name: &str) -> bool {
        self.answers[name].as_bool().expect("an answer")
    }

    /// Returns a number that is listed as an integer or fraction.
    fn number(&self, name: &str) -> f64 {
        let text = self.answers[name].as_str().expect("a number");
        let mut parts = text.split('/').map(|part| part.parse::<f64>().unwrap());
        let numerator = parts.next().unwrap();
        numerator / parts.next().unwrap_or(1.0)
    }

    fn input<T: DeserializeOwned>(&self) -> T {
        let input = self.input.clone().expect("an input");
        serde_json::from_value(input).unwrap()
    }
}

/// A box and a sphere of the list.
#[derive(Deserialize)]
struct BoxAndSphere {
    lo: Vec<f64>,
    hi: Vec<f64>,
    c: Vec<f64>,
    r: f64,
}

impl BoxAndSphere {
    fn of(id: &str) -> (Erratum, Self) {
        let erratum = Erratum::find(id);
        let input = erratum.input();
        (erratum, input)
    }

    fn cell<const N: usize>(&self) -> orthant::Aabb<[f64; N]>
    where
        [f64; N]: orthant::Vector<Scalar = f64>,
    {
        let corner = |v: &[f64]| <[f64; N]>::try_from(v).unwrap();
        orthant::Aabb::new(corner(&self.lo), corner(&self.hi))
    }

    fn ball<const N: usize>(&self) -> orthant::Sphere<[f64; N]>
    where
        [f64; N]: orthant::Vector<Scalar = f64>,
    {
        orthant::Sphere::new(self.c[..].try_into().unwrap(), self.r)
    }
}

/// Each erratum that comes with an input has a test named after it.
#[test]
fn every_input_is_run() {
    let sources = [
        include_str!("errata/boxes.rs"),
        include_str!("errata/moving.rs"),
        include_str!("errata/solids.rs"),
        include_str!("errata/summary.rs"),
    ];
    let with_input = Erratum::all().into_iter().filter(|e| e.input.is_some());
    let ids: Vec<_> = with_input.map(|e| e.id.to_lowercase()).collect();
    assert_eq!(ids.len(), 16);
    for id in ids {
        let test = format!("#[test]\nfn {id}_");
        assert!(sources.iter().any(|s| s.contains(&test)), "no test of {id}");
    }
}
