//! Candidates: points near a group of points, packed into columns once and then compared sixteen at a time.
//!
//! All searches for the neighbors of many points, in trees and in cell lists, work in this way:
//!
//! ```text
//! for each group of points that lie together (a block of a tree, a cell of a grid):
//!     pack the points that may be near a point of the group, judged by the box around the group
//!     for each point of the group:
//!         for each block of sixteen candidates:
//!             list, count or hand on the candidates that are neighbors of the point
//! ```
//!
//! A tree finds candidates by a descent, and tests them against the box around the group by `Nearby`. A cell list finds them in the cells
//! around a cell, and tests them by `Around`. [`Packer`] packs them, and [`QueryPoint`] compares a point with them.
//!
//! Complexity: one comparison of sixteen lanes for each block of points around the group, and for each point and block of candidates; the
//! memory for the candidates of one group.

mod compare;
mod pack;

use fearless_simd::Simd;

use crate::overlap::lanes::W;
use crate::simd::Wide;
use crate::vector::Vector;
pub(crate) use compare::{Packed, QueryPoint};
pub(crate) use pack::{Candidates, Packer, sixteen};

/// The largest number of columns of a candidate: four coordinates and a size.
const COLUMNS: usize = 5;

/// The distance up to which two points are neighbors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    /// One radius for all points.
    Radius,
    /// The larger of the sizes of both points.
    Larger,
    /// The sum of the sizes of both points.
    Sum,
}

impl Limit {
    /// Returns true if each point has a size of its own.
    #[inline(always)]
    pub(crate) fn is_sized(self) -> bool {
        self != Self::Radius
    }

    /// The number of columns of a candidate.
    #[inline(always)]
    pub(crate) fn columns<V: Vector>(self) -> usize {
        V::DIM + usize::from(self.is_sized())
    }

    /// The squared distances up to which sixteen points are neighbors of a point. `size` is the point's size, or the common radius.
    #[inline(always)]
    pub(crate) fn squares<V: Vector, S: Simd>(
        self,
        size: W<V, S>,
        sizes: impl FnOnce() -> W<V, S>,
    ) -> W<V, S> {
        let distance = match self {
            Self::Radius => size,
            Self::Larger => size.larger(sizes()),
            Self::Sum => size + sizes(),
        };
        distance * distance
    }
}
