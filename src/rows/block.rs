//! The loops over lanes.
//!
//! Plain loops over arrays of known length, which the compiler turns into the vector instructions of
//! whatever function they are inlined into. No closures: they keep the instructions of the place
//! where they were written.

use alloc::vec::Vec;

use super::instructions::Job;
use crate::Scalar;

/// Items of a block, one bit of a word each.
pub(super) const LANES: usize = 64;

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

/// The lanes of a half, as bits: half a word fits the lanes of `f32`.
const BITS: [u32; 32] = {
    let mut bits = [0; 32];
    let mut lane = 0;
    while lane < 32 {
        bits[lane] = 1 << lane;
        lane += 1;
    }
    bits
};

#[inline(always)]
fn mask<Q: Question>(question: &Q, block: &[Column<Q::Scalar>]) -> u64 {
    let (mut low, mut high) = (0, 0);
    for lane in 0..32 {
        let hit = question.is_hit(block, lane);
        low |= if hit { BITS[lane] } else { 0 };
    }
    for lane in 0..32 {
        let hit = question.is_hit(block, 32 + lane);
        high |= if hit { BITS[lane] } else { 0 };
    }
    u64::from(low) | u64::from(high) << 32
}

/// The bits of the lanes that hold items, of a last block that is not full.
#[inline(always)]
fn held(len: usize) -> u64 {
    (1 << (len % LANES)) - 1
}

pub(super) struct Counts<'a, Q: Question> {
    pub(super) question: Q,
    pub(super) columns: &'a [Column<Q::Scalar>],
    pub(super) len: usize,
}

impl<Q: Question> Job for Counts<'_, Q> {
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        let (full, rest) = self.columns.split_at(self.len / LANES * Q::COLUMNS);
        let mut count = 0;
        for block in full.chunks_exact(Q::COLUMNS) {
            let mut hits = 0u32;
            for lane in 0..LANES {
                hits += u32::from(self.question.is_hit(block, lane));
            }
            count += hits as usize;
        }
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
    /// One for each block.
    pub(super) words: &'a mut [u64],
}

impl<Q: Question> Job for Masks<'_, Q> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let blocks = self.columns.chunks_exact(Q::COLUMNS);
        for (word, block) in self.words.iter_mut().zip(blocks) {
            *word = mask(&self.question, block);
        }
        if self.len % LANES != 0 {
            if let Some(last) = self.words.last_mut() {
                *last &= held(self.len);
            }
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
    fn run(self) {
        let blocks = self.columns.chunks_exact(Q::COLUMNS);
        for (number, block) in blocks.enumerate() {
            let mut word = mask(&self.question, block);
            let first = number * LANES;
            if self.len - first < LANES {
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
    let mut buffer = [0u32; LANES + 8];
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
