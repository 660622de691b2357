//! Sets of points, centers of queries, and their order.

mod cloud;
pub(crate) mod hard;

use std::cmp::Ordering;

use num_traits::Float;

use crate::scenes::{self, Scene};

/// `f32` or `f64`.
pub(crate) trait Scalar: Float + Send + Sync + 'static {
    fn from_f32(x: f32) -> Self;

    fn bits(self) -> u64;

    fn order(self, other: Self) -> Ordering;
}

macro_rules! scalar {
    ($s:ty) => {
        impl Scalar for $s {
            fn from_f32(x: f32) -> Self {
                x.into()
            }

            fn bits(self) -> u64 {
                self.to_bits().into()
            }

            fn order(self, other: Self) -> Ordering {
                self.total_cmp(&other)
            }
        }
    };
}

scalar!(f32);
scalar!(f64);

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Set {
    Scene(Scene),
    /// A lidar scan.
    Cloud,
}

impl Set {
    pub(crate) const UNIFORM: Self = Self::Scene(Scene::Uniform);
    pub(crate) const ALL: [Self; 4] = [
        Self::UNIFORM,
        Self::Scene(Scene::Clustered),
        Self::Scene(Scene::Surface),
        Self::Cloud,
    ];

    /// All sets, each with its points in both orders.
    pub(crate) fn in_orders() -> impl Iterator<Item = (Self, Order)> {
        let sets = Self::ALL.into_iter();
        sets.flat_map(|set| Order::ALL.map(|order| (set, order)))
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Scene(scene) => scene.name(),
            Self::Cloud => "cloud",
        }
    }

    /// Generates points in random order, in and near the unit cube.
    pub(crate) fn points<S: Scalar, const D: usize>(self, n: usize, seed: u64) -> Vec<[S; D]> {
        let points: Vec<[f32; D]> = match self {
            Self::Scene(scene) => scene.points(n, seed),
            Self::Cloud => cloud::points(n, seed),
        };
        points.into_iter().map(|p| p.map(S::from_f32)).collect()
    }
}

/// Centers of queries in random order: half are points of the set, half lie anywhere in its bounds.
pub(crate) fn centers<S: Scalar, const D: usize>(
    points: &[[S; D]],
    n: usize,
    seed: u64,
) -> Vec<[S; D]> {
    let narrow = |p: &[S; D]| p.map(|x| x.to_f32().unwrap_or_default());
    let points: Vec<[f32; D]> = points.iter().map(narrow).collect();
    let centers = scenes::centers(&points, n, seed);
    centers.into_iter().map(|c| c.map(S::from_f32)).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Random,
    /// Along a Morton curve: most points are close to the point before.
    Morton,
}

impl Order {
    pub(crate) const ALL: [Self; 2] = [Self::Random, Self::Morton];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Morton => "Morton",
        }
    }

    pub(crate) fn of<S: Scalar, const D: usize>(self, points: &[[S; D]]) -> Vec<[S; D]> {
        match self {
            Self::Random => points.to_vec(),
            Self::Morton => along_morton_curve(points),
        }
    }
}

/// The bits of a Morton code for each axis.
const BITS: u32 = 16;

fn along_morton_curve<S: Scalar, const D: usize>(points: &[[S; D]]) -> Vec<[S; D]> {
    let end = |axis: usize, pick: fn(S, S) -> S| {
        let coordinates = points.iter().map(|p| p[axis]);
        coordinates.reduce(pick).unwrap_or_else(S::zero)
    };
    let low: [S; D] = std::array::from_fn(|a| end(a, S::min));
    let widths = (0..D).map(|a| end(a, S::max) - low[a]);
    let scale = S::from_f32(f32::from(u16::MAX)) / widths.fold(S::min_positive_value(), S::max);
    // Interleave the bits of the scaled coordinates.
    let code = |point: &[S; D]| {
        let mut code = 0u64;
        for axis in 0..D {
            let cell = ((point[axis] - low[axis]) * scale).to_u64().unwrap_or(0);
            for bit in 0..BITS {
                code |= (cell >> bit & 1) << (bit as usize * D + axis);
            }
        }
        code
    };
    let mut sorted = points.to_vec();
    sorted.sort_by_cached_key(code);
    sorted
}
