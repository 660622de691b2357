//! Times queries for points within a radius: each structure against the scan.

#[allow(dead_code, reason = "shared, each bench uses a part")]
mod scenes;

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use orthant::glam::Vec3;
use orthant::{CellList, Handle, Linear, LooseOrthtree, Octree, Sphere};

use scenes::{Scene, centers, radius_for};

const POINTS: usize = 10_000;
/// The number of queries in an iteration, so that no single easy or hard query decides.
const QUERIES: usize = 64;
const SEED: u64 = 1;

trait Structure {
    const NAME: &'static str;
    type Key;

    /// Builds the structure; `radius` is that of the following queries.
    fn build(points: &[Vec3], radius: f32) -> Self;
    fn count(&self, ball: Sphere<Vec3>) -> usize;
    fn collect(&self, ball: Sphere<Vec3>, found: &mut Vec<Self::Key>);
}

macro_rules! structure {
    ($structure:ty, $name:literal, $key:ty, |$points:ident, $radius:ident| $build:expr) => {
        impl Structure for $structure {
            const NAME: &'static str = $name;
            type Key = $key;

            fn build($points: &[Vec3], $radius: f32) -> Self {
                $build
            }

            fn count(&self, ball: Sphere<Vec3>) -> usize {
                self.count(ball)
            }

            fn collect(&self, ball: Sphere<Vec3>, found: &mut Vec<$key>) {
                self.query(ball).for_each(|key| found.push(key));
            }
        }
    };
}

structure!(Linear<Vec3>, "linear", usize, |points, _r| Self::new(
    points
));
structure!(Octree, "orthtree", usize, |points, _r| Self::new(points));
structure!(CellList<Vec3>, "cells", usize, |points, radius| Self::new(
    points, radius
));
structure!(LooseOrthtree<Vec3>, "loose", Handle, |points, _r| {
    let mut tree = Self::new();
    for &point in points {
        tree.insert(point);
    }
    tree
});

struct Case {
    name: String,
    points: Vec<Vec3>,
    balls: Vec<Sphere<Vec3>>,
    radius: f32,
}

fn cases() -> Vec<Case> {
    let case = |scene: Scene, mean: f32| {
        let points = scene.points(POINTS, SEED);
        let centers = centers(&points, QUERIES, SEED + 1);
        let radius = match scene {
            Scene::Coincident => 0.05,
            _ => radius_for(&points, &centers, mean),
        };
        let ball = |&center| Sphere::new(Vec3::from_array(center), radius);
        Case {
            name: format!("{}/{mean}", scene.name()),
            balls: centers.iter().map(ball).collect(),
            points: points.into_iter().map(Vec3::from_array).collect(),
            radius,
        }
    };
    let means = |scene| match scene {
        // If all points coincide, a ball holds all or none.
        Scene::Coincident => vec![POINTS as f32],
        _ => vec![10.0, 100.0],
    };
    let of = |scene| means(scene).into_iter().map(move |mean| case(scene, mean));
    Scene::ALL.into_iter().flat_map(of).collect()
}

fn bench<S: Structure>(criterion: &mut Criterion, cases: &[Case]) {
    let mut group = criterion.benchmark_group("neighbours/build");
    group.throughput(Throughput::Elements(POINTS as u64));
    for case in cases {
        group.bench_with_input(BenchmarkId::new(S::NAME, &case.name), case, |b, case| {
            b.iter(|| S::build(&case.points, case.radius));
        });
    }
    group.finish();

    let mut group = criterion.benchmark_group("neighbours/count");
    group.throughput(Throughput::Elements(QUERIES as u64));
    for case in cases {
        let structure = S::build(&case.points, case.radius);
        group.bench_with_input(BenchmarkId::new(S::NAME, &case.name), case, |b, case| {
            b.iter(|| {
                case.balls
                    .iter()
                    .map(|&q| structure.count(q))
                    .sum::<usize>()
            });
        });
    }
    group.finish();

    let mut group = criterion.benchmark_group("neighbours/collect");
    group.throughput(Throughput::Elements(QUERIES as u64));
    for case in cases {
        let structure = S::build(&case.points, case.radius);
        let mut found = Vec::new();
        group.bench_with_input(BenchmarkId::new(S::NAME, &case.name), case, |b, case| {
            b.iter(|| {
                for &ball in &case.balls {
                    found.clear();
                    structure.collect(ball, &mut found);
                    black_box(found.as_slice());
                }
            });
        });
    }
    group.finish();
}

fn neighbours(criterion: &mut Criterion) {
    let cases = cases();
    bench::<Linear<Vec3>>(criterion, &cases);
    bench::<Octree>(criterion, &cases);
    bench::<LooseOrthtree<Vec3>>(criterion, &cases);
    bench::<CellList<Vec3>>(criterion, &cases);
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(400));
    targets = neighbours
}
criterion_main!(benches);
