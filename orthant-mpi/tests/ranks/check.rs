//! Comparing with one process.

use std::fmt::Debug;

/// Says where two answers differ first, and which.
#[track_caller]
pub(crate) fn same<T: PartialEq + Debug>(what: &str, got: &[T], expected: &[T]) {
    assert_eq!(got.len(), expected.len(), "{what}: how many");
    for (i, (got, expected)) in got.iter().zip(expected).enumerate() {
        assert_eq!(got, expected, "{what}: {i}");
    }
}
