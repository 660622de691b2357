//! Many lists in two arrays: the answers to many queries.

mod list;
mod neighbors;
#[cfg(feature = "serde")]
mod serial;

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use core::ops::{Index, Range};

#[cfg(feature = "rayon")]
use rayon::prelude::*;

use list::ListsIter;
pub use list::{Keys, List, Listed};
pub use neighbors::NeighborLists;

use crate::error::{Error, headroom, reserve, resize};
use crate::parallel;

/// Many answers in two arrays: list `i` is `items[offsets[i]..offsets[i + 1]]`.
///
/// An index takes 32 bits in memory. `lists[i]` is a slice of `u32`; [`list`](Self::list) and the iterators return a [`List`], which hands
/// out `usize`, so that the indices can index a slice. Lists of handles hand out handles either way.
///
/// ```
/// use orthant::{Octree, SpatialIndex, Sphere, glam::Vec3};
/// let points = [Vec3::ZERO, Vec3::X];
/// let tree = Octree::new(&points);
/// let lists = tree.query_batch(&[Sphere::new(Vec3::X, 0.5), Sphere::new(Vec3::Z, 0.5)]);
/// assert_eq!(lists[0], [1]);
/// assert!(lists[1].is_empty());
/// for list in &lists {
///     assert!(list.into_iter().all(|i| points[i] == Vec3::X));
/// }
/// ```
///
/// With the feature `serde`, `Lists` and [`NeighborLists`] are written as lists of lists.
#[derive(Clone, PartialEq, Eq)]
pub struct Lists<K> {
    pub(crate) offsets: Vec<usize>,
    pub(crate) items: Vec<K>,
}

impl<K: fmt::Debug> fmt::Debug for Lists<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Lists that are made together: their items one after the other, and their lengths.
#[derive(Clone, Default)]
pub(crate) struct Part<K> {
    pub(crate) items: Vec<K>,
    pub(crate) lens: Vec<u32>,
}

/// The number of lists in a part. It is fixed, and parts are joined in order, so that answers do not depend on the thread count.
pub(crate) const PART: usize = 1024;

/// Appends the answer of a query, given by its number.
type Append<'a, K> = dyn Fn(usize, &mut Vec<K>) -> Result<(), Error> + Sync + 'a;

impl<K: Send> Lists<K> {
    /// Collects the answers to all queries; `append` appends those to one query.
    pub(crate) fn collect(queries: usize, append: &Append<'_, K>) -> Result<Self, Error> {
        // Append the answers part by part.
        let part = |range: Range<usize>| {
            headroom()?;
            let (items, lens) = (Vec::new(), Vec::with_capacity(range.len()));
            let mut part = Part { items, lens };
            for query in range {
                let before = part.items.len();
                append(query, &mut part.items)?;
                part.lens.push((part.items.len() - before) as u32);
            }
            Ok::<_, Error>(part)
        };
        let mut parts = Vec::new();
        parallel::try_parts(queries, PART, &part, &mut |part| {
            parts.push(part);
            Ok(())
        })?;
        // Join the parts.
        let (mut all, mut end) = (Self::new(), 0);
        reserve(&mut all.offsets, queries)?;
        reserve(
            &mut all.items,
            parts.iter().map(|part| part.items.len()).sum(),
        )?;
        for mut part in parts {
            all.offsets.extend(part.lens.iter().map(|&len| {
                end += len as usize;
                end
            }));
            all.items.append(&mut part.items);
        }
        Ok(all)
    }
}

impl Lists<u32> {
    /// Makes lists of entries `(list, item)` by a counting sort; items keep the order of the entries.
    pub(crate) fn of_entries(
        lists: usize,
        entries: impl Iterator<Item = (u32, u32)> + Clone,
    ) -> Result<Self, Error> {
        // Compute the length of each list, then its offset.
        let mut offsets = Vec::new();
        resize(&mut offsets, lists + 1, 0)?;
        for (list, _) in entries.clone() {
            offsets[list as usize + 1] += 1;
        }
        for list in 0..lists {
            offsets[list + 1] += offsets[list];
        }
        // Put each item into the first free place of its list, and move the list's offset to the next place. At the end, each offset is
        // that of the following list, so shift all offsets by one.
        let mut items = Vec::new();
        resize(&mut items, offsets[lists], 0)?;
        for (list, item) in entries {
            let place = &mut offsets[list as usize];
            items[*place] = item;
            *place += 1;
        }
        offsets.rotate_right(1);
        offsets[0] = 0;
        Ok(Self { offsets, items })
    }
}

impl<K> Default for Lists<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K> Lists<K> {
    /// No lists.
    #[must_use]
    pub fn new() -> Self {
        Self {
            offsets: vec![0],
            items: Vec::new(),
        }
    }

    /// Makes lists from two arrays in the form of this type: list `i` is `items[offsets[i]..offsets[i + 1]]`.
    ///
    /// ```
    /// use orthant::{Error, Lists};
    /// let lists = Lists::from_parts(vec![0, 2, 2, 3], vec![7_u32, 8, 9])?;
    /// assert_eq!((&lists[0], lists[1].len(), &lists[2]), (&[7, 8][..], 0, &[9][..]));
    /// let refused = Lists::from_parts(vec![0, 2, 1], vec![7_u32]);
    /// assert_eq!(refused, Err(Error::Offset { place: 1, offset: 2, items: 1 }));
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the offsets do not begin with 0, decrease, exceed the number of items or do not end with it. The error names the first wrong
    /// offset. An empty list of offsets counts as a single 0.
    ///
    /// # Complexity
    ///
    /// O(lists).
    pub fn from_parts(mut offsets: Vec<usize>, items: Vec<K>) -> Result<Self, Error> {
        if offsets.is_empty() {
            offsets.push(0);
        }
        // The first offset must be 0 and the last the number of items; none may be less than the one before.
        let (last, len) = (offsets.len() - 1, items.len());
        let mut before = 0;
        for (place, &offset) in offsets.iter().enumerate() {
            let least = if place == last { len } else { before };
            let most = if place == 0 { 0 } else { len };
            if offset < least || offset > most {
                return Err(Error::Offset {
                    place,
                    offset,
                    items: len,
                });
            }
            before = offset;
        }
        Ok(Self { offsets, items })
    }

    /// The number of lists.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns true if there are no lists.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The range of the items of a list.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn range(&self, list: usize) -> Range<usize> {
        // The end is read first: there are as many ends as lists, so a panic names the number of lists.
        let end = self.offsets[1..][list];
        self.offsets[list]..end
    }

    /// The lists in order.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = List<'_, K>> {
        self.into_iter()
    }

    /// One list, which hands out indices as `usize`, or handles.
    ///
    /// ```
    /// use orthant::Lists;
    /// let (names, lists) = (["a", "b", "c"], Lists::from_iter([vec![0_u32], vec![2, 1]]));
    /// assert_eq!(lists.list(1).into_iter().map(|i| names[i]).collect::<String>(), "cb");
    /// ```
    ///
    /// # Panics
    ///
    /// If there is no such list.
    #[must_use]
    #[inline]
    #[track_caller]
    pub fn list(&self, list: usize) -> List<'_, K> {
        List::of(&self[list])
    }

    /// The lists in order, on several threads.
    ///
    /// ```
    /// use orthant::Lists;
    /// use rayon::prelude::*;
    /// let lists: Lists<u32> = [vec![1, 2], vec![], vec![3]].into_iter().collect();
    /// assert_eq!(lists.par_iter().map(|list| list.len()).collect::<Vec<_>>(), [2, 0, 1]);
    /// ```
    #[cfg(feature = "rayon")]
    #[must_use]
    pub fn par_iter(&self) -> impl IndexedParallelIterator<Item = List<'_, K>>
    where
        K: Sync,
    {
        (0..self.len()).into_par_iter().map(|list| self.list(list))
    }

    /// Removes all lists; the memory is kept.
    ///
    /// ```
    /// use orthant::Lists;
    /// let mut lists: Lists<u32> = [[1, 2], [3, 4]].into_iter().collect();
    /// lists.clear();
    /// assert!(lists.is_empty() && lists.items().is_empty());
    /// ```
    pub fn clear(&mut self) {
        self.offsets.truncate(1);
        self.items.clear();
    }

    /// The place at which each list begins, followed by the number of items.
    #[must_use]
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The items of all lists, one list after the other.
    #[must_use]
    pub fn items(&self) -> &[K] {
        &self.items
    }

    /// Replaces each index or handle by a value that `f` makes of it, such as an identifier of your own.
    ///
    /// ```
    /// use orthant::Lists;
    /// let (ids, lists) = ([70_u64, 71, 72], Lists::from_iter([vec![0_u32], vec![2, 1]]));
    /// assert_eq!(lists.map(|i| ids[i])[1], [72, 71]);
    /// ```
    ///
    /// # Complexity
    ///
    /// O(items), in the same memory where that fits.
    #[must_use]
    pub fn map<T>(self, mut f: impl FnMut(K::Key) -> T) -> Lists<T>
    where
        K: Listed,
    {
        Lists {
            offsets: self.offsets,
            items: self.items.into_iter().map(|item| f(item.key())).collect(),
        }
    }
}

impl<K> Index<usize> for Lists<K> {
    type Output = [K];

    #[inline]
    #[track_caller]
    fn index(&self, list: usize) -> &[K] {
        &self.items[self.range(list)]
    }
}

/// The lists in order.
///
/// ```
/// use orthant::Lists;
/// let lists: Lists<u32> = [vec![1, 2], vec![3]].into_iter().collect();
/// let mut sums = Vec::new();
/// for list in &lists {
///     sums.push(list.iter().sum::<usize>());
/// }
/// assert_eq!(sums, [3, 3]);
/// ```
impl<'a, K> IntoIterator for &'a Lists<K> {
    type Item = List<'a, K>;
    type IntoIter = ListsIter<'a, Lists<K>>;

    fn into_iter(self) -> Self::IntoIter {
        ListsIter::new(self, self.len())
    }
}

/// The lists in order, each in memory of its own. Iterating by reference copies nothing.
///
/// ```
/// use orthant::Lists;
/// let lists: Lists<u32> = [vec![1, 2], vec![3]].into_iter().collect();
/// assert_eq!(lists.into_iter().collect::<Vec<_>>(), [vec![1, 2], vec![3]]);
/// ```
impl<K> IntoIterator for Lists<K> {
    type Item = Vec<K>;
    type IntoIter = vec::IntoIter<Vec<K>>;

    fn into_iter(self) -> Self::IntoIter {
        let mut items = self.items.into_iter();
        let lens = self.offsets.windows(2).map(|ends| ends[1] - ends[0]);
        let lists: Vec<_> = lens.map(|len| items.by_ref().take(len).collect()).collect();
        lists.into_iter()
    }
}

/// Appends lists.
///
/// ```
/// use orthant::Lists;
/// let mut lists: Lists<u32> = [vec![1, 2], vec![]].into_iter().collect();
/// lists.extend([[3, 4]]);
/// assert_eq!((lists.offsets(), lists.items()), (&[0, 2, 2, 4][..], &[1, 2, 3, 4][..]));
/// ```
impl<K, L: IntoIterator<Item = K>> Extend<L> for Lists<K> {
    fn extend<I: IntoIterator<Item = L>>(&mut self, lists: I) {
        for list in lists {
            self.items.extend(list);
            self.offsets.push(self.items.len());
        }
    }
}

/// Makes one list of each element of the input.
impl<K, L: IntoIterator<Item = K>> FromIterator<L> for Lists<K> {
    fn from_iter<I: IntoIterator<Item = L>>(lists: I) -> Self {
        let mut all = Self::new();
        all.extend(lists);
        all
    }
}

/// Sorts indices by the slots of their items. Returns each slot, and the place of its index in `indices`. `order` has the index by slot.
///
/// # Panics
///
/// If an index is not in `order`.
#[track_caller]
pub(crate) fn in_order(order: &[u32], indices: &[usize]) -> Vec<(u32, u32)> {
    // Invert the order, then look up each index.
    let mut slots = vec![0; order.len()];
    for (slot, &index) in (0..).zip(order) {
        slots[index as usize] = slot;
    }
    let mut sorted = Vec::with_capacity(indices.len());
    for (&index, place) in indices.iter().zip(0..) {
        assert!(
            index < slots.len(),
            "no point {index}: there are {}",
            slots.len()
        );
        sorted.push((slots[index], place));
    }
    sorted.sort_unstable();
    sorted
}
