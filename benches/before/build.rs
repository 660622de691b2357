//! Takes the sources of an earlier commit from the repository's history.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

const COMMIT: &str = "bfebce4";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let out = env::var("OUT_DIR").expect("cargo names it");
    // A separate index leaves that of the work tree unchanged.
    let index = Path::new(&out).join("index");
    // Files left by an earlier build do not belong to it.
    let _ = fs::remove_file(&index);
    // The documentation of `src` includes chapters of the guide.
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
    // Inner attributes cannot be included; src/lib.rs has them.
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
        // In another folder git would take only the files of that folder.
        .current_dir("../..")
        .status()
        .expect("git can be run");
    assert!(
        status.success(),
        "commit {COMMIT} cannot be read: `before` needs a clone with its history (git fetch --unshallow)"
    );
}
