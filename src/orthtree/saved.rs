//! A tree as bytes: the lists that it has in memory, one behind the other.
//!
//! ```text
//! header, 64 bytes:   0 "orthtree"   8 version, 1 (u32)   12 items: 1 points, 2 boxes, 3 balls (u8)
//!                    13 bytes of a scalar (u8)   14 axes (u8)   15 zero   16 items (u64)
//!                    24 blocks of children (u64)   32 bytes in all (u64)   40 zeros
//! indices            of the items, a u32 each, to the next multiple of 16, and 16 more
//! for each block     children [u32; 16]; then of all blocks edges [u32; 16]; then runs [[u32; 2]; 16]
//! cells              of each block, least and largest coordinates: an axis, then sixteen scalars
//! radii              of each block, where items are balls: the sixteen least, then the largest
//! items              by sixteen, axis by axis: points; or least corners, then largest; or centers, then radii
//! ```
//!
//! All numbers have their lowest byte first, on every machine. All lists are multiples of 64 bytes, so that they are
//! aligned where the first byte is.

use alloc::vec;
use alloc::vec::Vec;

use super::Orthtree;
use super::build::padded;
use super::split::{BLOCKS, LEAF};
use super::tree::{INNER, Tree, blocks_of};
use crate::error::Error;
use crate::overlap::columns::{Boxes, Columns, all};
use crate::overlap::{check_count, check_item};
use crate::query::ItemTree;
use crate::shape::{ArrayOf, Bounded, Layout};
use crate::simd::{Column, LANES};
use crate::vector::{Scalar, Vector, assert_structure};

const MAGIC: &[u8; 8] = b"orthtree";
const VERSION: u32 = 1;
const HEADER: usize = 64;

/// No tree that was built is as deep: each level takes a bit of a key.
const DEEPEST: u8 = 128;

impl<T: Bounded> Orthtree<T> {
    /// The tree as bytes, for a file or another machine, to be read by [`from_bytes`](Self::from_bytes). Of points,
    /// [`Aabb`](crate::Aabb) and [`Sphere`](crate::Sphere); other items do not compile.
    ///
    /// A header of 64 bytes names version, kind of item, scalar, number of axes and lengths; the lists of the tree follow, each a
    /// multiple of 64 bytes. Numbers have their lowest byte first, on every machine. The same tree gives the same bytes.
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
        const { assert!(T::FROM_PARTS, "points, boxes and spheres can be saved") }
        let (nodes, items) = (&self.core.nodes, &self.core.items);
        let all = size::<T>(self.core.len, nodes.children.len());
        let mut to = Vec::with_capacity(all as usize);
        to.extend(MAGIC);
        to.extend(VERSION.to_le_bytes());
        to.extend(kind::<T>());
        to.extend((self.core.len as u64).to_le_bytes());
        to.extend((nodes.children.len() as u64).to_le_bytes());
        to.extend(all.to_le_bytes());
        to.resize(HEADER, 0);
        put_whole(&mut to, &self.core.indices);
        put_whole(&mut to, nodes.children.as_flattened());
        put_whole(&mut to, nodes.edges.as_flattened());
        for &(from, end) in nodes.runs.as_flattened() {
            put_whole(&mut to, &[from, end]);
        }
        for cells in &nodes.cells {
            put(&mut to, cells.low.as_ref());
            put(&mut to, cells.high.as_ref());
        }
        put(&mut to, nodes.radii.as_flattened());
        for columns in items.points.iter().chain(&items.highs) {
            put(&mut to, columns.as_ref());
        }
        put(&mut to, &items.radii);
        debug_assert_eq!(to.len() as u64, all);
        to
    }

    /// The tree of which [`to_bytes`](Self::to_bytes) gave the bytes, copied: they may lie anywhere. It answers as that
    /// one does, in the same order.
    ///
    /// # Errors
    ///
    /// If they are those of a tree of other items, cut short, or altered so that the tree would not be one: all that
    /// queries rely upon is checked, items and the bounds around them too. A coordinate altered within
    /// its bounds is another point. The error says what is wrong.
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
    /// O(n) for a tree of a few levels.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        const {
            assert!(T::FROM_PARTS, "points, boxes and spheres can be saved");
            assert_structure::<T::Vector>();
        }
        let (len, blocks) = header::<T>(bytes).map_err(saved)?;
        check_count(len)?;
        let mut from = Reader(&bytes[HEADER..]);
        let mut core = Tree::<ArrayOf<T>>::empty(T::LAYOUT);
        core.len = len;
        core.indices = from.whole(padded(len));
        core.indices[len..].fill(0);
        let nodes = &mut core.nodes;
        nodes.children = from.whole(blocks * LANES).as_chunks().0.to_vec();
        nodes.edges = from.whole(blocks * LANES).as_chunks().0.to_vec();
        let runs = from.whole(blocks * LANES * 2);
        let runs: Vec<_> = runs.as_chunks().0.iter().map(|&[a, b]| (a, b)).collect();
        nodes.runs = runs.as_chunks().0.to_vec();
        nodes.cells = from.cells::<ArrayOf<T>>(blocks);
        let wanted = |is: bool, many: usize| if is { many } else { 0 };
        let radii = from.columns(wanted(T::HAS_RADIUS, blocks * 2));
        nodes.radii = radii.as_chunks().0.to_vec();
        let rows = len.div_ceil(LANES);
        let items = &mut core.items;
        items.points = from.axes::<ArrayOf<T>>(rows);
        items.highs = from.axes::<ArrayOf<T>>(wanted(T::LAYOUT == Layout::Box, rows));
        items.radii = from.columns(wanted(T::LAYOUT == Layout::Ball, rows));
        let tree = Self {
            core,
            whole: Vec::new(),
        };
        tree.check_depth().map_err(saved)?;
        tree.check_cells().map_err(saved)?;
        for slot in 0..len as u32 {
            let item = tree.item(slot);
            check_item(&*item).map_err(|error| Error::Item {
                index: tree.key(slot),
                error,
            })?;
        }
        tree.validate().map_err(saved)?;
        Ok(tree)
    }

    /// That descents end, soon, and find no more in a node than they have room for.
    fn check_depth(&self) -> Result<(), &'static str> {
        let nodes = &self.core.nodes;
        let mut depths = vec![0; nodes.children.len()];
        let mut has_parent = vec![false; nodes.children.len()];
        for (block, (children, runs)) in nodes.children.iter().zip(&nodes.runs).enumerate() {
            for (&child, &(from, to)) in children.iter().zip(runs) {
                let below = blocks_of(child);
                if child & INNER == 0 {
                    if to.saturating_sub(from) as usize > LEAF {
                        return Err("a leaf holds more than a leaf may");
                    }
                } else if from >= to {
                    return Err("a node holds no items");
                } else if below.is_empty() || below.end > block || below.len() > BLOCKS {
                    return Err("a node does not lie before its parent");
                } else {
                    for has in &mut has_parent[below.clone()] {
                        if core::mem::replace(has, true) {
                            return Err("a node has two parents");
                        }
                    }
                    let deepest = depths[below].iter().max().copied();
                    let depth: u8 = deepest.unwrap_or(0) + 1;
                    if depth > DEEPEST {
                        return Err("it is deeper than any tree that is built");
                    }
                    depths[block] = depth.max(depths[block]);
                }
            }
        }
        // The last block holds the root alone, and is the only one that nothing refers to.
        let last = nodes.runs.last().map_or(&[][..], |runs| &runs[1..]);
        let are_empty = last.iter().all(|(from, to)| from == to);
        let orphans = has_parent.iter().filter(|&&has| !has).count();
        if !are_empty || orphans > 1 {
            return Err("a node has no parent");
        }
        Ok(())
    }

    /// That bounds are numbers, and those of lanes without a child infinitely far.
    fn check_cells(&self) -> Result<(), &'static str> {
        let nodes = &self.core.nodes;
        let (zero, most) = (<ScalarOf<T>>::ZERO, <ScalarOf<T>>::MAX);
        let infinity = <ScalarOf<T>>::INFINITY;
        for (block, (cells, runs)) in nodes.cells.iter().zip(&nodes.runs).enumerate() {
            for (lane, &(from, to)) in runs.iter().enumerate() {
                let mut valid = true;
                for (low, high) in cells.low.as_ref().iter().zip(cells.high.as_ref()) {
                    let (low, high) = (low.0[lane], high.0[lane]);
                    valid &= if from < to {
                        zero - most <= low && low <= high && high <= most
                    } else {
                        low == infinity && high == zero - infinity
                    };
                }
                if let Some([low, high]) = nodes.radii.get(block) {
                    let (low, high) = (low.0[lane], high.0[lane]);
                    valid &= zero <= low && low <= high && high <= most;
                }
                if !valid {
                    return Err("bounds of a node are none");
                }
            }
        }
        Ok(())
    }
}

type ScalarOf<T> = <<T as Bounded>::Vector as Vector>::Scalar;

fn saved(what: &'static str) -> Error {
    Error::Saved { what }
}

/// The bytes that name what is saved.
fn kind<T: Bounded>() -> [u8; 4] {
    let layout = match T::LAYOUT {
        Layout::Whole => 0,
        Layout::Point => 1,
        Layout::Box => 2,
        Layout::Ball => 3,
    };
    let scalar = size_of::<ScalarOf<T>>() as u8;
    [layout, scalar, T::Vector::DIM as u8, 0]
}

/// The bytes of a tree of so many items and blocks of children; no less than the largest number where it is more.
fn size<T: Bounded>(len: usize, blocks: usize) -> u64 {
    let column = (LANES * size_of::<ScalarOf<T>>()) as u128;
    let point = T::Vector::DIM as u128 * column;
    let (box_, radius) = (T::LAYOUT == Layout::Box, T::HAS_RADIUS);
    let (box_, radius) = (u128::from(box_), u128::from(radius));
    let (len, blocks) = (len as u128, blocks as u128);
    let rows = len.div_ceil(LANES as u128);
    let indices = (rows + 1) * (LANES * 4) as u128;
    let nodes = blocks * ((LANES * 16) as u128 + 2 * point + 2 * radius * column);
    let items = rows * (point + box_ * point + radius * column);
    u64::try_from(HEADER as u128 + indices + nodes + items).unwrap_or(u64::MAX)
}

/// How many items and blocks of children there are, if so many bytes are there.
fn header<T: Bounded>(bytes: &[u8]) -> Result<(usize, usize), &'static str> {
    let header = bytes.first_chunk::<HEADER>().ok_or("it is cut short")?;
    let (words, _) = header.as_chunks::<8>();
    let number = |word: usize| u64::from_le_bytes(words[word]);
    if words[0] != *MAGIC {
        return Err("it does not begin as one");
    }
    if header[8..12] != VERSION.to_le_bytes() {
        return Err("it is of a version that is not known");
    }
    if header[12..16] != kind::<T>() {
        return Err("its items are of another kind, scalar or number of axes");
    }
    if header[40..].iter().any(|&byte| byte != 0) {
        return Err("its header ends with other than zeros");
    }
    let too_many = |_| "it has more items than fit in memory";
    let len = usize::try_from(number(2)).map_err(too_many)?;
    let blocks = usize::try_from(number(3)).map_err(too_many)?;
    if number(4) != size::<T>(len, blocks) {
        return Err("its lengths contradict each other");
    }
    match (bytes.len() as u64).cmp(&number(4)) {
        core::cmp::Ordering::Less => Err("it is cut short"),
        core::cmp::Ordering::Greater => Err("there are bytes behind it"),
        core::cmp::Ordering::Equal => Ok((len, blocks)),
    }
}

fn put_whole(to: &mut Vec<u8>, numbers: &[u32]) {
    to.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

fn put<S: Scalar>(to: &mut Vec<u8>, columns: &[Column<S>]) {
    for number in columns.iter().flat_map(|column| column.0) {
        to.extend_from_slice(&number.to_bits().to_le_bytes()[..size_of::<S>()]);
    }
}

/// What is left of the bytes, which are known to be enough.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn whole(&mut self, many: usize) -> Vec<u32> {
        let (these, rest) = self.0.split_at(many * 4);
        self.0 = rest;
        let (words, _) = these.as_chunks();
        words.iter().map(|&word| u32::from_le_bytes(word)).collect()
    }

    fn column<S: Scalar>(&mut self) -> Column<S> {
        let (these, rest) = self.0.split_at(size_of::<S>() * LANES);
        self.0 = rest;
        Column(core::array::from_fn(|lane| {
            let mut bytes = [0; 8];
            let at = lane * size_of::<S>();
            bytes[..size_of::<S>()].copy_from_slice(&these[at..at + size_of::<S>()]);
            S::from_bits(u64::from_le_bytes(bytes))
        }))
    }

    fn columns<S: Scalar>(&mut self, many: usize) -> Vec<Column<S>> {
        (0..many).map(|_| self.column()).collect()
    }

    fn point<A: Vector>(&mut self) -> Columns<A> {
        let mut columns = all::<A>(Scalar::ZERO);
        columns.as_mut().fill_with(|| self.column());
        columns
    }

    fn axes<A: Vector>(&mut self, many: usize) -> Vec<Columns<A>> {
        (0..many).map(|_| self.point::<A>()).collect()
    }

    fn cells<A: Vector>(&mut self, many: usize) -> Vec<Boxes<A>> {
        let mut next = || Boxes {
            low: self.point::<A>(),
            high: self.point::<A>(),
        };
        (0..many).map(|_| next()).collect()
    }
}
