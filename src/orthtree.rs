//! The immutable tree.
//!
//! Items are sorted along a Hilbert curve, so that every cell of the tree, a quadrant or octant of
//! its parent, holds one run of them. A node stores no cell, only the tight bounds of what it holds:
//! halving and codes decide where things are kept, comparisons of coordinates decide every
//! answer.
//!
//! What is asked together lies together: the bounds of up to 64 children of a node in columns of
//! sixteen, and so do items, so that one pass of vector instructions tells which of sixteen a ball
//! reaches. Slots of items are dense, whatever leaf they belong to: what lies inside a ball is one
//! run of indices, copied without a look at the items.

mod ask;
mod blocks;
mod bounds;
mod build;
mod columns;
mod cube;
mod hierarchy;
mod keys;
mod nearest;
mod neighbors;
mod query;
mod sort;
mod split;
mod validate;
mod walk;

use alloc::vec::Vec;
use core::mem::size_of;

use glam::{DVec2, DVec3, Vec2, Vec3};

use crate::nearest::nearest;
use crate::overlap::lanes::{Boxes, Columns, Roundings};
use crate::query::TreeWalk;
use crate::simd::{Column, LANES};
use crate::sweep::{first_in_hierarchy, sweeps};
use crate::{Aabb, Bounded, Distance, Error, InstructionSet, Sweep, Vector};

/// A tree of points of the plane, built at once: four quadrants a node.
pub type Quadtree = Orthtree<Vec2>;
/// A tree of points of space, built at once: eight octants a node.
pub type Octree = Orthtree<Vec3>;
/// A [`Quadtree`] in double precision.
pub type DQuadtree = Orthtree<DVec2>;
/// An [`Octree`] in double precision.
pub type DOctree = Orthtree<DVec3>;

/// A tree built at once from a slice of points, boxes or spheres, in 1 to 4 dimensions; it cannot
/// be changed. Items are named by their index in the slice.
///
/// Answers come in an order that is the same for the same input, whatever the machine.
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
#[derive(Clone, Debug)]
pub struct Orthtree<T: Bounded> {
    nodes: Nodes<T::Vector>,
    items: Items<T>,
    /// The index in the input of each slot, and some more to be read over.
    indices: Vec<u32>,
    len: usize,
    instructions: InstructionSet,
}

/// The items in the tree's order, sixteen slots to a block. A list is empty where `T::LAYOUT` has no
/// use for it.
#[derive(Clone, Debug)]
struct Items<T: Bounded> {
    /// Points, the least corners of boxes, or the centers of balls.
    points: Vec<Columns<T::Vector>>,
    /// The largest corners of boxes.
    highs: Vec<Columns<T::Vector>>,
    radii: Vec<Column<ScalarOf<T>>>,
    /// Items of other types, by slot.
    whole: Vec<T>,
}

/// Blocks of sixteen children. A node has one to four blocks, which lie together; the last block of
/// all has one child, the root.
#[derive(Clone, Debug)]
struct Nodes<V: Vector> {
    /// The bounds of what each child holds. A lane without a child is infinitely far.
    cells: Vec<Boxes<V>>,
    /// Their roundings, if items have any.
    roundings: Vec<Roundings<V::Scalar>>,
    children: Vec<[Child; LANES]>,
    /// Of children that are leaves, what `edges_of` says.
    edges: Vec<[u32; LANES]>,
    /// The slots of what each child holds: from, to. None for lanes without a child.
    runs: Vec<[(u32, u32); LANES]>,
}

type ScalarOf<T> = <<T as Bounded>::Vector as Vector>::Scalar;

/// The first block and the number of blocks: of items in a leaf, of children, with [`INNER`], in a
/// node.
type Child = u32;

/// The highest bit.
const INNER: Child = 1 << 31;
const BLOCKS_BITS: u32 = 3;

/// The blocks of a leaf or node.
#[inline(always)]
fn blocks_of(child: Child) -> core::ops::Range<usize> {
    let first = (child & !INNER) >> BLOCKS_BITS;
    let many = child & ((1 << BLOCKS_BITS) - 1);
    first as usize..(first + many) as usize
}

impl<T: Bounded + Clone + Sync> Orthtree<T> {
    /// Builds the tree; the items are copied.
    ///
    /// # Panics
    ///
    /// Where [`try_new`](Self::try_new) returns an error.
    #[must_use]
    #[track_caller]
    pub fn new(items: &[T]) -> Self {
        Self::try_new(items).unwrap_or_else(|error| panic!("Orthtree: {error}"))
    }

    /// Builds the tree; the items are copied. On several threads with the feature `rayon`, the tree
    /// being the same.
    ///
    /// # Errors
    ///
    /// If a coordinate is infinite or NaN (the error names the item), or there are more items than
    /// `u32` can number.
    ///
    /// # Complexity
    ///
    /// O(n log n).
    pub fn try_new(items: &[T]) -> Result<Self, Error> {
        let mut tree = Self::empty();
        build::build(&mut tree, items)?;
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
    pub fn rebuild(&mut self, items: &[T]) -> Result<(), Error> {
        build::build(self, items)
    }
}

impl<T: Bounded> Orthtree<T> {
    fn empty() -> Self {
        Self {
            nodes: Nodes {
                cells: Vec::new(),
                roundings: Vec::new(),
                children: Vec::new(),
                edges: Vec::new(),
                runs: Vec::new(),
            },
            items: Items {
                points: Vec::new(),
                highs: Vec::new(),
                radii: Vec::new(),
                whole: Vec::new(),
            },
            indices: Vec::new(),
            len: 0,
            instructions: InstructionSet::best(),
        }
    }

    /// The number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// A box around all items, of points and boxes the smallest; `None` where there are none.
    #[must_use]
    pub fn bounds(&self) -> Option<Aabb<T::Vector>> {
        let root = self.cell(self.root_lane()?);
        Some(root.core.grown(root.most))
    }

    /// The memory it takes, in bytes: for points of three `f32`, 17 to 18 a point.
    #[must_use]
    pub fn bytes(&self) -> usize {
        fn of<X>(list: &Vec<X>) -> usize {
            list.capacity() * size_of::<X>()
        }
        size_of::<Self>()
            + of(&self.nodes.cells)
            + of(&self.nodes.roundings)
            + of(&self.nodes.children)
            + of(&self.nodes.runs)
            + of(&self.nodes.edges)
            + of(&self.items.points)
            + of(&self.items.highs)
            + of(&self.items.radii)
            + of(&self.items.whole)
            + of(&self.indices)
    }

    /// The same tree, asked with other instructions: for measurements and tests, since answers do
    /// not depend on it.
    #[must_use]
    pub fn with_instructions(self, instructions: InstructionSet) -> Self {
        Self {
            instructions,
            ..self
        }
    }
}

nearest!(
    impl[T: Distance] Orthtree<T>, vector = T::Vector, key = usize,
    |this, from, best| nearest::search(this, from, best)
);

sweeps!(
    impl[T: Bounded] Orthtree<T>, vector = T::Vector, item = T, key = usize,
    |this, moving| walk = TreeWalk::new(this, moving),
    item = |slot| &*this.held(slot),
    first = |first| first_in_hierarchy(
        this,
        |extent| moving.bound::<T>(extent),
        |item| moving.times(item).map(|times| times.0),
        first,
    )
);
