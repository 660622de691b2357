//! What is asked of trees of points alone: all of them against all.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use crate::error::{Error, or_panic};
use crate::groups::Groups;
use crate::lists::{List, NeighborLists, in_order};
use crate::nearest::NearestLists;
use crate::orthtree::{Kernels, Orthtree, Question, Shift, all_points};
use crate::query::SpatialIndex;
use crate::shape::{ArrayOf, Bounded};
use crate::vector::Vector;

type ScalarOf<T> = <<T as Bounded>::Vector as Vector>::Scalar;

/// What is asked of trees of points alone.
impl<T: Bounded> Orthtree<T> {
    /// Calls `f` with each point and all points within a radius of it, itself included, until it
    /// breaks. The order, of points and of what is near each, depends on nothing but the points and
    /// the radius. A negative or NaN radius reaches nothing.
    ///
    /// Several times faster than a query for each point.
    ///
    /// ```
    /// use core::ops::ControlFlow;
    /// use orthant::{Octree, glam::Vec3};
    /// let tree = Octree::new(&[Vec3::ZERO, Vec3::X, Vec3::X * 3.0]);
    /// let mut pairs = 0;
    /// let _ = tree.visit_neighbors(1.0, |point, near| {
    ///     pairs += near.iter().filter(|&other| other < point).count();
    ///     ControlFlow::<()>::Continue(())
    /// });
    /// assert_eq!(pairs, 1);
    /// ```
    ///
    /// # Complexity
    ///
    /// O(n + answer) for points that are spread evenly about each other, O(n²) at worst.
    pub fn visit_neighbors<B>(
        &self,
        radius: ScalarOf<T>,
        f: impl FnMut(usize, List<'_, u32>) -> ControlFlow<B>,
    ) -> ControlFlow<B>
    where
        T: Vector,
    {
        self.visit_neighbors_of(self, radius, f)
    }

    /// Calls `f` with each point and those points within a radius of it that come after it in the order of the tree, until it
    /// breaks: each pair of points once, in 0.6 of the time of [`visit_neighbors`](Self::visit_neighbors). Either may have
    /// the lower index. The order depends on nothing but the points and the radius; a negative or NaN radius reaches
    /// nothing.
    ///
    /// ```
    /// use core::ops::ControlFlow;
    /// use orthant::{Octree, glam::Vec3};
    /// let tree = Octree::new(&[Vec3::ZERO, Vec3::X, Vec3::X * 3.0]);
    /// let mut pairs = Vec::new();
    /// let _ = tree.visit_pairs(1.0, |point, later| {
    ///     pairs.extend(later.iter().map(|other| [point.min(other), point.max(other)]));
    ///     ControlFlow::<()>::Continue(())
    /// });
    /// assert_eq!(pairs, [[0, 1]]);
    /// ```
    ///
    /// # Complexity
    ///
    /// That of [`visit_neighbors`](Self::visit_neighbors).
    pub fn visit_pairs<B>(
        &self,
        radius: ScalarOf<T>,
        f: impl FnMut(usize, List<'_, u32>) -> ControlFlow<B>,
    ) -> ControlFlow<B>
    where
        T: Vector,
    {
        self.visit_near(self, radius, true, f)
    }

    /// Each point's `n` nearest others, or its `n` nearest with itself among them, by distance, ties by index: list `i` holds
    /// those of point `i`, all where there are fewer. Of points in the same place, one may be missing from its own list where
    /// others have lower indices. On several threads with the feature `rayon`.
    ///
    /// ```
    /// use orthant::{Octree, glam::Vec3};
    /// let tree = Octree::new(&[Vec3::ZERO, Vec3::X, Vec3::X * 3.0]);
    /// let others = tree.nearest_n_of_all(1, false);
    /// assert_eq!((others.items().items(), others.distances_sq(2)), (&[1, 0, 1][..], &[4.0][..]));
    /// assert_eq!(tree.nearest_n_of_all(2, true).items()[2], [2, 1]);
    /// ```
    ///
    /// # Complexity
    ///
    /// O(n · `n`) for points that are spread evenly about each other: sixteen that lie together share their way down, and
    /// what is near them, for `n` up to 31.
    ///
    /// # Panics
    ///
    /// Where [`try_nearest_n_of_all_into`](Self::try_nearest_n_of_all_into) returns an error.
    #[must_use]
    #[track_caller]
    pub fn nearest_n_of_all(&self, n: usize, with_self: bool) -> NearestLists<u32, ScalarOf<T>>
    where
        T: Vector,
    {
        let mut near = NearestLists::new();
        self.nearest_n_of_all_into(n, with_self, &mut near);
        near
    }

    /// The same, in the memory of lists of before.
    ///
    /// ```
    /// use orthant::{NearestLists, Octree, glam::Vec3};
    /// let (mut tree, mut near) = (Octree::new(&[Vec3::ZERO, Vec3::X]), NearestLists::new());
    /// for step in [1.0, 2.0] {
    ///     tree.rebuild(&[Vec3::ZERO, Vec3::X * step]).unwrap();
    ///     tree.nearest_n_of_all_into(1, false, &mut near);
    /// }
    /// assert_eq!(near.distances_sq(1), [4.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where [`try_nearest_n_of_all_into`](Self::try_nearest_n_of_all_into) returns an error.
    #[track_caller]
    pub fn nearest_n_of_all_into(
        &self,
        n: usize,
        with_self: bool,
        near: &mut NearestLists<u32, ScalarOf<T>>,
    ) where
        T: Vector,
    {
        or_panic(
            "Orthtree",
            self.try_nearest_n_of_all_into(n, with_self, near),
        );
    }

    /// Fills lists with the `n` nearest of each point, as [`nearest_n_of_all_into`](Self::nearest_n_of_all_into) does, where
    /// memory may not suffice. No more is asked for than there are points, however large `n` is.
    ///
    /// ```
    /// use orthant::{NearestLists, Octree, glam::Vec3};
    /// let (tree, mut near) = (Octree::new(&[Vec3::ZERO, Vec3::X]), NearestLists::new());
    /// tree.try_nearest_n_of_all_into(usize::MAX, false, &mut near)?;
    /// assert_eq!(near.items().items(), [1, 0]);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// That of [`nearest_n_of_all`](Self::nearest_n_of_all).
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`]; there are no lists then.
    pub fn try_nearest_n_of_all_into(
        &self,
        n: usize,
        with_self: bool,
        near: &mut NearestLists<u32, ScalarOf<T>>,
    ) -> Result<(), Error>
    where
        T: Vector,
    {
        let (order, others) = (self.order().as_slice(), usize::from(!with_self));
        let width = n.min(self.core.len.saturating_sub(others));
        let wanted = n.saturating_add(others);
        if self.shares_nearest(wanted) && width > 0 {
            let asking = all_points(&self.core, n, with_self);
            return near.fill_rows(order.len(), order, width, |places, rows| {
                <ArrayOf<T>>::nearest_rows(&self.core, &asking, places, rows);
            });
        }
        near.fill_rows(order.len(), order, width, |places, rows| {
            for (row, slot) in places.enumerate() {
                let index = order[slot];
                let found = match wanted {
                    0 => Vec::new(),
                    _ => SpatialIndex::nearest_n(self, self.item(slot as u32).core().min(), wanted),
                };
                rows.put_list(row, &found, (!with_self).then_some(index));
            }
        })
    }

    /// The neighbors of every point: list `i` holds the points within a radius of point `i`, itself
    /// included, in the order of [`visit_neighbors`](Self::visit_neighbors). On several threads with
    /// the feature `rayon`.
    ///
    /// ```
    /// use orthant::{Octree, glam::Vec3};
    /// let tree = Octree::new(&[Vec3::ZERO, Vec3::X, Vec3::X * 3.0]);
    /// let near = tree.neighbors(1.0);
    /// assert_eq!(near[2], [2]);
    /// assert_eq!(near[0].len(), 2);
    /// ```
    ///
    /// # Complexity
    ///
    /// O(n + answer) for points that are spread evenly about each other, O(n²) at worst.
    ///
    /// # Panics
    ///
    /// Where [`try_neighbors_into`](Self::try_neighbors_into) returns an error.
    #[must_use]
    #[track_caller]
    pub fn neighbors(&self, radius: ScalarOf<T>) -> NeighborLists
    where
        T: Vector,
    {
        let mut near = NeighborLists::new();
        self.neighbors_into(radius, &mut near);
        near
    }

    /// The same, in the memory of lists of before: a large answer's new memory is cleared by the
    /// system, which takes a fifth of the time, on two threads more.
    ///
    /// ```
    /// use orthant::{NeighborLists, Octree, glam::Vec3};
    /// let (mut tree, mut near) = (Octree::new(&[Vec3::ZERO, Vec3::X]), NeighborLists::new());
    /// for step in [1.0, 2.0] {
    ///     tree.rebuild(&[Vec3::ZERO, Vec3::X * step]).unwrap();
    ///     tree.neighbors_into(1.0, &mut near);
    /// }
    /// assert_eq!(near[1], [1]);
    /// ```
    ///
    /// # Complexity
    ///
    /// That of [`neighbors`](Self::neighbors).
    ///
    /// # Panics
    ///
    /// Where [`try_neighbors_into`](Self::try_neighbors_into) returns an error.
    #[track_caller]
    pub fn neighbors_into(&self, radius: ScalarOf<T>, near: &mut NeighborLists)
    where
        T: Vector,
    {
        self.neighbors_of_into(self, radius, near);
    }

    /// Fills lists with the neighbors of every point, as [`neighbors_into`](Self::neighbors_into) does, where memory may not
    /// suffice.
    ///
    /// ```
    /// use orthant::{NeighborLists, Octree, glam::Vec3};
    /// let (tree, mut near) = (Octree::new(&[Vec3::ZERO, Vec3::X * 3.0]), NeighborLists::new());
    /// tree.try_neighbors_into(1.0, &mut near)?;
    /// assert_eq!(near[1], [1]);
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
    pub fn try_neighbors_into(
        &self,
        radius: ScalarOf<T>,
        near: &mut NeighborLists,
    ) -> Result<(), Error>
    where
        T: Vector,
    {
        self.try_neighbors_of_into(self, radius, near)
    }

    /// The neighbors of some of the points: list `i` holds the points within a radius of the point
    /// `indices[i]`, itself included, in an order that depends on nothing but the points, the radius and the
    /// indices. An index may come more than once.
    ///
    /// ```
    /// use orthant::{Octree, glam::Vec3};
    /// let tree = Octree::new(&[Vec3::ZERO, Vec3::X, Vec3::X * 3.0]);
    /// let near = tree.neighbors_of_indices(&[2, 0], 1.0);
    /// assert_eq!((near.len(), &near[0]), (2, &[2][..]));
    /// assert_eq!(near[1].len(), 2);
    /// ```
    ///
    /// # Panics
    ///
    /// If an index is not that of a point, or memory does not suffice.
    ///
    /// # Complexity
    ///
    /// O(n), less than a nanosecond each, and that of [`neighbors`](Self::neighbors) of so many.
    #[must_use]
    #[track_caller]
    pub fn neighbors_of_indices(&self, indices: &[usize], radius: ScalarOf<T>) -> NeighborLists
    where
        T: Vector,
    {
        let asking = in_order(self.order().as_slice(), indices);
        let mut near = NeighborLists::new();
        let made = <ArrayOf<T>>::neighbors_of(&self.core, &asking, radius, &mut near);
        or_panic("Orthtree", made);
        near
    }

    /// The connected components of the points, where each is connected with all within a radius of it: friends of
    /// friends, in the plain predicate, so that a distance of just the radius connects. Every point is in a group, if
    /// only with itself, as all are where the radius is negative or NaN; an infinite one connects all.
    ///
    /// ```
    /// use orthant::{Octree, glam::Vec3};
    /// let groups = Octree::new(&[Vec3::X * 7.0, Vec3::ZERO, Vec3::X]).components(1.0);
    /// assert_eq!(groups.labels(), [0, 1, 1]);
    /// ```
    ///
    /// # Complexity
    ///
    /// O(n) for points that are spread evenly about each other, however many are within the radius: pairs are not
    /// listed.
    #[must_use]
    pub fn components(&self, radius: ScalarOf<T>) -> Groups
    where
        T: Vector,
    {
        self.grouped(radius, 0, &[])
    }

    /// Clusters by density (DBSCAN): core points, those with at least `min_points` points within the radius, itself
    /// among them, make a cluster with the core points within the radius of them, and so on. A point that is no core
    /// point belongs to the first cluster that has one within the radius of it, and is noise if there is none. Clusters are
    /// numbered by the least index of their core points: the labels are those of scikit-learn.
    ///
    /// Where the radius is negative or NaN, no point is near any, not even itself. With `min_points` 0 every point is a core
    /// point: the clusters are the [`components`](Self::components).
    ///
    /// ```
    /// use orthant::{Quadtree, glam::Vec2};
    /// let points = [0.0, 1.0, 2.0, 3.0, 9.0].map(|x| Vec2::X * x);
    /// let groups = Quadtree::new(&points).dbscan(1.0, 3);
    /// assert_eq!((groups.len(), groups.label(3), groups.label(4)), (1, Some(0), None));
    /// ```
    ///
    /// # Complexity
    ///
    /// O(n · `min_points`) for points that are spread evenly about each other, however many are within the radius:
    /// counting stops where there are enough. On several threads with the feature `rayon`, but for what joins clusters.
    #[must_use]
    pub fn dbscan(&self, radius: ScalarOf<T>, min_points: usize) -> Groups
    where
        T: Vector,
    {
        self.grouped(radius, min_points, &[])
    }

    pub(crate) fn grouped(
        &self,
        radius: ScalarOf<T>,
        least: usize,
        shifts: &[Shift<ArrayOf<T>>],
    ) -> Groups
    where
        T: Vector,
    {
        let question = Question {
            radius,
            least,
            shifts,
        };
        <ArrayOf<T>>::groups(&self.core, question)
    }
}
