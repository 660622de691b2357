//! Writes a page that shows the particles in space and time, colored by their number of neighbours.

use std::io::{Result, Write};

use orthant::glam::{DVec3, Vec3};
use orthant::{Aabb, CellList};

use crate::page::{Page, Size, Things, is_frame};
use crate::picture::corner;
use crate::scene::obstacle;
use crate::shared::edges;
use crate::water::Water;

pub(crate) struct View {
    steps: u32,
    particles: Things,
    frames: Vec<String>,
}

impl View {
    /// Starts with the water before the first step.
    pub(crate) fn new(water: &Water, steps: u32) -> Self {
        let particles = Things {
            one: "particle",
            what: "neighbours",
            size: Size::Balls(vec![f64::from(water.spacing) / 2.0; water.positions.len()]),
            places: Vec::new(),
            counts: Vec::new(),
        };
        let frames = Vec::new();
        let mut view = Self {
            steps,
            particles,
            frames,
        };
        view.show(0, water);
        view
    }

    pub(crate) fn show(&mut self, step: u32, water: &Water) {
        if !is_frame(step, self.steps, water.positions.len()) {
            return;
        }
        // The order is that of the beginning, so that a particle is the same ball in each frame.
        let places = water.in_order();
        let near = CellList::new(&places, water.reach).neighbors();
        let counts = (0..places.len()).map(|i| near.list(i).len() as u32 - 1);
        self.particles.counts.extend(counts);
        self.particles
            .places
            .extend(places.iter().map(|at| at.as_dvec3()));
        let time = step as f32 * water.step;
        self.frames.push(format!("step {step} · {time:.3} s"));
    }

    pub(crate) fn write(self, to: impl Write) -> Result<()> {
        let tank = edges().map(|ends| ends.map(corner));
        let bounds = obstacle();
        let in_way = edges().map(|ends| ends.map(|i| corner_of(&bounds, i)));
        let lines = tank.chain(in_way).map(|ends| ends.map(Vec3::as_dvec3));
        let particles = self.particles.places.len() / self.frames.len();
        let page = Page {
            title: format!("A dam of {particles} particles breaks"),
            notes: vec!["colored by their number of neighbours".to_owned()],
            view: DVec3::new(0.45, -1.0, 0.45),
            lines: lines.collect(),
            things: vec![self.particles],
            frames: self.frames,
            ..Page::default()
        };
        page.write(to)
    }
}

/// A corner of a box, by the bits of its number.
fn corner_of(bounds: &Aabb<Vec3>, number: usize) -> Vec3 {
    let ends = [bounds.min(), bounds.max()];
    Vec3::from_array([0, 1, 2].map(|axis| ends[number >> axis & 1][axis]))
}
