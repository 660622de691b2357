//! A tree whose lists borrow the caller's bytes. This is one of three files with `unsafe` code.
//!
//! No list outlives the bytes: only a [`SavedOrthtree`] has borrowed lists, and its lifetime is that of the bytes. It hands out
//! `&Orthtree`, never `&mut Orthtree` or the tree itself, so no list can be moved out of it. A clone owns its memory.

#![allow(unsafe_code, reason = "lists are lent by an unsafe function")]

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use core::ops::Deref;

use super::Parts;
use crate::orthtree::Orthtree;
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
    /// Makes a tree of lists, without any checks.
    pub(super) fn new(len: usize, parts: Parts<&'a [u8]>) -> Self {
        let [[indices, ..], nodes, wide_nodes, of_items] = parts;
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
            tree.nodes.boxes = Flat::lend(nodes[0]);
            tree.nodes.radii = Flat::lend(nodes[1]);
            tree.wide_nodes.boxes = Flat::lend(wide_nodes[0]);
            tree.wide_nodes.radii = Flat::lend(wide_nodes[1]);
            items.points = Flat::lend(of_items[0]);
            items.highs = Flat::lend(of_items[1]);
            items.radii = Flat::lend(of_items[2]);
        }
        Self {
            tree: Orthtree {
                core: tree,
                whole: Vec::new(),
            },
            bytes: PhantomData,
        }
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
