//! The linear scan: the fastest structure for a few dozen items, and for one shape against thousands.
//!
//! Points, boxes and balls are kept a second time in columns, in blocks of sixteen, which vector instructions compare with most regions
//! ([`scan`]). All other items and regions are tested one by one.

mod scan;

use alloc::vec::Vec;
use core::mem::replace;
use core::ops::Range;

pub(crate) use scan::Kernels;

use crate::error::{Error, or_panics, shown_as};
use crate::nearest::Nearest;
use crate::overlap::lanes::Asked;
use crate::overlap::{Distance, Extent, Overlaps, Region, check_items};
use crate::query::{KeyWriter, Query, Search, SlotRun, SpatialIndex};
use crate::shape::{ArrayOf, Bounded, Layout};
use crate::simd::InstructionSet;
use crate::vector::Vector;
use crate::wide_nodes::Items;
use scan::{Scan, WORD, append_words};

/// The most words that a search fills before it reads their bits.
const WORDS: usize = 32;

/// A list of items, which a query compares with the region one after the other; points, boxes and balls are compared sixteen at a time.
///
/// It answers in the order of the input, and its answers define those of every other structure. The best [`InstructionSet`] of the
/// machine is chosen at run time; answers do not depend on it.
///
/// ```
/// use orthant::{Linear, Sphere};
/// let scan = Linear::new(&[[0.0, 0.0], [3.0, 4.0], [9.0, 9.0]]);
/// assert_eq!(scan.query(Sphere::new([0.0, 0.0], 5.0)).collect::<Vec<_>>(), [0, 1]);
/// assert_eq!(scan.nearest([8.0, 8.0]).unwrap().item, 2);
/// ```
#[derive(Clone)]
pub struct Linear<T: Bounded> {
    items: Vec<T>,
    /// The items in columns; empty for the user's own types.
    columns: Items<ArrayOf<T>>,
    instructions: InstructionSet,
}

shown_as!(impl[T: Bounded] Linear<T> as "Linear", |this| items: this.items.len(), instructions: this.instructions);

impl<T: Bounded> Linear<T> {
    or_panics! {
        /// Copies the items.
        Linear: new = try_new(items: &[T]) where T: Clone
    }

    /// Copies the items.
    ///
    /// # Errors
    ///
    /// If a coordinate is infinite or NaN (the error names the item), or there are more items than `u32` can number. Distances outside
    /// [`safe_lengths`](crate::safe_lengths) are no error, though their squares overflow or lose digits.
    pub fn try_new(items: &[T]) -> Result<Self, Error>
    where
        T: Clone,
    {
        check_items(items)?;
        let mut columns = Items::zeros(T::LAYOUT, items.len());
        if T::LAYOUT != Layout::Whole {
            for (place, item) in items.iter().enumerate() {
                columns.set(place, &Extent::of(item).cast());
            }
        }
        Ok(Self {
            items: items.to_vec(),
            columns,
            instructions: InstructionSet::best(),
        })
    }

    /// Chooses the instruction set, for measurements and tests: answers do not depend on it.
    #[doc(hidden)]
    #[must_use]
    pub fn with_instructions(mut self, instructions: InstructionSet) -> Self {
        self.instructions = instructions;
        self
    }

    /// The instruction set with which items are compared.
    #[must_use]
    pub fn instructions(&self) -> InstructionSet {
        self.instructions
    }

    /// The number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns true if there are no items.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

/// The most frequent queries; [`SpatialIndex`] has all of them.
impl<T: Bounded> Linear<T> {
    /// The items that overlap a region, lazily, in the order of the input: [`SpatialIndex::query`]; O(n).
    #[inline]
    pub fn query<R>(&self, region: R) -> Query<'_, Self, R>
    where
        R: Region<Vector = T::Vector> + Overlaps<T>,
    {
        Query::new(self, region)
    }

    /// The number of items that overlap a region: [`SpatialIndex::count`]; O(n).
    #[must_use]
    #[inline]
    pub fn count<R>(&self, region: R) -> usize
    where
        R: Region<Vector = T::Vector> + Overlaps<T>,
    {
        Query::new(self, region).count()
    }

    /// The item nearest to a point; of several, that with the least index: [`SpatialIndex::nearest`]; O(n).
    #[must_use]
    pub fn nearest(&self, point: T::Vector) -> Option<Nearest<usize, <T::Vector as Vector>::Scalar>>
    where
        T: Distance,
    {
        SpatialIndex::nearest(self, point)
    }

    /// Appends a bit for each item, set if it overlaps the region: item `64 * word + bit`, the lowest bit first. Bits beyond the
    /// last item are 0.
    ///
    /// ```
    /// use orthant::{Linear, Sphere};
    /// let scan = Linear::new(&[[0.0, 0.0], [5.0, 0.0], [1.0, 0.0]]);
    /// let mut words = Vec::new();
    /// scan.masks(Sphere::new([0.0, 0.0], 1.0), &mut words);
    /// assert_eq!(words, [0b101]);
    /// ```
    ///
    /// # Complexity
    ///
    /// O(n).
    pub fn masks<R>(&self, region: R, words: &mut Vec<u64>)
    where
        R: Region<Vector = T::Vector> + Overlaps<T>,
    {
        let first = words.len();
        words.resize(first + self.len().div_ceil(WORD), 0);
        let words = &mut words[first..];
        if let Some(region) = self.by_blocks(&region) {
            self.compare(&region, 0, words);
        } else {
            for (i, item) in self.items.iter().enumerate() {
                words[i / WORD] |= u64::from(region.overlaps(item)) << (i % WORD);
            }
        }
    }
}

impl<T: Bounded> Linear<T> {
    /// Compares the items of some words with a region: fills the words, and returns the number of set bits.
    fn compare(&self, region: &Asked<ArrayOf<T>>, first: usize, words: &mut [u64]) -> usize {
        let items = self.columns.blocks(self.len());
        let scan = Scan {
            items,
            first,
            words,
        };
        <ArrayOf<T>>::masks(scan, self.instructions, region)
    }
}

impl<T: Bounded> Search<T, usize> for Linear<T> {
    type ByBlocks = Asked<ArrayOf<T>>;
    /// The numbers of the words whose items have not been compared yet.
    type Cursor = Range<usize>;
    /// True once all items have been returned.
    type Walk = bool;

    #[inline(always)]
    fn by_blocks<R>(&self, region: &R) -> Option<Asked<ArrayOf<T>>>
    where
        R: Region<Vector = T::Vector> + Overlaps<T>,
    {
        Asked::of(region, T::LAYOUT, self.instructions)
    }

    #[inline]
    fn start(&self, _: &Asked<ArrayOf<T>>, cursor: &mut Range<usize>) {
        *cursor = 0..self.len().div_ceil(WORD);
    }

    #[inline]
    fn is_done(cursor: &Range<usize>) -> bool {
        cursor.start >= cursor.end
    }

    fn search(
        &self,
        region: &Asked<ArrayOf<T>>,
        cursor: &mut Range<usize>,
        to: Option<&mut KeyWriter<'_>>,
    ) -> usize {
        // Fill as many words as there is room for the indices of their items.
        let most = to.as_ref().map_or(WORDS, |to| to.room() / WORD);
        let mut words = [0; WORDS];
        let words = &mut words[..WORDS.min(most).min(cursor.len())];
        let hits = self.compare(region, cursor.start, words);
        if let Some(to) = to
            && hits > 0
        {
            append_words(self.instructions, words, cursor.start, &mut to.slots);
        }
        cursor.start += words.len();
        hits
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
    fn each_item(&self, _: u32, slots: Range<u32>, mut f: impl FnMut(u32, &T)) {
        for slot in slots {
            f(slot, &self.items[slot as usize]);
        }
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

impl<T: Bounded> SpatialIndex for Linear<T> {
    type Vector = T::Vector;
    type Item = T;
    type Key = usize;

    fn len(&self) -> usize {
        self.items.len()
    }
}
