//! A flock of boids: cohesion, separation and alignment.
use crate::Random;
use orthant::glam::Vec3;
use orthant::{CellList, NeighborLists};

const RADIUS: f32 = 2.0;
const CLOSE: f32 = 0.8;

struct Flock {
    at: Vec<Vec3>,
    velocity: Vec<Vec3>,
    cells: CellList<Vec3>,
    near: NeighborLists,
}

impl Flock {
    fn new(n: usize, side: f32, random: &mut Random) -> Self {
        let at: Vec<Vec3> = (0..n).map(|_| random.in_cube(0.0, side)).collect();
        let velocity = (0..n).map(|_| random.in_cube(-1.0, 1.0)).collect();
        let cells = CellList::new(&at, RADIUS);
        Self {
            near: cells.neighbors(),
            at,
            velocity,
            cells,
        }
    }

    fn step(&mut self, dt: f32) {
        for (i, list) in self.near.iter().enumerate() {
            let (mut center, mut heading, mut away, mut n) =
                (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO, 0.0);
            // `velocity` changes boid by boid, so later boids see new velocities; that is good enough for a flock.
            for j in list.iter().filter(|&j| j != i) {
                let to = self.at[j] - self.at[i];
                center += to;
                heading += self.velocity[j] - self.velocity[i];
                if to.length() < CLOSE {
                    away -= to;
                }
                n += 1.0;
            }
            if n > 0.0 {
                self.velocity[i] += (center / n * 0.3 + heading / n * 0.5 + away * 1.5) * dt;
                self.velocity[i] = self.velocity[i].clamp_length(0.5, 2.0);
            }
        }
        for (at, velocity) in self.at.iter_mut().zip(&self.velocity) {
            *at += *velocity * dt;
        }
        self.cells.rebuild(&self.at).expect("boids are somewhere");
        self.cells.neighbors_into(&mut self.near).unwrap();
    }

    /// Returns how well neighbors fly in one direction: 1 if all do.
    fn order(&self) -> f32 {
        let directions = self.velocity.iter().copied().map(Vec3::normalize_or_zero);
        let mut sum = 0.0;
        for (i, direction) in directions.enumerate() {
            let local: Vec3 = self
                .near
                .list(i)
                .iter()
                .map(|j| self.velocity[j].normalize_or_zero())
                .sum();
            sum += local.normalize_or_zero().dot(direction);
        }
        sum / self.at.len() as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbors_are_those_of_comparing_all() {
        let mut flock = Flock::new(2000, 20.0, &mut Random::new(1));
        let before = flock.order();
        for step in 0..40 {
            if step % 10 == 0 {
                for i in 0..flock.at.len() {
                    let plain: Vec<u32> = (0..flock.at.len() as u32)
                        .filter(|&j| {
                            flock.at[i].distance_squared(flock.at[j as usize]) <= RADIUS * RADIUS
                        })
                        .collect();
                    let mut near = flock.near[i].to_vec();
                    near.sort();
                    assert_eq!(near, plain, "step {step}, boid {i}");
                }
            }
            flock.step(0.1);
        }
        assert!(
            before < 0.4 && flock.order() > 0.6,
            "{before} {}",
            flock.order()
        );
        let mut again = Flock::new(2000, 20.0, &mut Random::new(1));
        (0..40).for_each(|_| again.step(0.1));
        assert_eq!(again.at, flock.at);
    }
}
