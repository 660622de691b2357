//! How a structure is searched for a region: by blocks of sixteen, or run by run.
//!
//! A block search is for the regions that vector instructions can be asked of, boxes and balls; it fills a
//! buffer of keys ahead of what is handed out. A walk is for every region: it hands out runs of slots, each
//! either wholly inside the region or still to be asked item by item; that a node inside the region is one
//! run is what makes large answers cheap.

use alloc::vec::Vec;
use core::convert::Infallible;
use core::ops::ControlFlow;

use super::SpatialIndex;
use super::key::{BUFFER, Key, KeyBuffer, Packed, Writer};
use crate::error::Error;

/// A region of which sixteen items are asked at a time, as a structure `S` takes it.
pub trait BlockSearch<S: SpatialIndex>: Clone {
    /// How far a search has come.
    type Cursor: Clone;

    /// Nothing to do yet. Apart from [`start`](Self::start), so that it is made where it stays:
    /// moving it would take a fifth of the time of a query for ten points.
    fn cursor() -> Self::Cursor;

    fn start(&self, index: &S, cursor: &mut Self::Cursor);

    /// Whether all is done; else there is something to go on with.
    fn is_done(cursor: &mut Self::Cursor) -> bool;

    /// Finds some more, as long as a whole vector fits.
    fn fill(&self, index: &S, cursor: &mut Self::Cursor, to: &mut Writer<'_, S::Key>);

    /// Counts some more.
    fn count(&self, index: &S, cursor: &mut Self::Cursor) -> usize;

    /// Appends what is left to a list.
    #[inline(always)]
    fn append_rest(
        &self,
        index: &S,
        cursor: &mut Self::Cursor,
        list: &mut Vec<Packed<S>>,
    ) -> Result<(), Error> {
        while !Self::is_done(cursor) {
            S::Key::extend(list, BUFFER, |to| self.fill(index, cursor, to))?;
        }
        Ok(())
    }

    /// Counts what is left.
    #[inline(always)]
    fn count_rest(&self, index: &S, cursor: &mut Self::Cursor) -> usize {
        let mut count = 0;
        while !Self::is_done(cursor) {
            count += self.count(index, cursor);
        }
        count
    }

    /// Hands on what is left, until `f` breaks.
    #[inline(always)]
    fn visit_rest<B>(
        &self,
        index: &S,
        cursor: &mut Self::Cursor,
        mut f: impl FnMut(S::Key) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut found = <S::Key as Key>::Buffer::new();
        while !Self::is_done(cursor) {
            found.clear();
            self.fill(index, cursor, &mut found.writer());
            for key in found.after(0) {
                f(key)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Appends all there is to a list.
    #[inline]
    fn append_all(&self, index: &S, list: &mut Vec<Packed<S>>) -> Result<(), Error> {
        let mut cursor = Self::cursor();
        self.start(index, &mut cursor);
        self.append_rest(index, &mut cursor, list)
    }

    /// Counts all there is.
    #[inline]
    fn count_all(&self, index: &S) -> usize {
        let mut cursor = Self::cursor();
        self.start(index, &mut cursor);
        self.count_rest(index, &mut cursor)
    }
}

/// For structures that have no blocks.
impl<S: SpatialIndex> BlockSearch<S> for Infallible {
    type Cursor = ();

    fn cursor() {}

    fn start(&self, _: &S, (): &mut ()) {
        match *self {}
    }

    fn is_done((): &mut ()) -> bool {
        true
    }

    fn fill(&self, _: &S, (): &mut (), _: &mut Writer<'_, S::Key>) {
        match *self {}
    }

    fn count(&self, _: &S, (): &mut ()) -> usize {
        match *self {}
    }
}

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

impl<W: Walk + Clone> Clone for Runs<W>
where
    W::Run: Clone,
{
    fn clone(&self) -> Self {
        Self {
            walk: self.walk.clone(),
            run: self.run.clone(),
        }
    }
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
