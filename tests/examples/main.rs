//! The examples, run as their users run them. `cargo test` builds them; before
//! `cargo test --test examples` alone comes `cargo build --examples`.

mod fluid;
mod neighbours;
mod physics;
mod voxelize;

use std::process::{Command, Output};

/// The command of an example, which was built as this test was: it lies in `…/debug/examples`, the
/// test in `…/debug/deps`.
fn example(name: &str) -> Command {
    let mut path = std::env::current_exe().expect("this test has a path");
    path.pop();
    path.pop();
    path.push("examples");
    path.push(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(
        path.exists(),
        "{} is missing: cargo build --example {name}",
        path.display()
    );
    Command::new(path)
}

/// What it printed; it must have ended well.
fn text(output: Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).expect("text")
}
