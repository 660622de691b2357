//! The scan: the oracle of the tests, the baseline of the benches, and for a few dozen items the
//! fastest structure.

use alloc::vec::Vec;
use core::convert::Infallible;
use core::ops::Range;

use crate::error::{Error, or_panics, shown_as};
use crate::nearest::{Closest, Nearest};
use crate::overlap::distance::Center;
use crate::overlap::{Distance, Extent, Overlaps, Region, check_items};
use crate::query::{First, Hit, Query, SpatialIndex, Walk, all_in_walk, first_of};
use crate::shape::Bounded;
use crate::sweep::Mover;
use crate::vector::Vector;

/// Items in a row, each asked in turn.
///
/// Answers in the order of the input. Its answers define those of every other structure.
///
/// ```
/// use orthant::{Linear, Sphere};
/// let scan = Linear::new(&[[0.0, 0.0], [3.0, 4.0], [9.0, 9.0]]);
/// assert_eq!(scan.query(Sphere::new([0.0, 0.0], 5.0)).collect::<Vec<_>>(), [0, 1]);
/// assert_eq!(scan.nearest([8.0, 8.0]).unwrap().item, 2);
/// ```
#[derive(Clone)]
pub struct Linear<T> {
    items: Vec<T>,
}

shown_as!(impl[T] Linear<T> as "Linear", |this| items: this.items.len());

impl<T: Bounded> Linear<T> {
    or_panics! {
        /// Copies the items.
        Linear: new = try_new(items: &[T]) where T: Clone
    }

    /// Copies the items.
    ///
    /// # Errors
    ///
    /// If a coordinate is infinite or NaN (the error names the item), or there are more items
    /// than `u32` can number, less one.
    /// Distances outside [`safe_lengths`](crate::safe_lengths) are no error, though their squares overflow or lose digits.
    pub fn try_new(items: &[T]) -> Result<Self, Error>
    where
        T: Clone,
    {
        check_items(items)?;
        Ok(Self {
            items: items.to_vec(),
        })
    }
}

impl<T> Linear<T> {
    /// The number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

/// The walk of a scan: one run.
#[allow(
    missing_debug_implementations,
    reason = "cannot be named outside the crate"
)]
pub struct Scan<'a, T, R> {
    items: &'a [T],
    region: R,
    left: Option<Range<u32>>,
}

impl<T, R: Clone> Clone for Scan<'_, T, R> {
    fn clone(&self) -> Self {
        Self {
            items: self.items,
            region: self.region.clone(),
            left: self.left.clone(),
        }
    }
}

impl<T, R> Walk for Scan<'_, T, R>
where
    T: Bounded,
    R: Region<Vector = T::Vector> + Overlaps<T>,
{
    type Key = usize;
    type Run = Range<u32>;

    fn next_run(&mut self) -> Option<(Range<u32>, bool)> {
        self.left.take().map(|run| (run, false))
    }

    #[inline(always)]
    fn hits(&self, slot: u32) -> bool {
        self.region.overlaps(&self.items[slot as usize])
    }

    #[inline(always)]
    fn key(&self, slot: u32) -> usize {
        slot as usize
    }
}

/// The questions that are asked most; [`SpatialIndex`] has all of them.
impl<T: Bounded> Linear<T> {
    /// The items that overlap a region, lazily, in the order of the input: [`SpatialIndex::query`]; O(n).
    #[inline]
    pub fn query<R>(&self, region: R) -> Query<'_, Self, R>
    where
        R: Region<Vector = T::Vector> + Overlaps<T>,
    {
        SpatialIndex::query(self, region)
    }

    /// The number of items that overlap a region: [`SpatialIndex::count`]; O(n).
    #[must_use]
    #[inline]
    pub fn count<R>(&self, region: R) -> usize
    where
        R: Region<Vector = T::Vector> + Overlaps<T>,
    {
        SpatialIndex::count(self, region)
    }

    /// The item nearest to a point; of several, that with the least index: [`SpatialIndex::nearest`]; O(n).
    #[must_use]
    pub fn nearest(&self, point: T::Vector) -> Option<Nearest<usize, <T::Vector as Vector>::Scalar>>
    where
        T: Distance,
    {
        SpatialIndex::nearest(self, point)
    }
}

impl<T: Bounded> SpatialIndex for Linear<T> {
    type Vector = T::Vector;
    type Item = T;
    type Key = usize;
    type ByBlocks = Infallible;
    type Walk<'a, R>
        = Scan<'a, T, R>
    where
        Self: 'a,
        R: Region<Vector = T::Vector> + Overlaps<T>;

    fn len(&self) -> usize {
        self.items.len()
    }

    fn by_blocks<R>(&self, _: &R) -> Option<Infallible>
    where
        R: Region<Vector = T::Vector> + Overlaps<T>,
    {
        None
    }

    fn walk<R>(&self, region: R) -> Scan<'_, T, R>
    where
        R: Region<Vector = T::Vector> + Overlaps<T>,
    {
        Scan {
            items: &self.items,
            region,
            left: Some(0..self.items.len() as u32),
        }
    }

    fn offer_nearest(
        &self,
        from: Center<T::Vector>,
        best: &mut Closest<<T::Vector as Vector>::Scalar, usize>,
    ) where
        T: Distance,
    {
        for (i, item) in self.items.iter().enumerate() {
            best.offer(from.item_sq(item), i);
        }
    }

    fn offer_best_first(
        &self,
        _: impl Fn(&Extent<T::Vector>) -> <T::Vector as Vector>::Scalar,
        distance_sq: impl Fn(&T) -> <T::Vector as Vector>::Scalar,
        best: &mut Closest<<T::Vector as Vector>::Scalar, usize>,
    ) {
        for (i, item) in self.items.iter().enumerate() {
            best.offer(distance_sq(item), i);
        }
    }

    fn sweep<M: Mover<T>>(&self, mover: M) -> Option<Hit<usize, T::Vector>> {
        let search = |first: &mut First<_, _>| {
            for (i, item) in self.items.iter().enumerate() {
                if let Some((time, _)) = mover.times(item) {
                    first.offer(time, i, i as u32);
                }
            }
        };
        first_of(search, |slot| mover.sweep(&self.items[slot as usize]))
    }

    fn sweep_all<M: Mover<T>>(&self, mover: M) -> Vec<Hit<usize, T::Vector>> {
        all_in_walk(self.walk(&mover), |slot| {
            mover.sweep(&self.items[slot as usize])
        })
    }

    /// What is known of all items; `None` where there are none.
    fn extent(&self) -> Option<Extent<T::Vector>> {
        let extents = self.items.iter().map(Extent::of);
        extents.reduce(|all, one| all.union(&one))
    }
}
