//! Resolves contacts by sequential impulses.
//!
//! The scheme is that of `Box2D` v3 (E. Catto, "`Solver2D`", 2024), without its springs, which let a small ball sink
//! into the floor below a heavy one. A step consists of several substeps, each of which
//!
//! 1. adds gravity, and applies the impulses of the previous substep again,
//! 2. solves the contacts once, so that they also push overlap out,
//! 3. moves the bodies,
//! 4. solves the contacts once more without that push, which takes out the speed that it gave.
//!
//! Impulses outlive the step, so that a pile at rest carries its weight without sinking. Nothing bounces, and nothing
//! rotates: friction acts at centers.

use orthant::glam::DVec3;

use crate::scene::Shape;
use crate::world::{Body, GRAVITY};

const SUBSTEPS: u32 = 12;
const FRICTION: f64 = 0.3;
/// Share of the overlap that a substep pushes out.
const PUSH_SHARE: f64 = 0.1;
/// Largest speed at which overlap is pushed out, in metres per second.
const PUSH_OUT: f64 = 3.0;
/// Overlap that is not pushed out, as a share of the smaller radius, so that contacts last.
const SLOP: f64 = 0.002;

/// Two bodies that touch or soon may; at least one of them moves.
#[derive(Clone, Debug)]
pub(crate) struct Contact {
    pair: (usize, usize),
    /// Accumulated impulse along the normal.
    push: f64,
    /// Accumulated impulse across the normal.
    friction: DVec3,
}

#[derive(Debug, Default)]
pub(crate) struct Solver {
    /// The contacts, sorted by their pairs.
    contacts: Vec<Contact>,
}

impl Solver {
    /// Takes the pairs of the next step, which are sorted. Contacts that were known before keep their impulses.
    pub(crate) fn take_pairs(&mut self, pairs: impl Iterator<Item = (usize, usize)>) {
        let mut known = std::mem::take(&mut self.contacts).into_iter().peekable();
        self.contacts.extend(pairs.map(|(a, b)| {
            while known.next_if(|old| old.pair < (a, b)).is_some() {}
            known
                .next_if(|old| old.pair == (a, b))
                .unwrap_or_else(|| Contact::new(a, b))
        }));
    }

    pub(crate) fn step(&mut self, bodies: &mut [Body], seconds: f64) {
        let h = seconds / f64::from(SUBSTEPS);
        for _ in 0..SUBSTEPS {
            for body in bodies.iter_mut().filter(|body| body.inverse_mass > 0.0) {
                body.velocity += GRAVITY * h;
            }
            for contact in &mut self.contacts {
                contact.start(bodies);
            }
            for contact in &mut self.contacts {
                contact.solve(bodies, h, PUSH_SHARE);
            }
            for body in bodies.iter_mut() {
                body.position += body.velocity * h;
            }
            for contact in &mut self.contacts {
                contact.solve(bodies, h, 0.0);
            }
        }
    }
}

impl Contact {
    pub(crate) fn new(a: usize, b: usize) -> Self {
        Self {
            pair: (a, b),
            push: 0.0,
            friction: DVec3::ZERO,
        }
    }

    /// The depth of the overlap as a share of the smaller radius; negative if the bodies are apart.
    pub(crate) fn overlap(&self, bodies: &[Body]) -> f64 {
        let place = self.place(bodies);
        -place.gap / place.smaller_radius
    }

    /// Applies the impulses of the previous substep again.
    fn start(&mut self, bodies: &mut [Body]) {
        if self.push == 0.0 {
            self.friction = DVec3::ZERO;
            return;
        }
        let normal = self.place(bodies).normal;
        self.friction -= normal * self.friction.dot(normal);
        self.apply(bodies, normal * self.push + self.friction);
    }

    /// Corrects the velocities of both bodies, and pushes a share of their overlap out.
    fn solve(&mut self, bodies: &mut [Body], h: f64, push_share: f64) {
        let place = self.place(bodies);
        let normal = place.normal;
        let approach = if place.gap > 0.0 {
            // The bodies may come as near as to touch at the end of the substep.
            place.gap / h
        } else {
            let depth = (-place.gap - SLOP * place.smaller_radius).max(0.0);
            -(push_share * depth / h).min(PUSH_OUT)
        };
        let (a, b) = self.pair;
        let mass = 1.0 / (bodies[a].inverse_mass + bodies[b].inverse_mass);

        // The normal impulse stops the approach; in total it only pushes.
        let speed = (bodies[b].velocity - bodies[a].velocity).dot(normal);
        let push = (self.push - mass * (speed + approach)).max(0.0);
        self.apply(bodies, normal * (push - self.push));
        self.push = push;

        // The friction impulse stops the sliding, within Coulomb's cone.
        let sliding = (bodies[b].velocity - bodies[a].velocity).reject_from_normalized(normal);
        let wanted = self.friction - sliding * mass;
        let friction = wanted.clamp_length_max(FRICTION * self.push);
        self.apply(bodies, friction - self.friction);
        self.friction = friction;
    }

    fn apply(&self, bodies: &mut [Body], impulse: DVec3) {
        let (a, b) = self.pair;
        let by_a = bodies[a].inverse_mass;
        bodies[a].velocity -= impulse * by_a;
        let by_b = bodies[b].inverse_mass;
        bodies[b].velocity += impulse * by_b;
    }

    fn place(&self, bodies: &[Body]) -> Place {
        let (a, b) = (&bodies[self.pair.0], &bodies[self.pair.1]);
        let (gap, normal) = match (&a.shape, &b.shape) {
            (&Shape::Ball(r), &Shape::Ball(s)) => of_balls(a.position, r, b.position, s),
            (&Shape::Crate(half), &Shape::Ball(r)) => on_crate(a.position, half, b.position, r),
            (&Shape::Ball(r), &Shape::Crate(half)) => {
                let (gap, normal) = on_crate(b.position, half, a.position, r);
                (gap, -normal)
            }
            (&Shape::Crate(h), &Shape::Crate(k)) => faces(b.position - a.position, h + k),
        };
        Place {
            gap,
            normal,
            smaller_radius: a.shape.size().min(b.shape.size()),
        }
    }
}

/// The place at which two bodies are nearest.
struct Place {
    /// Negative if they overlap.
    gap: f64,
    /// The direction from the first body to the second.
    normal: DVec3,
    smaller_radius: f64,
}

fn of_balls(a: DVec3, r: f64, b: DVec3, s: f64) -> (f64, DVec3) {
    let way = b - a;
    let distance = way.length();
    let normal = if distance > 0.0 {
        way / distance
    } else {
        DVec3::Z
    };
    (distance - (r + s), normal)
}

fn on_crate(middle: DVec3, half: DVec3, center: DVec3, radius: f64) -> (f64, DVec3) {
    let way = center - center.clamp(middle - half, middle + half);
    let distance = way.length();
    if distance > 0.0 {
        return (distance - radius, way / distance);
    }
    let (gap, out) = faces(center - middle, half);
    (gap - radius, out)
}

/// The gap of two boxes along the axis on which it is largest, negative if they overlap, and that axis as a
/// direction.
fn faces(way: DVec3, reach: DVec3) -> (f64, DVec3) {
    let gaps = way.abs() - reach;
    let axis = gaps.max_position();
    let sign = if way[axis] < 0.0 { -1.0 } else { 1.0 };
    (gaps[axis], DVec3::AXES[axis] * sign)
}
