//! Which of these bodies may collide?
//!
//! Boxes lie in a loose tree. An update asks the tree for each box that was inserted or moved since
//! the last one, and keeps the pairs of those that were not: what stands still costs a glance at its
//! pairs. Pairs are about the boxes as given, not about fattened ones, so that nothing depends on
//! how a box came to its place.

#[allow(
    dead_code,
    reason = "not yet what the broadphase stands on; its own tests use it"
)]
mod engine;
mod validate;

use alloc::vec::Vec;
use core::fmt;

use crate::loose::LooseOrthtree;
use crate::nearest::{in_hierarchy, nearest};
use crate::query::{Hierarchy, TreeWalk, queries};
use crate::sweep::{first_in_hierarchy, sweeps};
use crate::{Aabb, Bounded, Distance, Error, Handle, Overlaps, Region, Relation, Sweep, Vector};

/// How a body moves, as far as pairs are concerned: static bodies pair with dynamic ones only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Motion {
    /// Never moves by itself: ground, walls.
    Static,
    /// Moved by the caller, not by forces: lifts, doors. Pairs with kinematic and dynamic bodies.
    Kinematic,
    /// Moved by the simulation. Pairs with everything.
    Dynamic,
}

impl Motion {
    fn pairs_with(self, other: Self) -> bool {
        let (a, b) = (self, other);
        !matches!(
            (a, b),
            (Self::Static, Self::Static | Self::Kinematic) | (Self::Kinematic, Self::Static)
        )
    }
}

/// A change of the set of overlapping pairs; the lesser handle first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Event {
    /// The two boxes overlap now and did not before.
    Begin(Handle, Handle),
    /// The two boxes no longer overlap, or one of them was removed.
    End(Handle, Handle),
}

impl Event {
    /// The two handles, the lesser first.
    #[must_use]
    pub fn pair(self) -> (Handle, Handle) {
        match self {
            Self::Begin(a, b) | Self::End(a, b) => (a, b),
        }
    }
}

/// Moving boxes, and all pairs of them that overlap; touching counts.
///
/// Insert, move and remove at will, then [`update`](Self::update) once a step.
///
/// ```
/// use orthant::{Aabb, Broadphase, Event, Motion};
/// let unit = |x: f32| Aabb::new([x, 0.0, 0.0], [x + 1.0, 1.0, 1.0]);
/// let mut world = Broadphase::new();
/// let a = world.insert(unit(0.0), Motion::Dynamic);
/// let b = world.insert(unit(5.0), Motion::Static);
/// assert!(world.update().is_empty());
/// world.set_bounds(a, unit(4.0));
/// assert_eq!(world.update(), [Event::Begin(a, b)]);
/// assert_eq!(world.pairs().collect::<Vec<_>>(), [(a, b)]);
/// ```
#[derive(Clone)]
pub struct Broadphase<V: Vector> {
    tree: LooseOrthtree<Proxy<V>>,
    /// Inserted or moved since the last update, each once; may be stale.
    moved: Vec<Handle>,
    /// By slot: whether pairs of the last update are in doubt; not where it ends.
    touched: Vec<bool>,
    /// Of the last update, sorted.
    pairs: Vec<Pair>,
    events: Vec<Event>,
}

type Pair = (Handle, Handle);

/// A box in the tree.
#[derive(Clone, Copy, Debug)]
pub struct Proxy<V> {
    bounds: Aabb<V>,
    motion: Motion,
}

impl<V: Vector> Bounded for Proxy<V> {
    type Vector = V;

    #[inline(always)]
    fn core(&self) -> Aabb<V> {
        self.bounds
    }
}

impl<V: Vector> Distance for Proxy<V> {
    #[inline]
    fn distance_sq(&self, from: V) -> V::Scalar {
        self.bounds.distance_sq(from)
    }
}

/// The proxies that pair with one.
impl<V: Vector> Region for Proxy<V> {
    type Vector = V;

    /// Never `Inside`: the motions have to be asked as well.
    #[inline(always)]
    fn relate(&self, cell: &Aabb<V>) -> Relation {
        if self.bounds.overlaps(cell) {
            Relation::Straddles
        } else {
            Relation::Outside
        }
    }
}

impl<V: Vector> Overlaps<Proxy<V>> for Proxy<V> {
    #[inline(always)]
    fn overlaps(&self, other: &Proxy<V>) -> bool {
        self.bounds.overlaps(&other.bounds) && self.motion.pairs_with(other.motion)
    }
}

/// A region of the user's, asked of the boxes of proxies.
#[derive(Clone, Copy, Debug)]
pub struct OfBounds<R>(R);

impl<R: Region> Region for OfBounds<R> {
    type Vector = R::Vector;

    #[inline(always)]
    fn relate(&self, cell: &Aabb<R::Vector>) -> Relation {
        self.0.relate(cell)
    }
}

impl<V: Vector, R: Overlaps<Aabb<V>>> Overlaps<Proxy<V>> for OfBounds<R> {
    #[inline(always)]
    fn overlaps(&self, proxy: &Proxy<V>) -> bool {
        self.0.overlaps(&proxy.bounds)
    }
}

impl<V: Vector> Broadphase<V> {
    /// An empty world.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            tree: LooseOrthtree::new(),
            moved: Vec::new(),
            touched: Vec::new(),
            pairs: Vec::new(),
            events: Vec::new(),
        }
    }

    /// Adds a box; its pairs begin with the next [`update`](Self::update).
    ///
    /// # Panics
    ///
    /// Where [`try_insert`](Self::try_insert) returns an error.
    #[track_caller]
    pub fn insert(&mut self, bounds: Aabb<V>, motion: Motion) -> Handle {
        match self.try_insert(bounds, motion) {
            Ok(handle) => handle,
            Err(error) => panic!("Broadphase: {error}"),
        }
    }

    /// Adds a box; its pairs begin with the next [`update`](Self::update).
    ///
    /// # Errors
    ///
    /// If there are more boxes than `u32` can number, or the box is that of a point that is not
    /// finite.
    pub fn try_insert(&mut self, bounds: Aabb<V>, motion: Motion) -> Result<Handle, Error> {
        let handle = self.tree.try_insert(Proxy { bounds, motion })?;
        if self.moved.len() > 64 + 2 * self.tree.len() {
            // Without updates the stale ones would pile up.
            self.moved.retain(|&handle| self.tree.contains(handle));
        }
        self.moved.push(handle);
        self.touch(handle);
        Ok(handle)
    }

    /// Gives a box another place or size; says whether that changed anything.
    ///
    /// # Panics
    ///
    /// Where [`try_set_bounds`](Self::try_set_bounds) returns an error.
    #[track_caller]
    pub fn set_bounds(&mut self, handle: Handle, bounds: Aabb<V>) -> bool {
        match self.try_set_bounds(handle, bounds) {
            Ok(changed) => changed,
            Err(error) => panic!("Broadphase: {error}"),
        }
    }

    /// Gives a box another place or size; says whether that changed anything.
    ///
    /// # Errors
    ///
    /// On a stale handle, or if the box is that of a point that is not finite.
    pub fn try_set_bounds(&mut self, handle: Handle, bounds: Aabb<V>) -> Result<bool, Error> {
        let Some(&proxy) = self.tree.get(handle) else {
            return Err(Error::Stale { handle });
        };
        if proxy.bounds == bounds {
            return Ok(false);
        }
        self.tree.try_update(handle, Proxy { bounds, ..proxy })?;
        if !self.is_touched(handle) {
            self.moved.push(handle);
            self.touch(handle);
        }
        Ok(true)
    }

    /// Takes a box out; its pairs end with the next [`update`](Self::update).
    ///
    /// # Panics
    ///
    /// On a stale handle.
    #[track_caller]
    pub fn remove(&mut self, handle: Handle) -> Aabb<V> {
        match self.try_remove(handle) {
            Ok(bounds) => bounds,
            Err(error) => panic!("Broadphase: {error}"),
        }
    }

    /// Takes a box out; its pairs end with the next [`update`](Self::update).
    ///
    /// # Errors
    ///
    /// On a stale handle.
    pub fn try_remove(&mut self, handle: Handle) -> Result<Aabb<V>, Error> {
        let proxy = self.tree.try_remove(handle)?;
        self.touch(handle);
        Ok(proxy.bounds)
    }

    /// The box of a handle; `None` when it has been removed.
    #[must_use]
    pub fn bounds(&self, handle: Handle) -> Option<Aabb<V>> {
        self.tree.get(handle).map(|proxy| proxy.bounds)
    }

    /// How the body of a handle moves; `None` when it has been removed.
    #[must_use]
    pub fn motion(&self, handle: Handle) -> Option<Motion> {
        self.tree.get(handle).map(|proxy| proxy.motion)
    }

    /// Whether the handle's box is still in the world.
    #[must_use]
    pub fn contains(&self, handle: Handle) -> bool {
        self.tree.contains(handle)
    }

    /// The number of boxes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tree.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tree.is_empty()
    }

    /// All pairs of boxes that overlapped at the last [`update`](Self::update), each once, the
    /// lesser handle first, sorted.
    #[must_use]
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = (Handle, Handle)> {
        self.pairs.iter().copied()
    }

    /// Brings the pairs up to date; says which began and which ended since the last time, each
    /// once, sorted by their handles.
    ///
    /// # Complexity
    ///
    /// O((moved + their pairs) log n + pairs) for boxes that are small against their distances; long
    /// thin ones stay high in the tree, where every query meets them.
    pub fn update(&mut self) -> &[Event] {
        let found = self.pairs_of_moved();
        let mut found_left = found.iter().copied().peekable();
        let old = core::mem::take(&mut self.pairs);
        let mut pairs = Vec::with_capacity(old.len() + found.len());
        self.events.clear();
        for pair in old {
            while let Some(new) = found_left.next_if(|&new| new < pair) {
                self.events.push(Event::Begin(new.0, new.1));
                pairs.push(new);
            }
            let in_doubt = self.is_touched(pair.0) || self.is_touched(pair.1);
            if found_left.next_if_eq(&pair).is_some() || !in_doubt {
                pairs.push(pair);
            } else {
                self.events.push(Event::End(pair.0, pair.1));
            }
        }
        for new in found_left {
            self.events.push(Event::Begin(new.0, new.1));
            pairs.push(new);
        }
        self.pairs = pairs;
        self.moved.clear();
        self.touched.clear();
        &self.events
    }

    /// The pairs of which one box was inserted or moved, sorted, each once.
    fn pairs_of_moved(&self) -> Vec<Pair> {
        let mut found = Vec::new();
        for &mover in &self.moved {
            let Some(proxy) = self.tree.get(mover) else {
                continue;
            };
            self.tree.query(proxy).for_each(|other| {
                // Of two that moved, the lesser reports.
                if other > mover {
                    found.push((mover, other));
                } else if other < mover && !self.is_touched(other) {
                    found.push((other, mover));
                }
            });
        }
        found.sort_unstable();
        found
    }

    /// Whether pairs of the last update that name the handle's slot are in doubt.
    fn is_touched(&self, handle: Handle) -> bool {
        self.touched.get(handle.slot()) == Some(&true)
    }

    fn touch(&mut self, handle: Handle) {
        let slot = handle.slot();
        if self.touched.len() <= slot {
            self.touched.resize(slot + 1, false);
        }
        self.touched[slot] = true;
    }
}

impl<V: Vector> Default for Broadphase<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V: Vector> fmt::Debug for Broadphase<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Broadphase")
            .field("boxes", &self.len())
            .field("pairs", &self.pairs.len())
            .finish_non_exhaustive()
    }
}

queries!(
    impl[V: Vector] Broadphase<V>, vector = V, item = Aabb<V>, key = Handle,
    list = Handle: |handle| handle,
    walk = TreeWalk<R>: TreeWalk<'_, LooseOrthtree<Proxy<V>>, OfBounds<R>>,
    |this, region| TreeWalk::new(&this.tree, OfBounds(region))
);

nearest!(
    impl[V: Vector] Broadphase<V>, vector = V, key = Handle,
    |this, from, best| in_hierarchy(&this.tree, from, best)
);

sweeps!(
    impl[V: Vector] Broadphase<V>, vector = V, item = Aabb<V>, key = Handle,
    |this, moving| walk = TreeWalk::new(&this.tree, OfBounds(moving)),
    item = |slot| &this.tree.item(slot).bounds,
    first = |first| first_in_hierarchy(
        &this.tree,
        |extent| moving.bound::<Aabb<V>>(extent),
        |proxy| moving.times(&proxy.bounds).map(|times| times.0),
        first,
    )
);
