//! Tests of the example `physics_step`.

use std::path::Path;
use std::process::Output;

use super::{example, text};

fn run(args: &[&str]) -> Output {
    example("physics_step")
        .args(args)
        .output()
        .expect("it starts")
}

fn stdout(args: &[&str]) -> String {
    text(run(args))
}

fn last_line(text: &str) -> &str {
    text.lines().last().unwrap_or_default()
}

#[test]
fn every_step_lists_the_pairs_of_the_scan() {
    for (balls, boxes, steps, seed) in [
        ("200", "0", "60", "1"),
        ("60", "60", "60", "1"),
        ("0", "40", "80", "4"),
        ("37", "1", "90", "2"),
        ("1", "0", "5", "3"),
    ] {
        let args = [
            "--balls", balls, "--boxes", boxes, "--steps", steps, "--seed", seed, "--check",
        ];
        assert_eq!(last_line(&stdout(&args)), "missed 0 spurious 0", "{args:?}");
    }
}

#[test]
fn an_empty_box_is_a_world_too() {
    let text = stdout(&["--balls", "0", "--steps", "2", "--check"]);
    assert_eq!(last_line(&text), "missed 0 spurious 0");
}

#[test]
fn without_check_the_line_before_the_last_says_what_was_compared() {
    let text = stdout(&["--balls", "20", "--steps", "3"]);
    let lines: Vec<_> = text.lines().rev().take(2).collect();
    assert_eq!(lines[0], "missed 0 spurious 0");
    assert!(lines[1].contains("last step only"), "{text}");
}

#[test]
fn balls_come_to_rest() {
    let text = stdout(&["--balls", "60", "--steps", "150", "--check"]);
    assert!(!text.contains("not at rest"), "{text}");
    let text = stdout(&[
        "--balls", "50", "--boxes", "30", "--steps", "200", "--check",
    ]);
    assert!(!text.contains("not at rest"), "{text}");
    let text = stdout(&["--balls", "60", "--steps", "15", "--check"]);
    assert!(text.contains("not at rest"), "{text}");
}

#[test]
fn dumped_pairs_are_those_of_the_dumped_bodies() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // Some runs end in mid-fall, where the pairs of all steps but the last are those of paths.
    for steps in ["1", "25", "80"] {
        let path = folder.path().join("dump.csv");
        let text = path.to_str().expect("text");
        for (balls, boxes) in [("150", "0"), ("80", "70")] {
            let args = ["--balls", balls, "--boxes", boxes, "--steps", steps];
            stdout(&[&args[..], &["--dump", text]].concat());
            let (bodies, pairs) = read_dump(&path);
            assert_eq!(bodies.len(), 150);
            assert_eq!(pairs, overlapping(&bodies), "after {steps} steps");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let dump = |name: &str, seed: &str| {
        let path = folder.path().join(name);
        let text = path.to_str().expect("text");
        stdout(&[
            "--balls", "80", "--steps", "40", "--seed", seed, "--dump", text,
        ]);
        std::fs::read(path).expect("a dump")
    };
    assert_eq!(dump("a", "7"), dump("b", "7"));
    assert_ne!(dump("a", "7"), dump("c", "8"));
}

#[test]
fn the_picture_shows_more_than_its_background() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("pile.png");
    let text = path.to_str().expect("text");
    stdout(&[
        "--balls", "30", "--boxes", "9", "--steps", "2", "--png", text,
    ]);
    let picture = image::open(&path).expect("a picture").into_rgb8();
    let colors: std::collections::HashSet<_> = picture.pixels().collect();
    assert!(colors.len() > 1000, "{} colors", colors.len());
}

#[test]
fn the_page_has_the_bodies_of_all_steps() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("pile.html");
    let text = path.to_str().expect("text");
    stdout(&[
        "--balls", "30", "--boxes", "9", "--steps", "5", "--html", text,
    ]);
    let scene = crate::scene(&path);
    assert_eq!(scene["frames"].as_array().expect("frames").len(), 6);
    for (layer, items) in [(0, 30), (1, 9)] {
        let layer = &scene["layers"][layer];
        assert_eq!(layer["items"], items);
        assert_eq!(layer["places"]["length"], 6 * 3 * items);
        assert_eq!(layer["counts"]["length"], 6 * items);
    }
}

#[test]
fn bad_arguments_are_named() {
    let nowhere = [
        "--balls",
        "3",
        "--steps",
        "1",
        "--dump",
        "no/such/folder/x.csv",
    ];
    for (args, complaint) in [
        (&["--steps", "0"][..], "--steps"),
        (&["--balls", "-1"], "-1"),
        (&["--balls", "many"], "--balls"),
        (&["--balls", "4000000000"], "--balls"),
        (&["--boxes", "few"], "--boxes"),
        (&["--seed", "1.5"], "--seed"),
        (&["--color"], "--color"),
        (&nowhere, "cannot write no/such/folder/x.csv"),
    ] {
        let output = run(args);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {errors}");
        assert!(errors.starts_with("error: "), "{args:?}: {errors}");
        assert!(errors.contains(complaint), "{args:?}: {errors}");
        assert!(!errors.contains("panicked"), "{args:?}: {errors}");
    }
}

type Pairs = Vec<(usize, usize)>;

enum Body {
    Ball([f64; 3], f64),
    Crate([f64; 3], [f64; 3]),
}

fn read_dump(path: &Path) -> (Vec<Body>, Pairs) {
    let (mut bodies, mut pairs) = (Vec::new(), Vec::new());
    let reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_path(path);
    for row in reader.expect("a dump").records() {
        let row = row.expect("a row");
        let number = |i: usize| row[i].parse::<usize>().expect("a number");
        let real = |i: usize| row[i].parse::<f64>().expect("a coordinate");
        match &row[0] {
            "ball" => {
                assert_eq!(row.len(), 6);
                assert_eq!(number(1), bodies.len());
                bodies.push(Body::Ball([real(2), real(3), real(4)], real(5)));
            }
            "box" => {
                assert_eq!(row.len(), 8);
                assert_eq!(number(1), bodies.len());
                let corner = |i| [real(i), real(i + 1), real(i + 2)];
                bodies.push(Body::Crate(corner(2), corner(5)));
            }
            "pair" => {
                assert_eq!(row.len(), 3);
                pairs.push((number(1), number(2)));
            }
            other => panic!("a row of {other}"),
        }
    }
    (bodies, pairs)
}

fn squared(v: [f64; 3]) -> f64 {
    v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
}

fn overlap(a: &Body, b: &Body) -> bool {
    match (a, b) {
        (Body::Ball(p, r), Body::Ball(q, s)) => {
            squared(std::array::from_fn(|k| q[k] - p[k])) <= (r + s) * (r + s)
        }
        (Body::Crate(low, high), Body::Crate(min, max)) => {
            (0..3).all(|k| low[k] <= max[k] && min[k] <= high[k])
        }
        (Body::Ball(c, r), Body::Crate(low, high)) | (Body::Crate(low, high), Body::Ball(c, r)) => {
            squared(std::array::from_fn(|k| c[k] - c[k].clamp(low[k], high[k]))) <= r * r
        }
    }
}

fn overlapping(bodies: &[Body]) -> Pairs {
    let mut pairs = Vec::new();
    for (i, a) in bodies.iter().enumerate() {
        for (j, b) in bodies.iter().enumerate().skip(i + 1) {
            if overlap(a, b) {
                pairs.push((i, j));
            }
        }
    }
    pairs
}
