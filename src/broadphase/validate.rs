//! Checks everything that updates and queries rely on.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::World;
use super::pairs::{Pair, ids};
use super::table::{Body, Change, Life};
use super::tree::{NONE, Tree};
use crate::overlap::Overlaps;
use crate::simd::LANES;
use crate::vector::Vector;

impl<V: Vector> World<V> {
    pub(super) fn validate(&self) -> Result<(), &'static str> {
        self.validate_bodies()?;
        self.validate_tree()?;
        self.validate_pairs()
    }

    /// The pairs of the last step, sorted.
    pub(super) fn sorted_pairs(&self) -> Cow<'_, [Pair]> {
        let mut pairs = Cow::Borrowed(&*self.pairs);
        if !self.is_sorted {
            pairs.to_mut().sort_unstable();
        }
        pairs
    }

    fn validate_pairs(&self) -> Result<(), &'static str> {
        let pairs = self.sorted_pairs();
        if !pairs.is_sorted_by(|a, b| a < b) {
            return Err("the pairs are not sorted");
        }
        for [a, b] in pairs.iter().map(|&pair| ids(pair)) {
            if a >= b {
                return Err("a pair has its greater handle first");
            }
            let was_known = |id: u32| {
                let body = self.bodies.table.get(id as usize);
                body.is_some_and(|body| body.life != Life::New)
            };
            if !was_known(a) || !was_known(b) {
                return Err("a pair of a body that the last update did not know");
            }
            let overlap = || self.bodies.bounds(a).overlaps(&self.bodies.bounds(b));
            if self.bodies.is_current && !(overlap() && self.pair_rules().is_pair(a, b)) {
                return Err("a pair that is none");
            }
        }
        Ok(())
    }

    fn validate_bodies(&self) -> Result<(), &'static str> {
        let bodies = &self.bodies;
        if bodies.is_current && !bodies.gone.is_empty() {
            return Err("a body was removed, but nothing counts as changed since the last update");
        }
        // A list has all bodies with a property if each of its bodies has it, and it is as long as there are such
        // bodies.
        let are_listed = |list: &[u32], is: fn(&Body<V>) -> bool| {
            let known = |id: &u32| bodies.table.get(*id as usize).is_some_and(is);
            let many = bodies.table.iter().filter(|(_, body)| is(body)).count();
            list.iter().all(known) && list.len() == many
        };
        if !are_listed(&bodies.gone, |body| body.life == Life::Gone) {
            return Err("the removed bodies are miscounted");
        }
        if !are_listed(&bodies.changed, |body| body.change != Change::None) {
            return Err("the changed bodies are miscounted");
        }
        let all = bodies.table.iter();
        let mut judged = [0; 5];
        for (id, body) in all.filter(|(_, body)| body.life != Life::Gone) {
            let details = &bodies.details[id];
            let volume = self.volume(id as u32);
            let reach = self.rules.reach(&volume, details.path);
            if !body.bounds.contains(&reach) {
                return Err("a body lies outside its fat box");
            }
            // Boxes that overlap would be taken for volumes that do.
            if self.rules.is_tight() && body.bounds != reach {
                return Err("a body has a fat box without a margin");
            }
            let needed = self.rules.judged(&volume, details.path, &details.info);
            if bodies.judged[id] != needed {
                return Err("the tests that a body needs are out of date");
            }
            judged[needed as usize] += 1;
        }
        if judged != bodies.judged_counts {
            return Err("the tests that bodies need are miscounted");
        }
        Ok(())
    }

    fn validate_tree(&self) -> Result<(), &'static str> {
        let (tree, bodies): (&Tree<V>, _) = (&self.tree, &self.bodies);
        let mut len = 0;
        for (place, &id) in tree.ids.iter().flat_map(|ids| &ids.0).enumerate() {
            let held = tree.levels[0][place / LANES];
            if id == NONE {
                if !held.is_empty(place % LANES) {
                    return Err("a box without a body");
                }
                continue;
            }
            len += 1;
            let body = bodies.table.get(id as usize);
            let Some(body) = body.filter(|_| tree.place_of(id) == place as u32) else {
                return Err("a box is not in its place");
            };
            if body.change != Change::Moved && held.get(place % LANES) != body.bounds {
                return Err("a place holds another box");
            }
        }
        let placed = tree.places.iter().filter(|&&place| place != NONE);
        let waiting = bodies
            .table
            .iter()
            .filter(|&(id, body)| tree.place_of(id as u32) == NONE && body.change != Change::Moved);
        if placed.count() != len || waiting.count() > 0 {
            return Err("a body is not in the tree");
        }
        for (below, above) in tree.levels.iter().zip(tree.levels.iter().skip(1)) {
            for (at, boxes) in below.iter().enumerate() {
                let bounds = above[at / LANES].get(at % LANES);
                let filled = (0..LANES).filter(|&lane| !boxes.is_empty(lane));
                let held: Vec<_> = filled.map(|lane| boxes.get(lane)).collect();
                if !held.iter().all(|held| bounds.union(held) == bounds) {
                    return Err("bounds do not hold what is below");
                }
            }
        }
        Ok(())
    }
}
