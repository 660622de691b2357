//! A tree whose lists borrow the caller's bytes. This is one of three files with `unsafe` code.
//!
//! No list outlives the bytes: only a [`SavedOrthtree`] has borrowed lists, and its lifetime is that of the bytes. It hands out
//! `&Orthtree`, never `&mut Orthtree` or the tree itself, so no list can be moved out of it. A clone owns its memory.

#![allow(unsafe_code, reason = "lists are lent by an unsafe function")]

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use core::ops::Deref;

use super::check::check;
use super::{HEADER, check_header, lens, saved};
use crate::error::Error;
use crate::orthtree::Orthtree;
use crate::overlap::check_count;
use crate::overlap::columns::Columns;
use crate::shape::{ArrayOf, Bounded};
use crate::simd::Column;
use crate::vector::Vector;
use crate::wide_nodes::Flat;
use crate::wide_nodes::Tree;

/// A saved tree that is used in place, in the bytes of [`to_bytes`](Orthtree::to_bytes), such as a memory-mapped file. [`Orthtree::open`]
/// returns it. It dereferences to an [`Orthtree`], and `clone` makes an [`Orthtree`] that does not need the bytes.
///
/// ```
/// use orthant::{Octree, glam::Vec3};
/// let bytes = Octree::new(&[Vec3::ZERO, Vec3::X]).to_bytes();
/// let mut memory = vec![0; bytes.len() + 63]; // a file that is mapped is aligned already
/// let at = memory.as_ptr().align_offset(64);
/// memory[at..][..bytes.len()].copy_from_slice(&bytes);
/// let tree = Octree::open(&memory[at..][..bytes.len()])?;
/// assert_eq!(tree.nearest(Vec3::X * 9.0).unwrap().item, 1);
/// let owned: Octree = tree.clone();
/// drop(memory);
/// assert_eq!(owned.len(), 2);
/// # Ok::<(), orthant::Error>(())
/// ```
pub struct SavedOrthtree<'a, T: Bounded> {
    tree: Orthtree<T>,
    /// Keeps the bytes borrowed.
    bytes: PhantomData<&'a [u8]>,
}

impl<'a, T: Bounded> SavedOrthtree<'a, T> {
    /// Opens a tree in aligned bytes with numbers in the byte order of the machine. Checks everything except the items.
    pub(super) fn new(bytes: &'a [u8]) -> Result<Self, Error> {
        let len = check_header::<T>(bytes).map_err(saved)?;
        check_count(len)?;
        // Cut the bytes into lists.
        let mut rest = &bytes[HEADER..];
        let [
            indices,
            boxes,
            radii,
            wide_boxes,
            wide_radii,
            points,
            highs,
            item_radii,
        ] = lens::<T>(len).map(|len| {
            let (list, behind) = rest.split_at(len as usize);
            rest = behind;
            list
        });
        let mut tree = Tree::<ArrayOf<T>>::of_len(T::LAYOUT, len);
        let items = &mut tree.items;
        // Columns of several axes must have no padding.
        const {
            let column = size_of::<Column<<T::Vector as Vector>::Scalar>>();
            assert!(size_of::<Columns<ArrayOf<T>>>() == T::Vector::DIM * column);
        }
        // SAFETY: `Self` borrows the bytes for as long as the tree exists, and hands the tree out only as `&Orthtree`, so that nobody can
        // move a list out of it. The elements are numbers and arrays of numbers without padding, for which all bytes are valid.
        unsafe {
            tree.indices = Flat::lend(indices);
            tree.nodes.boxes = Flat::lend(boxes);
            tree.nodes.radii = Flat::lend(radii);
            tree.wide_nodes.boxes = Flat::lend(wide_boxes);
            tree.wide_nodes.radii = Flat::lend(wide_radii);
            items.points = Flat::lend(points);
            items.highs = Flat::lend(highs);
            items.radii = Flat::lend(item_radii);
        }
        check(&tree).map_err(saved)?;
        Ok(Self {
            tree: Orthtree {
                core: tree,
                whole: Vec::new(),
            },
            bytes: PhantomData,
        })
    }
}

impl<T: Bounded> Deref for SavedOrthtree<'_, T> {
    type Target = Orthtree<T>;

    #[inline(always)]
    fn deref(&self) -> &Orthtree<T> {
        &self.tree
    }
}

impl<T: Bounded> fmt::Debug for SavedOrthtree<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tree.fmt(f)
    }
}
