//! The few nearest of what is offered sixteen at a time, without a branch for each.
//!
//! ```text
//! offer(blocks of sixteen distances):
//!     none is within the limit: end
//!     keep the least distance in each lane; the limit is the n-th least of these, since each is another item's
//!     append what is within the limit
//! take(sixteen distances), for who knows a limit, given to begin():
//!     append what is within the limit
//! each(), finish():
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

/// Vectors of least distances. The `n`-th least of twice as many lanes is about that of the items of rank 1.4 `n`.
const GROUPS: usize = 2 * FEW / LANES;

/// Blocks that are offered at once.
pub(crate) struct Blocks<'a, X, const N: usize> {
    /// Distances, and infinity in lanes that are not to be looked at.
    pub(crate) distances: &'a [X; N],
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
        let mut found = 0;
        for (distances, &lanes) in blocks.distances.iter().zip(blocks.lanes) {
            found += (distances.at_most(limit) & lanes).count();
        }
        if found == 0 {
            return;
        }
        for (block, &distances) in blocks.distances.iter().enumerate().take(blocks.items.len()) {
            let least = &mut self.least[block % self.groups % GROUPS];
            *least = Column(
                distances
                    .smaller(<S::Wide<D>>::load(simd, &least.0))
                    .store(),
            );
        }
        self.fresh += found;
        if 4 * self.fresh >= self.n {
            self.fresh = 0;
            self.narrow(simd);
        }
        for (block, items) in blocks.items.iter().enumerate().take(N) {
            self.take(simd, blocks.distances[block], blocks.lanes[block], items);
        }
    }

    /// Forgets all, and begins anew with another limit.
    #[inline(always)]
    pub(crate) fn begin(&mut self, limit_sq: S) {
        self.limit_sq = limit_sq;
        self.len = 0;
    }

    /// Whether there are enough.
    #[inline(always)]
    pub(crate) fn is_full(&self) -> bool {
        self.len >= self.n
    }

    /// Takes those of sixteen that are within the limit, which stays as it is while there is room.
    #[inline(always)]
    pub(crate) fn take<D: Simd>(
        &mut self,
        simd: D,
        distances: S::Wide<D>,
        lanes: Mask,
        items: &[u32; LANES],
    ) {
        if self.len > ROOM - LANES {
            self.drop_some();
        }
        let limit = <S::Wide<D>>::splat(simd, self.limit_sq);
        let lanes = distances.at_most(limit) & lanes;
        let at = self.len.min(ROOM - LANES);
        Lane::squeeze(simd, &distances.store(), lanes, &mut self.distances, at);
        Lane::squeeze(simd, items, lanes, &mut self.items, at);
        self.len = at + lanes.count();
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

    /// That limit, of so many vectors.
    #[inline(always)]
    fn narrowed<D: Simd, const G: usize>(&self, simd: D) -> S {
        let least: [S::Wide<D>; G] =
            crate::simd::from_fn(|group| <S::Wide<D>>::load(simd, &self.least[group].0));
        let mut limit = self.limit_sq;
        for (group, wide) in least.iter().enumerate() {
            let mut enough = 0;
            for (lane, &value) in self.least[group].0.iter().enumerate() {
                let bound = <S::Wide<D>>::splat(simd, value);
                let below: usize = least.iter().map(|least| least.at_most(bound).count()).sum();
                enough |= u32::from(below >= self.n) << lane;
            }
            let infinity = <S::Wide<D>>::splat(simd, S::INFINITY);
            let values = wide.only(Mask::new(simd, enough), infinity);
            limit = limit.smaller(values.smallest());
        }
        limit
    }

    /// Keeps the nearest.
    #[cold]
    #[inline(never)]
    fn drop_some(&mut self) {
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

    /// All candidates in their order.
    fn sorted(&self) -> Vec<Nearest<u32, S>> {
        let pairs = self.distances.iter().zip(&self.items).take(self.len);
        let near = |(&distance_sq, &item): (&S, &u32)| Nearest { item, distance_sq };
        let mut all: Vec<_> = pairs.map(near).collect();
        all.sort_unstable_by(order);
        all
    }

    /// The nearest in their order, by keys that are in the order of the items.
    #[inline(always)]
    pub(crate) fn finish<D: Simd, K: Ord + Copy>(
        &mut self,
        simd: D,
        key: impl Fn(u32) -> K,
    ) -> Vec<Nearest<K, S>> {
        let mut found = Vec::with_capacity(self.n.min(self.len));
        self.each(simd, |item, distance_sq| {
            let item = key(item);
            found.push(Nearest { item, distance_sq });
        });
        found
    }

    /// Hands on the nearest in their order.
    #[inline(always)]
    pub(crate) fn each<D: Simd>(&mut self, simd: D, mut f: impl FnMut(u32, S)) {
        // Only what is within the limit, and infinity behind it.
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
            Lane::squeeze(simd, &distances, lanes, &mut self.distances, kept);
            Lane::squeeze(simd, &items, lanes, &mut self.items, kept);
            kept += lanes.count();
        }
        self.len = kept;
        self.distances[kept..blocks * LANES].fill(S::INFINITY);
        let mut places = [0; PLACES];
        // As many vectors as there are candidates for: most often one is enough.
        let ties = match kept.div_ceil(LANES) {
            0 | 1 => self.rank::<D, 1>(simd, &mut places),
            2 => self.rank::<D, 2>(simd, &mut places),
            _ => self.rank::<D, { ROOM / LANES }>(simd, &mut places),
        };
        if ties {
            let all = self.sorted();
            let best = all.iter().take(self.n);
            return best.for_each(|near| f(near.item, near.distance_sq));
        }
        for &place in &places[..self.n.min(kept)] {
            let at = usize::from(place) % ROOM;
            f(self.items[at], self.distances[at]);
        }
    }

    /// Finds the place of each candidate in their order, if they lie in so many vectors, behind which nothing
    /// is. Returns whether some are equal, and places are wrong.
    #[inline(always)]
    fn rank<D: Simd, const B: usize>(&self, simd: D, places: &mut [u8; PLACES]) -> bool {
        let infinity = <S::Wide<D>>::splat(simd, S::INFINITY);
        let mut held = [infinity; B];
        for (block, held) in held.iter_mut().enumerate() {
            if block * LANES < self.len
                && let Some(distances) = self.distances[block * LANES..].first_chunk()
            {
                *held = <S::Wide<D>>::load(simd, distances);
            }
        }
        let mut ties = 0;
        for (i, &distance) in self.distances[..self.len.min(B * LANES)].iter().enumerate() {
            let own = <S::Wide<D>>::splat(simd, distance);
            let (mut before, mut equal) = (0, 0);
            for held in &held {
                let not_beyond = held.at_most(own);
                before += not_beyond.count();
                equal += (own.at_most(*held) & not_beyond).count();
            }
            ties |= equal - 1;
            places[(before - 1) % PLACES] = i as u8;
        }
        ties != 0
    }
}
