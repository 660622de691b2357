//! A sorted list of pairs brought up to date.

use alloc::vec::Vec;

use fearless_simd::{Simd, SimdBase, SimdMask, u32x16};

use super::lists::{key, pairs_of};
use crate::InstructionSet;
use crate::parallel::{GRAIN, join};
use crate::simd::Job;

/// Pairs that are copied at a time.
const CHUNK: usize = 16;

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

struct Patch<'a> {
    list: &'a [[u32; 2]],
    begun: &'a [[u32; 2]],
    ended: &'a [[u32; 2]],
    to: &'a mut [[u32; 2]],
}

impl Patch<'_> {
    /// Halves the work as long as it is large.
    fn in_parts(self, set: InstructionSet) {
        let (list, other_list) = self.list.split_at(self.list.len() / 2);
        if list.len() < GRAIN {
            return set.run(self);
        }
        let before = |pair: &[u32; 2]| *pair < other_list[0];
        let (begun, other_begun) = self.begun.split_at(self.begun.partition_point(before));
        let (ended, other_ended) = self.ended.split_at(self.ended.partition_point(before));
        let many = list.len() + begun.len() - ended.len();
        let (to, other_to) = self.to.split_at_mut(many);
        let first = Patch {
            list,
            begun,
            ended,
            to,
        };
        let second = Patch {
            list: other_list,
            begun: other_begun,
            ended: other_ended,
            to: other_to,
        };
        join(|| first.in_parts(set), || second.in_parts(set));
    }
}

impl Job for Patch<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self {
            list,
            begun,
            ended,
            to,
        } = self;
        let (mut at, mut end, mut b, mut e) = (0, 0, 0, 0);
        while b < begun.len() || e < ended.len() {
            let begins = first(&begun[b..]);
            let ends = first(&ended[e..]);
            let next = if begins < ends { begins } else { ends };
            // Copied by whole chunks, in the last of which the change falls: where in it is counted,
            // since a branch would often guess wrong.
            while let Some(from) = list[at..].first_chunk::<CHUNK>()
                && let Some(to) = to[end..].first_chunk_mut::<CHUNK>()
            {
                *to = *from;
                if key(from[CHUNK - 1]) >= next {
                    let before = less(simd, from, next);
                    at += before;
                    end += before;
                    break;
                }
                at += CHUNK;
                end += CHUNK;
            }
            // Where the list or its room ends, and else none.
            while at < list.len() && key(list[at]) < next {
                to[end] = list[at];
                at += 1;
                end += 1;
            }
            // Overwritten if it was an end.
            if let Some(to) = to.get_mut(end) {
                *to = [(next >> 32) as u32, next as u32];
            }
            at += usize::from(ends <= begins);
            e += usize::from(ends <= begins);
            b += usize::from(begins < ends);
            end += usize::from(begins < ends);
        }
        to[end..].copy_from_slice(&list[at..]);
    }
}

/// How many pairs are less than a key.
#[inline(always)]
fn less<S: Simd>(simd: S, pairs: &[[u32; 2]; CHUNK], than: u64) -> usize {
    let (one, other) = pairs.as_flattened().split_at(CHUNK);
    let (one, other) = (
        u32x16::from_slice(simd, one),
        u32x16::from_slice(simd, other),
    );
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
