//! How a structure is asked: written here once, for all structures.
//!
//! A walk hands out runs of slots, each either wholly inside the region or still to be asked item by
//! item; that a node inside the region is one run is what makes large answers cheap. A ball is asked
//! by vectors instead, where a structure can.

mod ahead;
mod doors;
mod found;
mod runs;
mod tree;

use alloc::vec::Vec;
use core::fmt;
use core::iter::FusedIterator;
use core::ops::ControlFlow;

pub(crate) use ahead::Ahead;
pub(crate) use doors::queries;
use found::Found;
pub(crate) use found::{BUFFER, HandleSink, Name, room_in};
pub(crate) use runs::{Runs, Walk};
pub(crate) use tree::{
    Bound, Descent, Hierarchy, ItemTree, Relate, TreeWalk, best_first, next_node,
};

/// A structure, and how a kind of region is asked of it.
pub trait Asked<R>: Copy {
    /// What names an item to the user.
    type Key: Name;
    /// What is asked by vectors.
    type Ahead: Ahead<Self, Self::Key>;
    /// What is asked run by run.
    type Walk: Walk<Key = Self::Key>;

    /// The region, if it is to be asked by vectors.
    fn ahead(self, region: &R) -> Option<Self::Ahead>;

    fn walk(self, region: R) -> Self::Walk;
}

/// The items that overlap a region: what `query` of a structure `S` returns. Lazy; allocates only
/// where a tree is deeper than usual.
///
/// `for_each`, `fold` and `count` run faster than a loop over `next`, and
/// [`append_to`](Self::append_to) is the fastest way to a list. `count` in an
/// [`Orthtree`](crate::Orthtree) does not touch the items of nodes that lie inside the region.
///
/// ```
/// use orthant::{Octree, Query, Sphere, glam::Vec3};
/// let tree = Octree::new(&[Vec3::ZERO, Vec3::X]);
/// let mut found: Query<&Octree, Sphere<Vec3>> = tree.query(Sphere::new(Vec3::X, 0.5));
/// assert_eq!((found.next(), found.next()), (Some(1), None));
/// ```
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct Query<S: Asked<R>, R> {
    structure: S,
    state: State<S, R>,
}

#[allow(
    clippy::large_enum_variant,
    reason = "the large one is where an iterator works; a box would be an allocation for each query"
)]
enum State<S: Asked<R>, R> {
    /// Not asked yet, which is the state to be moved in.
    Fresh(R),
    Ahead(Buffered<S, R>),
    Walk(Runs<S::Walk>),
    Done,
}

/// A search by vectors, and what it has found but not handed out.
struct Buffered<S: Asked<R>, R> {
    region: S::Ahead,
    stand: StandOf<S, R>,
    found: FoundOf<S, R>,
    at: usize,
}

type StandOf<S, R> = <<S as Asked<R>>::Ahead as Ahead<S, <S as Asked<R>>::Key>>::Stand;
type FoundOf<S, R> = <<S as Asked<R>>::Key as Name>::Found;
type ListedOf<S, R> = <<S as Asked<R>>::Key as Name>::Listed;

impl<S: Asked<R>, R> Buffered<S, R> {
    /// The next, looked for further ahead if there is none.
    fn next(&mut self, structure: S) -> Option<S::Key> {
        while self.at == self.found.len() && !S::Ahead::is_done(&mut self.stand) {
            self.found.clear();
            self.at = 0;
            let to = &mut self.found.sink();
            self.region.fill(structure, &mut self.stand, to);
        }
        self.next_found()
    }

    /// The next, if it was found already.
    #[inline(always)]
    fn next_found(&mut self) -> Option<S::Key> {
        let key = self.found.after(self.at).next()?;
        self.at += 1;
        Some(key)
    }
}

/// Appends what is left of a search.
#[inline(always)]
fn append<S: Asked<R>, R>(
    structure: S,
    region: &S::Ahead,
    stand: &mut StandOf<S, R>,
    list: &mut Vec<ListedOf<S, R>>,
) {
    while !S::Ahead::is_done(stand) {
        S::Key::extend(list, |to| region.fill(structure, stand, to));
    }
}

/// Counts what is left of a search.
#[inline(always)]
fn count<S: Asked<R>, R>(structure: S, region: &S::Ahead, stand: &mut StandOf<S, R>) -> usize {
    let mut count = 0;
    while !S::Ahead::is_done(stand) {
        count += region.count(structure, stand);
    }
    count
}

/// Hands on what is left of a search, until `f` breaks.
#[inline(always)]
fn visit<S: Asked<R>, R, B>(
    structure: S,
    region: &S::Ahead,
    stand: &mut StandOf<S, R>,
    mut f: impl FnMut(S::Key) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let mut found = FoundOf::<S, R>::new();
    while !S::Ahead::is_done(stand) {
        found.clear();
        region.fill(structure, stand, &mut found.sink());
        for key in found.after(0) {
            f(key)?;
        }
    }
    ControlFlow::Continue(())
}

impl<S: Asked<R>, R> Query<S, R> {
    #[inline(always)]
    pub(crate) fn new(structure: S, region: R) -> Self {
        let state = State::Fresh(region);
        Self { structure, state }
    }

    /// Appends what is left to a list, in the order of the iterator. The fastest form: of balls, an
    /// index is written once, sixteen at a time, and in an [`Orthtree`](crate::Orthtree) those of a
    /// node inside the ball are copied as one.
    ///
    /// ```
    /// use orthant::{Octree, Sphere, glam::Vec3};
    /// let tree = Octree::new(&[Vec3::ZERO, Vec3::X]);
    /// let mut found = vec![7];
    /// tree.query(Sphere::new(Vec3::X, 0.5)).append_to(&mut found);
    /// assert_eq!(found, [7, 1]);
    /// ```
    #[inline]
    pub fn append_to(self, list: &mut Vec<ListedOf<S, R>>) {
        let structure = self.structure;
        match self.state {
            State::Fresh(region) => match structure.ahead(&region) {
                Some(region) => region.append(structure, list),
                None => Runs::new(structure.walk(region)).for_each(|key| list.push(key.listed())),
            },
            State::Ahead(mut ahead) => {
                list.extend(ahead.found.after(ahead.at).map(Name::listed));
                append::<S, R>(structure, &ahead.region, &mut ahead.stand, list);
            }
            State::Walk(runs) => runs.for_each(|key| list.push(key.listed())),
            State::Done => {}
        }
    }

    /// The next, where none was found ahead.
    #[inline(never)]
    fn look(&mut self) -> Option<S::Key> {
        if matches!(self.state, State::Fresh(_)) {
            self.start();
        }
        match &mut self.state {
            State::Ahead(ahead) => ahead.next(self.structure),
            State::Walk(runs) => runs.next(),
            State::Fresh(_) | State::Done => None,
        }
    }

    fn start(&mut self) {
        let State::Fresh(region) = core::mem::replace(&mut self.state, State::Done) else {
            return;
        };
        self.state = match self.structure.ahead(&region) {
            Some(region) => State::Ahead(Buffered {
                region,
                stand: S::Ahead::stand(),
                found: Found::new(),
                at: 0,
            }),
            None => State::Walk(Runs::new(self.structure.walk(region))),
        };
        if let State::Ahead(ahead) = &mut self.state {
            ahead.region.start(self.structure, &mut ahead.stand);
        }
    }

    /// Calls `f` with what is left, until it breaks.
    #[inline]
    pub(crate) fn visit<B>(self, mut f: impl FnMut(S::Key) -> ControlFlow<B>) -> ControlFlow<B> {
        let structure = self.structure;
        match self.state {
            State::Fresh(region) => match structure.ahead(&region) {
                Some(region) => {
                    let mut stand = S::Ahead::stand();
                    region.start(structure, &mut stand);
                    visit::<S, R, B>(structure, &region, &mut stand, f)
                }
                None => Runs::new(structure.walk(region)).visit(f),
            },
            State::Ahead(mut ahead) => {
                for key in ahead.found.after(ahead.at) {
                    f(key)?;
                }
                visit::<S, R, B>(structure, &ahead.region, &mut ahead.stand, f)
            }
            State::Walk(runs) => runs.visit(f),
            State::Done => ControlFlow::Continue(()),
        }
    }
}

impl<S: Asked<R>, R> Iterator for Query<S, R> {
    type Item = S::Key;

    #[inline]
    fn next(&mut self) -> Option<S::Key> {
        if let State::Ahead(ahead) = &mut self.state
            && let Some(key) = ahead.next_found()
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
        let structure = self.structure;
        match self.state {
            State::Fresh(region) => match structure.ahead(&region) {
                Some(region) => region.total(structure),
                None => Runs::new(structure.walk(region)).count(),
            },
            State::Ahead(mut ahead) => {
                let found = ahead.found.len() - ahead.at;
                found + count::<S, R>(structure, &ahead.region, &mut ahead.stand)
            }
            State::Walk(runs) => runs.count(),
            State::Done => 0,
        }
    }
}

impl<S: Asked<R>, R> FusedIterator for Query<S, R> {}

impl<S: Asked<R>, R> fmt::Debug for Query<S, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Query").finish_non_exhaustive()
    }
}
