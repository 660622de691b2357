use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use core::ops::{Index, Range};

#[cfg(feature = "rayon")]
use rayon::prelude::*;

use crate::parallel;

/// Many answers in two arrays: list `i` is `items[offsets[i]..offsets[i + 1]]`.
///
/// ```
/// use orthant::{Octree, SpatialIndex, Sphere, glam::Vec3};
/// let tree = Octree::new(&[Vec3::ZERO, Vec3::X]);
/// let lists = tree.query_batch(&[Sphere::new(Vec3::X, 0.5), Sphere::new(Vec3::Z, 0.5)]);
/// assert_eq!(lists[0], [1]);
/// assert!(lists[1].is_empty());
/// ```
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

/// Lists that are made together: their items one behind the other, and how many each has.
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

/// Parts are of a fixed size, and joined in order: the thread count cannot show.
pub(crate) const PART: usize = 1024;

/// Makes parts of so many lists, in parallel with the feature `rayon`.
fn parts<K: Send>(lists: usize, make: impl Fn(Range<usize>, &mut Part<K>) + Sync) -> Vec<Part<K>> {
    let part = |number: usize| {
        let range = number * PART..lists.min((number + 1) * PART);
        let mut part = Part {
            items: Vec::new(),
            lens: Vec::with_capacity(range.len()),
        };
        make(range, &mut part);
        part
    };
    let numbers = 0..lists.div_ceil(PART);
    #[cfg(feature = "rayon")]
    return numbers.into_par_iter().map(part).collect();
    #[cfg(not(feature = "rayon"))]
    numbers.map(part).collect()
}

impl<K: Send> Lists<K> {
    /// The answers to all questions, which `ask` appends.
    pub(crate) fn collect<Q: Sync>(questions: &[Q], ask: impl Fn(&Q, &mut Vec<K>) + Sync) -> Self {
        let parts = parts(questions.len(), |range, part| {
            for question in &questions[range] {
                let before = part.items.len();
                ask(question, &mut part.items);
                part.lens.push((part.items.len() - before) as u32);
            }
        });
        let many = parts.iter().map(|part| part.items.len()).sum();
        let mut items = Vec::with_capacity(many);
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
        Self { offsets, items }
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

    /// The number of lists.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are no lists at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The lists in order.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[K]> {
        self.offsets.windows(2).map(|o| &self.items[o[0]..o[1]])
    }

    /// The lists in order, on several threads.
    ///
    /// ```
    /// use orthant::Lists;
    /// use rayon::prelude::*;
    /// let lists: Lists<u32> = [vec![1, 2], vec![], vec![3]].into_iter().collect();
    /// assert_eq!(lists.par_iter().map(<[u32]>::len).collect::<Vec<_>>(), [2, 0, 1]);
    /// ```
    #[cfg(feature = "rayon")]
    #[must_use]
    pub fn par_iter(&self) -> impl IndexedParallelIterator<Item = &[K]>
    where
        K: Sync,
    {
        (0..self.len()).into_par_iter().map(|list| &self[list])
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
}

impl<K> Index<usize> for Lists<K> {
    type Output = [K];

    fn index(&self, list: usize) -> &[K] {
        &self.items[self.offsets[list]..self.offsets[list + 1]]
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

/// The lists in order.
///
/// ```
/// use orthant::Lists;
/// let lists: Lists<u32> = [vec![1, 2], vec![3]].into_iter().collect();
/// let mut sums = Vec::new();
/// for list in &lists {
///     sums.push(list.iter().sum::<u32>());
/// }
/// assert_eq!(sums, [3, 3]);
/// ```
impl<'a, K> IntoIterator for &'a Lists<K> {
    type Item = &'a [K];
    type IntoIter = ListsIter<'a, K>;

    fn into_iter(self) -> ListsIter<'a, K> {
        let (lists, range) = (self, 0..self.len());
        ListsIter { lists, range }
    }
}

/// The lists of [`Lists`] in order.
#[allow(
    missing_debug_implementations,
    reason = "cannot be named outside the crate"
)]
pub struct ListsIter<'a, K> {
    lists: &'a Lists<K>,
    range: Range<usize>,
}

impl<'a, K> Iterator for ListsIter<'a, K> {
    type Item = &'a [K];

    #[inline]
    fn next(&mut self) -> Option<&'a [K]> {
        self.range.next().map(|list| &self.lists[list])
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.range.size_hint()
    }
}

impl<K> ExactSizeIterator for ListsIter<'_, K> {}

// Lists that are made in another order than theirs, and put in order.

/// So many items are copied at once: a sixth of the time of all neighbors, ten each.
const STEP: usize = 16;

impl Lists<u32> {
    /// Makes list `order[i]` as the `i`th: `make` is given ranges of `i`, which begin at multiples of
    /// [`PART`].
    pub(crate) fn in_order(
        order: &[u32],
        make: impl Fn(Range<usize>, &mut Part<u32>) + Sync,
    ) -> Self {
        let much = order.len() > PART;
        let parts = parts(order.len(), make);
        // Each thread looks at all lists and takes those in its share: what is read lies in a row, and
        // what is written does not keep it waiting.
        let made = || parts.iter().zip(order.chunks(PART));
        let mut offsets = vec![0; order.len() + 1];
        let share = order.len().div_ceil(parallel::threads()).max(1);
        let shares = offsets[1..].chunks_mut(share);
        let shares = shares.zip((0..).step_by(share)).collect();
        parallel::for_each(much, shares, |(ends, first)| {
            for (part, order) in made() {
                for (&list, &len) in order.iter().zip(&part.lens) {
                    if let Some(end) = ends.get_mut((list as usize).wrapping_sub(first)) {
                        *end = len as usize;
                    }
                }
            }
        });
        let mut end = 0;
        for offset in &mut offsets {
            end += *offset;
            *offset = end;
        }
        // Memory that comes cleared is not touched before all threads write to it.
        let mut items = vec![0; end];
        let mut shares = Vec::new();
        let mut rest = &mut items[..];
        for (begins, first) in offsets[..order.len()]
            .chunks(share)
            .zip((0..).step_by(share))
        {
            let many = offsets[first + begins.len()] - begins[0];
            let (items, others) = rest.split_at_mut(many);
            shares.push((begins, first, items));
            rest = others;
        }
        parallel::for_each(much, shares, |(begins, first, items)| {
            for (part, order) in made() {
                let mut at = 0;
                for (&list, &len) in order.iter().zip(&part.lens) {
                    let len = len as usize;
                    if let Some(begin) = begins.get((list as usize).wrapping_sub(first)) {
                        let to = &mut items[begin - begins[0]..][..len];
                        copy(&part.items[at..at + len], to);
                    }
                    at += len;
                }
            }
        });
        Self { offsets, items }
    }
}

/// Copies a list, the last step so that it ends where the list does.
#[inline(always)]
fn copy(from: &[u32], to: &mut [u32]) {
    let len = from.len();
    if len < STEP {
        return to.copy_from_slice(from);
    }
    let mut done = 0;
    while done < len {
        let at = done.min(len - STEP);
        to[at..at + STEP].copy_from_slice(&from[at..at + STEP]);
        done += STEP;
    }
}

// Lists that stay where they were made.

/// Who is near each point: list `i` holds the neighbors of point `i`. The memory is kept, to be filled
/// again.
///
/// Lists lie in the order in which they were made, which is that of space: not one is moved to stand
/// before the next, since that takes a third of the time of all. Points in the order of space
/// ([`CellList::reorder`](crate::CellList::reorder)) have theirs in their own order.
///
/// ```
/// use orthant::{CellList, glam::Vec2};
/// let near = CellList::new(&[Vec2::ZERO, Vec2::X, Vec2::X * 3.0], 1.0).neighbors();
/// assert_eq!((&near[0], &near[2]), (&[0, 1][..], &[2][..]));
/// assert_eq!(near.to_lists().offsets(), [0, 2, 4, 5]);
/// ```
#[derive(Clone, Default)]
pub struct NeighborLists {
    spans: Vec<Span>,
    parts: Vec<Part<u32>>,
}

/// Where a list lies.
#[derive(Clone, Copy, Default)]
struct Span {
    begin: usize,
    part: u32,
    len: u32,
}

impl NeighborLists {
    /// No lists, to be filled.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            spans: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// The number of lists: that of the points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether there are no lists at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The length of all lists together.
    #[must_use]
    pub fn total(&self) -> usize {
        self.parts.iter().map(|part| part.items.len()).sum()
    }

    /// The lists in order.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.into_iter()
    }

    /// The lists in order, on several threads.
    ///
    /// ```
    /// use orthant::{CellList, glam::Vec2};
    /// use rayon::prelude::*;
    /// let near = CellList::new(&[Vec2::ZERO, Vec2::X], 1.0).neighbors();
    /// assert_eq!(near.par_iter().map(<[u32]>::len).sum::<usize>(), near.total());
    /// ```
    #[cfg(feature = "rayon")]
    #[must_use]
    pub fn par_iter(&self) -> impl IndexedParallelIterator<Item = &[u32]> {
        (0..self.len()).into_par_iter().map(|list| self.list(list))
    }

    /// The same lists one behind the other.
    ///
    /// # Complexity
    ///
    /// O(n + total).
    #[must_use]
    pub fn to_lists(&self) -> Lists<u32> {
        let mut lists = Lists::new();
        lists.items.reserve_exact(self.total());
        lists.offsets.reserve_exact(self.len());
        for list in self.iter() {
            lists.items.extend_from_slice(list);
            lists.offsets.push(lists.items.len());
        }
        lists
    }

    /// Compiled in this crate, however its user is compiled: a call for each list.
    #[inline(never)]
    fn list(&self, list: usize) -> &[u32] {
        let span = self.spans[list];
        &self.parts[span.part as usize].items[span.begin..span.begin + span.len as usize]
    }

    /// Makes list `order[i]` as the `i`th, so many in a part: `make` is given ranges of `i`.
    pub(crate) fn fill(
        &mut self,
        order: &[u32],
        size: usize,
        make: impl Fn(Range<usize>, &mut Part<u32>) + Sync,
    ) {
        let much = order.len() > size;
        let parts = &mut self.parts;
        parts.resize_with(order.len().div_ceil(size), Part::default);
        let fill = |(number, part): (usize, &mut Part<u32>)| {
            part.items.clear();
            part.lens.clear();
            make(number * size..order.len().min((number + 1) * size), part);
        };
        parallel::for_each(much, parts.iter_mut().enumerate().collect(), fill);

        // Each thread looks at all lists and takes those in its share.
        let parts = &*parts;
        self.spans.resize(order.len(), Span::default());
        let share = order.len().div_ceil(parallel::threads()).max(1);
        let shares = self.spans.chunks_mut(share).zip((0..).step_by(share));
        parallel::for_each(much, shares.collect(), |(spans, first)| {
            for ((part, order), number) in parts.iter().zip(order.chunks(size)).zip(0..) {
                let mut begin = 0;
                for (&list, &len) in order.iter().zip(&part.lens) {
                    if let Some(span) = spans.get_mut((list as usize).wrapping_sub(first)) {
                        *span = Span {
                            begin,
                            part: number,
                            len,
                        };
                    }
                    begin += len as usize;
                }
            }
        });
    }
}

impl Index<usize> for NeighborLists {
    type Output = [u32];

    #[inline]
    fn index(&self, list: usize) -> &[u32] {
        self.list(list)
    }
}

/// The lists in order.
///
/// ```
/// use orthant::{CellList, glam::Vec2};
/// let near = CellList::new(&[Vec2::ZERO, Vec2::X], 1.0).neighbors();
/// for list in &near {
///     assert_eq!(list.len(), 2);
/// }
/// ```
impl<'a> IntoIterator for &'a NeighborLists {
    type Item = &'a [u32];
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        Iter {
            lists: self,
            range: 0..self.len(),
        }
    }
}

/// Of no type of the standard library's, which would be compiled by the user of this crate.
#[allow(
    missing_debug_implementations,
    reason = "cannot be named outside the crate"
)]
pub struct Iter<'a> {
    lists: &'a NeighborLists,
    range: Range<usize>,
}

impl<'a> Iterator for Iter<'a> {
    type Item = &'a [u32];

    #[inline(never)]
    fn next(&mut self) -> Option<&'a [u32]> {
        self.range.next().map(|list| self.lists.list(list))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.range.size_hint()
    }
}

impl ExactSizeIterator for Iter<'_> {}

impl PartialEq for NeighborLists {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for NeighborLists {}

impl fmt::Debug for NeighborLists {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
