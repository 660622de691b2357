//! Slabs by the lattice planes: the closed and the half-open rule.

use super::rows::{Closed, Edges, HalfOpen};
use super::sheet::Sheet;
use super::{RoundSlabs, RowTest};
use crate::Scalar;
use crate::voxel::ruler::Marks;
use crate::voxel::slab::{Columns, Slab, Strip};

impl<S: Scalar> RoundSlabs<S> {
    /// Fills strips in their order.
    pub(super) fn fill_by_planes(&mut self, slab: &mut Slab) {
        if self.can_pack(&slab.strips) {
            self.fill_together(slab);
            return;
        }
        let Slab { strips, columns } = slab;
        for strip in strips {
            self.fill_strip(strip, columns);
        }
    }

    fn fill_strip(&mut self, strip: &Strip, columns: &mut Columns) {
        let (at, rows) = (&strip.at, strip.rows());
        self.measure(&rows);
        let around = rows.start - 1..rows.end + 1;
        let near = self.sheet(false, at[2], at[3], around.clone());
        let out = |slabs: &Self, a| {
            if a < self.round.dim {
                slabs.outwards(a, at[a], Marks::Planes)
            } else {
                0
            }
        };
        let (z, w) = (out(self, 2), out(self, 3));
        let far = self.round.hole.map(|_| self.sheet(true, z, w, around));
        let near = &self.sheets[near];
        let far = far.map(|far| &self.sheets[far]);
        let before = |sheet: &Sheet| (rows.start - 1 - sheet.rows.start) as usize;
        let edges = Edges {
            near: before(near) + 1,
            // On a line alone there is no step.
            far: far.map_or(0, before) + usize::from(self.round.dim == 1),
            turn: self.turn(strip),
        };
        self.settle(
            core::slice::from_ref(strip),
            &[edges],
            near.ends.from(0),
            far.map(|far| far.ends.from(0)),
            columns,
        );
    }

    /// In how many rows the step outwards is one down.
    #[inline(always)]
    pub(super) fn turn(&self, strip: &Strip) -> usize {
        let upper = self.parted(1, &strip.rows(), Marks::Planes);
        (upper - strip.at[1]) as usize
    }

    /// Makes columns of strips of the ends on their edges.
    pub(super) fn settle(
        &self,
        strips: &[Strip],
        edges: &[Edges],
        near: [&[i32]; 4],
        far: Option<[&[i32]; 4]>,
        columns: &mut Columns,
    ) {
        let x = self.block_range(0);
        if self.round.test == RowTest::Closed {
            let to = columns.rows_from(0);
            self.instructions.run(Closed {
                strips,
                edges,
                near,
                far,
                x,
                to,
            });
            return;
        }
        for (strip, edges) in strips.iter().zip(edges) {
            self.settle_half_open(strip, edges, near, far, columns);
        }
    }

    fn settle_half_open(
        &self,
        strip: &Strip,
        edges: &Edges,
        near: [&[i32]; 4],
        far: Option<[&[i32]; 4]>,
        columns: &mut Columns,
    ) {
        let (at, rows) = (&strip.at, strip.rows());
        let turn = edges.turn;
        let cell = self.sides[1].cell - i64::from(rows.start);
        let cell = cell.clamp(0, strip.many as i64) as usize;
        for part in [
            0..cell.min(turn),
            cell.min(turn)..cell.max(turn),
            cell.max(turn)..strip.many,
        ] {
            if part.is_empty() {
                continue;
            }
            let is_down = part.start < turn;
            let row = edges.far + part.start + if is_down { 0 } else { 2 };
            let below = |a: usize, from: i64| a >= self.round.dim || i64::from(at[a]) < from;
            let higher = |f: &dyn Fn(usize) -> bool| (2..self.round.dim).all(f);
            let rest = [self.height(2, at[2]), self.height(3, at[3])];
            let y = |row: usize| rows.start + row as i32;
            self.instructions.run(HalfOpen {
                near: near.map(|column| &column[edges.near + part.start..]),
                far: far.map(|far| far.map(|column| &column[row..])),
                lines: self.lines(&(y(part.start)..y(part.end)), Marks::Planes, rest),
                limit: self.round.limit,
                has_near: (self.round.dim < 2 || part.start >= cell)
                    && higher(&|a| !below(a, self.sides[a].cell)),
                has_far: (self.round.dim < 2 || is_down)
                    && higher(&|a| below(a, self.sides[a].upper)),
                cell: self.sides[0].cell as i32,
                is_upper: self.sides[0].cell >= self.sides[0].upper,
                x: self.block_range(0),
                to: columns.rows_from(strip.first + part.start),
            });
        }
    }
}
