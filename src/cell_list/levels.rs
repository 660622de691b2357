//! Points with a radius each, of any scale: a grid for each octave of radii.
//!
//! The cells of a single grid would have to be as long as the largest radius, and each would hold very many small
//! points. Here each point lies in the grid of its octave, and is compared with the points of that grid and of the
//! grids of larger radii, so that each pair comes once. This costs a search for each point and octave. (It is the
//! hierarchical grid of granular dynamics: M. Eitz and L. Gu, "Hierarchical spatial hashing for real-time collision
//! detection", 2007.)

use alloc::vec::Vec;

use super::buckets::Buckets;
use super::build::{Cells, Level, bounds, placed};
use super::{CellGrid, Kernels};
use crate::candidates::Limit;
use crate::error::{Error, or_panics, shown_as};
use crate::overlap::check_items;
use crate::periodic::Periodic;
use crate::shape::check_radius;
use crate::vector::{Scalar, Vector};

/// The condition under which two points with radii are near.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Reach {
    /// Their distance is at most the larger of both radii.
    Larger,
    /// Their distance is at most the sum of both radii: they are balls that touch.
    Sum,
}

/// Points with a radius each, sorted into cells by octaves of radii, in 1 to 4 dimensions, named by
/// their index in the input. It finds all pairs that are near each other by their radii.
///
/// A pair is near if its squared distance, as every structure computes it, is at most the square of the larger radius
/// or of the sum of both. A [`CellList`](crate::CellList), which has the same methods, is faster where all have one
/// radius. Regions are compared with the points, without radii and images.
///
/// ```
/// use orthant::{CellLevels, Reach, Sphere};
/// let points = [[0.0, 0.0], [3.0, 0.0], [3.5, 0.0]];
/// let balls = CellLevels::new(&points, &[2.5, 0.5, 0.1], Reach::Sum);
/// let mut pairs = Vec::new();
/// balls.pairs(&mut pairs)?;
/// assert_eq!(pairs, [[1, 2], [0, 1]]);
/// let ball = Sphere::new([3.0, 0.0], 0.5);
/// assert!(balls.query(ball).eq([2, 1]));
/// assert_eq!(balls.count(ball), 2);
/// # Ok::<(), orthant::Error>(())
/// ```
pub type CellLevels<V> = CellGrid<V, true>;

shown_as!(
    impl[V: Vector] CellLevels<V> as "CellLevels",
    |this| points: this.len(), reach: this.cells.limit, periodic: this.periodic
);

/// The constructors and [`rebuild`](Self::rebuild) take O(n log n), or O(n) for points that are spread evenly.
impl<V: Vector> CellLevels<V> {
    or_panics! {
        /// Sorts the points into cells.
        CellLevels: new = try_new(points: &[V], radii: &[V::Scalar], reach: Reach)
    }

    /// Sorts the points into cells.
    ///
    /// # Errors
    ///
    /// If a coordinate or radius is infinite or NaN, or a radius negative (the error names the item),
    /// or there are more points than `u32` can number.
    /// Distances outside [`safe_lengths`](crate::safe_lengths) are no error, though their squares overflow or lose digits.
    ///
    /// # Panics
    ///
    /// If there are not as many radii as points.
    #[track_caller]
    pub fn try_new(points: &[V], radii: &[V::Scalar], reach: Reach) -> Result<Self, Error> {
        Self::make(points, radii, reach, None)
    }

    or_panics! {
        /// Sorts the points into cells of a periodic box, as a [`CellList`](crate::CellList) does.
        CellLevels: new_periodic = try_new_periodic(
            points: &[V], radii: &[V::Scalar], reach: Reach, periodic: Periodic<V>
        )
    }

    /// Sorts the points into cells of a periodic box, as a [`CellList`](crate::CellList) does.
    ///
    /// # Errors
    ///
    /// The errors of [`try_new`](Self::try_new), and an error if the largest distance at which points would be near is
    /// more than a hundred times the length of the box on an axis, its square overflows, or images cannot be told apart.
    ///
    /// # Panics
    ///
    /// If there are not as many radii as points.
    #[track_caller]
    pub fn try_new_periodic(
        points: &[V],
        radii: &[V::Scalar],
        reach: Reach,
        periodic: Periodic<V>,
    ) -> Result<Self, Error> {
        Self::make(points, radii, reach, Some(periodic))
    }

    #[track_caller]
    fn make(
        points: &[V],
        radii: &[V::Scalar],
        reach: Reach,
        periodic: Option<Periodic<V>>,
    ) -> Result<Self, Error> {
        let limit = match reach {
            Reach::Larger => Limit::Larger,
            Reach::Sum => Limit::Sum,
        };
        let mut levels = Self::none(limit, V::Scalar::ZERO, periodic);
        levels.rebuild(points, radii)?;
        Ok(levels)
    }

    /// Replaces the points and radii, in the same box.
    ///
    /// # Errors
    ///
    /// Where [`try_new`](Self::try_new) or [`try_new_periodic`](Self::try_new_periodic) returns one; nothing changes then.
    ///
    /// # Panics
    ///
    /// If there are not as many radii as points.
    ///
    /// ```
    /// use orthant::{Aabb, CellLevels, NeighborLists, Periodic, Reach};
    /// let ring = Periodic::new(Aabb::new([0.0], [10.0]));
    /// let mut balls = CellLevels::new_periodic(&[[1.0], [9.5]], &[1.0, 0.5], Reach::Sum, ring);
    /// assert_eq!(balls.count_pairs(), 1); // across the end
    /// balls.rebuild(&[[1.0], [5.0], [5.5]], &[1.0; 3])?;
    /// let mut near = NeighborLists::new();
    /// balls.neighbors_into(&mut near)?;
    /// assert_eq!(near[2].len(), 2);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    #[track_caller]
    pub fn rebuild(&mut self, points: &[V], radii: &[V::Scalar]) -> Result<(), Error> {
        assert_eq!(points.len(), radii.len(), "a radius for each point");
        <V::Array as Kernels>::rebuild_levels(&mut self.cells, &V::arrays(points), radii)
    }
}

/// Replaces the points in the cells of all levels.
pub(super) fn rebuild<A: Vector>(
    cells: &mut Cells<A>,
    points: &[A],
    radii: &[A::Scalar],
) -> Result<(), Error> {
    check_items(points)?;
    for (index, &radius) in radii.iter().enumerate() {
        check_radius(radius).map_err(|error| Error::Item { index, error })?;
    }
    let limit = cells.limit;
    // The largest distance at which two points with these radii are near.
    let largest = |radii: &[A::Scalar]| {
        let most = radii.iter().copied().fold(A::Scalar::ZERO, Scalar::larger);
        if limit == Limit::Sum {
            most + most
        } else {
            most
        }
    };
    let periodic = cells.periodic.as_ref();
    let (points, _) = placed(points, periodic, largest(radii))?;
    // Order the points by octave, then by index.
    let mut order: Vec<(i32, u32)> = radii.iter().map(|&r| octave(r)).zip(0..).collect();
    order.sort_unstable();
    // Make a level of each octave, in the memory of a previous one.
    let mut spare = core::mem::take(&mut cells.levels).into_iter();
    let mut level = |members: &[(i32, u32)]| {
        let names: Vec<u32> = members.iter().map(|i| i.1).collect();
        let places: Vec<A> = names.iter().map(|&i| points[i as usize]).collect();
        let sizes: Vec<A::Scalar> = names.iter().map(|&i| radii[i as usize]).collect();
        let around = bounds(&places).expect("finite points");
        let radius = largest(&sizes);
        let mut level = spare.next().unwrap_or_else(|| Level::none(radius));
        level.fill(&places, around, radius, periodic);
        level.buckets.set_sizes(&sizes, &names);
        level
    };
    let mut levels: Vec<Level<A>> = order.chunk_by(|a, b| a.0 == b.0).map(&mut level).collect();
    if levels.is_empty() {
        levels.push(level(&[]));
    }
    cells.levels = levels;
    Ok(())
}

impl<A: Vector> Cells<A> {
    /// The points of all levels below a level, sorted into its cells; `None` for the first level.
    pub(super) fn smaller(&self, level: usize) -> Option<Buckets<A>> {
        if level == 0 {
            return None;
        }
        let (mut places, mut sizes, mut names) = (Vec::new(), Vec::new(), Vec::new());
        for Level { buckets, .. } in &self.levels[..level] {
            places.extend((0..buckets.len()).map(buckets.points()));
            sizes.extend_from_slice(&buckets.column(A::DIM)[..buckets.len()]);
            names.extend_from_slice(buckets.indices());
        }
        let mut smaller = Buckets::new();
        let grid = &self.levels[level].grid;
        smaller.fill(grid, &places, true);
        smaller.set_sizes(&sizes, &names);
        Some(smaller)
    }
}

/// The exponent bits of a radius, which all radii of an octave share.
fn octave<S: Scalar>(radius: S) -> i32 {
    let radius: f64 = radius.into();
    (radius.to_bits() >> (f64::MANTISSA_DIGITS - 1)) as i32
}
