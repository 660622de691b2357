//! The broad phase: finds all pairs of moving boxes and balls that overlap.
//!
//! Each body has two boxes. The tight box is the one that was given. The fat box adds a margin and the expected displacement; the tree
//! stores it, so that a small move does not touch the tree. The tree finds bodies whose fat boxes overlap, and the rules judge each pair of
//! them by volumes, motions and filters. So no answer depends on how a body came to its place, except in the mode of fat pairs.
//!
//! `table.rs` has the bodies, `rules.rs` says which of them are pairs, and `step.rs` tells a step from beginning to end. The boxes
//! are in `tree.rs`, in the order of `size_order.rs`. Their pairs are found by `pair_walk.rs`, or by
//! `changed_pairs.rs` where few bodies changed, and `pairs.rs` keeps the list of them.

mod body;
mod cast;
mod changed_pairs;
mod edit;
mod lookup;
mod pair_walk;
mod pairs;
mod placement;
mod row;
mod rules;
#[cfg(feature = "serde")]
mod serial;
mod size_order;
mod spatial_index;
mod step;
mod table;
mod tree;
mod tree_query;
mod validate;

use alloc::vec::Vec;
use core::mem::size_of;

use crate::error::{Error, shown_as};
use crate::handle::Handle;
use crate::kernels::kernels;
use crate::overlap::columns::Boxes;
use crate::query::{Bound, Descent, KeyWriter, Offer, Relate, SlotRun, best_first, next_run};
use crate::simd::InstructionSet;
use crate::sweep::{Cast, Impact};
use crate::vector::{Scalar, Vector, assert_structure};
pub use body::{BodyInfo, Filter, Motion, Volume};
use cast::Visit;
use changed_pairs::ChangedBoxes;
pub use pairs::Event;
use pairs::{Pair, PairsFound, ids};
use placement::VolumesOf;
use rules::{Judged, Rules};
pub use spatial_index::Filtered;
use table::Bodies;
use tree::Tree;
use tree_query::{BoxSearch, VolumeRegion};

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
/// world.set_bounds(a, unit(4.0));
/// assert_eq!(world.update(), [Event::Begin(a, b)]);
/// assert_eq!(world.pairs().collect::<Vec<_>>(), [(a, b)]);
/// ```
///
/// # What is a pair
///
/// Two bodies are a pair if their [`Motion`]s and [`Filter`]s allow it, their boxes overlap, and so do their [`Volume`]s. With a
/// [prediction distance](Self::with_prediction) the volumes are inflated first; bodies that were [given a path](Self::set_swept) are a pair
/// if they touch on the way. Except for [fat pairs](Self::with_fat_pairs), no answer depends on the margin, on displacements that are only
/// expected, on sleep, or on the order or history of calls.
///
/// # In a physics engine
///
/// At each step, say where bodies are ([`set_bounds`](Self::set_bounds), or [`set_all_bounds`](Self::set_all_bounds)),
/// [`update`](Self::update), make a contact for each pair that began, drop the contact of each that ended, and go through
/// [`pairs`](Self::pairs). A handle's [slot](Handle::slot) is a small index for your own tables, which is not given to another body until
/// the ends of all of this body's pairs have been reported; a [`BodyInfo`] has 64 bits for your own use.
///
/// | your engine has | here it is |
/// |---|---|
/// | layers, groups, collision masks | [`Filter`]; [`filtered`](Self::filtered) for queries and casts |
/// | islands that sleep | [`sleep`](Self::sleep): sleeping bodies cost nothing, and keep their pairs |
/// | fast bodies (CCD) | [`set_swept`](Self::set_swept), then [`impact`](Self::impact) of a pair |
/// | speculative contacts | [`with_prediction`](Self::with_prediction) |
/// | pairs of fat boxes | [`with_fat_pairs`](Self::with_fat_pairs) and [`with_margin`](Self::with_margin) |
/// | rays, shape casts, areas | [`cast_ray`](crate::SpatialIndex::cast_ray), [`sweep`](crate::SpatialIndex::sweep), [`query`](Self::query) |
///
/// Queries see the latest positions, updated or not. Bodies that moved since the last update are tested one by one, so queries are
/// fastest right after an update.
#[derive(Clone)]
pub struct Broadphase<V: Vector> {
    world: World<V::Array>,
}

impl<V: Vector> Broadphase<V> {
    /// An empty world.
    #[must_use]
    pub const fn new() -> Self {
        const { assert_structure::<V>() }
        let world = World::new();
        Self { world }
    }

    /// All pairs of the last [`update`](Self::update) or [`refresh`](Self::refresh), each once, the
    /// lesser handle first; sorted after an update.
    #[must_use]
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = (Handle, Handle)> {
        let bodies = &self.world.bodies;
        self.world.pairs.iter().map(|&pair| {
            let [a, b] = ids(pair);
            (bodies.handle(a), bodies.handle(b))
        })
    }

    /// Brings the pairs up to date, and returns which began and which ended since the last update or
    /// [`refresh`](Self::refresh): each once, in one list that is sorted by handles.
    ///
    /// The pairs of a body that was removed end now, under its old handle.
    ///
    /// # Complexity
    ///
    /// O((changed + their pairs) log n) where few bodies changed, O(n log n + pairs) where most did. Bodies at rest are
    /// found by others, but need no search of their own. If any pair begins or ends, the list of pairs is copied.
    pub fn update(&mut self) -> &[Event] {
        <V::Array>::step(&mut self.world, true);
        &self.world.events
    }

    /// Brings the pairs up to date as [`update`](Self::update) does, but returns an error if memory may not suffice for
    /// them. If there is no room for all conceivable pairs, it counts overlapping boxes first.
    ///
    /// ```
    /// use orthant::{Aabb, Broadphase, Event, Motion};
    /// let mut world = Broadphase::new();
    /// let [a, b] = [0.0, 1.0].map(|x| world.insert(Aabb::new([x], [x + 1.0]), Motion::Dynamic));
    /// assert_eq!(world.try_update()?, [Event::Begin(a, b)]);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// The cost of [`update`](Self::update), plus O(n log n + pairs / 16) if boxes are counted.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`], with the number of pairs that there may be. Nothing has changed then, and the next
    /// update reports what this one would have.
    pub fn try_update(&mut self) -> Result<&[Event], Error> {
        <V::Array>::check_room(&self.world, false)?;
        Ok(self.update())
    }

    /// Brings the pairs up to date as [`try_update`](Self::try_update) does, but needs room for a copy of the events
    /// too: the Python package hands out two 64-bit numbers for each.
    ///
    /// # Errors
    ///
    /// Fails where [`try_update`](Self::try_update) does.
    #[doc(hidden)]
    pub fn try_update_to_copy(&mut self) -> Result<&[Event], Error> {
        <V::Array>::check_room(&self.world, true)?;
        Ok(self.update())
    }

    /// The events that the last [`update`](Self::update) returned, readable while the world is queried; none after a
    /// [`refresh`](Self::refresh).
    ///
    /// ```
    /// use orthant::{Aabb, Broadphase, Motion};
    /// let unit = Aabb::new([0.0], [1.0]);
    /// let mut world: Broadphase<[f32; 1]> = [(unit, Motion::Dynamic); 2].into_iter().collect();
    /// world.update();
    /// for event in world.events() {
    ///     let (a, b) = event.pair();
    ///     assert_eq!(world.bounds(a), world.bounds(b));
    /// }
    /// assert_eq!(world.events().len(), 1);
    /// ```
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.world.events
    }

    /// Brings the pairs up to date like [`update`](Self::update), but reports no events and leaves
    /// [`pairs`](Self::pairs) unsorted: for callers that visit every pair at each step. Where most bodies move it takes
    /// about half the time. The order is the same on any number of threads.
    ///
    /// The next update reports changes since this call: a pair that this call adds has no [`Begin`](Event::Begin), and
    /// a pair that it drops has no [`End`](Event::End).
    ///
    /// ```
    /// use orthant::{Aabb, Broadphase, Event, Motion};
    /// let unit = |x: f32| Aabb::new([x], [x + 1.0]);
    /// let mut world = Broadphase::new();
    /// let a = world.insert(unit(0.0), Motion::Dynamic);
    /// let b = world.insert(unit(1.0), Motion::Dynamic);
    /// world.refresh();
    /// assert!(world.pairs().eq([(a, b)]));
    /// assert!(world.update().is_empty()); // no `Begin`
    /// world.set_bounds(b, unit(2.0));
    /// assert_eq!(world.update(), [Event::End(a, b)]);
    /// ```
    pub fn refresh(&mut self) {
        <V::Array>::step(&mut self.world, false);
    }

    /// Brings the pairs up to date as [`refresh`](Self::refresh) does, but returns an error if memory may not suffice for them.
    ///
    /// ```
    /// use orthant::{Aabb, Broadphase, Motion};
    /// let body = (Aabb::new([0.0], [1.0]), Motion::Dynamic);
    /// let mut world: Broadphase<[f32; 1]> = [body; 3].into_iter().collect();
    /// world.try_refresh()?;
    /// assert_eq!(world.pairs().len(), 3);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails where [`try_update`](Self::try_update) does.
    pub fn try_refresh(&mut self) -> Result<(), Error> {
        <V::Array>::check_room(&self.world, false)?;
        self.refresh();
        Ok(())
    }

    /// When and where two bodies first touch on the paths that [`set_swept`](Self::set_swept) gave them, at times from
    /// 0 to 1; `None` if they do not touch, or one of them has been removed.
    ///
    /// Margin, prediction distance, motions and filters do not matter. Every pair has an impact, unless pairs are those
    /// of fat boxes or of inflated volumes.
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
        <V::Array>::impact(&self.world, a, b).map(Impact::cast)
    }

    /// Sorts the tree now, so that no later update has to for a while: for a pause, or after a scene has changed much. No answer changes.
    ///
    /// Does nothing if the budget is 0, if a body has changed since the last update, or if no body has changed or
    /// fallen asleep since the last sort; otherwise sorts all bodies.
    ///
    /// # Complexity
    ///
    /// O(n log n).
    pub fn optimize(&mut self, budget: usize) {
        <V::Array>::optimize(&mut self.world, budget);
    }

    /// Checks what every update and query relies on, for tests and for memory that is in doubt: bodies, the tree and the pairs.
    ///
    /// # Errors
    ///
    /// Says what does not hold.
    #[doc(hidden)]
    pub fn validate(&self) -> Result<(), &'static str> {
        <V::Array>::validate(&self.world)
    }

    /// Chooses the instruction set, for tests: answers do not depend on it.
    #[doc(hidden)]
    #[must_use]
    pub fn with_instructions(mut self, instructions: InstructionSet) -> Self {
        self.world.instructions = Some(instructions);
        self
    }

    /// Returns true while a sort is spread over some steps, for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn is_sorting(&self) -> bool {
        self.world.tree.sort.is_some()
    }

    /// The memory that the world holds, in bytes. It does not grow while as many bodies come as go.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.world.bytes()
    }
}

impl<V: Vector> Default for Broadphase<V> {
    fn default() -> Self {
        Self::new()
    }
}

shown_as!(
    impl[V: Vector] Broadphase<V> as "Broadphase",
    |this| bodies: this.len(), pairs: this.world.pairs.len()
);

/// The state of a [`Broadphase`] over arrays: all of it that is compiled in this crate.
#[derive(Clone)]
pub struct World<V: Vector> {
    bodies: Bodies<V>,
    rules: Rules<V::Scalar>,
    tree: Tree<V>,
    /// The pairs of the last step, and whether they are sorted.
    pairs: Vec<Pair>,
    is_sorted: bool,
    events: Vec<Event>,
    /// The least work since the last sort: of a step that found all pairs, and of a step that found only changes.
    least_work: [usize; 2],
    /// How many pairs began or ended in the last step in which most bodies changed.
    last_events: usize,
    /// `None` for the best of the machine.
    instructions: Option<InstructionSet>,
    // Memory that steps use again.
    found: PairsFound,
    /// The list of pairs before the step, and a buffer for sorts.
    old: Vec<Pair>,
    scratch: Vec<Pair>,
    changing: ChangedBoxes<V>,
    /// The boxes before the step, and above them bounds that hold both the old and the new boxes.
    before: Vec<Vec<Boxes<V>>>,
    /// A byte for each body; all 0 between uses.
    flags: Vec<u8>,
}

impl<V: Vector> World<V> {
    const fn new() -> Self {
        Self {
            bodies: Bodies::new(),
            rules: Rules {
                margin: V::Scalar::ZERO,
                prediction: V::Scalar::ZERO,
                fat: false,
                paired: true,
            },
            tree: Tree::new(),
            pairs: Vec::new(),
            is_sorted: true,
            events: Vec::new(),
            least_work: [usize::MAX; 2],
            last_events: 0,
            instructions: None,
            found: PairsFound::new(),
            old: Vec::new(),
            scratch: Vec::new(),
            changing: ChangedBoxes::new(),
            before: Vec::new(),
            flags: Vec::new(),
        }
    }

    fn bytes(&self) -> usize {
        let pairs = [&self.pairs, &self.old, &self.scratch].map(Vec::capacity);
        let boxes: usize = self.before.iter().map(Vec::capacity).sum();
        self.bodies.bytes()
            + self.tree.bytes()
            + self.found.bytes()
            + self.changing.bytes()
            + self.events.capacity() * size_of::<Event>()
            + pairs.iter().sum::<usize>() * size_of::<Pair>()
            + boxes * size_of::<Boxes<V>>()
            + self.flags.capacity()
    }

    /// The volume of the body with a key.
    #[inline(always)]
    fn volume(&self, id: u32) -> Volume<V> {
        if self.rules.is_bare() && self.bodies.judged[id as usize] != Judged::ByShape {
            Volume::Box(self.bodies.bounds(id))
        } else {
            self.bodies.details[id as usize].volume
        }
    }

    /// True if every body is exactly its box in the tree, so that no volume needs a test.
    fn is_bare(&self) -> bool {
        self.rules.is_bare() && !self.bodies.any_by_shape()
    }

    fn instructions(&self) -> InstructionSet {
        self.instructions.unwrap_or_else(InstructionSet::best)
    }
}

shown_as!(impl[V: Vector] World<V> as "World");

#[inline(always)]
#[track_caller]
fn or_panic<T>(result: Result<T, Error>) -> T {
    crate::error::or_panic("Broadphase", result)
}

kernels! {
    /// The operations of a broadphase, compiled in this crate.
    pub trait Kernels {
        fn step(world: &mut World<Self>, wants_events: bool) = World::step;
        fn check_room(world: &World<Self>, copies_events: bool) -> Result<(), Error> = World::check_room;
        fn optimize(world: &mut World<Self>, budget: usize) = World::optimize;
        fn validate(world: &World<Self>) -> Result<(), &'static str> = World::validate;
        fn insert(world: &mut World<Self>, volume: Volume<Self>, info: BodyInfo) -> Result<Handle, Error> = World::insert;
        fn insert_batch(world: &mut World<Self>, bodies: Vec<(Volume<Self>, BodyInfo)>) -> Result<Vec<Handle>, Error>
            = World::insert_batch;
        fn remove(world: &mut World<Self>, handle: Handle) -> Option<Volume<Self>> = World::remove;
        fn set_info(world: &mut World<Self>, id: u32, info: BodyInfo) = World::set_info;
        fn set_asleep(world: &mut World<Self>, handle: Handle, asleep: bool) -> Result<(), Error> = World::set_asleep;
        fn set_volume(world: &mut World<Self>, handle: Handle, volume: Volume<Self>, path: Self, displacement: Self)
            -> Result<bool, Error> = World::set_volume;
        fn set_all(world: &mut World<Self>, volumes_of: &VolumesOf<'_, Self>) -> Result<(), Error> = World::set_all;
        fn set_rules(world: &mut World<Self>, rules: Rules<Self::Scalar>) = World::set_rules;
        fn find(world: &World<Self>, region: &VolumeRegion<Self>, search: &mut BoxSearch, to: Option<&mut KeyWriter<'_>>)
            -> usize = World::find;
        fn next_run(world: &World<Self>, relate: &Relate<'_, Self>, descent: &mut Descent) -> Option<SlotRun> = next_run;
        fn best_first(world: &World<Self>, bound: &Bound<'_, Self>, offer: &mut Offer<'_, Self>) = best_first;
        fn partners(world: &World<Self>, handle: Handle) -> Vec<Handle> = World::partners;
        fn impact(world: &World<Self>, a: Handle, b: Handle) -> Option<Impact<Self>> = World::impact;
        fn visit_hits(world: &World<Self>, filter: Option<Filter>, mover: &Cast<Self>, visit: &mut Visit<'_, Self::Scalar>)
            = cast::visit_hits;
        fn first_hit(world: &World<Self>, filter: Option<Filter>, mover: &Cast<Self>) -> Option<(Handle, Self::Scalar)>
            = cast::first_hit;
    }
}
