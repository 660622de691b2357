//! Simulates water by position based fluids (Macklin and Müller, 2013): particles fall, and are then moved apart
//! where they are denser than water at rest. The density is the sum of a kernel over the neighbours, as in all of
//! SPH.
//!
//! In each pass, a particle reads the results of the previous pass and writes only its own. So the result does not
//! depend on the number of threads.

use std::time::{Duration, Instant};

use orthant::glam::Vec3;
use orthant::{CellList, NeighborLists};
use rayon::prelude::*;

use crate::kernel::{REACH, beyond_wall, rest_density, slope, weight};
use crate::scene::{Scene, TANK, obstacle};

const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81);
/// Speed in metres per second at which a particle moves by one spacing in a step.
const SPEED: f32 = 6.0;
/// Number of times that particles are moved apart in a step.
const ROUNDS: usize = 2;
/// Number of steps after which particles are sorted, so that near ones are near in memory.
const SORTING: u32 = 10;
/// Added to the denominator of the push, so that particles with few neighbours are not thrown away.
const SOFTNESS: f32 = 0.1;
/// Share of the difference from its neighbours' velocities that a particle loses in a step (XSPH).
const VISCOSITY: f32 = 0.02;

pub(crate) struct Water {
    /// The length of a step, in seconds.
    pub(crate) step: f32,
    /// The distance between particles at rest, in metres.
    pub(crate) spacing: f32,
    /// The largest distance of neighbours, in metres.
    pub(crate) reach: f32,
    pub(crate) positions: Vec<Vec3>,
    pub(crate) velocities: Vec<Vec3>,
    /// The density of each particle; 1 is that of water at rest.
    pub(crate) densities: Vec<f32>,
    /// The number that each particle had at the beginning.
    numbers: Vec<u32>,
    cells: CellList<Vec3>,
    /// The neighbours of each particle, itself among them.
    near: NeighborLists,
    steps: u32,
    rest_density: f32,
    /// The time of the search in the last step, and of the rest.
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

    /// Finds all neighbours. Every few steps, it sorts the particles first.
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

    /// The positions to which particles fall if they do not push each other.
    fn fall(&mut self) -> Vec<Vec3> {
        let step = self.step;
        let ways = self.velocities.par_iter().zip(&self.positions);
        ways.map(|(&velocity, &at)| inside(at + step * (velocity + step * GRAVITY)))
            .collect()
    }

    /// The density at each particle, and how strongly it pushes the others.
    fn crowd(&self, positions: &[Vec3]) -> (Vec<f32>, Vec<f32>) {
        let crowd = |i: usize| {
            // Sum up the weights, their gradients and the squares of these.
            let (mut sum, mut gradient) = self.walls(positions[i]);
            let mut squares = 0.0;
            for j in self.near.list(i) {
                let (weight, way) = self.between(positions, i, j);
                sum += weight;
                gradient += way;
                squares += way.length_squared();
            }
            let rest = self.rest_density;
            // A push along the gradients that lowers the density to that at rest.
            let density = sum / rest;
            let steepness = (gradient.length_squared() + squares) / (rest * rest);
            (density, (density - 1.0).max(0.0) / (steepness + SOFTNESS))
        };
        (0..positions.len()).into_par_iter().map(crowd).unzip()
    }

    /// The positions after all have been pushed.
    fn part(&self, positions: &[Vec3], pushes: &[f32]) -> Vec<Vec3> {
        let part = |i: usize| {
            // Water beyond a wall pushes as strongly as the particle itself.
            let mut way = 2.0 * pushes[i] * self.walls(positions[i]).1;
            for j in self.near.list(i) {
                let push = pushes[i] + pushes[j];
                way += push * self.between(positions, i, j).1;
            }
            inside(positions[i] - self.reach / self.rest_density * way)
        };
        (0..positions.len()).into_par_iter().map(part).collect()
    }

    /// The velocities that led to the new positions, smoothed a little.
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

    /// The weight of a neighbour, and its gradient, with lengths in units of the reach.
    fn between(&self, positions: &[Vec3], i: usize, j: usize) -> (f32, Vec3) {
        let apart = (positions[i] - positions[j]) / self.reach;
        let q = apart.length();
        // Neighbours were found at the beginning of the step, and may be out of reach by now.
        if q < 1.0 {
            (weight(q), slope(q) * apart)
        } else {
            (0.0, Vec3::ZERO)
        }
    }

    /// The weight of the walls and the obstacle, and its gradient: behind each plane, there is water at rest.
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
        // The share of one wall is taken from what the walls before it leave.
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

/// Measurements of the water.
pub(crate) struct State {
    /// The position of the farthest particle along the tank, and of the highest, in metres.
    pub(crate) front: f32,
    pub(crate) top: f32,
    /// The mean excess of the density over that at rest; particles that are less dense count as 0.
    pub(crate) squeezed: f64,
    /// Kinetic and potential energy, in joules.
    pub(crate) energy: f64,
}

/// Density of water, in kilograms per cubic metre.
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

    /// The number of pairs of particles that are neighbours.
    pub(crate) fn pairs(&self) -> u64 {
        CellList::new(&self.positions, self.reach).count_pairs()
    }

    /// The positions of particles, in their order at the beginning.
    pub(crate) fn in_order(&self) -> Vec<Vec3> {
        let mut positions = vec![Vec3::ZERO; self.positions.len()];
        for (&number, &at) in self.numbers.iter().zip(&self.positions) {
            positions[number as usize] = at;
        }
        positions
    }
}

/// Moves a place into the tank, which has no lid, and out of the obstacle.
fn inside(at: Vec3) -> Vec3 {
    let at = at.clamp(Vec3::ZERO, TANK.with_z(f32::MAX));
    let (distance, normal) = from_obstacle(at);
    at - distance.min(0.0) * normal
}

/// The distance of a place from the obstacle, negative inside, and the direction away from it.
fn from_obstacle(at: Vec3) -> (f32, Vec3) {
    let bounds = obstacle();
    let (min, max) = (bounds.min(), bounds.max());
    let away = at - at.clamp(min, max);
    let distance = away.length();
    if distance > 0.0 {
        return (distance, away / distance);
    }
    // The obstacle stands on the floor, so no way leads out below.
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
