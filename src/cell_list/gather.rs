//! What lies around a cell, gathered: without the points that are too far from the box around those
//! which ask, if leaving them out is quick. That box holds 0.4 of a cell where 7 points are in each, and
//! a little more than half of what is in the cells around is left.

use core::ops::Range;

use fearless_simd::Simd;

use super::buckets::Buckets;
use super::near::{Limit, Surroundings, sixteen, sixteen_mut};
use super::walk::Walk;
use crate::error::{Error, resize};
use crate::overlap::lanes::W;
use crate::simd::{Column, LANES, Lane, Mask, Wide};
use crate::vector::{Scalar, Vector, Voxel};

/// Fewer points that ask are not worth it.
const FEW: usize = 2;

/// The box around the points that ask, in registers.
struct Around<V: Vector, S: Simd> {
    simd: S,
    low: [W<V, S>; 4],
    high: [W<V, S>; 4],
    /// The largest of theirs, or the radius for all.
    size: W<V, S>,
}

impl<V: Vector, S: Simd> Around<V, S> {
    #[inline(always)]
    fn new(simd: S, walk: &Walk<'_, V>) -> Self {
        let ask = walk.ask;
        let zero = <W<V, S>>::splat(simd, V::Scalar::ZERO);
        let (mut low, mut high) = ([zero; 4], [zero; 4]);
        for axis in 0..V::DIM {
            let own = &ask.asking.column(axis)[walk.own.clone()];
            let (mut least, mut most) = (own[0], own[0]);
            for &at in own {
                least = least.smaller(at);
                most = most.larger(at);
            }
            low[axis] = <W<V, S>>::splat(simd, least);
            high[axis] = <W<V, S>>::splat(simd, most);
        }
        let mut size = ask.radius;
        if ask.limit.is_sized() {
            for &own in &ask.asking.column(V::DIM)[walk.own.clone()] {
                size = size.larger(own);
            }
        }
        Self {
            simd,
            low,
            high,
            size: <W<V, S>>::splat(simd, size),
        }
    }

    /// Those of sixteen that may be near a point in the box: by the operations of
    /// [`Probe`](super::near::Probe), all of which are monotone, however they are rounded.
    #[inline(always)]
    fn meets<const SHIFTED: bool>(
        &self,
        limit: Limit,
        held: &Source<'_, V>,
        at: usize,
        offset: V,
    ) -> Mask {
        let mut sum = <W<V, S>>::splat(self.simd, V::Scalar::ZERO);
        for axis in 0..V::DIM {
            let there = self.load(held, axis, at);
            let (low, high) = (self.low[axis], self.high[axis]);
            let mut apart = there - there.larger(low).smaller(high);
            if SHIFTED {
                let zero = <W<V, S>>::splat(self.simd, V::Scalar::ZERO);
                let offset = <W<V, S>>::splat(self.simd, offset.axis(axis));
                let (below, above) = ((low - there) - offset, (there - high) + offset);
                apart = zero.larger(below.larger(above));
            }
            let square = apart * apart;
            sum = if axis == 0 { square } else { sum + square };
        }
        sum.at_most(limit.squares::<V, S>(
            self.size,
            #[inline(always)]
            || self.load(held, V::DIM, at),
        ))
    }

    #[inline(always)]
    fn load(&self, held: &Source<'_, V>, column: usize, at: usize) -> W<V, S> {
        <W<V, S>>::load(self.simd, sixteen(held.columns[column], at))
    }
}

/// What is gathered from.
struct Source<'a, V: Vector> {
    columns: [&'a [V::Scalar]; 5],
    indices: &'a [u32],
}

impl<'a, V: Vector> Source<'a, V> {
    #[inline(always)]
    fn new(held: &'a Buckets<V>, columns: usize) -> Self {
        let mut all = [&[][..]; 5];
        for (number, column) in all.iter_mut().enumerate().take(columns) {
            *column = held.column(number);
        }
        Self {
            columns: all,
            indices: held.indices_and_more(),
        }
    }
}

/// Where it goes.
struct Target<'a, V: Vector> {
    columns: [&'a mut [V::Scalar]; 5],
    indices: &'a mut [u32],
    len: usize,
}

impl<V: Vector> Target<'_, V> {
    /// Whole vectors are copied; what is too much is overwritten by the next run.
    #[inline(always)]
    fn copy(&mut self, held: &Source<'_, V>, columns: usize, run: Range<usize>) {
        let mut target = self.len;
        for source in run.clone().step_by(LANES) {
            for column in 0..columns {
                let lanes = sixteen(held.columns[column], source);
                *sixteen_mut(self.columns[column], target) = *lanes;
            }
            *sixteen_mut(self.indices, target) = *sixteen(held.indices, source);
            target += LANES;
        }
        self.len += run.len();
    }

    /// The same of what may be near the points that ask.
    #[inline(always)]
    fn pack<S: Simd, const SHIFTED: bool>(
        &mut self,
        limit: Limit,
        held: &Source<'_, V>,
        run: Range<usize>,
        around: &Around<V, S>,
        offset: V,
    ) {
        let simd = around.simd;
        let mut target = self.len;
        let mut source = run.start;
        while source < run.end {
            let left = Mask::new(simd, u32::MAX >> (32 - (run.end - source).min(LANES)));
            let mask = left & around.meets::<SHIFTED>(limit, held, source, offset);
            for column in 0..limit.columns::<V>() {
                let lanes = sixteen(held.columns[column], source);
                Lane::compress(simd, lanes, mask, self.columns[column], target);
            }
            let indices = sixteen(held.indices, source);
            Lane::compress(simd, indices, mask, self.indices, target);
            source += LANES;
            target += mask.count();
        }
        self.len = target;
    }
}

impl<V: Vector> Surroundings<V> {
    /// Gathers the runs of a walk. A call for each cell: so it is compiled once for all that is done
    /// with what is near.
    #[inline(never)]
    pub(crate) fn gather<S: Simd>(&mut self, simd: S, walk: &Walk<'_, V>) -> Result<(), Error> {
        simd.vectorize(
            #[inline(always)]
            || self.gather_runs(simd, walk),
        )
    }

    #[inline(always)]
    fn gather_runs<S: Simd>(&mut self, simd: S, walk: &Walk<'_, V>) -> Result<(), Error> {
        let (ask, limit) = (walk.ask, walk.ask.limit);
        let columns = limit.columns::<V>();
        self.make_room(walk.points, columns)?;
        self.shifted = !walk.images.is_empty();
        let held = Source::new(ask.held, columns);
        let mut to = Target::<V> {
            columns: Default::default(),
            indices: &mut self.indices,
            len: 0,
        };
        let all = self.columns[self.begin..].chunks_exact_mut(self.stride);
        for (to, column) in to.columns.iter_mut().zip(all).take(columns) {
            *to = column;
        }
        let nowhere = V::splat(V::Scalar::ZERO);
        let is_quick = <V::Scalar as Lane>::is_quick(simd) && <u32 as Lane>::is_quick(simd);
        let packs = is_quick && walk.own.len() > FEW;
        let around = Around::<V, S>::new(simd, walk);
        self.ends.clear();
        for run in &walk.runs {
            let slots = run.from as usize..run.to as usize;
            if !packs {
                to.copy(&held, columns, slots);
            } else if self.shifted {
                to.pack::<S, true>(limit, &held, slots, &around, offset_of(walk, run.image));
            } else if limit == Limit::Radius {
                to.pack::<S, false>(Limit::Radius, &held, slots, &around, nowhere);
            } else {
                to.pack::<S, false>(limit, &held, slots, &around, nowhere);
            }
            if self.shifted {
                self.ends.push(to.len);
            }
        }
        // What is read behind the last is near nothing.
        *sixteen_mut(to.columns[0], to.len) = [V::Scalar::from_f64(f64::NAN); LANES];
        self.len = to.len;
        if self.shifted {
            self.shift(walk)?;
        }
        Ok(())
    }

    /// Sixteen are written at a time, and sixteen read.
    #[inline(always)]
    fn make_room(&mut self, many: usize, columns: usize) -> Result<(), Error> {
        if self.stride < many + 2 * LANES {
            self.grow(many, columns)?;
        }
        Ok(())
    }

    #[cold]
    fn grow(&mut self, many: usize, columns: usize) -> Result<(), Error> {
        // Not a multiple of a page, so that no store looks like another's.
        let stride = (2 * many).next_multiple_of(1024).max(2048) + 272;
        resize(&mut self.columns, columns * stride + LANES, V::Scalar::ZERO)?;
        resize(&mut self.indices, stride, 0)?;
        self.stride = stride;
        let aligned = self.columns.as_ptr();
        let aligned = aligned.align_offset(align_of::<Column<V::Scalar>>());
        self.begin = aligned.min(LANES);
        Ok(())
    }

    /// Finds the offset of each.
    #[cold]
    fn shift(&mut self, walk: &Walk<'_, V>) -> Result<(), Error> {
        resize(&mut self.offsets, V::DIM * self.stride, V::Scalar::ZERO)?;
        resize(&mut self.images, self.stride, [0; 4])?;
        let mut at = 0;
        for (run, &end) in walk.runs.iter().zip(&self.ends) {
            let offset = offset_of(walk, run.image);
            let image = match run.image {
                0 => [0; 4],
                image => walk.images[image as usize - 1],
            };
            for axis in 0..V::DIM {
                self.offsets[axis * self.stride..][at..end].fill(offset.axis(axis));
            }
            self.images[at..end].fill(image.map(|k| k as i16));
            at = end;
        }
        Ok(())
    }
}

/// The offset of an image, as a run names it.
fn offset_of<V: Vector>(walk: &Walk<'_, V>, image: u32) -> V {
    match walk.ask.periodic.filter(|_| image > 0) {
        Some(periodic) => {
            let image = walk.images[image as usize - 1];
            periodic.offset(V::Voxel::from_fn(|a| image[a]))
        }
        None => V::splat(V::Scalar::ZERO),
    }
}
