//! Comparison with one process.

use std::fmt::Debug;

/// Asserts that two answers are equal, and names their first difference.
#[track_caller]
pub(crate) fn same<T: PartialEq + Debug>(what: &str, got: &[T], expected: &[T]) {
    assert_eq!(got.len(), expected.len(), "{what}: how many");
    for (i, (got, expected)) in got.iter().zip(expected).enumerate() {
        assert_eq!(got, expected, "{what}: {i}");
    }
}
