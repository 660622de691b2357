//! Bodies come, move, change and go.

use alloc::vec::Vec;

use super::bodies::Change;
use super::body::Record;
use super::rules::{Rules, check_displacement};
use super::slots::Kind;
use super::world::World;
use super::{BodyInfo, Volume};

use crate::error::Error;
use crate::handle::Handle;
use crate::overlap::{check_count, check_item};
use crate::shape::{Aabb, Bounded, Sphere};
use crate::vector::{Scalar, Vector};

impl<V: Vector> World<V> {
    pub(super) fn insert(&mut self, volume: Volume<V>, info: BodyInfo) -> Result<Handle, Error> {
        check_item(&volume)?;
        check_count(self.slots.kinds.len() + 1)?;
        Ok(self.add(volume, info))
    }

    pub(super) fn insert_batch(
        &mut self,
        bodies: Vec<(Volume<V>, BodyInfo)>,
    ) -> Result<Vec<Handle>, Error> {
        check_count(self.slots.kinds.len() + bodies.len())?;
        for (index, (volume, _)) in bodies.iter().enumerate() {
            check_item(volume).map_err(|error| Error::Item { index, error })?;
        }
        let add = |(volume, info)| self.add(volume, info);
        Ok(bodies.into_iter().map(add).collect())
    }

    pub(super) fn remove(&mut self, handle: Handle) -> Option<Volume<V>> {
        self.slots.kind(handle)?;
        let volume = self.body(handle.slot).volume;
        self.slots.remove(handle.slot);
        self.engine.remove(handle.slot);
        self.is_current = false;
        Some(volume)
    }

    /// Gives a body another motion, filter or number, or wakes it, or puts it to sleep.
    pub(super) fn change(&mut self, handle: Handle, change: Change) -> Result<(), Error> {
        let kind = self.slots.kind(handle).ok_or(Error::Stale { handle })?;
        let slot = handle.slot;
        let info = &mut self.slots.records[handle.slot()].info;
        let old = *info;
        match change {
            Change::Motion(motion) => info.motion = motion,
            Change::Filter(filter) => info.filter = filter,
            Change::User(user) => info.user = user,
            Change::Asleep(_) => {}
        }
        let mut new = kind.of(info);
        if let Change::Asleep(asleep) = change {
            new = new.with(Kind::ASLEEP, asleep);
        }
        let pairs_may_change = (old.motion, old.filter) != (info.motion, info.filter);
        self.slots.set_kind(slot, new);
        if new.rests() != kind.rests() {
            self.engine.rest(slot, new.rests());
        }
        if pairs_may_change {
            self.engine.touch(slot);
            self.is_current = false;
        }
        Ok(())
    }

    /// Puts a body to a place where it stays, in the usual cases: a box that is all that its body needs,
    /// or a ball of which nothing is predicted. Says whether its box changed; `None` where it did nothing.
    pub(super) fn set(&mut self, handle: Handle, volume: &Volume<V>) -> Option<bool> {
        let kind = self.slots.kind(handle)?;
        match volume {
            Volume::Box(bounds) if kind.is_usual() && bounds.is_valid() => {
                let moved = self.engine.bounds(handle.slot) != *bounds;
                if moved {
                    self.engine.set(handle.slot, *bounds);
                    self.is_current = false;
                } else {
                    self.engine.keep(handle.slot, *bounds);
                }
                Some(moved)
            }
            Volume::Sphere(ball) if kind.is_usual_ball() && self.rules.is_bare() => {
                Some(self.set_ball(handle.slot, *ball))
            }
            _ => None,
        }
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
            self.is_current = false;
        }
        moved
    }

    /// Puts a body to a place, from which it goes along a path and is expected to be displaced by then.
    /// Says whether its fat box changed.
    pub(super) fn set_volume(
        &mut self,
        handle: Handle,
        volume: Volume<V>,
        path: V,
        displacement: V,
    ) -> Result<bool, Error> {
        let kind = self.slots.kind(handle).ok_or(Error::Stale { handle })?;
        check_item(&volume)?;
        check_displacement("path", &volume, path)?;
        check_displacement("displacement", &volume, displacement)?;
        Ok(self.place(handle.slot, kind, volume, path, displacement))
    }

    /// Adds a body whose volume is valid.
    fn add(&mut self, volume: Volume<V>, info: BodyInfo) -> Handle {
        let still = V::splat(V::Scalar::ZERO);
        let fat = self.rules.fatten(&self.rules.reach(&volume, still), still);
        let kind = Kind::ALIVE.of(&info);
        let kind = self.rules.kind(kind, &volume, still, &fat);
        let record = Record {
            volume,
            path: still,
            info,
            born: self.slots.updates,
        };
        let handle = self.slots.insert(record, kind);
        self.engine.insert(handle.slot, fat, kind.rests());
        self.is_current = false;
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
            (fat, self.rules.can_stay(&held, &reach, &fat))
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
        self.is_current = false;
        !stays
    }

    /// Gives all bodies new boxes, by other rules.
    pub(super) fn set_rules(&mut self, rules: Rules<V>) {
        self.rules = rules;
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
            self.is_current = false;
        }
    }
}

// New places for all bodies that move.

/// Says where some bodies are.
pub(super) type VolumesOf<'a, V> = dyn Fn(&[Handle], &mut [Volume<V>]) + Sync + 'a;

/// Bodies that are asked about at a time: a call for each would take longer than the rest.
const BATCH: usize = 32;

impl<V: Vector> World<V> {
    /// Gives every body that neither is static nor sleeps another place.
    ///
    /// ```text
    /// for the bodies, so many at a time, on several threads:
    ///     ask where those are that neither rest nor are gone
    ///     write the boxes of those of which the box is all
    /// place the others one by one
    /// ```
    pub(super) fn set_all(&mut self, volumes_of: &VolumesOf<'_, V>) -> Result<(), Error> {
        let slots = &self.slots;
        let nowhere = Volume::Box(Aabb::point(V::splat(V::Scalar::ZERO)));
        let (any, left) = self.engine.relocate(slots.kinds.len(), |mut places, left| {
            let mut handles = [Handle {
                slot: 0,
                generation: 0,
            }; BATCH];
            let mut volumes = [nowhere; BATCH];
            let (first, end) = (places.first(), places.end());
            for from in (first..end).step_by(BATCH) {
                let mut count = 0;
                for slot in from..end.min(from + BATCH as u32) {
                    let kind = slots.kinds[slot as usize];
                    if kind.has(Kind::ALIVE) && !kind.rests() {
                        handles[count] = slots.handle(slot);
                        count += 1;
                    }
                }
                volumes_of(&handles[..count], &mut volumes[..count]);
                for (handle, volume) in handles[..count].iter().zip(&volumes) {
                    match volume {
                        Volume::Box(bounds)
                            if slots.kinds[handle.slot()].is_usual() && bounds.is_valid() =>
                        {
                            places.set(handle.slot, *bounds);
                        }
                        _ => left.push(handle.slot),
                    }
                }
            }
            places.any()
        });
        self.is_current &= !any;
        let still = V::splat(V::Scalar::ZERO);
        let mut result = Ok(());
        for slot in left {
            let mut volume = [nowhere];
            volumes_of(&[self.slots.handle(slot)], &mut volume);
            let [volume] = volume;
            match check_item(&volume) {
                Ok(()) => {
                    let kind = self.slots.kinds[slot as usize];
                    match volume {
                        Volume::Sphere(ball) if self.rules.is_bare() && kind.is_usual_ball() => {
                            self.set_ball(slot, ball);
                        }
                        _ => _ = self.place(slot, kind, volume, still, still),
                    }
                }
                Err(error) => {
                    let index = slot as usize;
                    result = result.and(Err(Error::Item { index, error }));
                }
            }
        }
        result
    }
}
