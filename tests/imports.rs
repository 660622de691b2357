//! The imports of `src` point down: a file names things of its own room and of rooms below, where they are defined and not through `lib.rs`.

use std::fs;
use std::path::{Path, PathBuf};

/// The rooms, from the ground up, as in `docs/architecture.md`. The names on one line make one room.
const ROOMS: &[&[&str]] = &[
    &["handle"],
    &["error"],
    &["bits"],
    &["simd"],
    &["parallel"],
    &["sort"],
    &["vector", "kernels"],
    &["shape"],
    &["overlap"],
    &["lattice"],
    &["lists"],
    &["groups"],
    &["nearest"],
    &["candidates"],
    &["norm"],
    &["sweep"],
    &["with"],
    &["query"],
    &["enclosing"],
    &["rigid"],
    &["vector_types"],
    &["wide_nodes"],
    &["linear"],
    &["orthtree"],
    &["sphere_tree"],
    &["loose"],
    &["voxel"],
    &["periodic"],
    &["cell_list"],
    &["bricks"],
    &["bit_grid"],
    &["signed"],
    &["broadphase"],
];

/// The only file that imports from rooms above: it compiles the kernels of every room for the vectors and scalars of the crate.
const LOOKS_UP: &str = "kernels.rs";

fn rank(room: &str) -> Option<usize> {
    ROOMS.iter().position(|names| names.contains(&room))
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

/// Returns the file without comments and unit tests.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let lines = text.lines().map(|line| line.split("//").next().unwrap());
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// Returns the faults in the paths of a file, which is named by its path in `src`.
fn faults(name: &str, text: &str) -> Vec<String> {
    let room = name.split(['/', '.']).next().unwrap();
    let own = rank(room).unwrap_or_else(|| panic!("{room} is not in the list of rooms"));
    let mut faults = Vec::new();
    for (at, _) in text.match_indices("crate::") {
        let before = &text[..at];
        // A macro for users names things as users do.
        if before.ends_with("pub(in ") || before.ends_with('$') {
            continue;
        }
        let path = &text[at + "crate::".len()..];
        let end = path.find(|c: char| c != '_' && !c.is_alphanumeric());
        let head = &path[..end.unwrap_or(path.len())];
        match rank(head) {
            None => faults.push(format!("{name}: crate::{head}… goes through lib.rs")),
            Some(other) if other > own && name != LOOKS_UP => {
                faults.push(format!("{name}: {head} is above {room}"));
            }
            Some(_) => {}
        }
    }
    // Look only at lines without indentation: other lines may be in modules within the file.
    let root = "super::".repeat(name.split('/').count());
    let outer = |line: &&str| !line.starts_with(' ');
    if text.lines().filter(outer).any(|line| line.contains(&root)) {
        faults.push(format!("{name}: super goes through lib.rs"));
    }
    faults
}

#[test]
fn imports_point_down() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    files(&src, &mut paths);
    paths.sort();
    let mut all = Vec::new();
    for path in &paths {
        let name = path.strip_prefix(&src).unwrap().to_str().unwrap();
        let name = name.replace('\\', "/");
        if !["lib.rs", "guide.rs"].contains(&&*name) && !name.contains("/tests") {
            all.extend(faults(&name, &code(path)));
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn the_table_of_rooms_is_in_the_same_order() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/architecture.md");
    let text = fs::read_to_string(docs).unwrap();
    let table = text.split("\n## Rooms\n").nth(1).unwrap();
    let table = table.split("\n\nBeside `src`").next().unwrap();
    let rows = table.lines().filter(|line| line.starts_with("| `"));
    let names = rows.flat_map(|row| {
        let first = row.split('|').nth(1).unwrap();
        first.split('`').skip(1).step_by(2).collect::<Vec<_>>()
    });
    let rooms = ROOMS.iter().flat_map(|names| names.iter().copied());
    assert_eq!(names.collect::<Vec<_>>(), rooms.collect::<Vec<_>>());
}

#[test]
fn faults_are_found() {
    let of = |text: &str| faults("shape/aabb.rs", text).len();
    assert_eq!(of("use crate::vector::Vector;\nuse super::Bounded;"), 0);
    assert_eq!(of("use crate::{Vector, shape::Aabb};"), 1);
    assert_eq!(of("let root = crate::Scalar::sqrt(x);"), 1);
    assert_eq!(of("use crate::overlap::Region;"), 1);
    assert_eq!(of("use super::super::Aabb;"), 1);
    assert_eq!(of("pub(in crate::shape) fn f() {}"), 0);
}
