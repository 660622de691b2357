//! Lattice planes, and the search for an index.

use core::ops::Range;

use crate::{Aabb, Error, Scalar, Vector, Voxel};

/// The first index of a lattice.
pub(crate) const FIRST: i64 = i32::MIN as i64;
/// One past the last index: an `i32` still, so that the end of a run of cells can be said.
pub(crate) const END: i64 = i32::MAX as i64;

/// Planes at `origin + i * step` on each axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Lattice<V> {
    pub(crate) origin: V,
    pub(crate) step: V,
}

/// A box of cells, from `start` to one before `end` on each axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Block<X> {
    pub(crate) start: X,
    pub(crate) end: X,
}

impl<X: Voxel> Block<X> {
    #[inline]
    pub(crate) fn range(&self, axis: usize) -> Range<i32> {
        self.start.axis(axis)..self.end.axis(axis)
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        (0..X::DIM).any(|a| self.range(a).is_empty())
    }

    /// The number of cells.
    #[inline]
    pub(crate) fn cells(&self) -> usize {
        (0..X::DIM)
            .map(|a| self.range(a).len())
            .fold(1, usize::saturating_mul)
    }

    #[inline]
    pub(crate) fn holds(&self, other: &Self) -> bool {
        (0..X::DIM).all(|a| {
            self.start.axis(a) <= other.start.axis(a) && other.end.axis(a) <= self.end.axis(a)
        })
    }
}

impl<V: Vector> Lattice<V> {
    /// Plane `index` on an axis: all faces of cells come from here, so that neighbors share theirs
    /// bit for bit. Never decreasing in `index`, and finite.
    #[inline(always)]
    pub(crate) fn face(&self, axis: usize, index: i64) -> V::Scalar {
        let plane = self.plane(axis, index);
        plane
            .smaller(V::Scalar::MAX)
            .larger(V::Scalar::ZERO - V::Scalar::MAX)
    }

    /// The middle of cell `index`, between its faces, in the way of a plane.
    #[inline(always)]
    pub(crate) fn middle(&self, axis: usize, index: i64) -> V::Scalar {
        let middle =
            self.origin.axis(axis) + V::Scalar::from_f64(index as f64 + 0.5) * self.step.axis(axis);
        middle
            .smaller(V::Scalar::MAX)
            .larger(V::Scalar::ZERO - V::Scalar::MAX)
    }

    /// Plane `index`, infinite beyond the finite numbers.
    #[inline(always)]
    fn plane(&self, axis: usize, index: i64) -> V::Scalar {
        self.origin.axis(axis) + V::Scalar::from_f64(index as f64) * self.step.axis(axis)
    }

    /// The closed box of a block of cells.
    #[inline]
    pub(crate) fn bounds(&self, block: &Block<V::Voxel>) -> Aabb<V> {
        Aabb::from_corners(
            V::from_fn(|a| self.face(a, block.start.axis(a).into())),
            V::from_fn(|a| self.face(a, block.end.axis(a).into())),
        )
    }

    /// Where a coordinate lies in units of cells, roughly.
    #[inline]
    pub(crate) fn position(&self, axis: usize, value: V::Scalar) -> f64 {
        let from: f64 = self.origin.axis(axis).into();
        let step: f64 = self.step.axis(axis).into();
        (value.into() - from) / step
    }

    /// The largest index whose plane is at or below a coordinate.
    #[inline]
    pub(crate) fn index_of(&self, axis: usize, value: V::Scalar) -> Result<i64, Error> {
        if self.plane(axis, FIRST) > value || self.plane(axis, END) <= value {
            return Err(Error::OutOfRange {
                axis,
                value: value.into(),
            });
        }
        // Division disagrees with the planes: cell 9 of 0.1f32 begins above 0.9f32.
        let guess = floor(self.position(axis, value));
        let steps = farthest(END - FIRST, guess - FIRST, |k| {
            self.plane(axis, FIRST + k) <= value
        });
        Ok(FIRST + steps)
    }
}

/// The largest integer not above `x`, exact within the range of indices.
#[inline(always)]
pub(crate) fn floor(x: f64) -> i64 {
    // Far beyond any index, and far within `i64`.
    let x = x.clamp(-1e15, 1e15);
    let whole = x as i64;
    whole - i64::from(whole as f64 > x)
}

/// The smallest integer not below `x`, exact within the range of indices.
#[inline(always)]
pub(crate) fn ceil(x: f64) -> i64 {
    -floor(-x)
}

/// The largest `k` from 0 to `most` at which `holds`, which is true at 0 and, once false, stays so.
///
/// Two questions when the guess is right; a wrong one costs twice the logarithm of its error, as
/// where cells are smaller than the spacing of floats.
#[inline(always)]
pub(crate) fn farthest(most: i64, guess: i64, holds: impl Fn(i64) -> bool) -> i64 {
    let guess = guess.clamp(0, most);
    let mut step = 1;
    let (mut yes, mut no) = (guess, guess);
    if holds(guess) {
        loop {
            if yes == most {
                return most;
            }
            no = (yes + step).min(most);
            if !holds(no) {
                break;
            }
            yes = no;
            step *= 2;
        }
    } else {
        loop {
            yes = (no - step).max(0);
            if yes == 0 || holds(yes) {
                break;
            }
            no = yes;
            step *= 2;
        }
    }
    while no - yes > 1 {
        let middle = yes + (no - yes) / 2;
        if holds(middle) {
            yes = middle;
        } else {
            no = middle;
        }
    }
    yes
}
