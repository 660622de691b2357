//! Runs the examples as users do: their last lines do not depend on the number of ranks. `cargo test` builds them; before `--test ranks` alone,
//! run `cargo build --examples`.

use std::path::PathBuf;
use std::process::Command;

use crate::Test;

pub(crate) const TESTS: &[Test] = &[
    ("the examples count as one process does", counts),
    ("what the examples refuse", refused),
];

/// Returns the path of an example, which was built like this program.
fn path(name: &str) -> PathBuf {
    let mut path = std::env::current_exe().expect("this program");
    path.pop();
    path.pop();
    path.push("examples");
    path.push(name);
    assert!(
        path.exists(),
        "{} is missing: cargo build -p orthant-mpi --examples",
        path.display()
    );
    path
}

fn ranks(n: usize, name: &str, arguments: &[&str]) -> (bool, String, String) {
    let output = Command::new("timeout")
        .args([
            "100",
            "mpirun",
            "--allow-run-as-root",
            "--oversubscribe",
            "-n",
            &n.to_string(),
        ])
        .arg(path(name))
        .args(arguments)
        .output()
        .expect("mpirun runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.success(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

fn last(n: usize, name: &str, arguments: &[&str]) -> String {
    let (success, out, err) = ranks(n, name, arguments);
    assert!(success, "{name} {arguments:?}: {out}{err}");
    out.lines().last().unwrap_or_default().to_owned()
}

fn counts() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join("walk.f32.bin");
    let mut points: Vec<[f32; 3]> = Vec::new();
    for i in 0..3000_u64 {
        let draw = |axis: u64| (crate::clouds::mix(i * 3 + axis) % 40) as f32 * 0.25;
        points.push([draw(0), draw(1), draw(2)]);
    }
    let bytes = points
        .iter()
        .flatten()
        .flat_map(|x| x.to_le_bytes())
        .collect::<Vec<u8>>();
    std::fs::write(&file, bytes).expect("written");
    let file = file.to_str().expect("a path");
    let cells = orthant::CellList::new(&points, 0.75);
    let pairs = format!("pairs {}", cells.count_pairs());
    let bounds = orthant::Aabb::new([0.0; 3], [10.0; 3]);
    let periodic = orthant::Periodic::new(bounds);
    let around = orthant::CellList::new_periodic(&points, 0.75, periodic);
    let around = format!("pairs {}", around.count_pairs());
    let groups = orthant::Orthtree::new(&points).components(0.25);
    let groups = format!("groups {}", groups.len());
    let density = last(1, "density", &[file, "--radius", "0.75"]);
    for n in [1, 3, 4] {
        for structure in ["cells", "whole", "octree", "loose", "linear", "tree"] {
            let arguments = [
                file,
                "--radius",
                "0.75",
                "--structure",
                structure,
                "--report",
            ];
            assert_eq!(last(n, "pairs", &arguments), pairs, "{structure}");
            // The points lie on a lattice, so no distance is rounded, whichever point a shift is added to.
            let arguments = [&arguments[..5], &["--periodic", "10,10,10", "--weighted"]].concat();
            assert_eq!(last(n, "pairs", &arguments), around, "{structure}");
        }
        let picture = folder.join("groups.png");
        let png = picture.to_str().expect("a path");
        assert_eq!(
            last(n, "groups", &[file, "--length", "0.25", "--png", png]),
            groups
        );
        assert!(std::fs::metadata(&picture).is_ok_and(|file| file.len() > 1000));
        assert_eq!(last(n, "density", &[file, "--radius", "0.75"]), density);
    }
    let wide = last(
        2,
        "pairs",
        &[file, "--radius", "0.75", "--precision", "f64"],
    );
    assert_eq!(wide, pairs);
}

fn refused() {
    for (arguments, words) in [
        (
            &["none.f32.bin", "--radius", "1"][..],
            "error: rank 0: none.f32.bin",
        ),
        (&["--radius", "-1"], "radius -1 is not a positive number"),
        (
            &["--radius", "0.1", "--budget", "100"],
            "bytes are needed, the budget is 100",
        ),
        (
            &["--radius", "0.1", "--periodic", "1,1"],
            "is not 3 lengths",
        ),
        (
            &["some.txt", "--radius", "1"],
            "some.txt: not a kind of file",
        ),
    ] {
        let (success, _, err) = ranks(3, "pairs", arguments);
        assert!(!success && err.contains(words), "{arguments:?}: {err}");
    }
}
