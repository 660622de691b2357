//! The scan: the oracle of the tests, the baseline of the benches, and for a few dozen items the
//! fastest structure.

use alloc::vec::Vec;
use core::convert::Infallible;
use core::mem::replace;

use crate::error::{Error, or_panics, shown_as};
use crate::nearest::Nearest;
use crate::overlap::{Distance, Extent, Overlaps, Region, check_items};
use crate::query::{Held, Query, SlotRun, SpatialIndex};
use crate::shape::Bounded;
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
    type Cursor = ();
    /// Whether all items have been handed on.
    type Walk = bool;

    fn len(&self) -> usize {
        self.items.len()
    }

    fn next_run<R>(&self, _: &R, is_done: &mut bool) -> Option<SlotRun>
    where
        R: Region<Vector = T::Vector> + Overlaps<T>,
    {
        (!replace(is_done, true)).then(|| SlotRun::of(0..self.items.len() as u32))
    }

    fn best_first(
        &self,
        _: impl Fn(&Extent<T::Vector>) -> Option<<T::Vector as Vector>::Scalar>,
        mut offer: impl FnMut(SlotRun) -> <T::Vector as Vector>::Scalar,
    ) {
        offer(SlotRun::of(0..self.items.len() as u32));
    }

    #[inline(always)]
    fn items_of<'a>(&'a self, _: u32) -> impl Fn(u32) -> Option<Held<'a, T>> {
        let items = &self.items[..];
        move |slot| Some(Held::Kept(&items[slot as usize]))
    }

    #[inline(always)]
    fn key_at(&self, _: u32, index: u32) -> usize {
        index as usize
    }

    fn extent(&self) -> Option<Extent<T::Vector>> {
        let extents = self.items.iter().map(Extent::of);
        extents.reduce(|all, one| all.union(&one))
    }
}
