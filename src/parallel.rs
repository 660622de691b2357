//! Work on several threads with the feature `rayon`, one after the other without it. What comes out
//! is the same: work is divided by its size, never by the number of threads.

use alloc::vec::Vec;

/// Smaller pieces of work are not divided: handing one over takes microseconds.
pub(crate) const GRAIN: usize = 1 << 13;

/// Does two things, at once if it can.
pub(crate) fn join<A, B, X, Y>(first: A, second: B) -> (X, Y)
where
    A: FnOnce() -> X + Send,
    B: FnOnce() -> Y + Send,
    X: Send,
    Y: Send,
{
    #[cfg(feature = "rayon")]
    return rayon::join(first, second);
    #[cfg(not(feature = "rayon"))]
    (first(), second())
}

/// Does two things, at once if it can and they are much.
pub(crate) fn join_if<A, B>(much: bool, first: A, second: B)
where
    A: FnOnce() + Send,
    B: FnOnce() + Send,
{
    if much {
        join(first, second);
    } else {
        first();
        second();
    }
}

/// Does something where, if it is much, its parts are handed over without waking a thread for each.
pub(crate) fn gathered(much: bool, work: impl FnOnce() + Send) {
    #[cfg(feature = "rayon")]
    if much {
        return rayon::scope(|_| work());
    }
    let _ = much;
    work();
}

/// Makes a list anew, in its old memory if that is enough; each of what it holds takes about as long
/// as `weight` steps of a loop.
pub(crate) fn fill<X: Send>(
    list: &mut Vec<X>,
    many: usize,
    weight: usize,
    make: impl Fn(usize) -> X + Send + Sync,
) {
    list.clear();
    list.reserve_exact(many);
    #[cfg(feature = "rayon")]
    if many * weight > GRAIN {
        use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

        let places = (0..many).into_par_iter().with_min_len(GRAIN / weight);
        return places.map(make).collect_into_vec(list);
    }
    #[cfg(not(feature = "rayon"))]
    let _ = weight;
    list.extend((0..many).map(make));
}
