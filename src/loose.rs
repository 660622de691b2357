//! A dynamic tree: wide nodes with spare room.
//!
//! A node has up to 64 children, a leaf up to 64 items. Each child has a *box*, which bounds its items and answers queries, and a *cell*,
//! which decides where new items go. The cells of siblings are disjoint and cover the cell of their parent, so each point lies in the cell
//! of exactly one leaf. After a move, or if centers coincide, an item may lie outside the cell of its leaf, but never outside its box.
//! [`tree`] holds the data, [`insert`] inserts, updates and removes, [`split`] divides full groups, [`fill`] loads many items at once.
//!
//! `docs/rejected.md` has the designs that were rejected: grids above nodes (T. Ulrich, "Loose octrees", Game Programming Gems, 2000), nodes of
//! sixteen children, classes of size.

mod fill;
mod insert;
mod items;
mod query;
#[cfg(feature = "serde")]
mod serial;
mod split;
mod tree;
mod validate;

use alloc::vec::{self, Vec};

use core::mem::{replace, size_of};

use glam::{Vec2, Vec3};

use slab::Slab;

use crate::error::{Error, or_panic};
use crate::handle::Handle;
use crate::kernels::kernels;
use crate::overlap::{Extent, check_from};
use crate::query::Hierarchy;
use crate::shape::{Aabb, ArrayOf, Bounded, Sphere};
use crate::simd::InstructionSet;
use crate::vector::{Vector, assert_structure};
use tree::LooseTree;

/// A dynamic quadtree; its items are circles by default.
pub type LooseQuadtree<T = Sphere<Vec2>> = LooseOrthtree<T>;
/// A dynamic octree; its items are spheres by default.
pub type LooseOctree<T = Sphere<Vec3>> = LooseOrthtree<T>;

/// A dynamic tree of spheres, boxes or points in 1 to 4 dimensions. Items are inserted, moved and removed by handle, and may lie anywhere.
///
/// Queries return handles. Their order depends on the tree's history; the set does not.
///
/// ```
/// use orthant::{LooseOctree, Sphere, glam::Vec3};
/// let mut tree = LooseOctree::new();
/// let ball = tree.insert(Sphere::new(Vec3::ZERO, 1.0));
/// let probe = Sphere::new(Vec3::new(9.0, 0.0, 0.0), 1.0);
/// assert_eq!(tree.count(probe), 0);
/// tree.update(ball, Sphere::new(Vec3::new(7.0, 0.0, 0.0), 1.0));
/// assert_eq!(tree.query(probe).next(), Some(ball)); // touching counts
/// assert!(tree.remove(ball).is_some());
/// assert!(tree.remove(ball).is_none()); // the handle is stale
/// ```
///
/// With the feature `serde`, the items and their handles are written. The tree is rebuilt when it is read: handles stay valid
/// and answers are the same, perhaps in another order.
#[derive(Clone)]
pub struct LooseOrthtree<T: Bounded> {
    core: LooseTree<ArrayOf<T>>,
    /// The items by slot.
    items: Slab<T>,
}

impl<T: Bounded> LooseOrthtree<T> {
    /// An empty tree.
    #[must_use]
    pub const fn new() -> Self {
        const { assert_structure::<T::Vector>() }
        Self {
            core: LooseTree::empty(T::LAYOUT, T::HAS_RADIUS),
            items: Slab::new(),
        }
    }

    /// The number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.core.tree.len
    }

    /// Returns true if there are no items.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.core.tree.len == 0
    }

    /// The item of a handle; `None` if it has been removed.
    #[must_use]
    pub fn get(&self, handle: Handle) -> Option<&T> {
        self.core.find(handle)?;
        self.items.get(handle.slot())
    }

    /// Returns true if the handle's item is still in the tree.
    #[must_use]
    pub fn contains(&self, handle: Handle) -> bool {
        self.core.find(handle).is_some()
    }

    /// All items with their handles, in the order of the handles.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Handle, &T)> {
        self.into_iter()
    }

    /// A box around all items; `None` in an empty tree. After moves and removals it may be too large.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[must_use]
    pub fn bounds(&self) -> Option<Aabb<T::Vector>> {
        let root = self.core.tree.extent(self.core.tree.root()?);
        Some(root.core.grown(root.most).cast())
    }

    /// Removes everything, and gives back all memory; all handles are stale.
    ///
    /// # Complexity
    ///
    /// O(n).
    ///
    /// ```
    /// use orthant::LooseOrthtree;
    /// let mut tree = LooseOrthtree::new();
    /// let point = tree.insert([1.0, 2.0]);
    /// tree.clear();
    /// assert!(tree.is_empty() && !tree.contains(point));
    /// ```
    pub fn clear(&mut self) {
        self.core.clear();
        self.items = Slab::new();
    }

    /// Chooses the instruction set, for measurements and tests: answers do not depend on it.
    #[doc(hidden)]
    #[must_use]
    pub fn with_instructions(mut self, instructions: InstructionSet) -> Self {
        self.core.instructions = Some(instructions);
        self.core.tree.instructions = instructions;
        self
    }

    /// The memory of the tree, in bytes, without memory that the items own.
    ///
    /// Removals free memory in steps. The table of items stays as long as the highest slot in use, because handles name
    /// slots.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.core.bytes() + self.items.capacity() * size_of::<(usize, T)>()
    }

    /// Adds an item and returns its handle.
    ///
    /// # Panics
    ///
    /// Where [`try_insert`](Self::try_insert) returns an error.
    #[track_caller]
    #[inline]
    pub fn insert(&mut self, item: T) -> Handle {
        or_panic("LooseOrthtree", self.try_insert(item))
    }

    /// Adds an item and returns its handle.
    ///
    /// # Errors
    ///
    /// If a coordinate is infinite or NaN, or there are more than 2³⁰ items.
    /// Distances outside [`safe_lengths`](crate::safe_lengths) are no error, though their squares overflow or lose digits.
    ///
    /// # Complexity
    ///
    /// O(depth), which is O(log n) unless splits are very uneven.
    #[inline]
    pub fn try_insert(&mut self, item: T) -> Result<Handle, Error> {
        let extent = extent_of(&item);
        let slot = self.items.vacant_key() as u32;
        let handle = <ArrayOf<T>>::insert(&mut self.core, slot, &extent)?;
        self.items.insert(item);
        Ok(handle)
    }

    /// Adds many items; returns their handles in the same order.
    ///
    /// # Panics
    ///
    /// Where [`try_insert_batch`](Self::try_insert_batch) returns an error.
    ///
    /// ```
    /// use orthant::{LooseOctree, Sphere, glam::Vec3};
    /// let balls = [Vec3::X, Vec3::Y].map(|at| Sphere::new(at, 1.0));
    /// let mut tree = LooseOctree::new();
    /// let handles = tree.insert_batch(balls);
    /// assert_eq!((tree[handles[0]], tree[handles[1]]), (balls[0], balls[1]));
    /// ```
    #[track_caller]
    pub fn insert_batch(&mut self, items: impl IntoIterator<Item = T>) -> Vec<Handle> {
        or_panic("LooseOrthtree", self.try_insert_batch(items))
    }

    /// Adds all items, or none if one is invalid; returns their handles in the same order.
    ///
    /// # Errors
    ///
    /// If [`try_insert`](Self::try_insert) would return an error for an item; the error names the item's index. Distances outside
    /// [`safe_lengths`](crate::safe_lengths) are no error, though their squares overflow or lose digits.
    ///
    /// # Complexity
    ///
    /// The cost of as many insertions. A batch that is at least as large as the tree rebuilds it in O(n log n), in a small part of the time.
    pub fn try_insert_batch(
        &mut self,
        items: impl IntoIterator<Item = T>,
    ) -> Result<Vec<Handle>, Error> {
        let items: Vec<T> = items.into_iter().collect();
        insert::check_count(self.len() + items.len())?;
        check_from(0, &items)?;
        let extents: Vec<_> = items.iter().map(extent_of).collect();
        self.items.reserve(items.len());
        let slots = items.into_iter().map(|item| self.items.insert(item) as u32);
        let slots: Vec<u32> = slots.collect();
        Ok(<ArrayOf<T>>::insert_many(&mut self.core, &extents, &slots))
    }

    /// Removes the items for which `keep` returns false. It is called once for each item, in the order of the handles.
    ///
    /// # Complexity
    ///
    /// O(n), and the cost of a [`remove`](Self::remove) for each item that goes.
    ///
    /// ```
    /// use orthant::{LooseOctree, Sphere, glam::Vec3};
    /// let mut tree = LooseOctree::new();
    /// let small = tree.insert(Sphere::new(Vec3::X, 1.0));
    /// let large = tree.insert(Sphere::new(Vec3::Y, 9.0));
    /// tree.retain(|_, ball| ball.radius() < 5.0);
    /// assert!(tree.contains(small) && !tree.contains(large));
    /// ```
    pub fn retain(&mut self, mut keep: impl FnMut(Handle, &T) -> bool) {
        let gone = self.iter().filter(|&(handle, item)| !keep(handle, item));
        let gone: Vec<Handle> = gone.map(|(handle, _)| handle).collect();
        for handle in gone {
            self.remove(handle);
        }
    }

    /// Removes all items and returns them with their handles, in the order of the handles. The tree is empty at once, even if not all of
    /// them are read.
    ///
    /// # Complexity
    ///
    /// O(n).
    ///
    /// ```
    /// use orthant::{LooseOctree, Sphere, glam::Vec3};
    /// let ball = Sphere::new(Vec3::X, 1.0);
    /// let mut tree = LooseOctree::new();
    /// let handle = tree.insert(ball);
    /// assert!(tree.drain().eq([(handle, ball)]));
    /// assert!(tree.is_empty() && !tree.contains(handle));
    /// ```
    pub fn drain(&mut self) -> vec::IntoIter<(Handle, T)> {
        let items = replace(&mut self.items, Slab::new()).into_iter();
        let items = items.map(|(slot, item)| (self.core.handle(slot as u32), item));
        let items: Vec<(Handle, T)> = items.collect();
        self.clear();
        items.into_iter()
    }

    /// Replaces an item, usually to move it; returns the old one. The handle stays valid.
    ///
    /// ```
    /// use orthant::{LooseQuadtree, Sphere, glam::Vec2};
    /// let mut tree = LooseQuadtree::new();
    /// let ball = tree.insert(Sphere::new(Vec2::ZERO, 1.0));
    /// let old = tree.update(ball, Sphere::new(Vec2::X, 1.0));
    /// assert_eq!((old.center(), tree[ball].center()), (Vec2::ZERO, Vec2::X));
    /// ```
    ///
    /// # Panics
    ///
    /// Where [`try_update`](Self::try_update) returns an error.
    ///
    /// # Complexity
    ///
    /// The cost of [`insert`](Self::insert), or less if the item stays in its cell.
    #[track_caller]
    #[inline]
    pub fn update(&mut self, handle: Handle, item: T) -> T {
        or_panic("LooseOrthtree", self.try_update(handle, item))
    }

    /// Replaces an item as [`update`](Self::update) does; returns the old one.
    ///
    /// # Errors
    ///
    /// If the handle is stale, or a coordinate is infinite or NaN: the error names the handle, or the axis. The tree then stays as it was.
    ///
    /// ```
    /// use orthant::{LooseQuadtree, glam::Vec2};
    /// let mut tree = LooseQuadtree::new();
    /// let place = tree.insert(Vec2::X);
    /// assert!(tree.try_update(place, Vec2::NAN).is_err());
    /// assert_eq!(tree.try_update(place, Vec2::Y), Ok(Vec2::X));
    /// ```
    #[inline]
    pub fn try_update(&mut self, handle: Handle, item: T) -> Result<T, Error> {
        <ArrayOf<T>>::update(&mut self.core, handle, &extent_of(&item))?;
        Ok(replace(&mut self.items[handle.slot()], item))
    }

    /// Removes an item and returns it; `None` if the handle is stale.
    ///
    /// # Complexity
    ///
    /// The cost of [`insert`](Self::insert), amortised.
    #[inline]
    pub fn remove(&mut self, handle: Handle) -> Option<T> {
        let is_sparse = <ArrayOf<T>>::remove(&mut self.core, handle)?;
        let old = self.items.remove(handle.slot());
        if is_sparse {
            self.items.shrink_to_fit();
            let last = self.items.iter().next_back();
            // Only free slots at the end can go, because handles name slots.
            self.core
                .slots
                .truncate(last.map_or(0, |(slot, _)| slot + 1));
            self.core.slots.shrink_to_fit();
        }
        Some(old)
    }
}

/// The extent of an item. It is copied coordinate by coordinate, which avoids a store-forwarding stall.
#[inline(always)]
fn extent_of<T: Bounded>(item: &T) -> Extent<ArrayOf<T>> {
    let (core, radius) = (item.core(), item.radius());
    Extent {
        core: Aabb::from_corners(
            Vector::from_fn(|axis| core.min().axis(axis)),
            Vector::from_fn(|axis| core.max().axis(axis)),
        ),
        least: radius,
        most: radius,
    }
}

kernels! {
    /// The work of a [`LooseOrthtree`](crate::LooseOrthtree).
    pub trait Kernels {
        /// Inserts an item in a free slot.
        fn insert(tree: &mut LooseTree<Self>, slot: u32, item: &Extent<Self>) -> Result<Handle, Error> = insert::insert;

        /// Inserts many valid items.
        fn insert_many(tree: &mut LooseTree<Self>, items: &[Extent<Self>], slots: &[u32]) -> Vec<Handle> = fill::insert_many;

        /// Fills an empty tree with items whose slots have been taken.
        fn refill(tree: &mut LooseTree<Self>, items: &[Extent<Self>], slots: &[u32]) = fill::refill;

        /// Replaces the item of a handle.
        fn update(tree: &mut LooseTree<Self>, handle: Handle, item: &Extent<Self>) -> Result<(), Error> = insert::update;

        /// Removes an item. Returns true if so few are left that memory can be freed; `None` for a stale handle.
        fn remove(tree: &mut LooseTree<Self>, handle: Handle) -> Option<bool> = insert::remove;
    }
}
