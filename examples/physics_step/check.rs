//! The pairs of the broadphase against those of a double loop over the same boxes.

use std::collections::BTreeSet;

use orthant::glam::DVec3;
use orthant::{Aabb, Event};

use crate::world::World;

type Pair = (usize, usize);

/// What the broadphase said, and what was wrong with it.
#[derive(Debug, Default)]
pub(crate) struct Check {
    /// Kept by nothing but events.
    alive: BTreeSet<Pair>,
    pub(crate) missed: usize,
    pub(crate) spurious: usize,
}

impl Check {
    /// Keeps account of events; those out of order, of pairs that are known to have begun, or not
    /// known to have, are counted as spurious.
    pub(crate) fn replay(&mut self, events: &[Event], number: impl Fn(Event) -> Pair) {
        self.spurious += events
            .windows(2)
            .filter(|w| w[0].pair() >= w[1].pair())
            .count();
        for &event in events {
            let pair = number(event);
            let news = match event {
                Event::Begin(..) => self.alive.insert(pair),
                Event::End(..) => self.alive.remove(&pair),
            };
            self.spurious += usize::from(!news);
        }
    }

    /// Compares the pairs listed, and those that events tell of, with the truth.
    pub(crate) fn compare(&mut self, world: &World) {
        let listed: Vec<_> = world.pairs().collect();
        self.spurious += listed.windows(2).filter(|w| w[0] >= w[1]).count();
        let listed = listed
            .iter()
            .map(|&(p, q)| (world.number(p), world.number(q)));
        let listed: BTreeSet<Pair> = listed.collect();
        let truth = all_pairs(&world.boxes().collect::<Vec<_>>());
        for said in [&listed, &self.alive] {
            self.missed += truth.difference(said).count();
            self.spurious += said.difference(&truth).count();
        }
    }
}

fn all_pairs(boxes: &[(Aabb<DVec3>, bool)]) -> BTreeSet<Pair> {
    let mut pairs = BTreeSet::new();
    for (i, (a, moves)) in boxes.iter().enumerate() {
        for (j, (b, other_moves)) in boxes.iter().enumerate().skip(i + 1) {
            // Touching counts.
            let meet = a.min().x <= b.max().x
                && b.min().x <= a.max().x
                && a.min().y <= b.max().y
                && b.min().y <= a.max().y
                && a.min().z <= b.max().z
                && b.min().z <= a.max().z;
            if (*moves || *other_moves) && meet {
                pairs.insert((i, j));
            }
        }
    }
    pairs
}
