//! zelll: a grid for one radius. It is queried point by point, or lists all pairs of points in neighboring cells, whose
//! distances are tested here.

use ::zelll::CellGrid;

use super::Register;
use crate::contestant::ghosts::{GhostPairs, Ghosts};
use crate::contestant::rebuilt::{BothWays, CountRun, PairRun, Rebuilt, counter, lister};
use crate::contestant::{Index, Loop, Radius, batch, radius};
use crate::race::Kind;
use crate::truth::distance_sq;

pub(super) fn enter(to: &mut Register) {
    to.radius3.push(radius::<_, 3, Cells<f32, 3>>());
    to.radius3_f64.push(radius::<_, 3, Cells<f64, 3>>());
    to.radius2.push(radius::<_, 2, Cells<f32, 2>>());
    to.batch3.push(batch::<_, 3, Loop<Cells<f32, 3>>>());
    to.batch2.push(batch::<_, 2, Loop<Cells<f32, 2>>>());
    to.lists3.extend([
        lister::<_, 3, BothWays<Pairs<f32, 3>>>("zelll pairs"),
        lister::<_, 3, Rebuilt<Loop<Cells<f32, 3>>>>("zelll query"),
    ]);
    to.lists3_f64.extend([
        lister::<_, 3, BothWays<Pairs<f64, 3>>>("zelll pairs"),
        lister::<_, 3, Rebuilt<Loop<Cells<f64, 3>>>>("zelll query"),
    ]);
    to.lists2.extend([
        lister::<_, 2, BothWays<Pairs<f32, 2>>>("zelll pairs"),
        lister::<_, 2, Rebuilt<Loop<Cells<f32, 2>>>>("zelll query"),
    ]);
    to.periodic3.extend([
        lister::<_, 3, GhostPairs<Pairs<f32, 3>>>("zelll pairs, ghosts"),
        lister::<_, 3, Ghosts<Cells<f32, 3>>>("zelll query, ghosts"),
    ]);
    to.counts3
        .push(counter::<_, 3, Pairs<f32, 3>>("zelll pairs"));
}

struct Grid<T>(T);

macro_rules! contestant {
    ($s:ty, $d:literal) => {
        impl Index<$s, $d> for Grid<CellGrid<(u32, [$s; $d]), $d, $s>> {
            const NAME: &'static str = "zelll";
            const KIND: Kind = Kind::Reference;
            const ONE_RADIUS: bool = true;

            fn build(points: &[[$s; $d]], radius: $s) -> Self {
                let particles = points.iter().enumerate().map(|(id, p)| (id as u32, *p));
                Self(CellGrid::new(particles, radius))
            }
        }

        impl Radius<$s, $d> for Grid<CellGrid<(u32, [$s; $d]), $d, $s>> {
            fn count(&mut self, center: &[$s; $d], radius: $s) -> usize {
                let limit = radius * radius;
                let near = self.0.query_neighbors(*center).into_iter().flatten();
                near.filter(|(_, p)| distance_sq(p, center) <= limit)
                    .count()
            }

            fn collect(&mut self, center: &[$s; $d], radius: $s, ids: &mut Vec<u32>) {
                let limit = radius * radius;
                if let Some(near) = self.0.query_neighbors(*center) {
                    let hits = near.filter(|(_, p)| distance_sq(p, center) <= limit);
                    ids.extend(hits.map(|(id, _)| *id));
                }
            }
        }
    };
}

type Cells<S, const D: usize> = Grid<CellGrid<(u32, [S; D]), D, S>>;

contestant!(f32, 2);
contestant!(f32, 3);
contestant!(f64, 3);

/// A grid that is rebuilt in its own memory.
struct KeptGrid<G> {
    grid: Option<G>,
    pairs: Vec<[u32; 2]>,
}

type Pairs<S, const D: usize> = KeptGrid<CellGrid<(u32, [S; D]), D, S>>;

impl<G> Default for KeptGrid<G> {
    fn default() -> Self {
        Self {
            grid: None,
            pairs: Vec::new(),
        }
    }
}

macro_rules! pairs {
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

pairs!(f32, 2);
pairs!(f32, 3);
pairs!(f64, 3);
