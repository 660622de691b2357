//! All pairs of overlapping boxes, by a dense grid for each doubling of size: the expected answer of every row of
//! moving boxes.

use super::Bounds;
use crate::stepper::{Pair, pair};

/// Boxes of about one size, sorted by the cells of their centers.
struct Level<const D: usize> {
    low: [f32; D],
    cell: f32,
    cells: [usize; D],
    /// Half of the largest edge.
    reach: f32,
    /// The first item of each cell.
    starts: Vec<usize>,
    items: Vec<(Bounds<D>, u32)>,
}

impl<const D: usize> Level<D> {
    fn along(&self, axis: usize, x: f32) -> usize {
        let cell = ((x - self.low[axis]) / self.cell) as usize;
        cell.min(self.cells[axis] - 1)
    }

    fn cell_of(&self, cells: [usize; D]) -> usize {
        cells
            .iter()
            .zip(self.cells)
            .fold(0, |at, (&x, n)| at * n + x)
    }

    fn fill(&mut self, boxes: &[Bounds<D>], ids: &[u32]) {
        let home = |id: u32| {
            let center = boxes[id as usize].center();
            self.cell_of(std::array::from_fn(|a| self.along(a, center[a])))
        };
        let homes: Vec<usize> = ids.iter().map(|&id| home(id)).collect();
        let mut starts = vec![0; self.cells.iter().product::<usize>() + 1];
        for &home in &homes {
            starts[home + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        self.items = ids.iter().map(|&id| (boxes[id as usize], id)).collect();
        let mut free = starts.clone();
        for (&home, &id) in homes.iter().zip(ids) {
            let bounds = boxes[id as usize];
            self.items[free[home]] = (bounds, id);
            free[home] += 1;
            self.reach = self.reach.max(0.5 * longest(&bounds));
        }
        self.starts = starts;
    }

    /// Calls `f` with the range of items of each row of cells that may overlap a box.
    fn near(&self, bounds: &Bounds<D>, mut f: impl FnMut(usize, usize)) {
        // A margin for rounding.
        let asked = bounds.grown(1.0001 * self.reach);
        let first: [usize; D] = std::array::from_fn(|a| self.along(a, asked.min[a]));
        let last: [usize; D] = std::array::from_fn(|a| self.along(a, asked.max[a]));
        let mut row = first;
        loop {
            let start = self.cell_of(row);
            f(
                self.starts[start],
                self.starts[start + last[D - 1] - first[D - 1] + 1],
            );
            let Some(axis) = (0..D - 1).rev().find(|&a| row[a] < last[a]) else {
                return;
            };
            row[axis] += 1;
            row[axis + 1..].copy_from_slice(&first[axis + 1..]);
        }
    }
}

fn longest<const D: usize>(bounds: &Bounds<D>) -> f32 {
    let edges = bounds
        .max
        .iter()
        .zip(bounds.min)
        .map(|(max, min)| max - min);
    edges.fold(0.0, f32::max)
}

/// Appends all pairs.
pub(crate) fn pairs_by_grid<const D: usize>(boxes: &[Bounds<D>], pairs: &mut Vec<Pair>) {
    let mut low = [f32::MAX; D];
    let mut high = [f32::MIN; D];
    let (mut least, mut most) = (f32::MAX, 0.0f32);
    for bounds in boxes {
        for a in 0..D {
            low[a] = low[a].min(bounds.min[a]);
            high[a] = high[a].max(bounds.max[a]);
        }
        let size = longest(bounds);
        (least, most) = (least.min(size), most.max(size));
    }
    // The finest cells are as large as the smallest box, but there are at most two for each box.
    let extents = low
        .iter()
        .zip(high)
        .map(|(low, high)| f64::from(high - low));
    let volume = extents.product::<f64>() / (2 * boxes.len()) as f64;
    let finest = least.max(volume.powf(1.0 / D as f64) as f32);
    let level_of = |size: f32| (size / finest).log2().ceil().max(0.0) as usize;
    let mut sorted = vec![Vec::new(); level_of(most) + 1];
    for (id, bounds) in boxes.iter().enumerate() {
        sorted[level_of(longest(bounds))].push(id as u32);
    }
    let levels = sorted.iter().enumerate().map(|(i, ids)| {
        let cell = finest * (1 << i) as f32;
        let mut level = Level {
            low,
            cell,
            cells: std::array::from_fn(|a| ((high[a] - low[a]) / cell) as usize + 1),
            reach: 0.0,
            starts: Vec::new(),
            items: Vec::new(),
        };
        level.fill(boxes, ids);
        level
    });
    let levels: Vec<Level<D>> = levels.collect();
    for (i, level) in levels.iter().enumerate() {
        for (at, (bounds, id)) in level.items.iter().enumerate() {
            for (j, other) in levels.iter().enumerate().skip(i) {
                // On its own level, take only later items.
                let from = if i == j { at + 1 } else { 0 };
                other.near(bounds, |start, end| {
                    let start = start.max(from);
                    for (candidate, candidate_id) in &other.items[start..end.max(start)] {
                        if bounds.overlaps(candidate) {
                            pairs.push(pair(*id, *candidate_id));
                        }
                    }
                });
            }
        }
    }
}
