//! What lies around a cell, gathered: without the points that are too far from the box around those
//! which ask, if leaving them out is quick. That box holds 0.4 of a cell where 7 points are in each, and
//! a little more than half of what is in the cells around is left.

use fearless_simd::Simd;

use super::ask::Ask;
use super::buckets::Buckets;
use super::limit::Limit;
use super::near::{Near, sixteen, sixteen_mut};
use super::walk::Walk;
use crate::overlap::lanes::W;
use crate::simd::{Column, LANES, Lane, Mask, Wide};
use crate::{Periodic, Scalar, Vector, Voxel};

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
    fn new<L: Limit<V>>(simd: S, walk: &Walk<'_, V>, ask: &Ask<'_, V>) -> Self {
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
        if L::SIZED {
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
    fn meets<L: Limit<V>, const SHIFTED: bool>(
        &self,
        held: &Buckets<V>,
        at: usize,
        offset: V,
    ) -> Mask {
        let zero = <W<V, S>>::splat(self.simd, V::Scalar::ZERO);
        let mut sum = zero;
        for axis in 0..V::DIM {
            let there = self.load(held, axis, at);
            let (low, high) = (self.low[axis], self.high[axis]);
            let mut apart = zero.larger((low - there).larger(there - high));
            if SHIFTED {
                let offset = <W<V, S>>::splat(self.simd, offset.axis(axis));
                let moved = there + offset;
                let if_first = zero.larger((low - moved).larger(moved - high));
                let (low, high) = (low - offset, high - offset);
                apart = zero.larger((low - there).larger(there - high));
                apart = apart.smaller(if_first);
            }
            sum = sum + apart * apart;
        }
        let sizes = if L::SIZED {
            self.load(held, V::DIM, at)
        } else {
            self.size
        };
        sum.at_most(L::squares(self.size, sizes))
    }

    #[inline(always)]
    fn load(&self, held: &Buckets<V>, column: usize, at: usize) -> W<V, S> {
        <W<V, S>>::load(self.simd, sixteen(held.column(column), at))
    }
}

impl<V: Vector> Near<V> {
    /// Gathers the runs of a walk.
    #[inline(always)]
    pub(crate) fn gather<L: Limit<V>, S: Simd>(
        &mut self,
        simd: S,
        walk: &Walk<'_, V>,
        ask: Ask<'_, V>,
    ) {
        let many: usize = walk
            .runs
            .iter()
            .map(|run| (run.to - run.from) as usize)
            .sum();
        self.make_room(many, V::DIM + usize::from(L::SIZED));
        self.len = 0;
        self.shifted = !walk.images.is_empty();
        let is_quick = <V::Scalar as Lane>::is_quick(simd) && <u32 as Lane>::is_quick(simd);
        if is_quick && walk.own.len() > FEW {
            let around = Around::<V, S>::new::<L>(simd, walk, &ask);
            for run in &walk.runs {
                let (from, to) = (run.from as usize, run.to as usize);
                let before = self.len;
                if run.image == 0 {
                    let nowhere = V::splat(V::Scalar::ZERO);
                    self.pack::<L, S, false>(&around, ask.held, from, to, nowhere);
                } else {
                    let offset = offset_of(walk, ask.periodic, run.image);
                    self.pack::<L, S, true>(&around, ask.held, from, to, offset);
                }
                if self.shifted {
                    self.shift(walk, &ask, run.image, before);
                }
            }
        } else {
            for run in &walk.runs {
                let before = self.len;
                self.add::<L>(ask.held, run.from as usize, run.to as usize);
                if self.shifted {
                    self.shift(walk, &ask, run.image, before);
                }
            }
        }
        // What is read behind the last is near nothing.
        let nowhere = V::Scalar::from_f64(f64::NAN);
        *sixteen_mut(&mut self.columns, self.begin + self.len) = [nowhere; LANES];
    }

    /// Sixteen are written at a time, and sixteen read.
    #[inline(always)]
    fn make_room(&mut self, many: usize, columns: usize) {
        if self.stride < many + 2 * LANES {
            self.grow(many, columns);
        }
    }

    #[cold]
    fn grow(&mut self, many: usize, columns: usize) {
        // Not a multiple of a page, so that no store looks like another's.
        self.stride = (2 * many).next_multiple_of(1024).max(2048) + 272;
        let zero = V::Scalar::ZERO;
        self.columns.resize(columns * self.stride + LANES, zero);
        self.indices.resize(self.stride, 0);
        let aligned = self.columns.as_ptr();
        let aligned = aligned.align_offset(align_of::<Column<V::Scalar>>());
        self.begin = aligned.min(LANES);
    }

    /// Whole vectors are copied; what is too much is overwritten by the next run.
    #[inline(always)]
    fn add<L: Limit<V>>(&mut self, held: &Buckets<V>, from: usize, to: usize) {
        let mut source = from;
        let mut target = self.len;
        while source < to {
            for column in 0..V::DIM + usize::from(L::SIZED) {
                let place = self.begin + column * self.stride + target;
                *sixteen_mut(&mut self.columns, place) = *sixteen(held.column(column), source);
            }
            let indices = sixteen(held.indices_and_more(), source);
            *sixteen_mut(&mut self.indices, target) = *indices;
            source += LANES;
            target += LANES;
        }
        self.len += to - from;
    }

    /// The same of what may be near the points that ask.
    #[inline(always)]
    fn pack<L: Limit<V>, S: Simd, const SHIFTED: bool>(
        &mut self,
        around: &Around<V, S>,
        held: &Buckets<V>,
        from: usize,
        to: usize,
        offset: V,
    ) {
        let simd = around.simd;
        let mut source = from;
        let mut target = self.len;
        while source < to {
            let left = Mask::new(simd, u32::MAX >> (32 - (to - source).min(LANES)));
            let mask = left & around.meets::<L, SHIFTED>(held, source, offset);
            for column in 0..V::DIM + usize::from(L::SIZED) {
                let lanes = sixteen(held.column(column), source);
                let place = self.begin + column * self.stride + target;
                Lane::squeeze(simd, lanes, mask, &mut self.columns, place);
            }
            let indices = sixteen(held.indices_and_more(), source);
            Lane::squeeze(simd, indices, mask, &mut self.indices, target);
            source += LANES;
            target += mask.count();
        }
        self.len = target;
    }

    /// Finds the offset of each that was gathered last, all from one run.
    #[cold]
    fn shift(&mut self, walk: &Walk<'_, V>, ask: &Ask<'_, V>, image: u32, from: usize) {
        self.offsets.resize(V::DIM * self.stride, V::Scalar::ZERO);
        self.lower.resize(self.stride, 0);
        let offset = offset_of(walk, ask.periodic, image);
        let mut is_lower = false;
        if image > 0 && !ask.between {
            let image = walk.images[image as usize - 1];
            is_lower = image.iter().rfind(|&&k| k != 0).is_some_and(|&k| k < 0);
        }
        for axis in 0..V::DIM {
            self.offsets[axis * self.stride..][from..self.len].fill(offset.axis(axis));
        }
        self.lower[from..self.len].fill(u32::from(is_lower));
    }
}

/// The offset of an image, as a run names it.
fn offset_of<V: Vector>(walk: &Walk<'_, V>, periodic: Option<&Periodic<V>>, image: u32) -> V {
    match periodic.filter(|_| image > 0) {
        Some(periodic) => {
            let image = walk.images[image as usize - 1];
            periodic.offset(V::Voxel::from_fn(|a| image[a]))
        }
        None => V::splat(V::Scalar::ZERO),
    }
}
