//! What a walk for a ball finds, some handles at a time.

use core::ops::ControlFlow;

use crate::loose::LooseOrthtree;
use crate::loose::walk::{Count, Fill, Walk};
use crate::overlap::lanes::{Ball, Layout};
use crate::simd::Room;
use crate::{Bounded, Handle, Region};

/// The handles that are found at a time.
const BUFFER: usize = 256;

/// A walk, and what it has found but not handed out.
pub(super) struct Ahead<T: Bounded> {
    pub(super) ball: Ball<T::Vector>,
    pub(super) walk: Walk,
    pub(super) found: Found,
    pub(super) at: usize,
}

/// The ball that a region is, if the items are such as can be asked by lanes.
#[inline(always)]
pub(super) fn ball<T: Bounded, R: Region<Vector = T::Vector>>(
    region: &R,
) -> Option<Ball<T::Vector>> {
    if T::LAYOUT == Layout::Whole {
        None
    } else {
        region.ball()
    }
}

/// Handles, in two lists.
pub(super) struct Found {
    pub(super) slots: Room<BUFFER>,
    generations: Room<BUFFER>,
}

impl Found {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self {
            slots: Room::new(),
            generations: Room::new(),
        }
    }

    /// Those from a place on.
    #[inline(always)]
    pub(super) fn handles(&self, from: usize) -> impl Iterator<Item = Handle> {
        let slots = self.slots.as_slice()[from..].iter();
        let both = slots.zip(&self.generations.as_slice()[from..]);
        both.map(|(&slot, &generation)| Handle { slot, generation })
    }

    /// Finds some more instead of those.
    #[inline(always)]
    pub(super) fn refill<T: Bounded>(
        &mut self,
        tree: &LooseOrthtree<T>,
        ball: &Ball<T::Vector>,
        walk: &mut Walk,
    ) {
        self.slots.clear();
        self.generations.clear();
        tree.instructions.run(Fill {
            tree,
            ball,
            walk,
            slots: &mut self.slots.pile(),
            generations: &mut self.generations.pile(),
        });
    }
}

impl<T: Bounded> Ahead<T> {
    /// Looks further ahead, until something is found or there is no more.
    pub(super) fn refill(&mut self, tree: &LooseOrthtree<T>) {
        while self.at == self.found.slots.len() && !self.walk.is_done() {
            self.at = 0;
            self.found.refill(tree, &self.ball, &mut self.walk);
        }
    }

    /// The next, if it was found already.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<Handle> {
        let handle = self.found.handles(self.at).next()?;
        self.at += 1;
        Some(handle)
    }
}

/// Counts what is left of a walk.
#[inline(always)]
pub(super) fn count<T: Bounded>(
    tree: &LooseOrthtree<T>,
    ball: &Ball<T::Vector>,
    walk: &mut Walk,
) -> usize {
    let mut count = 0;
    while !walk.is_done() {
        count += tree.instructions.run(Count { tree, ball, walk });
    }
    count
}

/// Hands on what is left of a walk, until `f` breaks.
#[inline(always)]
pub(super) fn rest<T: Bounded, B>(
    tree: &LooseOrthtree<T>,
    ball: &Ball<T::Vector>,
    walk: &mut Walk,
    mut f: impl FnMut(Handle) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let mut found = Found::new();
    while !walk.is_done() {
        found.refill(tree, ball, walk);
        for handle in found.handles(0) {
            f(handle)?;
        }
    }
    ControlFlow::Continue(())
}
