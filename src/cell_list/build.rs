//! Builds a cell list: bounds of the points, a grid for them, and the points sorted into its cells.

use alloc::borrow::Cow;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use fearless_simd::Simd;

use super::CellGrid;
use super::buckets::Buckets;
use super::counting_sort::columns;
use super::grid::Grid;
use super::rounding::reach;
use crate::candidates::Limit;
use crate::error::Error;
use crate::lattice::Block;
use crate::overlap::lanes::W;
use crate::overlap::{check_count, check_items};
use crate::parallel;
use crate::periodic::{MOST_IMAGES, Periodic};
use crate::shape::Aabb;
use crate::simd::{InstructionSet, LANES, Wide, run};
use crate::sort::check_permutation;
use crate::vector::{Scalar, Vector, Voxel};

/// Points in cells, as arrays.
#[derive(Clone, Debug)]
pub struct Cells<A: Vector> {
    /// The condition under which two points are near.
    pub(super) limit: Limit,
    pub(super) periodic: Option<Periodic<A>>,
    pub(super) instructions: InstructionSet,
    /// The points of each octave of radii, from small radii to large ones; a single level if all have one radius.
    /// There is at least one level, which may be empty.
    pub(super) levels: Vec<Level<A>>,
}

/// A grid, and the points in its cells.
#[derive(Clone, Debug)]
pub(super) struct Level<A: Vector> {
    /// The largest distance at which two of the points are near.
    pub(super) radius: A::Scalar,
    pub(super) grid: Grid<A>,
    pub(super) buckets: Buckets<A>,
}

impl<V: Vector, const SIZED: bool> CellGrid<V, SIZED> {
    /// Cells without points.
    pub(super) fn none(limit: Limit, radius: V::Scalar, periodic: Option<Periodic<V>>) -> Self {
        let cells = Cells {
            limit,
            periodic: periodic.as_ref().map(Periodic::cast),
            instructions: InstructionSet::best(),
            levels: vec![Level::none(radius)],
        };
        Self { cells, periodic }
    }
}

/// Replaces the points in the cells.
pub(super) fn rebuild<A: Vector>(
    cells: &mut Cells<A>,
    points: &[A],
    radius: A::Scalar,
) -> Result<(), Error> {
    if !(radius.is_finite() && radius > A::Scalar::ZERO) {
        return Err(Error::Radius {
            radius: radius.into(),
        });
    }
    let periodic = cells.periodic.as_ref();
    let (points, around) = placed(points, periodic, radius)?;
    cells.levels[0].fill(&points, around, radius, periodic);
    Ok(())
}

/// Wraps points into the periodic box if there is one, and returns a box around them. Refuses invalid points, and a radius that would reach
/// too many images: bounds on rounding depend on how far the points are from the origin.
pub(super) fn placed<'a, A: Vector>(
    points: &'a [A],
    periodic: Option<&Periodic<A>>,
    radius: A::Scalar,
) -> Result<(Cow<'a, [A]>, Aabb<A>), Error> {
    // The points are tested together, and one by one only to name the invalid one.
    check_count(points.len())?;
    let Some(mut around) = bounds(points) else {
        check_items(points)?;
        unreachable!("some coordinate is not finite");
    };
    let points = wrapped(points, periodic);
    if let Some(periodic) = periodic {
        around = bounds(&points).unwrap_or(around);
        check_reach(radius, periodic, &around)?;
    }
    Ok((points, around))
}

/// Sorts query points into the cells of a list. They are new points or, without `are_new`, points of the list, which are
/// wrapped already.
pub(super) fn sort<A: Vector>(
    cells: &Cells<A>,
    points: &[A],
    are_new: bool,
) -> Result<Buckets<A>, Error> {
    check_items(points)?;
    let mut queries = Buckets::new();
    let wrapped = wrapped(points, cells.periodic.as_ref().filter(|_| are_new));
    let grid = &cells.levels[0].grid;
    queries.fill(grid, &wrapped, are_new);
    Ok(queries)
}

/// The points, wrapped into the periodic box if there is one.
pub(super) fn wrapped<'a, A: Vector>(
    points: &'a [A],
    periodic: Option<&Periodic<A>>,
) -> Cow<'a, [A]> {
    match periodic {
        Some(periodic) => points.iter().map(|&p| periodic.wrap(p)).collect(),
        None => points.into(),
    }
}

/// Refuses a radius that would reach too many images of points within bounds.
pub(super) fn check_reach<V: Vector>(
    radius: V::Scalar,
    periodic: &Periodic<V>,
    bounds: &Aabb<V>,
) -> Result<(), Error> {
    let overflows = !(radius * radius).is_finite();
    let most = MOST_IMAGES as f64;
    // Count images that rounding or underflow makes indistinguishable, since all of them are near.
    let bounds = periodic.bounds().union(bounds);
    let reach = reach(&bounds, radius, Some(periodic));
    for (axis, &reach) in reach.iter().enumerate().take(V::DIM) {
        let length = periodic.lattice.heights[axis];
        let far = overflows || radius.into() / length > most || reach > 2.0 * most * length;
        if length > 0.0 && far {
            return Err(Error::RadiusOverBox {
                radius: radius.into(),
                axis,
                length,
            });
        }
    }
    Ok(())
}

/// A box around points; `None` if a coordinate is not finite.
pub(super) fn bounds<V: Vector>(points: &[V]) -> Option<Aabb<V>> {
    let Some(&first) = points.first() else {
        return Some(Aabb::point(V::splat(V::Scalar::ZERO)));
    };
    let mut all = Some(Aabb::point(first));
    let set = InstructionSet::best();
    let part = |range: Range<usize>| run!(up_to_avx2(set), |simd| around(simd, &points[range]));
    parallel::parts(points.len(), 1 << 16, &part, &mut |part| {
        all = all.zip(part).map(|(all, part)| all.union(&part));
    });
    all
}

/// A box around at least one point; `None` if a coordinate is not finite.
#[inline(always)]
fn around<V: Vector, S: Simd>(simd: S, points: &[V]) -> Option<Aabb<V>> {
    let zero = <W<V, S>>::splat(simd, V::Scalar::ZERO);
    let (mut min, mut max) = ([zero; 4], [zero; 4]);
    for axis in 0..V::DIM {
        min[axis] = <W<V, S>>::splat(simd, points[0].axis(axis));
        max[axis] = min[axis];
    }
    // Becomes NaN if a coordinate is infinite or NaN.
    let mut nothing = zero;
    let (blocks, rest) = points.as_chunks();
    let mut last = [points[0]; LANES];
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
    let lanes = nothing.store();
    lanes.iter().all(|&lane| lane == V::Scalar::ZERO).then(|| {
        Aabb::from_corners(
            V::from_fn(|a| min[a].smallest()),
            V::from_fn(|a| max[a].largest()),
        )
    })
}

impl<V: Vector, const SIZED: bool> CellGrid<V, SIZED> {
    /// Checks what every query relies on, for tests and for memory that may be corrupt: each point is in
    /// exactly one cell, and within its bounds. The message says what does not hold.
    #[doc(hidden)]
    pub fn validate(&self) -> Result<(), &'static str> {
        let levels = self.cells.levels.iter();
        let all = levels.flat_map(|level| level.buckets.indices()).copied();
        check_permutation(&all.collect::<Vec<u32>>(), self.len())?;
        self.cells.levels.iter().try_for_each(Level::check)
    }
}

impl<A: Vector> Cells<A> {
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.levels.iter().map(|level| level.buckets.len()).sum()
    }
}

impl<A: Vector> Level<A> {
    pub(super) fn none(radius: A::Scalar) -> Self {
        let nowhere = Aabb::point(A::splat(A::Scalar::ZERO));
        Self {
            radius,
            grid: Grid::new(nowhere, 0, A::Scalar::ONE, None),
            buckets: Buckets::new(),
        }
    }

    /// Replaces the points, which lie within bounds.
    pub(super) fn fill(
        &mut self,
        points: &[A],
        bounds: Aabb<A>,
        radius: A::Scalar,
        periodic: Option<&Periodic<A>>,
    ) {
        self.radius = radius;
        self.grid = Grid::new(bounds, points.len(), radius, periodic);
        self.buckets.fill(&self.grid, points, false);
    }

    /// Checks that each point is in one cell, and within its bounds.
    fn check(&self) -> Result<(), &'static str> {
        let Self { grid, buckets, .. } = self;
        let (starts, keys) = (&buckets.starts, &buckets.keys);
        let cells = if grid.dense { grid.cells() } else { keys.len() };
        let ends = (starts.first(), starts.last());
        let all = buckets.len() as u32;
        if starts.len() != cells + 1 || ends != (Some(&0), Some(&all)) || !starts.is_sorted() {
            return Err("the cells do not divide the points");
        }
        if !keys.is_sorted_by(|a, b| a < b) {
            return Err("the cells are not sorted");
        }
        let filled = (0..cells).filter(|&cell| starts[cell] < starts[cell + 1]);
        let is_within = |place: usize| {
            let cell = grid.cell_at(place, keys);
            let bounds = grid.bounds_of(&Block {
                start: Voxel::from_fn(|a| cell[a]),
                end: Voxel::from_fn(|a| cell[a] + 1),
            });
            let run = starts[place] as usize..starts[place + 1] as usize;
            run.map(buckets.points())
                .all(|point| bounds.contains(&point))
        };
        if filled.map(is_within).any(|is_within| !is_within) {
            return Err("a point lies outside its cell");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::CellList;
    use crate::cell_list::{CellGrid, CellLevels, Reach};

    const POINTS: [[f32; 2]; 4] = [[0.0, 0.0], [3.5, 0.5], [3.5, 9.0], [0.1, 0.2]];

    /// The answer of `validate` for cells that were tampered with.
    fn broken<const SIZED: bool>(
        mut cells: CellGrid<[f32; 2], SIZED>,
        tamper: impl FnOnce(&mut CellGrid<[f32; 2], SIZED>),
    ) -> &'static str {
        cells.validate().unwrap();
        tamper(&mut cells);
        cells.validate().unwrap_err()
    }

    #[test]
    fn validate_finds_what_is_broken() {
        let not_permuted = "the indices are not a permutation";
        let list = || CellList::new(&POINTS, 1.0);
        let indices = broken(list(), |c| c.cells.levels[0].buckets.indices[0] = 2);
        assert_eq!(indices, not_permuted);
        let starts = broken(list(), |c| c.cells.levels[0].buckets.starts[1] = 4);
        assert_eq!(starts, "the cells do not divide the points");
        let outside = "a point lies outside its cell";
        let swapped = broken(list(), |c| c.cells.levels[0].buckets.columns.swap(0, 3));
        assert_eq!(swapped, outside);
        let levels = || CellLevels::new(&POINTS, &[1.0, 1.0, 1.0, 9.0], Reach::Sum);
        let indices = broken(levels(), |c| c.cells.levels[1].buckets.indices[0] = 2);
        assert_eq!(indices, not_permuted);
        let swapped = broken(levels(), |c| c.cells.levels[0].buckets.columns.swap(0, 2));
        assert_eq!(swapped, outside);
    }
}
