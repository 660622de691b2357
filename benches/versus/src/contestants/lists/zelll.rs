//! Pairs of the points in neighbouring cells, and the distance; the grid's memory is kept.

use ::zelll::CellGrid;

use super::ghosts::with_ghosts;
use super::{CountRun, both_ways};
use crate::answers::Answers;
use crate::contestant::{BatchRun, Room};
use crate::truth::distance_sq;

pub(super) struct Kept<G> {
    grid: Option<G>,
    pairs: Vec<[u32; 2]>,
}

pub(super) type Pairs<S, const D: usize> = Kept<CellGrid<(u32, [S; D]), D, S>>;

impl<G> Default for Kept<G> {
    fn default() -> Self {
        Self {
            grid: None,
            pairs: Vec::new(),
        }
    }
}

macro_rules! contestant {
    ($s:ty, $d:literal) => {
        impl Pairs<$s, $d> {
            fn for_each(&mut self, points: &[[$s; $d]], radius: $s, mut f: impl FnMut(u32, u32)) {
                let particles = points.iter().enumerate().map(|(id, p)| (id as u32, *p));
                let grid = match &mut self.grid {
                    Some(grid) => {
                        grid.rebuild_mut(particles, Some(radius));
                        grid
                    }
                    none => none.insert(CellGrid::new(particles, radius)),
                };
                let limit = radius * radius;
                grid.particle_pairs().for_each(|((a, p), (b, q))| {
                    if distance_sq(p, q) <= limit {
                        f(*a, *b);
                    }
                });
            }

            fn list(&mut self, points: &[[$s; $d]], radius: $s) {
                let mut pairs = std::mem::take(&mut self.pairs);
                pairs.clear();
                self.for_each(points, radius, |a, b| pairs.push([a, b]));
                self.pairs = pairs;
            }
        }

        impl BatchRun<$s, $d> for Pairs<$s, $d> {
            fn lists(&mut self, points: &[[$s; $d]], radius: $s, room: &mut Room) -> u64 {
                self.list(points, radius);
                both_ways(&self.pairs, points.len(), &[], room);
                room.ids.len() as u64
            }

            fn answers(&mut self, points: &[[$s; $d]], radius: $s, room: &mut Room) -> Answers {
                self.lists(points, radius, room);
                room.answers()
            }
        }

        impl CountRun<$s, $d> for Pairs<$s, $d> {
            fn count(&mut self, points: &[[$s; $d]], radius: $s) -> u64 {
                let mut count = 0;
                self.for_each(points, radius, |_, _| count += 1);
                2 * count + points.len() as u64
            }
        }
    };
}

contestant!(f32, 2);
contestant!(f32, 3);
contestant!(f64, 3);

#[derive(Default)]
pub(super) struct GhostPairs {
    pairs: Pairs<f32, 3>,
    all: Vec<[f32; 3]>,
    owners: Vec<u32>,
}

impl BatchRun<f32, 3> for GhostPairs {
    fn lists(&mut self, points: &[[f32; 3]], radius: f32, room: &mut Room) -> u64 {
        with_ghosts(points, radius, &mut self.all, &mut self.owners);
        self.pairs.list(&self.all, radius);
        both_ways(&self.pairs.pairs, points.len(), &self.owners, room);
        room.ids.len() as u64
    }

    fn answers(&mut self, points: &[[f32; 3]], radius: f32, room: &mut Room) -> Answers {
        self.lists(points, radius, room);
        room.answers()
    }
}
