//! What is asked of a tree.

use alloc::vec::Vec;

use super::Orthtree;
use super::keys::order;
use crate::query::queries;
use crate::{Bounded, Lists, Overlaps, Region, Scalar, Vector};

/// From so many items on, regions are asked in the order of a Hilbert curve: what one query has
/// brought into the cache serves the next. At a million points, in half to three quarters of the
/// time.
const LARGE: usize = 1 << 18;

queries!(
    impl[T: Bounded] Orthtree<T>, asked = &Self: |this| this,
    vector = T::Vector, item = T, key = usize, listed = u32,
    complexity = "O(log n + answer) for items and regions that are not much longer than wide, O(n) at worst.",
    batch = |this, regions| this.ask_batch(regions)
);

impl<T: Bounded> Orthtree<T> {
    fn ask_batch<R>(&self, regions: &[R]) -> Lists<u32>
    where
        R: Region<Vector = T::Vector> + Overlaps<T> + Sync,
        T: Sync,
    {
        if self.len < LARGE || regions.len() < LARGE / 64 {
            return Lists::collect(regions, |region, found| self.query(region).append_to(found));
        }
        let nowhere = T::Vector::splat(Scalar::ZERO);
        let center = |region: &R| region.hint().map_or(nowhere, |hint| hint.center());
        let centers: Vec<_> = regions.iter().map(center).collect();
        let order = order(&centers, self.instructions);
        Lists::in_order(&order, |range, part| {
            for &region in &order[range] {
                let before = part.items.len();
                self.query(&regions[region as usize])
                    .append_to(&mut part.items);
                part.lens.push((part.items.len() - before) as u32);
            }
        })
    }
}
