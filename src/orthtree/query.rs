//! The iterator: balls by lanes, other regions node by node.

use alloc::vec::Vec;
use core::fmt;
use core::iter::FusedIterator;
use core::ops::ControlFlow;

use super::Orthtree;
use super::split::LEAF;
use super::walk::{Count, Fill, Walk};
use crate::overlap::lanes::{Ball, Layout};
use crate::query::{Query, TreeWalk};
use crate::simd::{LANES, Pile, Room};
use crate::{Bounded, Overlaps, Region};

/// The indices that are found at a time.
const BUFFER: usize = 256;

/// A leaf goes in whole, with the blocks that it shares at both ends.
const _: () = assert!(BUFFER >= LEAF + 2 * LANES);

/// The items that overlap a region: what [`Orthtree::query`] returns. Lazy; allocates only where a
/// tree is deeper than usual.
///
/// `for_each`, `fold` and `count` run faster than a loop over `next`, and
/// [`append_to`](Self::append_to) is the fastest way to a list. `count` does not touch the items of
/// nodes that lie inside the region.
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct OrthtreeQuery<'a, T, R>
where
    T: Bounded,
    R: Region<Vector = T::Vector> + Overlaps<T>,
{
    tree: &'a Orthtree<T>,
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
    Other(Query<TreeWalk<'a, Orthtree<T>, R>>),
    Done,
}

/// A walk, and what it has found but not handed out.
struct Ahead<T: Bounded> {
    ball: Ball<T::Vector>,
    walk: Walk,
    found: Room<BUFFER>,
    at: usize,
}

/// The ball that a region is, if the items are such as can be asked by lanes.
#[inline(always)]
fn ball<T: Bounded, R: Region<Vector = T::Vector>>(region: &R) -> Option<Ball<T::Vector>> {
    if T::LAYOUT == Layout::Whole {
        None
    } else {
        region.ball()
    }
}

impl<T: Bounded> Ahead<T> {
    /// Looks further ahead, until something is found or there is no more.
    fn refill(&mut self, tree: &Orthtree<T>) {
        while self.at == self.found.len() && !self.walk.is_done() {
            self.found.clear();
            self.at = 0;
            fill(tree, &self.ball, &mut self.walk, &mut self.found.pile());
        }
    }
}

#[inline(always)]
fn fill<T: Bounded>(
    tree: &Orthtree<T>,
    ball: &Ball<T::Vector>,
    walk: &mut Walk,
    to: &mut Pile<'_>,
) {
    tree.instructions.run(Fill {
        tree,
        ball,
        walk,
        to,
    });
}

/// Appends what is left of a walk.
#[inline(always)]
fn append<T: Bounded>(
    tree: &Orthtree<T>,
    ball: &Ball<T::Vector>,
    walk: &mut Walk,
    list: &mut Vec<u32>,
) {
    while !walk.is_done() {
        if list.capacity() - list.len() < BUFFER {
            list.reserve(list.len().max(BUFFER));
        }
        Pile::extend(list, |to| fill(tree, ball, walk, to));
    }
}

/// Counts what is left of a walk.
#[inline(always)]
fn count<T: Bounded>(tree: &Orthtree<T>, ball: &Ball<T::Vector>, walk: &mut Walk) -> usize {
    let mut count = 0;
    while !walk.is_done() {
        count += tree.instructions.run(Count { tree, ball, walk });
    }
    count
}

/// Hands on what is left of a walk, until `f` breaks.
#[inline(always)]
fn rest<T: Bounded, B>(
    tree: &Orthtree<T>,
    ball: &Ball<T::Vector>,
    walk: &mut Walk,
    mut f: impl FnMut(usize) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let mut found = Room::<BUFFER>::new();
    while !walk.is_done() {
        found.clear();
        fill(tree, ball, walk, &mut found.pile());
        for &index in found.as_slice() {
            f(index as usize)?;
        }
    }
    ControlFlow::Continue(())
}

impl<'a, T, R> OrthtreeQuery<'a, T, R>
where
    T: Bounded,
    R: Region<Vector = T::Vector> + Overlaps<T>,
{
    #[inline(always)]
    pub(super) fn new(tree: &'a Orthtree<T>, region: R) -> Self {
        let state = State::Fresh(region);
        Self { tree, state }
    }

    /// Appends what is left to a list, in the order of the iterator. The fastest form: an index is
    /// written once, sixteen at a time, and those of a node inside the region are copied as one.
    ///
    /// ```
    /// use orthant::{Octree, Sphere, glam::Vec3};
    /// let tree = Octree::new(&[Vec3::ZERO, Vec3::X]);
    /// let mut found = vec![7];
    /// tree.query(Sphere::new(Vec3::X, 0.5)).append_to(&mut found);
    /// assert_eq!(found, [7, 1]);
    /// ```
    #[inline]
    pub fn append_to(self, list: &mut Vec<u32>) {
        let tree = self.tree;
        match self.state {
            State::Fresh(region) => match ball::<T, R>(&region) {
                Some(ball) => {
                    let mut walk = Walk::new();
                    walk.start(tree);
                    append(tree, &ball, &mut walk, list);
                }
                None => Query::new(TreeWalk::new(tree, region)).for_each(|i| list.push(i as u32)),
            },
            State::Ball(mut ahead) => {
                list.extend_from_slice(&ahead.found.as_slice()[ahead.at..]);
                append(tree, &ahead.ball, &mut ahead.walk, list);
            }
            State::Other(query) => query.for_each(|index| list.push(index as u32)),
            State::Done => {}
        }
    }

    /// The next index, where none was found ahead.
    #[inline(never)]
    fn look(&mut self) -> Option<usize> {
        if matches!(self.state, State::Fresh(_)) {
            self.start();
        }
        match &mut self.state {
            State::Ball(ahead) => {
                ahead.refill(self.tree);
                let index = ahead.found.as_slice().get(ahead.at).copied();
                ahead.at += usize::from(index.is_some());
                index.map(|index| index as usize)
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
                found: Room::new(),
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
    pub(super) fn visit<B>(self, mut f: impl FnMut(usize) -> ControlFlow<B>) -> ControlFlow<B> {
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
                for &index in &ahead.found.as_slice()[ahead.at..] {
                    f(index as usize)?;
                }
                rest(tree, &ahead.ball, &mut ahead.walk, f)
            }
            State::Other(query) => query.visit(f),
            State::Done => ControlFlow::Continue(()),
        }
    }
}

impl<T, R> Iterator for OrthtreeQuery<'_, T, R>
where
    T: Bounded,
    R: Region<Vector = T::Vector> + Overlaps<T>,
{
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if let State::Ball(ahead) = &mut self.state
            && let Some(&index) = ahead.found.as_slice().get(ahead.at)
        {
            ahead.at += 1;
            return Some(index as usize);
        }
        self.look()
    }

    #[inline]
    fn fold<A, F: FnMut(A, usize) -> A>(self, init: A, mut f: F) -> A {
        let mut all = Some(init);
        let _ = self.visit(|index| {
            all = all.take().map(|all| f(all, index));
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
                let found = ahead.found.len() - ahead.at;
                found + count(tree, &ahead.ball, &mut ahead.walk)
            }
            State::Other(query) => query.count(),
            State::Done => 0,
        }
    }
}

impl<T, R> FusedIterator for OrthtreeQuery<'_, T, R>
where
    T: Bounded,
    R: Region<Vector = T::Vector> + Overlaps<T>,
{
}

impl<T, R> fmt::Debug for OrthtreeQuery<'_, T, R>
where
    T: Bounded,
    R: Region<Vector = T::Vector> + Overlaps<T>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OrthtreeQuery").finish_non_exhaustive()
    }
}
