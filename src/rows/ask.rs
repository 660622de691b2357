//! What can be kept in rows, and what can be asked of them.

#![allow(
    clippy::needless_range_loop,
    reason = "plain loops over several arrays at once are what becomes vector instructions"
)]

use core::fmt::Debug;

use super::block::{Column, Question};
use crate::overlap::distance::near_on_sq;
use crate::{Aabb, Bounded, Scalar, Sphere, Vector};

mod sealed {
    use super::{Aabb, Sphere, Vector};

    pub trait Sealed {}
    impl<V: Vector> Sealed for V {}
    impl<V: Vector> Sealed for Aabb<V> {}
    impl<V: Vector> Sealed for Sphere<V> {}
}

/// What [`Rows`](super::Rows) can hold: points, [`Aabb`] and [`Sphere`].
pub trait Row: Bounded + Copy + Debug + sealed::Sealed {
    /// The numbers that make one item.
    const COLUMNS: usize;

    /// One of them.
    #[doc(hidden)]
    fn column(&self, column: usize) -> <Self::Vector as Vector>::Scalar;
}

impl<V: Vector> Row for V {
    const COLUMNS: usize = V::DIM;

    #[inline(always)]
    fn column(&self, column: usize) -> V::Scalar {
        self.axis(column)
    }
}

impl<V: Vector> Row for Aabb<V> {
    const COLUMNS: usize = 2 * V::DIM;

    #[inline(always)]
    fn column(&self, column: usize) -> V::Scalar {
        if column < V::DIM {
            self.min().axis(column)
        } else {
            self.max().axis(column - V::DIM)
        }
    }
}

impl<V: Vector> Row for Sphere<V> {
    const COLUMNS: usize = V::DIM + 1;

    #[inline(always)]
    fn column(&self, column: usize) -> V::Scalar {
        if column < V::DIM {
            self.center().axis(column)
        } else {
            self.radius()
        }
    }
}

/// A shape that rows of `T` can be asked for.
pub trait Ask<T: Row>: sealed::Sealed {
    #[doc(hidden)]
    type Question: Question<Scalar = <T::Vector as Vector>::Scalar>;

    #[doc(hidden)]
    fn question(&self) -> Self::Question;
}

/// Boxes against one ball.
#[derive(Debug)]
pub struct BoxesNear<V: Vector> {
    center: V,
    limit: V::Scalar,
}

impl<V: Vector> Ask<Aabb<V>> for Sphere<V> {
    type Question = BoxesNear<V>;

    fn question(&self) -> BoxesNear<V> {
        BoxesNear {
            center: self.center(),
            limit: self.radius() * self.radius(),
        }
    }
}

impl<V: Vector> Question for BoxesNear<V> {
    type Scalar = V::Scalar;
    const COLUMNS: usize = 2 * V::DIM;

    #[inline(always)]
    fn is_hit(&self, block: &[Column<V::Scalar>], lane: usize) -> bool {
        let mut sum = V::Scalar::ZERO;
        for axis in 0..V::DIM {
            let (lo, hi) = (block[axis].0[lane], block[V::DIM + axis].0[lane]);
            sum = sum + near_on_sq(self.center.axis(axis), lo, hi);
        }
        sum <= self.limit
    }
}

/// Balls against one box.
#[derive(Debug)]
pub struct BallsNear<V> {
    min: V,
    max: V,
}

impl<V: Vector> Ask<Sphere<V>> for Aabb<V> {
    type Question = BallsNear<V>;

    fn question(&self) -> BallsNear<V> {
        BallsNear {
            min: self.min(),
            max: self.max(),
        }
    }
}

impl<V: Vector> Question for BallsNear<V> {
    type Scalar = V::Scalar;
    const COLUMNS: usize = V::DIM + 1;

    #[inline(always)]
    fn is_hit(&self, block: &[Column<V::Scalar>], lane: usize) -> bool {
        let mut sum = V::Scalar::ZERO;
        for axis in 0..V::DIM {
            let center = block[axis].0[lane];
            sum = sum + near_on_sq(center, self.min.axis(axis), self.max.axis(axis));
        }
        let radius = block[V::DIM].0[lane];
        sum <= radius * radius
    }
}

/// Points against one ball.
#[derive(Debug)]
pub struct PointsNear<V: Vector> {
    center: V,
    limit: V::Scalar,
}

impl<V: Vector> Ask<V> for Sphere<V> {
    type Question = PointsNear<V>;

    fn question(&self) -> PointsNear<V> {
        PointsNear {
            center: self.center(),
            limit: self.radius() * self.radius(),
        }
    }
}

impl<V: Vector> Question for PointsNear<V> {
    type Scalar = V::Scalar;
    const COLUMNS: usize = V::DIM;

    #[inline(always)]
    fn is_hit(&self, block: &[Column<V::Scalar>], lane: usize) -> bool {
        let mut sum = V::Scalar::ZERO;
        for axis in 0..V::DIM {
            let apart = self.center.axis(axis) - block[axis].0[lane];
            sum = sum + apart * apart;
        }
        sum <= self.limit
    }
}
