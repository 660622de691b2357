//! Runs the targets on a stable toolchain: on the bytes of the corpus, and on some thousands that proptest makes.
//!
//! `ORTHANT_FUZZ_CASES` sets the number of these for each target.

use std::path::Path;
use std::{env, fs};

use proptest::prelude::*;

/// A function that takes the bytes of a fuzzer.
type Target = fn(&[u8]);

fn run(name: &str, cases: u32, target: Target) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(name);
    let mut files: Vec<_> = fs::read_dir(&corpus)
        .unwrap_or_else(|error| panic!("{}: {error}", corpus.display()))
        .map(|entry| entry.expect("a file of the corpus").path())
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no corpus of {name}");
    for file in files {
        // The test shows this only if the target panics.
        println!("{}", file.display());
        target(&fs::read(&file).expect("a file of the corpus"));
    }
    let cases = env::var("ORTHANT_FUZZ_CASES")
        .map_or(cases, |cases| cases.parse().expect("a number of cases"));
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        max_shrink_iters: 2000,
        ..ProptestConfig::default()
    };
    let bytes = prop_oneof![
        3 => prop::collection::vec(any::<u8>(), 0..200),
        1 => prop::collection::vec(any::<u8>(), 0..2000),
    ];
    proptest!(config, |(bytes in bytes)| target(&bytes));
}

macro_rules! targets {
    ($($name:ident $cases:literal,)*) => {$(
        #[test]
        fn $name() {
            run(stringify!($name), $cases, orthant_fuzz::$name);
        }
    )*};
}

targets! {
    bricks 1500,
    broadphase 1500,
    casts 3000,
    cells 2000,
    loose 1500,
    predicates 4000,
    queries 2000,
    readers 4000,
    rows 4000,
    saved 1500,
    serde 6000,
    voxels 1500,
}
