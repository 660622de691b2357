//! The expressions of a ball, asked of sixteen boxes or points at once.
//!
//! Each is that of [`distance`](super::distance) in the same order of operations, so that a lane has
//! the bits of the scalar answer. Items and cells lie in columns: one for each coordinate, lows
//! before highs, roundings last.

use fearless_simd::Simd;

use crate::simd::{Column, Wide};
use crate::{Bounded, Scalar, Vector};

/// How the items of a type lie in columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Not at all: each is kept as it is.
    Whole,
    /// A point: its coordinates.
    Point,
    /// A box: its least coordinates, then its largest.
    Box,
    /// A ball: its centre, then its radius.
    Ball,
}

impl Layout {
    /// The columns that items take.
    pub(crate) const fn columns(self, axes: usize) -> usize {
        match self {
            Self::Whole => 0,
            Self::Point => axes,
            Self::Box => 2 * axes,
            Self::Ball => axes + 1,
        }
    }
}

/// The points about a centre whose distance is between two radii.
#[derive(Clone, Copy, Debug)]
pub struct Ball<V: Vector> {
    pub(crate) center: V,
    pub(crate) outer: V::Scalar,
    /// 0 and not asked for in a solid ball.
    pub(crate) inner: V::Scalar,
    pub(crate) hollow: bool,
}

type W<V, S> = <<V as Vector>::Scalar as Scalar>::Wide<S>;

/// The columns of sixteen cells: their corners, and their roundings if items have any.
pub(crate) const fn cell_columns<T: Bounded>() -> usize {
    2 * T::Vector::DIM + if T::ROUNDED { 2 } else { 0 }
}

/// A ball in registers, to be asked about sixteen cells or items at a time.
#[derive(Clone, Copy)]
pub(crate) struct Probe<V: Vector, S: Simd> {
    simd: S,
    center: [W<V, S>; 4],
    outer: W<V, S>,
    inner: W<V, S>,
    outer_sq: W<V, S>,
    inner_sq: W<V, S>,
    hollow: bool,
}

/// Stamps a sum of squares over the axes. A function, not a closure, makes each term: closures keep
/// the instructions of the place where they were written.
macro_rules! sums {
    ($($(#[$doc:meta])* $name:ident of $term:ident;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $name(&self, columns: &[Column<V::Scalar>]) -> W<V, S> {
            let first = self.$term(columns, 0);
            let mut sum = first * first;
            for axis in 1..V::DIM {
                let next = self.$term(columns, axis);
                sum = sum + next * next;
            }
            sum
        }
    )*};
}

impl<V: Vector, S: Simd> Probe<V, S> {
    #[inline(always)]
    pub(crate) fn new(simd: S, ball: &Ball<V>) -> Self {
        let zero = Self::splat(simd, Scalar::ZERO);
        let mut center = [zero; 4];
        for axis in 0..V::DIM {
            center[axis] = Self::splat(simd, ball.center.axis(axis));
        }
        Self {
            simd,
            center,
            outer: Self::splat(simd, ball.outer),
            inner: Self::splat(simd, ball.inner),
            outer_sq: Self::splat(simd, ball.outer * ball.outer),
            inner_sq: Self::splat(simd, ball.inner * ball.inner),
            hollow: ball.hollow,
        }
    }

    #[inline(always)]
    fn splat(simd: S, value: V::Scalar) -> W<V, S> {
        <W<V, S>>::splat(simd, value)
    }

    #[inline(always)]
    fn load(&self, column: &Column<V::Scalar>) -> W<V, S> {
        <W<V, S>>::load(self.simd, &column.0)
    }

    sums! {
        /// To points.
        point_sq of point_on;
        /// To the nearest points of boxes.
        near_sq of near_on;
        /// To the farthest corners of boxes.
        far_sq of far_on;
    }

    #[inline(always)]
    fn point_on(&self, columns: &[Column<V::Scalar>], axis: usize) -> W<V, S> {
        self.center[axis] - self.load(&columns[axis])
    }

    #[inline(always)]
    fn near_on(&self, columns: &[Column<V::Scalar>], axis: usize) -> W<V, S> {
        let below = self.load(&columns[axis]) - self.center[axis];
        let above = self.center[axis] - self.load(&columns[V::DIM + axis]);
        Self::splat(self.simd, Scalar::ZERO).larger(below.larger(above))
    }

    #[inline(always)]
    fn far_on(&self, columns: &[Column<V::Scalar>], axis: usize) -> W<V, S> {
        let above = self.center[axis] - self.load(&columns[axis]);
        above.larger(self.load(&columns[V::DIM + axis]) - self.center[axis])
    }

    /// The squared distance up to which a ball of a radius meets this, for sixteen radii.
    #[inline(always)]
    fn reach_sq(&self, radius: W<V, S>) -> W<V, S> {
        let sum = self.outer + radius;
        sum * sum
    }

    /// The squared distance from which on a ball of a radius meets this, for sixteen radii.
    #[inline(always)]
    fn hole_sq(&self, radius: W<V, S>) -> W<V, S> {
        let left = Self::splat(self.simd, Scalar::ZERO).larger(self.inner - radius);
        left * left
    }

    /// A bit for each of sixteen items that overlap.
    #[inline(always)]
    pub(crate) fn hits<T: Bounded<Vector = V>>(&self, columns: &[Column<V::Scalar>]) -> u32 {
        match T::LAYOUT {
            Layout::Whole => 0,
            Layout::Point => {
                let apart = self.point_sq(columns);
                self.within(apart, apart)
            }
            Layout::Box => {
                let near = self.near_sq(columns);
                if self.hollow {
                    self.within(near, self.far_sq(columns))
                } else {
                    self.within(near, near)
                }
            }
            Layout::Ball => {
                let apart = self.point_sq(columns);
                let radius = self.load(&columns[V::DIM]);
                let mut mask = apart.at_most(self.reach_sq(radius));
                if self.hollow {
                    mask &= self.hole_sq(radius).at_most(apart);
                }
                mask
            }
        }
    }

    /// `near` not beyond the outer radius, `far` not within the inner.
    #[inline(always)]
    fn within(&self, near: W<V, S>, far: W<V, S>) -> u32 {
        let mut mask = near.at_most(self.outer_sq);
        if self.hollow {
            mask &= self.inner_sq.at_most(far);
        }
        mask
    }

    /// A bit for each of sixteen cells whose items may overlap.
    #[inline(always)]
    pub(crate) fn reaches<T: Bounded<Vector = V>>(&self, columns: &[Column<V::Scalar>]) -> u32 {
        let near = self.near_sq(columns);
        let mut mask = if T::ROUNDED {
            near.at_most(self.reach_sq(self.load(&columns[2 * V::DIM + 1])))
        } else {
            near.at_most(self.outer_sq)
        };
        if self.hollow {
            let far = self.far_sq(columns);
            mask &= if T::ROUNDED {
                self.hole_sq(self.load(&columns[2 * V::DIM + 1]))
                    .at_most(far)
            } else {
                self.inner_sq.at_most(far)
            };
        }
        mask
    }

    /// A bit for each of sixteen cells all of whose items overlap.
    #[inline(always)]
    pub(crate) fn holds<T: Bounded<Vector = V>>(&self, columns: &[Column<V::Scalar>]) -> u32 {
        let far = self.far_sq(columns);
        let mut mask = if T::ROUNDED {
            far.at_most(self.reach_sq(self.load(&columns[2 * V::DIM])))
        } else {
            far.at_most(self.outer_sq)
        };
        if self.hollow {
            let near = self.near_sq(columns);
            mask &= if T::ROUNDED {
                self.hole_sq(self.load(&columns[2 * V::DIM])).at_most(near)
            } else {
                self.inner_sq.at_most(near)
            };
        }
        mask
    }
}
