//! Boxes that move. A seed decides how, so that all contestants of a row take the same steps.

mod motion;
mod pairs;

use rand::{RngExt, SeedableRng};

use crate::scenes::Random;
use motion::Motion;
pub(crate) use pairs::pairs_by_grid;

/// A closed box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds<const D: usize> {
    pub(crate) min: [f32; D],
    pub(crate) max: [f32; D],
}

impl<const D: usize> Bounds<D> {
    pub(crate) fn around(center: [f32; D], half: [f32; D]) -> Self {
        Self {
            min: std::array::from_fn(|a| center[a] - half[a]),
            max: std::array::from_fn(|a| center[a] + half[a]),
        }
    }

    pub(crate) fn center(&self) -> [f32; D] {
        std::array::from_fn(|a| 0.5 * (self.min[a] + self.max[a]))
    }

    pub(crate) fn grown(&self, by: f32) -> Self {
        Self {
            min: self.min.map(|x| x - by),
            max: self.max.map(|x| x + by),
        }
    }

    /// Returns true if the boxes overlap or touch.
    #[inline(always)]
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let mut all = true;
        for a in 0..D {
            all &= (self.min[a] <= other.max[a]) & (other.min[a] <= self.max[a]);
        }
        all
    }

    #[inline(always)]
    pub(crate) fn contains(&self, other: &Self) -> bool {
        let mut all = true;
        for a in 0..D {
            all &= (self.min[a] <= other.min[a]) & (other.max[a] <= self.max[a]);
        }
        all
    }
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Ball {
    pub(crate) center: [f32; 3],
    pub(crate) radius: f32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Scene {
    /// Boxes, each of which overlaps four others on average. In each step a share of them moves by a
    /// twentieth of the shortest edge, and turns back at the walls.
    Drift { sizes: Sizes, share: f32 },
    /// Bullet's own benchmark: boxes in a cube of 50, of which the first tenth move on long orbits,
    /// here as wide as the cube.
    Bullet,
    /// Broadmark's Brownian motion: equal cubes, each of which gets another velocity every hundred steps.
    Brownian,
    /// Broadmark's free fall: equal cubes that speed up until they lie in a pile.
    Falling,
    /// Broadmark's gravity: as `Falling`, but gravity is four times as strong and turns.
    Gravity,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sizes {
    Equal,
    /// Cubes of sizes log-uniform over 1:100.
    Spread,
    /// Bars a hundred times as long as thick, with equal numbers along each axis.
    Bars,
    /// Cubes of sizes log-uniform over 1:10^6.
    Wide,
}

impl Sizes {
    /// The sizes of all jobs but `hard`.
    pub(crate) const ALL: [Self; 2] = [Self::Equal, Self::Spread];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Spread => "1:100",
            Self::Bars => "bars",
            Self::Wide => "1:10^6",
        }
    }

    fn half<const D: usize>(self, random: &mut Random) -> [f32; D] {
        match self {
            Self::Equal => [0.5; D],
            Self::Spread => [0.05 * 100f32.powf(random.random()); D],
            Self::Bars => {
                let mut half = [0.05; D];
                half[random.random_range(0..D)] = 5.0;
                half
            }
            Self::Wide => [1e-3 * 1e6f32.powf(random.random()); D],
        }
    }
}

/// The number of boxes that each box overlaps on average.
const PARTNERS: f64 = 4.0;
/// How far a box moves in a step, in halves of its shortest edge.
const SPEED: f32 = 0.1;

struct Body<const D: usize> {
    center: [f32; D],
    half: [f32; D],
    velocity: [f32; D],
    /// The range of the center.
    range: Bounds<D>,
}

pub(crate) struct World<const D: usize> {
    pub(crate) boxes: Vec<Bounds<D>>,
    /// The boxes that changed in the last step, ascending.
    pub(crate) moved: Vec<u32>,
    bodies: Vec<Body<D>>,
    motion: Motion,
    random: Random,
}

impl<const D: usize> World<D> {
    pub(crate) fn new(scene: Scene, n: usize, seed: u64) -> Self {
        let mut random = Random::seed_from_u64(seed);
        let bodies = match scene {
            Scene::Drift { sizes, .. } => scattered(sizes, n, PARTNERS, &mut random),
            Scene::Bullet => bullet(n, &mut random),
            Scene::Brownian => scattered(Sizes::Equal, n, PARTNERS, &mut random),
            // Bodies overlap more when they lie in a pile.
            Scene::Falling | Scene::Gravity => {
                scattered(Sizes::Equal, n, 0.25 * PARTNERS, &mut random)
            }
        };
        let mut world = Self {
            boxes: Vec::new(),
            moved: Vec::with_capacity(n),
            motion: Motion::new(scene, &bodies),
            bodies,
            random,
        };
        world.motion.enter(&mut world.bodies, &mut world.random);
        let bounds = |body: &Body<D>| Bounds::around(body.center, body.half);
        world.boxes = world.bodies.iter().map(bounds).collect();
        world
    }

    /// The edge of the cube that all centers stay in.
    pub(crate) fn side(&self) -> f32 {
        let ends = self.bodies.iter().map(|body| body.range.max[0]);
        ends.fold(0.0, f32::max)
    }

    pub(crate) fn step(&mut self) {
        self.moved.clear();
        self.motion.begin(&mut self.bodies, &mut self.random);
        for (i, body) in self.bodies.iter_mut().enumerate() {
            if self.motion.step(i, body, &mut self.random) {
                self.boxes[i] = Bounds::around(body.center, body.half);
                self.moved.push(i as u32);
            }
        }
    }
}

fn scattered<const D: usize>(
    sizes: Sizes,
    n: usize,
    partners: f64,
    random: &mut Random,
) -> Vec<Body<D>> {
    let halves: Vec<[f32; D]> = (0..n).map(|_| sizes.half(random)).collect();
    // Choose the side of the world by the wanted number of overlaps. For this, estimate the mean volume in which the center of one box
    // has to lie to overlap another.
    let pairs = 200_000;
    let mut shared = 0.0;
    for _ in 0..pairs {
        let (a, b) = (
            halves[random.random_range(0..n)],
            halves[random.random_range(0..n)],
        );
        let sums = (0..D).map(|axis| f64::from(2.0 * (a[axis] + b[axis])));
        shared += sums.product::<f64>() / f64::from(pairs);
    }
    let side = (shared * n as f64 / partners).powf(1.0 / D as f64) as f32;
    let bodies = halves.into_iter().map(|half| Body {
        center: std::array::from_fn(|_| random.random_range(0.0..side)),
        half,
        velocity: direction(random).map(|x| SPEED * half.into_iter().fold(f32::MAX, f32::min) * x),
        range: Bounds {
            min: [0.0; D],
            max: [side; D],
        },
    });
    bodies.collect()
}

fn bullet<const D: usize>(n: usize, random: &mut Random) -> Vec<Body<D>> {
    let side = 50.0;
    let bodies = (0..n).map(|_| Body {
        center: std::array::from_fn(|_| random.random_range(0.0..side)),
        half: std::array::from_fn(|_| random.random_range(2.0..4.0)),
        velocity: [0.0; D],
        range: Bounds {
            min: [0.0; D],
            max: [side; D],
        },
    });
    bodies.collect()
}

fn direction<const D: usize>(random: &mut Random) -> [f32; D] {
    loop {
        let v: [f32; D] = std::array::from_fn(|_| random.random_range(-1.0..1.0));
        let length = v.iter().map(|x| x * x).sum::<f32>().sqrt();
        if length > 0.03 && length < 1.0 {
            return v.map(|x| x / length);
        }
    }
}
