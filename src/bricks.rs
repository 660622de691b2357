//! Sets of voxels in space, a bit for each.
//!
//! A brick, eight voxels on each axis, is a mask of 512 bits. A tile, eight bricks on each axis, has a
//! bit for each brick that is not empty, and the list of their masks: the set bits before a brick's own
//! are the place of its mask (as in the leaves of K. Museth, "VDB: High-resolution sparse volumes with
//! dynamic topology", 2013). The tiles lie in a sorted map. So two sets of the same voxels are equal,
//! whatever their history, and the order of voxels follows from their indices alone.

mod algebra;
mod components;
mod dilate;
mod mask;
mod region;
mod set;
mod tile;
mod union;

pub use dilate::Adjacency;
pub use set::BrickSetVoxels;
pub(crate) use union::Kernels;

use core::marker::PhantomData;

use glam::IVec3;

use crate::error::{Error, or_panic};
use crate::vector::{Space, Voxel};
use set::Set;

/// A set of voxels in space that takes about a bit for each voxel of the bricks it touches.
///
/// A brick is eight voxels wide on each axis, a tile eight bricks. Voxels are listed tile by tile, and within
/// tiles brick by brick; at each level the last axis is the slowest and axis 0 the fastest. All
/// indices of `i32` are allowed. For a dense block, or in the plane, see [`BitGrid`](crate::BitGrid).
///
/// ```
/// use orthant::{BrickSet, Hollow, Sphere, VoxelGrid, glam::{IVec3, Vec3}};
/// let grid = VoxelGrid::new(Vec3::ZERO, 1.0);
/// let mut set = BrickSet::from_region(&grid, Hollow(Sphere::new(Vec3::ZERO, 8.0)));
/// assert_eq!(set.len(), 1184);
/// assert!(set.insert(IVec3::ZERO));
/// assert!(set.contains(IVec3::ZERO) && !set.contains(IVec3::X));
/// let mut other = BrickSet::new();
/// other.insert_region(&grid, Sphere::new(Vec3::ZERO, 1.0));
/// assert!(!other.is_disjoint(&set) && !other.is_subset(&set));
/// assert!(set.remove(IVec3::ZERO));
/// assert!(other.is_disjoint(&set));
/// other.clear();
/// assert!(other.is_subset(&set));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct BrickSet<X: Voxel + Space = IVec3> {
    set: Set,
    voxel: PhantomData<X>,
}

impl<X: Voxel + Space> BrickSet<X> {
    /// The empty set.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            set: Set::new(),
            voxel: PhantomData,
        }
    }

    /// Returns true if there are no voxels.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.set.tiles.is_empty()
    }

    /// The number of voxels.
    ///
    /// # Complexity
    ///
    /// O(bricks).
    #[must_use]
    pub fn len(&self) -> u64 {
        self.set.len()
    }

    /// Returns true if a voxel belongs to the set.
    ///
    /// # Complexity
    ///
    /// O(log tiles).
    #[inline]
    #[must_use]
    pub fn contains(&self, voxel: X) -> bool {
        self.set.contains(array(voxel))
    }

    /// Adds a voxel. Returns true if it is new.
    ///
    /// # Complexity
    ///
    /// O(log tiles); a new brick moves the masks behind it in its tile, at most 511.
    pub fn insert(&mut self, voxel: X) -> bool {
        or_panic("BrickSet", self.set.insert(array(voxel)))
    }

    /// Adds a voxel as [`insert`](Self::insert) does, but returns an error if memory does not suffice.
    ///
    /// ```
    /// use orthant::BrickSet;
    /// let mut set = BrickSet::new();
    /// assert_eq!((set.try_insert([1, 2, 3])?, set.try_insert([1, 2, 3])?), (true, false));
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`]; nothing has been added then.
    pub fn try_insert(&mut self, voxel: X) -> Result<bool, Error> {
        self.set.insert(array(voxel))
    }

    /// Removes a voxel. Returns true if it was there.
    ///
    /// # Complexity
    ///
    /// The cost of [`insert`](Self::insert).
    pub fn remove(&mut self, voxel: X) -> bool {
        or_panic("BrickSet", self.set.remove(array(voxel)))
    }

    /// Removes all voxels.
    pub fn clear(&mut self) {
        self.set = Set::new();
    }

    /// The least and the greatest index on each axis; `None` for the empty set.
    ///
    /// ```
    /// use orthant::{BrickSet, glam::IVec3};
    /// let set: BrickSet = [IVec3::new(-1, 2, 0), IVec3::new(9, 0, 0)].into_iter().collect();
    /// assert_eq!(set.bounds(), Some((IVec3::new(-1, 0, 0), IVec3::new(9, 2, 0))));
    /// ```
    ///
    /// # Complexity
    ///
    /// O(bricks).
    #[must_use]
    pub fn bounds(&self) -> Option<(X, X)> {
        let (least, most) = self.set.bounds()?;
        Some((voxel(least), voxel(most)))
    }

    /// The memory that the set takes, in bytes: 64 for each brick, and some 150 for each tile.
    ///
    /// # Complexity
    ///
    /// O(tiles).
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.set.bytes()
    }

    /// Checks the invariants of the set, for tests.
    ///
    /// # Errors
    ///
    /// The message says what does not hold.
    #[doc(hidden)]
    pub fn validate(&self) -> Result<(), &'static str> {
        self.set.validate()
    }
}

impl<X: Voxel + Space> From<Set> for BrickSet<X> {
    #[inline]
    fn from(set: Set) -> Self {
        Self {
            set,
            voxel: PhantomData,
        }
    }
}

impl<X: Voxel + Space> Default for BrickSet<X> {
    fn default() -> Self {
        Self::new()
    }
}

#[inline]
fn array<X: Voxel + Space>(voxel: X) -> [i32; 3] {
    [voxel.axis(0), voxel.axis(1), voxel.axis(2)]
}

#[inline]
fn voxel<X: Voxel + Space>(at: [i32; 3]) -> X {
    X::from_fn(|a| at[a])
}
