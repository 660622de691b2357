//! Neighbor lists, which stay in memory where they were made.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use core::ops::{Index, Range};
use core::sync::atomic::{AtomicBool, Ordering};

#[cfg(feature = "rayon")]
use rayon::prelude::*;

use super::list::ListsIter;
use super::{List, Lists, PART, Part};
use crate::error::{Error, headroom, or_panic, reserve};
use crate::parallel;

/// The neighbors of each point: list `i` holds the neighbors of point `i`. The lists can be filled again, in the same memory.
///
/// Lists stay in memory where they were made, in an order that follows space; bringing them into the order of the points would take a third
/// of the whole time. If the points are in an order that follows space ([`CellList::reorder`](crate::CellList::reorder)), so are the lists.
///
/// ```
/// use orthant::{Quadtree, glam::Vec2};
/// let near = Quadtree::new(&[Vec2::ZERO, Vec2::X, Vec2::X * 3.0]).neighbors(1.0);
/// assert_eq!((&near[0], &near[2]), (&[0, 1][..], &[2][..]));
/// assert_eq!(near.to_lists().offsets(), [0, 2, 4, 5]);
/// ```
///
/// As in [`Lists`], `near[i]` is a slice of `u32`, and [`list`](Self::list) hands out `usize`.
#[derive(Clone, Default)]
pub struct NeighborLists {
    spans: Vec<Span>,
    parts: Vec<Part<u32>>,
}

/// The place of a list.
#[derive(Clone, Copy, Default)]
struct Span {
    begin: usize,
    part: u32,
    len: u32,
}

/// Makes the lists of a range of places.
type MakePart<'a> = dyn Fn(Range<usize>, &mut Part<u32>) -> Result<(), Error> + Sync + 'a;

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

    /// Returns true if there are no lists.
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
    pub fn iter(&self) -> impl ExactSizeIterator<Item = List<'_, u32>> {
        self.into_iter()
    }

    /// One list, which hands out indices as `usize`.
    ///
    /// ```
    /// use orthant::{Quadtree, glam::Vec2};
    /// let points = [Vec2::ZERO, Vec2::X, Vec2::X * 3.0];
    /// let near = Quadtree::new(&points).neighbors(1.0);
    /// assert_eq!(near.list(1).into_iter().map(|j| points[j]).sum::<Vec2>(), Vec2::X);
    /// ```
    ///
    /// # Panics
    ///
    /// If there is no such list.
    #[must_use]
    #[inline]
    #[track_caller]
    pub fn list(&self, list: usize) -> List<'_, u32> {
        List::of(&self[list])
    }

    /// The lists in order, on several threads.
    ///
    /// ```
    /// use orthant::{Quadtree, glam::Vec2};
    /// use rayon::prelude::*;
    /// let near = Quadtree::new(&[Vec2::ZERO, Vec2::X]).neighbors(1.0);
    /// assert_eq!(near.par_iter().map(|list| list.len()).sum::<usize>(), near.total());
    /// ```
    #[cfg(feature = "rayon")]
    #[must_use]
    pub fn par_iter(&self) -> impl IndexedParallelIterator<Item = List<'_, u32>> {
        (0..self.len()).into_par_iter().map(|list| self.list(list))
    }

    /// Removes all lists; the memory is kept.
    ///
    /// ```
    /// use orthant::{Quadtree, glam::Vec2};
    /// let mut near = Quadtree::new(&[Vec2::ZERO, Vec2::X]).neighbors(1.0);
    /// near.clear();
    /// assert_eq!((near.len(), near.total()), (0, 0));
    /// ```
    pub fn clear(&mut self) {
        self.spans.clear();
        for part in &mut self.parts {
            part.items.clear();
            part.lens.clear();
        }
    }

    /// Copies the lists into one array, in the order of the points.
    ///
    /// # Complexity
    ///
    /// O(n + total).
    ///
    /// # Panics
    ///
    /// If memory does not suffice.
    #[must_use]
    #[track_caller]
    pub fn to_lists(&self) -> Lists<u32> {
        or_panic("NeighborLists", self.try_to_lists())
    }

    /// Like [`to_lists`](Self::to_lists), but returns an error if memory does not suffice.
    pub(crate) fn try_to_lists(&self) -> Result<Lists<u32>, Error> {
        let total = self.total();
        // Find out whether there is enough memory. `vec![0; total]` cannot return an error, but its memory is not touched before all
        // threads write to it.
        reserve(&mut Vec::<u32>::new(), total)?;
        let mut items = vec![0; total];
        let mut offsets = Vec::with_capacity(self.len() + 1);
        offsets.push(0);
        let mut end = 0;
        offsets.extend(self.spans.iter().map(|span| {
            end += span.len as usize;
            end
        }));
        // Each thread copies the lists of its share.
        let share = self.len().div_ceil(parallel::threads()).max(1);
        let (mut shares, mut rest) = (Vec::new(), &mut items[..]);
        for first in (0..self.len()).step_by(share) {
            let lists = first..self.len().min(first + share);
            let many = offsets[lists.end] - offsets[first];
            let (own, others) = rest.split_at_mut(many);
            shares.push((lists, own));
            rest = others;
        }
        let much = self.len() > PART;
        parallel::for_each(much, &mut shares, &|_, (lists, items)| {
            for list in lists.clone() {
                let to = offsets[list] - offsets[lists.start];
                let list = &self[list];
                items[to..to + list.len()].copy_from_slice(list);
            }
        });
        Ok(Lists { offsets, items })
    }

    /// Makes the lists in a given order, `size` lists to a part; `make` is given places in `order`. If it fails, all lists and their memory
    /// are dropped.
    pub(crate) fn fill(
        &mut self,
        order: &[u32],
        size: usize,
        make: &MakePart<'_>,
    ) -> Result<(), Error> {
        let much = order.len() > size;
        self.parts
            .resize_with(order.len().div_ceil(size), Part::default);
        // Make the lists of each part.
        let mut parts: Vec<_> = self.parts.iter_mut().map(|part| (part, Ok(()))).collect();
        let failed = AtomicBool::new(false);
        parallel::for_each(much, &mut parts, &|number, (part, made)| {
            part.items.clear();
            part.lens.clear();
            if !failed.load(Ordering::Relaxed) {
                let range = number * size..order.len().min((number + 1) * size);
                *made = headroom().and_then(|()| make(range, part));
                failed.fetch_or(made.is_err(), Ordering::Relaxed);
            }
        });
        if let Err(error) = parts.into_iter().try_for_each(|(_, made)| made) {
            *self = Self::new();
            return Err(error);
        }
        // Store the place of each list. Each thread looks at all lists and takes those in its share.
        let parts = &self.parts;
        self.spans.resize(order.len(), Span::default());
        let share = order.len().div_ceil(parallel::threads()).max(1);
        let mut shares: Vec<_> = self.spans.chunks_mut(share).collect();
        parallel::for_each(much, &mut shares, &|at, spans| {
            let first = at * share;
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
        Ok(())
    }
}

impl Index<usize> for NeighborLists {
    type Output = [u32];

    /// It is not inlined, so that it is compiled in this crate, with its optimizations.
    #[inline(never)]
    #[track_caller]
    fn index(&self, list: usize) -> &[u32] {
        let span = self.spans[list];
        &self.parts[span.part as usize].items[span.begin..span.begin + span.len as usize]
    }
}

/// The lists in order.
///
/// ```
/// use orthant::{Quadtree, glam::Vec2};
/// let points = [Vec2::ZERO, Vec2::X];
/// for list in &Quadtree::new(&points).neighbors(1.0) {
///     assert_eq!(list.into_iter().map(|j| points[j]).sum::<Vec2>(), Vec2::X);
/// }
/// ```
impl<'a> IntoIterator for &'a NeighborLists {
    type Item = List<'a, u32>;
    type IntoIter = ListsIter<'a, NeighborLists>;

    fn into_iter(self) -> Self::IntoIter {
        ListsIter::new(self, self.len())
    }
}

/// A `Vec` for each list, in order.
impl IntoIterator for NeighborLists {
    type Item = Vec<u32>;
    type IntoIter = <Lists<u32> as IntoIterator>::IntoIter;

    fn into_iter(self) -> Self::IntoIter {
        self.to_lists().into_iter()
    }
}

/// Appends lists, of less than 2³² neighbors each.
///
/// ```
/// use orthant::NeighborLists;
/// let mut near: NeighborLists = [vec![0, 1], vec![1, 0]].into_iter().collect();
/// near.extend([[2]]);
/// assert_eq!((near.len(), &near[0], &near[2]), (3, &[0, 1][..], &[2][..]));
/// assert_eq!(near.into_iter().last(), Some(vec![2]));
/// ```
impl<L: IntoIterator<Item = u32>> Extend<L> for NeighborLists {
    fn extend<I: IntoIterator<Item = L>>(&mut self, lists: I) {
        let number = u32::try_from(self.parts.len()).expect("less than 2³² parts");
        let Lists { offsets, items } = lists.into_iter().collect();
        self.spans.extend(offsets.windows(2).map(|ends| Span {
            begin: ends[0],
            part: number,
            len: u32::try_from(ends[1] - ends[0]).expect("less than 2³² neighbors"),
        }));
        let lens = Vec::new();
        self.parts.push(Part { items, lens });
    }
}

impl<L: IntoIterator<Item = u32>> FromIterator<L> for NeighborLists {
    fn from_iter<I: IntoIterator<Item = L>>(lists: I) -> Self {
        let mut near = Self::new();
        near.extend(lists);
        near
    }
}

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
