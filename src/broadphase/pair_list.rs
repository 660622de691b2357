//! Sorted lists of pairs: sorted, compared, and brought up to date.

use alloc::vec::Vec;

use crate::sort::sort_with;

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

/// Appends some pairs of a list, without a branch that would be mispredicted.
#[inline(always)]
pub(super) fn select(list: &[Pair], to: &mut Vec<Pair>, takes: impl Fn([u32; 2]) -> bool) {
    const CHUNK: usize = 256;
    for list in list.chunks(CHUNK) {
        let mut end = to.len();
        to.resize(end + list.len(), 0);
        for &pair in list {
            to[end] = pair;
            end += usize::from(takes(ids(pair)));
        }
        to.truncate(end);
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
pub(super) fn patch(list: &[Pair], begun: &[Pair], ended: &[Pair], to: &mut Vec<Pair>) {
    to.clear();
    to.reserve(list.len() + begun.len());
    let (mut at, mut ends) = (0, ended.iter().copied().peekable());
    for &begins in begun.iter().chain([&Pair::MAX]) {
        // Copy up to the next pair that begins, without those that end before it.
        while let Some(ends) = ends.next_if(|&ends| ends < begins) {
            let end = at + count_below(&list[at..], ends);
            to.extend_from_slice(&list[at..end]);
            at = end + 1;
        }
        if begins == Pair::MAX {
            return to.extend_from_slice(&list[at..]);
        }
        let end = at + count_below(&list[at..], begins);
        to.extend_from_slice(&list[at..end]);
        to.push(begins);
        at = end;
    }
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

    use super::{Pair, differ, keep_known, pair, patch, sort};

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
                let mut lists = [&old, &new].map(|set| set.iter().rev().copied().collect::<Vec<_>>());
                lists.iter_mut().for_each(|list| sort(list, &mut Vec::new()));
                let [old_list, new_list] = lists;
                assert!(new_list.iter().eq(&new));
                let (mut begun, mut ended, mut to) = (Vec::new(), Vec::new(), Vec::new());
                differ(&old_list, &new_list, &mut begun, &mut ended);
                assert!(begun.iter().eq(new.difference(&old)));
                assert!(ended.iter().eq(old.difference(&new)));
                patch(&old_list, &begun, &ended, &mut to);
                assert_eq!(to, new_list);
                keep_known(&mut to, &old_list);
                assert!(to.iter().eq(new.intersection(&old)));
            }
        }
    }
}
