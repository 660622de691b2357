//! From the ends of lines to the columns of a slab.

use core::ops::Range;

use fearless_simd::Simd;

use super::solver::Lines;
use crate::simd::LANES;
use crate::vector::Scalar;
use crate::voxel::slab::{Strip, put, sixteen};

/// The cells `start..end` without `hole..rest`, within others.
#[inline(always)]
fn within(x: &Range<i32>, start: i32, hole: i32, rest: i32, end: i32) -> [i32; 4] {
    let end = end.max(start);
    // Without a hole, the second range is empty.
    let is_hollow = hole < rest;
    let hole = if is_hollow { hole } else { end };
    let rest = if is_hollow { rest } else { end };
    [
        clipped(start, x),
        clipped(hole.max(start).min(end), x),
        clipped(rest.max(start).min(end), x),
        clipped(end, x),
    ]
}

#[inline(always)]
fn clipped(index: i32, x: &Range<i32>) -> i32 {
    index.max(x.start).min(x.end)
}

/// Where the edges of a strip's rows are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edges {
    /// The near edge of the first row.
    pub(super) near: usize,
    /// The far one, if a step outwards is one down; one up, it is two lines on.
    pub(super) far: usize,
    /// In so many rows it is one down.
    pub(super) rows_down: usize,
}

/// Rows of closed cells: the ends on the lines of their near edges, and on those of their far ones.
///
/// ```text
/// for each row:
///     met  = first near plane - 1 .. last near plane + 1
///     left out = first far plane .. last far plane below the limit of the hole, of the line one step outwards
///     write met without left out, clipped to the block
/// ```
#[inline(always)]
pub(super) fn closed_rows<S: Simd>(
    _: S,
    strips: &[Strip],
    // By strips.
    edges: &[Edges],
    near: [&[i32]; 4],
    far: Option<[&[i32]; 4]>,
    x: Range<i32>,
    to: [&mut [i32]; 4],
) {
    let ([near_first, .., near_last], mut to) = (near, to);
    for (strip, edges) in strips.iter().zip(edges) {
        let rows_down = edges.rows_down as i32;
        for from in (0..strip.count).step_by(LANES) {
            let (first, last) = (
                sixteen(near_first, edges.near + from),
                sixteen(near_last, edges.near + from),
            );
            let mut rows = [[0; LANES]; 4];
            if let Some([_, far_first, far_last, _]) = far {
                let (down, up) = (edges.far + from, edges.far + from + 2);
                let (first_down, first_up) = (sixteen(far_first, down), sixteen(far_first, up));
                let (last_down, last_up) = (sixteen(far_last, down), sixteen(far_last, up));
                for i in 0..LANES {
                    let is_down = (from as i32).wrapping_add(i as i32) < rows_down;
                    // Not an `if`, which would gather what it chooses.
                    let down = -i32::from(is_down);
                    let hole = first_up[i] ^ ((first_down[i] ^ first_up[i]) & down);
                    let rest = last_up[i] ^ ((last_down[i] ^ last_up[i]) & down);
                    let (start, end) = (first[i].wrapping_sub(1), last[i].wrapping_add(1));
                    let row = within(&x, start, hole, rest, end);
                    [rows[0][i], rows[1][i], rows[2][i], rows[3][i]] = row;
                }
            } else {
                for i in 0..LANES {
                    let (start, end) = (first[i].wrapping_sub(1), last[i].wrapping_add(1));
                    // Without a hole its two ends are the same.
                    let row = within(&x, start, start, start, end);
                    [rows[0][i], rows[1][i], rows[2][i], rows[3][i]] = row;
                }
            }
            put(&mut to, strip.first + from, &rows);
        }
    }
}

/// Rows of half-open cells, which are those of closed ones but where what is compared equals the limit.
///
/// ```text
/// for each row:
///     met  = first near plane below the limit - 1 .. last near plane + 1, the last below the limit too unless
///            the nearest point belongs to the cell on all other axes; nothing if the row is beyond the limit
///     left out = first far plane .. last far plane, of the line one step outwards; the first below the limit
///            if the farthest corner belongs to the cell on all other axes
///     write met without left out, clipped to the block
/// ```
pub(super) struct HalfOpenRows<'a, S> {
    pub(super) near: [&'a [i32]; 4],
    pub(super) far: Option<[&'a [i32]; 4]>,
    /// The lines of the near edges.
    pub(super) lines: Lines<'a, S>,
    pub(super) limit: S,
    /// The nearest point belongs to the cells, on the axes above 0.
    pub(super) has_near: bool,
    /// The farthest corner belongs to the cells, on the axes above 0.
    pub(super) has_far: bool,
    /// The cell of the center on axis 0, and whether its upper face is the farther one.
    pub(super) cell: i32,
    pub(super) is_upper: bool,
    pub(super) x: Range<i32>,
    pub(super) to: [&'a mut [i32]; 4],
}

impl<S: Scalar> HalfOpenRows<'_, S> {
    #[inline(always)]
    pub(super) fn write(self) {
        let ([_, near_first, near_last_below, near_last], mut to) = (self.near, self.to);
        let is_upper = self.is_upper & self.far.is_some();
        let near_last = if self.has_near {
            near_last
        } else {
            near_last_below
        };
        // Without a hole its two ends are the same.
        let [far_first, far_first_below, _, far_last] = self.far.unwrap_or([near_last; 4]);
        let far_first = if self.has_far {
            far_first_below
        } else {
            far_first
        };
        let (limit, cell, has_near) = (self.limit, self.cell, self.has_near);
        let beyond = self.lines.rest;
        for from in (0..self.lines.count).step_by(LANES) {
            let offsets = sixteen(self.lines.offsets, from);
            let (first, last) = (sixteen(near_first, from), sixteen(near_last, from));
            let (hole, rest) = (sixteen(far_first, from), sixteen(far_last, from));
            let mut rows = [[0; LANES]; 4];
            for i in 0..LANES {
                let near = (offsets[i] + beyond[0]) + beyond[1];
                let is_met = (near < limit) | (has_near & (near == limit));
                // On the left the nearest point lies on an upper face.
                let start = first[i].wrapping_sub(1);
                let end = if is_met {
                    last[i].wrapping_add(1)
                } else {
                    start
                };
                // On the right the farthest corner lies on an upper face.
                let turned = is_upper & (rest[i] > cell);
                let hole = if turned { hole[i].min(cell) } else { hole[i] };
                let row = within(&self.x, start, hole, rest[i], end);
                [rows[0][i], rows[1][i], rows[2][i], rows[3][i]] = row;
            }
            put(&mut to, from, &rows);
        }
    }
}

/// Rows that are put together from several questions: what is met by one of them, without what is left
/// out by all.
pub(super) struct CombinedRows<'a> {
    columns: [&'a mut [i32]; 4],
    is_hollow: bool,
}

impl<'a> CombinedRows<'a> {
    pub(super) fn new(columns: [&'a mut [i32]; 4]) -> Self {
        let mut columns = columns;
        for (column, nothing) in columns
            .iter_mut()
            .zip([i32::MAX, i32::MIN, i32::MAX, i32::MIN])
        {
            column.fill(nothing);
        }
        Self {
            columns,
            is_hollow: false,
        }
    }

    /// Adds the cells from one to before another, each a little on.
    pub(super) fn add(&mut self, first: &[i32], last: &[i32], by_first: i32, by_last: i32) {
        let [start, .., end] = &mut self.columns;
        for (start, first) in start.iter_mut().zip(first) {
            *start = (*start).min(first + by_first);
        }
        for (end, last) in end.iter_mut().zip(last) {
            *end = (*end).max(last + by_last);
        }
    }

    /// Adds the cells between planes and around them, in some rows.
    pub(super) fn add_if(&mut self, first: &[i32], last: &[i32], is_met: impl Fn(usize) -> bool) {
        let [start, .., end] = &mut self.columns;
        for row in (0..start.len()).filter(|&row| is_met(row)) {
            start[row] = start[row].min(first[row] - 1);
            end[row] = end[row].max(last[row] + 1);
        }
    }

    /// Leaves out the cells from one to before another, each a little on, if all others do; from a row
    /// on.
    pub(super) fn leave_out(
        &mut self,
        row: usize,
        first: &[i32],
        last: &[i32],
        by_first: i32,
        by_last: i32,
    ) {
        self.is_hollow = true;
        let [_, hole, rest, _] = &mut self.columns;
        for (hole, first) in hole[row..].iter_mut().zip(first) {
            *hole = (*hole).max(first + by_first);
        }
        for (rest, last) in rest[row..].iter_mut().zip(last) {
            *rest = (*rest).min(last + by_last);
        }
    }

    pub(super) fn finish(self, x: Range<i32>) {
        let [start, hole, rest, end] = self.columns;
        for row in 0..start.len() {
            let (from, to) = if self.is_hollow {
                (hole[row], rest[row])
            } else {
                (0, 0)
            };
            let row_cells = within(&x, start[row], from, to, end[row]);
            [start[row], hole[row], rest[row], end[row]] = row_cells;
        }
    }
}
