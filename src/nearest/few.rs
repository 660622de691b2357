//! Keeps the nearest few of the items that are offered sixteen at a time, without a branch for each item.
//!
//! ```text
//! offer(blocks of sixteen distances):
//!     return if none is within the limit
//!     for n up to eight: keep the least distance seen in each lane; lower the limit to the n-th least of these, which belong to
//!     different items
//!     append the items within the limit
//!     for larger n, if there are more candidates than n and an eighth: bisect the limit until there are not, and drop the rest
//! taking(), if begin() was given a limit that is known to be good:
//!     append the items within the limit; when the buffer is full, bisect the limit, and drop the items beyond it
//! write():
//!     the rank of a candidate is the number of candidates before it; write those of rank less than n to their places
//! ```
//!
//! For larger n, the n-th least distance of lanes is a poor limit: with 32 lanes and n = 32, some hundred items are within it. A sorted
//! list with insertion takes longer: the nearest eight of 100 000 points take 0.80 to 0.95 of its time, the nearest 32 half of it.

use alloc::vec::Vec;

use fearless_simd::Simd;

use super::{Nearest, order};
use crate::simd::{Column, LANES, Lane, Mask, Wide, outlined};
use crate::vector::Scalar;

/// The largest `n` that the buffer of fixed size handles.
pub(crate) const FEW: usize = 32;

/// The capacity of the buffer of candidates: `n`, a leaf, and what is written behind the last. When it is full, candidates beyond
/// the limit are dropped.
const ROOM: usize = 7 * LANES;

/// The length of the table of ranks: a power of two, so that an index into it is masked and not checked.
const PLACES: usize = ROOM.next_power_of_two();

/// A rank without a candidate.
const HOLE: u8 = u8::MAX;

/// The most steps of a bisection.
const TURNS: usize = 8;

/// The nearest few so far, and other candidates that were within the limit when they came.
pub(crate) struct Few<S> {
    n: usize,
    limit_sq: S,
    /// The least distance seen in each lane, for `n` up to eight; infinite before the first.
    least: Column<S>,
    distances: [S; ROOM],
    items: [u32; ROOM],
    len: usize,
    /// For `n` up to eight, the number of lanes within the limit since it was lowered last.
    fresh: usize,
}

impl<S: Scalar> Few<S> {
    /// Keeps the nearest `n`, at most [`FEW`], that are not beyond a limit.
    #[inline(always)]
    pub(crate) fn new(n: usize, limit_sq: S) -> Self {
        Self {
            n,
            limit_sq,
            least: Column([S::INFINITY; LANES]),
            distances: [S::INFINITY; ROOM],
            items: [0; ROOM],
            len: 0,
            fresh: 0,
        }
    }

    /// The squared distance beyond which no item is taken.
    #[inline(always)]
    pub(crate) fn limit_sq(&self) -> S {
        self.limit_sq
    }

    /// Takes the items of some blocks. Distances are squared, and infinite in lanes without an item; `least` is the least distance of each
    /// lane; `lanes` has a bit for each lane with an item; `items` ends with the last block.
    #[inline(always)]
    pub(crate) fn offer<D: Simd, const N: usize>(
        &mut self,
        simd: D,
        (distances, least): (&[S::Wide<D>; N], S::Wide<D>),
        lanes: u64,
        items: &[[u32; LANES]],
    ) {
        let limit = <S::Wide<D>>::splat(simd, self.limit_sq);
        let near = least.at_most(limit);
        if near.is_empty() {
            return;
        }
        let by_lanes = 2 * self.n <= LANES;
        if by_lanes {
            // Update the least distance of each lane, and lower the limit if enough items came that it may be worth its time.
            let before = <S::Wide<D>>::load(simd, &self.least.0);
            self.least = Column(least.smaller(before).store());
            self.fresh += near.count();
            if 4 * self.fresh >= self.n {
                self.fresh = 0;
                self.narrow_by_lanes(simd);
            }
        }
        let mut taking = self.taking(simd);
        for block in 0..N {
            if block == items.len() {
                break;
            }
            let lanes = Mask::new(simd, (lanes >> (block * LANES)) as u32);
            taking.take(distances[block], lanes, &items[block]);
        }
        taking.end();
        if !by_lanes && self.len > self.enough() {
            self.narrow(simd);
        }
    }

    /// The number of candidates above which dropping some is worth its time.
    #[inline(always)]
    fn enough(&self) -> usize {
        self.n + self.n / 8 + 1
    }

    /// Drops all candidates and sets another limit.
    #[inline(always)]
    pub(crate) fn begin(&mut self, limit_sq: S) {
        self.limit_sq = limit_sq;
        self.len = 0;
        self.least = Column([S::INFINITY; LANES]);
        self.fresh = 0;
    }

    /// Returns true if there are at least `n` candidates.
    #[inline(always)]
    pub(crate) fn is_full(&self) -> bool {
        self.len >= self.n
    }

    /// Begins to take items sixteen at a time, with the limit in a register.
    #[inline(always)]
    pub(crate) fn taking<D: Simd>(&mut self, simd: D) -> Taking<'_, S, D> {
        let (limit, len) = (<S::Wide<D>>::splat(simd, self.limit_sq), self.len);
        let few = self;
        Taking {
            simd,
            few,
            limit,
            len,
        }
    }

    /// Lowers the limit to the `n`-th smallest of the least distances of lanes: the largest that exceeds fewer than `n` others.
    #[inline(always)]
    fn narrow_by_lanes<D: Simd>(&mut self, simd: D) {
        let zero = <S::Wide<D>>::splat(simd, S::ZERO);
        // Counts are integers in the bits of lanes. As floats they are tiny, but in the same order. Where such floats are taken for zero, the
        // limit is only looser.
        let most = <S::Wide<D>>::splat(simd, S::from_bits(self.n as u64 - 1));
        let least = <S::Wide<D>>::load(simd, &self.least.0);
        let less = count_less(simd, core::slice::from_ref(&self.least.0), least);
        let limit = least.only(less.at_most(most), zero);
        self.limit_sq = self.limit_sq.smaller(limit.largest());
    }

    /// Lowers the limit until few more than `n` candidates are within it, and drops those beyond. If too many are equally far, keeps exactly `n`.
    #[inline(always)]
    fn narrow<D: Simd>(&mut self, simd: D) {
        outlined(
            simd,
            #[inline(always)]
            || {
                self.lower_limit(simd);
                self.keep_near(simd);
                if self.len > ROOM - LANES {
                    self.drop_equal();
                }
            },
        );
    }

    /// Lowers the limit by bisection, until few more than `n` candidates are within it.
    #[inline(always)]
    fn lower_limit<D: Simd>(&mut self, simd: D) {
        let used = self.len.div_ceil(LANES);
        let mut high = self.limit_sq;
        if high == S::INFINITY {
            high = self.distances[..self.len]
                .iter()
                .fold(S::ZERO, |most, &distance| most.larger(distance));
        }
        self.distances[self.len..used * LANES].fill(S::INFINITY);
        let (columns, _) = self.distances[..used * LANES].as_chunks::<LANES>();
        // Invariant: at least `n` items are within the high limit, and the low one is not above the distance of the `n`-th.
        let (mut low, mut share) = (S::ZERO, S::from_f64(self.n as f64 / self.len as f64));
        for _ in 0..TURNS {
            let middle = low + (high - low) * share;
            share = S::from_f64(0.5);
            let limit = <S::Wide<D>>::splat(simd, middle);
            let mut within = 0;
            for column in columns {
                within += <S::Wide<D>>::load(simd, column).at_most(limit).count();
            }
            if within < self.n {
                low = middle;
                continue;
            }
            high = middle;
            if within <= self.enough() {
                break;
            }
        }
        self.limit_sq = self.limit_sq.smaller(high);
    }

    /// Sorts the candidates and keeps `n`, if so many are equally far that lowering the limit dropped too few.
    #[inline(never)]
    fn drop_equal(&mut self) {
        let mut all = self.sorted();
        all.truncate(self.n);
        self.len = all.len();
        for (i, near) in all.iter().enumerate() {
            (self.distances[i], self.items[i]) = (near.distance_sq, near.item);
        }
        if let (true, Some(last)) = (self.len == self.n, all.last()) {
            self.limit_sq = self.limit_sq.smaller(last.distance_sq);
        }
    }

    /// Drops the candidates beyond the limit, and writes infinity behind the last.
    #[inline(always)]
    fn keep_near<D: Simd>(&mut self, simd: D) {
        let limit = <S::Wide<D>>::splat(simd, self.limit_sq);
        let mut kept = 0;
        let blocks = self.len.div_ceil(LANES);
        for block in 0..blocks {
            let at = block * LANES;
            let (Some(distances), Some(items)) = (
                self.distances[at..].first_chunk().copied(),
                self.items[at..].first_chunk().copied(),
            ) else {
                break;
            };
            let own = (self.len - at).min(LANES);
            let own = Mask::new(simd, 0xffff >> (LANES - own));
            let lanes = <S::Wide<D>>::load(simd, &distances).at_most(limit) & own;
            Lane::compress(simd, &distances, lanes, &mut self.distances, kept);
            Lane::compress(simd, &items, lanes, &mut self.items, kept);
            kept += lanes.count();
        }
        self.len = kept;
        self.distances[kept..blocks * LANES].fill(S::INFINITY);
    }

    /// The candidates by distance, then by item.
    fn sorted(&self) -> Vec<Nearest<u32, S>> {
        let pairs = self.distances.iter().zip(&self.items).take(self.len);
        let near = |(&distance_sq, &item): (&S, &u32)| Nearest { item, distance_sq };
        let mut all: Vec<_> = pairs.map(near).collect();
        all.sort_unstable_by(order);
        all
    }

    /// Writes the nearest in their order, and returns how many there are.
    #[inline(always)]
    pub(crate) fn write<D: Simd>(
        &mut self,
        simd: D,
        items: &mut [u32],
        distances: &mut [S],
    ) -> usize {
        outlined(
            simd,
            #[inline(always)]
            || self.write_ranked(simd, items, distances),
        )
    }

    #[inline(always)]
    fn write_ranked<D: Simd>(&mut self, simd: D, items: &mut [u32], distances: &mut [S]) -> usize {
        // Ranks take quadratic time, so drop most of the other candidates first.
        if self.len > LANES.max(self.enough()) {
            self.lower_limit(simd);
        }
        self.keep_near(simd);
        // The place of each candidate is the number of those before it.
        let mut places = [HOLE; PLACES];
        let used = self.len.div_ceil(LANES);
        let (columns, _) = self.distances[..used * LANES].as_chunks::<LANES>();
        for (block, column) in columns.iter().enumerate() {
            let distances = <S::Wide<D>>::load(simd, column);
            let less = count_less(simd, columns, distances).store();
            let own = (self.len - block * LANES).min(LANES);
            for (lane, less) in less[..own].iter().enumerate() {
                places[less.to_bits() as usize % PLACES] = (block * LANES + lane) as u8;
            }
        }
        let many = self.n.min(self.len);
        // Equal distances have the same rank and leave a hole behind it; then the candidates are sorted.
        let mut ties = self.len > many && places[many] == HOLE;
        let to = items.iter_mut().zip(distances.iter_mut());
        for (&place, (item, distance)) in places[..many].iter().zip(to) {
            let at = usize::from(place);
            ties |= at >= ROOM;
            let at = at.min(ROOM - 1);
            (*item, *distance) = (self.items[at], self.distances[at]);
        }
        if ties {
            let to = items.iter_mut().zip(distances);
            for (near, (item, distance)) in self.sorted().iter().take(many).zip(to) {
                (*item, *distance) = (near.item, near.distance_sq);
            }
        }
        many
    }
}

/// Counts, for each lane, the numbers of some columns that are less. A count is given by the bits of its lane.
#[inline(always)]
fn count_less<S: Scalar, D: Simd>(simd: D, columns: &[[S; LANES]], than: S::Wide<D>) -> S::Wide<D> {
    let mut counts = <S::Wide<D>>::splat(simd, S::ZERO);
    for &number in columns.as_flattened() {
        let number = <S::Wide<D>>::splat(simd, number);
        counts = than.count_above(number, counts);
    }
    counts
}

/// The state of [`Few::taking`]: the limit and the length in registers.
pub(crate) struct Taking<'a, S: Scalar, D: Simd> {
    simd: D,
    few: &'a mut Few<S>,
    limit: S::Wide<D>,
    len: usize,
}

impl<S: Scalar, D: Simd> Taking<'_, S, D> {
    /// Takes the items of some lanes that are within the limit. The limit stays as it is while there is room; NaN is beyond it.
    #[inline(always)]
    pub(crate) fn take(&mut self, distances: S::Wide<D>, lanes: Mask, items: &[u32; LANES]) {
        let Self { simd, few, .. } = self;
        if self.len > ROOM - LANES {
            few.len = self.len;
            few.narrow(*simd);
            self.len = few.len;
            self.limit = <S::Wide<D>>::splat(*simd, few.limit_sq);
        }
        let lanes = distances.at_most(self.limit) & lanes;
        let at = self.len.min(ROOM - LANES);
        Lane::compress(*simd, &distances.store(), lanes, &mut few.distances, at);
        Lane::compress(*simd, items, lanes, &mut few.items, at);
        self.len = at + lanes.count();
    }

    #[inline(always)]
    pub(crate) fn end(self) {
        self.few.len = self.len;
    }
}
