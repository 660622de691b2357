//! One of many lists: it lies in memory as `u32` and hands out `usize`, which index a slice.

use core::fmt;
use core::iter::{Copied, Map};
use core::ops::{Deref, Index, Range};
use core::slice;

use crate::handle::Handle;

/// An entry of a list and the key that it stands for: `u32` stands for a `usize` that indexes a slice; handles, and pairs
/// of a key and a value, stand for themselves.
///
/// ```
/// use orthant::Listed;
/// assert_eq!(7_u32.key(), 7_usize);
/// ```
pub trait Listed: Copy {
    /// An index of a slice, or the name of an item.
    type Key;

    /// The key that it stands for.
    fn key(self) -> Self::Key;
}

impl Listed for u32 {
    type Key = usize;

    #[inline(always)]
    fn key(self) -> usize {
        self as usize
    }
}

impl Listed for Handle {
    type Key = Self;

    #[inline(always)]
    fn key(self) -> Self {
        self
    }
}

impl<K: Copy, T: Copy> Listed for (K, T) {
    type Key = Self;

    #[inline(always)]
    fn key(self) -> Self {
        self
    }
}

/// One list of [`Lists`](crate::Lists) or [`NeighborLists`](crate::NeighborLists): it hands out `usize` if it holds indices, and
/// dereferences to the slice of `u32` in memory.
///
/// ```
/// use orthant::{Quadtree, glam::Vec2};
/// let points = [Vec2::ZERO, Vec2::X, Vec2::X * 3.0];
/// let near = Quadtree::new(&points).neighbors(1.0);
/// for (list, at) in near.iter().zip(points) {
///     assert!(list.iter().all(|j| points[j].distance(at) <= 1.0));
/// }
/// let last = near.list(2);
/// assert_eq!(last, [2]);
/// assert_eq!((last.len(), last.as_slice()), (1, &[2_u32][..]));
/// ```
pub struct List<'a, K>(&'a [K]);

impl<'a, K: Listed> List<'a, K> {
    /// The keys of the list: indices as `usize`.
    #[inline]
    pub fn iter(self) -> Keys<'a, K> {
        self.0.iter().copied().map(K::key)
    }
}

impl<'a, K> List<'a, K> {
    #[inline(always)]
    pub(crate) const fn of(list: &'a [K]) -> Self {
        Self(list)
    }

    /// The list as it lies in memory, where an index takes 32 bits.
    #[inline]
    #[must_use]
    pub const fn as_slice(self) -> &'a [K] {
        self.0
    }
}

impl<K> Clone for List<'_, K> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for List<'_, K> {}

impl<K> Deref for List<'_, K> {
    type Target = [K];

    #[inline]
    fn deref(&self) -> &[K] {
        self.0
    }
}

impl<K> AsRef<[K]> for List<'_, K> {
    fn as_ref(&self) -> &[K] {
        self.0
    }
}

/// Compares entries as they lie in memory, so that a list equals arrays and vectors of `u32`.
impl<K: PartialEq, L: AsRef<[K]> + ?Sized> PartialEq<L> for List<'_, K> {
    fn eq(&self, other: &L) -> bool {
        self.0 == other.as_ref()
    }
}

impl<K: Eq> Eq for List<'_, K> {}

impl<K: fmt::Debug> fmt::Debug for List<'_, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'a, K: Listed> IntoIterator for List<'a, K> {
    type Item = K::Key;
    type IntoIter = Keys<'a, K>;

    #[inline]
    fn into_iter(self) -> Keys<'a, K> {
        self.iter()
    }
}

impl<'a, K: Listed> IntoIterator for &List<'a, K> {
    type Item = K::Key;
    type IntoIter = Keys<'a, K>;

    #[inline]
    fn into_iter(self) -> Keys<'a, K> {
        self.iter()
    }
}

/// The keys of a [`List`], one by one: indices as `usize`.
///
/// ```
/// use orthant::Lists;
/// let lists = Lists::from_iter([[4_u32, 5]]);
/// assert_eq!(lists.list(0).iter().rev().collect::<Vec<usize>>(), [5, 4]);
/// ```
pub type Keys<'a, K> = Map<Copied<slice::Iter<'a, K>>, fn(K) -> <K as Listed>::Key>;

/// All lists in order, of [`Lists`](crate::Lists) or [`NeighborLists`](crate::NeighborLists).
#[allow(
    missing_debug_implementations,
    reason = "cannot be named outside the crate"
)]
pub struct ListsIter<'a, L> {
    lists: &'a L,
    range: Range<usize>,
}

impl<'a, L> ListsIter<'a, L> {
    pub(super) fn new(lists: &'a L, len: usize) -> Self {
        let range = 0..len;
        Self { lists, range }
    }
}

impl<'a, K: 'a, L: Index<usize, Output = [K]>> Iterator for ListsIter<'a, L> {
    type Item = List<'a, K>;

    #[inline]
    fn next(&mut self) -> Option<List<'a, K>> {
        self.range.next().map(|list| List::of(&self.lists[list]))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.range.size_hint()
    }
}

impl<'a, K: 'a, L: Index<usize, Output = [K]>> ExactSizeIterator for ListsIter<'a, L> {}
