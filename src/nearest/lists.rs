//! Lists of the nearest items of many points, in flat arrays.

use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

#[cfg(feature = "rayon")]
use rayon::prelude::*;

use super::Nearest;
use crate::error::{Error, reserve, resize};
use crate::lists::{List, Listed, Lists};
use crate::parallel;
use crate::vector::Scalar;

/// The nearest items of many points: list `i` holds those of point `i`, the nearest first, ties by key, with their squared distances. The
/// lists can be filled again, in the same memory.
///
/// ```
/// use orthant::{NearestLists, Octree, SpatialIndex, glam::Vec3};
/// let tree = Octree::new(&[Vec3::ZERO, Vec3::X, Vec3::X * 3.0]);
/// let near = tree.nearest_n_batch(&[Vec3::X * 4.0, Vec3::ZERO], 2);
/// assert_eq!((near.items()[0].to_vec(), near.distances_sq(0)), (vec![2, 1], &[1.0, 9.0][..]));
/// assert_eq!(near.list(1).map(|near| near.item).collect::<Vec<_>>(), [0, 1]);
/// ```
///
/// As in [`Lists`], an index takes 32 bits in memory, and is read as a `usize`.
#[derive(Clone, PartialEq)]
pub struct NearestLists<K, S> {
    lists: Lists<K>,
    distances_sq: Vec<S>,
}

impl<K, S> NearestLists<K, S> {
    /// No lists, to be filled.
    #[must_use]
    pub fn new() -> Self {
        Self {
            lists: Lists::new(),
            distances_sq: Vec::new(),
        }
    }

    /// The number of lists: that of the points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lists.len()
    }

    /// Returns true if there are no lists.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The lists of items, without distances.
    ///
    /// ```
    /// use orthant::{Octree, SpatialIndex, glam::Vec3};
    /// let near = Octree::new(&[Vec3::ZERO, Vec3::X]).nearest_n_batch(&[Vec3::X, Vec3::ZERO], 1);
    /// assert_eq!((near.items().offsets(), near.items().items()), (&[0, 1, 2][..], &[1, 0][..]));
    /// ```
    #[must_use]
    pub const fn items(&self) -> &Lists<K> {
        &self.lists
    }

    /// The squared distances of one list, by which it is ordered.
    ///
    /// # Panics
    ///
    /// If there is no such list.
    #[must_use]
    #[track_caller]
    pub fn distances_sq(&self, list: usize) -> &[S] {
        &self.distances_sq[self.lists.range(list)]
    }

    /// The lists of items, and all squared distances in the order of the items.
    ///
    /// ```
    /// use orthant::{Octree, SpatialIndex, glam::Vec3};
    /// let near = Octree::new(&[Vec3::ZERO, Vec3::X]).nearest_n_batch(&[Vec3::X * 2.0], 2);
    /// let (items, distances_sq) = near.into_parts();
    /// assert_eq!((items.items(), distances_sq), (&[1, 0][..], vec![1.0, 4.0]));
    /// ```
    #[must_use]
    pub fn into_parts(self) -> (Lists<K>, Vec<S>) {
        (self.lists, self.distances_sq)
    }
}

impl<K: Listed, S: Scalar> NearestLists<K, S> {
    /// One list, the nearest first.
    ///
    /// # Panics
    ///
    /// If there is no such list.
    #[must_use]
    #[track_caller]
    pub fn list(&self, list: usize) -> impl ExactSizeIterator<Item = Nearest<K::Key, S>> {
        let items = List::of(&self.lists[list]).iter();
        let both = items.zip(self.distances_sq(list));
        both.map(|(item, &distance_sq)| Nearest { item, distance_sq })
    }

    /// The lists in order.
    ///
    /// ```
    /// use orthant::{Octree, SpatialIndex, glam::Vec3};
    /// let near = Octree::new(&[Vec3::ZERO, Vec3::X]).nearest_n_batch(&[Vec3::X * 3.0, Vec3::ZERO], 2);
    /// let farthest = near.iter().map(|list| list.last().unwrap().distance());
    /// assert_eq!(farthest.collect::<Vec<_>>(), [3.0, 1.0]);
    /// ```
    #[must_use]
    pub fn iter(
        &self,
    ) -> impl ExactSizeIterator<Item = impl ExactSizeIterator<Item = Nearest<K::Key, S>>> {
        (0..self.len()).map(|list| self.list(list))
    }

    /// The lists in order, on several threads.
    ///
    /// ```
    /// use orthant::{Octree, SpatialIndex, glam::Vec3};
    /// use rayon::prelude::*;
    /// let near = Octree::new(&[Vec3::ZERO, Vec3::X]).nearest_n_batch(&[Vec3::X * 3.0], 2);
    /// assert_eq!(near.par_iter().map(Iterator::count).sum::<usize>(), 2);
    /// ```
    #[cfg(feature = "rayon")]
    #[must_use]
    pub fn par_iter(
        &self,
    ) -> impl IndexedParallelIterator<Item = impl ExactSizeIterator<Item = Nearest<K::Key, S>>>
    where
        K: Sync,
    {
        (0..self.len()).into_par_iter().map(|list| self.list(list))
    }
}

impl<K: Copy + Send, S: Scalar> NearestLists<K, S> {
    /// Fills the lists one by one: `search` returns the items of a query.
    pub(crate) fn fill_one_by_one<X: Copy + Send>(
        &mut self,
        queries: usize,
        search: &(dyn Fn(usize) -> Vec<Nearest<X, S>> + Sync),
        pack: fn(X) -> K,
    ) -> Result<(), Error> {
        let mut items = core::mem::take(&mut self.lists).items;
        let mut distances_sq = core::mem::take(&mut self.distances_sq);
        let append = |query: usize, found: &mut Vec<Nearest<X, S>>| {
            let mut list = search(query);
            reserve(found, list.len())?;
            found.append(&mut list);
            Ok(())
        };
        let found = Lists::collect(queries, &append)?;
        items.clear();
        reserve(&mut items, found.items.len())?;
        distances_sq.clear();
        reserve(&mut distances_sq, found.items.len())?;
        items.extend(found.items.iter().map(|near| pack(near.item)));
        distances_sq.extend(found.items.iter().map(|near| near.distance_sq));
        let offsets = found.offsets;
        (self.lists, self.distances_sq) = (Lists { offsets, items }, distances_sq);
        Ok(())
    }
}

impl<S: Scalar> NearestLists<u32, S> {
    /// Fills list `numbers[place]` with row `place`, which has `width` items; all other lists are empty. `make` is given ranges of places
    /// that begin at multiples of [`PART`].
    pub(crate) fn fill_rows(
        &mut self,
        lists: usize,
        numbers: &[u32],
        width: usize,
        make: &(dyn Fn(Range<usize>, &mut Rows<S>) + Sync),
    ) -> Result<(), Error> {
        let Lists {
            mut offsets,
            mut items,
        } = core::mem::take(&mut self.lists);
        let mut distances_sq = core::mem::take(&mut self.distances_sq);
        offsets.clear();
        offsets.resize(lists + 1, 0);
        for &number in numbers {
            offsets[number as usize + 1] = width;
        }
        for list in 0..lists {
            offsets[list + 1] += offsets[list];
        }
        let many = numbers.len() * width;
        resize(&mut items, many, 0)?;
        resize(&mut distances_sq, many, Scalar::ZERO)?;
        // Make the rows of each part, and copy them to their lists.
        let make = |places: Range<usize>| {
            let many = places.len() * width;
            let mut rows = Rows {
                width,
                items: Vec::new(),
                distances_sq: Vec::new(),
            };
            resize(&mut rows.items, many, 0)?;
            resize(&mut rows.distances_sq, many, Scalar::ZERO)?;
            make(places.clone(), &mut rows);
            Ok::<_, Error>((places, rows))
        };
        parallel::try_parts(numbers.len(), PART, &make, &mut |(places, rows)| {
            for (row, &number) in numbers[places].iter().enumerate() {
                let (from, to) = (row * width, offsets[number as usize]);
                items[to..to + width].copy_from_slice(&rows.items[from..from + width]);
                distances_sq[to..to + width]
                    .copy_from_slice(&rows.distances_sq[from..from + width]);
            }
            Ok(())
        })?;
        (self.lists, self.distances_sq) = (Lists { offsets, items }, distances_sq);
        Ok(())
    }
}

/// The number of lists that are made together: whole blocks of sixteen.
const PART: usize = 1024;

/// Lists of the same length, one after the other.
#[derive(Debug)]
pub struct Rows<S> {
    width: usize,
    items: Vec<u32>,
    distances_sq: Vec<S>,
}

impl<S: Scalar> Rows<S> {
    /// Writes a row: the first items of `near` in their order, except `without`.
    #[inline(always)]
    pub(crate) fn put(
        &mut self,
        row: usize,
        near: impl Iterator<Item = Nearest<u32, S>>,
        without: Option<u32>,
    ) {
        let own = row * self.width..(row + 1) * self.width;
        let to = self.items[own.clone()]
            .iter_mut()
            .zip(&mut self.distances_sq[own]);
        let near = near.filter(
            #[inline(always)]
            |near| Some(near.item) != without,
        );
        for ((item, distance_sq), near) in to.zip(near) {
            (*item, *distance_sq) = (near.item, near.distance_sq);
        }
    }
}

impl<K, S> Default for NearestLists<K, S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Listed<Key: fmt::Debug>, S: Scalar> fmt::Debug for NearestLists<K, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lists = (0..self.len()).map(|list| {
            let near = self.list(list);
            near.map(|near| (near.item, near.distance_sq))
                .collect::<Vec<_>>()
        });
        f.debug_list().entries(lists).finish()
    }
}
