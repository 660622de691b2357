//! Packs the points around a cell as candidates. Points that are too far from the box around the cell's query points
//! are left out, if the instruction set makes that quick. With 7 points in each cell the box has 0.4 of a cell's
//! volume, and a little more than half of the points in the cells around are packed.

use core::ops::Range;

use fearless_simd::Simd;

use super::cell_walk::Walk;
use crate::candidates::{Candidates, Limit, Packer, sixteen};
use crate::error::Error;
use crate::overlap::lanes::W;
use crate::simd::{LANES, Lane, Mask, Wide};
use crate::vector::{Scalar, Vector, Voxel};

/// For up to this many query points, all points are packed, since testing them takes longer than it saves.
const FEW: usize = 2;

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
    /// The largest size of the query points, or the radius for all.
    size: W<V, S>,
}

impl<V: Vector, S: Simd> Around<V, S> {
    #[inline(always)]
    fn new(simd: S, walk: &Walk<'_, V>) -> Self {
        let search = walk.search;
        // Compute the box around the query points.
        let zero = <W<V, S>>::splat(simd, V::Scalar::ZERO);
        let (mut low, mut high) = ([zero; 4], [zero; 4]);
        for axis in 0..V::DIM {
            let own = &search.queries.column(axis)[walk.own.clone()];
            let (mut least, mut most) = (own[0], own[0]);
            for &at in own {
                least = least.smaller(at);
                most = most.larger(at);
            }
            low[axis] = <W<V, S>>::splat(simd, least);
            high[axis] = <W<V, S>>::splat(simd, most);
        }
        // Find the largest size, if points have sizes.
        let mut size = search.level.radius;
        if search.cells.limit.is_sized() {
            for &own in &search.queries.column(V::DIM)[walk.own.clone()] {
                size = size.larger(own);
            }
        }
        let size = <W<V, S>>::splat(simd, size);
        Self {
            simd,
            low,
            high,
            size,
        }
    }

    /// The squared distances from the box to sixteen points, which are in an image at an `offset` if they are `SHIFTED`. No point in the
    /// box is nearer, because the operations are those of [`QueryPoint::squares`](crate::candidates::QueryPoint::squares), which are
    /// monotone after rounding.
    #[inline(always)]
    fn squares<'a, const SHIFTED: bool>(
        &self,
        column: impl Fn(usize) -> &'a [V::Scalar; LANES],
        offset: V,
    ) -> W<V, S> {
        let zero = <W<V, S>>::splat(self.simd, V::Scalar::ZERO);
        let mut sum = zero;
        for axis in 0..V::DIM {
            let there = <W<V, S>>::load(self.simd, column(axis));
            let (low, high) = (self.low[axis], self.high[axis]);
            let mut apart = there - there.larger(low).smaller(high);
            if SHIFTED {
                let offset = <W<V, S>>::splat(self.simd, offset.axis(axis));
                let (below, above) = ((low - there) - offset, (there - high) + offset);
                apart = zero.larger(below.larger(above));
            }
            let square = apart * apart;
            sum = if axis == 0 { square } else { sum + square };
        }
        sum
    }

    /// Packs those points of a run that may be near a point in the box.
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
        for at in run.clone().step_by(LANES) {
            // Compare sixteen points with the box, and keep those that may be near.
            let squares = self.squares::<SHIFTED>(
                #[inline(always)]
                |axis| sixteen(held[axis], at),
                offset,
            );
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
