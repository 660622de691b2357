//! Points with a radius each, of any scale: a grid for each octave of radii.
//!
//! In one grid, cells as long as the largest radius would hold all the small points around it. Here
//! each point lies in the grid of its octave, and asks that grid and those of larger radii, so that no
//! pair comes twice: the cost is that of the pairs and of so many questions a point as there are
//! octaves. (The hierarchical grid of granular dynamics: M. Eitz and L. Gu, "Hierarchical spatial
//! hashing for real-time collision detection", 2007.)

mod pairs;
mod query;

use alloc::vec::Vec;

use crate::cell_list::{Buckets, Cells, Grid, Pair, bounds, check_reach, wrapped};
use crate::error::{Error, ShapeError, or_panic, shown_as};
use crate::kernels::kernels;
use crate::lists::NeighborLists;
use crate::overlap::check_items;
use crate::periodic::Periodic;
use crate::simd::InstructionSet;
use crate::vector::{Scalar, Vector};

/// When two points with radii are near.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Reach {
    /// Where one is within the larger of both radii of the other.
    Larger,
    /// Where they are no farther apart than the sum of both radii: balls that touch.
    Sum,
}

/// Points with a radius each, sorted into cells by octaves of radii, in 1 to 4 dimensions; named by
/// their index in the input: for all pairs that are near each other by their radii.
///
/// A pair is near if its squared distance, as every structure computes it, is at most the square of the
/// larger radius or of the sum of both. Else it is asked as a [`CellList`](crate::CellList) is, which is
/// the faster where all have one radius: regions are asked of the points, whatever their radii, without images.
///
/// ```
/// use orthant::{CellLevels, Reach, Sphere};
/// let points = [[0.0, 0.0], [3.0, 0.0], [3.5, 0.0]];
/// let balls = CellLevels::new(&points, &[2.5, 0.5, 0.1], Reach::Sum);
/// let mut pairs = Vec::new();
/// balls.pairs(&mut pairs);
/// assert_eq!(pairs, [[1, 2], [0, 1]]);
/// let ball = Sphere::new([3.0, 0.0], 0.5);
/// assert!(balls.query(ball).eq([2, 1]));
/// assert_eq!(balls.count(ball), 2);
/// ```
#[derive(Clone)]
pub struct CellLevels<V: Vector>(Levels<V::Array>);

shown_as!(
    impl[V: Vector] CellLevels<V> as "CellLevels",
    |this| points: this.len(), reach: this.0.reach, periodic: this.0.periodic
);

/// The levels, whatever vectors their user has.
#[derive(Clone, Debug)]
pub struct Levels<A: Vector> {
    reach: Reach,
    periodic: Option<Periodic<A>>,
    instructions: InstructionSet,
    len: usize,
    /// The points of each octave, from small radii to large ones; one level, which is empty, of none.
    levels: Vec<Cells<A>>,
}

impl<V: Vector> CellLevels<V> {
    /// Sorts the points into cells.
    ///
    /// # Panics
    ///
    /// Where [`try_new`](Self::try_new) returns an error, and if there are not as many radii as points.
    #[must_use]
    #[track_caller]
    pub fn new(points: &[V], radii: &[V::Scalar], reach: Reach) -> Self {
        or_panic("CellLevels", Self::try_new(points, radii, reach))
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
    ///
    /// # Complexity
    ///
    /// O(n log n), or O(n) for points that are spread evenly.
    #[track_caller]
    pub fn try_new(points: &[V], radii: &[V::Scalar], reach: Reach) -> Result<Self, Error> {
        let mut levels = Self::empty(reach, None);
        levels.rebuild(points, radii)?;
        Ok(levels)
    }

    /// Sorts the points into cells of a periodic box, as a [`CellList`](crate::CellList) has it.
    ///
    /// # Panics
    ///
    /// Where [`try_new_periodic`](Self::try_new_periodic) returns an error, and if there are not as
    /// many radii as points.
    #[must_use]
    #[track_caller]
    pub fn new_periodic(
        points: &[V],
        radii: &[V::Scalar],
        reach: Reach,
        periodic: Periodic<V>,
    ) -> Self {
        or_panic(
            "CellLevels",
            Self::try_new_periodic(points, radii, reach, periodic),
        )
    }

    /// Sorts the points into cells of a periodic box, as a [`CellList`](crate::CellList) has it.
    ///
    /// # Errors
    ///
    /// The errors of [`try_new`](Self::try_new), and if points are near each other more than a hundred times
    /// as far apart as the box is long on an axis, the square of that overflows, or images cannot be
    /// told apart.
    ///
    /// # Panics
    ///
    /// If there are not as many radii as points.
    ///
    /// # Complexity
    ///
    /// That of [`try_new`](Self::try_new).
    #[track_caller]
    pub fn try_new_periodic(
        points: &[V],
        radii: &[V::Scalar],
        reach: Reach,
        periodic: Periodic<V>,
    ) -> Result<Self, Error> {
        let mut levels = Self::empty(reach, Some(periodic));
        levels.rebuild(points, radii)?;
        Ok(levels)
    }

    /// The number of points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len
    }

    /// True if there are no points.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.len == 0
    }

    /// The levels with other instructions: for measurements and tests, since answers do not depend on it.
    #[doc(hidden)]
    #[must_use]
    pub fn with_instructions(mut self, instructions: InstructionSet) -> Self {
        self.0.instructions = instructions;
        for level in &mut self.0.levels {
            level.instructions = instructions;
        }
        self
    }

    fn empty(reach: Reach, periodic: Option<Periodic<V>>) -> Self {
        Self(Levels {
            reach,
            periodic: periodic.as_ref().map(Periodic::cast),
            instructions: InstructionSet::best(),
            len: 0,
            levels: Vec::new(),
        })
    }
}

impl<V: Vector> CellLevels<V> {
    /// Sorts other points with other radii into cells in place of these, in the same box.
    ///
    /// # Errors
    ///
    /// Where [`try_new`](Self::try_new) or [`try_new_periodic`](Self::try_new_periodic) returns one; all
    /// stays as it was.
    ///
    /// # Panics
    ///
    /// If there are not as many radii as points.
    ///
    /// # Complexity
    ///
    /// That of [`try_new`](Self::try_new).
    ///
    /// ```
    /// use orthant::{Aabb, CellLevels, NeighborLists, Periodic, Reach};
    /// let ring = Periodic::new(Aabb::new([0.0], [10.0]));
    /// let mut balls = CellLevels::new_periodic(&[[1.0], [9.5]], &[1.0, 0.5], Reach::Sum, ring);
    /// assert_eq!(balls.count_pairs(), 1); // across the end
    /// balls.rebuild(&[[1.0], [5.0], [5.5]], &[1.0; 3])?;
    /// let mut near = NeighborLists::new();
    /// balls.neighbors_into(&mut near);
    /// assert_eq!(near[2].len(), 2);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    #[track_caller]
    pub fn rebuild(&mut self, points: &[V], radii: &[V::Scalar]) -> Result<(), Error> {
        assert_eq!(points.len(), radii.len(), "a radius for each point");
        <V::Array as Kernels>::rebuild(&mut self.0, &V::arrays(points), radii)
    }
}

impl<A: Vector> Levels<A> {
    fn rebuild(&mut self, points: &[A], radii: &[A::Scalar]) -> Result<(), Error> {
        check_items(points)?;
        check_radii(radii)?;
        let double = |radius: A::Scalar| match self.reach {
            Reach::Larger => radius,
            Reach::Sum => radius + radius,
        };
        let largest = radii
            .iter()
            .fold(A::Scalar::ZERO, |most, &r| most.larger(r));
        let points = wrapped(points, self.periodic.as_ref());
        if let Some(periodic) = &self.periodic {
            let around = bounds(&points, self.instructions).expect("finite points");
            check_reach(double(largest), periodic, &around)?;
        }
        let mut order: Vec<(i32, u32)> = radii.iter().map(|&r| octave(r)).zip(0..).collect();
        order.sort_unstable();
        let mut spare = core::mem::take(&mut self.levels).into_iter();
        let mut level = |members: &[(i32, u32)]| {
            let of = |i: &(i32, u32)| i.1 as usize;
            let places: Vec<A> = members.iter().map(|i| points[of(i)]).collect();
            let sizes: Vec<A::Scalar> = members.iter().map(|i| radii[of(i)]).collect();
            let names: Vec<u32> = members.iter().map(|i| i.1).collect();
            let most = sizes
                .iter()
                .fold(A::Scalar::ZERO, |most, &r| most.larger(r));
            let around = bounds(&places, self.instructions).expect("finite points");
            let radius = double(most);
            let periodic = self.periodic;
            let grid = Grid::new(around, places.len(), radius, periodic.as_ref());
            let mut buckets = spare
                .next()
                .map_or_else(Buckets::new, |level| level.buckets);
            buckets.fill(&grid, &places, false, self.instructions);
            buckets.set_sizes(&sizes);
            buckets.rename(&names);
            Cells {
                radius,
                periodic,
                instructions: self.instructions,
                grid,
                buckets,
            }
        };
        self.levels = order.chunk_by(|a, b| a.0 == b.0).map(&mut level).collect();
        if self.levels.is_empty() {
            self.levels.push(level(&[]));
        }
        self.len = points.len();
        Ok(())
    }

    /// All points of smaller radii than those of a level, sorted into its cells; none below the first.
    pub(super) fn smaller(&self, level: usize) -> Option<Buckets<A>> {
        if level == 0 {
            return None;
        }
        let (mut places, mut sizes, mut names) = (Vec::new(), Vec::new(), Vec::new());
        for Cells { buckets, .. } in &self.levels[..level] {
            for slot in 0..buckets.len() {
                places.push(buckets.point(slot));
                sizes.push(buckets.size(slot));
            }
            names.extend_from_slice(buckets.indices());
        }
        let mut smaller = Buckets::new();
        let grid = &self.levels[level].grid;
        smaller.fill(grid, &places, true, self.instructions);
        smaller.set_sizes(&sizes);
        smaller.rename(&names);
        Some(smaller)
    }
}

fn check_radii<S: Scalar>(radii: &[S]) -> Result<(), Error> {
    for (index, &radius) in radii.iter().enumerate() {
        let refused = |error| Err(Error::Item { index, error });
        let value = radius.into();
        if !radius.is_finite() {
            let part = "radius";
            let axis = 0;
            return refused(ShapeError::NotFinite { part, axis, value });
        }
        if radius < S::ZERO {
            return refused(ShapeError::NegativeRadius { radius: value });
        }
    }
    Ok(())
}

/// The exponent of a radius as a power of two.
fn octave<S: Scalar>(radius: S) -> i32 {
    let radius: f64 = radius.into();
    (radius.to_bits() >> (f64::MANTISSA_DIGITS - 1)) as i32
}

kernels! {
    /// The work of [`CellLevels`](crate::CellLevels).
    pub trait Kernels {
        fn rebuild(
            levels: &mut Levels<Self>,
            points: &[Self],
            radii: &[Self::Scalar],
        ) -> Result<(), Error> = Levels::rebuild;
        fn lists(levels: &Levels<Self>, near: &mut NeighborLists) -> Result<(), Error> = Levels::lists;
        fn pairs(levels: &Levels<Self>, pairs: &mut Vec<[u32; 2]>) -> Result<(), Error> = Levels::pairs;
        fn count_pairs(levels: &Levels<Self>) -> u64 = Levels::count;
        fn each_pair(levels: &Levels<Self>, f: &mut dyn FnMut(&[Pair<Self>])) = Levels::each;
    }
}
