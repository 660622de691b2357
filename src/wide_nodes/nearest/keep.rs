//! Result sets of the search for the nearest: one item, up to [`FEW`](crate::nearest::FEW), or more.

use core::hint::select_unpredictable;

use fearless_simd::Simd;

use super::{BLOCKS, Best};
use crate::nearest::{Closest, Few};
use crate::overlap::lanes::W;
use crate::simd::{LANES, Mask, Wide};
use crate::vector::Vector;

/// Keeps the nearest of the items that it is offered.
pub(super) trait Keep<A: Vector> {
    /// The squared distance beyond which no item is taken.
    fn limit_sq(&self) -> A::Scalar;

    /// Keeps the items of a leaf that are among the nearest so far.
    fn offer<S: Simd>(&mut self, simd: S, leaf: &Leaf<'_, W<A, S>>);
}

/// The items of a leaf, with their distances from the query.
pub(super) struct Leaf<'a, X> {
    /// The squared distances; infinite in unused lanes.
    pub(super) apart: [X; BLOCKS],
    /// The least squared distance of each lane, over all blocks.
    pub(super) least: X,
    /// A bit for each lane that holds an item.
    pub(super) own: u64,
    /// The indices or slots of the items, block by block.
    pub(super) slots: &'a [[u32; LANES]],
}

/// The lanes of one block, from the bits for all lanes of a leaf.
#[inline(always)]
pub(super) fn lanes_of<S: Simd>(simd: S, lanes: u64, block: usize) -> Mask {
    Mask::new(simd, (lanes >> (block * LANES)) as u32)
}

/// The lanes of a leaf whose distances are within a limit. If the loop skipped blocks without such lanes by a branch, a search for one
/// item would take a twelfth longer.
#[inline(always)]
fn within<S: Simd, X: Wide<S>>(simd: S, leaf: &Leaf<'_, X>, limit: X::Lane) -> u64 {
    let limit = X::splat(simd, limit);
    let mut found = 0;
    for (block, apart) in leaf.apart.iter().enumerate() {
        found |= u64::from(apart.at_most(limit).bits(simd)) << (block * LANES);
    }
    found & leaf.own
}

/// The nearest item so far; if several are equally near, the one with the least slot.
pub(super) struct One<X> {
    pub(super) distance_sq: X,
    pub(super) slot: u32,
}

impl<A: Vector> Keep<A> for One<A::Scalar> {
    #[inline(always)]
    fn limit_sq(&self) -> A::Scalar {
        self.distance_sq
    }

    #[inline(always)]
    fn offer<S: Simd>(&mut self, simd: S, leaf: &Leaf<'_, W<A, S>>) {
        // Read the slots before it is known whether one is needed, so that they come from memory together with the distances.
        let mut slots = [[0; LANES]; BLOCKS];
        for (block, slots) in slots.iter_mut().enumerate() {
            if block == leaf.slots.len() {
                break;
            }
            *slots = leaf.slots[block];
        }
        let limit = <W<A, S>>::splat(simd, self.distance_sq);
        if leaf.least.at_most(limit).is_empty() {
            return;
        }
        // Find the lanes with the least distance; usually there is one.
        let least = leaf.least.least_distance();
        let mut found = within(simd, leaf, least);
        // Keep the least slot of these. Selecting it without a branch avoids mispredictions.
        loop {
            let lane = found.trailing_zeros() as usize % (BLOCKS * LANES);
            let slot = slots.as_flattened()[lane];
            let is_better =
                least < self.distance_sq || least == self.distance_sq && slot < self.slot;
            let is_better = is_better && found != 0;
            self.distance_sq = select_unpredictable(is_better, least, self.distance_sq);
            self.slot = select_unpredictable(is_better, slot, self.slot);
            found &= found.wrapping_sub(1);
            if found == 0 {
                break;
            }
        }
    }
}

impl<A: Vector> Keep<A> for &mut Best<A> {
    #[inline(always)]
    fn limit_sq(&self) -> A::Scalar {
        Closest::limit_sq(self)
    }

    #[inline(always)]
    fn offer<S: Simd>(&mut self, simd: S, leaf: &Leaf<'_, W<A, S>>) {
        let mut found = within(simd, leaf, Closest::limit_sq(self));
        if found == 0 {
            return;
        }
        let distances = leaf.apart.map(Wide::store);
        while found != 0 {
            let lane = found.trailing_zeros() as usize;
            let slot = leaf.slots.as_flattened()[lane];
            let (block, lane) = (lane / LANES % BLOCKS, lane % LANES);
            Closest::offer(self, distances[block][lane], slot);
            found &= found - 1;
        }
    }
}

impl<A: Vector> Keep<A> for &mut Few<A::Scalar> {
    #[inline(always)]
    fn limit_sq(&self) -> A::Scalar {
        Few::limit_sq(self)
    }

    #[inline(always)]
    fn offer<S: Simd>(&mut self, simd: S, leaf: &Leaf<'_, W<A, S>>) {
        Few::offer(self, simd, (&leaf.apart, leaf.least), leaf.own, leaf.slots);
    }
}
