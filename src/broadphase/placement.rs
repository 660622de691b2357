//! Inserts, moves, changes and removes bodies: what the methods of `edit.rs` do, compiled in this crate.

use alloc::vec::Vec;

use super::World;
use super::rules::{Judged, Rules, check_displacement};
use super::table::{Change, Life};
use super::{BodyInfo, Motion, Volume};

use crate::error::Error;
use crate::handle::Handle;
use crate::overlap::{check_count, check_item};
use crate::parallel::{for_each, threads};
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

    /// Gives a body another motion, filter and number.
    pub(super) fn set_info(&mut self, id: u32, info: BodyInfo) {
        // Store the volume first: the box in the tree may stand for it only while the judgement stays as it is.
        let volume = self.volume(id);
        let details = &mut self.bodies.details[id as usize];
        details.volume = volume;
        let old = core::mem::replace(&mut details.info, info);
        if (old.motion, old.filter) != (info.motion, info.filter) {
            let judged = self.rules.judged(&volume, details.path, &info);
            self.bodies.rejudge(id, judged);
        }
    }

    /// Puts a body to sleep, or wakes it.
    pub(super) fn set_asleep(&mut self, handle: Handle, asleep: bool) -> Result<(), Error> {
        self.bodies.get(handle).ok_or(Error::Stale { handle })?;
        let was = core::mem::replace(&mut self.bodies.table[handle.slot()].asleep, asleep);
        if asleep && !was {
            self.tree.disorder += DISORDER_OF_SLEEP;
            self.tree.is_fresh = false;
        }
        Ok(())
    }

    /// The fast way to move a body without a path, if boxes in the tree are neither fat nor inflated and the body keeps
    /// its kind of shape. Returns true if its box changed; in all other cases `None`, having changed nothing.
    #[inline(always)]
    fn set_usual(&mut self, id: u32, volume: &Volume<V>, is_bare: bool) -> Option<bool> {
        let (bounds, by_shape) = match volume {
            Volume::Box(bounds) => (*bounds, false),
            Volume::Sphere(ball) => (ball.bounds(), true),
        };
        let usual = is_bare && (self.bodies.judged[id as usize] == Judged::ByShape) == by_shape;
        if !usual || !bounds.is_valid() {
            return None;
        }
        let body = &mut self.bodies.table[id as usize];
        body.asleep = false;
        // Write the box even if it is equal: zeros may differ in sign.
        let moved = core::mem::replace(&mut body.bounds, bounds) != bounds;
        let mut changed = false;
        if by_shape {
            let details = &mut self.bodies.details[id as usize];
            let still = V::splat(V::Scalar::ZERO);
            changed = details.volume != *volume || details.path != still;
            (details.volume, details.path) = (*volume, still);
        }
        if moved {
            self.bodies.note(id, Change::Moved);
        } else if changed {
            self.bodies.note(id, Change::InPlace);
        }
        Some(moved)
    }

    /// Gives a body a volume, a path from there and an expected displacement. Returns true if its box in the tree changed.
    pub(super) fn set_volume(
        &mut self,
        handle: Handle,
        volume: Volume<V>,
        path: V,
        displacement: V,
    ) -> Result<bool, Error> {
        self.bodies.get(handle).ok_or(Error::Stale { handle })?;
        let still = V::splat(V::Scalar::ZERO);
        if path == still
            && displacement == still
            && let Some(moved) = self.set_usual(handle.slot, &volume, self.rules.is_bare())
        {
            return Ok(moved);
        }
        check_item(&volume)?;
        check_displacement("path", &volume, path)?;
        check_displacement("displacement", &volume, displacement)?;
        Ok(self.place(handle.slot, volume, path, displacement))
    }

    /// Gives a body a volume, a path and a displacement that are valid. Returns true if its box in the tree changed.
    fn place(&mut self, id: u32, volume: Volume<V>, path: V, displacement: V) -> bool {
        // Decide whether the box in the tree can stay.
        let reach = self.rules.reach(&volume, path);
        let held = self.bodies.bounds(id);
        let fat = self.rules.fatten(&reach, displacement);
        let stays = self.rules.can_stay(&held, &reach, &fat);
        // Write the body.
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
        // Note the change.
        if self.bodies.judged[id as usize] != judged {
            self.bodies.rejudge(id, judged);
        }
        if !stays {
            self.bodies.note(id, Change::Moved);
        } else if !same {
            self.bodies.note(id, Change::InPlace);
        }
        !stays
    }

    /// Sets the rules, and gives all bodies new boxes by them.
    pub(super) fn set_rules(&mut self, rules: Rules<V::Scalar>) {
        let ids: Vec<u32> = self.bodies.handles().map(|body| body.slot).collect();
        for &id in &ids {
            self.bodies.details[id as usize].volume = self.volume(id);
        }
        self.rules = rules;
        for id in ids {
            let details = &self.bodies.details[id as usize];
            let reach = rules.reach(&details.volume, details.path);
            let judged = rules.judged(&details.volume, details.path, &details.info);
            self.bodies.table[id as usize].bounds = rules.fatten(&reach, V::splat(V::Scalar::ZERO));
            self.bodies.rejudge(id, judged);
            self.bodies.note(id, Change::Moved);
        }
    }
}

// New places for all bodies that move.

/// A function that writes the volumes of some bodies.
pub(super) type VolumesOf<'a, V> = dyn Fn(&[Handle], &mut [Volume<V>]) + Sync + 'a;

/// The number of bodies whose volumes are requested in one call. With 256, setting all volumes takes a seventh more time.
const PART: usize = 64;

impl<V: Vector> World<V> {
    /// Gives every body that is neither static nor asleep another volume.
    ///
    /// ```text
    /// for the bodies of some keys at a time:
    ///     request their volumes, on several threads
    ///     place them one after the other, unless their volumes are invalid
    /// ```
    pub(super) fn set_all(&mut self, volumes_of: &VolumesOf<'_, V>) -> Result<(), Error> {
        let mut result = Ok(());
        let (end, threads) = (self.bodies.end() as usize, threads());
        let many = PART * if threads > 1 { 64 * threads } else { 1 };
        let still = V::splat(V::Scalar::ZERO);
        let nowhere = Volume::Box(Aabb::point(still));
        let (mut bodies, mut volumes) = (Vec::new(), Vec::new());
        self.bodies.changed.reserve(self.bodies.table.len());
        for first in (0..end).step_by(many) {
            bodies.clear();
            let keys = first..end.min(first + many);
            // A loop takes less time than `extend`.
            for key in keys {
                if let Some(body) = self.movable(key) {
                    bodies.push(body);
                }
            }
            volumes.resize(bodies.len(), nowhere);
            let mut parts = Vec::from_iter(bodies.chunks(PART).zip(volumes.chunks_mut(PART)));
            for_each(threads > 1, &mut parts, &|_, (bodies, volumes)| {
                volumes_of(bodies, volumes);
            });
            let is_bare = self.rules.is_bare();
            for (&Handle { slot: id, .. }, volume) in bodies.iter().zip(&volumes) {
                if self.set_usual(id, volume, is_bare).is_some() {
                    continue;
                }
                if let Err(error) = check_item(volume) {
                    let index = id as usize;
                    result = result.and(Err(Error::Item { index, error }));
                } else {
                    self.place(id, *volume, still, still);
                }
            }
        }
        result
    }

    /// The body with a key, if it is neither static nor asleep.
    #[inline(always)]
    fn movable(&self, key: usize) -> Option<Handle> {
        let body = self.bodies.table.get(key)?;
        // The motion of most bodies is known without a look at their details.
        let moves = self.bodies.judged[key] == Judged::Never
            || self.bodies.details[key].info.motion != Motion::Static;
        let is_movable = moves && !body.asleep && body.life != Life::Gone;
        is_movable.then(|| self.bodies.handle(key as u32))
    }
}
