//! Names of items, and buffers of them.

use alloc::vec::Vec;

use crate::Handle;
use crate::simd::{Pile, Room};

/// How many are found at a time.
pub(crate) const BUFFER: usize = 256;

/// What names an item.
pub trait Name: Copy {
    /// In lists: an index takes 32 bits there.
    type Listed;
    /// Where some are found.
    type Found: Found<Name = Self>;

    fn listed(self) -> Self::Listed;

    /// Lets `fill` append up to a bufferful to a list.
    fn extend(
        list: &mut Vec<Self::Listed>,
        fill: impl FnOnce(&mut <Self::Found as Found>::Sink<'_>),
    );
}

/// Names that were found.
pub trait Found {
    type Name;
    /// What is filled by vectors.
    type Sink<'a>
    where
        Self: 'a;

    fn new() -> Self;

    fn len(&self) -> usize;

    fn clear(&mut self);

    fn sink(&mut self) -> Self::Sink<'_>;

    /// Those from a place on.
    fn after(&self, place: usize) -> impl Iterator<Item = Self::Name>;
}

/// Makes room in a list for what is found at a time.
#[inline(always)]
pub(crate) fn room_in(list: &mut Vec<u32>) {
    if list.capacity() - list.len() < BUFFER {
        list.reserve(list.len().max(BUFFER));
    }
}

impl Name for usize {
    type Listed = u32;
    type Found = Room<BUFFER>;

    #[inline(always)]
    fn listed(self) -> u32 {
        self as u32
    }

    #[inline(always)]
    fn extend(list: &mut Vec<u32>, fill: impl FnOnce(&mut Pile<'_>)) {
        room_in(list);
        Pile::extend(list, fill);
    }
}

impl Found for Room<BUFFER> {
    type Name = usize;
    type Sink<'a> = Pile<'a>;

    #[inline(always)]
    fn new() -> Self {
        Self::new()
    }

    #[inline(always)]
    fn len(&self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn clear(&mut self) {
        self.clear();
    }

    #[inline(always)]
    fn sink(&mut self) -> Pile<'_> {
        self.pile()
    }

    #[inline(always)]
    fn after(&self, place: usize) -> impl Iterator<Item = usize> {
        self.as_slice()[place..].iter().map(|&index| index as usize)
    }
}

/// Handles, in two lists.
#[derive(Debug)]
pub struct Handles {
    slots: Room<BUFFER>,
    generations: Room<BUFFER>,
}

/// Both lists, to be worked on.
#[derive(Debug)]
pub struct HandleSink<'a> {
    pub(crate) slots: Pile<'a>,
    pub(crate) generations: Pile<'a>,
}

impl Name for Handle {
    type Listed = Self;
    type Found = Handles;

    #[inline(always)]
    fn listed(self) -> Self {
        self
    }

    #[inline(always)]
    fn extend(list: &mut Vec<Self>, fill: impl FnOnce(&mut HandleSink<'_>)) {
        let mut found = Handles::new();
        fill(&mut found.sink());
        list.extend(found.after(0));
    }
}

impl Found for Handles {
    type Name = Handle;
    type Sink<'a> = HandleSink<'a>;

    #[inline(always)]
    fn new() -> Self {
        Self {
            slots: Room::new(),
            generations: Room::new(),
        }
    }

    #[inline(always)]
    fn len(&self) -> usize {
        self.slots.len()
    }

    #[inline(always)]
    fn clear(&mut self) {
        self.slots.clear();
        self.generations.clear();
    }

    #[inline(always)]
    fn sink(&mut self) -> HandleSink<'_> {
        HandleSink {
            slots: self.slots.pile(),
            generations: self.generations.pile(),
        }
    }

    #[inline(always)]
    fn after(&self, place: usize) -> impl Iterator<Item = Handle> {
        let slots = self.slots.as_slice()[place..].iter();
        let both = slots.zip(&self.generations.as_slice()[place..]);
        both.map(|(&slot, &generation)| Handle { slot, generation })
    }
}
