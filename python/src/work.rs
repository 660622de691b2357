//! Long work without the interpreter's lock, which Ctrl-C ends.

use pyo3::{PyResult, Python};
use std::ops::Range;

/// Calls `piece` for one run of `0..count` after the other, `size` long, without the interpreter's lock;
/// between two of them it asks whether a signal has come, which ends the work with its exception.
pub(crate) fn in_pieces(
    py: Python<'_>,
    count: usize,
    size: usize,
    mut piece: impl FnMut(Range<usize>) + Send,
) -> PyResult<()> {
    let mut begin = 0;
    while begin < count {
        let end = count.min(begin + size);
        py.detach(|| piece(begin..end));
        py.check_signals()?;
        begin = end;
    }
    Ok(())
}
