//! The loops over lanes.
//!
//! Plain loops over arrays of known length, which the compiler turns into the vector instructions of
//! whatever function they are inlined into. No closures: they keep the instructions of the place
//! where they were written.

#![allow(
    clippy::needless_range_loop,
    reason = "plain loops over several arrays at once are what becomes vector instructions"
)]

use alloc::vec::Vec;

use fearless_simd::Simd;

use crate::Scalar;
use crate::simd::Job;

/// Items of a block. With 64 the blocks of `f32` boxes are read by jumps that the prefetcher follows
/// at three quarters of the speed; loops over 16 are unrolled before they could become vectors.
pub(super) const LANES: usize = 32;

/// Items of a word, a bit each. What is left of the last word is filled up with blocks.
pub(super) const WORD: usize = 64;

/// One coordinate of the items of a block. Aligned, for a load across two cache lines takes twice
/// the time.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Column<S>(pub(super) [S; LANES]);

impl<S: Scalar> Default for Column<S> {
    fn default() -> Self {
        Self([S::ZERO; LANES])
    }
}

/// What is asked of each lane.
pub trait Question {
    /// The type of a coordinate.
    type Scalar: Scalar;
    /// The columns of a block.
    const COLUMNS: usize;

    /// The scalar predicate on one lane. `#[inline(always)]`, or instructions are lost.
    fn is_hit(&self, block: &[Column<Self::Scalar>], lane: usize) -> bool;
}

/// The bit of each lane.
const BITS: [u32; LANES] = {
    let mut bits = [0; LANES];
    let mut lane = 0;
    while lane < LANES {
        bits[lane] = 1 << lane;
        lane += 1;
    }
    bits
};

/// The answers of the blocks of a word.
#[inline(always)]
fn mask<Q: Question>(question: &Q, blocks: &[Column<Q::Scalar>]) -> u64 {
    let mut word = 0;
    for (number, block) in blocks.chunks_exact(Q::COLUMNS).enumerate() {
        let mut bits = 0;
        for lane in 0..LANES {
            let hit = question.is_hit(block, lane);
            bits |= if hit { BITS[lane] } else { 0 };
        }
        word |= u64::from(bits) << (number * LANES);
    }
    word
}

#[inline(always)]
fn columns_of_word<Q: Question>() -> usize {
    WORD / LANES * Q::COLUMNS
}

/// The bits of the lanes that hold items, of a last block that is not full.
#[inline(always)]
fn held(len: usize) -> u64 {
    (1 << (len % WORD)) - 1
}

pub(super) struct Counts<'a, Q: Question> {
    pub(super) question: Q,
    pub(super) columns: &'a [Column<Q::Scalar>],
    pub(super) len: usize,
}

impl<Q: Question> Job for Counts<'_, Q> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> usize {
        let (full, rest) = self
            .columns
            .split_at(self.len / WORD * columns_of_word::<Q>());
        // Added up for each lane, and only at the end for all.
        let mut hits = [0u32; LANES];
        for block in full.chunks_exact(Q::COLUMNS) {
            for lane in 0..LANES {
                hits[lane] += u32::from(self.question.is_hit(block, lane));
            }
        }
        let mut count = hits.iter().sum::<u32>() as usize;
        if !rest.is_empty() {
            count += (mask(&self.question, rest) & held(self.len)).count_ones() as usize;
        }
        count
    }
}

pub(super) struct Masks<'a, Q: Question> {
    pub(super) question: Q,
    pub(super) columns: &'a [Column<Q::Scalar>],
    pub(super) len: usize,
    /// One for each 64 items.
    pub(super) words: &'a mut [u64],
}

impl<Q: Question> Job for Masks<'_, Q> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let blocks = self.columns.chunks_exact(columns_of_word::<Q>());
        for (word, block) in self.words.iter_mut().zip(blocks) {
            *word = mask(&self.question, block);
        }
        if !self.len.is_multiple_of(WORD)
            && let Some(last) = self.words.last_mut()
        {
            *last &= held(self.len);
        }
    }
}

pub(super) struct Indices<'a, Q: Question> {
    pub(super) question: Q,
    pub(super) columns: &'a [Column<Q::Scalar>],
    pub(super) len: usize,
    pub(super) indices: &'a mut Vec<u32>,
}

impl<Q: Question> Job for Indices<'_, Q> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let blocks = self.columns.chunks_exact(columns_of_word::<Q>());
        for (number, block) in blocks.enumerate() {
            let mut word = mask(&self.question, block);
            let first = number * WORD;
            if self.len - first < WORD {
                word &= held(self.len);
            }
            append(word, first as u32, self.indices);
        }
    }
}

/// The positions of the set bits of each byte, the lowest first.
const POSITIONS: [[u8; 8]; 256] = {
    let mut positions = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut found) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                positions[byte][found] = bit as u8;
                found += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    positions
};

/// Appends `first` plus the position of each set bit.
#[inline(always)]
fn append(word: u64, first: u32, indices: &mut Vec<u32>) {
    if word == 0 {
        return;
    }
    // Eight numbers are written for each byte, and overwritten by the next from where its set bits
    // end: no branch to foretell.
    let mut buffer = [0u32; WORD + 8];
    let mut end = 0;
    for byte in 0..8 {
        let bits = (word >> (8 * byte)) as u8;
        let positions = &POSITIONS[usize::from(bits)];
        let offset = first + 8 * byte;
        let to = &mut buffer[end..end + 8];
        for i in 0..8 {
            to[i] = offset + u32::from(positions[i]);
        }
        end += bits.count_ones() as usize;
    }
    indices.extend_from_slice(&buffer[..end]);
}
