//! A sorted list of pairs brought up to date.

use alloc::vec::Vec;

use fearless_simd::{Simd, SimdBase, SimdMask, u32x16};

use super::lists::{key, pairs_of};
use crate::InstructionSet;
use crate::parallel::{GRAIN, join};
use crate::simd::Job;

/// Pairs that are copied at a time.
const CHUNK: usize = 16;
/// The share of changes, as one of so many pairs, from which on they are the most of the work.
const MANY: usize = 64;

/// Makes `to` the list without what ended, all of which is in it, and with what began. All are sorted;
/// a pair that ended and began stays.
pub(super) fn patch(
    list: &[u32],
    begun: &[u32],
    ended: &[u32],
    to: &mut Vec<u32>,
    set: InstructionSet,
) {
    to.resize(list.len() + begun.len() - ended.len(), 0);
    let patch = Patch {
        list: pairs_of(list),
        begun: pairs_of(begun),
        ended: pairs_of(ended),
        to: to.as_chunks_mut().0,
    };
    patch.in_parts(set);
}

/// What is left to be done.
#[derive(Default)]
struct Patch<'a> {
    list: &'a [[u32; 2]],
    begun: &'a [[u32; 2]],
    ended: &'a [[u32; 2]],
    to: &'a mut [[u32; 2]],
}

impl<'a> Patch<'a> {
    /// Halves the work as long as it is large.
    fn in_parts(self, set: InstructionSet) {
        if self.list.len() < 2 * GRAIN {
            return set.run(self);
        }
        let [first, second] = self.halves();
        join(|| first.in_parts(set), || second.in_parts(set));
    }

    fn halves(self) -> [Self; 2] {
        let (list, other_list) = self.list.split_at(self.list.len() / 2);
        let middle = other_list.first();
        let before = |pair: &[u32; 2]| middle.is_none_or(|middle| pair < middle);
        let (begun, other_begun) = self.begun.split_at(self.begun.partition_point(before));
        let (ended, other_ended) = self.ended.split_at(self.ended.partition_point(before));
        let many = list.len() + begun.len() - ended.len();
        let (to, other_to) = self.to.split_at_mut(many);
        let first = Self {
            list,
            begun,
            ended,
            to,
        };
        let second = Self {
            list: other_list,
            begun: other_begun,
            ended: other_ended,
            to: other_to,
        };
        [first, second]
    }

    fn is_copied(&self) -> bool {
        self.begun.is_empty() && self.ended.is_empty()
    }

    /// Goes on to the next change.
    #[inline(always)]
    fn advance<S: Simd>(&mut self, simd: S) {
        let (begins, ends) = (first(self.begun), first(self.ended));
        let next = if begins < ends { begins } else { ends };
        // Copied by whole chunks, in the last of which the change falls: where in it is counted, since
        // a branch would often guess wrong.
        while let Some(from) = self.list.first_chunk::<CHUNK>()
            && let Some(to) = self.to.first_chunk_mut::<CHUNK>()
        {
            let before = copy(simd, from, to, next);
            let all = key(from[CHUNK - 1]) < next;
            self.pass(if all { CHUNK } else { before });
            if !all {
                break;
            }
        }
        // Where the list or its room ends, and else none.
        while let [pair, ..] = self.list
            && key(*pair) < next
        {
            self.to[0] = *pair;
            self.pass(1);
        }
        // Overwritten if it was an end.
        if let [to, ..] = &mut self.to {
            *to = [(next >> 32) as u32, next as u32];
        }
        let (begun, ended) = (usize::from(begins < ends), usize::from(ends <= begins));
        self.list = &self.list[ended..];
        self.ended = &self.ended[ended..];
        self.begun = &self.begun[begun..];
        self.to = &mut core::mem::take(&mut self.to)[begun..];
    }

    /// Leaves behind what was copied.
    #[inline(always)]
    fn pass(&mut self, many: usize) {
        self.list = &self.list[many..];
        self.to = &mut core::mem::take(&mut self.to)[many..];
    }
}

impl Job for Patch<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let mut parts = [self, Patch::default(), Patch::default(), Patch::default()];
        let changes = parts[0].begun.len() + parts[0].ended.len();
        if MANY * changes > parts[0].list.len() {
            // Four at once, in turns: where a change falls is known some time after it was asked.
            let [part, ..] = parts;
            let [[a, b], [c, d]] = part.halves().map(Patch::halves);
            parts = [a, b, c, d];
        }
        while parts.iter().any(|part| !part.is_copied()) {
            for part in &mut parts {
                if !part.is_copied() {
                    part.advance(simd);
                }
            }
        }
        for part in parts {
            part.to.copy_from_slice(part.list);
        }
    }
}

/// Copies pairs; returns how many are less than a key.
#[inline(always)]
fn copy<S: Simd>(
    simd: S,
    from: &[[u32; 2]; CHUNK],
    to: &mut [[u32; 2]; CHUNK],
    than: u64,
) -> usize {
    let (one, other) = from.as_flattened().split_at(CHUNK);
    let one = u32x16::from_slice(simd, one);
    let other = u32x16::from_slice(simd, other);
    let (to_one, to_other) = to.as_flattened_mut().split_at_mut(CHUNK);
    to_one.copy_from_slice(one.as_slice());
    to_other.copy_from_slice(other.as_slice());
    let (first, second) = (one.unzip_low(other), one.unzip_high(other));
    let (lesser, greater) = ((than >> 32) as u32, than as u32);
    let same = first.simd_eq(lesser) & second.simd_lt(greater);
    let less = first.simd_lt(lesser) | same;
    less.to_bitmask().count_ones() as usize
}

/// The key of the first pair, or one behind all.
#[inline(always)]
fn first(pairs: &[[u32; 2]]) -> u64 {
    match pairs {
        [pair, ..] => key(*pair),
        [] => u64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;
    use alloc::vec::Vec;

    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    use super::patch;
    use crate::InstructionSet;

    /// Sets of pairs as flat lists.
    fn flat(pairs: &BTreeSet<[u32; 2]>) -> Vec<u32> {
        pairs.iter().copied().flatten().collect()
    }

    #[test]
    fn what_began_is_in_and_what_ended_is_out() {
        let random = &mut SmallRng::seed_from_u64(5);
        let mut pairs = BTreeSet::new();
        let (mut list, mut to) = (Vec::new(), Vec::new());
        for step in 0..200 {
            let (mut begun, mut ended) = (BTreeSet::new(), BTreeSet::new());
            // Many and few, more beginnings than ends and more ends than beginnings.
            let most = if step % 3 == 0 { 4 } else { 120 };
            for _ in 0..random.random_range(0..most) {
                let pair = [random.random_range(0..40), random.random_range(0..40)];
                if !pairs.contains(&pair) {
                    begun.insert(pair);
                } else if step / 20 % 2 == 1 || random.random() {
                    ended.insert(pair);
                }
            }
            pairs.retain(|pair| !ended.contains(pair));
            pairs.extend(&begun);
            let set = InstructionSet::best();
            patch(&list, &flat(&begun), &flat(&ended), &mut to, set);
            assert_eq!(to, flat(&pairs), "step {step}");
            core::mem::swap(&mut list, &mut to);
        }
        assert!(pairs.len() > 100);
    }
}
