//! Points with a radius each, of any scale: a grid for each octave of radii.
//!
//! In one grid, cells as long as the largest radius would hold all the small points around it. Here
//! each point lies in the grid of its octave, and asks that grid and those of larger radii, so that no
//! pair comes twice: the cost is that of the pairs and of so many questions a point as there are
//! octaves. (The hierarchical grid of granular dynamics: M. Eitz and L. Gu, "Hierarchical spatial
//! hashing for real-time collision detection", 2007.)

mod build;
mod kernels;
mod neighbors;
mod pairs;

use alloc::vec::Vec;

use crate::cell_list::{Buckets, Grid};
use crate::error::Error;
use crate::periodic::Periodic;
use crate::simd::InstructionSet;
use crate::vector::Vector;
pub(crate) use kernels::Kernels;

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
/// the faster where all have one radius.
///
/// ```
/// use orthant::{CellLevels, Reach};
/// let points = [[0.0, 0.0], [3.0, 0.0], [3.5, 0.0]];
/// let balls = CellLevels::new(&points, &[2.5, 0.5, 0.1], Reach::Sum);
/// let mut pairs = Vec::new();
/// balls.pairs(&mut pairs);
/// assert_eq!(pairs, [[1, 2], [0, 1]]);
/// ```
#[derive(Clone, Debug)]
pub struct CellLevels<V: Vector>(Levels<V::Array>);

/// What it is made of, whatever vectors its user has.
#[derive(Clone, Debug)]
pub struct Levels<A: Vector> {
    reach: Reach,
    periodic: Option<Periodic<A>>,
    instructions: InstructionSet,
    len: usize,
    /// From small radii to large ones.
    levels: Vec<Level<A>>,
}

/// The points of an octave.
#[derive(Clone, Debug)]
struct Level<V: Vector> {
    grid: Grid<V>,
    buckets: Buckets<V>,
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
        Self::try_new(points, radii, reach).unwrap_or_else(|error| panic!("CellLevels: {error}"))
    }

    /// Sorts the points into cells.
    ///
    /// # Errors
    ///
    /// If a coordinate or radius is infinite or NaN, or a radius negative (the error names the item),
    /// or there are more points than `u32` can number.
    ///
    /// # Panics
    ///
    /// If there are not as many radii as points.
    ///
    /// # Complexity
    ///
    /// O(n log n), or O(n) for points that are spread evenly.
    pub fn try_new(points: &[V], radii: &[V::Scalar], reach: Reach) -> Result<Self, Error> {
        let mut levels = Self::empty(reach, None);
        levels.rebuild(points, radii)?;
        Ok(levels)
    }

    /// The same in a periodic box, as a [`CellList`](crate::CellList) has it.
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
        Self::try_new_periodic(points, radii, reach, periodic)
            .unwrap_or_else(|error| panic!("CellLevels: {error}"))
    }

    /// The same in a periodic box, as a [`CellList`](crate::CellList) has it.
    ///
    /// # Errors
    ///
    /// Those of [`try_new`](Self::try_new), and if points are near each other more than a hundred times
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

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.len == 0
    }

    /// The same, asked with other instructions: for measurements and tests, since answers do not
    /// depend on it.
    #[must_use]
    pub fn with_instructions(mut self, instructions: InstructionSet) -> Self {
        self.0.instructions = instructions;
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
