//! Checks everything that updates and queries rely on.

use alloc::borrow::Cow;

use super::World;
use super::pairs::{Pair, ids};
use super::table::{Body, Change, Life};
use super::tree::NONE;
use crate::overlap::Overlaps;
use crate::simd::LANES;
use crate::vector::Vector;

/// Returns the fault if a condition does not hold.
fn check(holds: bool, fault: &'static str) -> Result<(), &'static str> {
    if holds { Ok(()) } else { Err(fault) }
}

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
        check(pairs.is_sorted_by(|a, b| a < b), "the pairs are not sorted")?;
        for [a, b] in pairs.iter().map(|&pair| ids(pair)) {
            check(a < b, "a pair has its greater handle first")?;
            let body = |id: u32| self.bodies.table.get(id as usize);
            let was_known = |id| body(id).is_some_and(|body| body.life != Life::New);
            let fault = "a pair of a body that the last update did not know";
            check(was_known(a) && was_known(b), fault)?;
            let overlap = || self.bodies.bounds(a).overlaps(&self.bodies.bounds(b));
            let is_pair = || overlap() && self.is_pair(a, b);
            check(!self.bodies.is_current || is_pair(), "a pair that is none")?;
        }
        Ok(())
    }

    fn validate_bodies(&self) -> Result<(), &'static str> {
        let bodies = &self.bodies;
        let fault = "a body was removed, but nothing counts as changed since the last update";
        check(!bodies.is_current || bodies.gone.is_empty(), fault)?;
        // A list has all bodies with a property if each of its bodies has it, and it is as long as there are such bodies.
        let are_listed = |list: &[u32], is: fn(&Body<V>) -> bool| {
            let known = |id: &u32| bodies.table.get(*id as usize).is_some_and(is);
            let many = bodies.table.iter().filter(|(_, body)| is(body)).count();
            list.iter().all(known) && list.len() == many
        };
        let gone = are_listed(&bodies.gone, |body| body.life == Life::Gone);
        check(gone, "the removed bodies are miscounted")?;
        let changed = are_listed(&bodies.changed, |body| body.change != Change::None);
        check(changed, "the changed bodies are miscounted")?;
        let mut judged = [0; 4];
        for handle in bodies.handles() {
            let details = &bodies.details[handle.slot()];
            let volume = self.volume(handle.slot);
            let reach = self.rules.reach(&volume, details.path);
            self.rules.check_held(&bodies.bounds(handle.slot), &reach)?;
            let needed = self.rules.judged(&volume, details.path, &details.info);
            let is_needed = bodies.judged[handle.slot()] == needed;
            check(is_needed, "the tests that a body needs are out of date")?;
            judged[needed as usize] += 1;
        }
        let fault = "the tests that bodies need are miscounted";
        check(judged == bodies.judged_counts, fault)
    }

    fn validate_tree(&self) -> Result<(), &'static str> {
        let (tree, bodies) = (&self.tree, &self.bodies);
        let mut len = 0;
        for (place, &id) in tree.ids.iter().flat_map(|ids| &ids.0).enumerate() {
            let (held, lane) = (&tree.levels[0][place / LANES], place % LANES);
            if id == NONE {
                check(held.is_empty(lane), "a box without a body")?;
                continue;
            }
            len += 1;
            let body = bodies.table.get(id as usize);
            let body = body.filter(|_| tree.place_of(id) == place as u32);
            let body = body.ok_or("a box is not in its place")?;
            let is_held = body.change == Change::Moved || held.get(lane) == body.bounds;
            check(is_held, "a place holds another box")?;
        }
        let placed = tree.places.iter().filter(|&&place| place != NONE).count();
        let mut all = bodies.table.iter();
        let all_placed =
            all.all(|(id, body)| body.change == Change::Moved || tree.place_of(id as u32) != NONE);
        check(placed == len && all_placed, "a body is not in the tree")?;
        for (below, above) in tree.levels.iter().zip(tree.levels.iter().skip(1)) {
            for (at, boxes) in below.iter().enumerate() {
                let bounds = above[at / LANES].get(at % LANES);
                let filled = (0..LANES).filter(|&lane| !boxes.is_empty(lane));
                let mut held = filled.map(|lane| boxes.get(lane));
                let hold_all = held.all(|held| bounds.union(&held) == bounds);
                check(hold_all, "bounds do not hold what is below")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec2;

    use super::{Life, World};
    use crate::broadphase::{Broadphase, Motion};
    use crate::shape::Aabb;

    /// Tampers with a world of four boxes in a row, and returns what `validate` finds. Tests of worlds that were written and read
    /// find more faults.
    fn fault(tamper: impl FnOnce(&mut World<[f64; 2]>)) -> &'static str {
        let unit = |x: f64| Aabb::new([x, 0.0], [x + 1.0, 1.0]);
        let mut world = Broadphase::new();
        world.insert_batch([0.0, 0.5, 1.0, 5.0].map(|x| (unit(x), Motion::Dynamic)));
        assert_eq!(world.update().len(), 3);
        world.validate().unwrap();
        tamper(&mut world.world);
        world.validate().unwrap_err()
    }

    #[test]
    fn validate_finds_faults() {
        let found = fault(|w| w.bodies.details[1].info.motion = Motion::Static);
        assert_eq!(found, "the tests that a body needs are out of date");
        let found = fault(|w| w.bodies.judged_counts[3] = 7);
        assert_eq!(found, "the tests that bodies need are miscounted");
        let found = fault(|w| w.bodies.table[2].life = Life::Gone);
        assert_eq!(found, "the removed bodies are miscounted");
        let found = fault(|w| w.bodies.changed.push(1));
        assert_eq!(found, "the changed bodies are miscounted");
        let found = fault(|w| w.tree.places[0] = 3);
        assert_eq!(found, "a box is not in its place");
        let found = fault(|w| w.bodies.table[0].bounds = w.bodies.table[1].bounds);
        assert_eq!(found, "a place holds another box");
        let found = fault(|w| w.tree.levels[0][0].clear(0));
        assert_eq!(found, "a place holds another box");
        let found = fault(|w| w.tree.levels[1][0].clear(0));
        assert_eq!(found, "bounds do not hold what is below");
    }

    /// Bodies that fell asleep since all were sorted go to the run at rest.
    #[test]
    fn optimize_sorts_bodies_that_fell_asleep() {
        let place = |i: u16| Aabb::point(Vec2::X * f32::from(i));
        let mut world = Broadphase::new();
        let bodies = world.insert_batch((0..1000).map(|i| (place(i), Motion::Dynamic)));
        world.update();
        bodies.into_iter().for_each(|body| world.sleep(body));
        world.update();
        world.optimize(1);
        assert_eq!(
            (world.world.tree.at_rest, world.world.tree.disorder),
            (1000, 0.0)
        );
    }
}
