//! Any region, run by run.

use core::ops::ControlFlow;

/// The traversal of one structure for one region.
pub trait Walk {
    /// What names an item to the user.
    type Key;
    /// Slots of items that lie together.
    type Run: ExactSizeIterator<Item = u32>;

    /// The next run, and whether all of it is known to overlap the region.
    fn next_run(&mut self) -> Option<(Self::Run, bool)>;

    /// Whether the item overlaps the region.
    fn hits(&self, slot: u32) -> bool;

    /// The item's name.
    fn key(&self, slot: u32) -> Self::Key;
}

/// A walk, and what is left of its last run.
pub(crate) struct Runs<W: Walk> {
    walk: W,
    run: Option<(W::Run, bool)>,
}

impl<W: Walk> Runs<W> {
    pub(crate) fn new(walk: W) -> Self {
        Self { walk, run: None }
    }

    /// The run at hand.
    #[inline]
    fn take_run(&mut self) -> Option<(W::Run, bool)> {
        self.run.take().or_else(|| self.walk.next_run())
    }

    /// Calls `f` with what is left, until it breaks.
    pub(super) fn visit<B>(
        mut self,
        mut f: impl FnMut(W::Key) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        while let Some((run, inside)) = self.take_run() {
            for slot in run {
                if inside || self.walk.hits(slot) {
                    f(self.walk.key(slot))?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}

impl<W: Walk> Iterator for Runs<W> {
    type Item = W::Key;

    #[inline]
    fn next(&mut self) -> Option<W::Key> {
        loop {
            if let Some((run, inside)) = &mut self.run {
                for slot in run {
                    if *inside || self.walk.hits(slot) {
                        return Some(self.walk.key(slot));
                    }
                }
            }
            self.run = None;
            self.run = Some(self.walk.next_run()?);
        }
    }

    fn fold<A, F: FnMut(A, W::Key) -> A>(mut self, init: A, mut f: F) -> A {
        let mut all = init;
        while let Some((run, inside)) = self.take_run() {
            for slot in run {
                if inside || self.walk.hits(slot) {
                    all = f(all, self.walk.key(slot));
                }
            }
        }
        all
    }

    fn count(mut self) -> usize {
        let mut count = 0;
        while let Some((run, inside)) = self.take_run() {
            count += if inside {
                run.len()
            } else {
                run.filter(|&slot| self.walk.hits(slot)).count()
            };
        }
        count
    }
}
