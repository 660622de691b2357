//! Times a step of moving boxes, to all overlapping pairs: the broad phase against a test of all pairs.

#[allow(dead_code, reason = "shared, each bench uses a part")]
mod scenes;

use std::f32::consts::TAU;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use orthant::glam::Vec3;
use orthant::{Aabb, Broadphase, Handle, Motion, Overlaps};
use rand::{RngExt, SeedableRng};

use scenes::{Random, Scene, radius_for};

const SEED: u64 = 1;
/// The number of steps of a full circle, so that a run of any length is alike.
const STEPS: usize = 16;

struct World {
    /// The boxes at each step.
    steps: Vec<Vec<Aabb<Vec3>>>,
    movers: Vec<usize>,
}

impl World {
    /// Moves every `stride`-th box, by a tenth of its half-edge a step.
    fn new(scene: Scene, stride: usize) -> Self {
        // Coincident boxes all overlap each other, so a few make many pairs.
        let n = if scene == Scene::Coincident {
            200
        } else {
            5000
        };
        let places = scene.points(n, SEED);
        let half = match scene {
            Scene::Coincident => 0.05,
            // Boxes overlap if their centers lie within an edge on each axis, which gives about five partners if a ball of one and a half times
            // that radius holds ten points.
            _ => radius_for(&places, &places, 10.0) / 3.0,
        };
        let random = &mut Random::seed_from_u64(SEED + 1);
        let phases: Vec<f32> = (0..n).map(|_| TAU * random.random::<f32>()).collect();
        let orbit = 0.1 * half * STEPS as f32 / TAU;
        let bounds = |step: usize, i: usize| {
            let turns = if i.is_multiple_of(stride) { step } else { 0 } as f32 / STEPS as f32;
            let (sin, cos) = (phases[i] + TAU * turns).sin_cos();
            let center = Vec3::from(places[i]) + orbit * Vec3::new(cos, sin, sin);
            Aabb::new(center - half, center + half)
        };
        let step = |step| (0..n).map(|i| bounds(step, i)).collect();
        Self {
            steps: (0..STEPS).map(step).collect(),
            movers: (0..n).step_by(stride).collect(),
        }
    }

    fn insert(&self) -> (Broadphase<Vec3>, Vec<Handle>) {
        let mut world = Broadphase::new();
        let mut insert = |&bounds| world.insert(bounds, Motion::Dynamic);
        let handles = self.steps[0].iter().map(&mut insert).collect();
        world.update();
        (world, handles)
    }

    fn advance(&self, step: usize, world: &mut Broadphase<Vec3>, handles: &[Handle]) -> usize {
        for &i in &self.movers {
            world.set_bounds(handles[i], self.steps[step][i]);
        }
        world.update();
        world.pairs().len()
    }

    fn all_pairs(&self, step: usize) -> usize {
        let boxes = &self.steps[step];
        let later = |i: usize| boxes[i + 1..].iter().filter(move |b| boxes[i].overlaps(*b));
        (0..boxes.len()).map(|i| later(i).count()).sum()
    }
}

fn broadphase(criterion: &mut Criterion) {
    for (name, stride) in [("all move", 1), ("5 % move", 20)] {
        let mut group = criterion.benchmark_group(format!("broadphase/{name}"));
        for scene in Scene::ALL {
            let world = World::new(scene, stride);
            group.throughput(Throughput::Elements(world.steps[0].len() as u64));
            let (mut structure, handles) = world.insert();
            for step in 0..STEPS {
                let pairs = world.advance(step, &mut structure, &handles);
                assert_eq!(pairs, world.all_pairs(step), "{} {step}", scene.name());
            }
            let mut steps = (0..STEPS).cycle();
            group.bench_function(BenchmarkId::new("broadphase", scene.name()), |b| {
                b.iter(|| {
                    let step = steps.next().unwrap_or_default();
                    world.advance(step, &mut structure, &handles)
                });
            });
            group.bench_function(BenchmarkId::new("scan", scene.name()), |b| {
                b.iter(|| world.all_pairs(0));
            });
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_secs(1));
    targets = broadphase
}
criterion_main!(benches);
