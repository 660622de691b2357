//! Connected components, and clusters by density (DBSCAN). The time includes the build.

use std::collections::HashMap;

use crate::answers::Answers;
use crate::contestants::{Register, register};
use crate::jobs::{Options, QUICK_SIZE, short};
use crate::points::Set;
use crate::race::{Kind, Registered, Task};
use crate::scenes::Scene;
use crate::table::Summary;
use crate::truth::{Slabs, distance_sq};

/// The label of points in no cluster.
pub(crate) const NOISE: u32 = u32::MAX;

const TARGET: f64 = 2.0;
/// The mean number of neighbors of a point, without itself.
const MEANS: [usize; 3] = [10, 50, 500];
/// The number of points near a core point, itself included. With 1, all points are core points, and clusters are components.
const LEAST: [usize; 2] = [1, 10];
/// The largest number of rounds: the best peer takes tenths of a second.
const ROUNDS: u16 = 5;

/// Groups points by a radius and the least number of points near a core point: the result is the number of the cluster of each
/// point, in any order, or [`NOISE`].
pub(crate) type Group<const D: usize> = fn(&[[f32; D]], f32, usize) -> Vec<u32>;

pub(crate) struct GroupContestant<const D: usize> {
    entry: Registered<Group<D>>,
    /// The least `least` with which the contestant takes part.
    from: usize,
    /// The largest mean number of neighbors with which the contestant takes part.
    most: usize,
}

pub(crate) fn grouper<const D: usize>(
    name: &'static str,
    kind: Kind,
    build: Group<D>,
) -> GroupContestant<D> {
    GroupContestant {
        entry: Registered { name, kind, build },
        from: 0,
        most: usize::MAX,
    }
}

impl<const D: usize> GroupContestant<D> {
    /// Leaves the contestant out if fewer points make a core point.
    pub(crate) fn from(self, from: usize) -> Self {
        Self { from, ..self }
    }

    /// Leaves the contestant out if points have more neighbors: with lists of them, it takes minutes and gigabytes.
    pub(crate) fn up_to(self, most: usize) -> Self {
        Self { most, ..self }
    }
}

/// A handwritten DBSCAN over the radius queries of a tree: it goes from point to point, and from each core point to all points that it
/// reaches. `near` lists the neighbors of a point in a list that is empty.
pub(crate) fn by_queries(
    points: usize,
    least: usize,
    mut near: impl FnMut(u32, &mut Vec<u32>),
) -> Vec<u32> {
    let mut labels = vec![NOISE; points];
    let mut asked = vec![false; points];
    let (mut clusters, mut found, mut waiting) = (0, Vec::new(), Vec::new());
    for seed in 0..points as u32 {
        let mut is_cluster = false;
        waiting.push(seed);
        while let Some(point) = waiting.pop() {
            if std::mem::replace(&mut asked[point as usize], true) {
                continue;
            }
            found.clear();
            near(point, &mut found);
            if found.len() < least {
                continue;
            }
            is_cluster = true;
            labels[point as usize] = clusters;
            for &other in &found {
                if labels[other as usize] == NOISE {
                    labels[other as usize] = clusters;
                    waiting.push(other);
                }
            }
        }
        clusters += u32::from(is_cluster);
    }
    labels
}

pub(crate) fn run(options: &Options) -> Summary {
    let mut summary = Summary::default();
    for scene in [Scene::Uniform, Scene::Clustered, Scene::Surface] {
        for mean in MEANS {
            if options.quick && (scene == Scene::Surface || mean == MEANS[1]) {
                continue;
            }
            rows(
                "groups 3D",
                |c| c.groups3,
                scene,
                mean,
                options,
                &mut summary,
            );
            if !options.quick {
                rows(
                    "groups 2D",
                    |c| c.groups2,
                    scene,
                    mean,
                    options,
                    &mut summary,
                );
            }
        }
    }
    summary
}

fn rows<const D: usize>(
    head: &str,
    entries: fn(Register) -> Vec<GroupContestant<D>>,
    scene: Scene,
    mean: usize,
    options: &Options,
    summary: &mut Summary,
) {
    let mut question = None;
    for least in LEAST {
        let what = if least == 1 { "components" } else { "dbscan" };
        let (set, size) = (Set::Scene(scene), short(QUICK_SIZE));
        let name = format!("{head} {what} {} {size} k={mean}", set.name());
        if !options.wants(&name) {
            continue;
        }
        let (points, radius) = question.get_or_insert_with(|| {
            let points = set.points::<f32, D>(QUICK_SIZE, options.seed);
            let sample: Vec<_> = points.iter().copied().step_by(200).collect();
            let radius = Slabs::new(&points).radius_for(&sample, mean as f32 + 1.0);
            (points, radius)
        });
        let radius = *radius;
        let truth = Truth::new(points, radius, least);
        let fit = register(entries)
            .into_iter()
            .filter(|c| c.from <= least && mean <= c.most);
        let mut entrants: Vec<_> = fit
            .map(|c| c.entry.enter(|group| Box::new(*group)))
            .collect();
        let task = Task {
            name,
            unit: "ns a point",
            units: points.len(),
            target: Some(TARGET),
            rounds: options.rounds.min(ROUNDS),
            truth: &truth.of(&truth.labels),
        };
        summary.print(task.race(
            &mut entrants,
            |group| truth.of(&group(points, radius, least)),
            |group| group(points, radius, least).len() as u64,
        ));
    }
}

/// The truth, from all pairs.
struct Truth {
    cores: Vec<bool>,
    labels: Vec<u32>,
}

impl Truth {
    fn new<const D: usize>(points: &[[f32; D]], radius: f32, least: usize) -> Self {
        let mut by_x: Vec<u32> = (0..points.len() as u32).collect();
        by_x.sort_unstable_by(|&a, &b| points[a as usize][0].total_cmp(&points[b as usize][0]));
        let limit = radius * radius;
        let each_pair = |f: &mut dyn FnMut(u32, u32)| {
            for (place, &i) in by_x.iter().enumerate() {
                let from = &points[i as usize];
                for &j in &by_x[place + 1..] {
                    let to = &points[j as usize];
                    if (to[0] - from[0]) * (to[0] - from[0]) > limit {
                        break;
                    }
                    if distance_sq(to, from) <= limit {
                        f(i, j);
                    }
                }
            }
        };
        let mut counts = vec![1; points.len()];
        each_pair(&mut |i, j| {
            counts[i as usize] += 1;
            counts[j as usize] += 1;
        });
        let cores: Vec<bool> = counts.iter().map(|&count| count >= least).collect();
        let mut parents: Vec<u32> = (0..points.len() as u32).collect();
        let mut labels = vec![NOISE; points.len()];
        each_pair(&mut |i, j| match (cores[i as usize], cores[j as usize]) {
            (true, true) => {
                let (i, j) = (root(&mut parents, i), root(&mut parents, j));
                parents[i.max(j) as usize] = i.min(j);
            }
            // A point on the border belongs to any of the clusters near it.
            (true, false) => labels[j as usize] = i,
            (false, true) => labels[i as usize] = j,
            (false, false) => {}
        });
        for i in 0..points.len() {
            if cores[i] {
                labels[i] = root(&mut parents, i as u32);
            }
        }
        Self { cores, labels }
    }

    /// The answer that labels stand for: which core points belong together, and which points are noise. The cluster of a point on the
    /// border, and the numbers of clusters, may differ between contestants.
    fn of(&self, labels: &[u32]) -> Answers {
        let mut first = HashMap::new();
        let result = |(point, &label): (usize, &u32)| {
            let group = match (label == NOISE, self.cores[point]) {
                (true, _) => NOISE,
                (false, true) => *first.entry(label).or_insert(point as u32),
                (false, false) => NOISE - 1,
            };
            (point as u64) << 32 | u64::from(group)
        };
        let mut answers = Answers::default();
        answers.push(labels.iter().enumerate().map(result));
        answers
    }
}

fn root(parents: &mut [u32], mut of: u32) -> u32 {
    while parents[of as usize] != of {
        parents[of as usize] = parents[parents[of as usize] as usize];
        of = parents[of as usize];
    }
    of
}
