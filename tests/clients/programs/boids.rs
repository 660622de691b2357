//! Boids: each flies as its neighbors do, towards them, and not too near (C. Reynolds, 1987).

use orthant::glam::Vec3;
use orthant::{CellList, NeighborLists};

use crate::random;

const SIGHT: f32 = 1.0;
const TIME_STEP: f32 = 0.05;

#[derive(Clone, Debug, PartialEq)]
struct Boid {
    at: Vec3,
    velocity: Vec3,
}

#[derive(Debug)]
struct Flock {
    boids: Vec<Boid>,
    cells: CellList<Vec3>,
    near: NeighborLists,
}

impl Flock {
    fn new(count: usize) -> Self {
        let mut random = random(1);
        let mut vector = |size: f32| (Vec3::new(random(), random(), random()) - 0.5) * size;
        let boid = |_| Boid {
            at: vector(8.0),
            velocity: vector(2.0),
        };
        let boids: Vec<Boid> = (0..count).map(boid).collect();
        Self {
            cells: CellList::from_iter(boids.iter().map(|boid| boid.at), SIGHT),
            near: NeighborLists::new(),
            boids,
        }
    }

    fn step(&mut self) {
        let places = self.boids.iter().map(|boid| boid.at);
        self.cells
            .rebuild_from_iter(places)
            .expect("boids stay in the finite");
        self.cells.neighbors_into(&mut self.near);
        let boids = &self.boids;
        let turns: Vec<Vec3> = (0..boids.len())
            .map(|i| steer(boids, i, self.near.list(i).iter()))
            .collect();
        for (boid, turn) in self.boids.iter_mut().zip(turns) {
            boid.velocity = (boid.velocity + turn * TIME_STEP).clamp_length(0.5, 2.0);
            boid.at += boid.velocity * TIME_STEP;
        }
    }
}

/// What the others make of a boid's velocity.
fn steer(boids: &[Boid], me: usize, near: impl Iterator<Item = usize>) -> Vec3 {
    let mut others: Vec<usize> = near.filter(|&j| j != me).collect();
    others.sort_unstable(); // sums do not depend on the structure's order
    let own = &boids[me];
    let (mut away, mut heading, mut center) = (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
    for &j in &others {
        let offset = own.at - boids[j].at;
        away += offset / offset.length_squared().max(1e-3);
        heading += boids[j].velocity - own.velocity;
        center -= offset;
    }
    let count = others.len().max(1) as f32;
    0.1 * away + (heading + 0.5 * center) / count
}

#[test]
fn the_flock_flies_as_by_comparing_all() {
    let mut flock = Flock::new(600);
    let mut plain = flock.boids.clone();
    let mut seen = 0;
    for _ in 0..20 {
        let before = plain.clone();
        for (i, boid) in plain.iter_mut().enumerate() {
            let near = |&j: &usize| (before[j].at - before[i].at).length_squared() <= SIGHT * SIGHT;
            let turn = steer(&before, i, (0..before.len()).filter(near));
            boid.velocity = (boid.velocity + turn * TIME_STEP).clamp_length(0.5, 2.0);
            boid.at += boid.velocity * TIME_STEP;
        }
        flock.step();
        seen += flock.near.total();
        assert_eq!(flock.boids, plain);
    }
    assert!(seen > 20 * 600 * 3, "{seen}");
}
