//! Pairs of bodies: a collector for searches, operations on sorted lists of pairs, and events.

use alloc::vec::Vec;
use core::mem::{size_of, take};
use core::ops::Range;

use super::World;
use crate::handle::Handle;
use crate::parallel::{for_each, threads};
use crate::simd::{ArrayVec, InstructionSet, ListWriter, run};
use crate::sort::sort_with;
use crate::vector::Vector;

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

// Collecting.

/// Searches a range part by part: on several threads with the feature `rayon`, if the work is large. Parts have a fixed
/// size, and their pairs are put together in order, so that the result does not depend on threads.
pub(super) fn search_parts(
    len: usize,
    part: usize,
    found: &mut PairsFound,
    search: impl Fn(Range<usize>, &mut PairsFound) + Sync,
) {
    let count = len.div_ceil(part);
    if count < 2 || threads() == 1 {
        return search(0..len, found);
    }
    let mut parts = take(&mut found.parts);
    if parts.len() < count {
        parts.resize_with(count, PairsFound::new);
    }
    for_each(true, &mut parts[..count], &|number, found| {
        let first = number * part;
        search(first..len.min(first + part), found);
    });
    for part in &mut parts[..count] {
        found.begun.append(&mut part.begun);
        found.ended.append(&mut part.ended);
        found.work += take(&mut part.work);
    }
    found.parts = parts;
}

/// The pairs that a search found, in its own order.
#[derive(Clone, Default)]
pub(super) struct PairsFound {
    pub(super) begun: Vec<Pair>,
    pub(super) ended: Vec<Pair>,
    /// About how many tests of sixteen boxes the search took.
    pub(super) work: usize,
    /// Memory for the parts of a search; empty between searches.
    parts: Vec<Self>,
}

impl PairsFound {
    pub(super) const fn new() -> Self {
        Self {
            begun: Vec::new(),
            ended: Vec::new(),
            work: 0,
            parts: Vec::new(),
        }
    }

    /// Empties the lists, but keeps their memory.
    pub(super) fn clear(&mut self) {
        self.begun.clear();
        self.ended.clear();
        self.work = 0;
    }

    pub(super) fn bytes(&self) -> usize {
        let pairs = self.begun.capacity() + self.ended.capacity();
        let parts = self.parts.iter().map(Self::bytes).sum::<usize>();
        let unused = self.parts.capacity() - self.parts.len();
        pairs * size_of::<Pair>() + parts + (unused + 1) * size_of::<Self>()
    }
}

/// The number of keys that are collected before they are copied to the lists.
const CAPACITY: usize = 2048;

/// Buffers for the keys of pairs that began, and of pairs that ended.
pub(super) type Collected = [ArrayVec<CAPACITY>; 2];

/// Collects the keys of pairs that began and that ended, before the rules judge them.
pub(super) struct PairCollector<'a, V: Vector> {
    pub(super) begun: ListWriter<'a>,
    pub(super) ended: ListWriter<'a>,
    /// The world whose rules judge pairs; `None` if all overlapping boxes are pairs.
    judge: Option<&'a World<V>>,
    found: &'a mut PairsFound,
}

impl<'a, V: Vector> PairCollector<'a, V> {
    #[inline(always)]
    pub(super) fn new(
        [begun, ended]: &'a mut Collected,
        judge: Option<&'a World<V>>,
        found: &'a mut PairsFound,
    ) -> Self {
        Self {
            begun: begun.writer(),
            ended: ended.writer(),
            judge,
            found,
        }
    }

    /// The number of keys that each list can still hold.
    #[inline(always)]
    pub(super) fn room(&self) -> usize {
        self.begun.room().min(self.ended.room())
    }

    /// Moves the collected pairs to the lists; pairs that begin are left out if the rules forbid them. The innermost
    /// loops do not call this, since a call would spill the registers that hold boxes.
    #[inline(never)]
    pub(super) fn flush(&mut self) {
        let [begins, ends] = [&self.begun, &self.ended].map(|keys| keys.as_slice().as_chunks().0);
        let begins = begins.iter().map(|&ids| pair(ids));
        if let Some(world) = self.judge {
            extend_if(&mut self.found.begun, begins, |[a, b]| world.is_pair(a, b));
        } else {
            self.found.begun.extend(begins);
        }
        self.found.ended.extend(ends.iter().map(|&ids| pair(ids)));
        self.begun.clear();
        self.ended.clear();
    }

    /// Flushes the rest, and adds the work that the search took.
    #[inline(always)]
    pub(super) fn finish(mut self, work: usize) {
        self.flush();
        self.found.work += work;
    }
}

// Sorted lists.

/// The number of pairs that are copied at a time.
const CHUNK: usize = 16;

/// Sorts pairs, with `scratch` as a buffer.
pub(super) fn sort(pairs: &mut [Pair], scratch: &mut Vec<Pair>) {
    if scratch.len() < pairs.len() {
        scratch.resize(pairs.len(), 0);
    }
    sort_with(pairs, &mut scratch[..pairs.len()]);
}

/// Appends the pairs that `takes` accepts. Writes each pair, and counts it if it is accepted: a branch would often be mispredicted.
#[inline(always)]
pub(super) fn extend_if(
    to: &mut Vec<Pair>,
    pairs: impl ExactSizeIterator<Item = Pair>,
    takes: impl Fn([u32; 2]) -> bool,
) {
    let mut end = to.len();
    to.resize(end + pairs.len(), 0);
    for pair in pairs {
        to[end] = pair;
        end += usize::from(takes(ids(pair)));
    }
    to.truncate(end);
}

/// Compares two sorted lists: calls `changed` with each pair that is in exactly one of them, in order, and with true if that is the new one.
#[inline(always)]
pub(super) fn differ(old: &[Pair], new: &[Pair], mut changed: impl FnMut(Pair, bool)) {
    let (mut i, mut j) = (0, 0);
    let at = |list: &[Pair], at: usize| list.get(at).copied().unwrap_or(Pair::MAX);
    while i < old.len() || j < new.len() {
        let (a, b) = (at(old, i), at(new, j));
        if a != b {
            changed(a.min(b), b < a);
        }
        i += usize::from(a <= b);
        j += usize::from(b <= a);
    }
}

/// Removes from some sorted pairs those that a sorted list does not have.
pub(super) fn keep_known(some: &mut Vec<Pair>, list: &[Pair]) {
    let mut at = 0;
    some.retain(|&pair| {
        at += list[at..].partition_point(|&other| other < pair);
        list.get(at) == Some(&pair)
    });
}

/// Writes a list to `to`, without the pairs that ended and with those that began. The list and the events are sorted; the list has
/// all pairs that ended, and none that began.
pub(super) fn patch(list: &[Pair], events: &[Event], to: &mut Vec<Pair>, set: InstructionSet) {
    let begun = events.iter().filter(|event| event.begins()).count();
    let len = list.len() + 2 * begun - events.len();
    // Room for a whole chunk behind the last pair.
    to.resize(len + CHUNK, 0);
    run!(set, |_simd| patch_chunks(list, events, to));
    to.truncate(len);
}

/// ```text
/// for each event, in order:
///     copy whole chunks of pairs, up to the chunk in which its pair falls
///     count the pairs of that chunk before it
///     insert the pair if it began, or skip it if it ended
/// copy the rest
/// ```
#[inline(always)]
fn patch_chunks(list: &[Pair], events: &[Event], to: &mut [Pair]) {
    let (mut from, mut at) = (0, 0);
    for event in events {
        let (a, b) = event.pair();
        let next = pair([a.slot, b.slot]);
        while let Some(chunk) = list[from..].first_chunk::<CHUNK>() {
            to[at..at + CHUNK].copy_from_slice(chunk);
            if chunk[CHUNK - 1] < next {
                (from, at) = (from + CHUNK, at + CHUNK);
                continue;
            }
            // Count the pairs before the change, since a search for its place would be mispredicted.
            let before: u64 = chunk.iter().map(|&pair| u64::from(pair < next)).sum();
            (from, at) = (from + before as usize, at + before as usize);
            break;
        }
        while let Some(&pair) = list.get(from).filter(|&&pair| pair < next) {
            to[at] = pair;
            from += 1;
            at += 1;
        }
        if event.begins() {
            to[at] = next;
            at += 1;
        } else {
            from += 1;
        }
    }
    to[at..at + list.len() - from].copy_from_slice(&list[from..]);
}

// Events.

/// A change of the set of pairs; the lesser handle first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Event {
    /// The two are a pair now and were not before.
    Begin(Handle, Handle),
    /// The two are no longer a pair, or one of them was removed.
    End(Handle, Handle),
}

impl Event {
    /// The two handles, the lesser first.
    #[must_use]
    pub fn pair(self) -> (Handle, Handle) {
        match self {
            Self::Begin(a, b) | Self::End(a, b) => (a, b),
        }
    }

    fn begins(&self) -> bool {
        matches!(self, Self::Begin(..))
    }
}
