//! Seeded points for all benches, `versus` included: in and near the unit cube, in random order.

use std::f32::consts::TAU;

use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

pub(crate) type Random = Xoshiro256PlusPlus;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scene {
    Uniform,
    /// Clusters with heavy-tailed weights and widths over 1:50, with a little background: densities differ by orders of magnitude.
    Clustered,
    /// Two spheres and a torus (circles in the plane), scanned with a little noise.
    Surface,
    /// All points in one place.
    Coincident,
}

impl Scene {
    pub(crate) const ALL: [Self; 4] = [
        Self::Uniform,
        Self::Clustered,
        Self::Surface,
        Self::Coincident,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Clustered => "clustered",
            Self::Surface => "surface",
            Self::Coincident => "coincident",
        }
    }

    pub(crate) fn points<const D: usize>(self, n: usize, seed: u64) -> Vec<[f32; D]> {
        let random = &mut Random::seed_from_u64(seed);
        match self {
            Self::Uniform => (0..n).map(|_| random.random()).collect(),
            Self::Clustered => clustered(n, random),
            Self::Surface => surface(n, random),
            Self::Coincident => vec![[0.5; D]; n],
        }
    }
}

/// Makes query centers: half of them points of the scene, half anywhere in its bounds.
pub(crate) fn centers<const D: usize>(points: &[[f32; D]], n: usize, seed: u64) -> Vec<[f32; D]> {
    let random = &mut Random::seed_from_u64(seed);
    let end = |axis: usize, pick: fn(f32, f32) -> f32| {
        let coordinates = points.iter().map(|p| p[axis]);
        coordinates.reduce(pick).unwrap_or_default()
    };
    let low: [f32; D] = std::array::from_fn(|a| end(a, f32::min));
    let high: [f32; D] = std::array::from_fn(|a| end(a, f32::max));
    let center = |i| match i % 2 {
        0 => points[random.random_range(0..points.len())],
        _ => std::array::from_fn(|a| random.random_range(low[a]..=high[a])),
    };
    (0..n).map(center).collect()
}

/// Returns the radius at which centers have `mean` points within it on average, to a few per cent.
pub(crate) fn radius_for<const D: usize>(
    points: &[[f32; D]],
    centers: &[[f32; D]],
    mean: f32,
) -> f32 {
    let count = |center: &[f32; D], radius| count_within(points, center, radius);
    radius_where(points.len(), centers, mean, count)
}

/// Returns this radius for `n` points that `count` counts.
pub(crate) fn radius_where<C, const D: usize>(
    n: usize,
    centers: &[[C; D]],
    mean: f32,
    count: impl Fn(&[C; D], f32) -> usize,
) -> f32 {
    // A prefix of the centers is a large enough sample.
    let sample = &centers[..centers.len().min(1000)];
    let found = |radius: f32| {
        let counts = sample.iter().map(|c| count(c, radius));
        counts.sum::<usize>() as f32 / sample.len() as f32
    };
    let (mut low, mut high) = (0.0, 2.0);
    let mut radius = 0.6 * (mean / n as f32).powf(1.0 / D as f32);
    for _ in 0..16 {
        let now = found(radius);
        if (now / mean - 1.0).abs() < 0.02 {
            break;
        }
        *(if now > mean { &mut high } else { &mut low }) = radius;
        // Guess as if the points filled space; if the guess leaves the bracket, halve that instead.
        let guess = radius * (mean / now.max(0.1)).powf(1.0 / D as f32);
        radius = if guess > low && guess < high {
            guess
        } else {
            0.5 * (low + high)
        };
    }
    radius
}

/// Compares as the crate does: plain squares, summed from axis 0 on.
pub(crate) fn is_within<const D: usize>(point: &[f32; D], center: &[f32; D], radius: f32) -> bool {
    let square = |a: usize| (center[a] - point[a]) * (center[a] - point[a]);
    (1..D).fold(square(0), |sum, a| sum + square(a)) <= radius * radius
}

pub(crate) fn count_within<const D: usize>(
    points: &[[f32; D]],
    center: &[f32; D],
    radius: f32,
) -> usize {
    let hits = points.iter().filter(|p| is_within(p, center, radius));
    hits.count()
}

fn clustered<const D: usize>(n: usize, random: &mut Random) -> Vec<[f32; D]> {
    struct Blob<const D: usize> {
        center: [f32; D],
        width: f32,
        weight_up_to: f32,
    }
    let mut total = 0.0;
    let blobs: Vec<Blob<D>> = (0..64)
        .map(|_| {
            total += (random.random::<f32>() + 1e-3).powf(-0.8);
            Blob {
                center: std::array::from_fn(|_| random.random_range(0.1..0.9)),
                width: 0.002 * 50f32.powf(random.random()),
                weight_up_to: total,
            }
        })
        .collect();
    let point = |_| {
        if random.random_bool(0.02) {
            return random.random();
        }
        let weight = random.random_range(0.0..total);
        let blob = &blobs[blobs.partition_point(|b| b.weight_up_to <= weight)];
        blob.center.map(|c| c + blob.width * normal(random))
    };
    (0..n).map(point).collect()
}

fn surface<const D: usize>(n: usize, random: &mut Random) -> Vec<[f32; D]> {
    let mut points: Vec<[f32; D]> = (0..n)
        .map(|i| {
            let point = match i % 3 {
                0 => on_torus(random, [0.5, 0.5, 0.7], 0.25, 0.08),
                1 => on_sphere::<D>(random, [0.3, 0.3, 0.3], 0.25),
                _ => on_sphere::<D>(random, [0.75, 0.7, 0.25], 0.15),
            };
            std::array::from_fn(|a| point[a] + 0.001 * normal(random))
        })
        .collect();
    points.shuffle(random);
    points
}

fn on_torus(random: &mut Random, center: [f32; 3], ring: f32, tube: f32) -> [f32; 3] {
    let (u, v) = (TAU * random.random::<f32>(), TAU * random.random::<f32>());
    let out = ring + tube * v.cos();
    let offset = [out * u.cos(), out * u.sin(), tube * v.sin()];
    std::array::from_fn(|a| center[a] + offset[a])
}

pub(crate) fn on_sphere<const D: usize>(
    random: &mut Random,
    center: [f32; 3],
    radius: f32,
) -> [f32; 3] {
    let direction: [f32; D] = std::array::from_fn(|_| normal(random));
    let length = direction.iter().map(|x| x * x).sum::<f32>().sqrt();
    let mut point = center;
    for (x, along) in point.iter_mut().zip(direction) {
        *x += radius * along / length;
    }
    point
}

/// Draws a normal number (Box and Muller).
fn normal(random: &mut Random) -> f32 {
    let radius = (-2.0 * (1.0 - random.random::<f32>()).ln()).sqrt();
    radius * (TAU * random.random::<f32>()).cos()
}
