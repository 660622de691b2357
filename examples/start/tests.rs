//! Runs the quick starts and compares the last line that each prints with a number that can be counted by hand.
//! `cargo test` builds the examples; run `cargo build --examples` before `cargo test --test quick_starts` alone.

use std::env::{consts::EXE_SUFFIX, current_exe};
use std::process::Command;

/// Runs an example and returns the last line of its output. Test and example are built together: the example lies in
/// `…/debug/examples`, the test in `…/debug/deps`.
fn last_line(name: &str) -> String {
    let test = current_exe().expect("this test has a path");
    let target = test
        .parent()
        .and_then(|deps| deps.parent())
        .expect("a folder");
    let path = target.join("examples").join(format!("{name}{EXE_SUFFIX}"));
    assert!(
        path.exists(),
        "{} is missing: cargo build --example {name}",
        path.display()
    );
    let output = Command::new(path).output().expect("it runs");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines().next_back().expect("a line").to_owned()
}

#[test]
fn within_radius_counts_lattice_points() {
    assert_eq!(last_line("within_radius"), "neighbors 33");
}

#[test]
fn sphere_surface_counts_closed_voxels() {
    assert_eq!(last_line("sphere_surface"), "voxels 1184");
}

#[test]
fn broadphase_step_counts_touches() {
    assert_eq!(last_line("broadphase_step"), "begun 4, pairs 2");
}
