//! The double loop.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use rand::RngExt;
use rand::rngs::SmallRng;

use super::super::{Engine, PairTest};
use crate::nearest::Closest;
use crate::overlap::{Distance, Overlaps};
use crate::query::{Runs, TreeWalk, nearest_in_tree};
use crate::shape::Aabb;
use crate::vector::{Scalar, Vector};

/// What is a pair besides overlapping.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rule {
    All,
    /// Ids have colors that change, and only different ones pair.
    Colors,
    /// The boxes' corners count too.
    Corners,
}

pub(super) struct Model<V> {
    pub(super) rule: Rule,
    pub(super) items: Vec<Option<(Aabb<V>, u32)>>,
}

impl<V: Vector> PairTest<V> for Model<V> {
    fn accepts_all(&self) -> bool {
        self.rule == Rule::All
    }

    fn is_pair(&self, _: &[Aabb<V>], a: u32, b: u32) -> bool {
        let [a, b] = [a, b].map(|id| self.items[id as usize].expect("alive"));
        match self.rule {
            Rule::All => true,
            Rule::Colors => a.1 != b.1,
            Rule::Corners => {
                let corner: f64 = (a.0.min().axis(0) + b.0.min().axis(0)).into();
                corner.rem_euclid(3.0) >= 1.0
            }
        }
    }

    fn is_steady(&self) -> bool {
        self.rule != Rule::Corners
    }
}

impl<V: Vector> Model<V> {
    /// Asks the engine what overlaps a box, and what is nearest to its center.
    pub(super) fn query(&self, engine: &Engine<V>, region: &Aabb<V>) {
        let found: BTreeSet<u32> = Runs::new(TreeWalk::new(engine, region)).collect();
        let alive = (0..)
            .zip(&self.items)
            .filter_map(|(id, item)| Some((id, (*item)?.0)));
        let overlap = alive.clone().filter(|(_, bounds)| bounds.overlaps(region));
        assert!(found.into_iter().eq(overlap.map(|(id, _)| id)));
        let from = region.center();
        let mut near = Closest::one();
        for (id, bounds) in alive {
            near.offer(bounds.distance_sq(from), id);
        }
        let mut found = Closest::one();
        nearest_in_tree(engine, from, &mut found);
        assert_eq!(found.found(), near.found());
    }

    pub(super) fn pairs(&self) -> Vec<[u32; 2]> {
        let alive: Vec<_> = (0..).zip(&self.items).collect();
        let alive: Vec<_> = alive
            .into_iter()
            .filter_map(|(id, item)| Some((id, (*item)?.0)))
            .collect();
        let mut pairs = Vec::new();
        for (at, (a, first)) in alive.iter().enumerate() {
            for (b, second) in &alive[at + 1..] {
                if first.overlaps(second) && (self.accepts_all() || self.is_pair(&[], *a, *b)) {
                    pairs.push([*a, *b]);
                }
            }
        }
        pairs
    }
}

/// Every overlap is a pair.
pub(super) fn all<V>() -> Model<V> {
    Model {
        rule: Rule::All,
        items: Vec::new(),
    }
}

// Boxes by chance.

/// On a lattice of halves, so that boxes touch.
pub(super) fn coarse(random: &mut SmallRng, below: u32) -> f64 {
    f64::from(random.random_range(0..2 * below)) * 0.5
}

pub(super) fn random_box<V: Vector>(random: &mut SmallRng, side: u32) -> Aabb<V> {
    let size = match random.random_range(0..40) {
        0 | 1 => 0.0,
        2 => f64::from(side) / 2.0,
        3 => 1e30,
        _ => 1.0 + coarse(random, 2),
    };
    let low = V::from_fn(|_| V::Scalar::from_f64(coarse(random, side)));
    let high = V::from_fn(|axis| low.axis(axis) + V::Scalar::from_f64(size));
    Aabb::new(low, high)
}

pub(super) fn nudged<V: Vector>(random: &mut SmallRng, bounds: &Aabb<V>) -> Aabb<V> {
    let by = V::from_fn(|_| V::Scalar::from_f64(coarse(random, 2) - 0.5));
    let moved = |corner: V| V::from_fn(|axis| corner.axis(axis) + by.axis(axis));
    Aabb::new(moved(bounds.min()), moved(bounds.max()))
}
