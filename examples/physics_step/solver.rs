//! Contacts that push, as impulses applied one after the other.
//!
//! The scheme is that of `Box2D` v3 (E. Catto, "`Solver2D`", 2024) without its springs, which let a
//! small ball sink into the floor below a heavy one: several small substeps; in each, the impulses
//! of the one before are applied again, contacts are solved once so that they also push overlap
//! out, balls move, and contacts are solved once more without that push, which takes out the speed
//! it gave. Impulses outlive the step, so that a pile at rest carries its weight without sinking.
//! Nothing bounces, and balls do not spin: friction acts at their centres.

use orthant::Aabb;
use orthant::glam::DVec3;

use crate::world::{Body, GRAVITY, Shape};

const SUBSTEPS: u32 = 12;
const FRICTION: f64 = 0.3;
/// The share of overlap that a substep pushes out.
const PUSH_SHARE: f64 = 0.1;
/// Overlap is pushed out no faster; metres per second.
const PUSH_OUT: f64 = 3.0;
/// The share of the smaller radius by which contacts may overlap unpunished, so that they last.
const SLOP: f64 = 0.002;

/// Two bodies that touch or soon may; the first may be a slab.
#[derive(Clone, Debug)]
pub(crate) struct Contact {
    pair: (usize, usize),
    /// Sums over a substep.
    push: f64,
    friction: DVec3,
}

#[derive(Debug, Default)]
pub(crate) struct Solver {
    /// Sorted by their pairs.
    contacts: Vec<Contact>,
}

impl Solver {
    /// The contacts of the next step, sorted; those known before keep their impulses.
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

    /// The depth as a share of the smaller radius; negative for bodies apart.
    pub(crate) fn overlap(&self, bodies: &[Body]) -> f64 {
        let place = self.place(bodies);
        -place.gap / place.smaller_radius
    }

    /// Applies the impulses of the last substep.
    fn start(&mut self, bodies: &mut [Body]) {
        if self.push == 0.0 {
            self.friction = DVec3::ZERO;
            return;
        }
        let normal = self.place(bodies).normal;
        self.friction -= normal * self.friction.dot(normal);
        self.apply(bodies, normal * self.push + self.friction);
    }

    fn solve(&mut self, bodies: &mut [Body], h: f64, push_share: f64) {
        let place = self.place(bodies);
        let normal = place.normal;
        let approach = if place.gap > 0.0 {
            // Closes the gap by the end of the substep, no sooner.
            place.gap / h
        } else {
            let depth = (-place.gap - SLOP * place.smaller_radius).max(0.0);
            -(push_share * depth / h).min(PUSH_OUT)
        };
        let (a, b) = self.pair;
        let mass = 1.0 / (bodies[a].inverse_mass + bodies[b].inverse_mass);

        let speed = (bodies[b].velocity - bodies[a].velocity).dot(normal);
        let push = (self.push - mass * (speed + approach)).max(0.0);
        self.apply(bodies, normal * (push - self.push));
        self.push = push;

        let sliding = (bodies[b].velocity - bodies[a].velocity).reject_from_normalized(normal);
        let wanted = self.friction - sliding * mass;
        // Coulomb's cone.
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
        match (&a.shape, &b.shape) {
            (&Shape::Ball(r), &Shape::Ball(s)) => Place::of_balls(a.position, r, b.position, s),
            (Shape::Slab(slab), &Shape::Ball(s)) => Place::on_slab(slab, b.position, s),
            (_, Shape::Slab(_)) => unreachable!("slabs come first and do not meet each other"),
        }
    }
}

/// Where two bodies are nearest.
struct Place {
    /// Negative when they overlap.
    gap: f64,
    /// From the first body to the second.
    normal: DVec3,
    smaller_radius: f64,
}

impl Place {
    fn of_balls(a: DVec3, r: f64, b: DVec3, s: f64) -> Self {
        let way = b - a;
        let distance = way.length();
        Self {
            gap: distance - (r + s),
            normal: if distance > 0.0 {
                way / distance
            } else {
                DVec3::Z
            },
            smaller_radius: r.min(s),
        }
    }

    fn on_slab(slab: &Aabb<DVec3>, center: DVec3, radius: f64) -> Self {
        let way = center - center.clamp(slab.min(), slab.max());
        let distance = way.length();
        let (gap, normal) = if distance > 0.0 {
            (distance - radius, way / distance)
        } else {
            let (depth, out) = nearest_face(slab, center);
            (-depth - radius, out)
        };
        Self {
            gap,
            normal,
            smaller_radius: radius,
        }
    }
}

/// The way out of a slab that is shortest, and its direction.
fn nearest_face(slab: &Aabb<DVec3>, inside: DVec3) -> (f64, DVec3) {
    let (low, high) = (inside - slab.min(), slab.max() - inside);
    [
        (low.x, DVec3::NEG_X),
        (high.x, DVec3::X),
        (low.y, DVec3::NEG_Y),
        (high.y, DVec3::Y),
        (low.z, DVec3::NEG_Z),
        (high.z, DVec3::Z),
    ]
    .into_iter()
    .min_by(|a, b| a.0.total_cmp(&b.0))
    .expect("a box has faces")
}
