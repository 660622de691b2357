//! Inserts, moves, changes and removes bodies: what the methods of `edit.rs` do, compiled in this crate.

use alloc::vec::Vec;
use core::ops::Range;

use super::edit::Edit;
use super::rules::{Judged, Rules, check_displacement};
use super::table::{Change, Life};
use super::world::World;
use super::{BodyInfo, Motion, Volume};

use crate::error::Error;
use crate::handle::Handle;
use crate::overlap::{check_count, check_item};
use crate::parallel::{GRAIN, parts, threads};
use crate::shape::{Aabb, Bounded};
use crate::vector::{Scalar, Vector};

/// The disorder that is added when a body falls asleep, since it is not in the run at rest yet.
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
            // Store the volume first: after the change it may no longer follow from the box in the tree.
            let volume = self.volume(id);
            let details = &mut self.bodies.details[handle.slot()];
            details.volume = volume;
            let judged = self.rules.judged(&volume, details.path, &new);
            self.bodies.set_judged(id, judged);
            self.bodies.touch(id);
        }
        Ok(())
    }

    /// Puts a body at a place where it stays, in the usual cases. Says whether its box changed; `None` where it did nothing.
    pub(super) fn set(&mut self, handle: Handle, volume: &Volume<V>) -> Option<bool> {
        self.bodies.get(handle)?;
        self.set_usual(handle.slot, volume, self.rules.is_bare())
    }

    /// Moves a body without a path, if boxes in the tree have no margin and the body keeps its kind of shape. Returns `None`, having
    /// changed nothing, in all other cases.
    #[inline(always)]
    fn set_usual(&mut self, id: u32, volume: &Volume<V>, is_bare: bool) -> Option<bool> {
        let body = &mut self.bodies.table[id as usize];
        let (bounds, by_shape) = match volume {
            Volume::Box(bounds) => (*bounds, false),
            Volume::Sphere(ball) => (ball.bounds(), true),
        };
        let usual = is_bare && body.judged.is_by_shape() == by_shape;
        if !usual || !bounds.is_valid() {
            return None;
        }
        body.asleep = false;
        // Write the box even if it is equal: zeros may differ in sign.
        let moved = core::mem::replace(&mut body.bounds, bounds) != bounds;
        let mut changed = moved;
        if by_shape {
            let details = &mut self.bodies.details[id as usize];
            let still = V::splat(V::Scalar::ZERO);
            changed |= details.volume != *volume || details.path != still;
            (details.volume, details.path) = (*volume, still);
        }
        if changed {
            let now = if moved {
                Change::Moved
            } else {
                Change::Touched
            };
            if body.change == Change::None {
                self.bodies.changed.push(id);
            }
            if body.change != Change::Moved {
                body.change = now;
            }
            self.bodies.is_current = false;
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
            self.bodies.table[id as usize].bounds = rules.fatten(&reach, V::splat(V::Scalar::ZERO));
            self.bodies.touch(id);
            self.bodies.note(id, Change::Moved);
        }
    }
}

// New places for all bodies that move.

/// Says where some bodies are.
pub(super) type VolumesOf<'a, V> = dyn Fn(&[Handle], &mut [Volume<V>]) + Sync + 'a;

/// The number of places that the caller is asked for at a time: a call for each would take longer than the rest.
const BATCH: usize = 32;
/// The number of bodies whose places one thread asks for.
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
        let end = self.bodies.end() as usize;
        self.bodies.changed.reserve(self.bodies.table.len());
        if threads() == 1 {
            let mut batch = Batch::new();
            for first in (0..end).step_by(BATCH) {
                self.ask_places(first..end.min(first + BATCH), volumes_of, &mut batch);
                result = result.and(self.place_batch(&batch));
            }
            return result;
        }
        let chunk = PART * 4 * threads();
        for first in (0..end).step_by(chunk) {
            let ask = |range: Range<usize>| -> Vec<Batch<V>> {
                let batches = range.clone().step_by(BATCH).map(|at| {
                    let last = range.end.min(at + BATCH);
                    let mut batch = Batch::new();
                    self.ask_places(first + at..first + last, volumes_of, &mut batch);
                    batch
                });
                batches.collect()
            };
            let mut batches = Vec::new();
            parts(chunk.min(end - first), PART, ask, |mut part| {
                batches.append(&mut part);
            });
            for batch in &batches {
                result = result.and(self.place_batch(batch));
            }
        }
        result
    }

    /// Asks where the bodies with some keys are, unless they are static or sleep.
    #[inline(always)]
    fn ask_places(&self, keys: Range<usize>, volumes_of: &VolumesOf<'_, V>, batch: &mut Batch<V>) {
        batch.count = 0;
        for id in keys {
            let Some(body) = self.bodies.table.get(id) else {
                continue;
            };
            // The motion of most bodies is known without a look at their details.
            let moves = matches!(body.judged, Judged::Never | Judged::ByShape)
                || self.bodies.details[id].info.motion != Motion::Static;
            batch.handles[batch.count % BATCH] = Handle {
                slot: id as u32,
                generation: body.generation,
            };
            batch.count += usize::from(moves && !body.asleep && body.life != Life::Gone);
        }
        let count = batch.count;
        volumes_of(&batch.handles[..count], &mut batch.volumes[..count]);
    }

    /// Places some bodies, unless their places are invalid.
    #[inline(always)]
    fn place_batch(&mut self, batch: &Batch<V>) -> Result<(), Error> {
        let (mut result, is_bare) = (Ok(()), self.rules.is_bare());
        let places = batch.handles.iter().zip(&batch.volumes);
        for (handle, volume) in places.take(batch.count) {
            if self.set_usual(handle.slot, volume, is_bare).is_none() {
                result = result.and(self.place_checked(handle.slot, volume));
            }
        }
        result
    }

    /// Places a body, unless its place is invalid.
    #[inline(never)]
    fn place_checked(&mut self, id: u32, volume: &Volume<V>) -> Result<(), Error> {
        check_item(volume).map_err(|error| Error::Item {
            index: id as usize,
            error,
        })?;
        let still = V::splat(V::Scalar::ZERO);
        self.place(id, *volume, still, still);
        Ok(())
    }
}

/// Bodies that the caller is asked about at once, and where they are.
struct Batch<V: Vector> {
    count: usize,
    handles: [Handle; BATCH],
    volumes: [Volume<V>; BATCH],
}

impl<V: Vector> Batch<V> {
    fn new() -> Self {
        let nobody = Handle {
            slot: 0,
            generation: 0,
        };
        let nowhere = Volume::Box(Aabb::point(V::splat(V::Scalar::ZERO)));
        Self {
            count: 0,
            handles: [nobody; BATCH],
            volumes: [nowhere; BATCH],
        }
    }
}
