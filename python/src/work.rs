//! Long work without the interpreter's lock, which Ctrl-C ends.

use pyo3::exceptions::{PyMemoryError, PyRuntimeError};
use pyo3::{PyErr, PyResult, Python};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Calls `piece` for each run of `0..count` of length `size`, in order, without the interpreter's lock. Between two calls it checks for signals,
/// which end the work with their exception.
pub(crate) fn in_pieces(
    py: Python<'_>,
    count: usize,
    size: usize,
    mut piece: impl FnMut(Range<usize>) -> PyResult<()> + Send,
) -> PyResult<()> {
    let mut begin = 0;
    while begin < count {
        let end = count.min(begin + size);
        py.detach(|| piece(begin..end))?;
        py.check_signals()?;
        begin = end;
    }
    Ok(())
}

/// The time between two checks for signals of a waiting thread.
const PATIENCE: Duration = Duration::from_millis(20);

/// Computes a value for each run of `0..count` of length `size`, on some threads without the interpreter's lock, and passes it to `put` with the
/// lock, in any order if there are several threads. A signal ends the work.
///
/// Threads live as long as the call, since a pool would be missing in a forked process.
pub(crate) fn in_threads<T: Send>(
    py: Python<'_>,
    threads: usize,
    (count, size): (usize, usize),
    make: impl Fn(Range<usize>) -> PyResult<T> + Sync,
    mut put: impl FnMut(Python<'_>, Range<usize>, T) -> PyResult<()> + Send,
) -> PyResult<()> {
    let pieces = count.div_ceil(size);
    let piece = |number: usize| number * size..count.min((number + 1) * size);
    let threads = threads.min(pieces);
    if threads < 2 {
        for range in (0..pieces).map(piece) {
            let made = py.detach(|| make(range.clone()))?;
            put(py, range, made)?;
            py.check_signals()?;
        }
        return Ok(());
    }
    let next = AtomicUsize::new(0);
    let (next, make) = (&next, &make);
    py.detach(|| {
        thread::scope(|scope| {
            // At most as many values wait for `put` as there are threads.
            let (to, made) = mpsc::sync_channel(threads);
            for _ in 0..threads {
                let to = to.clone();
                let spawned = thread::Builder::new().spawn_scoped(scope, move || {
                    loop {
                        let range = piece(next.fetch_add(1, Ordering::Relaxed));
                        if range.is_empty() || to.send((range.clone(), make(range))).is_err() {
                            return;
                        }
                    }
                });
                spawned.map_err(no_thread)?;
            }
            drop(to);
            loop {
                let piece = match made.recv_timeout(PATIENCE) {
                    Ok(piece) => Some(piece),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => return Ok(()),
                };
                // An error drops `made`, which stops the threads.
                Python::attach(|py| {
                    if let Some((range, made)) = piece {
                        put(py, range, made?)?;
                    }
                    py.check_signals()
                })?;
            }
        })
    })
}

/// The error for a thread that the system does not start.
fn no_thread(error: std::io::Error) -> PyErr {
    PyMemoryError::new_err(format!("no thread: {error}"))
}

/// The number of points whose work takes about ten milliseconds, which is worth a thread, and a check for signals.
const MANY: usize = 1 << 14;

/// Runs work on `many` points that cannot be divided, without the interpreter's lock. If they are many, it runs on a thread of its own, which a
/// signal abandons: its result is dropped.
pub(crate) fn long<T: Send + 'static>(
    py: Python<'_>,
    many: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    if many < MANY {
        return Ok(py.detach(work));
    }
    let (to, made) = mpsc::sync_channel(1);
    let spawned = thread::Builder::new().spawn(move || {
        // Nobody may be waiting for it any more.
        let _ = to.send(work());
    });
    spawned.map_err(no_thread)?;
    // A receiver is not shared between threads, but one thread after the other may borrow it.
    let made = Mutex::new(made);
    loop {
        let wait = || {
            let made = made.lock().unwrap_or_else(PoisonError::into_inner);
            made.recv_timeout(PATIENCE)
        };
        match py.detach(wait) {
            Ok(made) => return Ok(made),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("a thread has failed"));
            }
        }
    }
}
