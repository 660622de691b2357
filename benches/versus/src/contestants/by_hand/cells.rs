//! A handwritten cell list: points are sorted by counting into cells as wide as the radius, and loops go over
//! the cells around each point.

use crate::contestant::rebuilt::{CountRun, PairRun};
use crate::contestant::{Index, Radius};
use crate::points::Scalar;
use crate::truth::distance_sq;
use std::array::from_fn;
use std::marker::PhantomData;
use std::ops::Range;

pub(crate) struct Grid<S, const D: usize> {
    low: [S; D],
    cells_per_length: S,
    size: [usize; D],
    /// Where each cell begins, the first axis fastest.
    starts: Vec<u32>,
    points: Vec<[S; D]>,
    ids: Vec<u32>,
}

impl<S: Scalar, const D: usize> Grid<S, D> {
    fn cell(&self, point: &[S; D]) -> [usize; D] {
        from_fn(|a| {
            let cell = (point[a] - self.low[a]) * self.cells_per_length;
            cell.to_usize().unwrap_or(0).min(self.size[a] - 1)
        })
    }

    fn number(&self, cell: [usize; D]) -> usize {
        (0..D)
            .rev()
            .fold(0, |number, a| number * self.size[a] + cell[a])
    }

    /// The ranges of points in the cells around a cell, row by row: of all rows, or with `half` of its own and those behind it.
    fn rows(&self, cell: [usize; D], half: bool) -> impl Iterator<Item = Range<usize>> {
        let count = 3usize.pow(D as u32 - 1);
        let first = if half { count / 2 } else { 0 };
        (first..count).filter_map(move |row| {
            let (mut at, mut rest) = (cell, row);
            for (x, &size) in at.iter_mut().zip(&self.size).skip(1) {
                *x = (*x + rest % 3).checked_sub(1)?;
                rest /= 3;
                if *x >= size {
                    return None;
                }
            }
            let x = at[0];
            at[0] = 0;
            let row = self.number(at);
            let low = self.starts[row + x.saturating_sub(1)];
            let high = self.starts[row + (x + 2).min(self.size[0])];
            Some(low as usize..high as usize)
        })
    }

    /// Calls `f` once for each pair.
    fn for_each_pair(&self, radius: S, mut f: impl FnMut(u32, u32)) {
        let limit = radius * radius;
        for slot in 0..self.points.len() {
            let point = self.points[slot];
            let rows = self.rows(self.cell(&point), true);
            for (row, mut range) in rows.enumerate() {
                // In the row of the point itself, take only later points.
                if row == 0 {
                    range.start = slot + 1;
                }
                for other in range {
                    if distance_sq(&self.points[other], &point) <= limit {
                        f(self.ids[slot], self.ids[other]);
                    }
                }
            }
        }
    }
}

impl<S: Scalar, const D: usize> Index<S, D> for Grid<S, D> {
    const NAME: &'static str = "plain grid";

    fn build(points: &[[S; D]], radius: S) -> Self {
        let end = |pick: fn(S, S) -> S| -> [S; D] {
            from_fn(|a| points.iter().map(|p| p[a]).fold(points[0][a], pick))
        };
        let (low, high) = (end(S::min), end(S::max));
        // Cells are a little wider than the radius, so that rounding puts no neighbor two cells away.
        let cells_per_length = S::one() / (radius * S::from_f32(1.0001));
        let cells = |a: usize| ((high[a] - low[a]) * cells_per_length).to_usize();
        let mut grid = Self {
            low,
            cells_per_length,
            size: from_fn(|a| cells(a).expect("cells can be counted") + 1),
            starts: Vec::new(),
            points: vec![[S::zero(); D]; points.len()],
            ids: vec![0; points.len()],
        };
        let mut starts = vec![0u32; grid.size.iter().product::<usize>() + 1];
        let number = |p| grid.number(grid.cell(p));
        let numbers: Vec<usize> = points.iter().map(number).collect();
        for &number in &numbers {
            starts[number] += 1;
        }
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        for (id, number) in numbers.into_iter().enumerate().rev() {
            starts[number] -= 1;
            grid.points[starts[number] as usize] = points[id];
            grid.ids[starts[number] as usize] = id as u32;
        }
        grid.starts = starts;
        grid
    }
}

impl<S: Scalar, const D: usize> Radius<S, D> for Grid<S, D> {
    fn count(&mut self, center: &[S; D], radius: S) -> usize {
        let limit = radius * radius;
        let near = |range: Range<usize>| {
            let points = self.points[range].iter();
            points.filter(|p| distance_sq(p, center) <= limit).count()
        };
        self.rows(self.cell(center), false).map(near).sum()
    }

    fn collect(&mut self, center: &[S; D], radius: S, ids: &mut Vec<u32>) {
        let limit = radius * radius;
        for range in self.rows(self.cell(center), false) {
            let points = self.points[range.clone()].iter().zip(&self.ids[range]);
            let near = points.filter(|(p, _)| distance_sq(p, center) <= limit);
            ids.extend(near.map(|(_, &id)| id));
        }
    }
}

/// Lists each pair once.
#[derive(Default)]
pub(crate) struct Pairs<S, const D: usize> {
    pairs: Vec<[u32; 2]>,
    scalar: PhantomData<S>,
}

impl<S: Scalar, const D: usize> PairRun<S, D> for Pairs<S, D> {
    fn pairs(&mut self, points: &[[S; D]], radius: S) -> &[[u32; 2]] {
        self.pairs.clear();
        let grid = Grid::build(points, radius);
        grid.for_each_pair(radius, |a, b| self.pairs.push([a, b]));
        &self.pairs
    }
}

impl<S: Scalar, const D: usize> CountRun<S, D> for Pairs<S, D> {
    fn count(&mut self, points: &[[S; D]], radius: S) -> u64 {
        let mut count = 0;
        Grid::build(points, radius).for_each_pair(radius, |_, _| count += 1);
        2 * count + points.len() as u64
    }
}
