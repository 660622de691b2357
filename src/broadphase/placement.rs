//! Inserts, moves, changes and removes bodies: what the methods of `edit.rs` do, compiled in this crate.

use alloc::vec::Vec;

use super::edit::Edit;
use super::rules::{Judged, Rules, check_displacement};
use super::table::{Change, Life};
use super::world::World;
use super::{BodyInfo, Motion, Volume};

use crate::error::Error;
use crate::handle::Handle;
use crate::overlap::{check_count, check_item};
use crate::parallel::{GRAIN, parts, threads};
use crate::shape::Aabb;
use crate::vector::{Scalar, Vector};

/// A sleeping body adds as many misplaced boxes to the disorder of the tree, since it is not yet among those at rest.
const DISORDER_OF_SLEEP: f64 = 2.0;

impl<V: Vector> World<V> {
    pub(super) fn insert(&mut self, volume: Volume<V>, info: BodyInfo) -> Result<Handle, Error> {
        check_item(&volume)?;
        check_count(self.bodies.table.len() + 1)?;
        Ok(self.add(volume, info))
    }

    pub(super) fn insert_batch(
        &mut self,
        bodies: Vec<(Volume<V>, BodyInfo)>,
    ) -> Result<Vec<Handle>, Error> {
        check_count(self.bodies.table.len() + bodies.len())?;
        for (index, (volume, _)) in bodies.iter().enumerate() {
            check_item(volume).map_err(|error| Error::Item { index, error })?;
        }
        let add = |(volume, info)| self.add(volume, info);
        Ok(bodies.into_iter().map(add).collect())
    }

    /// Adds a body whose volume is valid.
    fn add(&mut self, volume: Volume<V>, info: BodyInfo) -> Handle {
        let still = V::splat(V::Scalar::ZERO);
        let fat = self.rules.fatten(&self.rules.reach(&volume, still), still);
        let judged = self.rules.judged(&volume, still, &info);
        self.bodies.insert(volume, info, fat, judged)
    }

    pub(super) fn remove(&mut self, handle: Handle) -> Option<Volume<V>> {
        self.bodies.get(handle)?;
        let volume = self.volume(handle.slot);
        self.bodies.remove(handle.slot);
        Some(volume)
    }

    /// Gives a body another motion, filter or number, or wakes it, or puts it to sleep.
    pub(super) fn edit(&mut self, handle: Handle, edit: Edit) -> Result<(), Error> {
        self.bodies.get(handle).ok_or(Error::Stale { handle })?;
        let id = handle.slot;
        let info = &mut self.bodies.details[handle.slot()].info;
        let old = *info;
        match edit {
            Edit::Motion(motion) => info.motion = motion,
            Edit::Filter(filter) => info.filter = filter,
            Edit::User(user) => info.user = user,
            Edit::Asleep(asleep) => {
                let was = &mut self.bodies.table[handle.slot()].asleep;
                if asleep && !*was {
                    self.tree.disorder += DISORDER_OF_SLEEP;
                }
                *was = asleep;
            }
        }
        let new = *info;
        if (old.motion, old.filter) != (new.motion, new.filter) {
            // The volume is noted first, since it depends on how much is asked whether it is the box in the tree.
            let volume = self.volume(id);
            let details = &mut self.bodies.details[handle.slot()];
            details.volume = volume;
            let judged = self.rules.judged(&volume, details.path, &new);
            self.bodies.set_judged(id, judged);
            self.bodies.touch(id);
        }
        Ok(())
    }

    /// Puts a body at a place where it stays, in the usual case: a valid box, where boxes in the tree are the volumes of
    /// bodies. Says whether the box changed; `None` where it did nothing.
    pub(super) fn set(&mut self, handle: Handle, volume: &Volume<V>) -> Option<bool> {
        let Volume::Box(bounds) = volume else {
            return None;
        };
        self.bodies.get(handle)?;
        (self.rules.is_bare() && bounds.is_valid()).then_some(())?;
        self.set_box(handle.slot, bounds)
    }

    /// Puts a box at a valid place, unless the body was something else.
    #[inline(always)]
    fn set_box(&mut self, id: u32, bounds: &Aabb<V>) -> Option<bool> {
        let body = &mut self.bodies.table[id as usize];
        if body.judged == Judged::ByShape {
            return None;
        }
        body.asleep = false;
        // Also where it is equal: zeros may differ in sign.
        let moved = core::mem::replace(&mut body.bounds, *bounds) != *bounds;
        if moved {
            self.bodies.note(id, Change::Moved);
        }
        Some(moved)
    }

    /// Puts a body at a place, from which it goes along a path and is expected to be displaced. Says whether its box in the
    /// tree changed.
    pub(super) fn set_volume(
        &mut self,
        handle: Handle,
        volume: Volume<V>,
        path: V,
        displacement: V,
    ) -> Result<bool, Error> {
        self.bodies.get(handle).ok_or(Error::Stale { handle })?;
        check_item(&volume)?;
        check_displacement("path", &volume, path)?;
        check_displacement("displacement", &volume, displacement)?;
        Ok(self.place(handle.slot, volume, path, displacement))
    }

    /// Puts a body at a place that is valid. Says whether its box in the tree changed.
    fn place(&mut self, id: u32, volume: Volume<V>, path: V, displacement: V) -> bool {
        let reach = self.rules.reach(&volume, path);
        let held = self.bodies.bounds(id);
        let (fat, stays) = if self.rules.is_tight() {
            (reach, held == reach)
        } else {
            let fat = self.rules.fatten(&reach, displacement);
            (fat, self.rules.can_stay(&held, &reach, &fat))
        };
        let same = stays && self.volume(id) == volume;
        let details = &mut self.bodies.details[id as usize];
        let same = same && details.path == path;
        (details.volume, details.path) = (volume, path);
        let judged = self.rules.judged(&volume, path, &details.info);
        let body = &mut self.bodies.table[id as usize];
        body.asleep = false;
        if !stays || self.rules.is_tight() {
            body.bounds = fat;
        }
        let before = body.judged;
        if before != judged {
            self.bodies.set_judged(id, judged);
            self.bodies.any_touched = true;
        }
        if !stays {
            self.bodies.note(id, Change::Moved);
        } else if !same || before != judged {
            self.bodies.note(id, Change::Touched);
        }
        !stays
    }

    /// Gives all bodies new boxes, by other rules.
    pub(super) fn set_rules(&mut self, rules: Rules<V>) {
        let old = core::mem::replace(&mut self.rules, rules);
        let ids: Vec<u32> = self.bodies.handles().map(|body| body.slot).collect();
        for id in ids {
            let volume = old.volume(&self.bodies, id);
            let details = &mut self.bodies.details[id as usize];
            details.volume = volume;
            let reach = rules.reach(&volume, details.path);
            let judged = rules.judged(&volume, details.path, &details.info);
            self.bodies.set_judged(id, judged);
            self.bodies.table[id as usize].bounds =
                rules.fatten(&reach, V::splat(V::Scalar::ZERO));
            self.bodies.touch(id);
            self.bodies.note(id, Change::Moved);
        }
    }
}

// New places for all bodies that move.

/// Says where some bodies are.
pub(super) type VolumesOf<'a, V> = dyn Fn(&[Handle], &mut [Volume<V>]) + Sync + 'a;

/// Bodies that the caller is asked about at a time: a call for each would take longer than the rest.
const BATCH: usize = 32;
/// Bodies that one thread asks about.
const PART: usize = GRAIN / 8;

impl<V: Vector> World<V> {
    /// Gives every body that neither is static nor sleeps another place.
    ///
    /// ```text
    /// for the bodies of some keys at a time:
    ///     ask where they are, on several threads
    ///     place them one after the other
    /// ```
    pub(super) fn set_all(&mut self, volumes_of: &VolumesOf<'_, V>) -> Result<(), Error> {
        let mut result = Ok(());
        let end = self.bodies.end();
        let chunk = if threads() > 1 { PART * 4 * threads() } else { BATCH };
        let mut places = Vec::with_capacity(chunk);
        for first in (0..end).step_by(chunk) {
            let count = chunk.min((end - first) as usize);
            places.clear();
            if count <= PART {
                self.ask_places(first..first + count as u32, volumes_of, &mut places);
            } else {
                let ask = |range: core::ops::Range<usize>| {
                    let mut places = Vec::with_capacity(range.len());
                    let keys = first + range.start as u32..first + range.end as u32;
                    self.ask_places(keys, volumes_of, &mut places);
                    places
                };
                parts(count, PART, ask, |mut part| places.append(&mut part));
            }
            for &(id, volume) in &places {
                if let Err(error) = self.place_checked(id, volume) {
                    let index = id as usize;
                    result = result.and(Err(Error::Item { index, error }));
                }
            }
        }
        result
    }

    /// Asks where the bodies with some keys are, unless they are static or sleep.
    #[inline(always)]
    fn ask_places(
        &self,
        keys: core::ops::Range<u32>,
        volumes_of: &VolumesOf<'_, V>,
        places: &mut Vec<(u32, Volume<V>)>,
    ) {
        let mut handles = [Handle { slot: 0, generation: 0 }; BATCH];
        let mut volumes = [Volume::Box(Aabb::point(V::splat(V::Scalar::ZERO))); BATCH];
        let end = keys.end;
        for first in keys.step_by(BATCH) {
            let mut count = 0;
            for id in first..end.min(first + BATCH as u32) {
                let Some(body) = self.bodies.table.get(id as usize) else {
                    continue;
                };
                // The motion of most bodies is known without a look at their details.
                let moves = body.judged == Judged::Never
                    || self.bodies.details[id as usize].info.motion != Motion::Static;
                if moves && !body.asleep && body.life != Life::Gone {
                    handles[count] = Handle { slot: id, generation: body.generation };
                    count += 1;
                }
            }
            volumes_of(&handles[..count], &mut volumes[..count]);
            let ids = handles[..count].iter().map(|handle| handle.slot);
            places.extend(ids.zip(volumes[..count].iter().copied()));
        }
    }

    /// Places a body at a place that may be invalid.
    #[inline(always)]
    fn place_checked(&mut self, id: u32, volume: Volume<V>) -> Result<(), crate::error::ShapeError> {
        if let Volume::Box(bounds) = &volume
            && self.rules.is_bare()
            && bounds.is_valid()
            && self.set_box(id, bounds).is_some()
        {
            return Ok(());
        }
        check_item(&volume)?;
        let still = V::splat(V::Scalar::ZERO);
        self.place(id, volume, still, still);
        Ok(())
    }
}
