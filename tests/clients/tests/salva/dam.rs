//! A column of water that is released in a tank, with a pillar in its way and a drop of oil above.

use std::sync::{Arc, Mutex, MutexGuard};

use salva3d::LiquidWorld;
use salva3d::math::Vector;
use salva3d::object::interaction_groups::InteractionGroups;
use salva3d::object::{Boundary, Fluid};
use salva3d::solver::ArtificialViscosity;

use crate::driven::{Driven, Lists, Notes};

/// The radius of a particle, in metres.
const RADIUS: f32 = 0.025;
/// The length of a step, in seconds.
const STEP: f32 = 1.0 / 200.0;
/// The size of the dam in particles.
const WATER: [usize; 3] = [18, 24, 18];
const OIL: [usize; 3] = [8, 8, 8];
const TANK: [usize; 3] = [48, 28, 18];

/// Returns the corner of a lattice cell.
fn at(cell: [usize; 3]) -> Vector<f32> {
    Vector::from(cell.map(|c| 2.0 * RADIUS * c as f32))
}

/// Returns a block of particles, with the given number along each axis.
fn block(from: [usize; 3], size: [usize; 3]) -> Vec<Vector<f32>> {
    let [nx, ny, nz] = size;
    let cells = (0..nx * ny * nz).map(|i| [i % nx, i / nx % ny, i / nx / ny]);
    cells
        .map(|c| at(std::array::from_fn(|a| from[a] + c[a])))
        .collect()
}

pub(crate) struct Dam {
    world: LiquidWorld,
    notes: Arc<Mutex<Notes>>,
}

impl Dam {
    pub(crate) fn new(lists: Lists) -> Self {
        let notes = Arc::default();
        let solver = Driven::new(lists, Arc::clone(&notes));
        let mut world = LiquidWorld::new(solver, RADIUS, 2.0, 1.0);
        let all = InteractionGroups::default();
        // The water lies inside walls of one layer.
        let water = block([1, 1, 1], WATER);
        let oil = block([24, 8, 6], OIL);
        for (particles, density) in [(water, 1000.0), (oil, 900.0)] {
            let mut fluid = Fluid::new(particles, RADIUS, density, all);
            let viscosity = ArtificialViscosity::new(0.5, 0.0);
            fluid.nonpressure_forces.push(Box::new(viscosity));
            world.add_fluid(fluid);
        }
        let [x, y, z] = TANK.map(|n| n + 1);
        let walls = [
            block([0, 0, 0], [x + 1, 1, z + 1]),
            block([0, 1, 0], [1, y, z + 1]),
            block([x, 1, 0], [1, y, z + 1]),
            block([1, 1, 0], [x - 1, y, 1]),
            block([1, 1, z], [x - 1, y, 1]),
        ]
        .concat();
        let pillar = block([38, 1, 8], [3, 16, 3]);
        for particles in [walls, pillar] {
            world.add_boundary(Boundary::new(particles, all));
        }
        Self { world, notes }
    }

    pub(crate) fn step(&mut self) {
        self.world.step(STEP, &Vector::new(0.0, -9.81, 0.0));
    }

    pub(crate) fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().expect("no thread has failed")
    }

    pub(crate) fn particles(&self) -> usize {
        let fluids = self.world.fluids().values();
        fluids.map(Fluid::num_particles).sum()
    }

    /// Returns the positions and velocities of all particles of the fluids, to the last bit.
    pub(crate) fn state(&self) -> Vec<u32> {
        let fluids = self.world.fluids().values();
        fluids
            .flat_map(|fluid| fluid.positions.iter().chain(&fluid.velocities))
            .flat_map(|v| v.iter().map(|x| x.to_bits()))
            .collect()
    }

    /// Returns how far the water has come along the tank, and how many particles of both fluids are outside of it.
    pub(crate) fn front(&self) -> (f32, usize) {
        let end = at(TANK.map(|n| n + 1));
        let mut fluids = self.world.fluids().values();
        let water = fluids.next().expect("there is water");
        let front = water.positions.iter().map(|p| p.x).fold(0.0, f32::max);
        let outside = self.world.fluids().values().flat_map(|f| &f.positions);
        let outside =
            outside.filter(|p| p.y < 0.0 || p.x < 0.0 || p.x > end.x || p.z < 0.0 || p.z > end.z);
        (front, outside.count())
    }
}
