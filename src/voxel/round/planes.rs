//! Slabs by the lattice planes: the closed and the half-open rule.

use core::ops::Range;

use super::rows::{Closed, HalfOpen};
use super::{RoundSlabs, Way};
use crate::Vector;
use crate::overlap::round::Round;
use crate::voxel::ruler::Marks;
use crate::voxel::slab::Slab;

impl<R: Round> RoundSlabs<R> {
    pub(super) fn fill_by_planes(&mut self, at: &[i32; 4], rows: Range<i32>, slab: &mut Slab) {
        self.measure(&rows);
        let around = rows.start - 1..rows.end + 1;
        let near = self.sheet(false, at[2], at[3], around.clone());
        let out = |slabs: &Self, a| {
            let index = at[a];
            if a < R::Vector::DIM {
                slabs.outwards(a, index, Marks::Planes)
            } else {
                0
            }
        };
        let (z, w) = (out(self, 2), out(self, 3));
        let far = self.question.hole.map(|_| self.sheet(true, z, w, around));
        let x = self.block_range(0);
        let upper = self.parted(1, &rows, Marks::Planes);
        let cell = self.sides[1].cell.clamp(rows.start.into(), rows.end.into()) as i32;
        let parts = if self.question.way == Way::HalfOpen {
            [
                rows.start..cell.min(upper),
                cell.min(upper)..cell.max(upper),
                cell.max(upper)..rows.end,
            ]
        } else {
            [rows.start..upper, upper..rows.end, rows.end..rows.end]
        };
        for part in parts {
            if part.is_empty() {
                continue;
            }
            let many = part.len();
            let first = (part.start - rows.start) as usize;
            let to = slab.columns.rows_from(first);
            let row = match R::Vector::DIM {
                1 => part.start,
                _ if part.start < upper => part.start - 1,
                _ => part.start + 1,
            };
            let near = self.sheets[near].from(part.start);
            let far = far.map(|far| self.sheets[far].from(row));
            if self.question.way == Way::Closed {
                self.instructions.run(Closed {
                    many,
                    near,
                    far,
                    x: x.clone(),
                    to,
                });
            } else {
                let below = |a: usize, from: i64| a >= R::Vector::DIM || i64::from(at[a]) < from;
                let higher = |f: &dyn Fn(usize) -> bool| (2..R::Vector::DIM).all(f);
                let rest = [self.height(2, at[2]), self.height(3, at[3])];
                self.instructions.run(HalfOpen {
                    near,
                    far,
                    lines: self.lines(&part, Marks::Planes, rest),
                    limit: self.question.limit,
                    has_near: (R::Vector::DIM < 2 || i64::from(part.start) >= self.sides[1].cell)
                        && higher(&|a| !below(a, self.sides[a].cell)),
                    has_far: (R::Vector::DIM < 2 || part.start < upper)
                        && higher(&|a| below(a, self.sides[a].upper)),
                    cell: self.sides[0].cell as i32,
                    is_upper: self.sides[0].cell >= self.sides[0].upper,
                    x: x.clone(),
                    to,
                });
            }
        }
    }
}
