//! Lists one after the other: as they lie, or taken out.

use alloc::vec::{self, Vec};
use core::ops::Range;

use super::{List, Lists};

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
    type IntoIter = ListsIter<'a, K>;

    fn into_iter(self) -> ListsIter<'a, K> {
        let (lists, range) = (self, 0..self.len());
        ListsIter { lists, range }
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
    type IntoIter = ListsIntoIter<K>;

    fn into_iter(self) -> ListsIntoIter<K> {
        ListsIntoIter {
            offsets: self.offsets,
            list: 0,
            items: self.items.into_iter(),
        }
    }
}

/// The lists of [`Lists`] in order, taken out.
#[allow(
    missing_debug_implementations,
    reason = "cannot be named outside the crate"
)]
pub struct ListsIntoIter<K> {
    offsets: Vec<usize>,
    list: usize,
    items: vec::IntoIter<K>,
}

impl<K> Iterator for ListsIntoIter<K> {
    type Item = Vec<K>;

    fn next(&mut self) -> Option<Vec<K>> {
        let end = *self.offsets.get(self.list + 1)?;
        let len = end - self.offsets[self.list];
        self.list += 1;
        Some(self.items.by_ref().take(len).collect())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.offsets.len() - 1 - self.list;
        (left, Some(left))
    }
}

impl<K> ExactSizeIterator for ListsIntoIter<K> {}

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
    type Item = List<'a, K>;

    #[inline]
    fn next(&mut self) -> Option<List<'a, K>> {
        self.range.next().map(|list| self.lists.list(list))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.range.size_hint()
    }
}

impl<K> ExactSizeIterator for ListsIter<'_, K> {}
