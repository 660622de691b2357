//! Pairs of the points in neighbouring cells, and the distance; the grid's memory is kept.

use ::zelll::CellGrid;

use super::{CountRun, PairRun};
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
        }

        impl PairRun<$s, $d> for Pairs<$s, $d> {
            fn pairs(&mut self, points: &[[$s; $d]], radius: $s) -> &[[u32; 2]] {
                let mut pairs = std::mem::take(&mut self.pairs);
                pairs.clear();
                self.for_each(points, radius, |a, b| pairs.push([a, b]));
                self.pairs = pairs;
                &self.pairs
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
