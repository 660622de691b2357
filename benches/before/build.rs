//! Takes the sources out of the repository's history.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

const COMMIT: &str = "bfebce4";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let out = env::var("OUT_DIR").expect("cargo names it");
    // With an index of its own: the one of the work tree stays as it is.
    let index = Path::new(&out).join("index");
    // What was left by the time before is no part of it.
    let _ = fs::remove_file(&index);
    // Its documentation includes chapters of the guide.
    for folder in ["src", "docs"] {
        let _ = fs::remove_dir_all(Path::new(&out).join(folder));
        let prefix = format!("--prefix={folder}/");
        git(
            &index,
            &["read-tree", &prefix, &format!("{COMMIT}:{folder}")],
        );
    }
    let prefix = format!("--prefix={out}/");
    git(&index, &["checkout-index", "--all", "--force", &prefix]);
    // What is for a whole file cannot be included; src/lib.rs has it.
    let root = Path::new(&out).join("src/lib.rs");
    let text = fs::read_to_string(&root).expect("the commit has a src/lib.rs");
    let lines = text.lines();
    let rest = lines.filter(|line| !line.starts_with("//!") && !line.starts_with("#!["));
    let rest: Vec<_> = rest.collect();
    fs::write(&root, rest.join("\n")).expect("OUT_DIR can be written");
}

fn git(index: &Path, arguments: &[&str]) {
    let status = Command::new("git")
        .args(arguments)
        .env("GIT_INDEX_FILE", index)
        // Elsewhere it would take only what lies there.
        .current_dir("../..")
        .status()
        .expect("git can be run");
    assert!(
        status.success(),
        "commit {COMMIT} cannot be read: `before` needs a clone with its history (git fetch --unshallow)"
    );
}
