//! The iterator: balls by lanes, other regions node by node.

mod ahead;

use core::fmt;
use core::iter::FusedIterator;
use core::ops::ControlFlow;

use super::LooseOrthtree;
use super::walk::Walk;
use crate::query::{Query, TreeWalk};
use crate::{Bounded, Handle, Lists, Overlaps, Region};
use ahead::{Ahead, Found, ball, count, rest};

/// The handles of items that overlap a region: what [`LooseOrthtree::query`] returns. Lazy; allocates
/// for a ball only where the tree is deeper than usual.
///
/// `for_each`, `fold` and `count` run faster than a loop over `next`.
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct LooseQuery<'a, T, R>
where
    T: Bounded,
    R: Region<Vector = T::Vector> + Overlaps<T>,
{
    tree: &'a LooseOrthtree<T>,
    state: State<'a, T, R>,
}

#[allow(
    clippy::large_enum_variant,
    reason = "the large one is where an iterator works; a box would be an allocation for each query"
)]
enum State<'a, T, R>
where
    T: Bounded,
    R: Region<Vector = T::Vector> + Overlaps<T>,
{
    /// Not asked yet, which is the state to be moved in.
    Fresh(R),
    Ball(Ahead<T>),
    Other(Query<TreeWalk<'a, LooseOrthtree<T>, R>>),
    Done,
}

impl<'a, T, R> LooseQuery<'a, T, R>
where
    T: Bounded,
    R: Region<Vector = T::Vector> + Overlaps<T>,
{
    #[inline(always)]
    pub(super) fn new(tree: &'a LooseOrthtree<T>, region: R) -> Self {
        let state = State::Fresh(region);
        Self { tree, state }
    }

    /// The next handle, where none was found ahead.
    #[inline(never)]
    fn look(&mut self) -> Option<Handle> {
        if matches!(self.state, State::Fresh(_)) {
            self.start();
        }
        match &mut self.state {
            State::Ball(ahead) => {
                ahead.refill(self.tree);
                ahead.next()
            }
            State::Other(query) => query.next(),
            State::Fresh(_) | State::Done => None,
        }
    }

    /// Makes a walk of a region.
    fn start(&mut self) {
        let State::Fresh(region) = core::mem::replace(&mut self.state, State::Done) else {
            return;
        };
        self.state = match ball::<T, R>(&region) {
            Some(ball) => State::Ball(Ahead {
                ball,
                walk: Walk::new(),
                found: Found::new(),
                at: 0,
            }),
            None => State::Other(Query::new(TreeWalk::new(self.tree, region))),
        };
        if let State::Ball(ahead) = &mut self.state {
            ahead.walk.start(self.tree);
        }
    }

    /// Calls `f` with what is left, until it breaks.
    #[inline]
    pub(super) fn visit<B>(self, mut f: impl FnMut(Handle) -> ControlFlow<B>) -> ControlFlow<B> {
        let tree = self.tree;
        match self.state {
            State::Fresh(region) => match ball::<T, R>(&region) {
                Some(ball) => {
                    let mut walk = Walk::new();
                    walk.start(tree);
                    rest(tree, &ball, &mut walk, f)
                }
                None => Query::new(TreeWalk::new(tree, region)).visit(f),
            },
            State::Ball(mut ahead) => {
                for handle in ahead.found.handles(ahead.at) {
                    f(handle)?;
                }
                rest(tree, &ahead.ball, &mut ahead.walk, f)
            }
            State::Other(query) => query.visit(f),
            State::Done => ControlFlow::Continue(()),
        }
    }
}

impl<T, R> Iterator for LooseQuery<'_, T, R>
where
    T: Bounded,
    R: Region<Vector = T::Vector> + Overlaps<T>,
{
    type Item = Handle;

    #[inline]
    fn next(&mut self) -> Option<Handle> {
        if let State::Ball(ahead) = &mut self.state
            && let Some(handle) = ahead.next()
        {
            return Some(handle);
        }
        self.look()
    }

    #[inline]
    fn fold<A, F: FnMut(A, Handle) -> A>(self, init: A, mut f: F) -> A {
        let mut all = Some(init);
        let _ = self.visit(|handle| {
            all = all.take().map(|all| f(all, handle));
            ControlFlow::<()>::Continue(())
        });
        all.expect("put back by every call")
    }

    #[inline]
    fn count(self) -> usize {
        let tree = self.tree;
        match self.state {
            State::Fresh(region) => match ball::<T, R>(&region) {
                Some(ball) => {
                    let mut walk = Walk::new();
                    walk.start(tree);
                    count(tree, &ball, &mut walk)
                }
                None => Query::new(TreeWalk::new(tree, region)).count(),
            },
            State::Ball(mut ahead) => {
                let found = ahead.found.slots.len() - ahead.at;
                found + count(tree, &ahead.ball, &mut ahead.walk)
            }
            State::Other(query) => query.count(),
            State::Done => 0,
        }
    }
}

impl<T, R> FusedIterator for LooseQuery<'_, T, R>
where
    T: Bounded,
    R: Region<Vector = T::Vector> + Overlaps<T>,
{
}

impl<T, R> fmt::Debug for LooseQuery<'_, T, R>
where
    T: Bounded,
    R: Region<Vector = T::Vector> + Overlaps<T>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LooseQuery").finish_non_exhaustive()
    }
}

impl<T: Bounded> LooseOrthtree<T> {
    /// The handles of items that overlap a region, lazily, each once.
    ///
    /// # Complexity
    ///
    /// O(log n + answer) for items and regions that are not much longer than wide, nor lie in one
    /// place; O(n) at worst.
    #[inline]
    pub fn query<R>(&self, region: R) -> LooseQuery<'_, T, R>
    where
        R: Region<Vector = T::Vector> + Overlaps<T>,
    {
        LooseQuery::new(self, region)
    }

    /// Calls `f` with each handle that [`query`](Self::query) gives, in the same order, until it
    /// breaks.
    ///
    /// ```
    /// use core::ops::ControlFlow;
    /// use orthant::{LooseOctree, Sphere, glam::Vec3};
    /// let mut tree = LooseOctree::new();
    /// let ball = tree.insert(Sphere::new(Vec3::ONE, 1.0));
    /// let any = tree.visit(Sphere::new(Vec3::ZERO, 2.0), ControlFlow::Break);
    /// assert_eq!(any, ControlFlow::Break(ball));
    /// ```
    ///
    /// # Complexity
    ///
    /// That of [`query`](Self::query) for what is visited.
    #[inline]
    pub fn visit<R, B>(&self, region: R, f: impl FnMut(Handle) -> ControlFlow<B>) -> ControlFlow<B>
    where
        R: Region<Vector = T::Vector> + Overlaps<T>,
    {
        self.query(region).visit(f)
    }

    /// The number of items that overlap a region.
    ///
    /// # Complexity
    ///
    /// That of [`query`](Self::query).
    #[must_use]
    #[inline]
    pub fn count<R>(&self, region: R) -> usize
    where
        R: Region<Vector = T::Vector> + Overlaps<T>,
    {
        self.query(region).count()
    }

    /// The answers to many regions at once: list `i` is what [`query`](Self::query) gives for region
    /// `i`, in the same order. On several threads with the feature `rayon`.
    ///
    /// ```
    /// use orthant::{LooseOrthtree, Sphere, glam::Vec2};
    /// let mut tree = LooseOrthtree::new();
    /// let points = [Vec2::ZERO, Vec2::X].map(|point| tree.insert(point));
    /// let lists = tree.query_batch(&[0.5, 1.5].map(|radius| Sphere::new(Vec2::ZERO, radius)));
    /// assert_eq!((&lists[0], lists[1].len()), (&points[..1], 2));
    /// ```
    ///
    /// # Complexity
    ///
    /// That of [`query`](Self::query) for each region.
    #[must_use]
    pub fn query_batch<R>(&self, regions: &[R]) -> Lists<Handle>
    where
        R: Region<Vector = T::Vector> + Overlaps<T> + Sync,
        T: Sync,
    {
        Lists::collect(regions, |region, found| {
            self.query(region).for_each(|handle| found.push(handle));
        })
    }
}
