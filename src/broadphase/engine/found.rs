//! What a search finds.

use alloc::vec::Vec;

use super::Judge;
use super::walk::Work;
use crate::simd::{Pile, Room};
use crate::{Aabb, Vector};

/// Numbers of pairs that pile up.
const PILE: usize = 2048;

/// Room for what piles up.
pub(super) type Piles = [Room<PILE>; 2];

/// What was found: pairs one after the other, the lesser id of each first.
#[derive(Clone, Default)]
pub(super) struct Found {
    pub(super) begun: Vec<u32>,
    pub(super) ended: Vec<u32>,
    pub(super) work: Work,
    /// Memory for the parts of a search, empty in between.
    pub(super) parts: Vec<Self>,
}

impl Found {
    pub(super) const fn new() -> Self {
        Self {
            begun: Vec::new(),
            ended: Vec::new(),
            work: Work {
                nodes: 0,
                blocks: 0,
                tests: 0,
            },
            parts: Vec::new(),
        }
    }

    /// Nothing, in the same memory.
    pub(super) fn cleared(mut self) -> Self {
        self.begun.clear();
        self.ended.clear();
        self.work = Work::default();
        self
    }

    /// Takes in what a part found.
    #[cfg(feature = "rayon")]
    pub(super) fn append(&mut self, part: &mut Self) {
        self.begun.append(&mut part.begun);
        self.ended.append(&mut part.ended);
        self.work += core::mem::take(&mut part.work);
    }

    /// Memory in use.
    pub(super) fn bytes(&self) -> usize {
        let numbers = self.begun.capacity() + self.ended.capacity();
        let parts = self.parts.iter().map(Self::bytes).sum::<usize>();
        let unused = self.parts.capacity() - self.parts.len();
        numbers * size_of::<u32>() + parts + unused * size_of::<Self>() + size_of::<Self>()
    }
}

/// What is being found, piled up before it is judged.
pub(super) struct Finding<'a, V: Vector> {
    pub(super) begun: Pile<'a>,
    pub(super) ended: Pile<'a>,
    judge: &'a dyn Judge<V>,
    boxes: &'a [Aabb<V>],
    found: &'a mut Found,
}

impl<'a, V: Vector> Finding<'a, V> {
    #[inline(always)]
    pub(super) fn new(
        [begun, ended]: &'a mut Piles,
        judge: &'a dyn Judge<V>,
        boxes: &'a [Aabb<V>],
        found: &'a mut Found,
    ) -> Self {
        Self {
            begun: begun.pile(),
            ended: ended.pile(),
            judge,
            boxes,
            found,
        }
    }

    /// How many more numbers each pile can hold.
    #[inline(always)]
    pub(super) fn room(&self) -> usize {
        self.begun.room().min(self.ended.room())
    }

    /// Hands on what has piled up, without the pairs that are none. Not called from the innermost
    /// loops: around a call, the registers that hold boxes would be saved.
    #[inline(never)]
    pub(super) fn flush(&mut self) {
        let found = &mut *self.found;
        let piles = [&mut self.begun, &mut self.ended];
        for (pile, to) in piles.into_iter().zip([&mut found.begun, &mut found.ended]) {
            if self.judge.all() {
                to.extend_from_slice(pile.as_slice());
            } else {
                self.judge
                    .choose(self.boxes, pile.as_slice().as_chunks().0, to);
            }
            pile.clear();
        }
    }

    /// Hands on what is left.
    #[inline(always)]
    pub(super) fn finish(mut self, work: Work) {
        self.flush();
        self.found.work += work;
    }
}
