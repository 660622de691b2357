//! Slabs filled by the rules: by the lattice planes for the closed and the half-open rule, by the middles
//! of cells for those of centers, bands and thin surfaces.

use core::ops::Range;

use super::RoundSlabs;
use super::rows::{CombinedRows, Edges, HalfOpenRows};
use super::shape::RowTest;
use super::solver::Marks;
use crate::vector::Scalar;
use crate::voxel::slab::{Columns, Strip};

impl<S: Scalar> RoundSlabs<S> {
    pub(super) fn write_half_open(
        &self,
        strip: &Strip,
        edges: &Edges,
        near: [&[i32]; 4],
        far: Option<[&[i32]; 4]>,
        columns: &mut Columns,
    ) {
        let (at, rows) = (&strip.at, strip.rows());
        let rows_down = edges.rows_down;
        let cell = self.axes[1].cell - i64::from(rows.start);
        let cell = cell.clamp(0, strip.count as i64) as usize;
        for part in [
            0..cell.min(rows_down),
            cell.min(rows_down)..cell.max(rows_down),
            cell.max(rows_down)..strip.count,
        ] {
            if part.is_empty() {
                continue;
            }
            let is_down = part.start < rows_down;
            let row = edges.far + part.start + if is_down { 0 } else { 2 };
            let below = |a: usize, from: i64| a >= self.round.dim || i64::from(at[a]) < from;
            let higher = |f: &dyn Fn(usize) -> bool| (2..self.round.dim).all(f);
            let rest = [self.height(2, at[2]), self.height(3, at[3])];
            let y = |row: usize| rows.start + row as i32;
            self.instructions.run(HalfOpenRows {
                near: near.map(|column| &column[edges.near + part.start..]),
                far: far.map(|far| far.map(|column| &column[row..])),
                lines: self.lines(&(y(part.start)..y(part.end)), Marks::Planes, rest),
                limit: self.round.limit,
                has_near: (self.round.dim < 2 || part.start >= cell)
                    && higher(&|a| !below(a, self.axes[a].cell)),
                has_far: (self.round.dim < 2 || is_down)
                    && higher(&|a| below(a, self.axes[a].upper)),
                cell: self.axes[0].cell as i32,
                is_upper: self.axes[0].cell >= self.axes[0].upper,
                x: self.block_range(0),
                to: columns.rows_from(strip.first + part.start),
            });
        }
    }
}

impl<S: Scalar> RoundSlabs<S> {
    /// What the axes from 2 on add, by the middles, but on one by the planes.
    fn rest(&self, at: &[i32; 4], by_planes: Option<usize>) -> [S; 2] {
        [2, 3].map(|a| {
            let marks = if by_planes == Some(a) {
                Marks::Planes
            } else {
                Marks::Middles
            };
            self.offset(a, at[a], marks)
        })
    }

    pub(super) fn fill_by_middles(&mut self, strip: &Strip, columns: &mut Columns) {
        let (at, rows) = (&strip.at, strip.rows());
        self.compute_offsets(&rows);
        let rest = self.rest(at, None);
        let mut combined = CombinedRows::new(columns.of(strip));
        let is_band = self.round.test == RowTest::Band;
        self.find_ends(0, (Marks::Middles, false), (&rows, Marks::Middles), rest);
        let [first, first_below, last_below, last] = self.found[0].ends.get();
        if is_band {
            combined.add(first_below, last_below, 0, 1);
        } else {
            combined.add(first, last, 0, 1);
        }
        if self.round.hole.is_some() {
            self.find_ends(1, (Marks::Middles, true), (&rows, Marks::Middles), rest);
            let [first, first_below, last_below, last] = self.found[1].ends.get();
            if is_band {
                combined.leave_out(0, first, last, 0, 1);
            } else {
                combined.leave_out(0, first_below, last_below, 0, 1);
            }
        }
        combined.finish(self.block_range(0));
    }

    pub(super) fn fill_layer(&mut self, strip: &Strip, columns: &mut Columns) {
        let (at, rows) = (&strip.at, strip.rows());
        self.compute_offsets(&rows);
        let around = if self.round.dim > 1 {
            rows.start - 1..rows.end + 1
        } else {
            rows.clone()
        };
        let mut combined = CombinedRows::new(columns.of(strip));
        let upper = self.turning_row(1, &rows, Marks::Middles);
        self.find_ends(
            0,
            (Marks::Middles, false),
            (&around, Marks::Middles),
            self.rest(at, None),
        );
        let [first, _, _, last] = self.found[0].from(rows.start);
        combined.add(first, last, 0, 1);
        combined.leave_out(0, first, last, 1, 0);
        if self.round.dim > 1 {
            self.leave_out_shifted(&mut combined, &rows, upper, false);
        }
        for a in 2..self.round.dim {
            let mut beyond = *at;
            beyond[a] = self.outwards(a, at[a], Marks::Middles);
            let rest = self.rest(&beyond, None);
            self.find_ends(1, (Marks::Middles, false), (&rows, Marks::Middles), rest);
            let [first, _, _, last] = self.found[1].ends.get();
            combined.leave_out(0, first, last, 0, 1);
        }
        combined.finish(self.block_range(0));
    }

    /// Leaves out the middles of the first plane in the row one step outwards.
    fn leave_out_shifted(
        &self,
        combined: &mut CombinedRows<'_>,
        rows: &Range<i32>,
        upper: i32,
        below: bool,
    ) {
        for (part, step) in [(rows.start..upper, -1), (upper..rows.end, 1)] {
            if part.is_empty() {
                continue;
            }
            let [first, first_below, last_below, last] = self.found[0]
                .from(part.start + step)
                .map(|column| &column[..part.len()]);
            let to = (part.start - rows.start) as usize;
            if below {
                combined.leave_out(to, first_below, last_below, 0, 1);
            } else {
                combined.leave_out(to, first, last, 0, 1);
            }
        }
    }

    pub(super) fn fill_thin(&mut self, strip: &Strip, columns: &mut Columns) {
        let (at, rows) = (&strip.at, strip.rows());
        self.compute_offsets(&rows);
        let mut combined = CombinedRows::new(columns.of(strip));
        let hole = self.round.hole;
        let differs = hole.is_some_and(|hole| hole != self.round.limit);
        // Along axis 0, from plane to plane; only where the line through the middles is met.
        let rest = self.rest(at, None);
        self.find_ends(0, (Marks::Planes, false), (&rows, Marks::Middles), rest);
        let [first, _, _, last] = self.found[0].ends.get();
        let lines = self.lines(&rows, Marks::Middles, rest);
        let limit = self.round.limit;
        combined.add_if(first, last, |row| {
            (lines.offsets[row] + lines.rest[0]) + lines.rest[1] <= limit
        });
        if hole.is_some() {
            if differs {
                self.find_ends(0, (Marks::Planes, true), (&rows, Marks::Middles), rest);
            }
            let [_, first_below, last_below, _] = self.found[0].ends.get();
            combined.leave_out(0, first_below, last_below, 0, 0);
        }
        // Along axis 1, whose far planes are the near ones of the row beyond.
        if self.round.dim > 1 {
            let around = rows.start - 1..rows.end + 1;
            self.find_ends(0, (Marks::Middles, false), (&around, Marks::Planes), rest);
            let [first, _, _, last] = self.found[0].from(rows.start);
            combined.add(first, last, 0, 1);
            if hole.is_some() {
                if differs {
                    self.find_ends(0, (Marks::Middles, true), (&around, Marks::Planes), rest);
                }
                let upper = self.turning_row(1, &rows, Marks::Planes);
                self.leave_out_shifted(&mut combined, &rows, upper, true);
            }
        }
        // Along the others.
        for a in 2..self.round.dim {
            let rest = self.rest(at, Some(a));
            self.find_ends(0, (Marks::Middles, false), (&rows, Marks::Middles), rest);
            let [first, _, _, last] = self.found[0].ends.get();
            combined.add(first, last, 0, 1);
            if hole.is_some() {
                let mut beyond = *at;
                beyond[a] = self.outwards(a, at[a], Marks::Planes);
                let rest = self.rest(&beyond, Some(a));
                self.find_ends(0, (Marks::Middles, true), (&rows, Marks::Middles), rest);
                let [_, first_below, last_below, _] = self.found[0].ends.get();
                combined.leave_out(0, first_below, last_below, 0, 1);
            }
        }
        combined.finish(self.block_range(0));
    }
}
