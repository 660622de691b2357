//! What is done with all points one after the other, by sixteen.

use fearless_simd::Simd;

use super::grid::Grid;
use crate::overlap::lanes::W;
use crate::shape::Aabb;
use crate::simd::{InstructionSet, Job, LANES, Wide};
use crate::vector::{Scalar, Vector};

/// The coordinates of sixteen points, axis by axis.
#[inline(always)]
fn columns<V: Vector>(points: &[V; LANES]) -> [[V::Scalar; LANES]; 4] {
    let mut columns = [[V::Scalar::ZERO; LANES]; 4];
    for (lane, point) in points.iter().enumerate() {
        for (axis, column) in columns.iter_mut().enumerate().take(V::DIM) {
            column[lane] = point.axis(axis);
        }
    }
    columns
}

/// A box around one point and more; `None` if a coordinate is not finite.
pub(super) fn bounds<V: Vector>(points: &[V], instructions: InstructionSet) -> Option<Aabb<V>> {
    instructions.run_up_to_avx2(Bounds(points))
}

struct Bounds<'a, V>(&'a [V]);

impl<V: Vector> Job for Bounds<'_, V> {
    type Output = Option<Aabb<V>>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Option<Aabb<V>> {
        let zero = <W<V, S>>::splat(simd, V::Scalar::ZERO);
        let (mut min, mut max) = ([zero; 4], [zero; 4]);
        for axis in 0..V::DIM {
            min[axis] = <W<V, S>>::splat(simd, self.0[0].axis(axis));
            max[axis] = min[axis];
        }
        // NaN, if a coordinate is infinite or NaN.
        let mut nothing = zero;
        let (blocks, rest) = self.0.as_chunks();
        let mut last = [self.0[0]; LANES];
        last[..rest.len()].copy_from_slice(rest);
        for points in blocks.iter().chain([&last]) {
            let columns = columns(points);
            for axis in 0..V::DIM {
                let lanes = <W<V, S>>::load(simd, &columns[axis]);
                min[axis] = min[axis].smaller(lanes);
                max[axis] = max[axis].larger(lanes);
                nothing = nothing + lanes * zero;
            }
        }
        let mut all_are_finite = true;
        for lane in nothing.store() {
            all_are_finite &= lane == V::Scalar::ZERO;
        }
        all_are_finite.then(|| {
            Aabb::from_corners(
                V::from_fn(|a| min[a].smallest()),
                V::from_fn(|a| max[a].largest()),
            )
        })
    }
}

/// Finds the numbers of the cells of points that lie in a dense grid whose places may be computed in
/// their scalar.
pub(super) fn numbers<V: Vector>(
    grid: &Grid<V>,
    points: &[V],
    numbers: &mut [u32],
    instructions: InstructionSet,
) {
    instructions.run_up_to_avx2(Numbers {
        grid,
        points,
        numbers,
    });
}

struct Numbers<'a, V: Vector> {
    grid: &'a Grid<V>,
    points: &'a [V],
    numbers: &'a mut [u32],
}

impl<V: Vector> Job for Numbers<'_, V> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let grid = self.grid;
        let (blocks, rest) = self.points.as_chunks();
        let (to, to_rest) = self.numbers.as_chunks_mut();
        for (points, numbers) in blocks.iter().zip(to) {
            *numbers = numbers_of(grid, points);
        }
        let mut last = [V::splat(V::Scalar::ZERO); LANES];
        last[..rest.len()].copy_from_slice(rest);
        to_rest.copy_from_slice(&numbers_of(grid, &last)[..to_rest.len()]);
    }
}

#[inline(always)]
fn numbers_of<V: Vector>(grid: &Grid<V>, points: &[V; LANES]) -> [u32; LANES] {
    let columns = columns(points);
    let half = V::Scalar::from_f64(0.5);
    let mut numbers = [0; LANES];
    for (axis, column) in columns.iter().enumerate().take(V::DIM) {
        let origin = V::Scalar::from_f64(grid.origin[axis]);
        let scale = V::Scalar::from_f64(grid.matrix[axis][axis]);
        let (last, stride) = (grid.dims[axis] as u32 - 1, grid.strides[axis] as u32);
        for (number, &at) in numbers.iter_mut().zip(column) {
            // Rounded down, or on a face up: either cell will do. The first lies behind the ring.
            let place = (at - origin) * scale - half;
            *number += (place.to_whole().min(last) + 1) * stride;
        }
    }
    numbers
}
