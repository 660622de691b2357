//! Many lists at once, and how each hands out what it holds.

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
/// An index takes 32 bits in memory. `lists[i]` is the list as it lies there, a slice of `u32`;
/// [`list`](Self::list), the iterators and the parallel ones give it as a [`List`], which hands out `usize`,
/// what indexes a slice. Handles are handles either way.
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
/// With the feature `serde`, `Lists` and [`NeighborLists`] are lists of lists.
#[derive(Clone, PartialEq, Eq)]
pub struct Lists<K> {
    offsets: Vec<usize>,
    items: Vec<K>,
}

impl<K: fmt::Debug> fmt::Debug for Lists<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Lists that are made together: their items one behind the other, and their lengths.
#[derive(Clone)]
pub(crate) struct Part<K> {
    pub(crate) items: Vec<K>,
    pub(crate) lens: Vec<u32>,
}

impl<K> Default for Part<K> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            lens: Vec::new(),
        }
    }
}

/// The number of lists in a part. It is fixed, and parts are joined in order, so that answers do not depend on the thread count.
pub(crate) const PART: usize = 1024;

impl<K: Send> Lists<K> {
    /// The answers to all questions; `ask` appends those to one.
    pub(crate) fn collect<Q: Sync>(
        questions: &[Q],
        ask: impl Fn(&Q, &mut Vec<K>) -> Result<(), Error> + Sync,
    ) -> Result<Self, Error> {
        let part = |range: Range<usize>| {
            headroom()?;
            let mut part = Part::default();
            part.lens.reserve(range.len());
            for question in &questions[range] {
                let before = part.items.len();
                ask(question, &mut part.items)?;
                part.lens.push((part.items.len() - before) as u32);
            }
            Ok::<_, Error>(part)
        };
        let mut parts = Vec::with_capacity(questions.len().div_ceil(PART));
        parallel::try_parts(questions.len(), PART, part, |part| {
            parts.push(part);
            Ok(())
        })?;
        let many = parts.iter().map(|part| part.items.len()).sum();
        let mut items = Vec::new();
        reserve(&mut items, many)?;
        let mut offsets = Vec::with_capacity(questions.len() + 1);
        let mut end = 0;
        offsets.push(end);
        for mut part in parts {
            offsets.extend(part.lens.iter().map(|&len| {
                end += len as usize;
                end
            }));
            items.append(&mut part.items);
        }
        Ok(Self { offsets, items })
    }
}

impl Lists<u32> {
    /// Makes lists of entries `(list, item)` by a counting sort; items keep the order of the entries.
    pub(crate) fn of_entries(
        lists: usize,
        entries: impl Iterator<Item = (u32, u32)> + Clone,
    ) -> Result<Self, Error> {
        // The length of each list, then where it begins.
        let mut offsets = Vec::new();
        resize(&mut offsets, lists + 1, 0)?;
        for (list, _) in entries.clone() {
            offsets[list as usize + 1] += 1;
        }
        for list in 0..lists {
            offsets[list + 1] += offsets[list];
        }
        // Each item goes to the first free place of its list.
        let mut places = Vec::new();
        reserve(&mut places, lists)?;
        places.extend_from_slice(&offsets[..lists]);
        let mut items = Vec::new();
        resize(&mut items, offsets[lists], 0)?;
        for (list, item) in entries {
            let place = &mut places[list as usize];
            items[*place] = item;
            *place += 1;
        }
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

    /// Lists of two arrays, as other programs have them: list `i` is `items[offsets[i]..offsets[i + 1]]`.
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
    /// If the offsets do not begin with 0, decrease, exceed the number of items or do not end with it: the error names the
    /// first that does. No offset at all is as good as a single 0.
    ///
    /// # Complexity
    ///
    /// O(lists).
    pub fn from_parts(mut offsets: Vec<usize>, items: Vec<K>) -> Result<Self, Error> {
        if offsets.is_empty() {
            offsets.push(0);
        }
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

    /// Both arrays.
    pub(crate) fn into_parts(self) -> (Vec<usize>, Vec<K>) {
        (self.offsets, self.items)
    }

    /// Lists of two arrays with valid offsets.
    pub(crate) fn of_parts(offsets: Vec<usize>, items: Vec<K>) -> Self {
        Self { offsets, items }
    }

    /// The number of lists.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// True if there are no lists at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The lists in order.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = List<'_, K>> {
        self.into_iter()
    }

    /// One list, which hands out indices of slices, or handles.
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

    /// Where each list begins, and at last the number of items.
    #[must_use]
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// All lists, one behind the other.
    #[must_use]
    pub fn items(&self) -> &[K] {
        &self.items
    }

    /// The lists with each index or handle replaced by a value that `f` makes of it: a name that others know, say.
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
        // The ends first: there are as many as lists, which is what a panic says.
        let end = self.offsets[1..][list];
        &self.items[self.offsets[list]..end]
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

/// The lists in order, each in memory of its own; by reference none is copied.
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
        let ends = self.offsets.windows(2);
        let lists: Vec<Vec<K>> = ends
            .map(|ends| items.by_ref().take(ends[1] - ends[0]).collect())
            .collect();
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

/// One list of each part of the input.
impl<K, L: IntoIterator<Item = K>> FromIterator<L> for Lists<K> {
    fn from_iter<I: IntoIterator<Item = L>>(lists: I) -> Self {
        let mut all = Self::new();
        all.extend(lists);
        all
    }
}

/// The slots of the items of some indices, where `order` has the index of each slot, each with the place of its index among
/// those given: ascending by slot.
///
/// # Panics
///
/// If an index is not in `order`.
#[track_caller]
pub(crate) fn in_order(order: &[u32], indices: &[usize]) -> Vec<(u32, u32)> {
    let mut slots = vec![0; order.len()];
    for (slot, &index) in (0..).zip(order) {
        slots[index as usize] = slot;
    }
    let mut asking = Vec::with_capacity(indices.len());
    for (&index, question) in indices.iter().zip(0..) {
        assert!(
            index < slots.len(),
            "no point {index}: there are {}",
            slots.len()
        );
        asking.push((slots[index], question));
    }
    asking.sort_unstable();
    asking
}
