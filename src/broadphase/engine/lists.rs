//! Sorted lists of pairs. A flat list holds the two ids of each pair one after the other.

use alloc::vec::Vec;

use crate::simd::Pile;

/// A list as pairs.
#[inline(always)]
pub(super) fn pairs_of(flat: &[u32]) -> &[[u32; 2]] {
    flat.as_chunks().0
}

#[inline(always)]
fn key(pair: [u32; 2]) -> u64 {
    u64::from(pair[0]) << 32 | u64::from(pair[1])
}

/// Fewer are sorted by comparison.
#[cfg(feature = "std")]
const FEW: usize = 1 << 8;

/// Sorts keys, which differ: there is one order.
pub(super) fn sort_keys(keys: &mut [u64]) {
    #[cfg(feature = "std")]
    if keys.len() > FEW {
        return rdst::RadixSort::radix_sort_unstable(keys);
    }
    keys.sort_unstable();
}

/// Sorts pairs, which differ. `keys` is memory.
pub(super) fn sort(flat: &mut [u32], keys: &mut Vec<u64>) {
    let pairs = flat.as_chunks_mut::<2>().0;
    #[cfg(feature = "std")]
    if pairs.len() > FEW {
        keys.clear();
        keys.extend(pairs.iter().map(|&pair| key(pair)));
        sort_keys(keys);
        for (pair, &key) in pairs.iter_mut().zip(&*keys) {
            *pair = [(key >> 32) as u32, key as u32];
        }
        return;
    }
    let _ = keys;
    pairs.sort_unstable();
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

/// Makes `to` the list without what ended and with what began. All are sorted; a pair that ended and
/// began stays.
pub(super) fn patch(list: &[u32], begun: &[u32], ended: &[u32], to: &mut Vec<u32>) {
    let (list, begun, ended) = (pairs_of(list), pairs_of(begun), pairs_of(ended));
    to.clear();
    to.reserve(2 * (list.len() + begun.len()));
    let (mut at, mut b, mut e) = (0, 0, 0);
    while b < begun.len() || e < ended.len() {
        let ends = b == begun.len() || e < ended.len() && ended[e] <= begun[b];
        let next = key(if ends { ended[e] } else { begun[b] });
        // By growing steps to the first pair that is not before it.
        let (mut from, mut step) = (at, 1);
        while from + step < list.len() && key(list[from + step]) < next {
            from += step;
            step *= 2;
        }
        let end = (from + step + 1).min(list.len());
        let until = from + list[from..end].partition_point(|&pair| key(pair) < next);
        to.extend_from_slice(list[at..until].as_flattened());
        at = until;
        if ends {
            at += 1;
            e += 1;
        } else {
            to.extend(begun[b]);
            b += 1;
        }
    }
    to.extend_from_slice(list[at..].as_flattened());
}

/// Makes `to` the pairs of a list in which one of two ids is flagged, in order.
pub(super) fn flagged(list: &[u32], flags: &[u8], any: u8, to: &mut Vec<u32>) {
    to.clear();
    // Found without a branch, then copied.
    let mut at = [0; 64];
    for chunk in pairs_of(list).chunks(at.len()) {
        let mut many = 0;
        for (i, [a, b]) in chunk.iter().enumerate() {
            at[many % 64] = i as u8;
            many += usize::from((flags[*a as usize] | flags[*b as usize]) & any != 0);
        }
        to.reserve(2 * many);
        Pile::extend(to, |to| {
            for &i in &at[..many] {
                to.put(chunk[usize::from(i)], 2);
            }
        });
    }
}
