//! The few nearest of what is offered sixteen at a time, without a branch for each.
//!
//! ```text
//! offer(blocks of sixteen distances):
//!     none is within the limit: end
//!     keep the least distance in each lane; the limit is the n-th least of these, since each is another item's
//!     append what is within the limit
//! taking(), for who knows a limit, given to begin():
//!     append what is within the limit; where there is no room, lower it first, as above
//! write(), finish():
//!     each candidate's rank is the number of those before it: to its place, if that is among the first n
//! ```
//!
//! Against a sorted list into which each is inserted, the nearest eight of 100 000 points take 0.80 to 0.95 of the
//! time, the nearest 32 take 0.60 to 0.86.

use alloc::vec::Vec;

use fearless_simd::Simd;

use super::{Nearest, order};
use crate::simd::{Column, LANES, Lane, Mask, Wide};
use crate::vector::Scalar;

/// So many nearest are few.
pub(crate) const FEW: usize = 32;

/// Room for candidates. Those beyond the limit are dropped when it is full.
const ROOM: usize = 6 * LANES;

/// Places of candidates: a power of two, so that none need be checked.
const PLACES: usize = ROOM.next_power_of_two();

/// No candidate.
const HOLE: u8 = u8::MAX;

/// Vectors of least distances. The `n`-th least of twice as many lanes is about that of the items of rank 1.4 `n`.
const GROUPS: usize = 2 * FEW / LANES;

/// Blocks that are offered at once.
pub(crate) struct Blocks<'a, X, const N: usize> {
    /// Distances, and infinity in lanes that are not to be looked at.
    pub(crate) distances: &'a [X; N],
    /// The least in each lane.
    pub(crate) least: X,
    /// The lanes that are.
    pub(crate) lanes: &'a [Mask; N],
    /// The items, so many blocks.
    pub(crate) items: &'a [[u32; LANES]],
}

/// The nearest so far, and some that are not.
pub(crate) struct Few<S> {
    n: usize,
    limit_sq: S,
    /// The least distances so far, in lanes of so many vectors; infinity where there was none.
    least: [Column<S>; GROUPS],
    groups: usize,
    distances: [S; ROOM],
    items: [u32; ROOM],
    len: usize,
    /// How many came since the limit was lowered: that is worth its time only where some came.
    fresh: usize,
}

impl<S: Scalar> Few<S> {
    /// Of at most [`FEW`], none of which is beyond a limit.
    #[inline(always)]
    pub(crate) fn new(n: usize, limit_sq: S) -> Self {
        Self {
            n,
            limit_sq,
            least: [Column([S::INFINITY; LANES]); GROUPS],
            groups: if 2 * n <= LANES { 1 } else { GROUPS },
            distances: [S::INFINITY; ROOM],
            items: [0; ROOM],
            len: 0,
            fresh: 0,
        }
    }

    /// The distance beyond which nothing can still get in.
    #[inline(always)]
    pub(crate) fn limit_sq(&self) -> S {
        self.limit_sq
    }

    /// Takes the items of some blocks.
    #[inline(always)]
    pub(crate) fn offer<D: Simd, const N: usize>(
        &mut self,
        simd: D,
        blocks: &Blocks<'_, S::Wide<D>, N>,
    ) {
        let limit = <S::Wide<D>>::splat(simd, self.limit_sq);
        let near = blocks.least.at_most(limit);
        if near.is_empty() {
            return;
        }
        if self.groups == 1 {
            let least = <S::Wide<D>>::load(simd, &self.least[0].0);
            self.least[0] = Column(blocks.least.smaller(least).store());
        } else {
            for (block, &distances) in blocks.distances.iter().enumerate() {
                let least = &mut self.least[block % GROUPS];
                *least = Column(
                    distances
                        .smaller(<S::Wide<D>>::load(simd, &least.0))
                        .store(),
                );
            }
        }
        self.fresh += near.count();
        if 4 * self.fresh >= self.n {
            self.fresh = 0;
            self.narrow(simd);
        }
        let mut taking = self.taking(simd);
        for block in 0..N {
            if block == blocks.items.len() {
                break;
            }
            taking.take(
                blocks.distances[block],
                blocks.lanes[block],
                &blocks.items[block],
            );
        }
        taking.end();
    }

    /// Forgets all, and begins anew with another limit.
    #[inline(always)]
    pub(crate) fn begin(&mut self, limit_sq: S) {
        self.limit_sq = limit_sq;
        self.len = 0;
    }

    /// The same for who offers.
    #[inline(always)]
    pub(crate) fn begin_anew(&mut self, limit_sq: S) {
        self.begin(limit_sq);
        self.least = [Column([S::INFINITY; LANES]); GROUPS];
        self.fresh = 0;
    }

    /// Whether there are enough.
    #[inline(always)]
    pub(crate) fn is_full(&self) -> bool {
        self.len >= self.n
    }

    /// To take some sixteen after the other.
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

    /// Lowers the limit to the `n`-th least distance of all lanes.
    #[inline(always)]
    fn narrow<D: Simd>(&mut self, simd: D) {
        self.limit_sq = if self.groups == 1 {
            self.narrowed::<D, 1>(simd)
        } else {
            self.narrowed::<D, GROUPS>(simd)
        };
    }

    /// That limit, of so many vectors: the largest of those that fewer than `n` are less than.
    #[inline(always)]
    fn narrowed<D: Simd, const G: usize>(&self, simd: D) -> S {
        let zero = <S::Wide<D>>::splat(simd, S::ZERO);
        let least: [S::Wide<D>; G] =
            crate::simd::from_fn(|group| <S::Wide<D>>::load(simd, &self.least[group].0));
        let less = counts_below(simd, self.least[..G].iter().map(|column| &column.0), &least);
        let most = <S::Wide<D>>::splat(simd, S::from_f64((self.n - 1) as f64));
        let mut limit = zero;
        for (least, less) in least.iter().zip(&less) {
            limit = limit.larger(least.only(less.at_most(most), zero));
        }
        self.limit_sq.smaller(limit.largest())
    }

    /// Makes room: lowers the limit, as though what is held were offered anew.
    #[inline(always)]
    fn drop_some<D: Simd>(&mut self, simd: D) {
        let infinity = <S::Wide<D>>::splat(simd, S::INFINITY);
        self.distances[self.len..].fill(S::INFINITY);
        let mut least = [infinity; GROUPS];
        let (blocks, _) = self.distances.as_chunks();
        for (block, distances) in blocks.iter().enumerate() {
            let least = &mut least[block % self.groups % GROUPS];
            *least = <S::Wide<D>>::load(simd, distances).smaller(*least);
        }
        self.least = least.map(|least| Column(least.store()));
        self.narrow(simd);
        self.keep_near(simd);
        if self.len > ROOM - LANES {
            self.drop_equal();
        }
    }

    /// Keeps the nearest, where many are as far as the last of them.
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

    /// Keeps what is within the limit, and infinity behind it.
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

    /// All candidates in their order.
    fn sorted(&self) -> Vec<Nearest<u32, S>> {
        let pairs = self.distances.iter().zip(&self.items).take(self.len);
        let near = |(&distance_sq, &item): (&S, &u32)| Nearest { item, distance_sq };
        let mut all: Vec<_> = pairs.map(near).collect();
        all.sort_unstable_by(order);
        all
    }

    /// Writes down the nearest in their order. Returns how many there are.
    #[inline(always)]
    pub(crate) fn write<D: Simd>(
        &mut self,
        simd: D,
        items: &mut [u32],
        distances: &mut [S],
    ) -> usize {
        self.keep_near(simd);
        let mut places = [HOLE; PLACES];
        // As many vectors as there are candidates for: most often one is enough.
        match self.len.div_ceil(LANES) {
            0 | 1 => self.rank::<D, 1>(simd, &mut places),
            2 => self.rank::<D, 2>(simd, &mut places),
            _ => self.rank::<D, { ROOM / LANES }>(simd, &mut places),
        }
        let many = self.n.min(self.len);
        // Equal ones have one place, and leave a hole behind it.
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

    /// Finds the place of each candidate in their order, if they lie in so many vectors, behind which nothing
    /// is.
    #[inline(always)]
    fn rank<D: Simd, const B: usize>(&self, simd: D, places: &mut [u8; PLACES]) {
        let infinity = <S::Wide<D>>::splat(simd, S::INFINITY);
        let mut held = [infinity; B];
        let blocks = self.len.div_ceil(LANES).max(1);
        let (lanes, _) = self.distances.as_chunks::<LANES>();
        for (held, lanes) in held.iter_mut().zip(&lanes[..blocks]) {
            *held = <S::Wide<D>>::load(simd, lanes);
        }
        let before = counts_below(simd, lanes[..blocks].iter(), &held);
        let before = before.map(Wide::store);
        for (i, before) in before.as_flattened()[..self.len].iter().enumerate() {
            places[before.to_whole() as usize % PLACES] = i as u8;
        }
    }
}

/// How many of some numbers are less than each of others. In turns, since an addition waits for the one before.
#[inline(always)]
fn counts_below<'a, S: Scalar, D: Simd, const G: usize>(
    simd: D,
    numbers: impl Iterator<Item = &'a [S; LANES]>,
    others: &[S::Wide<D>; G],
) -> [S::Wide<D>; G] {
    let turns = if G == 1 { 4 } else { 1 };
    let mut counts = [[<S::Wide<D>>::splat(simd, S::ZERO); G]; 4];
    for lanes in numbers {
        for (lane, &number) in lanes.iter().enumerate() {
            let number = <S::Wide<D>>::splat(simd, number);
            for (other, count) in others.iter().zip(&mut counts[lane % turns]) {
                *count = other.count_above(number, *count);
            }
        }
    }
    let [mut sum, rest @ ..] = counts;
    for counts in &rest[..turns - 1] {
        for (sum, &count) in sum.iter_mut().zip(counts) {
            *sum = *sum + count;
        }
    }
    sum
}

/// What is within a limit is taken, in registers.
pub(crate) struct Taking<'a, S: Scalar, D: Simd> {
    simd: D,
    few: &'a mut Few<S>,
    limit: S::Wide<D>,
    len: usize,
}

impl<S: Scalar, D: Simd> Taking<'_, S, D> {
    /// Takes those of sixteen that are within the limit, which stays as it is while there is room. NaN is not.
    #[inline(always)]
    pub(crate) fn take(&mut self, distances: S::Wide<D>, lanes: Mask, items: &[u32; LANES]) {
        let Self { simd, few, .. } = self;
        if self.len > ROOM - LANES {
            few.len = self.len;
            few.drop_some(*simd);
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
