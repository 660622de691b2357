//! The tree that changes.
//!
//! Items lie in leaves of up to sixteen, in columns. Two trees lead to the leaves, of which neither
//! depends on the other: grids say where an item goes, nodes say where items lie.
//!
//! Where an item goes is a matter of arithmetic, without a look at bounds: by its size to one of a
//! few subtrees, so that the large do not blur the bounds of the small, and in each grid by the cell
//! that holds its center. Where most items crowd in one cell, the next grid is that of the crowd;
//! items of one place are told apart by number. This is a hierarchy of grid files (J. Nievergelt,
//! H. Hinterberger, K. C. Sevcik, "The grid file", ACM Transactions on Database Systems, 1984), and
//! a loose octree (T. Ulrich, "Loose octrees", Game Programming Gems, 2000) in that an item may
//! stick out of its cell. What moves within the bounds of its leaf stays there, in whatever cell.
//!
//! A node holds up to 64 children with their bounds in columns: one pass of vector instructions
//! tells which of sixteen a ball reaches. These bounds alone answer queries. They grow at once when
//! something comes, and shrink when enough has left. A new leaf is put beside another, and a full
//! node is parted where that gives the smallest boxes, as in an R*-tree (N. Beckmann et al., "The
//! R*-tree", SIGMOD, 1990): so nodes are well filled, however few cells of a grid are in use.
//!
//! Rejected: nodes that are the grids, which are nearly empty where items are clustered; nodes of
//! sixteen children, for which a query takes a third longer and an insertion a quarter; a B+-tree
//! along the Z-curve of unbounded resolution, which has no bad cases but takes twice the time to
//! insert and five times to move, since its comparisons cannot be foreseen.

mod choice;
mod columns;
mod grid;
mod hierarchy;
mod lanes;
mod leaf;
mod lift;
mod nearest;
mod node;
mod place;
mod query;
mod rule;
mod settle;
mod spot;
mod update;
mod validate;
mod walk;

use alloc::vec::Vec;
use core::fmt;
use core::mem::size_of;
use core::ops::Index;

use glam::{Vec2, Vec3};
use slab::Slab;

use crate::overlap::lanes::{Columns, Roundings};
use crate::query::Hierarchy;
use crate::simd::Column;
use crate::vector::assert_structure;
use crate::{Aabb, Bounded, Handle, InstructionSet, Sphere, Vector};
use grid::Grid;
use leaf::Leaf;
use node::{BLOCKS, Node};

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
    /// The first tells sizes apart.
    grids: Vec<Grid<T::Vector>>,
    /// Each lane of the first holds what is of one class of sizes.
    nodes: Vec<Node<T::Vector>>,
    /// Of the lanes of each node, where items are rounded.
    roundings: Vec<[Roundings<ScalarOf<T>>; BLOCKS]>,
    /// The class of sizes of each lane of the first node.
    classes: Vec<u32>,
    leaves: Vec<Leaf<T::Vector>>,
    /// Leaves that are not in the tree, for the next that it needs.
    vacant: Vec<u32>,
    /// The largest corners of boxes, of each leaf.
    highs: Vec<Columns<T::Vector>>,
    /// Of balls, of each leaf.
    radii: Vec<Column<ScalarOf<T>>>,
    entries: Slab<Entry<T>>,
    /// Entries that are in no leaf, to be placed again. Empty between changes.
    strays: Vec<u32>,
    /// Of the next insertion.
    generation: u32,
    /// How many items were removed since memory of entries was last given back.
    departures: usize,
    instructions: InstructionSet,
}

type ScalarOf<T> = <<T as Bounded>::Vector as Vector>::Scalar;

#[derive(Clone)]
struct Entry<T> {
    item: T,
    generation: u32,
    leaf: u32,
    /// The lane of the leaf.
    place: u32,
}

impl<T: Bounded> LooseOrthtree<T> {
    /// An empty tree.
    #[must_use]
    pub const fn new() -> Self {
        const { assert_structure::<T::Vector>() }
        Self {
            grids: Vec::new(),
            nodes: Vec::new(),
            roundings: Vec::new(),
            classes: Vec::new(),
            leaves: Vec::new(),
            vacant: Vec::new(),
            highs: Vec::new(),
            radii: Vec::new(),
            entries: Slab::new(),
            strays: Vec::new(),
            generation: 0,
            departures: 0,
            instructions: InstructionSet::BASELINE,
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

    /// A box around all items; `None` in an empty tree. It grows at once; after moves and removals it
    /// may be larger than needed.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[must_use]
    pub fn bounds(&self) -> Option<Aabb<T::Vector>> {
        let root = self.extent(self.root()?);
        Some(root.core.grown(root.most))
    }

    /// Removes everything, and gives back all memory; all handles are stale.
    ///
    /// # Complexity
    ///
    /// O(n).
    pub fn clear(&mut self) {
        *self = Self {
            generation: self.generation,
            ..Self::new()
        };
    }

    /// The memory that the tree holds, in bytes, less what items own themselves.
    ///
    /// It returns after removals, by and by; but since handles name slots, the table of items never
    /// gets shorter than the highest slot in use.
    #[must_use]
    pub fn bytes(&self) -> usize {
        fn of<X>(list: &Vec<X>) -> usize {
            list.capacity() * size_of::<X>()
        }
        // The slab marks free slots beside each value.
        self.entries.capacity() * (size_of::<Entry<T>>() + size_of::<usize>())
            + of(&self.grids)
            + of(&self.nodes)
            + of(&self.roundings)
            + of(&self.classes)
            + of(&self.leaves)
            + of(&self.vacant)
            + of(&self.highs)
            + of(&self.radii)
            + of(&self.strays)
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
            .field("leaves", &(self.leaves.len() - self.vacant.len()))
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
