//! Sorted lists of pairs. A flat list holds the two ids of each pair one after the other.

use alloc::vec::Vec;

use crate::parallel::{GRAIN, join};
use crate::simd::Pile;
use crate::sort::sort_with;

/// A list as pairs.
#[inline(always)]
pub(super) fn pairs_of(flat: &[u32]) -> &[[u32; 2]] {
    flat.as_chunks().0
}

#[inline(always)]
pub(super) fn key(pair: [u32; 2]) -> u64 {
    u64::from(pair[0]) << 32 | u64::from(pair[1])
}

/// Sorts pairs, which differ. `keys` is memory.
pub(super) fn sort(flat: &mut [u32], keys: &mut Vec<u64>) {
    /// Fewer are sorted as they lie.
    const FEW: usize = 1 << 8;
    let any = flat.iter().fold(0, |any, id| any | id);
    let pairs = flat.as_chunks_mut::<2>().0;
    if pairs.len() <= FEW {
        return pairs.sort_unstable();
    }
    // No more bits between the two ids than they have.
    let id_bits = u32::BITS - any.leading_zeros();
    keys.clear();
    keys.extend(
        pairs
            .iter()
            .map(|&[a, b]| u64::from(a) << id_bits | u64::from(b)),
    );
    keys.resize(2 * pairs.len(), 0);
    let (keys, scratch) = keys.split_at_mut(pairs.len());
    sort_with(keys, scratch);
    for (pair, &key) in pairs.iter_mut().zip(&*keys) {
        *pair = [(key >> id_bits) as u32, (key & ((1 << id_bits) - 1)) as u32];
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
