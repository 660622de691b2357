//! Compares the pairs of the broadphase with those of a double loop over the same bodies.

use std::collections::BTreeSet;

use orthant::glam::DVec3;
use orthant::{Aabb, Bounded, Event, Moving, Overlaps, Sphere, Sweep, Volume};

use crate::world::{Told, World};

type Pair = (usize, usize);

/// The pairs by the events of the broadphase, and the number of its mistakes.
#[derive(Debug, Default)]
pub(crate) struct Check {
    /// The pairs that have begun and not ended, by events alone.
    alive: BTreeSet<Pair>,
    pub(crate) missed: usize,
    pub(crate) spurious: usize,
}

impl Check {
    /// Applies events to the set of pairs. An event out of order counts as spurious, and so does one that begins a
    /// pair of the set or ends a pair outside it.
    pub(crate) fn replay(&mut self, events: &[Event], number: impl Fn(Event) -> Pair) {
        self.spurious += events
            .windows(2)
            .filter(|w| w[0].pair() >= w[1].pair())
            .count();
        for &event in events {
            let pair = number(event);
            let news = match event {
                Event::Begin(..) => self.alive.insert(pair),
                Event::End(..) => self.alive.remove(&pair),
            };
            self.spurious += usize::from(!news);
        }
    }

    /// Compares the listed pairs, and those by events, with the pairs of the double loop.
    pub(crate) fn compare(&mut self, world: &World) {
        let listed: Vec<_> = world.pairs().collect();
        self.spurious += listed.windows(2).filter(|w| w[0] >= w[1]).count();
        let listed = listed
            .iter()
            .map(|&(p, q)| (world.number(p), world.number(q)));
        let listed: BTreeSet<Pair> = listed.collect();
        let truth = all_pairs(&world.told().collect::<Vec<_>>());
        for said in [&listed, &self.alive] {
            self.missed += truth.difference(said).count();
            self.spurious += said.difference(&truth).count();
        }
    }
}

fn all_pairs(bodies: &[Told]) -> BTreeSet<Pair> {
    let boxes: Vec<_> = bodies.iter().map(way_box).collect();
    let mut pairs = BTreeSet::new();
    for (i, (a, around)) in bodies.iter().zip(&boxes).enumerate() {
        for (j, (b, other)) in bodies.iter().zip(&boxes).enumerate().skip(i + 1) {
            if (a.moves || b.moves) && around.overlaps(other) && meet(a, b) {
                pairs.insert((i, j));
            }
        }
    }
    pairs
}

/// The box around the path of a body.
fn way_box(body: &Told) -> Aabb<DVec3> {
    let here = body.volume.bounds();
    here.union(&Aabb::new(here.min() + body.way, here.max() + body.way))
}

/// Whether two bodies meet on their ways; touching counts.
fn meet(a: &Told, b: &Told) -> bool {
    if a.way != DVec3::ZERO || b.way != DVec3::ZERO {
        return meet_on_their_ways(a, b);
    }
    match (&a.volume, &b.volume) {
        (Volume::Box(a), Volume::Box(b)) => {
            a.min().cmple(b.max()).all() && b.min().cmple(a.max()).all()
        }
        (Volume::Sphere(a), Volume::Sphere(b)) => {
            let reach = a.radius() + b.radius();
            squared(b.center() - a.center()) <= reach * reach
        }
        (Volume::Sphere(ball), Volume::Box(b)) | (Volume::Box(b), Volume::Sphere(ball)) => {
            let nearest = ball.center().clamp(b.min(), b.max());
            squared(ball.center() - nearest) <= ball.radius() * ball.radius()
        }
    }
}

/// The squared length, summed from left to right: the last bit counts.
fn squared(v: DVec3) -> f64 {
    v.x * v.x + v.y * v.y + v.z * v.z
}

fn meet_on_their_ways(a: &Told, b: &Told) -> bool {
    let ball = |ball: &Sphere<DVec3>, way| Moving::new(*ball, way);
    let crate_ = |bounds: &Aabb<DVec3>, way| Moving::new(*bounds, way);
    let times = match (&a.volume, &b.volume) {
        (Volume::Sphere(x), Volume::Sphere(y)) => ball(x, a.way).times(&ball(y, b.way)),
        (Volume::Sphere(x), Volume::Box(y)) => ball(x, a.way).times(&crate_(y, b.way)),
        (Volume::Box(x), Volume::Sphere(y)) => ball(y, b.way).times(&crate_(x, a.way)),
        (Volume::Box(x), Volume::Box(y)) => crate_(x, a.way).times(&crate_(y, b.way)),
    };
    times.is_some()
}
