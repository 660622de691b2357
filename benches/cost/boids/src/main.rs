//! Boids that find each other with a cell list.

#[path = "../../flock.rs"]
mod flock;

use orthant::glam::Vec3;
use orthant::{CellList, NeighborLists};

fn main() {
    let mut cells = CellList::new(&[Vec3::ZERO], flock::SIGHT);
    let mut lists = NeighborLists::new();
    flock::run(|points, steer| {
        cells.rebuild(points).expect("boids stay where numbers are");
        cells.neighbors_into(&mut lists).unwrap();
        for (boid, near) in lists.iter().enumerate() {
            steer(boid, &near);
        }
    });
}
