//! Bodies come, move and go.

use alloc::vec::Vec;

use super::rules::{Needs, check_displacement};
use super::{Body, Broadphase, Proxy, Volume, or_panic};
use crate::overlap::{check_count, check_item};
use crate::{Error, Handle, Scalar, Vector};

impl<V: Vector> Broadphase<V> {
    /// Adds a body; its pairs begin with the next [`update`](Self::update).
    ///
    /// # Panics
    ///
    /// Where [`try_insert`](Self::try_insert) returns an error.
    #[track_caller]
    pub fn insert(&mut self, volume: impl Into<Volume<V>>, proxy: impl Into<Proxy>) -> Handle {
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
        proxy: impl Into<Proxy>,
    ) -> Result<Handle, Error> {
        let volume = volume.into();
        check_item(&volume)?;
        check_count(self.slots.bodies.len() + 1)?;
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
        bodies: impl IntoIterator<Item = (impl Into<Volume<V>>, impl Into<Proxy>)>,
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
        bodies: impl IntoIterator<Item = (impl Into<Volume<V>>, impl Into<Proxy>)>,
    ) -> Result<Vec<Handle>, Error> {
        let each = bodies.into_iter();
        let bodies: Vec<_> = each.map(|(v, p)| (v.into(), p.into())).collect();
        check_count(self.slots.bodies.len() + bodies.len())?;
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
        let body = self.slots.remove(handle).ok_or(Error::Stale { handle })?;
        self.engine.remove(handle.slot);
        self.needy.drop(body.needs);
        self.settled = false;
        Ok(body.volume)
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
    #[inline]
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
    #[inline]
    pub fn try_set_bounds(
        &mut self,
        handle: Handle,
        volume: impl Into<Volume<V>>,
        displacement: V,
    ) -> Result<bool, Error> {
        let volume = volume.into();
        if let Some(moved) = self.place_box(handle, &volume, displacement) {
            return Ok(moved);
        }
        self.check_place(handle, &volume, displacement)?;
        Ok(self.place(handle, volume, V::splat(V::Scalar::ZERO), displacement))
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
        self.check_place(handle, &volume, path)?;
        Ok(self.place(handle, volume, path, V::splat(V::Scalar::ZERO)))
    }

    fn check_place(&self, handle: Handle, volume: &Volume<V>, by: V) -> Result<(), Error> {
        if !self.contains(handle) {
            return Err(Error::Stale { handle });
        }
        check_item(volume)?;
        Ok(check_displacement(volume, by)?)
    }

    /// Adds a body whose volume is valid.
    fn add(&mut self, volume: Volume<V>, proxy: Proxy) -> Handle {
        let still = V::splat(V::Scalar::ZERO);
        let mut body = Body {
            volume,
            path: still,
            proxy,
            asleep: false,
            needs: Needs::default(),
            born: self.slots.updates,
        };
        let fat = self.rules.fatten(&self.rules.reach(&volume, still), still);
        body.needs = self.rules.needs(&body, &fat);
        self.needy.add(body.needs);
        let rests = body.rests();
        let handle = self.slots.insert(body);
        self.engine.insert(handle.slot, fat, rests);
        self.settled = false;
        handle
    }

    /// The usual case, on a shorter way: a box that is all that its body needs, where it moves
    /// as a box that is valid. `None` in any other.
    #[inline]
    fn place_box(&mut self, handle: Handle, volume: &Volume<V>, displacement: V) -> Option<bool> {
        let still = displacement == V::splat(V::Scalar::ZERO);
        let Volume::Box(bounds) = volume else {
            return None;
        };
        let body = self.slots.get_mut(handle)?;
        let Volume::Box(held) = &mut body.volume else {
            return None;
        };
        let usual = still && self.rules.is_bare() && !body.needs.shape && !body.asleep;
        if !usual || check_item(bounds).is_err() {
            return None;
        }
        let moved = *held != *bounds;
        if moved {
            *held = *bounds;
            self.engine.set(handle.slot, *bounds);
            self.settled = false;
        }
        Some(moved)
    }

    /// Puts a body to a place that is valid; says whether its fat box changed.
    fn place(&mut self, handle: Handle, volume: Volume<V>, path: V, displacement: V) -> bool {
        let Some(body) = self.slots.get_mut(handle) else {
            return false;
        };
        let same = body.volume == volume && body.path == path;
        let woken = core::mem::replace(&mut body.asleep, false);
        if woken && !body.rests() {
            self.engine.rest(handle.slot, false);
        }
        let reach = self.rules.reach(&volume, path);
        let held = self.engine.bounds(handle.slot);
        let (fat, stays) = if self.rules.is_tight() {
            (reach, held == reach)
        } else {
            let fat = self.rules.fatten(&reach, displacement);
            (fat, self.rules.serves(&held, &reach, &fat))
        };
        if same && stays {
            return false;
        }
        (body.volume, body.path) = (volume, path);
        let kept = if stays { held } else { fat };
        let (before, shape) = (body.needs, self.rules.needs_shape(body, &kept, &reach));
        let needs = Needs { shape, ..before };
        if needs != before {
            body.needs = needs;
            self.needy.drop(before);
            self.needy.add(needs);
        }
        if !stays {
            self.engine.set(handle.slot, fat);
        }
        // Of those that need no more than the box, that says it all.
        if before.shape || needs.shape {
            self.engine.touch(handle.slot);
        }
        self.settled = false;
        !stays
    }

    /// After a change of the rules.
    pub(super) fn refit_all(&mut self) {
        let handles: Vec<Handle> = self.slots.iter().map(|(handle, _)| handle).collect();
        for handle in handles {
            let Some(body) = self.slots.get(handle) else {
                continue;
            };
            let reach = self.rules.reach(&body.volume, body.path);
            let fat = self.rules.fatten(&reach, V::splat(V::Scalar::ZERO));
            self.engine.set(handle.slot, fat);
            self.touch(handle);
        }
    }
}
