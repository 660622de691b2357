//! The walk from cell to cell, which finds the query points of each cell and the runs of points that may be near.
//!
//! The cells around a cell lie in rows along axis 0; the points of consecutive cells of a row are one run. The rows
//! around a cell are those around all cells of its row, and are looked up once.

use alloc::vec::Vec;
use core::ops::Range;

use super::pair_search::PairSearch;
use crate::error::{Error, reserve};
use crate::vector::Vector;

/// Points in consecutive slots that may be near the query points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) from: u32,
    pub(super) to: u32,
    /// The image in which they may be near.
    pub(super) image: [i32; 4],
}

/// A row of cells.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// The cell of the row that has index 0 on axis 0.
    cell: [i32; 4],
    /// In a dense grid, the number of the cell before that cell.
    number: usize,
    /// The image of the periodic box in which it lies.
    image: [i32; 4],
    /// In a grid that is not dense, the place in the keys at which the search for its cells begins.
    place: usize,
    /// The first and last step along axis 0 to cells that may hold neighbors.
    steps: (i32, i32),
}

/// A walk through the cells of the query points.
pub(super) struct Walk<'a, V: Vector> {
    pub(super) search: &'a PairSearch<'a, V>,
    /// The slots of the query points that are left.
    left: Range<usize>,
    /// The place of the current cell in `starts`.
    place: usize,
    /// The place behind the current row, in a dense grid.
    row_end: usize,
    /// The current cell.
    cell: [i32; 4],
    rows: Vec<Row>,
    /// The slots of the query points, all of one cell.
    pub(super) own: Range<usize>,
    pub(super) runs: Vec<Run>,
    /// The number of points in all runs.
    pub(super) points: usize,
    /// True if some runs are in another image.
    pub(super) is_shifted: bool,
}

impl<'a, V: Vector> Walk<'a, V> {
    /// Starts a walk through the cells of the query points at some slots.
    pub(super) fn new(search: &'a PairSearch<'a, V>, slots: Range<usize>) -> Self {
        let starts = &search.queries.starts;
        let behind = starts.partition_point(|&start| start as usize <= slots.start);
        Self {
            search,
            place: behind.saturating_sub(1),
            left: slots,
            row_end: 0,
            cell: [i32::MIN; 4],
            rows: Vec::new(),
            own: 0..0,
            runs: Vec::new(),
            points: 0,
            is_shifted: false,
        }
    }

    /// Goes to the next cell that holds query points. Returns false if there is none.
    pub(super) fn step(&mut self) -> Result<bool, Error> {
        if self.left.is_empty() {
            return Ok(false);
        }
        let starts = &self.search.queries.starts;
        while starts[self.place + 1] as usize <= self.left.start {
            self.place += 1;
        }
        let end = self.left.end.min(starts[self.place + 1] as usize);
        self.own = self.left.start..end;
        self.left.start = end;
        let grid = &self.search.level.grid;
        if grid.dense && self.place < self.row_end {
            // The next cell of the same row has the same rows around it.
            self.cell[0] = grid.dims[0] - (self.row_end - self.place) as i32 + 1;
        } else {
            let cell = grid.cell_at(self.place, &self.search.queries.keys);
            self.row_end = self.place + (grid.dims[0] - cell[0]) as usize + 1;
            if cell[1..] != self.cell[1..] {
                self.find_rows(cell)?;
            }
            self.cell = cell;
        }
        self.find_runs()?;
        Ok(true)
    }

    /// Finds the rows around a cell.
    fn find_rows(&mut self, cell: [i32; 4]) -> Result<(), Error> {
        // Searches for keys begin where those for the previous rows ended.
        let hints = core::mem::take(&mut self.rows);
        reserve(&mut self.rows, hints.len())?;
        let reach = self.search.level.grid.reach;
        // Go through all steps on the other axes or, if each pair comes once, those from the cell's own row on.
        let mut step = reach.map(|reach| -reach);
        step[0] = 0;
        step[V::DIM..].fill(0);
        if self.search.half {
            step.fill(0);
        }
        let mut number = 0;
        loop {
            let hint = hints.get(number).map_or(0, |row: &Row| row.place);
            if let Some(row) = self.row(cell, step, hint) {
                reserve(&mut self.rows, 1)?;
                self.rows.push(row);
            }
            number += 1;
            let Some(axis) = (1..V::DIM).find(|&a| step[a] < reach[a]) else {
                break;
            };
            step[axis] += 1;
            for a in 1..axis {
                step[a] = -reach[a];
            }
        }
        Ok(())
    }

    /// The row that lies some steps away from a cell; `None` if it has no neighbors.
    fn row(&self, cell: [i32; 4], step: [i32; 4], hint: usize) -> Option<Row> {
        let grid = &self.search.level.grid;
        let steps = grid.steps_to_neighbors(step)?;
        let mut row = Row {
            cell: [0; 4],
            number: 0,
            image: [0; 4],
            place: 0,
            steps,
        };
        for a in 1..V::DIM {
            let (at, dim) = (cell[a] + step[a], grid.dims[a]);
            row.cell[a] = at;
            if grid.periodic[a] {
                row.image[a] = at.div_euclid(dim);
                row.cell[a] = at.rem_euclid(dim);
            } else if grid.dense && !(-1..=dim).contains(&at) {
                return None;
            }
        }
        if grid.dense {
            row.number = grid.number(row.cell) as usize - 1;
        } else {
            let mut first = row.cell;
            // This key comes before all cells of the row, which begin at -1.
            first[0] = -2;
            row.place = seek(&self.search.level.buckets.keys, hint, grid.key(first));
        }
        Some(row)
    }

    /// Finds the runs of points in the rows around the current cell.
    fn find_runs(&mut self) -> Result<(), Error> {
        self.runs.clear();
        self.is_shifted = false;
        self.points = 0;
        reserve(&mut self.runs, self.rows.len())?;
        let at = self.cell[0];
        for number in 0..self.rows.len() {
            let steps = self.rows[number].steps;
            let mut from = at + steps.0;
            if self.search.half && number == 0 {
                from = at;
            }
            let until = at + steps.1;
            if self.search.level.grid.periodic[0] {
                self.go_around(number, from, until)?;
            } else {
                let until = until.min(self.search.level.grid.dims[0]);
                self.push(number, from.max(-1), until, 0);
            }
        }
        if self.search.half {
            // The first run starts with the query points, so that each is compared only with points behind it.
            if let Some(run) = self.runs.first_mut() {
                self.points -= self.own.start - run.from as usize;
                run.from = self.own.start as u32;
            }
        }
        Ok(())
    }

    /// Adds some cells of a row as runs, one for each image of the periodic box.
    fn go_around(&mut self, row: usize, mut from: i32, until: i32) -> Result<(), Error> {
        let dim = self.search.level.grid.dims[0];
        while from <= until {
            let (around, first) = (from.div_euclid(dim), from.rem_euclid(dim));
            let last = (first + until - from).min(dim - 1);
            reserve(&mut self.runs, 1)?;
            self.push(row, first, last, around);
            from += last - first + 1;
        }
        Ok(())
    }

    /// Adds some cells of a row as a run.
    #[inline(always)]
    fn push(&mut self, number: usize, first: i32, last: i32, around: i32) {
        let row = self.rows[number];
        let (from, to) = if self.search.level.grid.dense {
            let starts = &self.search.level.buckets.starts;
            let [first, end] = [first + 1, last + 2].map(|at| row.number + at as usize);
            (starts[first], starts[end])
        } else {
            self.find_cells(number, first, last)
        };
        let mut image = row.image;
        image[0] = around;
        if image != [0; 4] {
            if from == to {
                return;
            }
            self.is_shifted = true;
        }
        self.points += (to - from) as usize;
        self.runs.push(Run { from, to, image });
    }

    /// The points of some cells of a row, in a grid that is not dense.
    fn find_cells(&mut self, number: usize, first: i32, last: i32) -> (u32, u32) {
        let row = &mut self.rows[number];
        let key = |at: i32| {
            let mut cell = row.cell;
            cell[0] = at;
            self.search.level.grid.key(cell)
        };
        let (first, last) = (key(first), key(last));
        let (keys, starts) = (
            &self.search.level.buckets.keys,
            &self.search.level.buckets.starts,
        );
        let from = seek(keys, row.place, first);
        row.place = from;
        let mut to = from;
        while to < keys.len() && keys[to] <= last {
            to += 1;
        }
        (starts[from], starts[to])
    }
}

/// The place of the first key that is at least `key`, by exponential search from the hint.
fn seek(keys: &[u128], hint: usize, key: u128) -> usize {
    let is_less = |&other: &u128| other < key;
    // Bisect all keys if the hint lies behind the key.
    if hint > keys.len() || hint > 0 && !is_less(&keys[hint - 1]) {
        return keys.partition_point(is_less);
    }
    let mut step = 1;
    let mut from = hint;
    while from + step <= keys.len() && is_less(&keys[from + step - 1]) {
        from += step;
        step *= 2;
    }
    let to = keys.len().min(from + step);
    from + keys[from..to].partition_point(is_less)
}
