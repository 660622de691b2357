//! Saves a tree as bytes: its lists as they are in memory, one after the other.
//!
//! ```text
//! header, 64 bytes:   0 "orthtree"   8 version, 2 (u32)   12 items: 1 points, 2 boxes, 3 balls (u8)
//!                    13 bytes of a scalar (u8)   14 axes (u8)   15 zero   16 items (u64)
//!                    24 bytes in all (u64)   32 zeros
//! indices            of the items, a u32 each, padded with zeros to the next multiple of 16, and 16 zeros more
//! for both sets of nodes, the small ones first:
//!   boxes            in blocks of sixteen, level by level, the root last: the least coordinates axis by axis, then the largest
//!   radii            if items are balls, in blocks of sixteen: the least radii, then the largest
//! items              in blocks of sixteen, axis by axis: points; or least corners, then largest; or centers, then radii
//! ```
//!
//! Numbers are little-endian on every machine. The length of each list is a multiple of 64 bytes, so all lists are aligned if the first
//! byte is.

mod check;
mod in_place;

use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;

use super::Orthtree;
use super::build::wide_leaf;
use crate::error::Error;
use crate::shape::{Bounded, Layout, ScalarOf};
use crate::simd::{Column, LANES};
use crate::vector::{Scalar, Vector, assert_structure};
use crate::wide_nodes::Levels;
pub(super) use check::check;
pub use in_place::SavedOrthtree;

const MAGIC: &[u8; 8] = b"orthtree";
const VERSION: u32 = 2;
const HEADER: usize = 64;
const ALIGNMENT: usize = align_of::<Column<f32>>();

impl<T: Bounded> Orthtree<T> {
    /// Saves the tree as bytes, for a file or another machine; [`from_bytes`](Self::from_bytes) reads them. Items are points,
    /// [`Aabb`](crate::Aabb) or [`Sphere`](crate::Sphere); others do not compile.
    ///
    /// A header of 64 bytes names version, kind of item, scalar, number of axes and lengths; the lists of the tree follow, each a multiple
    /// of 64 bytes. Numbers are little-endian on every machine. The same tree gives the same bytes.
    ///
    /// ```
    /// use orthant::{Octree, Orthtree, Sphere, glam::Vec3};
    /// let tree = Octree::new(&[Vec3::ZERO, Vec3::X]);
    /// let read: Octree = Orthtree::from_bytes(&tree.to_bytes())?;
    /// assert_eq!(read.query(Sphere::new(Vec3::X, 0.5)).next(), Some(1));
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(n).
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let items = &self.core.items;
        let all = size::<T>(self.core.len);
        let mut to = Vec::with_capacity(all as usize);
        to.extend(header::<T>(self.core.len));
        let indices = self.core.indices.iter();
        to.extend(indices.flat_map(|index| index.to_le_bytes()));
        for nodes in [&self.core.nodes, &self.core.wide_nodes] {
            for cells in nodes.boxes.iter() {
                put(&mut to, cells.low.as_ref());
                put(&mut to, cells.high.as_ref());
            }
            put(&mut to, nodes.radii.as_flattened());
        }
        for columns in items.points.iter().chain(items.highs.iter()) {
            put(&mut to, columns.as_ref());
        }
        put(&mut to, &items.radii);
        debug_assert_eq!(to.len() as u64, all);
        to
    }

    /// Reads a tree from the bytes of [`to_bytes`](Self::to_bytes), which may have any alignment. It gives the same answers as the saved
    /// tree, in the same order.
    ///
    /// # Errors
    ///
    /// If the bytes are those of a tree of other items, are cut short, or were altered so that queries would go wrong: everything that
    /// queries rely on is checked, including the items and the bounds around them. A coordinate that was altered within its bounds is not
    /// noticed. The error says what is wrong.
    ///
    /// ```
    /// use orthant::{Octree, Quadtree, glam::Vec3};
    /// let bytes = Octree::new(&[Vec3::ZERO, Vec3::X]).to_bytes();
    /// assert!(Octree::from_bytes(&bytes).is_ok());
    /// let refused = Quadtree::from_bytes(&bytes).unwrap_err();
    /// assert_eq!(refused.to_string(), "saved tree: its items are of another kind, scalar or number of axes");
    /// assert!(Octree::from_bytes(&bytes[1..]).is_err());
    /// ```
    ///
    /// # Complexity
    ///
    /// O(n).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let len = check_header::<T>(bytes).map_err(saved)?;
        // Copy the bytes to aligned memory, in which numbers have the byte order of the machine.
        let mut memory = vec![0; bytes.len() + ALIGNMENT - 1];
        let at = memory.as_ptr().align_offset(ALIGNMENT);
        let copy = &mut memory[at..][..bytes.len()];
        copy.copy_from_slice(bytes);
        if cfg!(target_endian = "big") {
            let (indices, numbers) = copy[HEADER..].split_at_mut(lens::<T>(len)[0] as usize);
            indices.chunks_mut(4).for_each(<[u8]>::reverse);
            let numbers = numbers.chunks_mut(size_of::<ScalarOf<T>>());
            numbers.for_each(<[u8]>::reverse);
        }
        let tree = SavedOrthtree::<T>::new(copy)?;
        tree.check_items()?;
        Ok(Self {
            core: tree.core.clone(),
            whole: Vec::new(),
        })
    }

    /// Opens a saved tree in place, in the bytes of [`to_bytes`](Self::to_bytes), such as a memory-mapped file. It gives the same answers
    /// as the saved tree, bit for bit and in the same order, and reads only the items that a query needs.
    ///
    /// It checks what queries need to terminate and to stay within the lists: the header and the lengths, the nodes with their bounds (a
    /// tenth of the bytes), and that the indices (a quarter of the bytes) are those of items. So no query panics or runs forever, whatever
    /// the bytes. It does not check the items, whether leaves hold them, or that each index occurs once; if these were altered,
    /// answers may be wrong. [`SavedOrthtree::check`] checks them too, as [`from_bytes`](Self::from_bytes) does.
    ///
    /// ```
    /// use orthant::{Octree, SavedOrthtree, Sphere, glam::Vec3};
    /// let bytes = Octree::new(&[Vec3::ZERO, Vec3::X]).to_bytes();
    /// let mut memory = vec![0; bytes.len() + 63]; // a file that is mapped is aligned already
    /// let at = memory.as_ptr().align_offset(64);
    /// memory[at..][..bytes.len()].copy_from_slice(&bytes);
    /// let tree: SavedOrthtree<Vec3> = Octree::open(&memory[at..][..bytes.len()])?;
    /// assert_eq!(tree.count(Sphere::new(Vec3::X, 0.5)), 1);
    /// assert!(Octree::open(&memory[at..][..64]).is_err());
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the bytes are those of a tree of other items, are cut short, or were altered in a part that is checked; if their address is not a
    /// multiple of 64; and on big-endian machines. In the last two cases, [`from_bytes`](Self::from_bytes) can read them.
    ///
    /// # Complexity
    ///
    /// O(n), at the speed of memory: opening a million points takes a hundredth of the time of building their tree.
    pub fn open(bytes: &[u8]) -> Result<SavedOrthtree<'_, T>, Error> {
        check_header::<T>(bytes).map_err(saved)?;
        if cfg!(target_endian = "big") {
            let what = "this machine has the highest byte first, and takes it by `from_bytes`";
            return Err(saved(what));
        }
        if bytes.as_ptr().align_offset(ALIGNMENT) != 0 {
            let what = "it does not begin at a multiple of 64 bytes: `from_bytes` takes it";
            return Err(saved(what));
        }
        SavedOrthtree::new(bytes)
    }
}

impl<T: Bounded> SavedOrthtree<'_, T> {
    /// Checks what [`open`](Orthtree::open) does not, so that all checks of [`Orthtree::from_bytes`] are done: that each index occurs once,
    /// and that items are valid and within the bounds of their nodes. A coordinate that was altered within its bounds is not noticed.
    ///
    /// ```
    /// use orthant::{Octree, glam::Vec3};
    /// let bytes = Octree::new(&[Vec3::ZERO, Vec3::X]).to_bytes();
    /// let mut memory = vec![0; bytes.len() + 63];
    /// let at = memory.as_ptr().align_offset(64);
    /// memory[at..][..bytes.len()].copy_from_slice(&bytes);
    /// let memory = &mut memory[at..][..bytes.len()];
    /// assert!(Octree::open(memory)?.check().is_ok());
    /// memory[64] ^= 1; // an index
    /// let error = Octree::open(memory)?.check().unwrap_err();
    /// assert_eq!(error.to_string(), "saved tree: the indices are not a permutation");
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If something does not hold; the error says what.
    ///
    /// # Complexity
    ///
    /// O(n): it reads all items and indices.
    pub fn check(&self) -> Result<(), Error> {
        self.check_items()
    }
}

pub(super) fn saved(what: &'static str) -> Error {
    Error::Saved { what }
}

/// The length of each list in bytes: the indices; the boxes and radii of the small and of the wide nodes; the three columns of items.
fn lens<T: Bounded>(len: usize) -> [u64; 8] {
    let column = (LANES * size_of::<ScalarOf<T>>()) as u64;
    let point = T::Vector::DIM as u64 * column;
    let high = if T::LAYOUT == Layout::Box { point } else { 0 };
    let radius = if T::HAS_RADIUS { column } else { 0 };
    let blocks = len.div_ceil(LANES) as u64;
    let small = Levels::for_regions(len).blocks() as u64;
    let wide = Levels::for_nearest(len, wide_leaf::<ScalarOf<T>>()).blocks() as u64;
    [
        (blocks + 1) * (LANES * 4) as u64,
        small * 2 * point,
        small * 2 * radius,
        wide * 2 * point,
        wide * 2 * radius,
        blocks * point,
        blocks * high,
        blocks * radius,
    ]
}

/// The size of a saved tree in bytes.
fn size<T: Bounded>(len: usize) -> u64 {
    HEADER as u64 + lens::<T>(len).iter().sum::<u64>()
}

/// The header of a tree.
fn header<T: Bounded>(len: usize) -> [u8; HEADER] {
    const {
        assert!(
            T::FROM_PARTS.is_some(),
            "points, boxes and spheres can be saved"
        );
        assert_structure::<T::Vector>();
    }
    let layout = match T::LAYOUT {
        Layout::Whole => 0,
        Layout::Point => 1,
        Layout::Box => 2,
        Layout::Ball => 3,
    };
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(MAGIC);
    header[8..12].copy_from_slice(&VERSION.to_le_bytes());
    (header[12], header[13]) = (layout, size_of::<ScalarOf<T>>() as u8);
    header[14] = T::Vector::DIM as u8;
    header[16..24].copy_from_slice(&(len as u64).to_le_bytes());
    header[24..32].copy_from_slice(&size::<T>(len).to_le_bytes());
    header
}

/// Checks the header and the length of the bytes, and returns the number of items.
fn check_header<T: Bounded>(bytes: &[u8]) -> Result<usize, &'static str> {
    let found = bytes.first_chunk::<HEADER>().ok_or("it is cut short")?;
    let len = u64::from_le_bytes(found.as_chunks().0[2]);
    let len = u32::try_from(len).unwrap_or(0) as usize;
    let wanted = header::<T>(len);
    for (part, what) in [
        (0..8, "it does not begin as one"),
        (8..12, "it is of a version that is not known"),
        (
            12..16,
            "its items are of another kind, scalar or number of axes",
        ),
        (32..64, "its header ends with other than zeros"),
        (16..24, "it has more items than can be numbered"),
        (24..32, "its lengths contradict each other"),
    ] {
        if found[part.clone()] != wanted[part] {
            return Err(what);
        }
    }
    match (bytes.len() as u64).cmp(&size::<T>(len)) {
        Ordering::Less => Err("it is cut short"),
        Ordering::Greater => Err("there are bytes behind it"),
        Ordering::Equal => Ok(len),
    }
}

fn put<S: Scalar>(to: &mut Vec<u8>, columns: &[Column<S>]) {
    for number in columns.iter().flat_map(|column| column.0) {
        to.extend_from_slice(&number.to_bits().to_le_bytes()[..size_of::<S>()]);
    }
}
