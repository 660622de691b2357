//! Work on several threads with the feature `rayon`, and on one without it. The results are equal: where the
//! division could change them, work is divided by its size, never by the number of threads.

use alloc::vec::Vec;
use core::convert::Infallible;
use core::ops::Range;
#[cfg(feature = "rayon")]
use core::sync::atomic::{AtomicBool, Ordering};

/// Smaller work is not divided: handing a piece to another thread takes microseconds.
pub(crate) const GRAIN: usize = 1 << 13;

/// The number of threads.
pub(crate) fn threads() -> usize {
    #[cfg(feature = "rayon")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "rayon"))]
    1
}

/// Calls two functions at once. It is not generic, so that rayon's code is compiled here, and not in every crate
/// that calls it.
#[cfg(feature = "rayon")]
fn at_once(first: &mut (dyn FnMut() + Send), second: &mut (dyn FnMut() + Send)) {
    rayon::join(first, second);
}

/// Works on each item, numbered from `first`, in halves of halves.
#[cfg(feature = "rayon")]
fn in_halves<X: Send>(first: usize, items: &mut [X], work: &(dyn Fn(usize, &mut X) + Sync)) {
    match items {
        [] => {}
        [item] => work(first, item),
        _ => {
            let middle = items.len() / 2;
            let (low, high) = items.split_at_mut(middle);
            at_once(&mut || in_halves(first, low, work), &mut || {
                in_halves(first + middle, high, work);
            });
        }
    }
}

/// Works on each item and its number, on several threads if the work is large. The result must not depend on how the
/// work is divided.
///
/// Functions are passed as trait objects here and in [`try_parts`], so that this is compiled once for each type of items
/// and not for each function.
pub(crate) fn for_each<X: Send>(
    is_large: bool,
    items: &mut [X],
    work: &(dyn Fn(usize, &mut X) + Sync),
) {
    #[cfg(feature = "rayon")]
    if is_large {
        return in_halves(0, items, work);
    }
    let _ = is_large;
    for (number, item) in items.iter_mut().enumerate() {
        work(number, item);
    }
}

/// Divides `0..len` into parts of a fixed size, calls `make` for each, on several threads if possible, and
/// `put` with the results in order.
pub(crate) fn parts<X: Send>(
    len: usize,
    size: usize,
    make: &(dyn Fn(Range<usize>) -> X + Sync),
    put: &mut dyn FnMut(X),
) {
    let mut put = |part| {
        put(part);
        Ok(())
    };
    let Ok(()) = try_parts::<X, Infallible>(len, size, &|range| Ok(make(range)), &mut put);
}

/// [`parts`] with functions that may fail. After the first failure no part is begun.
pub(crate) fn try_parts<X: Send, E: Send>(
    len: usize,
    size: usize,
    make: &(dyn Fn(Range<usize>) -> Result<X, E> + Sync),
    put: &mut dyn FnMut(X) -> Result<(), E>,
) -> Result<(), E> {
    let part = |number: usize| make(number * size..len.min((number + 1) * size));
    let numbers = 0..len.div_ceil(size);
    #[cfg(feature = "rayon")]
    if threads() > 1 {
        // Make all parts, then put them in order.
        let failed = AtomicBool::new(false);
        let mut made: Vec<Option<Result<X, E>>> = numbers.map(|_| None).collect();
        for_each(true, &mut made, &|number, made| {
            if !failed.load(Ordering::Relaxed) {
                let part = part(number);
                failed.fetch_or(part.is_err(), Ordering::Relaxed);
                *made = Some(part);
            }
        });
        let made: Result<Vec<X>, E> = made.into_iter().flatten().collect();
        return made?.into_iter().try_for_each(put);
    }
    for number in numbers {
        put(part(number)?)?;
    }
    Ok(())
}

/// Calls two functions, at once if possible.
pub(crate) fn join<A, B, X, Y>(first: A, second: B) -> (X, Y)
where
    A: FnOnce() -> X + Send,
    B: FnOnce() -> Y + Send,
    X: Send,
    Y: Send,
{
    #[cfg(feature = "rayon")]
    {
        let (mut first, mut second) = (Some(first), Some(second));
        let (mut one, mut other) = (None, None);
        let mut first = || one = first.take().map(|work| work());
        let mut second = || other = second.take().map(|work| work());
        at_once(&mut first, &mut second);
        one.zip(other).expect("both are done")
    }
    #[cfg(not(feature = "rayon"))]
    (first(), second())
}

/// Does large work on a thread of the pool, so that handing over parts need not wake a thread
/// each time.
pub(crate) fn in_pool(is_large: bool, work: impl FnOnce() + Send) {
    #[cfg(feature = "rayon")]
    if is_large {
        return rayon::scope(|_| work());
    }
    let _ = is_large;
    work();
}

/// Replaces a list by `len` elements, in its old memory if that is enough. Each element takes
/// about as long as `weight` steps of a loop.
pub(crate) fn fill<X: Send>(
    list: &mut Vec<X>,
    len: usize,
    weight: usize,
    make: impl Fn(usize) -> X + Send + Sync,
) {
    list.clear();
    list.reserve_exact(len);
    #[cfg(feature = "rayon")]
    if len * weight > GRAIN && threads() > 1 {
        use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

        let places = (0..len).into_par_iter().with_min_len(GRAIN / weight);
        return places.map(make).collect_into_vec(list);
    }
    #[cfg(not(feature = "rayon"))]
    let _ = weight;
    list.extend((0..len).map(make));
}

/// Sorts a list. Equal elements must not be distinguishable, since their order is not kept.
pub(crate) fn sort<X: Ord + Send>(list: &mut [X]) {
    #[cfg(feature = "rayon")]
    if list.len() > GRAIN {
        return rayon::slice::ParallelSliceMut::par_sort_unstable(list);
    }
    list.sort_unstable();
}
