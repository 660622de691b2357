//! What a [`Broadphase`](super::Broadphase) holds, over arrays, and all of it that is compiled in this
//! crate.

use alloc::vec::Vec;
use core::fmt;
use core::mem::size_of;

use super::bodies::Change;
use super::body::Body;
use super::cast::{Cast, Hits};
use super::engine::{BoxSearch, Engine};
use super::event::{self, Event};
use super::place::VolumesOf;
use super::query::VolumeRegion;
use super::rules::{self, PairRules, Rules};
use super::slots::Slots;
use super::{BodyInfo, Filter, Volume};
use crate::error::Error;
use crate::handle::Handle;
use crate::kernels::kernels;
use crate::nearest::Closest;
use crate::query::{Descent, HandleWriter, Hit, Relate};
use crate::sweep::Impact;
use crate::vector::{Scalar, Vector};

kernels! {
    /// What is compiled here of a broadphase.
    pub trait Kernels {
        fn step(world: &mut World<Self>, wants_events: bool) = World::step;
        fn optimize(world: &mut World<Self>, budget: usize) = World::optimize;
        fn validate(world: &World<Self>) -> Result<(), &'static str> = World::validate;
        fn insert(
            world: &mut World<Self>,
            volume: Volume<Self>,
            info: BodyInfo,
        ) -> Result<Handle, Error> = World::insert;
        fn insert_batch(
            world: &mut World<Self>,
            bodies: Vec<(Volume<Self>, BodyInfo)>,
        ) -> Result<Vec<Handle>, Error> = World::insert_batch;
        fn remove(world: &mut World<Self>, handle: Handle) -> Option<Volume<Self>> = World::remove;
        fn change(world: &mut World<Self>, handle: Handle, change: Change) -> Result<(), Error> = World::change;
        fn set(world: &mut World<Self>, handle: Handle, volume: &Volume<Self>) -> Option<bool> = World::set;
        fn set_volume(
            world: &mut World<Self>,
            handle: Handle,
            volume: Volume<Self>,
            path: Self,
            displacement: Self,
        ) -> Result<bool, Error> = World::set_volume;
        fn set_all(world: &mut World<Self>, volumes_of: &VolumesOf<'_, Self>) -> Result<(), Error> = World::set_all;
        fn set_rules(world: &mut World<Self>, rules: Rules<Self>) = World::set_rules;
        fn find(
            world: &World<Self>,
            region: &VolumeRegion<Self>,
            search: &mut BoxSearch,
            to: &mut HandleWriter<'_>,
        ) = World::find;
        fn count(
            world: &World<Self>,
            region: &VolumeRegion<Self>,
            search: &mut BoxSearch,
        ) -> usize = World::count;
        fn next_node(
            world: &World<Self>,
            region: &dyn Relate<Self>,
            descent: &mut Descent,
        ) -> Option<(u32, bool)> = World::next_node;
        fn partners(world: &World<Self>, handle: Handle) -> Vec<Handle> = World::partners;
        fn nearest(
            world: &World<Self>,
            filter: Option<Filter>,
            from: Self,
            best: &mut Closest<Self::Scalar, Handle>,
        ) = World::nearest;
        fn impact(world: &World<Self>, a: Handle, b: Handle) -> Option<Impact<Self>> = World::impact;
        fn first_hit(
            world: &World<Self>,
            filter: Option<Filter>,
            cast: &Cast<Self>,
        ) -> Option<(Handle, Self::Scalar)> = World::first_hit;
        fn hits<'a>(
            world: &'a World<Self>,
            filter: Option<Filter>,
            cast: &Cast<Self>,
        ) -> Option<Hits<'a, Self>> = Hits::new;
        fn next_hit(
            hits: &mut Hits<'_, Self>,
            limit: Self::Scalar,
        ) -> Option<(Handle, Self::Scalar)> = Hits::next_hit;
        fn sweep(
            world: &World<Self>,
            filter: Option<Filter>,
            cast: &Cast<Self>,
        ) -> Option<Hit<Handle, Self>> = World::sweep;
        fn sweep_all(
            world: &World<Self>,
            filter: Option<Filter>,
            cast: &Cast<Self>,
        ) -> Vec<Hit<Handle, Self>> = World::sweep_all;
    }
}

/// Bodies, their pairs, and what changed last.
#[derive(Clone)]
pub struct World<V: Vector> {
    pub(super) slots: Slots<V>,
    pub(super) engine: Engine<V>,
    pub(super) rules: Rules<V>,
    /// Whether nothing has changed since the last update.
    pub(super) is_current: bool,
    /// The pairs of the last update, if the engine does not know them.
    pub(super) restored: Option<Vec<[u32; 2]>>,
    pub(super) events: Vec<Event>,
}

impl<V: Vector> World<V> {
    pub(super) const fn new() -> Self {
        Self {
            slots: Slots::new(),
            engine: Engine::new(),
            rules: Rules {
                margin: V::Scalar::ZERO,
                prediction: V::Scalar::ZERO,
                fat: false,
            },
            is_current: true,
            restored: None,
            events: Vec::new(),
        }
    }

    /// Brings the pairs up to date. With events, they are sorted, and so are those; without, the pairs
    /// are in an order of the engine's own.
    fn step(&mut self, wants_events: bool) {
        let test = PairRules {
            rules: &self.rules,
            slots: &self.slots,
        };
        if wants_events {
            self.engine.step(&test);
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
        } else {
            self.events.clear();
            self.engine.refresh(&test);
            self.restored = None;
        }
        self.slots.release();
        self.is_current = true;
    }

    fn optimize(&mut self, budget: usize) {
        self.engine.optimize(budget);
    }

    fn impact(&self, a: Handle, b: Handle) -> Option<Impact<V>> {
        let path = |body| self.slots.record(body).map(|record| record.path);
        let by = [path(a)?, path(b)?];
        let [one, other] = [a, b].map(|body| self.body(body.slot).volume);
        rules::impact((&one, by[0]), (&other, by[1]))
    }

    pub(super) fn bytes(&self) -> usize {
        let restored = self.restored.as_ref().map_or(0, Vec::capacity);
        self.slots.bytes()
            + self.engine.bytes()
            + self.events.capacity() * size_of::<Event>()
            + restored * size_of::<[u32; 2]>()
    }

    /// The pairs of the last update, by slot.
    pub(super) fn reported(&self) -> &[[u32; 2]] {
        self.restored.as_deref().unwrap_or(self.engine.pairs())
    }

    /// The body in a slot that is in use.
    #[inline(always)]
    pub(super) fn body(&self, slot: u32) -> Body<V> {
        Body {
            volume: self.slots.volume(slot, self.engine.boxes()),
            filter: self.slots.records[slot as usize].info.filter,
        }
    }

    /// Whether every body is its box in the engine, and nothing else.
    pub(super) fn is_bare(&self) -> bool {
        self.rules.is_bare() && self.slots.extra_checks.shape == 0
    }
}

impl<V: Vector> fmt::Debug for World<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World").finish_non_exhaustive()
    }
}
