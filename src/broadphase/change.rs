//! Bodies come, move and go.

use alloc::vec::Vec;

use super::kind::Kind;
use super::proxy::Record;
use super::rules::check_displacement;
use super::{BodyInfo, Broadphase, Volume, or_panic};
use crate::overlap::{check_count, check_item};
use crate::{Bounded, Error, Handle, Scalar, Sphere, Vector};

impl<V: Vector> Broadphase<V> {
    /// Adds a body; its pairs begin with the next [`update`](Self::update).
    ///
    /// # Panics
    ///
    /// Where [`try_insert`](Self::try_insert) returns an error.
    #[track_caller]
    pub fn insert(&mut self, volume: impl Into<Volume<V>>, proxy: impl Into<BodyInfo>) -> Handle {
        or_panic(self.try_insert(volume, proxy))
    }

    /// Adds a body; its pairs begin with the next [`update`](Self::update).
    ///
    /// # Errors
    ///
    /// If there are more bodies than `u32` can number, or the box is that of a point that is not
    /// finite.
    ///
    /// # Complexity
    ///
    /// O(log n).
    pub fn try_insert(
        &mut self,
        volume: impl Into<Volume<V>>,
        proxy: impl Into<BodyInfo>,
    ) -> Result<Handle, Error> {
        let volume = volume.into();
        check_item(&volume)?;
        check_count(self.slots.kinds.len() + 1)?;
        Ok(self.add(volume, proxy.into()))
    }

    /// Adds many bodies, and names them in their order.
    ///
    /// # Panics
    ///
    /// Where [`try_insert_batch`](Self::try_insert_batch) returns an error.
    ///
    /// ```
    /// use orthant::{Broadphase, Motion, Sphere};
    /// let balls = [0.0, 1.0, 5.0].map(|x| (Sphere::new([x], 0.5), Motion::Dynamic));
    /// let mut world = Broadphase::new();
    /// let handles = world.insert_batch(balls);
    /// world.update();
    /// assert!(world.pairs().eq([(handles[0], handles[1])]));
    /// ```
    #[track_caller]
    pub fn insert_batch(
        &mut self,
        bodies: impl IntoIterator<Item = (impl Into<Volume<V>>, impl Into<BodyInfo>)>,
    ) -> Vec<Handle> {
        or_panic(self.try_insert_batch(bodies))
    }

    /// Adds many bodies, or none, and names them in their order.
    ///
    /// # Errors
    ///
    /// Where [`try_insert`](Self::try_insert) of one would return one: it names the body's index.
    pub fn try_insert_batch(
        &mut self,
        bodies: impl IntoIterator<Item = (impl Into<Volume<V>>, impl Into<BodyInfo>)>,
    ) -> Result<Vec<Handle>, Error> {
        let each = bodies.into_iter();
        let bodies: Vec<_> = each.map(|(v, p)| (v.into(), p.into())).collect();
        check_count(self.slots.kinds.len() + bodies.len())?;
        for (index, (volume, _)) in bodies.iter().enumerate() {
            check_item(volume).map_err(|error| Error::Item { index, error })?;
        }
        let add = |(volume, proxy)| self.add(volume, proxy);
        Ok(bodies.into_iter().map(add).collect())
    }

    /// Takes a body out and says where it was; its pairs end with the next
    /// [`update`](Self::update).
    ///
    /// # Panics
    ///
    /// On a stale handle.
    #[track_caller]
    pub fn remove(&mut self, handle: Handle) -> Volume<V> {
        or_panic(self.try_remove(handle))
    }

    /// Takes a body out and says where it was; its pairs end with the next
    /// [`update`](Self::update).
    ///
    /// # Errors
    ///
    /// On a stale handle.
    pub fn try_remove(&mut self, handle: Handle) -> Result<Volume<V>, Error> {
        let volume = self.volume(handle).ok_or(Error::Stale { handle })?;
        self.slots.remove(handle.slot);
        self.engine.remove(handle.slot);
        self.settled = false;
        Ok(volume)
    }

    /// Gives a body another place or size, says how far it is expected to go until the next call,
    /// and wakes it. The displacement, which may be zero, changes no answer. Says whether the body's
    /// [fat box](Self::fat_bounds) was left, or had become much too wide: if not, the call was cheap.
    ///
    /// # Panics
    ///
    /// Where [`try_set_bounds`](Self::try_set_bounds) returns an error.
    ///
    /// ```
    /// use orthant::{Aabb, Broadphase, Motion};
    /// let unit = |x: f32| Aabb::new([x], [x + 1.0]);
    /// let mut world = Broadphase::new().with_margin(0.25);
    /// let cart = world.insert(unit(0.0), Motion::Dynamic);
    /// assert!(!world.set_bounds(cart, unit(0.25), [0.0]));
    /// assert!(world.set_bounds(cart, unit(0.5), [0.5]));
    /// assert!(!world.set_bounds(cart, unit(1.0), [0.5])); // as expected
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn set_bounds(
        &mut self,
        handle: Handle,
        volume: impl Into<Volume<V>>,
        displacement: V,
    ) -> bool {
        or_panic(self.try_set_bounds(handle, volume, displacement))
    }

    /// Gives a body another place or size, says how far it is expected to go until the next call,
    /// and wakes it. Says whether its fat box changed.
    ///
    /// # Errors
    ///
    /// On a stale handle; if the displacement is not finite or leads beyond the finite numbers; if
    /// the box is that of a point that is not finite. Nothing is changed then.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[inline(always)]
    pub fn try_set_bounds(
        &mut self,
        handle: Handle,
        volume: impl Into<Volume<V>>,
        displacement: V,
    ) -> Result<bool, Error> {
        let still = V::splat(V::Scalar::ZERO);
        let volume = match volume.into() {
            Volume::Box(bounds) => {
                // The usual case: a box that is all that its body needs, and stays where it is put.
                if displacement == still
                    && self.slots.kind(handle).is_some_and(Kind::is_usual)
                    && bounds.is_valid()
                {
                    let moved = self.engine.bounds(handle.slot) != bounds;
                    if moved {
                        self.engine.set(handle.slot, bounds);
                        self.settled = false;
                    } else {
                        self.engine.keep(handle.slot, bounds);
                    }
                    return Ok(moved);
                }
                // Made anew, so that in the usual case it need not be in memory.
                Volume::Box(bounds)
            }
            Volume::Sphere(ball) => {
                if displacement == still
                    && self.rules.is_bare()
                    && self.slots.kind(handle).is_some_and(Kind::is_usual_ball)
                {
                    return Ok(self.set_ball(handle.slot, ball));
                }
                Volume::Sphere(ball)
            }
        };
        self.set_checked(handle, volume, still, displacement)
    }

    /// Gives a body another place or size and the way that it will go from there, in a straight line
    /// at even speed, and wakes it. Until the next call, its pairs are those that it touches on the
    /// way, with others that move likewise: for fast bodies that might jump over each other.
    /// [`impact`](Self::impact) says when and where. Queries ask where it is, not where it will be.
    ///
    /// Says whether the fat box changed.
    ///
    /// # Panics
    ///
    /// Where [`try_set_swept`](Self::try_set_swept) returns an error.
    #[track_caller]
    pub fn set_swept(&mut self, handle: Handle, volume: impl Into<Volume<V>>, path: V) -> bool {
        or_panic(self.try_set_swept(handle, volume, path))
    }

    /// Gives a body another place or size and the way that it will go from there, and wakes it. Says
    /// whether its fat box changed.
    ///
    /// # Errors
    ///
    /// As [`try_set_bounds`](Self::try_set_bounds).
    pub fn try_set_swept(
        &mut self,
        handle: Handle,
        volume: impl Into<Volume<V>>,
        path: V,
    ) -> Result<bool, Error> {
        let volume = volume.into();
        self.set_checked(handle, volume, path, V::splat(V::Scalar::ZERO))
    }

    /// Puts a ball, which is awake, to a place, where no more than its box stands for it.
    pub(super) fn set_ball(&mut self, slot: u32, ball: Sphere<V>) -> bool {
        let record = &mut self.slots.records[slot as usize];
        let still = V::splat(V::Scalar::ZERO);
        let same = record.volume == Volume::Sphere(ball) && record.path == still;
        (record.volume, record.path) = (Volume::Sphere(ball), still);
        let bounds = ball.bounds();
        let moved = self.engine.bounds(slot) != bounds;
        if moved {
            self.engine.set(slot, bounds);
        }
        if !same {
            self.engine.touch(slot);
            self.settled = false;
        }
        moved
    }

    /// Puts a body to a place if that is one; says whether its fat box changed.
    #[inline(never)]
    fn set_checked(
        &mut self,
        handle: Handle,
        volume: Volume<V>,
        path: V,
        displacement: V,
    ) -> Result<bool, Error> {
        let kind = self.slots.kind(handle).ok_or(Error::Stale { handle })?;
        check_item(&volume)?;
        check_displacement(&volume, path)?;
        check_displacement(&volume, displacement)?;
        Ok(self.place(handle.slot, kind, volume, path, displacement))
    }

    /// Adds a body whose volume is valid.
    fn add(&mut self, volume: Volume<V>, proxy: BodyInfo) -> Handle {
        let still = V::splat(V::Scalar::ZERO);
        let fat = self.rules.fatten(&self.rules.reach(&volume, still), still);
        let kind = Kind::ALIVE.of(&proxy);
        let kind = self.rules.kind(kind, &volume, still, &fat);
        let record = Record {
            volume,
            path: still,
            proxy,
            born: self.slots.updates,
        };
        let handle = self.slots.insert(record, kind);
        self.engine.insert(handle.slot, fat, kind.rests());
        self.settled = false;
        handle
    }

    /// Puts a body to a place that is valid; says whether its fat box changed.
    pub(super) fn place(
        &mut self,
        slot: u32,
        kind: Kind,
        volume: Volume<V>,
        path: V,
        displacement: V,
    ) -> bool {
        let awake = kind.with(Kind::ASLEEP, false);
        if awake.rests() != kind.rests() {
            self.engine.rest(slot, awake.rests());
        }
        let reach = self.rules.reach(&volume, path);
        let held = self.engine.bounds(slot);
        let (fat, stays) = if self.rules.is_tight() {
            (reach, held == reach)
        } else {
            let fat = self.rules.fatten(&reach, displacement);
            (fat, self.rules.serves(&held, &reach, &fat))
        };
        let same = self.body(slot).volume == volume;
        let record = &mut self.slots.records[slot as usize];
        let same = same && record.path == path && stays;
        (record.volume, record.path) = (volume, path);
        if same {
            if kind.has(Kind::BARE) {
                self.engine.keep(slot, reach);
            }
            self.slots.set_kind(slot, awake);
            return false;
        }
        let kept = if stays { held } else { fat };
        let now = self.rules.kind(awake, &volume, path, &kept);
        self.slots.set_kind(slot, now);
        if !stays {
            self.engine.set(slot, fat);
        }
        // Of those that need no more than the box, that says it all.
        if now.or(kind).has(Kind::SHAPED) {
            self.engine.touch(slot);
        }
        self.settled = false;
        !stays
    }

    /// After a change of the rules.
    pub(super) fn refit_all(&mut self) {
        for slot in 0..self.slots.kinds.len() as u32 {
            let kind = self.slots.kinds[slot as usize];
            if !kind.has(Kind::ALIVE) {
                continue;
            }
            let volume = self.body(slot).volume;
            let record = &mut self.slots.records[slot as usize];
            record.volume = volume;
            let path = record.path;
            let reach = self.rules.reach(&volume, path);
            let fat = self.rules.fatten(&reach, V::splat(V::Scalar::ZERO));
            let kind = self.rules.kind(kind, &volume, path, &fat);
            self.slots.set_kind(slot, kind);
            self.engine.set(slot, fat);
            self.engine.touch(slot);
            self.settled = false;
        }
    }
}
