//! Searches for all pairs that are near: pairs of two points of the list, and pairs of such a point and another point. Other
//! points are sorted into the same cells.

use alloc::vec;
use alloc::vec::Vec;

use super::buckets::Buckets;
use super::{CellGrid, CellList, Kernels};
use crate::error::{Error, or_panic};
use crate::lists::{Listed, Lists, NeighborLists, in_order};
use crate::periodic::by_image;
use crate::vector::{Scalar, Vector, Voxel};

/// Pairs of points: O(n + answer) for evenly spread points, O(n · octaves + answer) if each has a radius, O(n²) at worst.
impl<V: Vector, const SIZED: bool> CellGrid<V, SIZED> {
    /// The neighbors of every point: list `i` holds the points near point `i`, itself included, in the order of
    /// cells; points with radii in the octave of its own come first. Uses several threads with the feature `rayon`.
    ///
    /// ```
    /// use orthant::{CellList, glam::Vec3};
    /// let cells = CellList::new(&[Vec3::ZERO, Vec3::X, Vec3::X * 3.0], 1.0);
    /// let near = cells.neighbors();
    /// assert_eq!(near[0], [0, 1]);
    /// assert_eq!(near[2], [2]);
    /// ```
    ///
    /// # Panics
    ///
    /// If memory does not suffice.
    #[must_use]
    #[track_caller]
    pub fn neighbors(&self) -> NeighborLists {
        let mut near = NeighborLists::new();
        or_panic(Self::NAME, self.neighbors_into(&mut near));
        near
    }

    /// Fills lists with the neighbors of every point, and reuses their memory, for example in each step of a
    /// simulation.
    ///
    /// ```
    /// use orthant::{CellList, NeighborLists, glam::Vec3};
    /// let (mut cells, mut near) = (CellList::new(&[Vec3::ZERO, Vec3::X], 1.0), NeighborLists::new());
    /// for step in [1.0, 2.0] {
    ///     cells.rebuild(&[Vec3::ZERO, Vec3::X * step]).unwrap();
    ///     cells.neighbors_into(&mut near)?;
    /// }
    /// assert_eq!(near[1], [1]);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`]; there are no lists then.
    pub fn neighbors_into(&self, near: &mut NeighborLists) -> Result<(), Error> {
        <V::Array as Kernels>::lists(&self.cells, near)
    }

    /// Fills a list with each pair that is near, the lower index first. In a periodic box, a pair comes once for each
    /// of its images that is near. The order depends only on the points and the radius or radii.
    ///
    /// ```
    /// use orthant::{CellList, glam::Vec3};
    /// let cells = CellList::new(&[Vec3::ZERO, Vec3::X, Vec3::X * 3.0], 1.0);
    /// let mut pairs = Vec::new();
    /// cells.pairs(&mut pairs)?;
    /// assert_eq!(pairs, [[0, 1]]);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`]; the list is empty then.
    pub fn pairs(&self, pairs: &mut Vec<[u32; 2]>) -> Result<(), Error> {
        pairs.clear();
        <V::Array as Kernels>::pairs(&self.cells, pairs)
    }

    /// Calls `f` with each pair of [`pairs`](Self::pairs), in the same order: the lower index, the higher
    /// one, the displacement from the first to the second (in a periodic box, to an image of it), and
    /// its square. The displacement is `(second - first) + offset` on each axis, where `offset` is that of
    /// the image ([`Periodic::offset`](crate::Periodic::offset)).
    ///
    /// ```
    /// use orthant::{CellList, glam::Vec3};
    /// let cells = CellList::new(&[Vec3::X, Vec3::ZERO], 1.0);
    /// cells.for_each_pair(|i, j, displacement, distance_sq| {
    ///     assert_eq!((i, j, displacement, distance_sq), (0, 1, -Vec3::X, 1.0));
    /// });
    /// ```
    pub fn for_each_pair(&self, mut f: impl FnMut(usize, usize, V, V::Scalar)) {
        let called = self.each(None, |i, j, _, displacement, distance_sq| {
            f(i, j, displacement, distance_sq);
        });
        or_panic(Self::NAME, called);
    }

    /// Calls `f` with each pair of the points, or of these and others: both indices, the image of the second point, the displacement, and its
    /// square.
    #[inline]
    fn each(
        &self,
        others: Option<&Buckets<V::Array>>,
        mut f: impl FnMut(usize, usize, V::Voxel, V, V::Scalar),
    ) -> Result<(), Error> {
        <V::Array as Kernels>::each_pair(&self.cells, others, &mut |pairs| {
            for pair in pairs {
                let image = Voxel::from_fn(|axis| pair.image[axis].into());
                let displacement = V::of_array(pair.displacement);
                let [i, j] = [pair.first, pair.second].map(|index| index as usize);
                f(i, j, image, displacement, pair.distance_sq);
            }
        })
    }

    /// The number of [`pairs`](Self::pairs).
    #[must_use]
    pub fn count_pairs(&self) -> u64 {
        or_panic(Self::NAME, Kernels::count_pairs(&self.cells, None))
    }
}

/// Pairs within the common radius, at the cost of [`neighbors`](Self::neighbors).
impl<V: Vector> CellList<V> {
    /// The neighbors of some of the points: list `i` equals list `indices[i]` of
    /// [`neighbors`](Self::neighbors). An index may come more than once.
    ///
    /// ```
    /// use orthant::{CellList, glam::Vec3};
    /// let cells = CellList::new(&[Vec3::ZERO, Vec3::X, Vec3::X * 3.0], 1.0);
    /// let near = cells.neighbors_of_indices(&[2, 0]);
    /// assert_eq!((&near[0], &near[1]), (&[2][..], &[0, 1][..]));
    /// ```
    ///
    /// # Panics
    ///
    /// If an index is not that of a point, or memory does not suffice.
    #[must_use]
    #[track_caller]
    pub fn neighbors_of_indices(&self, indices: &[usize]) -> NeighborLists {
        let buckets = &self.cells.levels[0].buckets;
        let queries = in_order(buckets.indices(), indices);
        let slots = queries.iter().map(|query| query.0 as usize);
        let points: Vec<V::Array> = slots.map(buckets.points()).collect();
        let mut near = NeighborLists::new();
        // Sort these points into the cells, and list their neighbors as if they were other points.
        let sorted = <V::Array as Kernels>::sort(&self.cells, &points, false);
        let made = sorted.and_then(|some| {
            let number = |place: &u32| queries[*place as usize].1;
            let numbers: Vec<u32> = some.indices().iter().map(number).collect();
            <V::Array as Kernels>::lists_of(&self.cells, &some, &numbers, &mut near)
        });
        or_panic(Self::NAME, made);
        near
    }

    /// The number of pairs in each bin of distances. A bin has the distances beyond the end of the bin before, up
    /// to its own end; the first bin begins with 0, which it includes.
    ///
    /// ```
    /// use orthant::{CellList, glam::Vec3};
    /// let cells = CellList::new(&[Vec3::ZERO, Vec3::X, Vec3::X * 3.0], 2.0);
    /// assert_eq!(cells.pair_counts(&[0.5, 1.0, 2.0])?, [0, 1, 1]);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the ends do not increase from 0 to at most the radius, or memory does not suffice ([`Error::OutOfMemory`]).
    pub fn pair_counts(&self, ends: &[V::Scalar]) -> Result<Vec<u64>, Error> {
        self.count_in_bins(None, ends)
    }

    /// Counts pairs of points or, with `others`, of a point and another, in each bin of distances. Refuses ends that do not increase from 0 to
    /// at most the radius.
    fn count_in_bins(&self, others: Option<&[V]>, ends: &[V::Scalar]) -> Result<Vec<u64>, Error> {
        let mut before = None;
        for (bin, &end) in ends.iter().enumerate() {
            let increases = before.map_or(end >= V::Scalar::ZERO, |before| end > before);
            if !(increases && end <= self.radius()) {
                return Err(Error::BinEnd {
                    bin,
                    end: end.into(),
                });
            }
            before = Some(end);
        }
        let queries = others.map(|others| self.sorted(others)).transpose()?;
        Kernels::count_in_bins(&self.cells, queries.as_ref(), ends)
    }
}

/// Pairs of a point of the list and another point: O(n + answer) for evenly spread points, O(n²) at worst, where n counts
/// the points of both sets.
impl<V: Vector> CellList<V> {
    /// The neighbors of other points: list `i` holds the points within the radius of other point `i`.
    /// In a periodic box, where the other points are wrapped too, a point comes once for each of its images that is near.
    ///
    /// ```
    /// use orthant::{CellList, glam::Vec3};
    /// let cells = CellList::new(&[Vec3::ZERO, Vec3::X, Vec3::X * 3.0], 1.0);
    /// let near = cells.neighbors_of(&[Vec3::X * 2.0])?;
    /// assert_eq!(near[0], [1, 2]);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a coordinate is infinite or NaN (the error names the item), there are more points than `u32` can
    /// number, or memory does not suffice for the lists ([`Error::OutOfMemory`]).
    pub fn neighbors_of(&self, others: &[V]) -> Result<NeighborLists, Error> {
        let mut near = NeighborLists::new();
        self.neighbors_of_into(others, &mut near)?;
        Ok(near)
    }

    /// Fills lists as [`neighbors_of`](Self::neighbors_of) does, and reuses their memory. If points are refused, the lists stay as
    /// they are; after [`Error::OutOfMemory`] there are none.
    ///
    /// # Errors
    ///
    /// The errors of [`neighbors_of`](Self::neighbors_of).
    pub fn neighbors_of_into(&self, others: &[V], near: &mut NeighborLists) -> Result<(), Error> {
        let queries = self.sorted(others)?;
        <V::Array as Kernels>::lists_of(&self.cells, &queries, queries.indices(), near)
    }

    /// Calls `f` with each pair of a point and another point within the radius: the index of the point,
    /// the index of the other, the displacement from the first to the second, and its square.
    ///
    /// # Errors
    ///
    /// The errors of [`neighbors_of`](Self::neighbors_of).
    ///
    /// ```
    /// use orthant::{CellList, NeighborLists};
    /// let cells = CellList::new(&[[0.0], [1.0], [3.0]], 1.0);
    /// let others = [[2.0], [0.5]];
    /// let mut pairs = Vec::new();
    /// cells.for_each_pair_with(&others, |i, j, displacement, _| pairs.push((i, j, displacement[0])))?;
    /// pairs.sort_by_key(|&(i, j, _)| (i, j));
    /// assert_eq!(pairs, [(0, 1, 0.5), (1, 0, 1.0), (1, 1, -0.5), (2, 0, -1.0)]);
    /// assert_eq!(cells.count_pairs_with(&others)?, 4);
    /// assert_eq!(cells.pair_counts_with(&others, &[0.5, 1.0])?, [2, 2]);
    /// let mut near = NeighborLists::new();
    /// cells.neighbors_of_into(&others, &mut near)?;
    /// assert_eq!(near[1].len(), 2);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    pub fn for_each_pair_with(
        &self,
        others: &[V],
        mut f: impl FnMut(usize, usize, V, V::Scalar),
    ) -> Result<(), Error> {
        let queries = self.sorted(others)?;
        self.each(Some(&queries), |i, j, _, displacement, distance_sq| {
            f(i, j, displacement, distance_sq);
        })
    }

    /// The number of pairs of a point and another point within the radius.
    ///
    /// # Errors
    ///
    /// The errors of [`neighbors_of`](Self::neighbors_of).
    pub fn count_pairs_with(&self, others: &[V]) -> Result<u64, Error> {
        let queries = self.sorted(others)?;
        Kernels::count_pairs(&self.cells, Some(&queries))
    }

    /// The number of pairs of a point and another point in each bin of distances, as
    /// [`pair_counts`](Self::pair_counts) has them.
    ///
    /// # Errors
    ///
    /// The errors of [`pair_counts`](Self::pair_counts) and of [`neighbors_of`](Self::neighbors_of).
    pub fn pair_counts_with(&self, others: &[V], ends: &[V::Scalar]) -> Result<Vec<u64>, Error> {
        self.count_in_bins(Some(others), ends)
    }

    fn sorted(&self, others: &[V]) -> Result<Buckets<V::Array>, Error> {
        <V::Array as Kernels>::sort(&self.cells, &V::arrays(others), true)
    }
}

/// Pairs of points of the list, with their images: O(n + answer) for evenly spread points, O(n²) at worst.
impl<V: Vector> CellList<V> {
    /// Calls `f` with each pair as [`for_each_pair`](Self::for_each_pair) does, and with the image of the second point: the
    /// `S` of ASE and matscipy, for points that are [wrapped](crate::Periodic::wrap) into the box, as the list wraps its own.
    /// Without a periodic box, the image is 0.
    ///
    /// ```
    /// use orthant::{Aabb, CellList, Periodic, glam::{IVec3, Vec3}};
    /// let periodic = Periodic::new(Aabb::new(Vec3::ZERO, Vec3::splat(10.0)));
    /// let points = [Vec3::splat(5.0) - Vec3::X * 4.5, Vec3::splat(5.0) + Vec3::X * 4.5];
    /// let cells = CellList::new_periodic(&points, 1.0, periodic);
    /// cells.for_each_pair_in_images(|i, j, image, displacement, distance_sq| {
    ///     assert_eq!((i, j, image), (0, 1, IVec3::NEG_X));
    ///     assert_eq!(points[j] + periodic.offset(image), points[i] + displacement);
    ///     assert_eq!(distance_sq, 1.0);
    /// });
    /// ```
    pub fn for_each_pair_in_images(&self, f: impl FnMut(usize, usize, V::Voxel, V, V::Scalar)) {
        or_panic(Self::NAME, self.each(None, f));
    }

    /// The neighbors of every point, each with the image in which it is near and the displacement to it. List `i`
    /// has those of point `i`, itself included, sorted by index, and then by image, axis 0 fastest.
    ///
    /// ```
    /// use orthant::{Aabb, CellList, Periodic, glam::{IVec2, Vec2}};
    /// let periodic = Periodic::new(Aabb::new(Vec2::ZERO, Vec2::splat(2.0)));
    /// let cells = CellList::new_periodic(&[Vec2::splat(0.5)], 2.0, periodic);
    /// let near = cells.neighbors_in_images();
    /// let images: Vec<IVec2> = near[0].iter().map(|near| near.image).collect();
    /// assert_eq!(images, [IVec2::NEG_Y, IVec2::NEG_X, IVec2::ZERO, IVec2::X, IVec2::Y]);
    /// assert_eq!(near[0][1].displacement, Vec2::new(-2.0, 0.0));
    /// ```
    #[must_use]
    pub fn neighbors_in_images(&self) -> Lists<NeighborInImage<V>> {
        // Each point is its own neighbor.
        let own = |index| NeighborInImage {
            index,
            image: Voxel::from_fn(|_| 0),
            displacement: V::splat(V::Scalar::ZERO),
            distance_sq: V::Scalar::ZERO,
        };
        let mut lists: Vec<_> = (0..self.len()).map(|index| vec![own(index)]).collect();
        // List each pair from both ends.
        let listed = self.each(None, |i, j, image, displacement, distance_sq| {
            lists[i].push(NeighborInImage {
                index: j,
                image,
                displacement,
                distance_sq,
            });
            lists[j].push(NeighborInImage {
                index: i,
                image: Voxel::from_fn(|axis| -image.axis(axis)),
                displacement: V::from_fn(|axis| V::Scalar::ZERO - displacement.axis(axis)),
                distance_sq,
            });
        });
        or_panic(Self::NAME, listed);
        for list in &mut lists {
            list.sort_unstable_by(|a, b| {
                let order = a.index.cmp(&b.index);
                order.then_with(|| by_image(&a.image, &b.image))
            });
        }
        lists.into_iter().collect()
    }
}

/// A neighbor in a periodic box, as [`CellList::neighbors_in_images`] lists it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NeighborInImage<V: Vector> {
    /// The index of the point that is near.
    pub index: usize,
    /// The image that is near: the point moved by [`Periodic::offset`](crate::Periodic::offset) of this.
    pub image: V::Voxel,
    /// The vector from the query point to the image of its neighbor.
    pub displacement: V,
    /// The squared length of the displacement.
    pub distance_sq: V::Scalar,
}

impl<V: Vector> Listed for NeighborInImage<V> {
    type Key = Self;

    #[inline(always)]
    fn key(self) -> Self {
        self
    }
}
