//! The methods that insert, move, change and remove bodies. Their work is done by `placement.rs`.

use alloc::vec::{self, Vec};

use super::{BodyInfo, Broadphase, Filter, Kernels, Motion, Volume, or_panic};
use crate::error::{Error, or_panics};
use crate::handle::Handle;
use crate::vector::{Scalar, Vector};

impl<V: Vector> Broadphase<V> {
    or_panics! {
        /// Adds a body; its pairs begin with the next [`update`](Self::update).
        Broadphase: insert = try_insert(&mut self, volume: impl Into<Volume<V>>, info: impl Into<BodyInfo>) -> Handle
    }

    /// Adds a body; its pairs begin with the next [`update`](Self::update).
    ///
    /// # Errors
    ///
    /// If there are more bodies than `u32` can number, or the box was made from a point that is not finite. Distances
    /// outside [`safe_lengths`](crate::safe_lengths) are no error, though their squares overflow or lose digits.
    ///
    /// # Complexity
    ///
    /// O(1).
    pub fn try_insert(
        &mut self,
        volume: impl Into<Volume<V>>,
        info: impl Into<BodyInfo>,
    ) -> Result<Handle, Error> {
        <V::Array>::insert(&mut self.world, volume.into().cast(), info.into())
    }

    or_panics! {
        /// Adds many bodies, and returns their handles in the order of the bodies.
        ///
        /// ```
        /// use orthant::{Broadphase, Motion, Sphere};
        /// let balls = [0.0, 1.0, 5.0].map(|x| (Sphere::new([x], 0.5), Motion::Dynamic));
        /// let mut world = Broadphase::new();
        /// let handles = world.insert_batch(balls);
        /// world.update();
        /// assert!(world.pairs().eq([(handles[0], handles[1])]));
        /// ```
        Broadphase: insert_batch = try_insert_batch(
            &mut self,
            bodies: impl IntoIterator<Item = (impl Into<Volume<V>>, impl Into<BodyInfo>)>
        ) -> Vec<Handle>
    }

    /// Adds many bodies or, on an error, none; returns their handles in the order of the bodies.
    ///
    /// # Errors
    ///
    /// Where [`try_insert`](Self::try_insert) returns one for a body; for a bad volume, it names the body's index.
    pub fn try_insert_batch(
        &mut self,
        bodies: impl IntoIterator<Item = (impl Into<Volume<V>>, impl Into<BodyInfo>)>,
    ) -> Result<Vec<Handle>, Error> {
        let bodies = bodies.into_iter();
        let bodies = bodies.map(|(volume, info)| (volume.into().cast(), info.into()));
        <V::Array>::insert_batch(&mut self.world, bodies.collect())
    }

    /// Removes a body and returns its volume, or `None` if it was removed before; its pairs end with the next [`update`](Self::update).
    ///
    /// ```
    /// use orthant::{Aabb, Broadphase, Motion};
    /// let unit = Aabb::new([0.0], [1.0]);
    /// let mut world = Broadphase::new();
    /// let crate_ = world.insert(unit, Motion::Dynamic);
    /// assert_eq!(world.remove(crate_), Some(unit.into()));
    /// assert_eq!(world.remove(crate_), None);
    /// ```
    pub fn remove(&mut self, handle: Handle) -> Option<Volume<V>> {
        <V::Array>::remove(&mut self.world, handle).map(|volume| volume.cast())
    }

    /// Removes all bodies for which `keep` returns false; their pairs end with the next [`update`](Self::update). Calls
    /// `keep` once for each body, in the order of the handles.
    ///
    /// # Complexity
    ///
    /// O(n).
    ///
    /// ```
    /// use orthant::{Aabb, Broadphase, Motion};
    /// let unit = |x: f32| Aabb::new([x], [x + 1.0]);
    /// let mut world = Broadphase::new();
    /// let handles = world.insert_batch([0.0, 5.0, 90.0].map(|x| (unit(x), Motion::Dynamic)));
    /// world.retain(|_, volume| volume.core().max()[0] < 50.0); // the rest has left the scene
    /// assert_eq!(world.len(), 2);
    /// assert!(!world.contains(handles[2]));
    /// # use orthant::Bounded;
    /// ```
    pub fn retain(&mut self, mut keep: impl FnMut(Handle, Volume<V>) -> bool) {
        let all = self.iter();
        let gone = all.filter_map(|(body, volume)| (!keep(body, volume)).then_some(body));
        for body in gone.collect::<Vec<_>>() {
            self.remove(body);
        }
    }

    /// Removes all bodies; their pairs end with the next [`update`](Self::update). Margin, prediction distance and the
    /// kind of pairs are kept.
    ///
    /// # Complexity
    ///
    /// O(n).
    ///
    /// ```
    /// use orthant::{Aabb, Broadphase, Event, Motion};
    /// let unit = Aabb::new([0.0], [1.0]);
    /// let mut world: Broadphase<[f32; 1]> = [(unit, Motion::Dynamic); 2].into_iter().collect();
    /// world.update();
    /// world.clear();
    /// assert!(world.is_empty());
    /// assert!(matches!(world.update(), [Event::End(..)]));
    /// ```
    pub fn clear(&mut self) {
        self.retain(|_, _| false);
    }

    /// Removes all bodies as [`clear`](Self::clear) does, and returns their handles and volumes, in the order of the
    /// handles. The world is empty at once, even if the iterator is not read to its end.
    ///
    /// # Complexity
    ///
    /// O(n).
    ///
    /// ```
    /// use orthant::{Aabb, Broadphase, Motion};
    /// let unit = Aabb::new([0.0], [1.0]);
    /// let mut world = Broadphase::new();
    /// let body = world.insert(unit, Motion::Dynamic);
    /// assert!(world.drain().eq([(body, unit.into())]));
    /// assert!(world.is_empty() && !world.contains(body));
    /// ```
    pub fn drain(&mut self) -> vec::IntoIter<(Handle, Volume<V>)> {
        let bodies: Vec<_> = self.iter().collect();
        self.clear();
        bodies.into_iter()
    }

    or_panics! {
        /// Gives a body another place or size and wakes it. Returns true if the body got another [fat box](Self::fat_bounds), because it
        /// left the old one or the old one had become much too wide; if not, the call was cheap.
        ///
        /// # Complexity
        ///
        /// O(1).
        ///
        /// ```
        /// use orthant::{Aabb, Broadphase, Motion};
        /// let unit = |x: f32| Aabb::new([x], [x + 1.0]);
        /// let mut world = Broadphase::new().with_margin(0.25);
        /// let cart = world.insert(unit(0.0), Motion::Dynamic);
        /// assert!(!world.set_bounds(cart, unit(0.25)));
        /// assert!(world.set_bounds(cart, unit(0.5)));
        /// ```
        #[inline(always)]
        Broadphase: set_bounds = try_set_bounds(&mut self, handle: Handle, volume: impl Into<Volume<V>>) -> bool
    }

    /// Gives a body another place or size as [`set_bounds`](Self::set_bounds) does, but returns an error where that panics.
    ///
    /// # Errors
    ///
    /// If the handle is stale, or the box was made from a point that is not finite: the error names the handle, or the
    /// axis. Nothing is changed then.
    ///
    /// ```
    /// use orthant::{Aabb, Bounded, Broadphase, Motion};
    /// let mut world = Broadphase::new();
    /// let cart = world.insert(Aabb::new([0.0], [1.0]), Motion::Dynamic);
    /// let refused = world.try_set_bounds(cart, [f32::NAN].bounds()).unwrap_err();
    /// assert_eq!(refused.to_string(), "point is NaN on axis 0, not a finite number");
    /// assert_eq!(world.bounds(cart), Some(Aabb::new([0.0], [1.0])));
    /// ```
    #[inline(always)]
    pub fn try_set_bounds(
        &mut self,
        handle: Handle,
        volume: impl Into<Volume<V>>,
    ) -> Result<bool, Error> {
        let still = V::Array::splat(V::Scalar::ZERO);
        <V::Array>::set_volume(&mut self.world, handle, volume.into().cast(), still, still)
    }

    or_panics! {
        /// Moves a body, and widens its fat box by the displacement that is expected until the next call. This changes no answer but pairs
        /// of [fat boxes](Self::with_fat_pairs), and nothing at all unless the world has such pairs or a [margin](Self::with_margin).
        ///
        /// ```
        /// use orthant::{Aabb, Broadphase, Motion};
        /// let unit = |x: f32| Aabb::new([x], [x + 1.0]);
        /// let mut world = Broadphase::new().with_margin(0.25);
        /// let cart = world.insert(unit(0.0), Motion::Dynamic);
        /// assert!(world.set_bounds_expecting(cart, unit(0.5), [0.5]));
        /// assert!(!world.set_bounds_expecting(cart, unit(1.0), [0.5])); // as expected
        /// ```
        Broadphase: set_bounds_expecting = try_set_bounds_expecting(&mut self, handle: Handle, volume: impl Into<Volume<V>>, displacement: V) -> bool
    }

    /// Gives a body another place or size as [`set_bounds_expecting`](Self::set_bounds_expecting) does.
    ///
    /// # Errors
    ///
    /// Where [`try_set_bounds`](Self::try_set_bounds) returns one, and if the displacement is not finite or leads beyond the
    /// finite numbers: the error names the axis. Nothing is changed then.
    pub fn try_set_bounds_expecting(
        &mut self,
        handle: Handle,
        volume: impl Into<Volume<V>>,
        displacement: V,
    ) -> Result<bool, Error> {
        let (still, by) = (V::Array::splat(V::Scalar::ZERO), displacement.array());
        <V::Array>::set_volume(&mut self.world, handle, volume.into().cast(), still, by)
    }

    or_panics! {
        /// Gives a body another place or size and the path that it will take from there, in a straight line at constant
        /// speed, and wakes it. Until the next call, its pairs are the bodies that it touches on the way while they take
        /// their own paths: for fast bodies that might jump over each other. [`impact`](Self::impact) says when and where
        /// they touch. Queries see the body where its path begins.
        ///
        /// Returns true if the fat box changed.
        ///
        /// ```
        /// use orthant::{Aabb, Broadphase, Motion};
        /// let unit = |x: f32| Aabb::new([x], [x + 1.0]);
        /// let mut world = Broadphase::new();
        /// let dart = world.insert(unit(0.0), Motion::Dynamic);
        /// world.set_swept(dart, unit(0.0), [8.0]);
        /// assert_eq!((world.volume(dart), world.path(dart)), (Some(unit(0.0).into()), Some([8.0])));
        /// assert!(world.fat_bounds(dart).unwrap().max()[0] >= 9.0); // all of its way
        /// world.optimize(100); // changes no answer
        /// ```
        Broadphase: set_swept = try_set_swept(&mut self, handle: Handle, volume: impl Into<Volume<V>>, path: V) -> bool
    }

    /// Gives a body another place or size and a path, as [`set_swept`](Self::set_swept) does.
    ///
    /// # Errors
    ///
    /// Where [`try_set_bounds`](Self::try_set_bounds) returns one, and if the path is not finite or leads beyond the finite
    /// numbers: the error names the axis. Nothing is changed then.
    ///
    /// ```
    /// use orthant::{Broadphase, Motion, Sphere};
    /// let (mut world, ball) = (Broadphase::new(), Sphere::new([0.0, 0.0], 1.0));
    /// let dart = world.insert(ball, Motion::Dynamic);
    /// assert!(world.try_set_swept(dart, ball, [1.0, f32::INFINITY]).is_err());
    /// assert_eq!(world.path(dart), Some([0.0, 0.0]));
    /// ```
    pub fn try_set_swept(
        &mut self,
        handle: Handle,
        volume: impl Into<Volume<V>>,
        path: V,
    ) -> Result<bool, Error> {
        let (still, by) = (V::Array::splat(V::Scalar::ZERO), path.array());
        <V::Array>::set_volume(&mut self.world, handle, volume.into().cast(), by, still)
    }

    /// Gives every body that is neither static nor asleep the place or size that `place` returns, as
    /// [`set_bounds`](Self::set_bounds) would: for worlds in which most bodies move at each step.
    ///
    /// With the feature `rayon`, several threads may call `place` at once. It may be called twice for a body.
    ///
    /// # Panics
    ///
    /// Where [`try_set_all_bounds`](Self::try_set_all_bounds) returns an error.
    ///
    /// ```
    /// use orthant::{Aabb, Broadphase, Event, Motion};
    /// let unit = |x: f32| Aabb::new([x], [x + 1.0]);
    /// let mut world = Broadphase::new();
    /// let [a, b] = [0.0, 5.0].map(|x| world.insert(unit(x), Motion::Dynamic));
    /// world.update();
    /// let places = [3.0, 4.0];
    /// world.set_all_bounds(|body| unit(places[body.slot()]));
    /// assert_eq!(world.update(), [Event::Begin(a, b)]);
    /// ```
    #[track_caller]
    pub fn set_all_bounds<T>(&mut self, place: impl Fn(Handle) -> T + Sync)
    where
        T: Into<Volume<V>>,
    {
        or_panic(self.try_set_all_bounds(place));
    }

    /// Gives every body that is neither static nor asleep the place or size that `place` returns.
    ///
    /// # Errors
    ///
    /// If a box was made from a point that is not finite: the error names the slot of the first such body. These bodies
    /// stay where they were; all others move.
    ///
    /// # Complexity
    ///
    /// O(n), where static and sleeping bodies count too.
    pub fn try_set_all_bounds<T>(&mut self, place: impl Fn(Handle) -> T + Sync) -> Result<(), Error>
    where
        T: Into<Volume<V>>,
    {
        <V::Array>::set_all(&mut self.world, &|handles, volumes| {
            for (handle, volume) in handles.iter().zip(volumes) {
                *volume = place(*handle).into().cast();
            }
        })
    }

    /// Gives a body another kind of motion.
    ///
    /// # Panics
    ///
    /// On a stale handle.
    ///
    /// ```
    /// use orthant::{Aabb, Broadphase, Filter, Motion};
    /// let unit = Aabb::new([0.0], [1.0]);
    /// let mut world = Broadphase::new();
    /// let [lift, floor] = [Motion::Kinematic, Motion::Static].map(|motion| world.insert(unit, motion));
    /// world.set_motion(lift, Motion::Dynamic);
    /// world.set_filter(floor, Filter { mask: 0, ..Filter::ALL });
    /// world.set_user(floor, 7);
    /// assert!(world.update().is_empty()); // the floor meets nobody
    /// assert_eq!(world.motion(lift), Some(Motion::Dynamic));
    /// assert_eq!((world.filter(floor).unwrap().mask, world.user(floor)), (0, Some(7)));
    /// ```
    #[track_caller]
    pub fn set_motion(&mut self, handle: Handle, motion: Motion) {
        self.set_info(handle, |info| info.motion = motion);
    }

    /// Gives a body another filter; the next [`update`](Self::update) reports the pairs that begin and end by it.
    ///
    /// # Panics
    ///
    /// On a stale handle.
    #[track_caller]
    pub fn set_filter(&mut self, handle: Handle, filter: Filter) {
        self.set_info(handle, |info| info.filter = filter);
    }

    /// Gives a body another user number.
    ///
    /// # Panics
    ///
    /// On a stale handle.
    #[track_caller]
    pub fn set_user(&mut self, handle: Handle, user: u64) {
        self.set_info(handle, |info| info.user = user);
    }

    /// Puts a body to sleep: it is not expected to move for a while, and costs nothing until then. It keeps its pairs,
    /// and moving bodies still meet it: no answer changes.
    ///
    /// # Panics
    ///
    /// On a stale handle.
    #[track_caller]
    pub fn sleep(&mut self, handle: Handle) {
        or_panic(<V::Array>::set_asleep(&mut self.world, handle, true));
    }

    /// Wakes a body that [`sleep`](Self::sleep) put to sleep; giving the body a place does so too.
    ///
    /// # Panics
    ///
    /// On a stale handle.
    #[track_caller]
    pub fn wake(&mut self, handle: Handle) {
        or_panic(<V::Array>::set_asleep(&mut self.world, handle, false));
    }

    #[track_caller]
    fn set_info(&mut self, handle: Handle, edit: impl FnOnce(&mut BodyInfo)) {
        let details = self.world.bodies.details(handle);
        let mut info = or_panic(details.ok_or(Error::Stale { handle })).info;
        edit(&mut info);
        <V::Array>::set_info(&mut self.world, handle.slot, info);
    }
}

/// Adds bodies as [`insert_batch`](Broadphase::insert_batch) does, and panics where it does.
///
/// ```
/// use orthant::{Aabb, Broadphase, Motion};
/// let mut world = Broadphase::new();
/// world.extend([0.0, 5.0].map(|x| (Aabb::new([x], [x + 1.0]), Motion::Dynamic)));
/// assert_eq!(world.len(), 2);
/// ```
impl<V: Vector, B: Into<Volume<V>>, I: Into<BodyInfo>> Extend<(B, I)> for Broadphase<V> {
    #[track_caller]
    fn extend<T: IntoIterator<Item = (B, I)>>(&mut self, bodies: T) {
        self.insert_batch(bodies);
    }
}

/// Makes a world of bodies, in which those that come first have the lesser handles. Panics where
/// [`insert_batch`](Broadphase::insert_batch) does.
impl<V: Vector, B: Into<Volume<V>>, I: Into<BodyInfo>> FromIterator<(B, I)> for Broadphase<V> {
    #[track_caller]
    fn from_iter<T: IntoIterator<Item = (B, I)>>(bodies: T) -> Self {
        let mut world = Self::new();
        world.insert_batch(bodies);
        world
    }
}
