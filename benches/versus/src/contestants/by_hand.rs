//! Handwritten references, which are shown but not counted.

mod cells;
mod columns;
mod row_loop;

use super::Register;
use crate::contestant::ghosts::{GhostPairs, Ghosts};
use crate::contestant::rebuilt::{BothWays, counter, lister, rebuilt, rebuilt_counter};
use crate::contestant::{BatchContestant, Index, Loop, Radius, radius};
use crate::jobs::predicate::tester;
use crate::jobs::voxels::voxelizer;
use crate::points::Scalar;
use crate::race::Kind;
use crate::stepper::{Pair, Stepper, pair, stepper};
use crate::truth::distance_sq;
use crate::worlds::{Bounds, pairs_by_grid};
use cells::{Grid, Pairs};

pub(super) fn enter(to: &mut Register) {
    to.radius3.push(radius::<_, 3, Scan<f32, 3>>());
    to.radius3_f64.push(radius::<_, 3, Scan<f64, 3>>());
    to.radius2.push(radius::<_, 2, Scan<f32, 2>>());
    to.predicate.push(tester::<columns::Columns>());
    to.broadphase3
        .extend([stepper::<3, Sweep<3>>(), stepper::<3, BoxGrid>()]);
    to.broadphase2
        .extend([stepper::<2, Sweep<2>>(), stepper::<2, BoxGrid>()]);
    to.lists3.extend(lists());
    to.lists3_f64.extend(lists());
    to.lists2.extend(lists());
    let ghosts = [
        lister::<_, 3, GhostPairs<Pairs<f32, 3>>>("plain pairs, ghosts"),
        lister::<_, 3, Ghosts<Grid<f32, 3>>>("plain grid, ghosts"),
    ];
    to.periodic3
        .extend(ghosts.map(|e| e.of_kind(Kind::Reference)));
    to.counts3.extend([
        rebuilt_counter::<_, 3, Grid<f32, 3>>().of_kind(Kind::Reference),
        counter::<_, 3, Pairs<f32, 3>>("plain pairs").of_kind(Kind::Reference),
    ]);
    to.voxels.push(voxelizer::<row_loop::RowLoop>());
}

fn lists<S: Scalar + Default, const D: usize>() -> Vec<BatchContestant<S, D>> {
    vec![
        rebuilt::<S, D, Loop<Grid<S, D>>>().of_kind(Kind::Reference),
        lister::<S, D, BothWays<Pairs<S, D>>>("plain pairs").of_kind(Kind::Reference),
    ]
}

struct Scan<S, const D: usize>(Vec<[S; D]>);

impl<S: Scalar, const D: usize> Index<S, D> for Scan<S, D> {
    const NAME: &'static str = "scan";
    const KIND: Kind = Kind::Reference;
    const MOST_POINTS: usize = 10_000;

    fn build(points: &[[S; D]], _: S) -> Self {
        Self(points.to_vec())
    }
}

impl<S: Scalar, const D: usize> Radius<S, D> for Scan<S, D> {
    fn count(&mut self, center: &[S; D], radius: S) -> usize {
        let limit = radius * radius;
        let hits = self.0.iter().filter(|p| distance_sq(p, center) <= limit);
        hits.count()
    }

    fn collect(&mut self, center: &[S; D], radius: S, ids: &mut Vec<u32>) {
        let limit = radius * radius;
        let hits = (self.0.iter().zip(0..)).filter(|(p, _)| distance_sq(p, center) <= limit);
        ids.extend(hits.map(|(_, id)| id));
    }
}

/// Sort and sweep along axis 0. Each step begins with the order of the step before.
struct Sweep<const D: usize> {
    /// The low ends of the boxes, with their ids.
    order: Vec<(f32, u32)>,
    sorted: Vec<Bounds<D>>,
}

impl<const D: usize> Stepper<D> for Sweep<D> {
    const NAME: &'static str = "sweep";
    const KIND: Kind = Kind::Reference;
    const STARTS_AFRESH: bool = true;
    const MOST_BOXES: usize = 100_000;

    fn new(boxes: &[Bounds<D>]) -> Self {
        Self {
            order: (0..boxes.len() as u32).map(|id| (0.0, id)).collect(),
            sorted: Vec::new(),
        }
    }

    fn step(&mut self, boxes: &[Bounds<D>], _: &[u32], pairs: &mut Vec<Pair>) {
        // Sort the boxes by their low ends.
        for (low, id) in &mut self.order {
            *low = boxes[*id as usize].min[0];
        }
        self.order.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.sorted.clear();
        let sorted = self.order.iter().map(|&(_, id)| boxes[id as usize]);
        self.sorted.extend(sorted);
        // Compare each box with those that begin before its high end.
        pairs.clear();
        for (i, a) in self.sorted.iter().enumerate() {
            for (j, b) in self.sorted.iter().enumerate().skip(i + 1) {
                if b.min[0] > a.max[0] {
                    break;
                }
                if a.overlaps(b) {
                    pairs.push(pair(self.order[i].1, self.order[j].1));
                }
            }
        }
    }
}

/// A grid for each doubling of size, rebuilt in each step. It also finds the expected pairs.
struct BoxGrid;

impl<const D: usize> Stepper<D> for BoxGrid {
    const NAME: &'static str = "grid";
    const KIND: Kind = Kind::Reference;
    const STARTS_AFRESH: bool = true;

    fn new(_: &[Bounds<D>]) -> Self {
        Self
    }

    fn step(&mut self, boxes: &[Bounds<D>], _: &[u32], pairs: &mut Vec<Pair>) {
        pairs.clear();
        pairs_by_grid(boxes, pairs);
    }
}
