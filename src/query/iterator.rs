//! The iterator over the items that a query finds.

use alloc::vec::Vec;
use core::fmt;
use core::iter::FusedIterator;
use core::mem::replace;
use core::ops::ControlFlow;

use super::SpatialIndex;
use super::key::{Key, KeyBuffer, Packed};
use super::node_search::SlotRun;
use crate::error::{Error, or_panic, reserve};
use crate::overlap::{Overlaps, Region};

/// A lazy iterator over the items of a structure `S` that overlap a region; `query` returns it. It allocates only if a tree is deeper than
/// usual.
///
/// `for_each`, `fold` and `count` run faster than a loop over `next`, and [`append_to`](Self::append_to) is the fastest way to fill a list,
/// which holds `u32` if keys are indices. To fill a list of `usize`, use `Vec::extend` or `collect`. If there are many items to count in an
/// [`Orthtree`](crate::Orthtree), `count` does not touch those of nodes inside the region.
///
/// ```
/// use orthant::{Octree, Query, Sphere, glam::Vec3};
/// let tree = Octree::new(&[Vec3::ZERO, Vec3::X]);
/// let mut found: Query<'_, Octree, Sphere<Vec3>> = tree.query(Sphere::new(Vec3::X, 0.5));
/// assert_eq!((found.next(), found.next()), (Some(1), None));
/// ```
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct Query<'a, S, R>
where
    S: SpatialIndex,
    R: Region<Vector = S::Vector> + Overlaps<S::Item>,
{
    index: &'a S,
    way: Way<R, S::ByBlocks, S::Cursor, S::Walk>,
    /// The keys that were found. Those from `at` on have not been returned.
    found: KeyBuffer,
    at: usize,
}

/// How a structure is searched.
#[allow(
    clippy::large_enum_variant,
    reason = "the large one is where an iterator works; a box would be an allocation for each query"
)]
#[derive(Clone)]
enum Way<R, B, C, W> {
    /// Not begun; an iterator is moved in this state. `None` once the region has been taken.
    Fresh(Option<R>),
    /// By blocks of sixteen items.
    Blocks(B, C),
    /// Run by run, with the rest of the last run.
    Runs(R, W, SlotRun),
}

/// The most items of a run that are tested before the hits are returned.
const STEP: u32 = 64;

/// The clone continues from the position of the original.
///
/// ```
/// use orthant::{Octree, Sphere, glam::Vec3};
/// let tree = Octree::new(&[Vec3::ZERO, Vec3::X, Vec3::X * 9.0]);
/// let mut found = tree.query(Sphere::new(Vec3::X, 1.0));
/// found.next();
/// assert_eq!(found.clone().count(), 1);
/// assert!(found.clone().eq(found));
/// ```
impl<S, R> Clone for Query<'_, S, R>
where
    S: SpatialIndex,
    R: Region<Vector = S::Vector> + Overlaps<S::Item> + Clone,
{
    fn clone(&self) -> Self {
        Self {
            index: self.index,
            way: self.way.clone(),
            found: self.found.clone(),
            at: self.at,
        }
    }
}

impl<'a, S, R> Query<'a, S, R>
where
    S: SpatialIndex,
    R: Region<Vector = S::Vector> + Overlaps<S::Item>,
{
    #[inline(always)]
    pub(crate) fn new(index: &'a S, region: R) -> Self {
        Self {
            index,
            way: Way::Fresh(Some(region)),
            found: KeyBuffer::default(),
            at: 0,
        }
    }

    /// Appends the remaining keys to a list, in the order of the iterator. This is the fastest form: indices are written straight to the
    /// list, sixteen at a time.
    ///
    /// Keys are appended as [`Packed`]: `u32` for a structure whose keys are indices, otherwise [`Handle`](crate::Handle). To append to a
    /// list of `usize`, extend it with the query.
    ///
    /// ```
    /// use orthant::{Octree, Sphere, glam::Vec3};
    /// let tree = Octree::new(&[Vec3::ZERO, Vec3::X]);
    /// let mut found = vec![7];
    /// tree.query(Sphere::new(Vec3::X, 0.5)).append_to(&mut found);
    /// assert_eq!(found, [7_u32, 1]);
    /// let mut indices = vec![7_usize];
    /// indices.extend(tree.query(Sphere::new(Vec3::X, 0.5)));
    /// assert_eq!(indices, [7, 1]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where [`try_append_to`](Self::try_append_to) returns an error.
    #[inline]
    #[track_caller]
    pub fn append_to(self, list: &mut Vec<Packed<S>>) {
        or_panic("Query", self.try_append_to(list));
    }

    /// Like [`append_to`](Self::append_to), but returns an error if memory does not suffice.
    ///
    /// ```
    /// use orthant::{Octree, Sphere, glam::Vec3};
    /// let (tree, mut found) = (Octree::new(&[Vec3::ZERO, Vec3::X]), Vec::new());
    /// tree.query(Sphere::new(Vec3::X, 0.5)).try_append_to(&mut found)?;
    /// assert_eq!(found, [1]);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`]; the list then holds a part of the answer.
    #[inline]
    pub fn try_append_to(mut self, list: &mut Vec<Packed<S>>) -> Result<(), Error> {
        if let Some(region) = self.fresh_by_blocks() {
            return self.index.search_all(&region, Some(list)).map(|_| ());
        }
        loop {
            reserve(list, self.found.len() - self.at)?;
            while let Some(key) = self.next_found() {
                list.push(key.pack());
            }
            if !self.search() {
                return Ok(());
            }
        }
    }

    /// The region, if the query has not begun and can be searched by blocks.
    #[inline(always)]
    fn fresh_by_blocks(&self) -> Option<S::ByBlocks> {
        match &self.way {
            Way::Fresh(Some(region)) => self.index.by_blocks(region),
            _ => None,
        }
    }

    /// The next key in the buffer.
    #[inline(always)]
    fn next_found(&mut self) -> Option<S::Key> {
        let key = S::Key::found(&self.found, self.at)?;
        self.at += 1;
        Some(key)
    }

    /// Refills the buffer, which is used up, and returns the next key.
    #[inline(never)]
    fn next_searched(&mut self) -> Option<S::Key> {
        if self.search() {
            self.next_found()
        } else {
            None
        }
    }

    /// Begins the search.
    #[inline(always)]
    fn begin(&mut self) {
        // Take the region alone: `mem::replace` of the whole state would copy kilobytes.
        let Way::Fresh(region) = &mut self.way else {
            return;
        };
        let Some(region) = region.take() else {
            return;
        };
        self.way = match self.index.by_blocks(&region) {
            Some(region) => Way::Blocks(region, S::Cursor::default()),
            None => Way::Runs(region, S::Walk::default(), SlotRun::NONE),
        };
        if let Way::Blocks(region, cursor) = &mut self.way {
            self.index.start(region, cursor);
        }
    }

    /// Refills the buffer. Returns false if there are no more items.
    fn search(&mut self) -> bool {
        self.begin();
        let index = self.index;
        while self.at == self.found.len() {
            self.found.clear();
            self.at = 0;
            let mut to = self.found.writer();
            match &mut self.way {
                Way::Fresh(_) => return false,
                Way::Blocks(_, cursor) if S::is_done(cursor) => return false,
                Way::Blocks(region, cursor) => {
                    index.search(region, cursor, Some(&mut to));
                }
                Way::Runs(region, walk, run) => {
                    if run.slots.is_empty() {
                        match index.next_run(region, walk) {
                            Some(next) => *run = next,
                            None => return false,
                        }
                    }
                    let end = run.slots.end.min(run.slots.start.saturating_add(STEP));
                    let (part, slots) = (run.part, replace(&mut run.slots.start, end)..end);
                    let mut push = |slot| index.key_at(part, slot).push(&mut to);
                    if run.inside {
                        for slot in slots {
                            push(slot);
                        }
                        continue;
                    }
                    index.each_item(part, slots, |slot, item| {
                        if region.overlaps(item) {
                            push(slot);
                        }
                    });
                }
            }
        }
        true
    }

    /// Calls `f` with each remaining key, until it breaks.
    #[inline]
    pub(crate) fn visit<B>(
        mut self,
        mut f: impl FnMut(S::Key) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if let Some(region) = self.fresh_by_blocks() {
            // The cursor stays on the stack, since this call finishes the search.
            let (index, mut cursor) = (self.index, S::Cursor::default());
            index.start(&region, &mut cursor);
            while !S::is_done(&cursor) {
                self.found.clear();
                index.search(&region, &mut cursor, Some(&mut self.found.writer()));
                for place in 0..self.found.len() {
                    if let Some(key) = S::Key::found(&self.found, place) {
                        f(key)?;
                    }
                }
            }
            return ControlFlow::Continue(());
        }
        loop {
            let mut at = self.at;
            while let Some(key) = S::Key::found(&self.found, at) {
                at += 1;
                f(key)?;
            }
            self.at = at;
            if !self.search() {
                return ControlFlow::Continue(());
            }
        }
    }

    /// Counts the remaining items of a search run by run that has begun.
    fn count_runs(&mut self) -> usize {
        let (index, mut count) = (self.index, 0);
        let Way::Runs(region, walk, run) = &mut self.way else {
            return 0;
        };
        loop {
            if run.inside {
                count += run.slots.len();
            } else {
                index.each_item(run.part, run.slots.clone(), |_, item| {
                    count += usize::from(region.overlaps(item));
                });
            }
            *run = match index.next_run(region, walk) {
                Some(next) => next,
                None => break,
            };
        }
        *run = SlotRun::NONE;
        count
    }
}

impl<S, R> Iterator for Query<'_, S, R>
where
    S: SpatialIndex,
    R: Region<Vector = S::Vector> + Overlaps<S::Item>,
{
    type Item = S::Key;

    #[inline]
    fn next(&mut self) -> Option<S::Key> {
        match self.next_found() {
            None => self.next_searched(),
            key => key,
        }
    }

    #[inline]
    fn fold<A, F: FnMut(A, S::Key) -> A>(self, init: A, mut f: F) -> A {
        let mut all = Some(init);
        let _ = self.visit(|key| {
            all = all.take().map(|all| f(all, key));
            ControlFlow::<()>::Continue(())
        });
        all.expect("put back by every call")
    }

    #[inline]
    fn count(mut self) -> usize {
        if let Some(region) = self.fresh_by_blocks() {
            let count = self.index.search_all(&region, None);
            return count.expect("nothing is allocated");
        }
        self.begin();
        let mut count = self.found.len() - self.at + self.count_runs();
        self.at = self.found.len();
        while self.search() {
            count += self.found.len();
            self.at = self.found.len();
        }
        count
    }
}

impl<S, R> FusedIterator for Query<'_, S, R>
where
    S: SpatialIndex,
    R: Region<Vector = S::Vector> + Overlaps<S::Item>,
{
}

impl<S, R> fmt::Debug for Query<'_, S, R>
where
    S: SpatialIndex,
    R: Region<Vector = S::Vector> + Overlaps<S::Item>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Query").finish_non_exhaustive()
    }
}
