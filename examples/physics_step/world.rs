//! Bodies, their boxes in the broadphase, and what can be measured of them.
//!
//! A step moves the balls by the contacts that are known, then tells the broadphase where they are.
//! The box of a ball is stretched over the way that the ball will make in the next step if nothing
//! stops it, and grown by half the length of that way, since something may: so most contacts are
//! found before balls are deep in each other. For the pairs of the last step there is no way to
//! come, and the boxes are `[x - r, x + r]`, to the last bit.

use std::time::{Duration, Instant};

use orthant::glam::DVec3;
use orthant::{Aabb, Broadphase, Event, Handle, Motion, Sphere};

use crate::scene::{Scene, Tub, volume_of};
use crate::solver::{Contact, Solver};

/// Seconds.
pub(crate) const STEP: f64 = 1.0 / 60.0;
pub(crate) const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);
/// Kilograms per cubic metre.
const DENSITY: f64 = 1000.0;
/// The share of its way by which a ball may be thrown off it, as far as boxes are concerned.
const SWERVE: f64 = 0.5;

#[derive(Debug)]
pub(crate) enum Shape {
    Slab(Aabb<DVec3>),
    Ball(f64),
}

#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) shape: Shape,
    /// The centre of a ball; unused for slabs, which stay.
    pub(crate) position: DVec3,
    pub(crate) velocity: DVec3,
    /// 0 for what cannot be moved.
    pub(crate) inverse_mass: f64,
    /// As the broadphase was last told.
    bounds: Aabb<DVec3>,
    handle: Handle,
}

#[derive(Debug)]
pub(crate) struct World {
    pub(crate) tub: Tub,
    /// Slabs first.
    bodies: Vec<Body>,
    broadphase: Broadphase<DVec3>,
    /// The number of a body, by the slot of its handle.
    body_at: Vec<usize>,
    solver: Solver,
    pub(crate) broadphase_time: Duration,
    pub(crate) solver_time: Duration,
}

/// The balls as a whole.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    /// The deepest, as a share of the smaller radius of its contact.
    pub(crate) overlap: f64,
    /// Joules.
    pub(crate) kinetic: f64,
    /// Joules, above balls that lie on the floor.
    pub(crate) potential: f64,
    /// The root of the mean square, by mass; metres per second.
    pub(crate) speed: f64,
}

impl State {
    pub(crate) fn energy(&self) -> f64 {
        self.kinetic + self.potential
    }
}

impl World {
    pub(crate) fn new(scene: Scene) -> Self {
        let mut broadphase = Broadphase::new();
        let mut bodies = Vec::new();
        for slab in scene.tub.slabs() {
            bodies.push(Body {
                shape: Shape::Slab(slab),
                position: slab.center(),
                velocity: DVec3::ZERO,
                inverse_mass: 0.0,
                bounds: slab,
                handle: broadphase.insert(slab, Motion::Static),
            });
        }
        for ball in scene.balls {
            let (position, radius) = (ball.center(), ball.radius());
            let bounds = box_around(position, radius);
            bodies.push(Body {
                shape: Shape::Ball(radius),
                position,
                velocity: DVec3::ZERO,
                inverse_mass: 1.0 / (DENSITY * volume_of(radius)),
                bounds,
                handle: broadphase.insert(bounds, Motion::Dynamic),
            });
        }
        let mut body_at = vec![0; bodies.len()];
        for (i, body) in bodies.iter().enumerate() {
            body_at[body.handle.slot()] = i;
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

    /// Moves the balls, then brings the pairs up to date; after the `last` step, those of boxes that
    /// are not stretched.
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

    /// Says where the balls are, and where they may be after `ahead` seconds.
    pub(crate) fn find_pairs(&mut self, ahead: f64) -> &[Event] {
        let start = Instant::now();
        for body in &mut self.bodies {
            if let Shape::Ball(radius) = body.shape {
                let way = (body.velocity + GRAVITY * ahead) * ahead;
                let reach = radius + SWERVE * way.length();
                let here = box_around(body.position, reach);
                let there = box_around(body.position + way, reach);
                body.bounds = here.union(&there);
                self.broadphase.set_bounds(body.handle, body.bounds);
            }
        }
        let events = self.broadphase.update();
        self.broadphase_time = start.elapsed();
        events
    }

    /// The number of a body: slabs first, then balls.
    pub(crate) fn number(&self, handle: Handle) -> usize {
        self.body_at[handle.slot()]
    }

    /// The boxes that the broadphase was last told, and whether they move, in the order of the
    /// bodies.
    pub(crate) fn boxes(&self) -> impl Iterator<Item = (Aabb<DVec3>, bool)> {
        self.bodies
            .iter()
            .map(|body| (body.bounds, matches!(body.shape, Shape::Ball(_))))
    }

    pub(crate) fn pairs(&self) -> impl ExactSizeIterator<Item = (Handle, Handle)> {
        self.broadphase.pairs()
    }

    pub(crate) fn balls(&self) -> impl ExactSizeIterator<Item = Sphere<DVec3>> {
        self.bodies[self.first_ball()..]
            .iter()
            .map(|body| match body.shape {
                Shape::Ball(radius) => Sphere::new(body.position, radius),
                Shape::Slab(_) => unreachable!("slabs come first"),
            })
    }

    /// How many bodies come before the balls.
    pub(crate) fn first_ball(&self) -> usize {
        self.tub.slabs().len()
    }

    pub(crate) fn state(&self) -> State {
        let overlap = self
            .pairs()
            .map(|(p, q)| Contact::new(self.number(p), self.number(q)).overlap(&self.bodies))
            .fold(0.0, f64::max);
        let (mut kinetic, mut potential, mut mass) = (0.0, 0.0, 0.0);
        for body in &self.bodies {
            if let Shape::Ball(radius) = body.shape {
                let m = 1.0 / body.inverse_mass;
                kinetic += 0.5 * m * body.velocity.length_squared();
                potential -= m * GRAVITY.z * (body.position.z - radius);
                mass += m;
            }
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

/// Each corner coordinate is one rounded subtraction or addition.
fn box_around(center: DVec3, radius: f64) -> Aabb<DVec3> {
    Aabb::new(center - radius, center + radius)
}
