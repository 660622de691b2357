//! Work on several threads with the feature `rayon`, one after the other without it. What comes out
//! is the same: work is divided by its size, never by the number of threads.

use alloc::vec::Vec;
use core::ops::Range;

/// Smaller pieces of work are not divided: handing one over takes microseconds.
pub(crate) const GRAIN: usize = 1 << 13;

/// The number of threads.
pub(crate) fn threads() -> usize {
    #[cfg(feature = "rayon")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "rayon"))]
    1
}

/// Does each of some things, at once if it can and they are much: for work that comes out the same
/// however it is divided.
pub(crate) fn for_each<X: Send>(much: bool, things: Vec<X>, work: impl Fn(X) + Send + Sync) {
    #[cfg(feature = "rayon")]
    if much && things.len() > 1 {
        use rayon::prelude::*;

        return things.into_par_iter().for_each(work);
    }
    let _ = much;
    things.into_iter().for_each(work);
}

/// Does parts of some work, which are of a fixed size, and puts what comes out together in order.
pub(crate) fn parts<X: Send>(
    many: usize,
    size: usize,
    make: impl Fn(Range<usize>) -> X + Sync,
    mut put: impl FnMut(X),
) {
    let part = |number: usize| make(number * size..many.min((number + 1) * size));
    let numbers = 0..many.div_ceil(size);
    #[cfg(feature = "rayon")]
    if threads() > 1 {
        use rayon::prelude::*;

        let made: Vec<X> = numbers.into_par_iter().map(part).collect();
        return made.into_iter().for_each(put);
    }
    for number in numbers {
        put(part(number));
    }
}

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
    if many * weight > GRAIN && threads() > 1 {
        use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

        let places = (0..many).into_par_iter().with_min_len(GRAIN / weight);
        return places.map(make).collect_into_vec(list);
    }
    #[cfg(not(feature = "rayon"))]
    let _ = weight;
    list.extend((0..many).map(make));
}

/// Sorts what differs, or what is the same where it does not.
pub(crate) fn sort<X: Ord + Send>(list: &mut [X]) {
    #[cfg(feature = "rayon")]
    if list.len() > GRAIN {
        return rayon::slice::ParallelSliceMut::par_sort_unstable(list);
    }
    list.sort_unstable();
}
