//! Queries of moving boxes by rays, by moving spheres and by boxes.

use std::hint::black_box;

use orthant::glam::Vec3;
use orthant::{Aabb, Moving, Sphere, Sweep};
use rand::{RngExt, SeedableRng};

use crate::answers::Answers;
use crate::contestants::register;
use crate::jobs::{Options, short};
use crate::race::{Kind, Registered, Task};
use crate::scenes::Random;
use crate::stepper::Stepper;
use crate::table::Summary;
use crate::worlds::{Bounds, Scene, Sizes, World};

const TARGET: f64 = 1.2;
const SIZES: [usize; 2] = [10_000, 100_000];
const QUERIES: usize = 2000;
/// The number of steps in which all boxes move before the queries.
const STEPS: usize = 100;
/// The radius of spheres: half the edge of boxes of equal size.
const RADIUS: f32 = 0.5;
/// Half the edge of boxes as queries.
const HALF: f32 = 1.5;

/// A segment, and the sphere that moves along it.
#[derive(Clone, Copy)]
pub(crate) struct Path {
    pub(crate) from: [f32; 3],
    pub(crate) by: [f32; 3],
}

/// One contestant. Structures that keep nothing between steps are built after the last step.
pub(crate) trait Casts: Stepper<3> {
    /// The first box that the ray hits.
    fn ray(&self, path: &Path) -> Option<u32>;

    fn sphere(&self, path: &Path, radius: f32) -> Option<u32>;

    /// Writes the boxes that overlap a box into `ids`, which is empty.
    fn overlapping(&self, bounds: &Bounds<3>, ids: &mut Vec<u32>);
}

#[derive(Clone, Copy)]
pub(crate) enum Cast {
    Ray,
    Sphere,
    Box,
}

impl Cast {
    const ALL: [Self; 3] = [Self::Ray, Self::Sphere, Self::Box];

    fn name(self) -> &'static str {
        match self {
            Self::Ray => "ray",
            Self::Sphere => "sphere",
            Self::Box => "box",
        }
    }
}

/// A contestant's loop over all paths.
pub(crate) trait CastRun {
    fn run(&self, cast: Cast, paths: &[Path], ids: &mut Vec<u32>) -> u64;

    fn answer(&self, cast: Cast, path: &Path, ids: &mut Vec<u32>);
}

impl<T: Casts> CastRun for T {
    fn run(&self, cast: Cast, paths: &[Path], ids: &mut Vec<u32>) -> u64 {
        let mut found = 0;
        for path in paths {
            self.answer(cast, path, ids);
            found += black_box(ids.as_slice()).len() as u64;
        }
        found
    }

    #[inline(always)]
    fn answer(&self, cast: Cast, path: &Path, ids: &mut Vec<u32>) {
        ids.clear();
        match cast {
            Cast::Ray => ids.extend(self.ray(path)),
            Cast::Sphere => ids.extend(self.sphere(path, RADIUS)),
            Cast::Box => self.overlapping(&around(path), ids),
        }
    }
}

/// A contestant is built in the steps of a scene, from a number of boxes and a seed.
pub(crate) type Caster = Registered<fn(Scene, usize, u64) -> Box<dyn CastRun>>;

pub(crate) fn caster<T: Casts>() -> Caster {
    Registered {
        name: T::NAME,
        kind: T::KIND,
        build: |scene, n, seed| {
            let mut world = World::new(scene, n, seed);
            if T::STARTS_AFRESH {
                (0..STEPS).for_each(|_| world.step());
                return Box::new(T::new(&world.boxes));
            }
            let (mut stepped, mut pairs) = (T::new(&world.boxes), Vec::new());
            for _ in 0..STEPS {
                world.step();
                stepped.step(&world.boxes, &world.moved, &mut pairs);
            }
            Box::new(stepped)
        },
    }
}

fn around(path: &Path) -> Bounds<3> {
    Bounds::around(path.from, [HALF; 3])
}

/// Paths from random points in random directions, half as long as the world is wide.
fn paths(side: f32, seed: u64) -> Vec<Path> {
    let random = &mut Random::seed_from_u64(seed);
    let path = |_| {
        let from = std::array::from_fn(|_| random.random_range(0.0..side));
        let to: [f32; 3] = std::array::from_fn(|_| random.random_range(0.0..side));
        let length = (0..3)
            .map(|a| (to[a] - from[a]).powi(2))
            .sum::<f32>()
            .sqrt();
        let by = std::array::from_fn(|a| 0.5 * side * (to[a] - from[a]) / length);
        Path { from, by }
    };
    (0..QUERIES).map(path).collect()
}

/// The time at which a path first meets a box, as the crate defines it.
fn time(cast: Cast, path: &Path, bounds: &Bounds<3>) -> Option<f32> {
    match cast {
        Cast::Ray => along(path, bounds),
        Cast::Sphere => sphere_time(path, RADIUS, bounds),
        Cast::Box => around(path).overlaps(bounds).then_some(0.0),
    }
}

/// The time at which a segment first meets a box, by slabs.
fn along(path: &Path, bounds: &Bounds<3>) -> Option<f32> {
    let (mut enter, mut leave) = (0.0f32, 1.0f32);
    for a in 0..3 {
        let (low, high) = (bounds.min[a] - path.from[a], bounds.max[a] - path.from[a]);
        let by = path.by[a];
        if by == 0.0 {
            if low > 0.0 || high < 0.0 {
                return None;
            }
            continue;
        }
        let (near, far) = if by > 0.0 { (low, high) } else { (high, low) };
        enter = enter.max(near / by);
        leave = leave.min(far / by);
    }
    (enter <= leave).then_some(enter)
}

/// The time at which a sphere first meets a box. The trees of parry use it at their leaves, too.
pub(crate) fn sphere_time(path: &Path, radius: f32, bounds: &Bounds<3>) -> Option<f32> {
    let sphere = Sphere::new(Vec3::from(path.from), radius);
    let moving = Moving::new(sphere, path.by.into());
    let bounds = Aabb::<Vec3>::new(bounds.min.into(), bounds.max.into());
    moving.times(&bounds).map(|times| times.0)
}

/// The truth, by a scan of all boxes: the first box that is hit, with the least id of several; or all boxes that overlap.
fn truth(cast: Cast, boxes: &[Bounds<3>], path: &Path) -> Vec<u32> {
    let near = |bounds: &&Bounds<3>| match cast {
        // A sphere that touches a box meets the grown box with its center.
        Cast::Sphere => along(path, &bounds.grown(1.001 * RADIUS)).is_some(),
        Cast::Ray | Cast::Box => true,
    };
    let timed = boxes.iter().zip(0..).filter(|(bounds, _)| near(bounds));
    let hits = timed.filter_map(|(bounds, id)| Some((time(cast, path, bounds)?, id)));
    match cast {
        Cast::Box => hits.map(|(_, id)| id).collect(),
        Cast::Ray | Cast::Sphere => {
            let first = hits.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            first.map(|(_, id)| id).into_iter().collect()
        }
    }
}

pub(crate) fn run(options: &Options) -> Summary {
    let mut summary = Summary::default();
    for n in options.sizes_of(&SIZES, SIZES[0]) {
        for sizes in Sizes::ALL {
            let name = |cast: Cast| format!("casts {} {} {}", cast.name(), sizes.name(), short(n));
            let wanted = options.wanted(Cast::ALL, |&cast| name(cast));
            if !wanted.is_empty() {
                let scene = Scene::Drift { sizes, share: 1.0 };
                one_scene(scene, n, wanted, options, &mut summary);
            }
        }
    }
    summary
}

fn one_scene(
    scene: Scene,
    n: usize,
    rows: Vec<(Cast, String)>,
    options: &Options,
    summary: &mut Summary,
) {
    let mut world = World::new(scene, n, options.seed);
    (0..STEPS).for_each(|_| world.step());
    let paths = paths(world.side(), options.seed + 1);
    let casters = register(|c| c.casts);
    let entrants = casters
        .iter()
        .map(|c| c.enter(|build| build(scene, n, options.seed)));
    let mut entrants: Vec<_> = entrants.collect();
    let mut ids = Vec::new();
    for (cast, name) in rows {
        let truths: Vec<_> = paths.iter().map(|p| truth(cast, &world.boxes, p)).collect();
        let mut all = Answers::default();
        truths.iter().for_each(|truth| all.push_ids(truth));
        let mut answers = Vec::new();
        for entrant in &entrants {
            let mut found = Answers::default();
            for (path, truth) in paths.iter().zip(&truths) {
                entrant.runner.answer(cast, path, &mut ids);
                // Peers may name any of several boxes that are hit at the same time.
                let time = |ids: &[u32]| {
                    let id = *ids.first()?;
                    time(cast, path, &world.boxes[id as usize])
                };
                let is_as_good = entrant.kind == Kind::Peer && ids.len() == 1;
                if is_as_good && truth.len() == 1 && time(&ids) == time(truth) {
                    ids.clone_from(truth);
                }
                found.push_ids(&ids);
            }
            answers.push(found);
        }
        let task = Task {
            name,
            unit: "ns a query",
            units: paths.len(),
            target: Some(TARGET),
            rounds: options.rounds,
            truth: &all,
        };
        summary.print(task.race_checked(&mut entrants, &answers, |runner| {
            runner.run(cast, &paths, &mut ids)
        }));
    }
}
