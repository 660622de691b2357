//! Sorted lists of pairs: sorted, compared, and brought up to date.

use alloc::vec::Vec;

use crate::simd::{InstructionSet, run};
use crate::sort::sort_with;

/// Pairs that are copied at a time.
const CHUNK: usize = 16;

/// Two keys of bodies in one number, so that lists compare and sort numbers: the lesser key in the upper half.
pub(super) type Pair = u64;

#[inline(always)]
pub(super) fn pair([lesser, greater]: [u32; 2]) -> Pair {
    u64::from(lesser) << 32 | u64::from(greater)
}

#[inline(always)]
pub(super) fn ids(pair: Pair) -> [u32; 2] {
    [(pair >> 32) as u32, pair as u32]
}

/// Sorts pairs; `scratch` is memory.
pub(super) fn sort(pairs: &mut [Pair], scratch: &mut Vec<Pair>) {
    if scratch.len() < pairs.len() {
        scratch.resize(pairs.len(), 0);
    }
    sort_with(pairs, &mut scratch[..pairs.len()]);
}

/// Appends some pairs of a list: first found without a branch that would be mispredicted, then copied.
#[inline(always)]
pub(super) fn select(list: &[Pair], to: &mut Vec<Pair>, takes: impl Fn([u32; 2]) -> bool) {
    let mut found = [0u8; 256];
    for list in list.chunks(found.len()) {
        let mut count = 0;
        for (at, &pair) in list.iter().enumerate() {
            found[count % 256] = at as u8;
            count += usize::from(takes(ids(pair)));
        }
        to.extend(found[..count].iter().map(|&at| list[usize::from(at)]));
    }
}

/// Appends the pairs that only one of two sorted lists has: to `begun` those of the new one, to `ended` those of the old
/// one.
pub(super) fn differ(old: &[Pair], new: &[Pair], begun: &mut Vec<Pair>, ended: &mut Vec<Pair>) {
    let (mut i, mut j) = (0, 0);
    while i < old.len() && j < new.len() {
        let (a, b) = (old[i], new[j]);
        if a < b {
            ended.push(a);
        }
        if b < a {
            begun.push(b);
        }
        i += usize::from(a <= b);
        j += usize::from(b <= a);
    }
    ended.extend_from_slice(&old[i..]);
    begun.extend_from_slice(&new[j..]);
}

/// Keeps those of some sorted pairs that a sorted list has.
pub(super) fn keep_known(some: &mut Vec<Pair>, list: &[Pair]) {
    let mut at = 0;
    some.retain(|&pair| {
        at += count_below(&list[at..], pair);
        list.get(at) == Some(&pair)
    });
}

/// Makes `to` the list without the pairs that ended, all of which it has, and with those that began, none of which it
/// has. All are sorted.
pub(super) fn patch(
    list: &[Pair],
    begun: &[Pair],
    ended: &[Pair],
    to: &mut Vec<Pair>,
    set: InstructionSet,
) {
    let len = list.len() + begun.len() - ended.len();
    // Room for a whole chunk behind the last pair.
    to.resize(len + CHUNK, 0);
    run!(set, |_simd| patch_chunks(list, begun, ended, to));
    to.truncate(len);
}

/// ```text
/// for each change, in order:
///     copy pairs by whole chunks, and count those before the change, until one is not
///     insert the pair if it began, or skip it if it ended
/// copy the rest
/// ```
#[inline(always)]
fn patch_chunks(list: &[Pair], begun: &[Pair], ended: &[Pair], to: &mut [Pair]) {
    let (mut from, mut at) = (0, 0);
    let (mut begun, mut ended) = (begun.iter(), ended.iter());
    let (mut begins, mut ends) = (begun.next(), ended.next());
    loop {
        let next = match (begins, ends) {
            (None, None) => break,
            (Some(&pair), None) | (None, Some(&pair)) => pair,
            (Some(&begins), Some(&ends)) => begins.min(ends),
        };
        while let Some(chunk) = list[from..].first_chunk::<CHUNK>() {
            to[at..at + CHUNK].copy_from_slice(chunk);
            if chunk[CHUNK - 1] < next {
                (from, at) = (from + CHUNK, at + CHUNK);
                continue;
            }
            // Where in the chunk the change falls is counted, since a search would be mispredicted.
            let before: u64 = chunk.iter().map(|&pair| u64::from(pair < next)).sum();
            (from, at) = (from + before as usize, at + before as usize);
            break;
        }
        while let Some(&pair) = list.get(from).filter(|&&pair| pair < next) {
            to[at] = pair;
            from += 1;
            at += 1;
        }
        if begins == Some(&next) {
            to[at] = next;
            at += 1;
            begins = begun.next();
        } else {
            from += 1;
            ends = ended.next();
        }
    }
    to[at..at + list.len() - from].copy_from_slice(&list[from..]);
}

/// How many pairs of a sorted list are less than a pair: exponential search, since the answer is mostly small.
fn count_below(list: &[Pair], pair: Pair) -> usize {
    let mut end = 16;
    while list.get(end).is_some_and(|&other| other < pair) {
        end *= 2;
    }
    let low = if end == 16 { 0 } else { end / 2 };
    let some = &list[low..list.len().min(end)];
    low + some.partition_point(|&other| other < pair)
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;
    use alloc::vec::Vec;

    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    use super::{InstructionSet, Pair, differ, keep_known, pair, patch, sort};

    /// Lists agree with sets.
    #[test]
    fn lists_are_sets() {
        let random = &mut SmallRng::seed_from_u64(1);
        for len in [0, 1, 5, 60, 3000] {
            for share in [1, 30, 70, 100] {
                let some = |random: &mut SmallRng| -> BTreeSet<Pair> {
                    let one = |_| pair([0, 1].map(|_| random.random_range(0..100)));
                    (0..len).map(one).collect()
                };
                let old = some(random);
                let keep = |_: &&Pair| random.random_range(0..100) < share;
                let mut new: BTreeSet<Pair> = old.iter().filter(keep).copied().collect();
                new.extend(some(random).iter().take(len / 3));
                let mut lists =
                    [&old, &new].map(|set| set.iter().rev().copied().collect::<Vec<_>>());
                lists
                    .iter_mut()
                    .for_each(|list| sort(list, &mut Vec::new()));
                let [old_list, new_list] = lists;
                assert!(new_list.iter().eq(&new));
                let (mut begun, mut ended, mut to) = (Vec::new(), Vec::new(), Vec::new());
                differ(&old_list, &new_list, &mut begun, &mut ended);
                assert!(begun.iter().eq(new.difference(&old)));
                assert!(ended.iter().eq(old.difference(&new)));
                patch(&old_list, &begun, &ended, &mut to, InstructionSet::best());
                assert_eq!(to, new_list);
                keep_known(&mut to, &old_list);
                assert!(to.iter().eq(new.intersection(&old)));
            }
        }
    }
}
