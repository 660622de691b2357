//! Sorted lists of pairs. A flat list holds the two ids of each pair one after the other.

use alloc::vec::Vec;

#[cfg(feature = "std")]
use crate::parallel::threads;
use crate::parallel::{GRAIN, join};
use crate::simd::Pile;

/// A list as pairs.
#[inline(always)]
pub(super) fn pairs_of(flat: &[u32]) -> &[[u32; 2]] {
    flat.as_chunks().0
}

#[inline(always)]
pub(super) fn key(pair: [u32; 2]) -> u64 {
    u64::from(pair[0]) << 32 | u64::from(pair[1])
}

/// Fewer are sorted by comparison.
#[cfg(feature = "std")]
const FEW: usize = 1 << 8;

/// Sorts keys, which differ: there is one order.
#[cfg(feature = "std")]
pub(super) fn sort_keys<K: Ord + Copy + Send + Sync + rdst::RadixKey>(keys: &mut [K]) {
    if keys.len() > FEW {
        sort_many(keys, threads());
    } else {
        keys.sort_unstable();
    }
}

/// Sorts keys, which differ: there is one order.
#[cfg(not(feature = "std"))]
pub(super) fn sort_keys<K: Ord>(keys: &mut [K]) {
    keys.sort_unstable();
}

/// A half for each half of the threads, which takes less time than to sort with all of them at once.
#[cfg(feature = "std")]
fn sort_many<K: Ord + Copy + Send + Sync + rdst::RadixKey>(keys: &mut [K], threads: usize) {
    if threads > 1 && keys.len() > 2 * GRAIN {
        let middle = keys.len() / 2;
        keys.select_nth_unstable(middle);
        let (first, second) = keys.split_at_mut(middle);
        let threads = threads.div_ceil(2);
        join(|| sort_many(first, threads), || sort_many(second, threads));
        return;
    }
    let sort = rdst::RadixSort::radix_sort_builder(keys);
    sort.with_parallel(false)
        .with_single_threaded_tuner()
        .sort();
}

/// Sorts pairs, which differ. `keys` is memory.
pub(super) fn sort(flat: &mut [u32], keys: &mut Vec<u64>) {
    #[cfg(feature = "std")]
    if flat.len() > 2 * FEW {
        let any = flat.iter().fold(0, |any, id| any | id);
        return if any >> SHORT == 0 {
            sort_short(flat);
        } else {
            sort_long(flat.as_chunks_mut().0, keys);
        };
    }
    let _ = keys;
    flat.as_chunks_mut::<2>().0.sort_unstable();
}

/// The bits of ids of which two make a number of their size.
#[cfg(feature = "std")]
const SHORT: u32 = u32::BITS / 2;

/// Sorts pairs of short ids: half the digits, in the memory where the pairs lie.
#[cfg(feature = "std")]
fn sort_short(flat: &mut [u32]) {
    let count = flat.len() / 2;
    for at in 0..count {
        flat[at] = flat[2 * at] << SHORT | flat[2 * at + 1];
    }
    sort_keys(&mut flat[..count]);
    for at in (0..count).rev() {
        let key = flat[at];
        flat[2 * at + 1] = key & ((1 << SHORT) - 1);
        flat[2 * at] = key >> SHORT;
    }
}

#[cfg(feature = "std")]
fn sort_long(pairs: &mut [[u32; 2]], keys: &mut Vec<u64>) {
    keys.clear();
    keys.extend(pairs.iter().map(|&pair| key(pair)));
    sort_keys(keys);
    for (pair, &key) in pairs.iter_mut().zip(&*keys) {
        *pair = [(key >> 32) as u32, key as u32];
    }
}

/// What is only in one of two sorted lists; and what is in both, if an id of it is `reborn`.
pub(super) fn differ(
    old: &[u32],
    new: &[u32],
    reborn: impl Fn([u32; 2]) -> bool,
    begun: &mut Vec<u32>,
    ended: &mut Vec<u32>,
) {
    let (old, new) = (pairs_of(old), pairs_of(new));
    let (mut i, mut j) = (0, 0);
    while i < old.len() && j < new.len() {
        let (a, b) = (key(old[i]), key(new[j]));
        if a <= b && (a < b || reborn(old[i])) {
            ended.extend(old[i]);
        }
        if b <= a && (b < a || reborn(new[j])) {
            begun.extend(new[j]);
        }
        i += usize::from(a <= b);
        j += usize::from(b <= a);
    }
    ended.extend_from_slice(old[i..].as_flattened());
    begun.extend_from_slice(new[j..].as_flattened());
}

/// Makes `to` the pairs of a list in which one of two ids is flagged, in order.
pub(super) fn flagged(list: &[u32], flags: &[u8], any: u8, to: &mut Vec<u32>) {
    to.clear();
    append_flagged(pairs_of(list), flags, any, to);
}

fn append_flagged(list: &[[u32; 2]], flags: &[u8], any: u8, to: &mut Vec<u32>) {
    let (first, second) = list.split_at(list.len() / 2);
    if first.len() >= 2 * GRAIN {
        let mut behind = Vec::new();
        join(
            || append_flagged(first, flags, any, to),
            || append_flagged(second, flags, any, &mut behind),
        );
        return to.append(&mut behind);
    }
    // Found without a branch, then copied.
    let mut at = [0; 64];
    for chunk in list.chunks(at.len()) {
        let mut count = 0;
        for (i, [a, b]) in chunk.iter().enumerate() {
            at[count % 64] = i as u8;
            count += usize::from((flags[*a as usize] | flags[*b as usize]) & any != 0);
        }
        to.reserve(2 * count);
        Pile::extend(to, |to| {
            for &i in &at[..count] {
                to.put(chunk[usize::from(i)], 2);
            }
        });
    }
}

/// Takes the pairs in which one of two ids is flagged out of a list; the last pairs fill the holes.
/// `holes` is memory.
pub(super) fn drop_flagged(list: &mut Vec<u32>, flags: &[u8], any: u8, holes: &mut Vec<u32>) {
    holes.clear();
    let pairs = list.as_chunks_mut::<2>().0;
    // Found without a branch, then filled.
    let mut at = [0; 64];
    for (first, chunk) in (0..).step_by(at.len()).zip(pairs.chunks(at.len())) {
        let mut count = 0;
        for (i, [a, b]) in (first..).zip(chunk) {
            at[count % 64] = i;
            count += usize::from((flags[*a as usize] | flags[*b as usize]) & any != 0);
        }
        holes.extend_from_slice(&at[..count]);
    }
    let mut len = pairs.len();
    for &hole in holes.iter().rev() {
        len -= 1;
        pairs[hole as usize] = pairs[len];
    }
    list.truncate(2 * len);
}
