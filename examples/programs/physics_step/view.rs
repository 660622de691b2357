//! Writes a page that shows the bodies in space and time, colored by their number of pairs. Pairs with floor and
//! walls count.

use std::io::{Result, Write};

use orthant::glam::DVec3;

use crate::page::{Page, Size, Things, is_frame};
use crate::picture::corner;
use crate::scene::Tub;
use crate::shared::edges;
use crate::world::{STEP, World};

pub(crate) struct Film {
    steps: u32,
    tub: Tub,
    bodies: usize,
    balls: Things,
    crates: Things,
    frames: Vec<String>,
}

impl Film {
    /// Starts a film with the bodies before the first step.
    pub(crate) fn new(world: &World, steps: u32) -> Self {
        let things = |one, size| Things {
            one,
            what: "pairs",
            size,
            places: Vec::new(),
            counts: Vec::new(),
        };
        let radii = world.balls().map(|(_, ball)| ball.radius());
        let halves = world.crates().map(|(_, bounds)| 0.5 * bounds.size());
        let mut film = Self {
            steps,
            tub: world.tub,
            bodies: world.movers().count(),
            balls: things("ball", Size::Balls(radii.collect())),
            crates: things("crate", Size::Boxes(halves.collect())),
            frames: Vec::new(),
        };
        film.show(0, world);
        film
    }

    pub(crate) fn show(&mut self, step: u32, world: &World) {
        if !is_frame(step, self.steps, self.bodies) {
            return;
        }
        let mut pairs = vec![0; world.first_mover() + self.bodies];
        for (p, q) in world.pairs() {
            for body in [p, q] {
                pairs[world.number(body)] += 1;
            }
        }
        let add = |things: &mut Things, body: usize, at: DVec3| {
            things.places.push(at);
            things.counts.push(pairs[body]);
        };
        for (body, ball) in world.balls() {
            add(&mut self.balls, body, ball.center());
        }
        for (body, bounds) in world.crates() {
            add(&mut self.crates, body, bounds.center());
        }
        let (time, many) = (f64::from(step) * STEP, world.pairs().len());
        let text = format!("step {step} · {time:.2} s · {many} pairs");
        self.frames.push(text);
    }

    pub(crate) fn write(self, to: impl Write) -> Result<()> {
        let things = [self.balls, self.crates];
        let page = Page {
            title: format!("{} bodies fall into a box", self.bodies),
            notes: vec!["colored by how many others each may touch in the step to come".to_owned()],
            view: DVec3::new(0.4, -1.0, 0.6),
            things: things
                .into_iter()
                .filter(|things| !things.places.is_empty())
                .collect(),
            lines: edges()
                .map(|ends| ends.map(|i| corner(self.tub, i)))
                .collect(),
            frames: self.frames,
            ..Page::default()
        };
        page.write(to)
    }
}
