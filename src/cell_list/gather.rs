//! Gathers the candidates of each cell: the walk from cell to cell, and the packing of the points around a cell.
//!
//! The cells around a cell lie in rows along axis 0; the points of consecutive cells of a row are one run. The rows
//! around a cell are those around all cells of its row, and are looked up once.
//!
//! Points that are too far from the box around the cell's query points are left out, if the instruction set makes that quick. With 7 points
//! in each cell the box has 0.4 of a cell's volume, and a little more than half of the points in the cells around are packed.

use alloc::vec::Vec;
use core::ops::Range;

use fearless_simd::Simd;

use super::build::Level;
use super::pair_search::PairSearch;
use crate::candidates::{Candidates, Limit, Packer, sixteen};
use crate::error::{Error, reserve};
use crate::lattice::{Block, RowsOf};
use crate::overlap::lanes::W;
use crate::simd::{LANES, Lane, Mask, Wide};
use crate::vector::{Scalar, Vector, Voxel};

/// For up to this many query points, all points are packed, since testing them takes longer than it saves.
const FEW: usize = 2;

/// Points in consecutive slots that may be near the query points.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) slots: Range<u32>,
    /// The image in which they may be near.
    pub(super) image: [i32; 4],
}

/// A row of cells that may hold neighbors of the query points.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// The steps to it from the cell of the query points.
    step: [i32; 4],
    /// The first and last step along axis 0 to cells that may hold neighbors.
    along: (i32, i32),
    /// True if the row is in the grid.
    exists: bool,
    /// The cell of the row that has index 0 on axis 0.
    cell: [i32; 4],
    /// The image of the periodic box in which it lies.
    image: [i32; 4],
    /// In a dense grid, the number of that cell; otherwise the place in the keys at which the last search for a cell of the row ended.
    place: usize,
}

/// A walk through the cells of the query points.
pub(super) struct Walk<'a, V: Vector> {
    pub(super) search: &'a PairSearch<'a, V>,
    /// The slots of the query points that are left.
    left: Range<usize>,
    /// The place of the current cell in `starts`.
    place: usize,
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
    pub(super) fn new(search: &'a PairSearch<'a, V>, slots: Range<usize>) -> Result<Self, Error> {
        let grid = &search.level.grid;
        let starts = &search.queries.starts;
        let behind = starts.partition_point(|&start| start as usize <= slots.start);
        // Rows at all steps on the other axes or, if each pair comes once, those from the cell's own row on.
        let reach = |axis: usize| if axis == 0 { 0 } else { grid.reach[axis] };
        let rows = RowsOf::<V::Voxel>::new(Block {
            start: Voxel::from_fn(|axis| -reach(axis)),
            end: Voxel::from_fn(|axis| reach(axis) + 1),
        });
        let steps = rows.map(|row| Block::padded(&row).start);
        let steps = steps.skip_while(|step| search.half && *step != [0; 4]);
        let mut rows = Vec::new();
        for step in steps {
            if let Some(along) = grid.steps_to_neighbors(step) {
                reserve(&mut rows, 1)?;
                rows.push(Row {
                    step,
                    along,
                    exists: false,
                    cell: [0; 4],
                    image: [0; 4],
                    place: 0,
                });
            }
        }
        Ok(Self {
            search,
            place: behind.saturating_sub(1),
            left: slots,
            cell: [i32::MIN; 4],
            rows,
            own: 0..0,
            runs: Vec::new(),
            points: 0,
            is_shifted: false,
        })
    }

    /// Goes to the next cell that holds query points. Returns false if there is none.
    pub(super) fn step(&mut self) -> Result<bool, Error> {
        if self.left.is_empty() {
            return Ok(false);
        }
        let (queries, grid) = (self.search.queries, &self.search.level.grid);
        while queries.starts[self.place + 1] as usize <= self.left.start {
            self.place += 1;
        }
        let end = queries.starts[self.place + 1] as usize;
        self.own = self.left.start..end.min(self.left.end);
        self.left.start = self.own.end;
        let cell = grid.cell_at(self.place, &queries.keys);
        if cell[1..] != self.cell[1..] {
            for row in &mut self.rows {
                row.find(self.search.level, cell);
            }
        }
        self.cell = cell;
        self.find_runs()?;
        Ok(true)
    }

    /// Finds the runs of points in the rows around the current cell.
    fn find_runs(&mut self) -> Result<(), Error> {
        let PairSearch { level, half, .. } = *self.search;
        let (at, dim) = (self.cell[0], level.grid.dims[0]);
        self.runs.clear();
        (self.points, self.is_shifted) = (0, false);
        for (number, row) in self.rows.iter_mut().enumerate() {
            if !row.exists {
                continue;
            }
            let (mut first, mut last) = (at + row.along.0, at + row.along.1);
            if half && number == 0 {
                first = at;
            }
            if !level.grid.periodic[0] {
                (first, last) = (first.max(0), last.min(dim - 1));
            }
            // The cells of each image of the box are one run.
            while first <= last {
                let is_home = (0..dim).contains(&first);
                let around = if is_home { 0 } else { first.div_euclid(dim) };
                let begin = around * dim;
                let end = last.min(begin + dim - 1);
                let mut slots = row.slots(level, first - begin, end - begin);
                if half && self.runs.is_empty() {
                    // The first run starts with the query points, so that each is compared only with points behind it.
                    slots.start = self.own.start as u32;
                }
                if !slots.is_empty() {
                    let mut image = row.image;
                    image[0] = around;
                    self.is_shifted |= image != [0; 4];
                    self.points += slots.len();
                    reserve(&mut self.runs, 1)?;
                    self.runs.push(Run { slots, image });
                }
                first = end + 1;
            }
        }
        Ok(())
    }
}

impl Row {
    /// Finds the row that lies some steps away from a cell.
    fn find<V: Vector>(&mut self, level: &Level<V>, cell: [i32; 4]) {
        let grid = &level.grid;
        self.exists = true;
        for (axis, from) in cell.into_iter().enumerate().take(V::DIM).skip(1) {
            let (at, dim) = (from + self.step[axis], grid.dims[axis]);
            self.cell[axis] = at;
            if grid.periodic[axis] {
                self.cell[axis] = at.rem_euclid(dim);
                self.image[axis] = at.div_euclid(dim);
            } else {
                self.exists &= (0..dim).contains(&at);
            }
        }
        if grid.dense && self.exists {
            self.place = grid.number(self.cell) as usize;
        }
    }

    /// The slots of the points of some cells of the row.
    #[inline(always)]
    fn slots<V: Vector>(&mut self, level: &Level<V>, first: i32, last: i32) -> Range<u32> {
        let (starts, keys) = (&level.buckets.starts, &level.buckets.keys);
        if level.grid.dense {
            let [from, to] = [first, last + 1].map(|at| starts[self.place + at as usize]);
            return from..to;
        }
        let [first, last] = [first, last].map(|at| {
            let [_, y, z, w] = self.cell;
            level.grid.key([at, y, z, w])
        });
        self.place = seek(keys, self.place, first);
        let cells = keys[self.place..].iter().take_while(|&&key| key <= last);
        starts[self.place]..starts[self.place + cells.count()]
    }
}

/// The place of the first key that is at least `key`, by exponential search from the hint.
fn seek(keys: &[u128], hint: usize, key: u128) -> usize {
    let is_less = |&other: &u128| other < key;
    // Bisect all keys if the hint lies behind the key.
    if hint > 0 && !is_less(&keys[hint - 1]) {
        return keys.partition_point(is_less);
    }
    let (mut from, mut step) = (hint, 1);
    while from + step <= keys.len() && is_less(&keys[from + step - 1]) {
        from += step;
        step *= 2;
    }
    let to = keys.len().min(from + step);
    from + keys[from..to].partition_point(is_less)
}

/// Packs the runs of a walk. It is not inlined, so that it is compiled once for all sinks.
#[inline(never)]
pub(super) fn pack<V: Vector, S: Simd>(
    simd: S,
    walk: &Walk<'_, V>,
    to: &mut Candidates<V>,
) -> Result<(), Error> {
    simd.vectorize(
        #[inline(always)]
        || {
            let limit = walk.search.cells.limit;
            let columns = limit.columns::<V>();
            let is_shifted = walk.is_shifted;
            let mut to = to.pack(walk.points, columns, is_shifted)?;
            let points = &walk.search.level.buckets;
            let (mut held, indices) = ([&[][..]; 5], &points.indices[..]);
            for (number, held) in held.iter_mut().enumerate().take(columns) {
                *held = points.column(number);
            }
            let is_quick = <V::Scalar as Lane>::is_quick(simd) && <u32 as Lane>::is_quick(simd);
            let packs = is_quick && walk.own.len() > FEW;
            let around = Around::<V, S>::new(simd, walk);
            let nowhere = V::splat(V::Scalar::ZERO);
            for run in &walk.runs {
                let slots = run.slots.start as usize..run.slots.end as usize;
                let first = to.len();
                let image = <V::Voxel as Voxel>::from_fn(|a| run.image[a]);
                let periodic = walk.search.cells.periodic.as_ref().filter(|_| is_shifted);
                let offset = periodic.map_or(nowhere, |periodic| periodic.offset(image));
                if !packs {
                    to.copy(&held[..columns], indices, slots);
                } else if is_shifted {
                    around.pack::<true>(limit, (&held, indices), slots, offset, &mut to);
                } else if limit == Limit::Radius {
                    // A constant limit, so that the compiler specializes the loop for the most frequent one.
                    around.pack::<false>(Limit::Radius, (&held, indices), slots, nowhere, &mut to);
                } else {
                    around.pack::<false>(limit, (&held, indices), slots, nowhere, &mut to);
                }
                if is_shifted {
                    to.shift(first, run.image, offset);
                }
            }
            to.end();
            Ok(())
        },
    )
}

/// The box around the query points, in registers.
struct Around<V: Vector, S: Simd> {
    simd: S,
    low: [W<V, S>; 4],
    high: [W<V, S>; 4],
    /// The largest size of the query points, or the radius of all.
    size: W<V, S>,
}

impl<V: Vector, S: Simd> Around<V, S> {
    #[inline(always)]
    fn new(simd: S, walk: &Walk<'_, V>) -> Self {
        let (queries, own) = (walk.search.queries, &walk.own);
        let zero = <W<V, S>>::splat(simd, V::Scalar::ZERO);
        let (mut low, mut high) = ([zero; 4], [zero; 4]);
        for axis in 0..V::DIM {
            let own = &queries.column(axis)[own.clone()];
            let (mut least, mut most) = (own[0], own[0]);
            for &at in own {
                least = least.smaller(at);
                most = most.larger(at);
            }
            low[axis] = <W<V, S>>::splat(simd, least);
            high[axis] = <W<V, S>>::splat(simd, most);
        }
        let mut size = walk.search.level.radius;
        if walk.search.cells.limit.is_sized() {
            let sizes = &queries.column(V::DIM)[own.clone()];
            size = sizes.iter().copied().fold(V::Scalar::ZERO, Scalar::larger);
        }
        Self {
            simd,
            low,
            high,
            size: <W<V, S>>::splat(simd, size),
        }
    }

    /// Packs those points of a run that may be near a point in the box. They are in an image at an `offset` if they are `SHIFTED`.
    ///
    /// No point in the box is nearer to a point than the distance that is computed for the box, because the operations are those of
    /// [`QueryPoint::squares`](crate::candidates::QueryPoint::squares), which are monotone after rounding.
    #[inline(always)]
    fn pack<const SHIFTED: bool>(
        &self,
        limit: Limit,
        (held, indices): (&[&[V::Scalar]; 5], &[u32]),
        run: Range<usize>,
        offset: V,
        to: &mut Packer<'_, V>,
    ) {
        let simd = self.simd;
        let zero = <W<V, S>>::splat(simd, V::Scalar::ZERO);
        for at in run.clone().step_by(LANES) {
            // Compute the squared distances from the box to sixteen points.
            let mut squares = zero;
            for (axis, column) in held.iter().enumerate().take(V::DIM) {
                let there = <W<V, S>>::load(simd, sixteen(column, at));
                let (low, high) = (self.low[axis], self.high[axis]);
                let mut apart = there - there.larger(low).smaller(high);
                if SHIFTED {
                    let offset = <W<V, S>>::splat(simd, offset.axis(axis));
                    let (below, above) = ((low - there) - offset, (there - high) + offset);
                    apart = zero.larger(below.larger(above));
                }
                let square = apart * apart;
                squares = if axis == 0 { square } else { squares + square };
            }
            // Keep those that may be near.
            let near = squares.at_most(limit.squares::<V, S>(
                self.size,
                #[inline(always)]
                || <W<V, S>>::load(simd, sixteen(held[V::DIM], at)),
            ));
            let left = Mask::new(simd, u32::MAX >> (32 - (run.end - at).min(LANES)));
            to.push(
                simd,
                limit.columns::<V>(),
                #[inline(always)]
                |number| sixteen(held[number], at),
                sixteen(indices, at),
                left & near,
            );
        }
    }
}
