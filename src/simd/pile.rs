//! Lists of numbers in memory that nobody cleared. The one place with `unsafe` code: clearing the
//! buffers of a query for ten points would take a fifth of its time.

#![allow(
    unsafe_code,
    reason = "the standard library has no safe list in uncleared memory that takes whole vectors"
)]

use alloc::vec::Vec;
use core::mem::MaybeUninit;

/// Room for a list, and its length.
#[derive(Debug)]
pub struct Room<const N: usize> {
    slots: [MaybeUninit<u32>; N],
    /// All below are written.
    len: usize,
}

impl<const N: usize> Room<N> {
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

    /// The list, to be worked on.
    #[inline(always)]
    pub(crate) fn pile(&mut self) -> Pile<'_> {
        Pile {
            slots: &mut self.slots,
            len: self.len,
            home: &mut self.len,
        }
    }
}

impl<const N: usize> Default for Room<N> {
    #[inline(always)]
    fn default() -> Self {
        Self::new()
    }
}

/// A list that is being worked on. Its length lives in a register and goes home at the end: in
/// memory, every access would wait for the last.
#[derive(Debug)]
pub struct Pile<'a> {
    slots: &'a mut [MaybeUninit<u32>],
    /// All below are written.
    len: usize,
    home: &'a mut usize,
}

impl Pile<'_> {
    /// Lets `fill` append to a list, in the room that it has.
    #[inline(always)]
    pub(crate) fn extend(list: &mut Vec<u32>, fill: impl FnOnce(&mut Pile<'_>)) {
        let mut added = 0;
        fill(&mut Pile {
            slots: list.spare_capacity_mut(),
            len: 0,
            home: &mut added,
        });
        // SAFETY: a pile is written up to its length, and the room is that behind the list's end.
        unsafe { list.set_len(list.len() + added) };
    }

    /// The same list, held by another for a while.
    #[inline(always)]
    pub(crate) fn pile(&mut self) -> Pile<'_> {
        Pile {
            slots: self.slots,
            len: self.len,
            home: &mut self.len,
        }
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// How many more it can hold.
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

    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<u32> {
        let last = self.as_slice().last().copied()?;
        self.len -= 1;
        Some(last)
    }

    /// Appends the first `many` of some numbers, for all of which there is to be room.
    #[inline(always)]
    pub(crate) fn put<const M: usize>(&mut self, numbers: [u32; M], many: usize) {
        let end = &mut self.slots[self.len..];
        let to: &mut [_; M] = end.first_chunk_mut().expect("room for a whole vector");
        *to = numbers.map(MaybeUninit::new);
        self.len += many.min(M);
    }

    /// Appends numbers, for which there is to be room.
    #[inline(always)]
    pub(crate) fn append(&mut self, numbers: &[u32]) {
        let end = &mut self.slots[self.len..][..numbers.len()];
        for (slot, number) in end.iter_mut().zip(numbers) {
            slot.write(*number);
        }
        self.len += numbers.len();
    }
}

/// Only for slots that are written.
#[inline(always)]
fn written(slots: &[MaybeUninit<u32>]) -> &[u32] {
    // SAFETY: both callers pass what lies below `len`, which is written; the layout is the same.
    unsafe { &*(core::ptr::from_ref(slots) as *const [u32]) }
}

impl Drop for Pile<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        *self.home = self.len;
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    use super::{Pile, Room};

    #[test]
    fn put_keeps_the_first_of_a_vector() {
        let mut room = Room::<12>::new();
        let mut pile = room.pile();
        pile.put([1, 2, 3, 4], 3);
        pile.put([5, 6, 7, 8], 0);
        pile.put([9, 10, 11, 12], 4);
        assert_eq!((pile.len(), pile.room()), (7, 5));
        assert_eq!(pile.as_slice(), [1, 2, 3, 9, 10, 11, 12]);
        assert_eq!(pile.as_slice()[3], 9);
    }

    #[test]
    fn put_never_counts_more_than_it_wrote() {
        let mut room = Room::<8>::new();
        room.pile().put([1, 2], 7);
        assert_eq!(room.as_slice(), [1, 2]);
    }

    #[test]
    #[should_panic(expected = "room for a whole vector")]
    fn put_needs_room_for_the_lanes_that_go() {
        let mut room = Room::<6>::new();
        let mut pile = room.pile();
        pile.put([1, 2, 3, 4], 3);
        pile.put([5, 6, 7, 8], 1);
    }

    #[test]
    fn append_fills_the_room_to_its_end() {
        let mut room = Room::<4>::new();
        let mut pile = room.pile();
        pile.append(&[]);
        pile.append(&[1, 2, 3]);
        pile.append(&[4]);
        assert_eq!(pile.room(), 0);
        assert_eq!(pile.as_slice(), [1, 2, 3, 4]);
    }

    #[test]
    #[should_panic(expected = "range end index 2 out of range")]
    fn append_does_not_write_beyond_the_room() {
        let mut room = Room::<4>::new();
        let mut pile = room.pile();
        pile.append(&[1, 2, 3]);
        pile.append(&[4, 5]);
    }

    #[test]
    fn pop_takes_the_last_until_there_is_none() {
        let mut room = Room::<4>::new();
        let mut pile = room.pile();
        assert_eq!(pile.pop(), None);
        pile.append(&[1, 2]);
        assert_eq!(
            (pile.pop(), pile.pop(), pile.pop()),
            (Some(2), Some(1), None)
        );
        pile.append(&[3]);
        assert_eq!(pile.as_slice(), [3]);
    }

    #[test]
    #[should_panic(expected = "index out of bounds")]
    fn what_was_popped_is_not_read_again() {
        let mut room = Room::<4>::new();
        let mut pile = room.pile();
        pile.append(&[1, 2]);
        pile.pop();
        let _ = pile.as_slice()[1];
    }

    #[test]
    fn the_length_goes_home() {
        let mut room = Room::<16>::new();
        {
            let mut pile = room.pile();
            pile.append(&[1, 2]);
            {
                let mut held = pile.pile();
                held.append(&[3]);
                held.pile().put([4, 5], 1);
                assert_eq!(held.as_slice(), [1, 2, 3, 4]);
            }
            assert_eq!(pile.len(), 4);
        }
        assert_eq!(room.as_slice(), [1, 2, 3, 4]);

        room.pile().clear();
        assert_eq!((room.len(), room.as_slice()), (0, &[][..]));
        room.pile().append(&[9]);
        room.clear();
        assert_eq!(room.len(), 0);
    }

    #[test]
    fn a_vector_takes_what_was_put_into_its_room() {
        let mut list = vec![1, 2];
        list.reserve_exact(8);
        Pile::extend(&mut list, |pile| {
            assert_eq!((pile.len(), pile.room() >= 8), (0, true));
            pile.put([3, 4, 5, 6], 2);
            pile.pile().append(&[7]);
            pile.append(&[8, 9]);
            pile.pop();
        });
        assert_eq!(list, [1, 2, 3, 4, 7, 8]);
        Pile::extend(&mut list, |pile| {
            pile.append(&[9]);
            pile.clear();
        });
        assert_eq!(list, [1, 2, 3, 4, 7, 8]);
    }

    #[test]
    fn a_vector_without_room_takes_nothing() {
        let mut list = Vec::new();
        Pile::extend(&mut list, |pile| {
            assert_eq!(pile.room(), 0);
            pile.append(&[]);
        });
        assert!(list.is_empty());
    }
}
