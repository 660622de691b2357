//! Compares the hashes with the committed ones, with every instruction set and with one, two and four threads.
//!
//! If an answer is meant to change, run `cargo run -p answers >tests/answers/hashes.txt` and read the differences.

use orthant::InstructionSet;

fn check(set: InstructionSet, threads: usize) {
    let found = answers::answers(set);
    let mut committed = include_str!("../hashes.txt").lines();
    for line in found.lines() {
        assert_eq!(Some(line), committed.next(), "{set:?}, {threads} threads");
    }
    assert_eq!(committed.next(), None);
}

#[test]
fn answers_are_those_of_every_machine() {
    for set in InstructionSet::available() {
        check(set, 1);
    }
}

#[cfg(feature = "rayon")]
#[test]
fn answers_are_those_of_any_number_of_threads() {
    for threads in [1, 2, 4] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.expect("some threads");
        pool.install(|| check(InstructionSet::best(), threads));
    }
}
