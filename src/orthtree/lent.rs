//! Lists that are a tree's own or lie in bytes of others', and the tree that is made of the latter. One of two places with
//! `unsafe` code: with a branch for what is owned and what is lent, every access of every query would pay.
//!
//! Why nothing outlives the bytes: lists are lent here alone, to a [`SavedOrthtree`], which holds the borrow of the bytes. It
//! hands out `&Orthtree`, never `&mut` and never the tree, so that no list can be moved out of it; and a clone owns
//! its memory.

#![allow(
    unsafe_code,
    reason = "the standard library has no list that is owned or lent without a branch at each access"
)]

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ops::Deref;
use core::ptr::NonNull;

use super::Orthtree;
use super::tree::Tree;
use crate::overlap::columns::Columns;
use crate::shape::{ArrayOf, Bounded};
use crate::simd::Column;
use crate::vector::Vector;

/// A list that stays as it is: its own, or lent.
pub(super) struct Flat<X> {
    first: NonNull<X>,
    len: usize,
    /// That of the vector whose memory it is; 0 if there is none: it is lent, or empty.
    capacity: usize,
    owned: PhantomData<X>,
}

// SAFETY: it gives away nothing but shared references, and its elements where they are its own, as `&[X]` and `Vec<X>` do.
unsafe impl<X: Send + Sync> Send for Flat<X> {}
// SAFETY: the same.
unsafe impl<X: Sync> Sync for Flat<X> {}

impl<X> Flat<X> {
    /// An empty list.
    pub(super) const fn new() -> Self {
        Self {
            first: NonNull::dangling(),
            len: 0,
            capacity: 0,
            owned: PhantomData,
        }
    }

    /// What lies in bytes of others', from their beginning on; nothing if they are not aligned.
    ///
    /// # Safety
    ///
    /// The list is gone before the bytes are, and all bytes are an `X` that has no destructor.
    unsafe fn lend(bytes: &[u8]) -> Self {
        const { assert!(size_of::<X>() > 0 && !core::mem::needs_drop::<X>()) }
        let first = NonNull::from(bytes).cast::<X>();
        if !first.is_aligned() {
            return Self::new();
        }
        Self {
            first,
            len: bytes.len() / size_of::<X>(),
            capacity: 0,
            owned: PhantomData,
        }
    }

    /// The memory that is its own, in bytes.
    pub(super) const fn bytes(&self) -> usize {
        self.capacity * size_of::<X>()
    }
}

impl<X: Clone> Flat<X> {
    /// Changes the list as a vector, in its memory; one that is lent is copied.
    pub(super) fn edit<R>(&mut self, change: impl FnOnce(&mut Vec<X>) -> R) -> R {
        let mut list = core::mem::take(self).into_vec();
        let result = change(&mut list);
        *self = list.into();
        result
    }

    fn into_vec(self) -> Vec<X> {
        if self.capacity == 0 {
            return self.to_vec();
        }
        let list = ManuallyDrop::new(self);
        // SAFETY: a vector had these three, which was forgotten, and so is the list.
        unsafe { Vec::from_raw_parts(list.first.as_ptr(), list.len, list.capacity) }
    }
}

impl<X> From<Vec<X>> for Flat<X> {
    fn from(list: Vec<X>) -> Self {
        // Where this is 0, there is no memory to give back.
        const { assert!(size_of::<X>() > 0) }
        let mut list = ManuallyDrop::new(list);
        Self {
            first: NonNull::new(list.as_mut_ptr()).unwrap_or(NonNull::dangling()),
            len: list.len(),
            capacity: list.capacity(),
            owned: PhantomData,
        }
    }
}

impl<X> Deref for Flat<X> {
    type Target = [X];

    #[inline(always)]
    fn deref(&self) -> &[X] {
        // SAFETY: so many elements begin there, in the memory of a vector that was forgotten or, by the contract of `lend`, in
        // bytes that are not gone; or there are none. Nothing changes them while the list is there.
        unsafe { core::slice::from_raw_parts(self.first.as_ptr(), self.len) }
    }
}

impl<X> Drop for Flat<X> {
    fn drop(&mut self) {
        if self.capacity != 0 {
            // SAFETY: a vector had these three, which was forgotten, and the list is not used again.
            drop(unsafe { Vec::from_raw_parts(self.first.as_ptr(), self.len, self.capacity) });
        }
    }
}

/// A list of its own.
impl<X: Clone> Clone for Flat<X> {
    fn clone(&self) -> Self {
        self.to_vec().into()
    }
}

impl<X> Default for Flat<X> {
    fn default() -> Self {
        Self::new()
    }
}

impl<X: fmt::Debug> fmt::Debug for Flat<X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self[..].fmt(f)
    }
}

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
            tree.nodes.cells = Flat::lend(parts.nodes[0]);
            tree.nodes.radii = Flat::lend(parts.nodes[1]);
            tree.wide_nodes.cells = Flat::lend(parts.wide_nodes[0]);
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

#[cfg(test)]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    use super::Flat;

    #[test]
    fn a_list_of_its_own_gives_its_memory_back() {
        let mut list = Flat::from(vec![1_u64, 2, 3]);
        let (before, clone) = (list.as_ptr(), list.clone());
        list.edit(|list| list[0] = 9);
        assert_eq!((&list[..], list.as_ptr()), (&[9, 2, 3][..], before));
        list.edit(|list| list.extend(0..100));
        assert_eq!((list.len(), &clone[..]), (103, &[1, 2, 3][..]));
        list.edit(Vec::clear);
        assert!(list.is_empty() && list.bytes() >= 103 * 8);
        let mut none = Flat::<u32>::default();
        assert_eq!((none.len(), none.bytes()), (0, 0));
        none.edit(|list| list.push(4));
        assert_eq!(none[..], [4]);
    }

    #[test]
    fn a_lent_list_is_copied_before_it_is_changed() {
        let numbers = [1_u32, 2, 3, 4];
        let bytes: &[u8] = bytemuck::cast_slice(&numbers);
        // SAFETY: `numbers` stays to the end.
        let mut list = unsafe { Flat::<u32>::lend(bytes) };
        assert_eq!(
            (&list[..], list.as_ptr(), list.bytes()),
            (&numbers[..], numbers.as_ptr(), 0)
        );
        let clone = list.clone();
        list.edit(|list| list[3] = 9);
        assert_eq!(
            (&list[..], &clone[..]),
            (&[1, 2, 3, 9][..], &[1, 2, 3, 4][..])
        );
        // SAFETY: the same.
        let unaligned = unsafe { Flat::<u32>::lend(&bytes[1..9]) };
        assert!(unaligned.is_empty());
    }
}
