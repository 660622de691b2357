//! The iterator over the answers to one question.

use alloc::vec::Vec;
use core::fmt;
use core::iter::FusedIterator;
use core::ops::ControlFlow;

use super::SpatialIndex;
use super::key::{Key, KeyBuffer, Packed};
use super::search::{BlockSearch, Runs, Walk};
use crate::error::{Error, or_panic, reserve};
use crate::overlap::{Overlaps, Region};

/// The items that overlap a region: what `query` of a structure `S` returns. Lazy; allocates only
/// where a tree is deeper than usual.
///
/// `for_each`, `fold` and `count` run faster than a loop over `next`, and
/// [`append_to`](Self::append_to) is the fastest way to a list, of `u32` where keys are indices. To one of `usize`,
/// `Vec::extend` or `collect` are the other way. `count` in an
/// [`Orthtree`](crate::Orthtree) does not touch the items of nodes that lie inside the region.
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
    state: State<'a, S, R>,
}

#[allow(
    clippy::large_enum_variant,
    reason = "the large one is where an iterator works; a box would be an allocation for each query"
)]
enum State<'a, S, R>
where
    S: SpatialIndex + 'a,
    R: Region<Vector = S::Vector> + Overlaps<S::Item>,
{
    /// Not asked yet, which is the state to be moved in; none once it is.
    Fresh(Option<R>),
    Blocks(Buffered<S>),
    Walk(Runs<S::Walk<'a, R>>),
}

/// A search by blocks, and what it has found but not handed out.
struct Buffered<S: SpatialIndex> {
    region: S::ByBlocks,
    cursor: CursorOf<S>,
    found: <S::Key as Key>::Buffer,
    at: usize,
}

type CursorOf<S> = <<S as SpatialIndex>::ByBlocks as BlockSearch<S>>::Cursor;

impl<S: SpatialIndex> Buffered<S> {
    /// The next, searched for if the buffer is empty.
    fn next(&mut self, index: &S) -> Option<S::Key> {
        while self.at == self.found.len() && !S::ByBlocks::is_done(&mut self.cursor) {
            self.found.clear();
            self.at = 0;
            let to = &mut self.found.writer();
            self.region.fill(index, &mut self.cursor, to);
        }
        self.next_found()
    }

    /// The next of the buffer.
    #[inline(always)]
    fn next_found(&mut self) -> Option<S::Key> {
        let key = self.found.after(self.at).next()?;
        self.at += 1;
        Some(key)
    }
}

impl<S: SpatialIndex> Clone for Buffered<S> {
    fn clone(&self) -> Self {
        Self {
            region: self.region.clone(),
            cursor: self.cursor.clone(),
            found: self.found.clone(),
            at: self.at,
        }
    }
}

/// Both go on from where the one is.
///
/// ```
/// use orthant::{Octree, Sphere, glam::Vec3};
/// let tree = Octree::new(&[Vec3::ZERO, Vec3::X, Vec3::X * 9.0]);
/// let mut found = tree.query(Sphere::new(Vec3::X, 1.0));
/// found.next();
/// assert_eq!(found.clone().count(), 1);
/// assert!(found.clone().eq(found));
/// ```
impl<'a, S, R> Clone for Query<'a, S, R>
where
    S: SpatialIndex,
    R: Region<Vector = S::Vector> + Overlaps<S::Item> + Clone,
    S::Walk<'a, R>: Clone,
    <S::Walk<'a, R> as Walk>::Run: Clone,
{
    fn clone(&self) -> Self {
        let state = match &self.state {
            State::Fresh(region) => State::Fresh(region.clone()),
            State::Blocks(search) => State::Blocks(search.clone()),
            State::Walk(runs) => State::Walk(runs.clone()),
        };
        Self {
            index: self.index,
            state,
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
        let state = State::Fresh(Some(region));
        Self { index, state }
    }

    /// Appends what is left to a list, in the order of the iterator. The fastest form: of balls, an
    /// index is written once, sixteen at a time, and in an [`Orthtree`](crate::Orthtree) those of a
    /// node inside the ball are copied as one.
    ///
    /// What is appended is [`Packed`]: `u32` for a structure whose keys are indices, else [`Handle`](crate::Handle).
    /// A list of `usize` is extended by the query itself.
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

    /// Appends what is left to a list, as [`append_to`](Self::append_to) does, where memory may not suffice.
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
    /// [`Error::OutOfMemory`], with a part of the answer in the list.
    #[inline]
    pub fn try_append_to(self, list: &mut Vec<Packed<S>>) -> Result<(), Error> {
        let index = self.index;
        match self.state {
            State::Fresh(Some(region)) => match index.by_blocks(&region) {
                Some(region) => region.append_all(index, list),
                None => append_runs(Runs::new(index.walk(region)), list),
            },
            State::Blocks(mut search) => {
                reserve(list, search.found.len() - search.at)?;
                list.extend(search.found.after(search.at).map(Key::pack));
                search.region.append_rest(index, &mut search.cursor, list)
            }
            State::Walk(runs) => append_runs(runs, list),
            State::Fresh(None) => Ok(()),
        }
    }

    /// The next, where none is left in the buffer.
    #[inline(never)]
    fn look(&mut self) -> Option<S::Key> {
        if matches!(self.state, State::Fresh(_)) {
            self.start();
        }
        match &mut self.state {
            State::Blocks(search) => search.next(self.index),
            State::Walk(runs) => runs.next(),
            State::Fresh(_) => None,
        }
    }

    fn start(&mut self) {
        // Taken from where it lies: to replace the state would copy its kilobytes.
        let State::Fresh(region) = &mut self.state else {
            return;
        };
        let Some(region) = region.take() else {
            return;
        };
        self.state = match self.index.by_blocks(&region) {
            Some(region) => State::Blocks(Buffered {
                region,
                cursor: S::ByBlocks::cursor(),
                found: KeyBuffer::new(),
                at: 0,
            }),
            None => State::Walk(Runs::new(self.index.walk(region))),
        };
        if let State::Blocks(search) = &mut self.state {
            search.region.start(self.index, &mut search.cursor);
        }
    }

    /// Calls `f` with what is left, until it breaks.
    #[inline]
    pub(crate) fn visit<B>(self, mut f: impl FnMut(S::Key) -> ControlFlow<B>) -> ControlFlow<B> {
        let index = self.index;
        match self.state {
            State::Fresh(Some(region)) => match index.by_blocks(&region) {
                Some(region) => {
                    let mut cursor = S::ByBlocks::cursor();
                    region.start(index, &mut cursor);
                    region.visit_rest(index, &mut cursor, f)
                }
                None => Runs::new(index.walk(region)).visit(f),
            },
            State::Blocks(mut search) => {
                for key in search.found.after(search.at) {
                    f(key)?;
                }
                search.region.visit_rest(index, &mut search.cursor, f)
            }
            State::Walk(runs) => runs.visit(f),
            State::Fresh(None) => ControlFlow::Continue(()),
        }
    }
}

/// Appends the keys of what is left of a walk.
fn append_runs<W: Walk<Key: Key>>(
    runs: Runs<W>,
    list: &mut Vec<<W::Key as Key>::Packed>,
) -> Result<(), Error> {
    let flow = runs.visit(|key| {
        if list.len() == list.capacity()
            && let Err(error) = reserve(list, 1)
        {
            return ControlFlow::Break(error);
        }
        list.push(key.pack());
        ControlFlow::Continue(())
    });
    flow.break_value().map_or(Ok(()), Err)
}

impl<S, R> Iterator for Query<'_, S, R>
where
    S: SpatialIndex,
    R: Region<Vector = S::Vector> + Overlaps<S::Item>,
{
    type Item = S::Key;

    #[inline]
    fn next(&mut self) -> Option<S::Key> {
        if let State::Blocks(search) = &mut self.state
            && let Some(key) = search.next_found()
        {
            return Some(key);
        }
        self.look()
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
    fn count(self) -> usize {
        let index = self.index;
        match self.state {
            State::Fresh(Some(region)) => match index.by_blocks(&region) {
                Some(region) => region.count_all(index),
                None => Runs::new(index.walk(region)).count(),
            },
            State::Blocks(mut search) => {
                let found = search.found.len() - search.at;
                found + search.region.count_rest(index, &mut search.cursor)
            }
            State::Walk(runs) => runs.count(),
            State::Fresh(None) => 0,
        }
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
