//! Position based fluids (Macklin and Müller, 2013): particles fall, and then are moved apart where
//! they are denser than water at rest. The density is the weighted sum over neighbours that all of SPH
//! is made of.
//!
//! Each particle reads what all had before and writes its own, so the number of threads cannot show.

use std::time::{Duration, Instant};

use orthant::glam::Vec3;
use orthant::{CellList, NeighborLists};
use rayon::prelude::*;

use crate::kernel::{REACH, beyond_wall, rest_density, slope, weight};
use crate::scene::{Scene, TANK, obstacle};

const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81);
/// Metres per second: a step is as long as it takes to pass one particle at this speed.
const SPEED: f32 = 6.0;
/// How often particles are moved apart in a step.
const ROUNDS: usize = 2;
/// After so many steps, particles that are near each other are put together in memory.
const SORTING: u32 = 10;
/// Added below the fraction bar, so that those with few neighbours are not thrown.
const SOFTNESS: f32 = 0.1;
/// How much of the difference from its neighbours' velocity a particle loses in a step (XSPH).
const VISCOSITY: f32 = 0.02;

pub(crate) struct Water {
    /// Seconds in a step.
    pub(crate) step: f32,
    /// Between particles at rest, in metres.
    pub(crate) spacing: f32,
    /// How far neighbours are, in metres.
    pub(crate) reach: f32,
    pub(crate) positions: Vec<Vec3>,
    pub(crate) velocities: Vec<Vec3>,
    /// Of each particle, with that at rest as one.
    pub(crate) densities: Vec<f32>,
    /// The number that each particle had at the beginning.
    numbers: Vec<u32>,
    cells: CellList<Vec3>,
    /// The neighbours of each particle, itself among them.
    near: NeighborLists,
    steps: u32,
    rest_density: f32,
    /// Of the last step.
    pub(crate) search_time: Duration,
    pub(crate) solver_time: Duration,
}

impl Water {
    pub(crate) fn new(scene: Scene) -> Self {
        let Scene { spacing, positions } = scene;
        Self {
            step: spacing / SPEED,
            spacing,
            reach: REACH * spacing,
            velocities: vec![Vec3::ZERO; positions.len()],
            densities: vec![1.0; positions.len()],
            numbers: (0..positions.len() as u32).collect(),
            cells: CellList::new(&positions, REACH * spacing),
            near: NeighborLists::new(),
            steps: 0,
            positions,
            rest_density: rest_density(),
            search_time: Duration::ZERO,
            solver_time: Duration::ZERO,
        }
    }

    pub(crate) fn step(&mut self) {
        let start = Instant::now();
        let mut next = self.fall();
        let searching = Instant::now();
        self.search(&mut next);
        self.search_time = searching.elapsed();
        for _ in 0..ROUNDS {
            let pushes;
            (self.densities, pushes) = self.crowd(&next);
            next = self.part(&next, &pushes);
        }
        self.velocities = self.arrive(&next);
        self.positions = next;
        self.steps += 1;
        self.solver_time = start.elapsed() - self.search_time;
    }

    /// Finds all neighbours. Now and then particles change their places in memory.
    fn search(&mut self, next: &mut Vec<Vec3>) {
        let rebuilt = self.cells.rebuild(next);
        rebuilt.expect("particles are somewhere");
        if self.steps.is_multiple_of(SORTING) {
            let order = self.cells.reorder();
            put(next, &order);
            put(&mut self.positions, &order);
            put(&mut self.velocities, &order);
            put(&mut self.numbers, &order);
        }
        self.cells.neighbors_into(&mut self.near).unwrap();
    }

    /// Where particles would be if none was in another's way.
    fn fall(&mut self) -> Vec<Vec3> {
        let step = self.step;
        let ways = self.velocities.par_iter().zip(&self.positions);
        ways.map(|(&velocity, &at)| inside(at + step * (velocity + step * GRAVITY)))
            .collect()
    }

    /// How dense it is around each particle, and how strongly it pushes the others.
    fn crowd(&self, positions: &[Vec3]) -> (Vec<f32>, Vec<f32>) {
        let crowd = |i: usize| {
            let (mut sum, mut gradient) = self.walls(positions[i]);
            let mut squares = 0.0;
            for j in self.near.list(i) {
                let (weight, way) = self.between(positions, i, j);
                sum += weight;
                gradient += way;
                squares += way.length_squared();
            }
            let rest = self.rest_density;
            let density = sum / rest;
            let steepness = (gradient.length_squared() + squares) / (rest * rest);
            (density, (density - 1.0).max(0.0) / (steepness + SOFTNESS))
        };
        (0..positions.len()).into_par_iter().map(crowd).unzip()
    }

    /// The positions after all have been pushed.
    fn part(&self, positions: &[Vec3], pushes: &[f32]) -> Vec<Vec3> {
        let part = |i: usize| {
            // Beyond a wall is the same water.
            let mut way = 2.0 * pushes[i] * self.walls(positions[i]).1;
            for j in self.near.list(i) {
                let push = pushes[i] + pushes[j];
                way += push * self.between(positions, i, j).1;
            }
            inside(positions[i] - self.reach / self.rest_density * way)
        };
        (0..positions.len()).into_par_iter().map(part).collect()
    }

    /// The velocities that brought particles where they are, smoothed a little.
    fn arrive(&self, positions: &[Vec3]) -> Vec<Vec3> {
        let ways = positions.par_iter().zip(&self.positions);
        let came: Vec<Vec3> = ways.map(|(&to, &from)| (to - from) / self.step).collect();
        let smooth = |i: usize| {
            let mut change = Vec3::ZERO;
            for j in self.near.list(i) {
                let (weight, _) = self.between(positions, i, j);
                change += weight * (came[j] - came[i]);
            }
            came[i] + VISCOSITY / self.rest_density * change
        };
        (0..positions.len()).into_par_iter().map(smooth).collect()
    }

    /// The weight of a neighbour, and its gradient by the reach.
    fn between(&self, positions: &[Vec3], i: usize, j: usize) -> (f32, Vec3) {
        let apart = (positions[i] - positions[j]) / self.reach;
        let q = apart.length();
        // Neighbours are those of the beginning of the step.
        if q < 1.0 {
            (weight(q), slope(q) * apart)
        } else {
            (0.0, Vec3::ZERO)
        }
    }

    /// The same of the walls, and of what stands in the way as though it was wide: as dense as water.
    fn walls(&self, at: Vec3) -> (f32, Vec3) {
        let far = TANK - at;
        let walls = [
            (at.x, Vec3::X),
            (far.x, Vec3::NEG_X),
            (at.y, Vec3::Y),
            (far.y, Vec3::NEG_Y),
            (at.z, Vec3::Z),
            from_obstacle(at),
        ];
        // What one wall takes, another cannot take as well.
        let (mut open, mut gradient) = (1.0, Vec3::ZERO);
        for (distance, normal) in walls {
            let (share, slope) = beyond_wall(distance / self.reach);
            gradient = gradient * (1.0 - share) + open * slope * normal;
            open *= 1.0 - share;
        }
        let rest = self.rest_density;
        (rest * (1.0 - open), rest * gradient)
    }
}

fn put<T: Copy>(items: &mut Vec<T>, order: &[usize]) {
    *items = order.iter().map(|&i| items[i]).collect();
}

/// How far the water has come.
pub(crate) struct State {
    /// The farthest along the tank, and the highest, in metres.
    pub(crate) front: f32,
    pub(crate) top: f32,
    /// How much denser it is than at rest, on the mean, where it is.
    pub(crate) squeezed: f64,
    /// Of motion and of height, in joules.
    pub(crate) energy: f64,
}

/// Kilograms in a cubic metre.
const DENSITY: f64 = 1000.0;

impl Water {
    pub(crate) fn state(&self) -> State {
        let mass = DENSITY * f64::from(self.spacing).powi(3);
        let particles = self.positions.iter().zip(&self.velocities);
        let energy = particles.map(|(at, velocity)| {
            f64::from(velocity.length_squared()) / 2.0 - f64::from(GRAVITY.dot(*at))
        });
        let squeezed = self.densities.iter().map(|d| f64::from((d - 1.0).max(0.0)));
        let most = |axis: usize| self.positions.iter().map(|p| p[axis]).fold(0.0, f32::max);
        State {
            front: most(0),
            top: most(2),
            squeezed: squeezed.sum::<f64>() / self.positions.len() as f64,
            energy: mass * energy.sum::<f64>(),
        }
    }

    /// How many pairs of particles are neighbours.
    pub(crate) fn pairs(&self) -> u64 {
        CellList::new(&self.positions, self.reach).count_pairs()
    }

    /// Where particles are, in the order of the beginning.
    pub(crate) fn in_order(&self) -> Vec<Vec3> {
        let mut positions = vec![Vec3::ZERO; self.positions.len()];
        for (&number, &at) in self.numbers.iter().zip(&self.positions) {
            positions[number as usize] = at;
        }
        positions
    }
}

/// The nearest place in the tank, which has no lid, and out of what stands in the way.
fn inside(at: Vec3) -> Vec3 {
    let at = at.clamp(Vec3::ZERO, TANK.with_z(f32::MAX));
    let (distance, normal) = from_obstacle(at);
    at - distance.min(0.0) * normal
}

/// How far it is from what stands in the way, and which way leads off; less than zero within.
fn from_obstacle(at: Vec3) -> (f32, Vec3) {
    let bounds = obstacle();
    let (min, max) = (bounds.min(), bounds.max());
    let away = at - at.clamp(min, max);
    let distance = away.length();
    if distance > 0.0 {
        return (distance, away / distance);
    }
    // It stands on the floor.
    [
        (min.x - at.x, Vec3::NEG_X),
        (at.x - max.x, Vec3::X),
        (min.y - at.y, Vec3::NEG_Y),
        (at.y - max.y, Vec3::Y),
        (at.z - max.z, Vec3::Z),
    ]
    .into_iter()
    .max_by(|a, b| a.0.total_cmp(&b.0))
    .expect("there are five ways")
}
