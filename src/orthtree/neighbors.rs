//! Searches for all points of a tree at once, in this tree or in another.
//!
//! Sixteen points that lie together go down the tree as one group ([`descent`]). Each file answers one question from the nodes and leaves
//! around the group:
//!
//! | file | question |
//! |---|---|
//! | [`lists`] | the neighbors of each point: candidates are packed once ([`gather`]), and each point compares them |
//! | [`k_nearest`] | the `n` nearest of each point, from such candidates |
//! | [`pair_counts`] | how many pairs lie within each radius, and the sums of their weights |
//! | [`extremes`] | the closest pair, and the Hausdorff distance |
//! | [`clusters`] | connected components, and clusters by density |
//!
//! This is the dual-tree search of A. G. Gray and A. W. Moore ("N-body problems in statistical learning", 2000) with blocks of sixteen
//! points in place of the second tree.

pub(super) mod clusters;
mod descent;
pub(super) mod extremes;
mod gather;
pub(super) mod k_nearest;
pub(super) mod lists;
pub(super) mod pair_counts;

use alloc::vec::Vec;
use core::ops::ControlFlow;

use super::{Kernels, Orthtree};
use crate::error::{Error, or_panic};
use crate::lists::{List, NeighborLists, in_order};
use crate::overlap::columns::{Columns, all, point, set_point};
use crate::shape::{ArrayOf, Bounded, ScalarOf};
use crate::simd::LANES;
use crate::vector::{Scalar, Vector};
use crate::wide_nodes::Tree;

/// The neighbors of all points of a tree of points.
impl<T: Bounded> Orthtree<T> {
    /// Calls `f` with each point and all points within a radius of it, itself included, until it breaks. The order of the points, and that
    /// of their neighbors, depends only on the points and the radius. A negative or NaN radius reaches nothing.
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
        self.visit_near(self, radius, false, f)
    }

    /// Calls `f` with each point and the points within a radius of it that follow it in the tree's order, until `f` breaks. So each pair of
    /// points comes once; either point may have the lower index. This takes 0.6 of the time of [`visit_neighbors`](Self::visit_neighbors).
    /// The order depends only on the points and the radius; a negative or NaN radius reaches nothing.
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
    /// The cost of [`visit_neighbors`](Self::visit_neighbors).
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

    /// The neighbors of every point: list `i` holds the points within a radius of point `i`, itself included, in the order of
    /// [`visit_neighbors`](Self::visit_neighbors). With the feature `rayon` it runs on several threads.
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
    /// If memory does not suffice.
    #[must_use]
    #[track_caller]
    pub fn neighbors(&self, radius: ScalarOf<T>) -> NeighborLists
    where
        T: Vector,
    {
        self.neighbors_of(self, radius)
    }

    /// Fills lists with the [`neighbors`](Self::neighbors) of every point, in the memory that the lists have. This saves the time in which
    /// the system clears new memory for a large answer: a fifth, on two threads more.
    ///
    /// ```
    /// use orthant::{NeighborLists, Octree, glam::Vec3};
    /// let (mut tree, mut near) = (Octree::new(&[Vec3::ZERO, Vec3::X]), NeighborLists::new());
    /// for step in [1.0, 2.0] {
    ///     tree.rebuild(&[Vec3::ZERO, Vec3::X * step]).unwrap();
    ///     tree.neighbors_into(1.0, &mut near)?;
    /// }
    /// assert_eq!(near[1], [1]);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`]; there are no lists then.
    pub fn neighbors_into(&self, radius: ScalarOf<T>, near: &mut NeighborLists) -> Result<(), Error>
    where
        T: Vector,
    {
        self.neighbors_of_into(self, radius, near)
    }

    /// The neighbors of some of the points: list `i` holds the points within a radius of the point `indices[i]`, itself included, in an
    /// order that depends only on the points, the radius and the indices. An index may come more than once.
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
    /// O(n), less than a nanosecond for each point, and the cost of [`neighbors`](Self::neighbors) for as many points as there are indices.
    #[must_use]
    #[track_caller]
    pub fn neighbors_of_indices(&self, indices: &[usize], radius: ScalarOf<T>) -> NeighborLists
    where
        T: Vector,
    {
        let slots = in_order(self.order().as_slice(), indices);
        let numbers: Vec<u32> = slots.iter().map(|&(_, number)| number).collect();
        let items = &self.core.items.points;
        let points = in_columns::<ArrayOf<T>, _>(&slots, |&(slot, _)| {
            point(&items[slot as usize / LANES], slot as usize % LANES)
        });
        let query = QueryPoints {
            points: &points,
            numbers: &numbers,
        };
        let mut near = NeighborLists::new();
        let filled = <ArrayOf<T>>::neighbors(&self.core, &query, radius, &mut near);
        or_panic("Orthtree", filled);
        near
    }
}

/// The neighbors of all points of another tree.
impl<T: Bounded> Orthtree<T> {
    /// Calls `f` with each point of another tree and all points of this one within a radius of it, until `f` breaks. A point without
    /// neighbors comes with an empty list. The order depends only on the points and the radius; a negative or NaN radius reaches nothing.
    ///
    /// ```
    /// use core::ops::ControlFlow;
    /// use orthant::{Octree, glam::Vec3};
    /// let (stars, ships) = ([Vec3::ZERO, Vec3::X], [Vec3::X * 2.0]);
    /// let mut pairs = Vec::new();
    /// let _ = Octree::new(&stars).visit_neighbors_of(&Octree::new(&ships), 1.0, |ship, near| {
    ///     pairs.extend(near.iter().map(|star| (ship, star)));
    ///     ControlFlow::<()>::Continue(())
    /// });
    /// assert_eq!(pairs, [(0, 1)]);
    /// ```
    ///
    /// # Complexity
    ///
    /// O(m log n + answer) for `m` points of the other tree that are spread evenly about each other, O(m n) at worst.
    pub fn visit_neighbors_of<B>(
        &self,
        others: &Self,
        radius: ScalarOf<T>,
        f: impl FnMut(usize, List<'_, u32>) -> ControlFlow<B>,
    ) -> ControlFlow<B>
    where
        T: Vector,
    {
        self.visit_near(others, radius, false, f)
    }

    fn visit_near<B>(
        &self,
        others: &Self,
        radius: ScalarOf<T>,
        later: bool,
        mut f: impl FnMut(usize, List<'_, u32>) -> ControlFlow<B>,
    ) -> ControlFlow<B>
    where
        T: Vector,
    {
        let mut broken = ControlFlow::Continue(());
        let mut visit = |point, near: &[u32]| {
            broken = f(point, List::of(near));
            if broken.is_break() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let query = QueryPoints::of(&others.core);
        let _ = <ArrayOf<T>>::visit_neighbors(&self.core, &query, radius, later, &mut visit);
        broken
    }

    /// The neighbors of every point of another tree: list `i` holds the points of this tree within a radius of the point `i` of the other,
    /// in the order of [`visit_neighbors_of`](Self::visit_neighbors_of). With the feature `rayon` it runs on several threads.
    ///
    /// ```
    /// use orthant::{Octree, glam::Vec3};
    /// let (stars, ships) = ([Vec3::ZERO, Vec3::X], [Vec3::X * 2.0, Vec3::Y * 5.0]);
    /// let near = Octree::new(&stars).neighbors_of(&Octree::new(&ships), 1.0);
    /// assert_eq!((&near[0], near[1].len()), (&[1][..], 0));
    /// ```
    ///
    /// # Complexity
    ///
    /// The cost of [`visit_neighbors_of`](Self::visit_neighbors_of).
    ///
    /// # Panics
    ///
    /// If memory does not suffice.
    #[must_use]
    #[track_caller]
    pub fn neighbors_of(&self, others: &Self, radius: ScalarOf<T>) -> NeighborLists
    where
        T: Vector,
    {
        let mut near = NeighborLists::new();
        or_panic(
            "Orthtree",
            self.neighbors_of_into(others, radius, &mut near),
        );
        near
    }

    /// Fills lists with the neighbors of another tree's points, as [`neighbors_of`](Self::neighbors_of) does, in the memory that the lists
    /// have.
    ///
    /// ```
    /// use orthant::{NeighborLists, Octree, glam::Vec3};
    /// let (tree, others) = (Octree::new(&[Vec3::X]), Octree::new(&[Vec3::ZERO]));
    /// let mut near = NeighborLists::new();
    /// for (radius, many) in [(0.5, 0), (1.0, 1)] {
    ///     tree.neighbors_of_into(&others, radius, &mut near)?;
    ///     assert_eq!(near[0].len(), many);
    /// }
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`]; there are no lists then.
    pub fn neighbors_of_into(
        &self,
        others: &Self,
        radius: ScalarOf<T>,
        near: &mut NeighborLists,
    ) -> Result<(), Error>
    where
        T: Vector,
    {
        let query = QueryPoints::of(&others.core);
        <ArrayOf<T>>::neighbors(&self.core, &query, radius, near)
    }
}

/// Points whose neighbors are searched, in blocks of sixteen that lie close together.
#[derive(Clone, Copy, Debug)]
pub struct QueryPoints<'a, A: Vector> {
    pub(crate) points: &'a [Columns<A>],
    /// The number of each point's list, which is its index if it is a point of a tree.
    pub(crate) numbers: &'a [u32],
}

impl<'a, A: Vector> QueryPoints<'a, A> {
    /// The points of a tree.
    pub(super) fn of(tree: &'a Tree<A>) -> Self {
        Self {
            points: &tree.items.points,
            numbers: &tree.indices[..tree.len],
        }
    }
}

/// Packs points into blocks of sixteen; `point` gives the point of an entry.
pub(super) fn in_columns<A: Vector, E>(entries: &[E], point: impl Fn(&E) -> A) -> Vec<Columns<A>> {
    let block = |entries: &[E]| {
        let mut columns = all::<A>(A::Scalar::ZERO);
        for (lane, entry) in entries.iter().enumerate() {
            set_point(&mut columns, lane, point(entry));
        }
        columns
    };
    entries.chunks(LANES).map(block).collect()
}
