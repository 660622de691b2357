//! A tree that lies in bytes of the caller's. One of three places with `unsafe` code.
//!
//! Why nothing outlives the bytes: lists are lent here alone, to a [`SavedOrthtree`], which holds the borrow of the bytes. It
//! hands out `&Orthtree`, never `&mut` and never the tree, so that no list can be moved out of it; and a clone owns
//! its memory.

#![allow(unsafe_code, reason = "lists are lent by an unsafe function")]

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use core::ops::Deref;

use super::Orthtree;
use crate::overlap::columns::Columns;
use crate::shape::{ArrayOf, Bounded};
use crate::simd::Column;
use crate::vector::Vector;
use crate::wide_nodes::Flat;
use crate::wide_nodes::Tree;

/// A saved tree that lies in the bytes of [`to_bytes`](Orthtree::to_bytes), as in a file that is mapped into memory: what
/// [`Orthtree::open`] returns. It answers whatever an [`Orthtree`] does, by being lent as one; its clone is an
/// [`Orthtree`] that no longer needs the bytes.
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
    /// Borrowed as long as this is there.
    bytes: PhantomData<&'a [u8]>,
}

/// Where the lists of a tree lie, each without gaps.
pub(super) struct Parts<'a> {
    pub(super) indices: &'a [u8],
    /// The boxes of the small nodes and of the wide ones, each with their radii.
    pub(super) nodes: [&'a [u8]; 2],
    pub(super) wide_nodes: [&'a [u8]; 2],
    pub(super) points: &'a [u8],
    pub(super) highs: &'a [u8],
    pub(super) item_radii: &'a [u8],
}

impl<'a, T: Bounded> SavedOrthtree<'a, T> {
    /// The tree of some lists, nothing of which is checked.
    pub(super) fn new(len: usize, parts: &Parts<'a>) -> Self {
        let mut tree = Tree::<ArrayOf<T>>::of_len(T::LAYOUT, len);
        let items = &mut tree.items;
        const {
            let column = size_of::<Column<<T::Vector as Vector>::Scalar>>();
            assert!(size_of::<Columns<ArrayOf<T>>>() == T::Vector::DIM * column);
        }
        // SAFETY: `bytes` borrows them for longer than the tree is there, whose lists nobody can move out of it, and which is never
        // handed out as one that could be changed. Numbers and arrays of numbers, without gaps, are any bytes.
        unsafe {
            tree.indices = Flat::lend(parts.indices);
            tree.nodes.boxes = Flat::lend(parts.nodes[0]);
            tree.nodes.radii = Flat::lend(parts.nodes[1]);
            tree.wide_nodes.boxes = Flat::lend(parts.wide_nodes[0]);
            tree.wide_nodes.radii = Flat::lend(parts.wide_nodes[1]);
            items.points = Flat::lend(parts.points);
            items.highs = Flat::lend(parts.highs);
            items.radii = Flat::lend(parts.item_radii);
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
