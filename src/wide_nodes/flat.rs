//! Lists that a tree owns, or that it borrows from the caller's bytes.
//!
//! A branch on the owner at each access would slow down every query, so a list is a pointer and a length in both cases.

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

/// A list that owns its memory or borrows it.
pub(crate) struct Flat<X> {
    first: NonNull<X>,
    len: usize,
    /// The capacity of the vector that it was made from; 0 if it is lent, or has no memory.
    capacity: usize,
    owned: PhantomData<X>,
}

// SAFETY: it holds its elements as `Vec<X>` does, or borrows them as `&[X]` does.
unsafe impl<X: Send + Sync> Send for Flat<X> {}
// SAFETY: as above; a shared reference to it gives shared references only.
unsafe impl<X: Sync> Sync for Flat<X> {}

impl<X> Flat<X> {
    /// An empty list.
    pub(crate) const fn new() -> Self {
        Self {
            first: NonNull::dangling(),
            len: 0,
            capacity: 0,
            owned: PhantomData,
        }
    }

    /// Borrows the elements that lie in some bytes; empty if these are not aligned.
    ///
    /// # Safety
    ///
    /// The list must not outlive the bytes. All bytes must be valid for `X`, which must not have a destructor.
    pub(crate) unsafe fn lend(bytes: &[u8]) -> Self {
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

    /// The memory that it owns, in bytes.
    pub(crate) const fn bytes(&self) -> usize {
        self.capacity * size_of::<X>()
    }
}

impl<X: Clone> Flat<X> {
    /// The elements, to be changed in place. A lent list is copied first.
    #[inline(always)]
    pub(crate) fn to_mut(&mut self) -> &mut [X] {
        if self.capacity == 0 {
            self.copy();
        }
        // SAFETY: the memory is that of a vector which was forgotten, or the list is empty; this borrow is the only one.
        unsafe { core::slice::from_raw_parts_mut(self.first.as_ptr(), self.len) }
    }

    #[cold]
    fn copy(&mut self) {
        *self = self.to_vec().into();
    }

    /// Changes the list as a vector, in its memory. A lent list is copied first.
    pub(crate) fn edit<R>(&mut self, change: impl FnOnce(&mut Vec<X>) -> R) -> R {
        let mut list = core::mem::take(self).into_vec();
        let result = change(&mut list);
        *self = list.into();
        result
    }

    /// Drops elements at the end, or appends copies of one.
    pub(crate) fn resize(&mut self, len: usize, with: X) {
        self.edit(|list| list.resize(len, with));
    }

    #[inline(never)]
    fn into_vec(self) -> Vec<X> {
        if self.capacity == 0 {
            return self.to_vec();
        }
        let list = ManuallyDrop::new(self);
        // SAFETY: a forgotten vector had these three, and the list is forgotten, too.
        unsafe { Vec::from_raw_parts(list.first.as_ptr(), list.len, list.capacity) }
    }
}

impl<X> From<Vec<X>> for Flat<X> {
    fn from(list: Vec<X>) -> Self {
        // A capacity of 0 means that there is no memory to give back.
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
        // SAFETY: the elements lie in the memory of a forgotten vector or, by the contract of `lend`, in bytes that outlive the
        // list; or there are none.
        unsafe { core::slice::from_raw_parts(self.first.as_ptr(), self.len) }
    }
}

impl<X> Drop for Flat<X> {
    fn drop(&mut self) {
        if self.capacity != 0 {
            // SAFETY: a forgotten vector had these three, and the list is not used again.
            drop(unsafe { Vec::from_raw_parts(self.first.as_ptr(), self.len, self.capacity) });
        }
    }
}

/// The clone owns its memory.
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

#[cfg(test)]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    use super::Flat;

    #[test]
    fn an_owned_list_gives_its_memory_back() {
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
        list.to_mut()[3] = 9;
        assert_eq!(
            (&list[..], &clone[..]),
            (&[1, 2, 3, 9][..], &[1, 2, 3, 4][..])
        );
        // SAFETY: `numbers` stays to the end.
        let unaligned = unsafe { Flat::<u32>::lend(&bytes[1..9]) };
        assert!(unaligned.is_empty());
    }
}
