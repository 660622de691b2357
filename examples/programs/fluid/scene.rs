//! The scene before the first step: a tank, a block of water at one end of it, and a box in its way.
//!
//! All lengths are those of an experiment that is a benchmark of programs for fluids (Kleefsman and others, 2005; the
//! second benchmark of SPHERIC). In the experiment, the water reaches the box after 0.4 s.

use orthant::Aabb;
use orthant::glam::Vec3;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

/// The inside of the tank from its corner at zero, in metres; z points up, and there is no lid.
pub(crate) const TANK: Vec3 = Vec3::new(3.22, 1.0, 1.0);
/// The size of the block of water, in metres.
const BLOCK: Vec3 = Vec3::new(1.228, 1.0, 0.55);

/// The box in the way of the water.
pub(crate) fn obstacle() -> Aabb<Vec3> {
    Aabb::new(
        Vec3::new(2.3955, 0.295, 0.0),
        Vec3::new(2.5565, 0.698, 0.161),
    )
}

/// Particles on a lattice with small random shifts: a perfect lattice would fall without ever breaking its symmetry.
pub(crate) struct Scene {
    /// The distance between neighbours on the lattice, in metres.
    pub(crate) spacing: f32,
    pub(crate) positions: Vec<Vec3>,
}

impl Scene {
    /// Fills the block with as many particles as possible, but at most `particles`.
    ///
    /// Every number comes from a generator whose algorithm is fixed, and from operations that are
    /// rounded correctly everywhere.
    pub(crate) fn new(particles: u32, seed: u64) -> Self {
        // The finest lattice with full layers that fills the block.
        let count = |layers: u32| {
            let spacing = BLOCK.z / layers as f32;
            let across = |length: f32| (length / spacing).max(1.0) as u32;
            [across(BLOCK.x), across(BLOCK.y), layers]
        };
        let size = |[x, y, z]: [u32; 3]| u64::from(x) * u64::from(y) * u64::from(z);
        let mut layers = 1;
        while size(count(layers + 1)) <= u64::from(particles) {
            layers += 1;
        }
        let [nx, ny, nz] = count(layers);
        let spacing = BLOCK.z / layers as f32;
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut shaken = |i: u32, n: u32, length: f32| {
            (i as f32 + random.random_range(0.49..0.51)) * (length / n as f32)
        };
        let mut positions = Vec::new();
        for z in 0..nz {
            for y in 0..ny {
                for x in 0..nx {
                    positions.push(Vec3::new(
                        shaken(x, nx, BLOCK.x),
                        shaken(y, ny, BLOCK.y),
                        shaken(z, nz, BLOCK.z),
                    ));
                }
            }
        }
        Self { spacing, positions }
    }
}
