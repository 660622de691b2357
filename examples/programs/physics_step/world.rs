//! The bodies, their volumes in the broadphase, and measurements of them.
//!
//! A step moves the bodies by the known contacts. It then gives the broadphase the place of each body, and its
//! displacement in the next step if nothing stops it: pairs are bodies that touch on their paths. Since a body may be
//! turned aside, its volume is wider by half the length of its path; so most contacts are found before bodies are
//! deep in each other. In the last step, bodies have no displacement and their true size, to the last bit.

use std::time::{Duration, Instant};

use orthant::glam::DVec3;
use orthant::{Broadphase, Event, Handle, Motion, Sphere, Volume};

use crate::scene::{Scene, Shape, Tub};
use crate::solver::{Contact, Solver};

/// Length of a step, in seconds.
pub(crate) const STEP: f64 = 1.0 / 60.0;
pub(crate) const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);
/// Density of the bodies, in kilograms per cubic metre.
const DENSITY: f64 = 1000.0;
/// Margin of a body in the broadphase, as a share of the length of its path.
const SWERVE: f64 = 0.5;

#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) shape: Shape,
    pub(crate) position: DVec3,
    pub(crate) velocity: DVec3,
    /// 0 if the body cannot be moved.
    pub(crate) inverse_mass: f64,
    told: Told,
    handle: Handle,
}

/// The volume of a body in the broadphase, as it was last set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told {
    pub(crate) volume: Volume<DVec3>,
    pub(crate) way: DVec3,
    pub(crate) moves: bool,
}

#[derive(Debug)]
pub(crate) struct World {
    pub(crate) tub: Tub,
    /// Floor and walls first, then the bodies that move.
    bodies: Vec<Body>,
    broadphase: Broadphase<DVec3>,
    /// The numbers of bodies, by the slots of their handles.
    body_at: Vec<usize>,
    solver: Solver,
    pub(crate) broadphase_time: Duration,
    pub(crate) solver_time: Duration,
}

/// Measurements of all bodies together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    /// The deepest overlap, as a share of the smaller radius.
    pub(crate) overlap: f64,
    /// Kinetic energy in joules.
    pub(crate) kinetic: f64,
    /// Potential energy in joules; 0 for bodies that lie on the floor.
    pub(crate) potential: f64,
    /// Root mean square of the speeds, weighted by mass, in metres per second.
    pub(crate) speed: f64,
}

impl State {
    pub(crate) fn energy(&self) -> f64 {
        self.kinetic + self.potential
    }
}

impl World {
    pub(crate) fn new(scene: Scene) -> Self {
        let slabs = scene.tub.slabs().map(Volume::from);
        let slabs = slabs.into_iter().map(|slab| (slab, Motion::Static));
        let movers = scene.bodies.into_iter();
        let movers = movers.map(|body| (body, Motion::Dynamic));
        let all: Vec<(Volume<DVec3>, Motion)> = slabs.chain(movers).collect();
        let mut broadphase = Broadphase::new();
        let handles = broadphase.insert_batch(all.iter().copied());
        let mut bodies = Vec::new();
        let mut body_at = vec![0; all.len()];
        for ((volume, motion), handle) in all.into_iter().zip(handles) {
            body_at[handle.slot()] = bodies.len();
            let moves = motion == Motion::Dynamic;
            let shape = Shape::of(&volume);
            bodies.push(Body {
                shape,
                position: match volume {
                    Volume::Sphere(ball) => ball.center(),
                    Volume::Box(bounds) => bounds.center(),
                },
                velocity: DVec3::ZERO,
                inverse_mass: if moves {
                    1.0 / (DENSITY * shape.volume())
                } else {
                    0.0
                },
                told: Told {
                    volume,
                    way: DVec3::ZERO,
                    moves,
                },
                handle,
            });
        }
        Self {
            tub: scene.tub,
            bodies,
            broadphase,
            body_at,
            solver: Solver::default(),
            broadphase_time: Duration::ZERO,
            solver_time: Duration::ZERO,
        }
    }

    /// Moves the bodies, then updates the pairs. In the `last` step, bodies have no displacement.
    pub(crate) fn step(&mut self, last: bool) -> &[Event] {
        let start = Instant::now();
        let body_at = &self.body_at;
        self.solver.take_pairs(
            self.broadphase
                .pairs()
                .map(|(p, q)| (body_at[p.slot()], body_at[q.slot()])),
        );
        self.solver.step(&mut self.bodies, STEP);
        self.solver_time = start.elapsed();
        self.find_pairs(if last { 0.0 } else { STEP })
    }

    /// Finds the bodies that may touch on their paths of the next `ahead` seconds.
    pub(crate) fn find_pairs(&mut self, ahead: f64) -> &[Event] {
        let start = Instant::now();
        for body in self.bodies.iter_mut().filter(|body| body.told.moves) {
            let way = (body.velocity + GRAVITY * ahead) * ahead;
            let volume = body.shape.wider_at(SWERVE * way.length(), body.position);
            self.broadphase.set_swept(body.handle, volume, way);
            (body.told.volume, body.told.way) = (volume, way);
        }
        let events = self.broadphase.update();
        self.broadphase_time = start.elapsed();
        events
    }

    /// The number of a body. Floor and walls come first, then the bodies that move.
    pub(crate) fn number(&self, handle: Handle) -> usize {
        self.body_at[handle.slot()]
    }

    /// The volumes in the broadphase, in the order of the bodies.
    pub(crate) fn told(&self) -> impl Iterator<Item = Told> {
        self.bodies.iter().map(|body| body.told)
    }

    pub(crate) fn pairs(&self) -> impl ExactSizeIterator<Item = (Handle, Handle)> {
        self.broadphase.pairs()
    }

    /// The bodies that move, with their numbers.
    pub(crate) fn movers(&self) -> impl Iterator<Item = (usize, Volume<DVec3>)> {
        let all = self.bodies.iter().enumerate().skip(self.first_mover());
        all.map(|(i, body)| (i, body.shape.at(body.position)))
    }

    pub(crate) fn balls(&self) -> impl Iterator<Item = (usize, Sphere<DVec3>)> {
        self.movers().filter_map(|(i, body)| match body {
            Volume::Sphere(ball) => Some((i, ball)),
            Volume::Box(_) => None,
        })
    }

    pub(crate) fn crates(&self) -> impl Iterator<Item = (usize, orthant::Aabb<DVec3>)> {
        self.movers().filter_map(|(i, body)| match body {
            Volume::Box(bounds) => Some((i, bounds)),
            Volume::Sphere(_) => None,
        })
    }

    /// The number of the first body that moves.
    pub(crate) fn first_mover(&self) -> usize {
        self.tub.slabs().len()
    }

    pub(crate) fn state(&self) -> State {
        let overlap = self
            .pairs()
            .map(|(p, q)| Contact::new(self.number(p), self.number(q)).overlap(&self.bodies))
            .fold(0.0, f64::max);
        let (mut kinetic, mut potential, mut mass) = (0.0, 0.0, 0.0);
        for body in self.bodies.iter().filter(|body| body.told.moves) {
            let m = 1.0 / body.inverse_mass;
            kinetic += 0.5 * m * body.velocity.length_squared();
            potential -= m * GRAVITY.z * (body.position.z - body.shape.reach().z);
            mass += m;
        }
        let speed = if mass > 0.0 {
            (2.0 * kinetic / mass).sqrt()
        } else {
            0.0
        };
        State {
            overlap,
            kinetic,
            potential,
            speed,
        }
    }
}
