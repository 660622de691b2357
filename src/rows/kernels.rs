//! What is compiled here of rows: masks of sixteen items at a time.
//!
//! ```text
//! for each word of 64 items, for each sixteen of them:
//!     sum = squares of the distances on each axis, in registers
//!     bits = sum <= limit
//! ```
//!
//! Counts and indices are made from words of masks, some at a time.

use alloc::vec::Vec;

use fearless_simd::Simd;

use crate::kernels::{Array, kernels};
use crate::overlap::lanes::W;
use crate::simd::{Column, InstructionSet, LANES, Wide, run, run_up_to_avx2};
use crate::vector::{Scalar, Vector};

/// Items of a word, a bit each. What is left of the last word is filled up with columns.
pub(super) const WORD: usize = 64;

/// So many words are asked for at a time, where they only lead to something else.
const WORDS: usize = 32;

/// Axes of vectors at most.
const AXES: usize = 8;

/// What is asked of items of which kind.
#[derive(Clone, Copy, Debug)]
pub enum Question<A: Vector> {
    /// Whether points lie in a ball.
    Points { center: A, limit: A::Scalar },
    /// Whether boxes meet a ball.
    Boxes { center: A, limit: A::Scalar },
    /// Whether balls meet a box.
    Balls { min: A, max: A },
}

impl<A: Vector> Question<A> {
    /// The columns of an item's kind.
    fn columns(&self) -> usize {
        match self {
            Self::Points { .. } => A::DIM,
            Self::Boxes { .. } => 2 * A::DIM,
            Self::Balls { .. } => A::DIM + 1,
        }
    }
}

kernels! {
    /// What is asked of rows.
    pub trait Kernels {
        /// How many of the first `len` items are hit.
        fn count(
            set: InstructionSet,
            question: &Question<Self>,
            columns: &[Column<Self::Scalar>],
            len: usize,
        ) -> usize = count;

        /// A bit for each of the first `len` items.
        fn masks(
            set: InstructionSet,
            question: &Question<Self>,
            columns: &[Column<Self::Scalar>],
            len: usize,
            words: &mut [u64],
        ) = masks;

        /// Appends the indices of those of the first `len` items that are hit.
        fn indices(
            set: InstructionSet,
            question: &Question<Self>,
            columns: &[Column<Self::Scalar>],
            len: usize,
            to: &mut Vec<u32>,
        ) = indices;
    }
}

fn count<A: Array>(
    set: InstructionSet,
    question: &Question<A>,
    columns: &[Column<A::Scalar>],
    len: usize,
) -> usize {
    let (mut words, mut count) = ([0; WORDS], 0);
    let mut left = len;
    for columns in columns.chunks(WORDS * (WORD / LANES) * question.columns()) {
        let items = left.min(WORDS * WORD);
        count += ask(set, question, columns, &mut words);
        let beyond = words[items.div_ceil(WORD) - 1] & !held(items);
        count -= beyond.count_ones() as usize;
        left -= items;
    }
    count
}

fn masks<A: Array>(
    set: InstructionSet,
    question: &Question<A>,
    columns: &[Column<A::Scalar>],
    len: usize,
    words: &mut [u64],
) {
    ask(set, question, columns, words);
    if let Some(last) = words.last_mut() {
        *last &= held(len);
    }
}

fn indices<A: Array>(
    set: InstructionSet,
    question: &Question<A>,
    columns: &[Column<A::Scalar>],
    len: usize,
    indices: &mut Vec<u32>,
) {
    let mut words = [0; WORDS];
    let mut first = 0;
    for columns in columns.chunks(WORDS * (WORD / LANES) * question.columns()) {
        let items = (len - first).min(WORDS * WORD);
        let words = &mut words[..items.div_ceil(WORD)];
        masks(set, question, columns, items, words);
        run_up_to_avx2!(set, |simd| append_words(simd, words, first as u32, indices));
        first += items;
    }
}

/// The bits of the items of the last of some words.
#[inline(always)]
fn held(len: usize) -> u64 {
    !0 >> (len.wrapping_neg() % WORD)
}

/// Writes a word for each 64 items, as far as there are both; how many bits are set.
fn ask<A: Array>(
    set: InstructionSet,
    question: &Question<A>,
    columns: &[Column<A::Scalar>],
    words: &mut [u64],
) -> usize {
    match *question {
        Question::Points { center, limit } => run!(set, |simd| ask_kind::<_, POINTS, _>(
            simd, center, center, limit, columns, words
        )),
        Question::Boxes { center, limit } => run!(set, |simd| ask_kind::<_, BOXES, _>(
            simd, center, center, limit, columns, words
        )),
        Question::Balls { min, max } => run!(set, |simd| ask_kind::<_, BALLS, _>(
            simd,
            min,
            max,
            Scalar::ZERO,
            columns,
            words
        )),
    }
}

/// The coordinates of a vector, each sixteen times.
#[inline(always)]
fn splat<A: Vector, S: Simd>(simd: S, vector: A) -> [W<A, S>; AXES] {
    let mut wide = [<W<A, S>>::splat(simd, A::Scalar::ZERO); AXES];
    for (axis, wide) in wide.iter_mut().enumerate().take(A::DIM) {
        *wide = <W<A, S>>::splat(simd, vector.axis(axis));
    }
    wide
}

/// Kinds of items.
const POINTS: u8 = 0;
const BOXES: u8 = 1;
const BALLS: u8 = 2;

/// Asks items of a kind: those within a limit of a point, or balls that meet the box from one corner to
/// another.
#[inline(always)]
fn ask_kind<A: Array, const KIND: u8, S: Simd>(
    simd: S,
    from: A,
    to: A,
    limit: A::Scalar,
    columns: &[Column<A::Scalar>],
    words: &mut [u64],
) -> usize {
    let of_item = match KIND {
        POINTS => A::DIM,
        BOXES => 2 * A::DIM,
        _ => A::DIM + 1,
    };
    let (from, to) = (splat(simd, from), splat(simd, to));
    let mut limit = <W<A, S>>::splat(simd, limit);
    let mut count = 0;
    let of_words = columns.chunks_exact(WORD / LANES * of_item);
    for (word, columns) in words.iter_mut().zip(of_words) {
        *word = 0;
        for (i, block) in columns.chunks_exact(of_item).enumerate() {
            let mut sum = <W<A, S>>::splat(simd, Scalar::ZERO);
            for axis in 0..A::DIM {
                let first = <W<A, S>>::load(simd, &block[axis].0);
                // `lo - c` and `c - lo` round to opposite numbers: the same squares as those of the
                // shared expressions, by one instruction less.
                let apart = match KIND {
                    POINTS => from[axis] - first,
                    BOXES => {
                        let high = <W<A, S>>::load(simd, &block[A::DIM + axis].0);
                        from[axis] - first.larger(from[axis]).smaller(high)
                    }
                    _ => first - from[axis].larger(first).smaller(to[axis]),
                };
                sum = sum + apart * apart;
            }
            if KIND == BALLS {
                let radius = <W<A, S>>::load(simd, &block[A::DIM].0);
                limit = radius * radius;
            }
            let bits = sum.at_most(limit).bits(simd);
            *word |= u64::from(bits) << (i * LANES);
        }
        count += word.count_ones() as usize;
    }
    count
}

/// Appends the indices of the bits of words.
///
/// ```text
/// for each word, for each of its bytes:
///     write eight indices, those of the set bits first, by a table; on by as many as are set
/// ```
#[inline(always)]
fn append_words<S: Simd>(_: S, words: &[u64], first: u32, indices: &mut Vec<u32>) {
    for (number, &word) in words.iter().enumerate() {
        append(word, first + (number * WORD) as u32, indices);
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
