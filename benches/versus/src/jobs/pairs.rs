//! Queries between two sets of points: the neighbors of all points in the other set, counts within ten radii, the closest pair, and the largest
//! distance of a point from the nearest of the other set. Contestants without such a call run a query for each point. Both trees are
//! built before.

use crate::answers::Answers;
use crate::contestants::{Register, register};
use crate::jobs::{Options, QUICK_SIZE, short};
use crate::points::Set;
use crate::race::{Kind, Registered, Task};
use crate::scenes::Scene;
use crate::table::Summary;
use crate::truth::{Slabs, distance_sq};

const TARGET: f64 = 3.0;
/// The mean number of neighbors within the radius of the lists.
const NEAR: f32 = 10.0;
/// The mean number of neighbors within the largest radius of the counts.
const MOST: f32 = 100.0;
const RADII: usize = 10;
/// The largest number of rounds: the slowest contestants take tenths of a second.
const ROUNDS: u16 = 5;

/// A structure of points, and the other points.
pub(crate) trait Pairs<const D: usize>: Sized + 'static {
    const NAME: &'static str;
    const KIND: Kind = Kind::Peer;

    fn build(points: &[[f32; D]], others: &[[f32; D]]) -> Self;

    /// Lists the points within a radius of each of the others, and returns the total number.
    fn lists(&mut self, radius: f32) -> u64;

    /// The number of pairs within each radius; radii increase.
    fn counts(&mut self, radii: &[f32]) -> Vec<u64>;

    /// The least squared distance.
    fn closest(&mut self) -> f32;

    /// The largest squared distance of one of the others from the nearest point.
    fn farthest(&mut self) -> f32;
}

/// A query between the two sets.
#[derive(Clone, Copy)]
pub(crate) enum Question<'a> {
    Lists(f32),
    Counts(&'a [f32]),
    Closest,
    Farthest,
}

pub(crate) trait PairsRun {
    fn answers(&mut self, question: Question<'_>) -> Answers;
}

/// A contestant is built from the two sets.
pub(crate) type PairsContestant<const D: usize> =
    Registered<fn(&[[f32; D]], &[[f32; D]]) -> Box<dyn PairsRun>>;

struct Runner<const D: usize, T>(T);

impl<const D: usize, T: Pairs<D>> PairsRun for Runner<D, T> {
    fn answers(&mut self, question: Question<'_>) -> Answers {
        let bits = |distance_sq: f32| vec![u64::from(distance_sq.to_bits())];
        let results = match question {
            Question::Lists(radius) => return Answers::counted(self.0.lists(radius)),
            Question::Counts(radii) => self.0.counts(radii),
            Question::Closest => bits(self.0.closest()),
            Question::Farthest => bits(self.0.farthest()),
        };
        of(&results)
    }
}

fn of(results: &[u64]) -> Answers {
    let mut answers = Answers::default();
    results.iter().for_each(|&result| answers.push([result]));
    answers
}

pub(crate) fn pairs<const D: usize, T: Pairs<D>>() -> PairsContestant<D> {
    Registered {
        name: T::NAME,
        kind: T::KIND,
        build: |points, others| Box::new(Runner::<D, T>(T::build(points, others))),
    }
}

pub(crate) fn run(options: &Options) -> Summary {
    let mut summary = Summary::default();
    for scene in [Scene::Uniform, Scene::Clustered, Scene::Surface] {
        rows("pairs 3D", |c| c.pairs3, scene, options, &mut summary);
        if scene == Scene::Uniform || !options.quick {
            rows("pairs 2D", |c| c.pairs2, scene, options, &mut summary);
        }
    }
    summary
}

fn rows<const D: usize>(
    head: &str,
    entries: fn(Register) -> Vec<PairsContestant<D>>,
    scene: Scene,
    options: &Options,
    summary: &mut Summary,
) {
    let names = ["lists", "counts", "closest", "hausdorff"];
    let names = names.map(|what| format!("{head} {what} {} {}", scene.name(), short(QUICK_SIZE)));
    if !names.iter().any(|name| options.wants(name)) {
        return;
    }
    // Two halves of one set: another seed would put clusters elsewhere.
    let all = Set::Scene(scene).points::<f32, D>(2 * QUICK_SIZE, options.seed);
    let (points, others) = all.split_at(QUICK_SIZE);
    let slabs = Slabs::new(points);
    let sample: Vec<_> = others.iter().copied().step_by(200).collect();
    let (near, most) = (
        slabs.radius_for(&sample, NEAR),
        slabs.radius_for(&sample, MOST),
    );
    let radii: Vec<f32> = (1..=RADII)
        .map(|i| most * i as f32 / RADII as f32)
        .collect();
    let truths = truths(&slabs, others, near, &radii);
    let register = register(entries);
    let entrants = register
        .iter()
        .map(|c| c.enter(|build| build(points, others)));
    let mut entrants: Vec<_> = entrants.collect();
    let questions = [
        Question::Lists(near),
        Question::Counts(&radii),
        Question::Closest,
        Question::Farthest,
    ];
    for ((name, question), truth) in names.into_iter().zip(questions).zip(truths) {
        if !options.wants(&name) {
            continue;
        }
        let task = Task {
            name,
            unit: "ns a point",
            units: others.len(),
            target: Some(TARGET),
            rounds: options.rounds.min(ROUNDS),
            truth: &truth,
        };
        summary.print(task.race(
            &mut entrants,
            |runner| runner.answers(question),
            |runner| runner.answers(question).results(),
        ));
    }
}

/// The truth of each question, by slabs.
fn truths<const D: usize>(
    slabs: &Slabs<f32, D>,
    others: &[[f32; D]],
    near: f32,
    radii: &[f32],
) -> [Answers; 4] {
    let (mut lists, mut counts) = (0, vec![0; radii.len()]);
    let (mut closest, mut farthest) = (f32::INFINITY, 0.0_f32);
    for center in others {
        let mut nearest = f32::INFINITY;
        let mut reach = radii[radii.len() - 1];
        for point in slabs.around(center, reach) {
            let apart = distance_sq(point, center);
            nearest = nearest.min(apart);
            lists += u64::from(apart <= near * near);
            for (count, radius) in counts.iter_mut().zip(radii) {
                *count += u64::from(apart <= radius * radius);
            }
        }
        while nearest > reach * reach {
            reach *= 2.0;
            let apart = slabs.around(center, reach).map(|p| distance_sq(p, center));
            nearest = apart.fold(nearest, f32::min);
        }
        closest = closest.min(nearest);
        farthest = farthest.max(nearest);
    }
    let bits = |distance_sq: f32| of(&[u64::from(distance_sq.to_bits())]);
    let lists = Answers::counted(lists);
    [lists, of(&counts), bits(closest), bits(farthest)]
}
