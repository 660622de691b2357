//! Collects the pairs that a search finds, on one thread or several.

use alloc::vec::Vec;
use core::mem::size_of;
use core::ops::Range;

use fearless_simd::{Simd, SimdBase, SimdFrom, u32x16};

use super::pair_list::{Pair, pair};
use super::row::Row;
use super::rules::PairRules;
use crate::overlap::columns::Boxes;
#[cfg(feature = "rayon")]
use crate::parallel::for_each;
use crate::simd::{ArrayVec, LANES, ListWriter, Mask, compress};
use crate::vector::Vector;

/// Searches a range part by part: on several threads with the feature `rayon`, if the work is large. Parts have a fixed
/// size, and their pairs are put together in order, so that threads do not show.
pub(super) fn search_parts(
    len: usize,
    part: usize,
    found: &mut PairsFound,
    search: impl Fn(Range<usize>, &mut PairsFound) + Sync,
) {
    #[cfg(feature = "rayon")]
    if len > part && crate::parallel::threads() > 1 {
        let mut parts = core::mem::take(&mut found.parts);
        let count = len.div_ceil(part);
        if parts.len() < count {
            parts.resize_with(count, PairsFound::new);
        }
        for_each(true, &mut parts[..count], |number, found| {
            let first = number * part;
            search(first..len.min(first + part), found);
        });
        for part in &mut parts[..count] {
            found.begun.append(&mut part.begun);
            found.ended.append(&mut part.ended);
            found.work += core::mem::take(&mut part.work);
        }
        found.parts = parts;
        return;
    }
    let _ = part;
    search(0..len, found);
}

/// The pairs that a search found, in its own order.
#[derive(Clone, Default)]
pub(super) struct PairsFound {
    pub(super) begun: Vec<Pair>,
    pub(super) ended: Vec<Pair>,
    /// About how many tests of sixteen boxes the search took.
    pub(super) work: usize,
    /// Memory for the parts of a search, empty in between.
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

    /// Forgets everything, but keeps the memory.
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

/// Keys that are collected before they are copied to the lists.
const CAPACITY: usize = 2048;

/// Room for two lists of collected keys.
pub(super) type Collected = [ArrayVec<CAPACITY>; 2];

/// Collects the keys of pairs that began and that ended, before the rules judge them.
pub(super) struct PairCollector<'a, V: Vector> {
    pub(super) begun: ListWriter<'a>,
    pub(super) ended: ListWriter<'a>,
    /// Asked about pairs that begin; `None` where overlapping boxes are pairs.
    rules: Option<PairRules<'a, V>>,
    found: &'a mut PairsFound,
}

impl<'a, V: Vector> PairCollector<'a, V> {
    #[inline(always)]
    pub(super) fn new(
        [begun, ended]: &'a mut Collected,
        rules: Option<PairRules<'a, V>>,
        found: &'a mut PairsFound,
    ) -> Self {
        Self {
            begun: begun.writer(),
            ended: ended.writer(),
            rules,
            found,
        }
    }

    /// How many more keys each list can hold.
    #[inline(always)]
    pub(super) fn room(&self) -> usize {
        self.begun.room().min(self.ended.room())
    }

    /// Hands on the collected pairs, without those that rules forbid. Not called from the innermost loops: around a
    /// call, the registers that hold boxes would be saved.
    #[inline(never)]
    pub(super) fn flush(&mut self) {
        let Self {
            begun,
            ended,
            rules,
            found,
        } = self;
        let begins = begun.as_slice().as_chunks().0;
        match rules {
            None => found.begun.extend(begins.iter().map(|&ids| pair(ids))),
            Some(rules) => {
                // Without a branch, which would often be mispredicted.
                let mut end = found.begun.len();
                found.begun.resize(end + begins.len(), 0);
                for &[a, b] in begins {
                    found.begun[end] = pair([a, b]);
                    end += usize::from(rules.is_pair(a, b));
                }
                found.begun.truncate(end);
            }
        }
        let ends = ended.as_slice().as_chunks().0;
        found.ended.extend(ends.iter().map(|&ids| pair(ids)));
        begun.clear();
        ended.clear();
    }

    /// Hands on the rest, and notes how much work the search took.
    #[inline(always)]
    pub(super) fn finish(mut self, work: usize) {
        self.flush();
        self.found.work += work;
    }
}

// The descent of both searches.

/// The numbers of sixteen boxes that lie in one block.
#[inline(always)]
pub(super) fn numbered<S: Simd>(simd: S, block: u32) -> [u32; LANES] {
    const LANE: [u32; LANES] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
    (u32x16::simd_from(simd, LANE) | u32x16::splat(simd, block * LANES as u32)).into()
}

/// Lists the boxes below some blocks of a level that meet a box, up to the number `most`.
#[inline(always)]
pub(super) fn boxes_that_meet<V: Vector, S: Simd>(
    simd: S,
    level: &[Boxes<V>],
    most: u32,
    around: &Row<V, S>,
    blocks: &[u32],
    found: &mut Vec<u32>,
) {
    found.clear();
    found.reserve(blocks.len() * LANES + LANES);
    ListWriter::extend(
        found,
        #[inline(always)]
        |to| {
            for &block in blocks {
                let mut mask = Row::load(simd, &level[block as usize]).meets(around);
                if block == most / LANES as u32 {
                    mask = mask & Mask::new(simd, (2 << (most % LANES as u32)) - 1);
                }
                compress(simd, &numbered(simd, block), mask, to);
            }
        },
    );
}
