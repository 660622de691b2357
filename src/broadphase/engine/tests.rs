//! Any sequence of operations leads to the pairs of the double loop, and events from one list to the
//! next.

mod parts;

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use glam::{DVec3, Vec2, Vec3};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::{Engine, PairTest};
use crate::nearest::Closest;
use crate::overlap::{Distance, Extent, Overlaps, Region};
use crate::query::{Descent, best_first, next_run};
use crate::shape::Aabb;
use crate::simd::InstructionSet;
use crate::vector::{Scalar, Vector};

/// Drives an engine and a model, and compares them after each step.
fn drive<V: Vector>(set: InstructionSet, rule: Rule, count: usize, steps: usize) {
    let random = &mut SmallRng::seed_from_u64(count as u64);
    let side = 4 + 2 * (count as f64).powf(1.0 / V::DIM as f64) as u32;
    let mut model = Model::<V> {
        rule,
        items: alloc::vec![None; count],
    };
    let mut engine = Engine::<V>::new();
    engine.set_instructions(set);
    let mut last = Vec::new();
    for step in 0..steps {
        let share = [1000, 1000, 50, 5, 100, 0, 1000, 300, 1000][step % 9];
        let mut reborn = BTreeSet::new();
        for id in 0..count {
            let (at, id) = (id, id as u32);
            let Some((bounds, _)) = model.items[at] else {
                if step == 0 || random.random_range(0..4) == 0 {
                    let bounds = random_box(random, side);
                    model.items[at] = Some((bounds, random.random_range(0..3)));
                    engine.insert(id, bounds, random.random_range(0..3) == 0);
                }
                continue;
            };
            if random.random_range(0..1000) < share {
                let moved = if random.random_range(0..30) == 0 {
                    random_box(random, side)
                } else {
                    nudged(random, &bounds)
                };
                model.items[at].as_mut().unwrap().0 = moved;
                engine.set(id, moved);
                assert_eq!(engine.bounds(id), moved);
            }
            match random.random_range(0..200) {
                0 | 1 => {
                    engine.remove(id);
                    model.items[at] = None;
                    if random.random_range(0..2) == 0 {
                        let moved = nudged(random, &bounds);
                        engine.insert(id, moved, false);
                        model.items[at] = Some((moved, 0));
                        reborn.insert(id);
                    }
                }
                2 => engine.rest(id, true),
                3..6 => engine.rest(id, false),
                6 => {
                    engine.touch(id);
                    model.items[at].as_mut().unwrap().1 = random.random_range(0..3);
                }
                _ => {}
            }
        }
        model.query(&engine, &random_box(random, side));
        if step % 7 == 3 {
            engine.optimize(count / 3);
        }
        let pairs = model.pairs();
        if step % 11 >= 8 {
            engine.refresh(&model);
            engine.validate().unwrap();
            let mut found = engine.pairs().to_vec();
            found.sort_unstable();
            assert_eq!(found, pairs, "{count} boxes, step {step}");
            assert!(engine.begun().is_empty() && engine.ended().is_empty());
            last = pairs;
            continue;
        }
        engine.step(&model);
        engine.validate().unwrap();
        assert_eq!(engine.pairs(), pairs, "{count} boxes, step {step}");
        model.query(&engine, &random_box(random, side));
        let is_reborn = |pair: &[u32; 2]| pair.iter().any(|id| reborn.contains(id));
        let (old, new): (BTreeSet<_>, BTreeSet<_>) = (
            last.iter().copied().collect(),
            pairs.iter().copied().collect(),
        );
        let begun = new
            .iter()
            .filter(|pair| !old.contains(*pair) || is_reborn(pair));
        let ended = old
            .iter()
            .filter(|pair| !new.contains(*pair) || is_reborn(pair));
        assert!(begun.eq(engine.begun()), "{count} boxes, step {step}");
        assert!(ended.eq(engine.ended()), "{count} boxes, step {step}");
        last = pairs;
    }
}

fn drive_all<V: Vector>(rule: Rule) {
    for set in InstructionSet::available() {
        for (count, steps) in [(0, 9), (1, 36), (17, 72), (120, 72), (600, 18)] {
            drive::<V>(set, rule, count, steps);
        }
    }
}

#[test]
fn every_overlap_in_the_plane() {
    drive_all::<Vec2>(Rule::All);
}

#[test]
fn every_overlap_in_space() {
    drive_all::<Vec3>(Rule::All);
}

#[test]
fn every_overlap_in_double_precision() {
    drive_all::<DVec3>(Rule::All);
}

#[test]
fn colors_in_the_plane() {
    drive_all::<Vec2>(Rule::Colors);
}

#[test]
fn corners_in_space() {
    drive_all::<Vec3>(Rule::Corners);
}

#[test]
fn boxes_enough_for_several_parts() {
    drive::<Vec3>(InstructionSet::best(), Rule::All, 4500, 4);
}

#[test]
fn boxes_of_one_centre_pair_with_all() {
    let mut engine = Engine::<Vec2>::new();
    let count = 700;
    for step in 0..3 {
        for id in 0..count {
            let bounds = Aabb::point(Vec2::splat(step as f32));
            if step == 0 {
                engine.insert(id, bounds, false);
            } else {
                engine.set(id, bounds);
            }
        }
        engine.step(&all());
        engine.validate().unwrap();
        assert_eq!(engine.pairs().len() as u32, count * (count - 1) / 2);
    }
    assert!(engine.begun().is_empty() && engine.ended().is_empty());
}

#[test]
fn memory_stays_where_boxes_come_and_go() {
    let mut engine = Engine::<DVec3>::new();
    let random = &mut SmallRng::seed_from_u64(5);
    let (count, mut peak) = (1500, 0);
    for step in 0..600 {
        for id in (0..count).filter(|id| step == 0 || (id + step) % 50 == 0) {
            if step > 0 {
                engine.remove(id);
            }
            let low = DVec3::from_array([0; 3].map(|_| coarse(random, 30)));
            engine.insert(id, Aabb::new(low, low + 1.0), id % 5 == 0);
        }
        engine.step(&all());
        if step == 150 {
            engine.validate().unwrap();
            peak = engine.bytes();
        }
    }
    engine.validate().unwrap();
    assert!(
        engine.bytes() <= peak + peak / 4,
        "{peak} {}",
        engine.bytes()
    );
}

// The double loop.

/// What is a pair besides overlapping.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rule {
    All,
    /// Ids have colors that change, and only different ones pair.
    Colors,
    /// The boxes' corners count too.
    Corners,
}

struct Model<V> {
    rule: Rule,
    items: Vec<Option<(Aabb<V>, u32)>>,
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
    fn query(&self, engine: &Engine<V>, region: &Aabb<V>) {
        let (mut found, mut descent) = (BTreeSet::new(), Descent::default());
        let relate = |extent: &Extent<V>| region.relate(&extent.core);
        while let Some(run) = next_run(engine, &relate, &mut descent) {
            let boxes = &engine.items.boxes;
            let ids = run.slots.filter_map(|lane| engine.id_at(run.part, lane));
            found.extend(ids.filter(|&id| region.overlaps(&boxes[id as usize])));
        }
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
        let bound = |extent: &Extent<V>| Some(extent.core.distance_sq(from));
        best_first(engine, &bound, &mut |run| {
            for id in run.slots.filter_map(|lane| engine.id_at(run.part, lane)) {
                found.offer(engine.items.boxes[id as usize].distance_sq(from), id);
            }
            found.limit_sq()
        });
        assert_eq!(found.found(), near.found());
    }

    fn pairs(&self) -> Vec<[u32; 2]> {
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
fn all<V>() -> Model<V> {
    Model {
        rule: Rule::All,
        items: Vec::new(),
    }
}

// Boxes by chance.

/// On a lattice of halves, so that boxes touch.
fn coarse(random: &mut SmallRng, below: u32) -> f64 {
    f64::from(random.random_range(0..2 * below)) * 0.5
}

fn random_box<V: Vector>(random: &mut SmallRng, side: u32) -> Aabb<V> {
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

fn nudged<V: Vector>(random: &mut SmallRng, bounds: &Aabb<V>) -> Aabb<V> {
    let by = V::from_fn(|_| V::Scalar::from_f64(coarse(random, 2) - 0.5));
    let moved = |corner: V| V::from_fn(|axis| corner.axis(axis) + by.axis(axis));
    Aabb::new(moved(bounds.min()), moved(bounds.max()))
}
