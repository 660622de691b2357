//! Iterators over lists, borrowed and owned.

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
