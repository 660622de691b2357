//! Lists of numbers in uninitialized memory. This is one of three files with `unsafe` code: clearing the
//! buffers of a query for ten points would take a fifth of its time.

#![allow(
    unsafe_code,
    reason = "the standard library has no safe list in uncleared memory that takes whole vectors"
)]

use alloc::vec::Vec;
use core::mem::MaybeUninit;

/// A list of at most `N` numbers.
#[derive(Clone, Debug)]
pub(crate) struct ArrayVec<const N: usize> {
    slots: [MaybeUninit<u32>; N],
    /// The slots below are written.
    len: usize,
}

impl<const N: usize> ArrayVec<N> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self {
            slots: [const { MaybeUninit::uninit() }; N],
            len: 0,
        }
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    #[inline(always)]
    pub(crate) fn as_slice(&self) -> &[u32] {
        written(&self.slots[..self.len])
    }

    /// A writer of the list.
    #[inline(always)]
    pub(crate) fn writer(&mut self) -> ListWriter<'_> {
        ListWriter {
            slots: &mut self.slots,
            len: self.len,
            home: &mut self.len,
        }
    }
}

impl<const N: usize> Default for ArrayVec<N> {
    #[inline(always)]
    fn default() -> Self {
        Self::new()
    }
}

/// A writer of a list. It keeps the length in a register and stores it when it is dropped: in
/// memory, every access would wait for the last.
#[derive(Debug)]
pub(crate) struct ListWriter<'a> {
    slots: &'a mut [MaybeUninit<u32>],
    /// The slots below are written.
    len: usize,
    home: &'a mut usize,
}

impl ListWriter<'_> {
    /// Lets `fill` append to a list, in its spare capacity.
    #[inline(always)]
    pub(crate) fn extend(list: &mut Vec<u32>, fill: impl FnOnce(&mut ListWriter<'_>)) {
        let mut added = 0;
        fill(&mut ListWriter {
            slots: list.spare_capacity_mut(),
            len: 0,
            home: &mut added,
        });
        // SAFETY: the writer has written `added` numbers, and its slots are those behind the list's end.
        unsafe { list.set_len(list.len() + added) };
    }

    /// Another writer of the list, during the borrow.
    #[inline(always)]
    pub(crate) fn writer(&mut self) -> ListWriter<'_> {
        ListWriter {
            slots: self.slots,
            len: self.len,
            home: &mut self.len,
        }
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The number of further numbers that it can hold.
    #[inline(always)]
    pub(crate) fn room(&self) -> usize {
        self.slots.len() - self.len
    }

    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    #[inline(always)]
    pub(crate) fn as_slice(&self) -> &[u32] {
        written(&self.slots[..self.len])
    }

    /// Drops all but the first `len` numbers.
    #[inline(always)]
    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<u32> {
        let last = self.as_slice().last().copied()?;
        self.len -= 1;
        Some(last)
    }

    /// Appends the first `many` of some numbers. The list must have room for all of them.
    #[inline(always)]
    pub(crate) fn put<const M: usize>(&mut self, numbers: [u32; M], many: usize) {
        let end = &mut self.slots[self.len..];
        let to: &mut [_; M] = end.first_chunk_mut().expect("room for a whole vector");
        // SAFETY: `to` borrows `M` slots, and a number may be written to an uninitialized slot. In debug
        // builds, a `MaybeUninit` for each number would take a sixth of the time of a list.
        unsafe { *to.as_mut_ptr().cast::<[u32; M]>() = numbers };
        self.len += many.min(M);
    }

    /// Appends numbers, for which the list must have room.
    #[inline(always)]
    pub(crate) fn append(&mut self, numbers: &[u32]) {
        let end = &mut self.slots[self.len..][..numbers.len()];
        for (slot, number) in end.iter_mut().zip(numbers) {
            slot.write(*number);
        }
        self.len += numbers.len();
    }
}

/// Views slots as numbers. All must have been written.
#[inline(always)]
fn written(slots: &[MaybeUninit<u32>]) -> &[u32] {
    // SAFETY: both callers pass what lies below `len`, which is written; the layout is the same.
    unsafe { &*(core::ptr::from_ref(slots) as *const [u32]) }
}

impl Drop for ListWriter<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        *self.home = self.len;
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    use super::{ArrayVec, ListWriter};

    #[test]
    fn a_list_holds_what_was_written_and_its_length_goes_home() {
        let mut room = ArrayVec::<16>::new();
        {
            let mut list = room.writer();
            assert_eq!(list.pop(), None);
            list.put([1, 2, 3, 4], 3);
            list.put([5, 6, 7, 8], 0);
            list.append(&[]);
            {
                let mut held = list.writer();
                held.append(&[9, 10]);
                // `put` never counts more than it wrote.
                held.writer().put([11, 12], 7);
                assert_eq!(held.pop(), Some(12));
            }
            assert_eq!((list.len(), list.room()), (6, 10));
            assert_eq!(list.as_slice(), [1, 2, 3, 9, 10, 11]);
            list.append(&[4; 10]);
            assert_eq!((list.room(), &list.as_slice()[5..8]), (0, &[11, 4, 4][..]));
        }
        assert_eq!((room.len(), room.as_slice()[15]), (16, 4));
        room.writer().clear();
        assert_eq!((room.len(), room.as_slice()), (0, &[][..]));
        room.writer().append(&[9]);
        room.clear();
        assert_eq!(room.len(), 0);
    }

    #[test]
    #[should_panic(expected = "room for a whole vector")]
    fn put_needs_room_for_the_lanes_that_go() {
        let mut room = ArrayVec::<6>::new();
        let mut list = room.writer();
        list.put([1, 2, 3, 4], 3);
        list.put([5, 6, 7, 8], 1);
    }

    #[test]
    #[should_panic(expected = "range end index 2 out of range")]
    fn append_does_not_write_beyond_the_room() {
        let mut room = ArrayVec::<4>::new();
        let mut list = room.writer();
        list.append(&[1, 2, 3]);
        list.append(&[4, 5]);
    }

    #[test]
    #[should_panic(expected = "index out of bounds")]
    fn what_was_popped_is_not_read_again() {
        let mut room = ArrayVec::<4>::new();
        let mut list = room.writer();
        list.append(&[1, 2]);
        list.pop();
        let _ = list.as_slice()[1];
    }

    #[test]
    fn a_vector_takes_what_was_put_into_its_room() {
        ListWriter::extend(&mut Vec::new(), |list| {
            assert_eq!(list.room(), 0);
            list.append(&[]);
        });
        let mut list = vec![1, 2];
        list.reserve_exact(8);
        ListWriter::extend(&mut list, |list| {
            assert_eq!((list.len(), list.room() >= 8), (0, true));
            list.put([3, 4, 5, 6], 2);
            list.writer().append(&[7]);
            list.append(&[8, 9]);
            list.pop();
        });
        assert_eq!(list, [1, 2, 3, 4, 7, 8]);
        ListWriter::extend(&mut list, |list| {
            list.append(&[9]);
            list.clear();
        });
        assert_eq!(list, [1, 2, 3, 4, 7, 8]);
    }
}
