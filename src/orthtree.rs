//! The tree that is built once from all its items: quadtree and octree.
//!
//! Building divides the items at medians until at most sixteen are left, and stores them in that order in blocks of sixteen; all blocks but
//! the last are full ([`median_order`]). A node stores the smallest box around its items, but no cell: cuts decide where an item is stored,
//! comparisons of coordinates decide every answer.
//!
//! Boxes and items lie in columns of sixteen, so that one pass of vector instructions compares sixteen of them with a region. Since leaves
//! are full, the place of each box follows from the number of items. Nodes and searches are those of [`wide_nodes`](crate::wide_nodes).

mod bounds;
pub(crate) mod build;
mod find_median;
mod median_order;
mod neighbors;
mod query;
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
pub(crate) use build::{order, order_of_points};
pub(crate) use median_order::before;
pub(crate) use neighbors::QueryPoints;
pub(crate) use neighbors::clusters::Shift;
use neighbors::{clusters, extremes, in_columns, k_nearest, lists, pair_counts};
pub use saved::SavedOrthtree;

/// A tree of points in the plane, built at once. Like the quadtree of Finkel and Bentley (1974), it cuts the plane where the points are,
/// not in the middle of cells: see [`Orthtree`].
pub type Quadtree = Orthtree<Vec2>;
/// A tree of points in space, built at once. It cuts space where the points are, not in the middle of cells: see [`Orthtree`].
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

/// A static tree of points, boxes or spheres in 1 to 4 dimensions, built at once from a slice. The key of an item is its index in the
/// slice.
///
/// The order of answers depends only on the input, not on the machine.
///
/// Four levels of cuts make the sixteen children of a node. Each cut lies near the median of the axis on which the items are spread widest,
/// as in the k-d tree of Friedman, Bentley and Finkel (1977). So all leaves are equally deep and hold sixteen items, however unevenly these
/// are spread and however many coincide. Cells are not cubes and are not stored; a node stores the smallest box around its items.
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
    /// The items by slot, if they cannot be made from columns; empty otherwise.
    whole: Vec<T>,
}

shown_as!(
    impl[T: Bounded] Orthtree<T> as "Orthtree",
    |this| items: this.len(), bounds: this.bounds()
);

impl<T: Bounded> Orthtree<T> {
    or_panics! {
        /// Builds the tree from copies of the items.
        Orthtree: new = try_new(items: &[T]) where T: Clone + Sync
    }

    /// Builds the tree from copies of the items. With the feature `rayon` it uses several threads; the tree is the same.
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
        let mut tree = Self::default();
        tree.rebuild(items)?;
        Ok(tree)
    }

    /// Replaces all items and rebuilds the tree, in the memory that it has if that suffices.
    ///
    /// # Errors
    ///
    /// If [`try_new`](Self::try_new) would return one; the tree then stays as it was.
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
        if let Err(index) = <ArrayOf<T>>::build(&mut self.core, &build::source(items)) {
            check_item(&items[index]).map_err(|error| Error::Item { index, error })?;
        }
        self.whole.clear();
        if T::FROM_PARTS.is_none() {
            let indices = &self.core.indices[..items.len()];
            let items = indices.iter().map(|&index| items[index as usize].clone());
            self.whole.extend(items);
        }
        Ok(())
    }
}

/// Builds the tree as [`new`](Orthtree::new) does, and panics where it does.
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

    /// Returns true if there are no items.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.core.len == 0
    }

    /// The item with an index in the slice; `None` if there is none. Points, boxes and spheres are made from the tree's columns, bit for
    /// bit; other items are lent. There is no `Index`, because it would have to lend all items.
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

    /// All items with their indices, in the tree's order, in which items that are close to each other lie together.
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
    /// O(n) time and memory.
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
        if let Some(from_parts) = T::FROM_PARTS {
            let extent = self.core.items.get(slot as usize);
            return Held::Made(from_parts(extent.core.cast(), extent.most));
        }
        Held::Kept(&self.whole[slot as usize])
    }

    /// A box around all items, which is the smallest one for points and boxes; `None` if there are no items.
    #[must_use]
    pub fn bounds(&self) -> Option<Aabb<T::Vector>> {
        let root = self.core.extent(self.core.root()?);
        Some(root.core.grown(root.most).cast())
    }

    /// The memory of the tree, in bytes: 18 for each point of three `f32`.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.core.bytes() + self.whole.capacity() * size_of::<T>()
    }

    /// Chooses the instruction set of searches, for measurements and tests: answers do not depend on it.
    #[doc(hidden)]
    #[must_use]
    pub fn with_instructions(mut self, instructions: InstructionSet) -> Self {
        self.core.instructions = instructions;
        self
    }
}

/// An empty tree, to be [rebuilt](Orthtree::rebuild).
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
        // The list of indices ends with padding, even in an empty tree.
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
        /// Rebuilds a tree in its memory; the error is the index of the first item that is refused.
        fn build(tree: &mut Tree<Self>, source: &Source<'_, Self>) -> Result<(), usize> = build::build;

        /// The order that a tree gives to points, all of which must be finite.
        fn order(points: &[Self], instructions: InstructionSet) -> Vec<u32> = build::order_of_points;

        /// Finds the nearest items of the query points at some places, the first of which begins a block.
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

        /// Counts, for each limit, the pairs whose squared distance is at most the limit.
        fn count_pairs(tree: &Tree<Self>, of: &Tree<Self>, limits: &[Self::Scalar]) -> Result<Vec<u64>, Error> = pair_counts::count;

        /// Adds, for each limit, the products of the weights of these pairs.
        fn weigh_pairs<'a>(
            tree: &Tree<Self>,
            of: &Tree<Self>,
            limits: &[Self::Scalar],
            weights: [&'a [f64]; 2],
        ) -> Result<Vec<f64>, Error> = pair_counts::weigh;

        /// Finds the closest pair of two trees, or of one tree; returns `first` if no pair comes before it.
        fn closest_pair(
            tree: &Tree<Self>,
            of: &Tree<Self>,
            is_same: bool,
            first: Ranked<Self::Scalar, (u32, u32)>,
        ) -> Ranked<Self::Scalar, (u32, u32)> = extremes::closest;

        /// Finds the point of `of` whose nearest point in `tree` is farthest; returns `first` if no point is farther.
        fn farthest_point(
            tree: &Tree<Self>,
            of: &Tree<Self>,
            nearest_sq: &(dyn Fn(Self) -> Self::Scalar + Sync),
            first: Ranked<Self::Scalar, Reverse<u32>>,
        ) -> Ranked<Self::Scalar, Reverse<u32>> = extremes::farthest;

        /// Groups points into connected components or clusters.
        fn groups(
            tree: &Tree<Self>,
            radius: Self::Scalar,
            min_points: usize,
            shifts: &[Shift<Self>],
        ) -> Groups = clusters::groups;
    }
}
