//! The example `physics_step`, run as a user runs it. `cargo test` builds it; before
//! `cargo test --test example_physics` alone comes `cargo build --example physics_step`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn run(args: &[&str]) -> Output {
    let exe = std::env::current_exe().expect("a test knows its own path");
    let built = exe
        .parent()
        .and_then(Path::parent)
        .expect("tests lie two folders deep");
    let example: PathBuf = built
        .join("examples/physics_step")
        .with_extension(std::env::consts::EXE_EXTENSION);
    Command::new(&example)
        .args(args)
        .output()
        .unwrap_or_else(|error| panic!("{}: {error} (cargo build --examples?)", example.display()))
}

fn stdout(args: &[&str]) -> String {
    let output = run(args);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {errors}");
    String::from_utf8(output.stdout).expect("text")
}

fn last_line(text: &str) -> &str {
    text.lines().last().unwrap_or_default()
}

#[test]
fn every_step_lists_the_pairs_of_the_scan() {
    for (balls, steps, seed) in [("200", "60", "1"), ("37", "90", "2"), ("1", "5", "3")] {
        let args = [
            "--balls", balls, "--steps", steps, "--seed", seed, "--check",
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
    let text = stdout(&["--balls", "60", "--steps", "15", "--check"]);
    assert!(text.contains("not at rest"), "{text}");
}

#[test]
fn dumped_pairs_are_those_of_the_dumped_balls() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // Mid-fall as well, where boxes of steps that are not the last are stretched.
    for steps in ["1", "25", "80"] {
        let path = folder.path().join("dump.csv");
        let text = path.to_str().expect("text");
        stdout(&["--balls", "150", "--steps", steps, "--dump", text]);
        let (balls, pairs) = read_dump(&path);
        assert_eq!(balls.len(), 150);
        assert_eq!(pairs, overlapping(&balls), "after {steps} steps");
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
    stdout(&["--balls", "30", "--steps", "2", "--png", text]);
    let picture = image::open(&path).expect("a picture").into_rgb8();
    let colours: std::collections::HashSet<_> = picture.pixels().collect();
    assert!(colours.len() > 1000, "{} colours", colours.len());
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
        (&["--seed", "1.5"], "--seed"),
        (&["--colour"], "--colour"),
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

fn read_dump(path: &Path) -> (Vec<([f64; 3], f64)>, Pairs) {
    let (mut balls, mut pairs) = (Vec::new(), Vec::new());
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
                assert_eq!(number(1), balls.len());
                balls.push(([real(2), real(3), real(4)], real(5)));
            }
            "pair" => {
                assert_eq!(row.len(), 3);
                pairs.push((number(1), number(2)));
            }
            other => panic!("a row of {other}"),
        }
    }
    (balls, pairs)
}

fn overlapping(balls: &[([f64; 3], f64)]) -> Pairs {
    let mut pairs = Vec::new();
    for (i, (p, r)) in balls.iter().enumerate() {
        for (j, (q, s)) in balls.iter().enumerate().skip(i + 1) {
            if (0..3).all(|k| p[k] - r <= q[k] + s && q[k] - s <= p[k] + r) {
                pairs.push((i, j));
            }
        }
    }
    pairs
}
