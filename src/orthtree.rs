//! The immutable tree.
//!
//! Items are divided at medians until at most sixteen are left, and lie in that order in blocks of sixteen, all of which are full
//! but the last ([`median_order`]). A node stores no cell, only the tight box around what it holds: cuts decide where things are
//! kept, comparisons of coordinates decide every answer.
//!
//! Sixteen boxes lie in columns, and so do sixteen items, so that one pass of vector instructions tells which of them a ball
//! reaches. Since leaves are full, where each box lies follows from the number of items. Nodes and searches are those of
//! [`wide_nodes`](crate::wide_nodes).

mod ask;
mod bounds;
pub(crate) mod build;
mod find_median;
mod lent;
mod median_order;
mod median_partition;
mod neighbors;
mod saved;
mod validate;

use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::ops::{ControlFlow, Deref, Range};

use glam::{DVec2, DVec3, Vec2, Vec3};

use crate::error::{Error, or_panics, shown_as};
use crate::groups::Groups;
use crate::kernels::kernels;
use crate::lists::NeighborLists;
use crate::nearest::{Ranked, Rows};
use crate::overlap::{check_count, check_item};
use crate::query::{Held, Hierarchy};
use crate::shape::{Aabb, ArrayOf, Bounded};
use crate::simd::InstructionSet;
use crate::vector::assert_structure;
use crate::wide_nodes::Tree;
use build::Source;
pub(crate) use build::order;
pub use lent::SavedOrthtree;
pub(crate) use median_order::before;
pub(crate) use neighbors::QueryPoints;
pub(crate) use neighbors::clusters::Shift;
use neighbors::{clusters, extremes, in_columns, k_nearest, lists, pair_counts};

/// A tree of points of the plane, built at once. Like Finkel and Bentley's quadtree (1974) it divides the plane where the points
/// are, and not at the middle of cells: see [`Orthtree`].
pub type Quadtree = Orthtree<Vec2>;
/// A tree of points of space, built at once. It divides space where the points are, and not at the middle of cells: see [`Orthtree`].
pub type Octree = Orthtree<Vec3>;
/// A [`Quadtree`] in double precision. Enable the feature `f64` where it is used: without it your program compiles the inner loops
/// of double precision itself, again at each edit, as for a [`DOctree`].
///
/// ```
/// use orthant::{DQuadtree, glam::DVec2};
/// assert_eq!(DQuadtree::new(&[DVec2::ZERO, DVec2::X]).nearest(DVec2::X).unwrap().item, 1);
/// ```
pub type DQuadtree = Orthtree<DVec2>;
/// An [`Octree`] in double precision. Enable the feature `f64` where it is used: without it your program compiles the inner loops
/// of double precision itself, which takes 16 to 22 seconds at each edit.
///
/// ```
/// use orthant::{DOctree, glam::DVec3};
/// assert_eq!(DOctree::new(&[DVec3::ZERO, DVec3::X]).nearest(DVec3::X).unwrap().item, 1);
/// ```
pub type DOctree = Orthtree<DVec3>;

/// A tree built at once from a slice of points, boxes or spheres, in 1 to 4 dimensions; it cannot
/// be changed. Items are named by their index in the slice.
///
/// Answers come in an order that is the same for the same input, whatever the machine.
///
/// Each node has sixteen children, by four cuts in a row: each at the median of the axis on which the items are spread widest, as in
/// the k-d tree of Friedman, Bentley and Finkel (1977). So all leaves are equally deep and hold sixteen items, however unevenly
/// these are spread and however many lie in one place. Cells are not cubes, and are not stored: a node knows the
/// smallest box around its items.
///
/// ```
/// use orthant::{Aabb, Octree, Orthtree, Sphere, glam::Vec3};
/// let points = [Vec3::ZERO, Vec3::ONE, Vec3::X];
/// let tree = Octree::new(&points);
/// let mut near: Vec<_> = tree.query(Sphere::new(Vec3::ZERO, 1.0)).collect();
/// near.sort();
/// assert_eq!(near, [0, 2]);
/// let boxes = Orthtree::new(&[Aabb::new([0.0, 0.0], [2.0, 2.0])]);
/// assert_eq!(boxes.count(Sphere::new([3.0, 1.0], 1.0)), 1); // touching counts
/// ```
#[derive(Clone)]
pub struct Orthtree<T: Bounded> {
    core: Tree<ArrayOf<T>>,
    /// Items that are more than points, boxes and balls, by slot.
    whole: Vec<T>,
}

shown_as!(
    impl[T: Bounded] Orthtree<T> as "Orthtree",
    |this| items: this.len(), bounds: this.bounds()
);

impl<T: Bounded> Orthtree<T> {
    or_panics! {
        /// Builds the tree; the items are copied.
        Orthtree: new = try_new(items: &[T]) where T: Clone + Sync
    }

    /// Builds the tree; the items are copied. On several threads with the feature `rayon`, the tree
    /// being the same.
    ///
    /// # Errors
    ///
    /// If a coordinate is infinite or NaN (the error names the item), or there are more items than
    /// `u32` can number.
    /// Distances outside [`safe_lengths`](crate::safe_lengths) are no error, though their squares overflow or lose digits.
    ///
    /// # Complexity
    ///
    /// O(n log n).
    pub fn try_new(items: &[T]) -> Result<Self, Error>
    where
        T: Clone + Sync,
    {
        let mut tree = Self {
            core: Tree::of_len(T::LAYOUT, 0),
            whole: Vec::new(),
        };
        tree.rebuild(items)?;
        Ok(tree)
    }

    /// Builds the tree of other items in its place, in the memory that it has where that is enough.
    ///
    /// # Errors
    ///
    /// Where [`try_new`](Self::try_new) returns one; the tree stays as it was.
    ///
    /// # Complexity
    ///
    /// O(n log n).
    ///
    /// ```
    /// use orthant::{Octree, Sphere, glam::Vec3};
    /// let mut tree = Octree::new(&[Vec3::ZERO, Vec3::X]);
    /// tree.rebuild(&[Vec3::Y, Vec3::Z, Vec3::ZERO])?;
    /// assert_eq!(tree.count(Sphere::new(Vec3::Y, 0.5)), 1);
    /// assert!(tree.rebuild(&[Vec3::NAN]).is_err());
    /// assert_eq!(tree.len(), 3); // as it was
    /// # Ok::<(), orthant::Error>(())
    /// ```
    pub fn rebuild(&mut self, items: &[T]) -> Result<(), Error>
    where
        T: Clone + Sync,
    {
        const { assert_structure::<T::Vector>() }
        check_count(items.len())?;
        let source = Source::new(items);
        if let Err(index) = <ArrayOf<T>>::build(&mut self.core, &source) {
            check_item(&items[index]).map_err(|error| Error::Item { index, error })?;
        }
        self.whole.clear();
        if !T::FROM_PARTS {
            let indices = &self.core.indices[..items.len()];
            let items = indices.iter().map(|&index| items[index as usize].clone());
            self.whole.extend(items);
        }
        Ok(())
    }
}

/// The tree of [`new`](Orthtree::new), which panics likewise.
///
/// ```
/// use orthant::{Quadtree, glam::Vec2};
/// let tree: Quadtree = (0..9).map(|i| Vec2::splat(i as f32)).collect();
/// assert_eq!(tree.nearest(Vec2::splat(6.8)).unwrap().item, 7);
/// ```
impl<T: Bounded + Clone + Sync> FromIterator<T> for Orthtree<T> {
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::new(&items.into_iter().collect::<Vec<_>>())
    }
}

impl<T: Bounded> Orthtree<T> {
    /// The number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.core.len
    }

    /// Returns true if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.core.len == 0
    }

    /// The item of an index in the slice; `None` behind the last one. It is lent, not copied, where the tree
    /// keeps it as it is, and otherwise made from the tree's columns, bit for bit: so there is no indexing,
    /// which would have to lend all.
    ///
    /// # Complexity
    ///
    /// O(n): use [`iter`](Self::iter) for many items.
    ///
    /// ```
    /// use orthant::{Octree, glam::Vec3};
    /// let tree = Octree::new(&[Vec3::X, Vec3::Y]);
    /// assert_eq!(*tree.get(1).unwrap(), Vec3::Y);
    /// assert!(tree.get(2).is_none());
    /// ```
    #[must_use]
    pub fn get(&self, index: usize) -> Option<impl Deref<Target = T>> {
        let indices = &self.core.indices[..self.core.len];
        let slot = indices.iter().position(|&i| i as usize == index)?;
        Some(self.item(slot as u32))
    }

    /// All items with their indices, in the tree's order: what is near lies together.
    ///
    /// # Complexity
    ///
    /// O(n) for all.
    ///
    /// ```
    /// use orthant::{Octree, Orthtree, glam::Vec3};
    /// let points = [Vec3::X, Vec3::Y, Vec3::Z];
    /// let tree = Octree::new(&points);
    /// assert_eq!(tree.iter().len(), 3);
    /// assert!(tree.iter().all(|(index, point)| *point == points[index]));
    /// ```
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (usize, impl Deref<Target = T>)> {
        let indices = self.core.indices[..self.core.len].iter();
        let items = indices.enumerate();
        items.map(|(slot, &index)| (index as usize, self.item(slot as u32)))
    }

    /// All items, in the order of the slice that the tree was built from.
    ///
    /// # Complexity
    ///
    /// O(n), with a list of as many.
    ///
    /// ```
    /// use orthant::{Aabb, Orthtree};
    /// let boxes = [Aabb::new([0.0], [1.0]), Aabb::new([-5.0], [2.0])];
    /// assert_eq!(Orthtree::new(&boxes).items(), boxes);
    /// ```
    #[must_use]
    pub fn items(&self) -> Vec<T>
    where
        T: Clone,
    {
        let mut slots = vec![0; self.core.len];
        for (slot, &index) in (0..).zip(&self.core.indices[..self.core.len]) {
            slots[index as usize] = slot;
        }
        slots
            .iter()
            .map(|&slot| T::clone(&self.item(slot)))
            .collect()
    }

    /// The item in a slot.
    #[inline]
    fn item(&self, slot: u32) -> Held<'_, T> {
        let parts = T::FROM_PARTS.then(|| self.core.items.get(slot as usize));
        let made = parts.and_then(|extent| T::from_parts(extent.core.cast(), extent.most));
        match made {
            Some(item) => Held::Made(item),
            None => Held::Kept(&self.whole[slot as usize]),
        }
    }

    /// A box around all items, of points and boxes the smallest; `None` where there are none.
    #[must_use]
    pub fn bounds(&self) -> Option<Aabb<T::Vector>> {
        let root = self.core.extent(self.core.root()?);
        Some(root.core.grown(root.most).cast())
    }

    /// The memory it takes, in bytes: for points of three `f32`, 18 a point.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.core.bytes() + self.whole.capacity() * size_of::<T>()
    }

    /// Chooses the vector instructions of searches: for measurements and tests, since answers do
    /// not depend on it.
    #[doc(hidden)]
    #[must_use]
    pub fn with_instructions(mut self, instructions: InstructionSet) -> Self {
        self.core.instructions = instructions;
        self
    }
}

/// A tree of no items, to be [rebuilt](Orthtree::rebuild).
///
/// ```
/// use orthant::{Octree, glam::Vec3};
/// let mut tree = Octree::default();
/// assert!(tree.is_empty());
/// tree.rebuild(&[Vec3::X])?;
/// assert_eq!(tree.len(), 1);
/// # Ok::<(), orthant::Error>(())
/// ```
impl<T: Bounded> Default for Orthtree<T> {
    fn default() -> Self {
        const { assert_structure::<T::Vector>() }
        let mut core = Tree::of_len(T::LAYOUT, 0);
        // Sixteen indices can be read from the last one.
        core.indices = vec![0; build::padded(0)].into();
        Self {
            core,
            whole: Vec::new(),
        }
    }
}

kernels! {
    /// The work of an [`Orthtree`](crate::Orthtree).
    pub trait Kernels {
        /// Builds a tree in the memory of an old one, or names the item that is refused.
        fn build(tree: &mut Tree<Self>, source: &Source<'_, Self>) -> Result<(), usize> = build::build;

        /// Checks nodes and indices that come from elsewhere.
        fn check(tree: &Tree<Self>) -> Result<(), &'static str> = saved::check;

        /// The order in which a tree has points, all of which are finite.
        fn order(points: &[Self], instructions: InstructionSet) -> Vec<u32> = median_order::order_of_points;

        /// The nearest of the query points at some places, the first of which begins a block.
        fn nearest_rows<'a>(
            tree: &Tree<Self>,
            query: &QueryPoints<'a, Self>,
            wanted: usize,
            with_self: bool,
            places: Range<usize>,
            rows: &mut Rows<Self::Scalar>,
        ) = k_nearest::rows;

        /// Lists the neighbors of query points.
        fn neighbors<'a>(
            tree: &Tree<Self>,
            query: &QueryPoints<'a, Self>,
            radius: Self::Scalar,
            near: &mut NeighborLists,
        ) -> Result<(), Error> = lists::fill_lists;

        /// Visits each query point's neighbors; with `later`, each pair once.
        fn visit_neighbors<'a>(
            tree: &Tree<Self>,
            query: &QueryPoints<'a, Self>,
            radius: Self::Scalar,
            later: bool,
            visit: &mut dyn FnMut(usize, &[u32]) -> ControlFlow<()>,
        ) -> ControlFlow<()> = lists::visit_lists;

        /// Counts the pairs whose squared distances are up to each limit.
        fn count_pairs(tree: &Tree<Self>, of: &Tree<Self>, limits: &[Self::Scalar]) -> Vec<u64> = pair_counts::count;

        /// Adds the products of the weights of such pairs.
        fn weigh_pairs<'a>(
            tree: &Tree<Self>,
            of: &Tree<Self>,
            limits: &[Self::Scalar],
            weights: [&'a [f64]; 2],
        ) -> Vec<f64> = pair_counts::weigh;

        /// The closest pair of two trees, or of one and itself, if it is before another.
        fn closest_pair(
            tree: &Tree<Self>,
            of: &Tree<Self>,
            is_same: bool,
            first: Ranked<Self::Scalar, (u32, u32)>,
        ) -> Ranked<Self::Scalar, (u32, u32)> = extremes::closest;

        /// The point that is farthest from the nearest of another tree, if it is farther than another.
        fn farthest_point(
            tree: &Tree<Self>,
            of: &Tree<Self>,
            nearest_sq: &(dyn Fn(Self) -> Self::Scalar + Sync),
            first: Ranked<Self::Scalar, Reverse<u32>>,
        ) -> Ranked<Self::Scalar, Reverse<u32>> = extremes::farthest;

        /// Groups the points.
        fn groups(
            tree: &Tree<Self>,
            radius: Self::Scalar,
            min_points: usize,
            shifts: &[Shift<Self>],
        ) -> Groups = clusters::groups;
    }
}
