//! The tree that changes.
//!
//! An item lies in the smallest cell that is as wide as the item and holds its centre, so that it
//! may stick out of the cell by half a width: a loose octree (T. Ulrich, "Loose octrees", Game
//! Programming Gems, 2000). Here cells only say where an item goes; each node keeps tight bounds of
//! what it holds, and those alone answer queries. Bounds grow at once when something is put below a
//! node. They shrink when enough has left it, so that an update costs the depth of the tree, and
//! 100 000 items in one place can be taken out one by one.

mod lift;
mod node;
mod place;
mod update;
mod validate;

use core::fmt;
use core::iter::Copied;
use core::mem::size_of;
use core::ops::{Deref, Index};
use core::slice::Iter;

use glam::{Vec2, Vec3};
use slab::Slab;

use crate::nearest::{in_hierarchy, nearest};
use crate::overlap::Extent;
use crate::query::{Hierarchy, TreeWalk, queries};
use crate::sweep::{first_in_hierarchy, sweeps};
use crate::vector::assert_structure;
use crate::{Aabb, Bounded, Distance, Handle, Sphere, Sweep, Vector};
use node::{NONE, Node};

/// A changing tree of the plane; of circles unless said otherwise.
pub type LooseQuadtree<T = Sphere<Vec2>> = LooseOrthtree<T>;
/// A changing tree of space; of spheres unless said otherwise.
pub type LooseOctree<T = Sphere<Vec3>> = LooseOrthtree<T>;

/// A tree of spheres, boxes or points to which items are added, moved and taken away by handle, in
/// 1 to 4 dimensions. It grows where something lies outside.
///
/// Answers are handles, in an order that depends on the tree's history; as a set they do not.
///
/// ```
/// use orthant::{LooseOctree, Sphere, glam::Vec3};
/// let mut tree = LooseOctree::new();
/// let ball = tree.insert(Sphere::new(Vec3::ZERO, 1.0));
/// let probe = Sphere::new(Vec3::new(9.0, 0.0, 0.0), 1.0);
/// assert_eq!(tree.count(probe), 0);
/// tree.update(ball, Sphere::new(Vec3::new(7.0, 0.0, 0.0), 1.0));
/// assert_eq!(tree.query(probe).next(), Some(ball)); // touching counts
/// tree.remove(ball);
/// assert!(tree.try_remove(ball).is_err());
/// ```
#[derive(Clone)]
pub struct LooseOrthtree<T: Bounded> {
    nodes: Slab<Node<T::Vector>>,
    entries: Slab<Entry<T>>,
    /// `NONE` in an empty tree.
    root: u32,
    /// Of the next insertion.
    generation: u32,
    /// Since memory was last given back.
    departures: usize,
}

#[derive(Clone)]
struct Entry<T> {
    item: T,
    generation: u32,
    node: u32,
    /// The position in the node's list.
    place: u32,
}

impl<T: Bounded> LooseOrthtree<T> {
    /// An empty tree.
    #[must_use]
    pub const fn new() -> Self {
        const { assert_structure::<T::Vector>() }
        Self {
            nodes: Slab::new(),
            entries: Slab::new(),
            root: NONE,
            generation: 0,
            departures: 0,
        }
    }

    /// The number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The item of a handle; `None` when it has been removed.
    #[must_use]
    pub fn get(&self, handle: Handle) -> Option<&T> {
        let entry = self.entries.get(handle.slot())?;
        (entry.generation == handle.generation).then_some(&entry.item)
    }

    /// Whether the handle's item is still in the tree.
    #[must_use]
    pub fn contains(&self, handle: Handle) -> bool {
        self.get(handle).is_some()
    }

    /// All items with their handles, in the order of the handles.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Handle, &T)> {
        let name = |(slot, entry)| (self.handle(slot as u32), Self::item_of(entry));
        self.entries.iter().map(name)
    }

    /// A box around all items; `None` in an empty tree. After removals it may be larger than
    /// needed.
    #[must_use]
    pub fn bounds(&self) -> Option<Aabb<T::Vector>> {
        let root = &self.nodes.get(self.root as usize)?.extent;
        Some(root.core.grown(root.most))
    }

    /// Removes everything; all handles are stale.
    pub fn clear(&mut self) {
        self.nodes = Slab::new();
        self.entries = Slab::new();
        self.root = NONE;
        self.departures = 0;
    }

    /// The memory that the tree holds, in bytes, less what items own themselves.
    ///
    /// It returns after removals, by and by; but since handles name slots, the table of items never
    /// gets shorter than the highest slot in use.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let lists: usize = self
            .nodes
            .iter()
            .map(|(_, node)| node.spilled_bytes())
            .sum();
        // The slab marks free slots beside each value.
        self.nodes.capacity() * (size_of::<Node<T::Vector>>() + size_of::<usize>())
            + self.entries.capacity() * (size_of::<Entry<T>>() + size_of::<usize>())
            + lists
    }

    fn item_of(entry: &Entry<T>) -> &T {
        &entry.item
    }

    fn handle(&self, slot: u32) -> Handle {
        Handle {
            slot,
            generation: self.entries[slot as usize].generation,
        }
    }
}

impl<T: Bounded> Default for LooseOrthtree<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Bounded> fmt::Debug for LooseOrthtree<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LooseOrthtree")
            .field("items", &self.entries.len())
            .field("nodes", &self.nodes.len())
            .finish_non_exhaustive()
    }
}

/// # Panics
///
/// On a stale handle.
impl<T: Bounded> Index<Handle> for LooseOrthtree<T> {
    type Output = T;

    #[track_caller]
    fn index(&self, handle: Handle) -> &T {
        match self.get(handle) {
            Some(item) => item,
            None => panic!("{}", crate::Error::Stale { handle }),
        }
    }
}

impl<T: Bounded> Hierarchy for LooseOrthtree<T> {
    type Item = T;
    type Key = Handle;
    type Run<'a>
        = Copied<Iter<'a, u32>>
    where
        T: 'a;

    fn root(&self) -> Option<u32> {
        (self.root != NONE).then_some(self.root)
    }

    #[inline(always)]
    fn extent(&self, node: u32) -> Extent<T::Vector> {
        self.nodes[node as usize].extent
    }

    #[inline(always)]
    fn children(&self, node: u32, _inside: bool) -> impl DoubleEndedIterator<Item = u32> {
        self.nodes[node as usize].children()
    }

    #[inline(always)]
    fn run(&self, node: u32, _inside: bool) -> Copied<Iter<'_, u32>> {
        self.nodes[node as usize].slots.iter().copied()
    }

    #[inline(always)]
    fn item(&self, slot: u32) -> impl Deref<Target = T> {
        &self.entries[slot as usize].item
    }

    #[inline(always)]
    fn key(&self, slot: u32) -> Handle {
        self.handle(slot)
    }
}

queries!(
    impl[T: Bounded] LooseOrthtree<T>, vector = T::Vector, item = T, key = Handle,
    list = Handle: |handle| handle,
    walk = TreeWalk<R>: TreeWalk<'_, Self, R>, |this, region| TreeWalk::new(this, region)
);

nearest!(
    impl[T: Distance] LooseOrthtree<T>, vector = T::Vector, key = Handle,
    |this, from, best| in_hierarchy(this, from, best)
);

sweeps!(
    impl[T: Bounded] LooseOrthtree<T>, vector = T::Vector, item = T, key = Handle,
    |this, moving| walk = TreeWalk::new(this, moving),
    item = |slot| &*this.item(slot),
    first = |first| first_in_hierarchy(
        this,
        |extent| moving.bound::<T>(extent),
        |item| moving.times(item).map(|times| times.0),
        first,
    )
);

impl<V: Vector> Node<V> {
    /// What its lists keep outside the node.
    fn spilled_bytes(&self) -> usize {
        let spilled = |list: &node::List| {
            if list.spilled() {
                list.capacity() * size_of::<u32>()
            } else {
                0
            }
        };
        spilled(&self.slots) + spilled(&self.octants)
    }
}
