//! The pairs of each level, and those with the levels below.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use crate::candidates::Limit;
use crate::cell_levels::{CellLevels, Kernels, Levels, Reach};
use crate::cell_list;
use crate::cell_list::{Buckets, Listed, PART, Pair, PairSearch};
use crate::error::{Error, or_panic, reserve, resize};
use crate::lists::{NeighborLists, Part};
use crate::vector::Vector;

impl<V: Vector> CellLevels<V> {
    /// Fills a list with all pairs that are near, the lower index first, each once; in a periodic box,
    /// as often as it has images that are near. The order depends on nothing but the points and radii.
    ///
    /// # Complexity
    ///
    /// That of [`neighbors`](Self::neighbors).
    ///
    /// # Panics
    ///
    /// Where [`try_pairs`](Self::try_pairs) returns an error.
    #[track_caller]
    pub fn pairs(&self, pairs: &mut Vec<[u32; 2]>) {
        or_panic("CellLevels", self.try_pairs(pairs));
    }

    /// Fills a list with all pairs that are near, as [`pairs`](Self::pairs) does, where memory may not suffice.
    ///
    /// ```
    /// use orthant::{CellLevels, Reach};
    /// let mut pairs = Vec::new();
    /// CellLevels::new(&[[2.0], [0.0]], &[0.5, 1.5], Reach::Sum).try_pairs(&mut pairs)?;
    /// assert_eq!(pairs, [[0, 1]]);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// That of [`neighbors`](Self::neighbors).
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`]; the list is empty then.
    pub fn try_pairs(&self, pairs: &mut Vec<[u32; 2]>) -> Result<(), Error> {
        pairs.clear();
        <V::Array as Kernels>::pairs(&self.0, pairs)
    }

    /// Calls `f` with each pair of [`pairs`](Self::pairs): the lower index, the higher one, the
    /// displacement from the first to the second and its square, as
    /// [`CellList::for_each_pair`](crate::CellList::for_each_pair) has them.
    ///
    /// ```
    /// use orthant::{CellLevels, Reach};
    /// let cells = CellLevels::new(&[[2.0], [0.0]], &[0.5, 1.5], Reach::Sum);
    /// cells.for_each_pair(|i, j, displacement, distance_sq| {
    ///     assert_eq!((i, j, displacement, distance_sq), (0, 1, [-2.0], 4.0));
    /// });
    /// ```
    ///
    /// # Complexity
    ///
    /// That of [`neighbors`](Self::neighbors).
    pub fn for_each_pair(&self, mut f: impl FnMut(usize, usize, V, V::Scalar)) {
        <V::Array as Kernels>::each_pair(&self.0, &mut |pairs| {
            for pair in pairs {
                let (i, j, displacement, distance_sq) = pair.parts();
                f(i, j, displacement, distance_sq);
            }
        });
    }

    /// The number of [`pairs`](Self::pairs).
    ///
    /// # Complexity
    ///
    /// That of [`neighbors`](Self::neighbors).
    #[must_use]
    pub fn count_pairs(&self) -> u64 {
        <V::Array as Kernels>::count_pairs(&self.0)
    }
}

impl<A: Vector> Levels<A> {
    /// Some points against those of a level.
    fn search<'a>(
        &'a self,
        number: usize,
        queries: &'a Buckets<A>,
        half: bool,
    ) -> PairSearch<'a, A> {
        PairSearch {
            queries,
            limit: match self.reach {
                Reach::Larger => Limit::Larger,
                Reach::Sum => Limit::Sum,
            },
            ..self.levels[number].search(half)
        }
    }

    /// All searches that together find each pair once: the points of each level against each other, and those of all levels below
    /// against them.
    fn for_each_search(
        &self,
        mut f: impl FnMut(&PairSearch<'_, A>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for (number, level) in self.levels.iter().enumerate() {
            f(&self.search(number, &level.buckets, true))?;
            if let Some(smaller) = self.smaller(number) {
                f(&self.search(number, &smaller, false))?;
            }
        }
        Ok(())
    }

    /// Appends pairs to a list.
    pub(super) fn pairs(&self, pairs: &mut Vec<[u32; 2]>) -> Result<(), Error> {
        self.for_each_search(|search| cell_list::pairs(search, pairs))
    }

    /// Counts pairs.
    pub(super) fn count(&self) -> u64 {
        let mut count = 0;
        let counted = self.for_each_search(|search| {
            count += cell_list::count(search);
            Ok(())
        });
        or_panic("CellLevels", counted);
        count
    }

    /// Hands on the pairs of one point after the other.
    pub(super) fn each(&self, f: &mut dyn FnMut(&[Pair<A>])) {
        let handed_on = self.for_each_search(|search| {
            cell_list::each(search, f);
            Ok(())
        });
        or_panic("CellLevels", handed_on);
    }
}

impl<V: Vector> CellLevels<V> {
    /// The neighbors of every point: list `i` holds the points near point `i`, itself included, those
    /// in its own octave of radii first. On several threads with the feature `rayon`.
    ///
    /// ```
    /// use orthant::{CellLevels, Reach};
    /// let cells = CellLevels::new(&[[0.0], [1.0], [9.0]], &[0.5, 2.0, 0.1], Reach::Larger);
    /// let near = cells.neighbors();
    /// assert_eq!((&near[0], &near[2]), (&[0, 1][..], &[2][..]));
    /// ```
    ///
    /// # Complexity
    ///
    /// O(n · octaves + answer) for points that are spread evenly about each other, O(n²) at worst.
    ///
    /// # Panics
    ///
    /// Where [`try_neighbors_into`](Self::try_neighbors_into) returns an error.
    #[must_use]
    #[track_caller]
    pub fn neighbors(&self) -> NeighborLists {
        let mut near = NeighborLists::new();
        self.neighbors_into(&mut near);
        near
    }

    /// Fills lists with the neighbors of every point, in the memory that they have: for every step of many.
    ///
    /// # Complexity
    ///
    /// That of [`neighbors`](Self::neighbors).
    ///
    /// # Panics
    ///
    /// Where [`try_neighbors_into`](Self::try_neighbors_into) returns an error.
    #[track_caller]
    pub fn neighbors_into(&self, near: &mut NeighborLists) {
        or_panic("CellLevels", self.try_neighbors_into(near));
    }

    /// Fills lists with the neighbors of every point, as [`neighbors_into`](Self::neighbors_into) does, where memory may not
    /// suffice.
    ///
    /// ```
    /// use orthant::{CellLevels, NeighborLists, Reach};
    /// let mut near = NeighborLists::new();
    /// CellLevels::new(&[[2.0], [0.0]], &[0.5, 1.5], Reach::Sum).try_neighbors_into(&mut near)?;
    /// assert_eq!(near[1].len(), 2);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// That of [`neighbors`](Self::neighbors).
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`]; there are no lists then.
    pub fn try_neighbors_into(&self, near: &mut NeighborLists) -> Result<(), Error> {
        <V::Array as Kernels>::lists(&self.0, near)
    }
}

impl<A: Vector> Levels<A> {
    /// Lists the neighbors of each point.
    pub(super) fn lists(&self, near: &mut NeighborLists) -> Result<(), Error> {
        near.clear();
        let mut pairs = Vec::new();
        let mut order = Vec::with_capacity(self.len);
        for (number, level) in self.levels.iter().enumerate() {
            if let Some(smaller) = self.smaller(number) {
                cell_list::pairs(&self.search(number, &smaller, false), &mut pairs)?;
            }
            order.extend_from_slice(level.buckets.indices());
        }
        let others = Others::new(self.len, &pairs)?;
        near.fill(&order, PART, |range, part| {
            if pairs.is_empty() {
                return self.list(range, part);
            }
            let mut own = Part::default();
            self.list(range.clone(), &mut own)?;
            let mut at = 0;
            for (&point, &len) in order[range].iter().zip(&own.lens) {
                let others = others.of(point);
                reserve(&mut part.items, len as usize + others.len())?;
                part.items
                    .extend_from_slice(&own.items[at..][..len as usize]);
                part.items.extend_from_slice(others);
                part.lens.push(len + others.len() as u32);
                at += len as usize;
            }
            Ok(())
        })
    }

    /// Lists the neighbors of some points in their own levels, all levels in a row.
    fn list(&self, range: Range<usize>, part: &mut Part<u32>) -> Result<(), Error> {
        let mut first = 0;
        for (number, level) in self.levels.iter().enumerate() {
            let end = first + level.buckets.len();
            let (from, to) = (range.start.max(first), range.end.min(end));
            if from < to {
                let (items, lens) = (&mut part.items, &mut part.lens);
                let (slots, take) = (from - first..to - first, &mut Listed { items, lens });
                self.search(number, &level.buckets, false)
                    .run(slots, take)?;
            }
            first = end;
        }
        Ok(())
    }
}

/// The points that each point is in a pair with.
struct Others {
    /// Where the list of each begins, and at last the end.
    begins: Vec<usize>,
    items: Vec<u32>,
}

impl Others {
    fn new(many: usize, pairs: &[[u32; 2]]) -> Result<Self, Error> {
        let mut begins = vec![0; many + 1];
        for one in pairs.as_flattened() {
            begins[*one as usize] += 1;
        }
        let mut end = 0;
        for begin in &mut begins {
            end += *begin;
            *begin = end;
        }
        let mut items = Vec::new();
        resize(&mut items, end, 0)?;
        // From the last to the first, which leaves behind where each list begins.
        for &[one, other] in pairs.iter().rev() {
            for (one, other) in [(other, one), (one, other)] {
                let begin = &mut begins[one as usize];
                *begin -= 1;
                items[*begin] = other;
            }
        }
        Ok(Self { begins, items })
    }

    fn of(&self, point: u32) -> &[u32] {
        &self.items[self.begins[point as usize]..self.begins[point as usize + 1]]
    }
}
