//! Points bucketed on a uniform grid, for all pairs within a radius.
//!
//! The grid's cells are a little longer than the radius, so that the neighbors of a cell's points lie
//! in the cells around it. Points are sorted into cells by counting. Then, for each cell, the points of
//! the cells around it are packed into columns that fit the first-level cache, except those too far from
//! the box around the cell's own points, and each own point is compared with sixteen of these candidates at
//! a time. All of this is compiled in this crate for arrays of scalars ([`Kernels`]); users' vectors are
//! viewed as arrays. Full lists of uniform points in space take a sixth to an eighth of the time of the best
//! other crate.
//! Rejected: cells of half the radius (there are fewer candidates, but they are packed for one point at a time:
//! three times slower), and points compared without packing (rows of cells are short, registers half empty).

mod buckets;
mod build;
mod counting_sort;
mod gather;
mod grid;
mod levels;
mod pair_search;
mod pairs;
mod query;
mod region_walk;
mod rounding;
mod sinks;

use alloc::vec::Vec;

use crate::candidates::Limit;
use crate::error::{Error, or_panics, shown_as};
use crate::kernels::kernels;
use crate::lists::NeighborLists;
use crate::overlap::Relation;
use crate::overlap::lanes::Plain;
use crate::periodic::Periodic;
use crate::query::{KeyWriter, SlotRun};
use crate::shape::Aabb;
use crate::simd::InstructionSet;
use crate::vector::Vector;
use buckets::Buckets;
use build::Cells;
pub use levels::{CellLevels, Reach};
pub use pairs::NeighborInImage;
use query::{RegionInCells, RowCursor};
use region_walk::CellWalk;
use sinks::Pair;

/// Points in the cells of grids. `SIZED` is false for a [`CellList`], which has one grid and one radius, and true for
/// [`CellLevels`], in which each point has a radius.
///
/// ```
/// use orthant::{CellGrid, CellLevels, CellList, Reach, Vector};
/// fn describe<V: Vector, const SIZED: bool>(points: &CellGrid<V, SIZED>) -> (bool, bool, bool) {
///     (points.is_empty(), points.periodic().is_some(), points.bytes() > 0)
/// }
/// let points = [[0.0, 0.0], [1.0, 0.0]];
/// assert_eq!(describe(&CellList::new(&points, 1.0)), (false, false, true));
/// assert_eq!(describe(&CellLevels::new(&points, &[1.0, 2.0], Reach::Sum)), (false, false, true));
/// ```
#[derive(Clone)]
pub struct CellGrid<V: Vector, const SIZED: bool> {
    cells: Cells<V::Array>,
    /// The periodic box as it was given.
    periodic: Option<Periodic<V>>,
}

/// Points sorted into the cells of a uniform grid, in 1 to 4 dimensions, named by their index in the
/// input. It finds all pairs within one radius, and is rebuilt in each step.
///
/// A point is its own neighbor, but forms no pair with itself. A pair is near if its squared distance, as every
/// structure computes it, is at most the square of the radius. In a [`Periodic`] box points are
/// [wrapped](Periodic::wrap) first, and each image counts: a pair `i < j` comes once for each image of `j` that a
/// query about `i` finds ([`Periodic::query`]), which is as often as a query about `j` finds an image of `i`. A point
/// and its own image are a pair if the image is positive on the last axis on which it is not 0.
///
/// Regions are compared with the points themselves, without images; query the [`Periodic`] box for those.
/// Answers come cell by cell, in an order that depends on the points and the query only.
///
/// Memory stays in proportion to the points: if the grid would have more than four cells for each point
/// and 4096 others, only cells that hold points are kept, which takes longer.
///
/// ```
/// use orthant::{CellList, glam::Vec2};
/// let points = [Vec2::new(0.5, 0.5), Vec2::new(9.5, 0.5), Vec2::new(1.0, 1.0)];
/// let cells = CellList::new(&points, 1.0);
/// assert_eq!(cells.neighbors()[2].len(), 2); // itself and point 0
/// assert_eq!(cells.count_pairs(), 1);
/// ```
pub type CellList<V> = CellGrid<V, false>;

shown_as!(
    impl[V: Vector] CellList<V> as "CellList",
    |this| points: this.len(), radius: this.radius(), periodic: this.periodic
);

/// The constructors, the methods that rebuild, and [`reorder`](Self::reorder) take O(n).
impl<V: Vector> CellList<V> {
    or_panics! {
        /// Sorts the points into cells, for pairs within a radius.
        CellList: new = try_new(points: &[V], radius: V::Scalar)
    }

    /// Sorts the points into cells, for pairs within a radius.
    ///
    /// # Errors
    ///
    /// If the radius is not a positive finite number, a coordinate is infinite or NaN (the error
    /// names the item), or there are more points than `u32` can number.
    /// Distances outside [`safe_lengths`](crate::safe_lengths) are no error, though their squares overflow or lose digits.
    pub fn try_new(points: &[V], radius: V::Scalar) -> Result<Self, Error> {
        Self::make(&V::arrays(points), radius, None)
    }

    or_panics! {
        /// Sorts the points of an iterator into cells, such as points that are parts of structs.
        ///
        /// ```
        /// use orthant::CellList;
        /// struct Boid { at: [f32; 2] }
        /// let flock = [[0.0, 0.0], [1.0, 0.0], [9.0, 0.0]].map(|at| Boid { at });
        /// let cells = CellList::from_iter(flock.iter().map(|boid| boid.at), 1.0);
        /// assert_eq!(cells.count_pairs(), 1);
        /// ```
        CellList: from_iter = try_from_iter(points: impl IntoIterator<Item = V>, radius: V::Scalar)
    }

    /// Sorts the points of an iterator into cells.
    ///
    /// # Errors
    ///
    /// The errors of [`try_new`](Self::try_new).
    pub fn try_from_iter(
        points: impl IntoIterator<Item = V>,
        radius: V::Scalar,
    ) -> Result<Self, Error> {
        let points: Vec<V::Array> = points.into_iter().map(Vector::array).collect();
        Self::make(&points, radius, None)
    }

    or_panics! {
        /// Sorts the points into cells of a periodic box.
        CellList: new_periodic = try_new_periodic(points: &[V], radius: V::Scalar, periodic: Periodic<V>)
    }

    /// Sorts the points into cells of a periodic box. The radius may be longer than the box: a pair comes once for
    /// each of its images that is near.
    ///
    /// ```
    /// use orthant::{Aabb, CellList, Periodic, glam::Vec3};
    /// let periodic = Periodic::new(Aabb::new(Vec3::ZERO, Vec3::splat(10.0)));
    /// let points = [Vec3::splat(0.5), Vec3::splat(9.5)];
    /// let mut cells = CellList::try_new_periodic(&points, 2.0, periodic)?;
    /// assert_eq!(cells.count_pairs(), 1);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`try_new`](Self::try_new), and if the radius is more than a hundred times as long as
    /// the box on an axis, its square overflows, or rounding is so coarse that points more than two
    /// hundred boxes apart could count as near.
    pub fn try_new_periodic(
        points: &[V],
        radius: V::Scalar,
        periodic: Periodic<V>,
    ) -> Result<Self, Error> {
        Self::make(&V::arrays(points), radius, Some(periodic))
    }

    fn make(
        points: &[V::Array],
        radius: V::Scalar,
        periodic: Option<Periodic<V>>,
    ) -> Result<Self, Error> {
        let mut list = Self::none(Limit::Radius, radius, periodic);
        <V::Array as Kernels>::rebuild(&mut list.cells, points, radius)?;
        Ok(list)
    }

    /// Replaces the points. The list keeps its radius and box, and its memory if that suffices.
    ///
    /// ```
    /// use orthant::{CellList, glam::Vec3};
    /// let mut cells = CellList::new(&[Vec3::ZERO, Vec3::X], 0.5);
    /// assert_eq!(cells.count_pairs(), 0);
    /// cells.rebuild(&[Vec3::ZERO, Vec3::X * 0.5])?;
    /// assert_eq!(cells.count_pairs(), 1);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a coordinate is infinite or NaN (the error names the item), or there are more points than
    /// `u32` can number; the list does not change then.
    pub fn rebuild(&mut self, points: &[V]) -> Result<(), Error> {
        self.rebuild_with_radius(points, self.radius())
    }

    /// Replaces the points by those of an iterator.
    ///
    /// # Errors
    ///
    /// The errors of [`rebuild`](Self::rebuild); the list does not change then.
    ///
    /// ```
    /// use orthant::CellList;
    /// let mut flock = [([0.0, 0.0], "starling"), ([3.0, 0.0], "gull")];
    /// let mut cells = CellList::from_iter(flock.map(|bird| bird.0), 1.0);
    /// flock[1].0 = [1.0, 0.0];
    /// cells.rebuild_from_iter(flock.map(|bird| bird.0))?;
    /// assert_eq!(cells.count_pairs(), 1);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    pub fn rebuild_from_iter(&mut self, points: impl IntoIterator<Item = V>) -> Result<(), Error> {
        let points: Vec<V::Array> = points.into_iter().map(Vector::array).collect();
        let radius = self.radius();
        <V::Array as Kernels>::rebuild(&mut self.cells, &points, radius)
    }

    /// Replaces the points and the radius.
    ///
    /// # Errors
    ///
    /// The errors of [`try_new`](Self::try_new) or, in a periodic box, of
    /// [`try_new_periodic`](Self::try_new_periodic); the list does not change then.
    ///
    /// ```
    /// use orthant::{CellList, glam::Vec3};
    /// let points = [Vec3::ZERO, Vec3::X];
    /// let mut cells = CellList::new(&points, 0.5);
    /// assert_eq!(cells.count_pairs(), 0);
    /// cells.rebuild_with_radius(&points, 1.0)?;
    /// assert_eq!((cells.count_pairs(), cells.radius()), (1, 1.0));
    /// assert!(cells.rebuild_with_radius(&points, -1.0).is_err());
    /// assert_eq!(cells.radius(), 1.0); // as it was
    /// # Ok::<(), orthant::Error>(())
    /// ```
    pub fn rebuild_with_radius(&mut self, points: &[V], radius: V::Scalar) -> Result<(), Error> {
        <V::Array as Kernels>::rebuild(&mut self.cells, &V::arrays(points), radius)
    }

    /// Renumbers the points in the order of the cells, and returns the previous number of
    /// each. Bring your own data of the points into the same order: points that are near each other then
    /// lie together in memory, also after they have moved a little, and lists take half as long to make
    /// as in random order.
    ///
    /// ```
    /// use orthant::{CellList, glam::Vec2};
    /// let mut points = vec![Vec2::new(5.0, 5.0), Vec2::ZERO, Vec2::new(5.5, 5.0)];
    /// let mut cells = CellList::new(&points, 1.0);
    /// let order = cells.reorder();
    /// assert_eq!(order, [1, 0, 2]);
    /// points = order.iter().map(|&i| points[i]).collect();
    /// assert_eq!(points, [Vec2::ZERO, Vec2::new(5.0, 5.0), Vec2::new(5.5, 5.0)]);
    /// ```
    pub fn reorder(&mut self) -> Vec<usize> {
        let buckets = &mut self.cells.levels[0].buckets;
        let indices = buckets.indices().iter();
        let order = indices.map(|&point| point as usize).collect();
        for (index, slot) in buckets.indices.iter_mut().zip(0..) {
            *index = slot;
        }
        order
    }

    /// The radius within which it finds pairs.
    #[must_use]
    pub fn radius(&self) -> V::Scalar {
        self.cells.levels[0].radius
    }
}

impl<V: Vector, const SIZED: bool> CellGrid<V, SIZED> {
    /// The name in panic messages.
    const NAME: &str = if SIZED { "CellLevels" } else { "CellList" };

    /// The box whose images count, if there is one.
    #[must_use]
    pub fn periodic(&self) -> Option<&Periodic<V>> {
        self.periodic.as_ref()
    }

    /// The memory that the structure takes, in bytes: for a [`CellList`] of points of three `f32`, 40 a point and 4 a cell.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let levels = self.cells.levels.iter();
        let levels = levels.map(|level| size_of_val(level) + level.buckets.bytes());
        size_of::<Self>() + levels.sum::<usize>()
    }

    /// The number of points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// True if there are no points.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Sets the vector instructions: for measurements and tests, since answers do not depend on them.
    #[doc(hidden)]
    #[must_use]
    pub fn with_instructions(mut self, instructions: InstructionSet) -> Self {
        self.cells.instructions = instructions;
        self
    }
}

kernels! {
    /// The kernels of a [`CellList`](crate::CellList) and of [`CellLevels`](crate::CellLevels). With `others`, a pair
    /// consists of one of these and a point of the list.
    pub trait Kernels {
        fn rebuild(cells: &mut Cells<Self>, points: &[Self], radius: Self::Scalar) -> Result<(), Error> = build::rebuild;
        fn rebuild_levels(cells: &mut Cells<Self>, points: &[Self], radii: &[Self::Scalar]) -> Result<(), Error> = levels::rebuild;
        fn sort(cells: &Cells<Self>, points: &[Self], others: bool) -> Result<Buckets<Self>, Error> = build::sort;
        fn lists(cells: &Cells<Self>, near: &mut NeighborLists) -> Result<(), Error> = pair_search::lists;
        fn lists_of(
            cells: &Cells<Self>,
            others: &Buckets<Self>,
            numbers: &[u32],
            near: &mut NeighborLists,
        ) -> Result<(), Error> = pair_search::lists_of;
        fn pairs(cells: &Cells<Self>, pairs: &mut Vec<[u32; 2]>) -> Result<(), Error> = pair_search::pairs;
        fn count_pairs(cells: &Cells<Self>, others: Option<&Buckets<Self>>) -> Result<u64, Error> = pair_search::count;
        fn count_in_bins(
            cells: &Cells<Self>,
            others: Option<&Buckets<Self>>,
            ends: &[Self::Scalar],
        ) -> Result<Vec<u64>, Error> = pair_search::count_in_bins;
        fn each_pair(
            cells: &Cells<Self>,
            others: Option<&Buckets<Self>>,
            f: &mut dyn FnMut(&[Pair<Self>]),
        ) -> Result<(), Error> = pair_search::each;
        fn around(cells: &Cells<Self>, region: Plain<Self>) -> Option<RegionInCells<Self>> = query::around;
        fn search(
            cells: &Cells<Self>,
            region: &RegionInCells<Self>,
            cursor: &mut RowCursor<Self>,
            to: Option<&mut KeyWriter<'_>>,
        ) -> usize = query::search;
        fn next_run(
            cells: &Cells<Self>,
            walk: &mut CellWalk<Self>,
            hint: &dyn Fn() -> Option<Aabb<Self>>,
            relate: &dyn Fn(&Aabb<Self>) -> Relation,
        ) -> Option<SlotRun> = region_walk::next_run;
        fn best_first(
            cells: &Cells<Self>,
            bound: &dyn Fn(&Aabb<Self>) -> Option<Self::Scalar>,
            offer: &mut dyn FnMut(SlotRun) -> Self::Scalar,
        ) = region_walk::best_first;
    }
}
