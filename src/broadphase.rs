//! Which of these bodies may collide?
//!
//! Each body has two boxes. The tight one is what the caller gave; the fat one, with a margin and the
//! way that the body is expected to go, lies in the engine, so that a body that moves a little costs
//! little. Answers are about what was given: the engine finds bodies whose fat boxes overlap, and each
//! pair of them is judged by its volumes, motions and filters. So nothing depends on how a body came to
//! its place; only in the mode that asks for fat pairs does it.
//!
//! Rejected: pairs of fat boxes as the only kind, as most engines have them (their number depends on the
//! history of every body, and the narrow phase pays for it); sleeping bodies without pairs (waking would
//! report them again).

mod ask;
mod cast;
mod change;
mod engine;
mod event;
mod filter;
mod motion;
mod proxy;
mod rules;
#[cfg(feature = "serde")]
mod serial;
mod settings;
mod slots;
mod state;
mod validate;
mod volume;
mod walk;

use alloc::vec::Vec;
use core::fmt;
use core::mem::size_of;

use crate::vector::assert_structure;
use crate::{Aabb, Bounded, Error, Handle, Impact, Scalar, Vector};
pub use ask::Filtered;
use engine::Engine;
pub use event::Event;
pub use filter::Filter;
pub use motion::Motion;
use proxy::Body;
pub use proxy::Proxy;
use rules::{Court, Needy, Rules};
use slots::Slots;
pub use volume::Volume;

/// Moving boxes and balls, and all pairs of them that overlap; touching counts.
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
/// world.set_bounds(a, unit(4.0), [1.0, 0.0, 0.0]); // and goes on like this
/// assert_eq!(world.update(), [Event::Begin(a, b)]);
/// assert_eq!(world.pairs().collect::<Vec<_>>(), [(a, b)]);
/// ```
///
/// # What is a pair
///
/// Two bodies are a pair if their [`Motion`]s and [`Filter`]s allow it, their boxes overlap, and so do
/// their [`Volume`]s. With a [prediction distance](Self::with_prediction) the volumes are inflated
/// first; of bodies that were [given a path](Self::set_swept) it is asked whether they touch on the
/// way. Neither the margin, nor displacements that are only expected, nor sleep, nor the order or
/// history of calls changes an answer.
#[derive(Clone)]
pub struct Broadphase<V: Vector> {
    slots: Slots<V>,
    engine: Engine<V>,
    rules: Rules<V>,
    needy: Needy,
    /// Whether nothing has changed since the last update.
    settled: bool,
    /// The pairs of the last update, if the engine does not know them.
    restored: Option<Vec<[u32; 2]>>,
    events: Vec<Event>,
}

impl<V: Vector> Broadphase<V> {
    /// An empty world.
    #[must_use]
    pub const fn new() -> Self {
        const { assert_structure::<V>() }
        Self {
            slots: Slots::new(),
            engine: Engine::new(),
            rules: Rules {
                margin: V::Scalar::ZERO,
                prediction: V::Scalar::ZERO,
                fat: false,
            },
            needy: Needy::NONE,
            settled: true,
            restored: None,
            events: Vec::new(),
        }
    }

    /// The number of bodies.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the handle's body is still in the world.
    #[must_use]
    pub fn contains(&self, handle: Handle) -> bool {
        self.slots.get(handle).is_some()
    }

    /// All bodies and what they take up, in the order of their handles.
    pub fn iter(&self) -> impl Iterator<Item = (Handle, Volume<V>)> {
        let bodies = self.slots.iter();
        bodies.map(|(handle, body)| (handle, body.volume))
    }

    /// What a body takes up, as it was given; `None` when it has been removed.
    #[must_use]
    pub fn volume(&self, handle: Handle) -> Option<Volume<V>> {
        self.slots.get(handle).map(|body| body.volume)
    }

    /// The box around a body, tight; `None` when it has been removed.
    #[must_use]
    pub fn bounds(&self, handle: Handle) -> Option<Aabb<V>> {
        self.slots.get(handle).map(|body| body.volume.core())
    }

    /// The box that stands for a body inside, with all that it is expected to need; `None` when it
    /// has been removed. It depends on where the body has been.
    #[must_use]
    pub fn fat_bounds(&self, handle: Handle) -> Option<Aabb<V>> {
        let known = self.contains(handle);
        known.then(|| self.engine.bounds(handle.slot))
    }

    /// The way that a body goes until its next place is told: zero unless
    /// [`set_swept`](Self::set_swept) said otherwise. `None` when it has been removed.
    #[must_use]
    pub fn path(&self, handle: Handle) -> Option<V> {
        self.slots.get(handle).map(|body| body.path)
    }

    /// How a body moves; `None` when it has been removed.
    #[must_use]
    pub fn motion(&self, handle: Handle) -> Option<Motion> {
        self.slots.get(handle).map(|body| body.proxy.motion)
    }

    /// What a body meets; `None` when it has been removed.
    #[must_use]
    pub fn filter(&self, handle: Handle) -> Option<Filter> {
        self.slots.get(handle).map(|body| body.proxy.filter)
    }

    /// Your number of a body; `None` when it has been removed.
    #[must_use]
    pub fn user(&self, handle: Handle) -> Option<u64> {
        self.slots.get(handle).map(|body| body.proxy.user)
    }

    /// Whether a body sleeps; `None` when it has been removed.
    #[must_use]
    pub fn is_asleep(&self, handle: Handle) -> Option<bool> {
        self.slots.get(handle).map(|body| body.asleep)
    }

    /// All pairs of the last [`update`](Self::update), each once, the lesser handle first, sorted.
    #[must_use]
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = (Handle, Handle)> {
        self.reported().iter().map(|&pair| self.name(pair))
    }

    /// Brings the pairs up to date; says which began and which ended since the last time, each
    /// once, sorted by their handles, beginnings and ends among each other.
    ///
    /// The pairs of a body that was removed end now, under its old handle.
    ///
    /// # Complexity
    ///
    /// O((changed + their pairs) log n) where few bodies changed, O(n log n + pairs) where most did.
    /// Bodies that rest are not searched for, only found; when anything begins or ends, the list of
    /// pairs is copied.
    pub fn update(&mut self) -> &[Event] {
        self.engine.step(&Court {
            rules: &self.rules,
            bodies: &self.slots.bodies,
            needy: self.needy,
        });
        self.events.clear();
        let name = |[a, b]: [u32; 2]| (self.slots.handle(a), self.slots.handle(b));
        match self.restored.take() {
            None => {
                let (begun, ended) = (self.engine.begun(), self.engine.ended());
                event::merge(begun, ended, name, &mut self.events);
            }
            Some(old) => {
                let [begun, ended] = event::changes(&old, self.engine.pairs());
                event::merge(&begun, &ended, name, &mut self.events);
            }
        }
        self.slots.release();
        self.settled = true;
        &self.events
    }

    /// When and where a body first touches another if both go the way that
    /// [`set_swept`](Self::set_swept) told, at times from 0 to 1; `None` if they do not touch, or one
    /// of them has been removed.
    ///
    /// Margin, prediction distance, motions and filters play no part in it.
    ///
    /// ```
    /// use orthant::{Aabb, Broadphase, Motion, Sphere};
    /// let mut world = Broadphase::new();
    /// let bullet = world.insert(Sphere::new([0.0, 0.0], 1.0), Motion::Dynamic);
    /// let wall = world.insert(Aabb::new([5.0, -9.0], [5.0, 9.0]), Motion::Static);
    /// world.set_swept(bullet, Sphere::new([0.0, 0.0], 1.0), [16.0, 0.0]);
    /// world.update();
    /// assert!(world.pairs().eq([(bullet, wall)])); // though it ends up far behind
    /// assert_eq!(world.impact(bullet, wall).unwrap().first, 0.25);
    /// ```
    #[must_use]
    pub fn impact(&self, a: Handle, b: Handle) -> Option<Impact<V>> {
        let (a, b) = (self.slots.get(a)?, self.slots.get(b)?);
        rules::impact((&a.volume, a.path), (&b.volume, b.path))
    }

    /// Does, ahead of time and for about `budget` bodies, what updates would do by and by to keep
    /// the world fast: for a pause, or after a scene was built. No answer changes.
    pub fn optimize(&mut self, budget: usize) {
        self.engine.optimize(budget);
    }

    /// The memory that the world holds, in bytes. It does not grow while as many bodies come as go.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let restored = self.restored.as_ref().map_or(0, Vec::capacity);
        self.slots.bytes()
            + self.engine.bytes()
            + self.events.capacity() * size_of::<Event>()
            + restored * size_of::<[u32; 2]>()
    }

    /// The pairs of the last update, by slot.
    fn reported(&self) -> &[[u32; 2]] {
        self.restored.as_deref().unwrap_or(self.engine.pairs())
    }

    fn name(&self, [a, b]: [u32; 2]) -> (Handle, Handle) {
        (self.slots.handle(a), self.slots.handle(b))
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
            .field("bodies", &self.len())
            .field("pairs", &self.reported().len())
            .finish_non_exhaustive()
    }
}

#[track_caller]
fn or_panic<T>(result: Result<T, Error>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("Broadphase: {error}"),
    }
}
