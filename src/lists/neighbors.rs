//! Lists that stay where they were made.

use alloc::vec::Vec;
use core::fmt;
use core::ops::{Index, Range};

use super::{Lists, Part};
use crate::parallel;

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
        Iter {
            lists: self,
            range: 0..self.len(),
        }
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

/// Of no type of the standard library's, which would be compiled by the user of this crate.
struct Iter<'a> {
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
