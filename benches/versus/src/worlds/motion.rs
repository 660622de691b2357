//! The motion of bodies from step to step.

use std::f32::consts::TAU;

use rand::RngExt;

use super::{Body, Bounds, SPEED, Scene, direction};
use crate::scenes::Random;

pub(super) enum Motion {
    Drift {
        share: f32,
    },
    /// The times of the bodies on orbits.
    Orbits(Vec<f32>),
    Brownian {
        next: usize,
    },
    Falling {
        gravity: f32,
        /// The number of steps for which gravity has turned, if it turns.
        turning: Option<u16>,
    },
}

/// The steps in which each body of the Brownian scene gets another velocity.
const CYCLE: usize = 100;
/// The steps of a fall through half of the world.
const FALL: f32 = 200.0;
/// The steps of a full turn of gravity.
const TURN: f32 = 372.0;
/// The time that passes on an orbit in each step.
const ORBIT: f32 = 0.005;

impl Motion {
    pub(super) fn new<const D: usize>(scene: Scene, bodies: &[Body<D>]) -> Self {
        let depth = bodies.first().map_or(0.0, |body| 0.5 * body.range.max[0]);
        let gravity = 2.0 * depth / (FALL * FALL);
        match scene {
            Scene::Drift { share, .. } => Self::Drift { share },
            Scene::Bullet => Self::Orbits(vec![0.0; bodies.len() / 10]),
            Scene::Brownian => Self::Brownian { next: 0 },
            Scene::Falling => Self::Falling {
                gravity,
                turning: None,
            },
            Scene::Gravity => Self::Falling {
                gravity: 4.0 * gravity,
                turning: Some(0),
            },
        }
    }

    /// Prepares bodies before the first step.
    pub(super) fn enter<const D: usize>(&mut self, bodies: &mut [Body<D>], random: &mut Random) {
        match self {
            Self::Drift { .. } | Self::Brownian { .. } => {}
            Self::Orbits(times) => {
                times.fill_with(|| random.random_range(0.0..2000.0));
            }
            // Bodies do not collide. Each has a range of its own, half as wide as the world, so they come to lie
            // in a pile and not in a plane.
            Self::Falling { .. } => {
                for body in bodies {
                    let half = 0.5 * body.range.max[0];
                    let min = std::array::from_fn(|_| random.random_range(0.0..half));
                    let max = min.map(|x| x + half);
                    body.range = Bounds { min, max };
                    body.center = min.map(|x| random.random_range(x..x + half));
                }
            }
        }
    }

    /// Begins a step, before the bodies move.
    pub(super) fn begin<const D: usize>(&mut self, bodies: &mut [Body<D>], random: &mut Random) {
        match self {
            Self::Brownian { next } => {
                for _ in 0..bodies.len().div_ceil(CYCLE) {
                    let body = &mut bodies[*next];
                    let speed = SPEED * body.half[0] * random.random::<f32>().cbrt();
                    body.velocity = direction(random).map(|x| speed * x);
                    *next = (*next + 1) % bodies.len();
                }
            }
            Self::Falling {
                turning: Some(steps),
                ..
            } => *steps += 1,
            _ => {}
        }
    }

    /// Moves a body, and returns true if it moved.
    pub(super) fn step<const D: usize>(
        &mut self,
        i: usize,
        body: &mut Body<D>,
        random: &mut Random,
    ) -> bool {
        match self {
            Self::Drift { share } => {
                let moves = *share >= 1.0 || random.random::<f32>() < *share;
                if moves {
                    drift(body);
                }
                moves
            }
            Self::Orbits(times) => {
                let Some(time) = times.get_mut(i) else {
                    return false;
                };
                *time += ORBIT;
                orbit(body, *time);
                true
            }
            Self::Brownian { .. } => {
                drift(body);
                true
            }
            Self::Falling { gravity, turning } => {
                let before = body.center;
                fall(body, pull(*gravity, *turning));
                body.center != before
            }
        }
    }
}

/// Moves a body straight on. At a wall it turns back, from the next step on.
fn drift<const D: usize>(body: &mut Body<D>) {
    for a in 0..D {
        let x = body.center[a] + body.velocity[a];
        if x < body.range.min[a] || x > body.range.max[a] {
            body.velocity[a] = -body.velocity[a];
        } else {
            body.center[a] = x;
        }
    }
}

/// Moves a body along Bullet's curve, within its range.
fn orbit<const D: usize>(body: &mut Body<D>, time: f32) {
    let curve = [
        (2.17 * time).cos() + 0.5 * time.sin(),
        (1.38 * time).cos() + time.sin(),
        (0.777 * time).sin(),
    ];
    for (a, along) in curve.into_iter().enumerate().take(D) {
        let middle = 0.5 * (body.range.min[a] + body.range.max[a]);
        body.center[a] = middle + 0.25 * (body.range.max[a] - body.range.min[a]) * along;
    }
}

fn pull<const D: usize>(gravity: f32, turning: Option<u16>) -> [f32; D] {
    let turned = TAU * f32::from(turning.unwrap_or(0)) / TURN;
    let toward = [-turned.cos(), turned.sin(), (0.7 * turned).sin()];
    std::array::from_fn(|a| gravity * toward[a])
}

/// Lets a body fall faster and faster, until a wall stops it.
fn fall<const D: usize>(body: &mut Body<D>, pull: [f32; D]) {
    for (a, pull) in pull.into_iter().enumerate() {
        let speed = body.velocity[a] + pull;
        let x = body.center[a] + speed;
        body.center[a] = x.clamp(body.range.min[a], body.range.max[a]);
        body.velocity[a] = if body.center[a] == x { speed } else { 0.0 };
    }
}
