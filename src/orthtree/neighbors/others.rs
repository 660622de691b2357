//! What is asked of two trees.

use core::ops::ControlFlow;

use crate::lists::{List, NeighborLists};
use crate::orthtree::{Kernels, Orthtree};
use crate::shape::{ArrayOf, Bounded};
use crate::vector::Vector;

type ScalarOf<T> = <<T as Bounded>::Vector as Vector>::Scalar;

/// What is asked of two trees of points.
impl<T: Bounded> Orthtree<T> {
    /// Calls `f` with each point of another tree and all points of this one within a radius of it, until it breaks:
    /// all pairs of the two. Sixteen points that lie together in the other tree go down this one at once, half of the
    /// dual-tree search of A. G. Gray and A. W. Moore ("N-body problems in statistical learning", 2000). A point with
    /// nothing near it comes with no points. The order depends on nothing but the points and the radius; a negative
    /// or NaN radius reaches nothing.
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
        mut f: impl FnMut(usize, List<'_, u32>) -> ControlFlow<B>,
    ) -> ControlFlow<B>
    where
        T: Vector,
    {
        let mut broken = None;
        let mut visit = |point, near: &[u32]| match f(point, List::of(near)) {
            ControlFlow::Continue(()) => ControlFlow::Continue(()),
            ControlFlow::Break(with) => {
                broken = Some(with);
                ControlFlow::Break(())
            }
        };
        let _ = <ArrayOf<T>>::visit_neighbors(&self.core, &others.core, radius, &mut visit);
        broken.map_or(ControlFlow::Continue(()), ControlFlow::Break)
    }

    /// The neighbors of every point of another tree: list `i` holds the points of this tree within a radius of the point
    /// `i` of the other, in the order of [`visit_neighbors_of`](Self::visit_neighbors_of). On several threads with
    /// the feature `rayon`.
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
    /// That of [`visit_neighbors_of`](Self::visit_neighbors_of).
    #[must_use]
    pub fn neighbors_of(&self, others: &Self, radius: ScalarOf<T>) -> NeighborLists
    where
        T: Vector,
    {
        let mut near = NeighborLists::new();
        self.neighbors_of_into(others, radius, &mut near);
        near
    }

    /// The same, in the memory of lists of before.
    ///
    /// ```
    /// use orthant::{NeighborLists, Octree, glam::Vec3};
    /// let (tree, others) = (Octree::new(&[Vec3::X]), Octree::new(&[Vec3::ZERO]));
    /// let mut near = NeighborLists::new();
    /// for (radius, many) in [(0.5, 0), (1.0, 1)] {
    ///     tree.neighbors_of_into(&others, radius, &mut near);
    ///     assert_eq!(near[0].len(), many);
    /// }
    /// ```
    ///
    /// # Complexity
    ///
    /// That of [`visit_neighbors_of`](Self::visit_neighbors_of).
    pub fn neighbors_of_into(&self, others: &Self, radius: ScalarOf<T>, near: &mut NeighborLists)
    where
        T: Vector,
    {
        <ArrayOf<T>>::neighbors(&self.core, &others.core, radius, near);
    }
}
