//! The events of a life, equal for all contestants, and the truth of every answer.

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

use super::{VERBS, Verb};
use crate::answers::Answers;
use crate::points::Set;
use crate::scenes::{Random, centers, radius_where};
use crate::worlds::Ball;

/// The mean number of results, and the number of centers.
pub(super) const MEANS: [(f32, usize); 2] = [(10.0, 10_000), (100.0, 2_500)];
/// The number of steps in which all items move a little.
pub(super) const STEPS: usize = 3;
/// The largest move of an item in a step on each axis, in radii of balls that hold ten items.
const STEP: f32 = 0.1;
/// The largest radius of an item, in radii of balls that hold ten items; the least is a tenth of it.
const ITEM: f32 = 0.3;
/// The number of changes and queries of the churn for each item.
const CHURN: f32 = 0.2;
/// The least number of changes and queries of the churn.
const LEAST_CHURN: usize = 10_000;

#[derive(Clone, Copy)]
pub(super) enum Change {
    Insert(u32, Ball),
    Update(u32, Ball, Ball),
    Remove(u32, Ball),
    Ask([f32; 3]),
}

pub(crate) struct Script {
    pub(super) first: Vec<Ball>,
    /// Where all items are after each step, by id.
    pub(super) steps: Vec<Vec<Ball>>,
    /// The places to which items jump, by id.
    pub(super) far: Vec<Ball>,
    /// The order of the jumps.
    pub(super) order: Vec<u32>,
    pub(super) churn: Vec<Change>,
    pub(super) removals: Vec<(u32, Ball)>,
    pub(super) centers: Vec<[f32; 3]>,
    /// The radius for each of [`MEANS`].
    pub(super) radii: [f32; 2],
}

fn nudged(item: &Ball, by: f32, random: &mut Random) -> Ball {
    let center = item.center.map(|x| x + random.random_range(-by..=by));
    Ball { center, ..*item }
}

impl Script {
    pub(super) fn new(set: Set, n: usize, are_balls: bool, seed: u64) -> Self {
        let random = &mut Random::seed_from_u64(seed + 2);
        let points: Vec<[f32; 3]> = set.points(n, seed);
        let centers = centers(&points, MEANS[0].1, seed + 1);
        let at = |points: &[[f32; 3]]| -> Vec<Ball> {
            let ball = |&center| Ball {
                center,
                radius: 0.0,
            };
            points.iter().map(ball).collect()
        };
        let radius_for = |items: &[Ball], mean| {
            let truth = Truth::at_rest(items);
            let count = |center: &[f32; 3], radius| truth.within(center, radius, 0).count();
            radius_where(n, &centers, mean, count)
        };
        let mut first = at(&points);
        let near = radius_for(&first, MEANS[0].0);
        if are_balls {
            for item in &mut first {
                item.radius = ITEM * near * random.random_range(0.1..=1.0);
            }
        }
        let radii = MEANS.map(|(mean, _)| radius_for(&first, mean));
        let mut steps: Vec<Vec<Ball>> = Vec::new();
        for _ in 0..STEPS {
            let from = steps.last().unwrap_or(&first);
            let step = from.iter().map(|item| nudged(item, STEP * near, random));
            steps.push(step.collect());
        }
        // Items jump to the first places of others, so the set keeps its shape.
        let mut far = at(&points);
        far.shuffle(random);
        for (to, item) in far.iter_mut().zip(&first) {
            to.radius = item.radius;
        }
        let mut order: Vec<u32> = (0..n as u32).collect();
        order.shuffle(random);
        let mut alive: Vec<(u32, Ball)> = (0..).zip(far.iter().copied()).collect();
        let churn = churn(&mut alive, &points, &centers, STEP * near, random);
        alive.shuffle(random);
        Self {
            first,
            steps,
            far,
            order,
            churn,
            removals: alive,
            centers,
            radii,
        }
    }

    /// The truth of each verb.
    pub(super) fn truth(&self) -> Vec<Answers> {
        let steps = Truth::at_rest(self.steps.last().expect("there are steps"));
        let jumps = Truth::at_rest(&self.far);
        let of = |verb| match verb {
            Verb::Query(moved, mean) => {
                let mut answers = Answers::default();
                for center in &self.centers[..MEANS[mean].1] {
                    let truth = [&steps, &jumps][moved];
                    answers.push(truth.within(center, self.radii[mean], 0));
                }
                answers
            }
            Verb::Churn => self.churn_truth(),
            Verb::Insert | Verb::Step | Verb::Jump => Answers::default(),
            Verb::Remove => {
                let mut nothing = Answers::default();
                nothing.push([]);
                nothing
            }
        };
        VERBS.into_iter().map(of).collect()
    }

    fn churn_truth(&self) -> Answers {
        let resting = self.far.iter().zip(0..);
        let mut versions: Vec<_> = resting
            .map(|(item, id)| Version::new(id, *item, 0))
            .collect();
        let mut last: Vec<usize> = (0..versions.len()).collect();
        for (now, change) in (1..).zip(&self.churn) {
            match *change {
                Change::Insert(id, item) => {
                    assert_eq!(id as usize, last.len(), "ids are not used again");
                    last.push(versions.len());
                    versions.push(Version::new(id, item, now));
                }
                Change::Update(id, _, to) => {
                    versions[last[id as usize]].until = now;
                    last[id as usize] = versions.len();
                    versions.push(Version::new(id, to, now));
                }
                Change::Remove(id, _) => versions[last[id as usize]].until = now,
                Change::Ask(_) => {}
            }
        }
        let truth = Truth::new(versions);
        let mut answers = Answers::default();
        for (now, change) in (1..).zip(&self.churn) {
            if let Change::Ask(center) = change {
                answers.push(truth.within(center, self.radii[0], now));
            }
        }
        answers
    }
}

/// Makes changes in turn: one item is inserted, one removed, two move a little and one far, and one query is run.
fn churn(
    alive: &mut Vec<(u32, Ball)>,
    points: &[[f32; 3]],
    centers: &[[f32; 3]],
    step: f32,
    random: &mut Random,
) -> Vec<Change> {
    let count = LEAST_CHURN.max((CHURN * points.len() as f32) as usize);
    let mut next = points.len() as u32;
    let change = |turn| {
        let picked = random.random_range(0..alive.len());
        let somewhere = points[random.random_range(0..points.len())];
        let (id, from) = alive[picked];
        let there = Ball {
            center: somewhere,
            ..from
        };
        match turn % 6 {
            0 => {
                alive.push((next, there));
                next += 1;
                Change::Insert(next - 1, there)
            }
            1 => {
                alive.swap_remove(picked);
                Change::Remove(id, from)
            }
            2 | 3 => {
                alive[picked].1 = nudged(&from, step, random);
                Change::Update(id, from, alive[picked].1)
            }
            4 => {
                alive[picked].1 = there;
                Change::Update(id, from, there)
            }
            _ => Change::Ask(centers[random.random_range(0..centers.len())]),
        }
    };
    (0..count).map(change).collect()
}

/// An item in one place, and the time in which it was there.
pub(super) struct Version {
    ball: Ball,
    id: u32,
    from: u32,
    pub(super) until: u32,
}

impl Version {
    pub(super) fn new(id: u32, ball: Ball, from: u32) -> Self {
        Self {
            ball,
            id,
            from,
            until: u32::MAX,
        }
    }

    /// True if the item meets a ball, in the arithmetic that the crate promises.
    fn meets(&self, center: &[f32; 3], radius: f32) -> bool {
        let square = |a: usize| {
            let apart = center[a] - self.ball.center[a];
            apart * apart
        };
        let reach = radius + self.ball.radius;
        (1..3).fold(square(0), |sum, a| sum + square(a)) <= reach * reach
    }
}

pub(super) struct Truth {
    /// Sorted by x.
    versions: Vec<Version>,
    largest: f32,
}

impl Truth {
    pub(super) fn new(mut versions: Vec<Version>) -> Self {
        versions.sort_unstable_by(|a, b| a.ball.center[0].total_cmp(&b.ball.center[0]));
        let radii = versions.iter().map(|version| version.ball.radius);
        let largest = radii.fold(0.0, f32::max);
        Self { versions, largest }
    }

    pub(super) fn at_rest(items: &[Ball]) -> Self {
        let items = items.iter().zip(0..);
        Self::new(items.map(|(item, id)| Version::new(id, *item, 0)).collect())
    }

    /// The ids of the items that met a ball at a time.
    pub(super) fn within(
        &self,
        center: &[f32; 3],
        radius: f32,
        now: u32,
    ) -> impl Iterator<Item = u64> {
        // A margin for rounding.
        let reach = (radius + self.largest) * 1.001;
        let x = |version: &Version| version.ball.center[0];
        let from = self.versions.partition_point(|v| x(v) < center[0] - reach);
        let rest = &self.versions[from..];
        let slab = &rest[..rest.partition_point(|v| x(v) <= center[0] + reach)];
        let center = *center;
        let then = slab.iter().filter(move |v| v.from <= now && now < v.until);
        then.filter(move |v| v.meets(&center, radius))
            .map(|v| v.id.into())
    }
}
