//! Tests of the example `neighbours`.

mod formats;
mod refusals;

use std::fs;
use std::process::Output;

use super::{example, text};
use tempfile::TempDir;

const STRUCTURES: [&str; 4] = ["octree", "loose", "cells", "linear"];
const AIRPORTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/airports.csv");

fn run(args: &[&str]) -> Output {
    example("neighbours")
        .args(args)
        .output()
        .expect("it starts")
}

fn stdout(args: &[&str]) -> String {
    text(run(args))
}

fn pairs(args: &[&str]) -> u64 {
    let out = stdout(args);
    let last = out.lines().last().unwrap_or_default();
    let number = last
        .strip_prefix("pairs ")
        .unwrap_or_else(|| panic!("{args:?}: {last}"));
    number.parse().expect("a number")
}

struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a directory"))
    }

    fn path(&self, name: &str) -> String {
        self.0
            .path()
            .join(name)
            .to_str()
            .expect("a plain path")
            .to_owned()
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::write(&path, bytes).expect("written");
        path
    }
}

fn f32s(values: impl IntoIterator<Item = f64>) -> Vec<u8> {
    let bytes = values.into_iter().map(|value| (value as f32).to_le_bytes());
    bytes.flatten().collect()
}

fn f64s(values: impl IntoIterator<Item = f64>) -> Vec<u8> {
    values.into_iter().flat_map(f64::to_le_bytes).collect()
}

fn ply(format: &str, scalar: &str, vertices: usize) -> String {
    format!(
        "ply\nformat {format} 1.0\ncomment a camera precedes the vertices\n\
         element camera 1\nproperty uchar kind\nelement vertex {vertices}\n\
         property {scalar} x\nproperty uchar red\nproperty {scalar} y\nproperty {scalar} z\n\
         end_header\n"
    )
}

// The expected numbers are from SciPy's k-d tree and from NumPy in double precision; no distance lies within 1e-12 of 5.
#[test]
fn shipped_tile() {
    let out = stdout(&[]);
    assert!(out.contains("110000 points, dimension 3, f64"), "{out}");
    assert!(out.contains("median 20, mean 18.19"), "{out}");
    assert_eq!(out.lines().last(), Some("pairs 1000439"));
}

#[test]
fn shipped_tile_in_single_precision_and_in_the_plane() {
    // Both numbers are from NumPy, with distances squared in f32.
    assert_eq!(pairs(&["--precision", "f32"]), 1_000_443);
    assert_eq!(
        pairs(&["--precision", "f32", "--dim", "2", "--radius", "3"]),
        481_129
    );
}

// The scan of all airports takes too long without optimisation.
#[test]
fn airports() {
    for structure in &STRUCTURES[..3] {
        let args = [
            AIRPORTS,
            "--dim",
            "2",
            "--radius",
            "1",
            "--structure",
            structure,
        ];
        assert_eq!(pairs(&args), 530_252, "{structure}");
    }
}

// The expected numbers are from the haversine formula of all pairs, in C; no distance lies within 1e-6 of 50 km.
#[test]
fn airports_by_great_circles() {
    for structure in &STRUCTURES[..3] {
        let args = [AIRPORTS, "--great-circle", "--radius", "50"];
        let args = [&args[..], &["--structure", structure]].concat();
        assert_eq!(pairs(&args), 159_094, "{structure}");
    }
}

#[test]
fn great_circles_cross_the_poles_and_the_date_line() {
    let files = Files::new();
    let places = "longitude,latitude\n179.9,0\n-179.9,0\n0,90\n77,89.9\n-90,-90\n90,-89.9\n";
    let path = files.write("places.csv", places);
    let within = |km: &str| pairs(&[&path, "--great-circle", "--radius", km]);
    assert_eq!(within("11.1"), 0); // a tenth of a degree is 11.12 km
    assert_eq!(within("11.2"), 2);
    assert_eq!(within("22.3"), 3);
    assert_eq!(within("20015"), 14); // all but the poles, which are 20015.1 km apart
    assert_eq!(within("20016"), 15);
    assert_eq!(within("1e30"), 15);
}

#[test]
fn every_structure_answers_alike() {
    let files = Files::new();
    let all = fs::read_to_string(AIRPORTS).expect("shipped");
    let some: Vec<&str> = all.lines().take(2001).collect();
    let some = files.write("some.csv", some.join("\n"));
    for radius in ["0", "0.05", "2", "1e30"] {
        for precision in ["f32", "f64"] {
            let answers = STRUCTURES.map(|structure| {
                let plane = [&some, "--dim", "2", "--radius", radius];
                pairs(
                    &[
                        &plane[..],
                        &["--structure", structure, "--precision", precision],
                    ]
                    .concat(),
                )
            });
            assert_eq!(answers, [answers[3]; 4], "radius {radius}, {precision}");
        }
    }
}

/// All structures count the same in periodic boxes and cells, also with radii beyond the edges.
#[test]
fn every_structure_counts_the_same_images() {
    let files = Files::new();
    let numbers = (0..360).map(|i| f64::from(i * 7919 % 1009) * 0.02 - 3.0);
    let path = files.write("box.f32.bin", f32s(numbers));
    for (flag, plane, space) in [
        ("--periodic", "15,12.5", "15,12.5,17"),
        ("--periodic", "0,9", "9,0,8"),
        ("--cell", "9,0,-4,8", "9,0,0,-4,8,0,1,2,7"),
    ] {
        for (dim, lengths) in [("2", plane), ("3", space)] {
            for radius in ["0", "2.5", "8"] {
                let args = [&path, "--dim", dim, "--radius", radius, flag, lengths];
                let answers = STRUCTURES
                    .map(|structure| pairs(&[&args[..], &["--structure", structure]].concat()));
                assert_eq!(answers, [answers[3]; 4], "{args:?}");
                assert!(radius == "0" || answers[3] > 0, "{args:?}");
            }
        }
    }
}

/// The f32 next to 0.1 lies above the f64 next to it.
#[test]
fn the_boundary_belongs_to_the_ball_in_the_chosen_precision() {
    let files = Files::new();
    let row = [0.0, 0.0, 0.0, 0.1, 0.0, 0.0];
    let single = files.write("a.f32.bin", f32s(row));
    let double = files.write("a.f64.bin", f64s(row));
    let within =
        |path: &str, precision| pairs(&[path, "--radius", "0.1", "--precision", precision]);
    assert_eq!(within(&single, "f32"), 1);
    assert_eq!(within(&single, "f64"), 0);
    assert_eq!(within(&double, "f32"), 1);
    assert_eq!(within(&double, "f64"), 1);
}

#[test]
fn picture_and_table() {
    let files = Files::new();
    let (png, csv) = (files.path("out.png"), files.path("out.csv"));
    let html = files.path("out.html");
    let points = files.write(
        "points.csv",
        "x,y\n0.1,0\n1e-7,1e300\n0.30000000000000004,0\n",
    );
    let plane = ["--dim", "2", "--radius", "0.5"];
    let args = [
        &[points.as_str()][..],
        &plane,
        &["--png", &png, "--csv", &csv, "--html", &html],
    ]
    .concat();
    assert_eq!(pairs(&args), 1);
    assert_eq!(
        fs::read_to_string(&csv).expect("written"),
        "x,y,neighbours\n0.1,0.0,1\n1e-7,1e300,0\n0.30000000000000004,0.0,1\n"
    );
    assert_eq!(pairs(&[&[csv.as_str()][..], &plane].concat()), 1);
    assert!(image::open(&png).expect("a picture").width() > 100);
    let scene = crate::scene(html.as_ref());
    assert_eq!(scene["layers"][0]["items"], 3);
    assert_eq!(scene["high"][1], 1e300);

    // All points are one place with one count, so there is nothing to scale by.
    let same = files.write("same.xyz", "1 2 3\n1 2 3\n");
    assert_eq!(
        pairs(&[&same, "--radius", "0", "--png", &png, "--html", &html]),
        1
    );
    assert!(image::open(&png).expect("a picture").height() > 100);
    assert_eq!(crate::scene(html.as_ref())["scale"]["most"], 1.0);
}
