//! Lists of numbers in memory that nobody cleared. The one place with `unsafe` code: clearing the
//! buffers of a query for ten points would take a fifth of its time.

#![allow(
    unsafe_code,
    reason = "the standard library has no safe list in uncleared memory that takes whole vectors"
)]

use alloc::vec::Vec;
use core::mem::MaybeUninit;

/// Room for a list, and its length.
pub(crate) struct Room<const N: usize> {
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

/// A list that is being worked on. Its length lives in a register and goes home at the end: in
/// memory, every access would wait for the last.
pub(crate) struct Pile<'a> {
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
    pub(crate) fn get(&self, at: usize) -> u32 {
        self.as_slice()[at]
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
