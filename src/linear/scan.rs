//! Compares items with a region, sixteen at a time.
//!
//! ```text
//! for each word of 64 items, for each block of sixteen of them:
//!     set the bits of the items that overlap the region, as for the leaves of trees
//! ```
//!
//! Counts and indices are computed from the words.

use fearless_simd::Simd;

use crate::kernels::{Array, kernels};
use crate::overlap::lanes::inexact::WideInexact;
use crate::overlap::lanes::{Asked, Ball, Cuboid, Plain, Probe, WideRegion};
use crate::simd::{InstructionSet, LANES, ListWriter, Mask, compress, from_fn, run, runs_wide};
use crate::vector::Vector;
use crate::wide_nodes::{ItemBlocks, first_lanes};

/// The number of items in a word, which has a bit for each.
pub(super) const WORD: usize = 64;

kernels! {
    /// The comparisons of the scan, compiled in this crate.
    pub trait Kernels {
        /// Sets the bit of each item that overlaps the region. Returns the number of set bits.
        fn masks(scan: Scan<'_, Self>, set: InstructionSet, region: &Asked<Self>) -> usize = masks;
    }
}

/// The items to be compared with a region, and the words for the result: a bit for each item.
#[derive(Debug)]
pub struct Scan<'a, A: Vector> {
    pub(super) items: ItemBlocks<'a, A>,
    /// The number of the first word.
    pub(super) first: usize,
    pub(super) words: &'a mut [u64],
}

fn masks<A: Array>(scan: Scan<'_, A>, set: InstructionSet, region: &Asked<A>) -> usize {
    // Each kind of region has its own call: without optimization, everything that is inlined into one function lies side by side on the
    // stack.
    match region {
        Asked::Plain(Plain::Ball(ball)) if ball.is_usual() && set.is_wide() => {
            run!(wide(set), |simd| scan
                .fill(simd, &Probe::<A, _, false>::new(simd, ball)))
        }
        Asked::Plain(Plain::Ball(ball)) => Some(run!(set, |simd| scan.for_any_ball(simd, ball))),
        Asked::Plain(Plain::Box(cuboid)) => Some(run!(set, |simd| {
            scan.fill(simd, &Cuboid::<A, _>::new(simd, cuboid))
        })),
        Asked::Inexact(region) => run!(wide(set), |simd| scan
            .fill(simd, &WideInexact::<A, _>::new(simd, region))),
    }
    .expect("this kind of region is tested only with wide instructions")
}

impl<A: Vector<Array = A>> Scan<'_, A> {
    /// Compares items with a ball of any kind. On machines without wide instructions, solid Euclidean balls come here too, so that less code is compiled.
    #[inline(always)]
    fn for_any_ball<S: Simd>(self, simd: S, ball: &Ball<A>) -> usize {
        if const { runs_wide::<S>() } {
            self.fill(simd, &Probe::<A, S, true, true>::new(simd, ball))
        } else {
            self.fill(simd, &Probe::<A, S, true>::new(simd, ball))
        }
    }

    /// Fills the words, and returns the number of set bits.
    #[inline(always)]
    fn fill<S: Simd, P: WideRegion<A, S>>(self, simd: S, probe: &P) -> usize {
        let (items, mut count) = (self.items, 0);
        for (i, word) in self.words.iter_mut().enumerate() {
            let first = (self.first + i) * (WORD / LANES);
            let last = items.points.len().min(first + WORD / LANES);
            *word = 0;
            for block in first..last {
                let hits = items.that_meet::<S, P, false>(probe, block).bits(simd);
                *word |= u64::from(hits) << ((block - first) * LANES);
            }
            // Clear the bits behind the last item.
            let left = items.len - first * LANES;
            if left < WORD {
                *word &= (1 << left) - 1;
            }
            count += word.count_ones() as usize;
        }
        count
    }
}

/// Appends the index of each set bit. `first` is the number of the first word; the list needs room for an index for each bit of the words.
pub(super) fn append_words(
    set: InstructionSet,
    words: &[u64],
    first: usize,
    to: &mut ListWriter<'_>,
) {
    run!(up_to_avx2(set), |simd| append(simd, words, first, to));
}

#[inline(always)]
fn append<S: Simd>(simd: S, words: &[u64], first: usize, to: &mut ListWriter<'_>) {
    for (i, &word) in words.iter().enumerate() {
        for block in 0..WORD / LANES {
            let bits = (word >> (block * LANES)) as u32 & first_lanes(LANES);
            if bits != 0 {
                let index = ((first + i) * WORD + block * LANES) as u32;
                let lanes = from_fn(|lane| index + lane as u32);
                compress(simd, &lanes, Mask::new(simd, bits), to);
            }
        }
    }
}
