//! The state of a [`Broadphase`](super::Broadphase), over arrays: all of it that is compiled in this crate.

use alloc::vec::Vec;
use core::mem::size_of;

use super::Event;
use super::Volume;
use super::body::Body;
use super::pair_list::Pair;
use super::rules::{self, PairRules, Rules};
use super::step::Memory;
use super::table::Bodies;
use super::tree::Tree;
use crate::error::{Error, reserve, shown_as};
use crate::handle::Handle;
use crate::orthtree::Orthtree;
use crate::simd::InstructionSet;
use crate::sweep::Impact;
use crate::vector::{Scalar, Vector};

/// Bodies, the tree of their boxes, their pairs, and the last events.
#[derive(Clone)]
pub struct World<V: Vector> {
    pub(super) bodies: Bodies<V>,
    pub(super) rules: Rules<V>,
    pub(super) tree: Tree<V>,
    /// The pairs of the last step, and whether they are sorted.
    pub(super) pairs: Vec<Pair>,
    pub(super) is_sorted: bool,
    pub(super) events: Vec<Event>,
    pub(super) memory: Memory<V>,
    /// `None` for the best of the machine.
    pub(super) instructions: Option<InstructionSet>,
}

impl<V: Vector> World<V> {
    pub(super) const fn new() -> Self {
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
            memory: Memory::new(),
            instructions: None,
        }
    }

    /// Fails if there is no room for all pairs that the next step may find, nor, if events are copied, for two numbers of 64 bits
    /// for each of them. Where there is none for as many as there could be, the changed bodies are asked how many they
    /// meet.
    pub(super) fn check_room(&self, copies_events: bool) -> Result<(), Error> {
        /// The most bytes that a step takes for a pair: in lists that double, in keys to sort by, and as an event. Steps of
        /// millions of pairs that all begin take 63.
        const BYTES: usize = 64;
        if !self.rules.paired {
            return Ok(());
        }
        let room = |pairs: usize| {
            let pairs = pairs.saturating_add(self.pairs.len());
            if copies_events {
                return reserve(&mut Vec::<[u8; BYTES + 16]>::new(), pairs);
            }
            reserve(&mut Vec::<[u8; BYTES]>::new(), pairs)
        };
        let all = self.bodies.len();
        let changed = self.bodies.changed.iter();
        let changed = changed.filter_map(|&id| self.bodies.alive(id));
        let many = changed.clone().count();
        if room(many.saturating_mul(all)).is_ok() {
            return Ok(());
        }
        let boxes = self
            .bodies
            .handles()
            .map(|body| self.bodies.bounds(body.slot));
        let tree = Orthtree::try_new(&boxes.collect::<Vec<_>>())?;
        let met = |body: Handle| tree.count(self.bodies.bounds(body.slot)).saturating_sub(1);
        let met = changed.map(met).fold(0, usize::saturating_add);
        // Where all are asked, each pair is met twice.
        room(if many == all { met / 2 } else { met })
    }

    /// Sorts the tree ahead of time, if nothing waits for the next step.
    pub(super) fn optimize(&mut self, budget: usize) {
        if budget > 0 && self.bodies.changed.is_empty() && self.tree.disorder > 0.0 {
            self.sort_tree();
        }
    }

    pub(super) fn impact(&self, a: Handle, b: Handle) -> Option<Impact<V>> {
        let path = |body| self.bodies.details(body).map(|details| details.path);
        let by = [path(a)?, path(b)?];
        let [one, other] = [a, b].map(|body| self.volume(body.slot));
        rules::impact((&one, by[0]), (&other, by[1]))
    }

    pub(super) fn bytes(&self) -> usize {
        self.bodies.bytes()
            + self.tree.bytes()
            + self.memory.bytes()
            + self.events.capacity() * size_of::<Event>()
            + self.pairs.capacity() * size_of::<Pair>()
    }

    /// The volume of the body with a key.
    #[inline(always)]
    pub(super) fn volume(&self, id: u32) -> Volume<V> {
        self.rules.volume(&self.bodies, id)
    }

    /// The body with a key as queries see it.
    #[inline(always)]
    pub(super) fn body(&self, id: u32) -> Body<V> {
        Body {
            volume: self.volume(id),
            filter: self.bodies.filter(id),
        }
    }

    /// True if every body is its box in the tree, and nothing else.
    pub(super) fn is_bare(&self) -> bool {
        self.rules.is_bare() && !self.bodies.any_by_shape()
    }

    pub(super) fn pair_rules(&self) -> PairRules<'_, V> {
        PairRules {
            rules: &self.rules,
            bodies: &self.bodies,
        }
    }

    pub(super) fn instructions(&self) -> InstructionSet {
        self.instructions.unwrap_or_else(InstructionSet::best)
    }
}

shown_as!(impl[V: Vector] World<V> as "World");
