//! Sorted lists of pairs, compared and brought up to date. A flat list holds the two ids of each pair one after the other.

use alloc::vec::Vec;

use fearless_simd::{Simd, SimdBase, SimdMask, u32x16};

use crate::parallel::{GRAIN, join};
use crate::simd::{InstructionSet, Job, ListWriter};
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

/// What is in one of two sorted lists only: in the newer one, and in the older one.
pub(in super::super) fn changes(old: &[[u32; 2]], new: &[[u32; 2]]) -> [Vec<[u32; 2]>; 2] {
    let (mut begun, mut ended) = (Vec::new(), Vec::new());
    let (old, new) = (old.as_flattened(), new.as_flattened());
    differ(old, new, |_| false, &mut begun, &mut ended);
    [begun, ended].map(|flat| pairs_of(&flat).to_vec())
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
        ListWriter::extend(to, |to| {
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

// A sorted list brought up to date by a copy.

/// Pairs that are copied at a time.
const CHUNK: usize = 16;
/// The share of changes, as one of so many pairs, from which on they are the most of the work.
const PAIRS_TO_A_PATCH: usize = 64;

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
        let count = list.len() + begun.len() - ended.len();
        let (to, other_to) = self.to.split_at_mut(count);
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
    fn pass(&mut self, count: usize) {
        self.list = &self.list[count..];
        self.to = &mut core::mem::take(&mut self.to)[count..];
    }
}

/// ```text
/// cut the work into four parts, if there is much of it
/// in turns, for each part, up to its next change:
///     copy pairs by chunks, counting those before the change
///     write what begins, or pass what ends
/// copy the rest
/// ```
impl Job for Patch<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let mut parts = [self, Patch::default(), Patch::default(), Patch::default()];
        let changes = parts[0].begun.len() + parts[0].ended.len();
        if PAIRS_TO_A_PATCH * changes > parts[0].list.len() {
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

// A sorted list of pairs brought up to date where it lies, when few of them changed: a copy of it
// would be most of the step.

/// Pairs that stay, and how far they go.
struct Run {
    from: usize,
    to: usize,
    by: isize,
}

/// Takes out of the list what ended, all of which is in it, and puts in what began. All are sorted; a
/// pair that ended and began stays.
pub(super) fn splice(list: &mut Vec<u32>, begun: &[u32], ended: &[u32]) {
    let (begun, ended) = (pairs_of(begun), pairs_of(ended));
    let mut runs = Vec::with_capacity(begun.len() + ended.len() + 1);
    // Where those that began come to be.
    let mut places = Vec::with_capacity(begun.len());
    let pairs = pairs_of(list);
    let len = pairs.len();
    let (mut from, mut by, mut b, mut e) = (0, 0isize, 0, 0);
    while b < begun.len() || e < ended.len() {
        let begins = begun.get(b).map_or(u64::MAX, |&pair| key(pair));
        let ends = ended.get(e).map_or(u64::MAX, |&pair| key(pair));
        let to = from + before(&pairs[from..], begins.min(ends));
        runs.push(Run { from, to, by });
        from = to;
        if begins <= ends {
            places.push(to.wrapping_add_signed(by));
            by += 1;
            b += 1;
        }
        if ends <= begins {
            from += 1;
            by -= 1;
            e += 1;
        }
    }
    runs.push(Run { from, to: len, by });
    let new_len = len.wrapping_add_signed(by);
    list.resize(2 * len.max(new_len), 0);
    let pairs = list.as_chunks_mut::<2>().0;
    let mut first = 0;
    while let Some(run) = runs.get(first) {
        // What goes back goes in order; what goes on, the last first. A run that goes back or stays
        // lies behind the new places of all that are before it.
        let last = if run.by > 0 {
            let ahead = runs[first..].iter().take_while(|run| run.by > 0);
            first + ahead.count()
        } else {
            first + 1
        };
        for run in runs[first..last].iter().rev() {
            pairs.copy_within(run.from..run.to, run.from.wrapping_add_signed(run.by));
        }
        first = last;
    }
    for (place, &pair) in places.into_iter().zip(begun) {
        pairs[place] = pair;
    }
    list.truncate(2 * new_len);
}

/// How many pairs of a sorted list are less than a key: by leaps that double.
fn before(pairs: &[[u32; 2]], next: u64) -> usize {
    let mut leap = 16;
    while pairs.get(leap).is_some_and(|&pair| key(pair) < next) {
        leap *= 2;
    }
    let low = if leap == 16 { 0 } else { leap / 2 };
    let some = &pairs[low..pairs.len().min(leap)];
    low + some.partition_point(|&pair| key(pair) < next)
}
