//! Runs the examples as users do. `cargo test` builds them; run `cargo build --examples` before `cargo test --test
//! examples` alone.

mod fluid;
mod neighbours;
mod physics;
mod voxelize;

use std::process::{Command, Output};

/// The command of an example. Test and example are built together: the example lies in `…/debug/examples`, the test
/// in `…/debug/deps`.
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

/// The scene that a page shows. The page must have the script that draws it, and all of its arrays.
fn scene(page: &std::path::Path) -> serde_json::Value {
    let page = std::fs::read_to_string(page).expect("a page");
    let between = |from: &str, to: &str| {
        let (_, rest) = page.split_once(from).expect("a part of the page");
        rest.split_once(to).expect("the end of the part").0
    };
    assert!(between("<script>", "</script>").contains("three.js authors"));
    let scene = between(
        r#"<script id="scene" type="application/json">"#,
        "</script>",
    );
    let scene: serde_json::Value = serde_json::from_str(scene).expect("JSON");
    let data =
        between(r#"<script id="data" type="text/plain">"#, "</script>").trim_end_matches('=');
    let bytes = data.len() as u64 * 3 / 4;
    for layer in scene["layers"].as_array().expect("layers") {
        for array in layer
            .as_object()
            .expect("a layer")
            .values()
            .filter(|a| a["at"].is_u64())
        {
            let [at, length] = ["at", "length"].map(|name| array[name].as_u64().expect("a number"));
            let size = match array["type"].as_str() {
                Some("u8") => 1,
                Some("u16") => 2,
                _ => 4,
            };
            assert!(at + length * size <= bytes, "{array} of {bytes} bytes");
        }
    }
    scene
}

/// The printed text of a program that must have succeeded.
fn text(output: Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).expect("text")
}
