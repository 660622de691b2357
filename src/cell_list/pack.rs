//! Packs the points around a cell as candidates. Points that are too far from the box around its query points are
//! left out, if that is quick. With 7 points in each cell that box has 0.4 of a cell's volume, and a little more than
//! half of the points in the cells around are left.

use core::ops::Range;

use fearless_simd::Simd;

use super::cell_walk::Walk;
use crate::candidates::{Candidates, Group, Limit, Packer, sixteen};
use crate::error::Error;
use crate::overlap::lanes::W;
use crate::shape::Aabb;
use crate::simd::{LANES, Lane, Mask, Wide};
use crate::vector::{Scalar, Vector, Voxel};

/// For up to this many query points, leaving points out is not worth it.
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
        || pack_runs(simd, walk, to),
    )
}

#[inline(always)]
fn pack_runs<V: Vector, S: Simd>(
    simd: S,
    walk: &Walk<'_, V>,
    to: &mut Candidates<V>,
) -> Result<(), Error> {
    let limit = walk.search.limit;
    let columns = limit.columns::<V>();
    let is_shifted = walk.is_shifted;
    let mut to = to.pack(walk.points, columns, is_shifted)?;
    let points = walk.search.points;
    let (mut held, indices) = ([&[][..]; 5], &points.indices[..]);
    for (number, held) in held.iter_mut().enumerate().take(columns) {
        *held = points.column(number);
    }
    let is_quick = <V::Scalar as Lane>::is_quick(simd) && <u32 as Lane>::is_quick(simd);
    let packs = is_quick && walk.own.len() > FEW;
    let around = Around::<V, S>::new(simd, walk);
    let nowhere = V::splat(V::Scalar::ZERO);
    for run in &walk.runs {
        let slots = run.from as usize..run.to as usize;
        let first = to.len();
        let image = <V::Voxel as Voxel>::from_fn(|a| run.image[a]);
        let periodic = walk.search.periodic.filter(|_| is_shifted);
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
}

/// The box around the query points.
struct Around<V: Vector, S: Simd> {
    simd: S,
    group: Group<V, S>,
    /// The largest size of the query points, or the radius for all.
    size: W<V, S>,
}

impl<V: Vector, S: Simd> Around<V, S> {
    #[inline(always)]
    fn new(simd: S, walk: &Walk<'_, V>) -> Self {
        let search = walk.search;
        // The box around the query points.
        let (mut low, mut high) = ([V::Scalar::ZERO; 4], [V::Scalar::ZERO; 4]);
        for axis in 0..V::DIM {
            let own = &search.queries.column(axis)[walk.own.clone()];
            let (mut least, mut most) = (own[0], own[0]);
            for &at in own {
                least = least.smaller(at);
                most = most.larger(at);
            }
            (low[axis], high[axis]) = (least, most);
        }
        // Their largest size, if they have any.
        let mut size = search.radius;
        if search.limit.is_sized() {
            for &own in &search.queries.column(V::DIM)[walk.own.clone()] {
                size = size.larger(own);
            }
        }
        let corner = |from: &[V::Scalar; 4]| V::from_fn(|axis| from[axis]);
        let bounds = Aabb::from_corners(corner(&low), corner(&high));
        Self {
            simd,
            group: Group::new(simd, &bounds),
            size: <W<V, S>>::splat(simd, size),
        }
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
            let squares = self.group.squares::<SHIFTED>(
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
