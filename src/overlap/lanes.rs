//! Balls and boxes, asked of sixteen cells or items at once.
//!
//! Expressions are those of [`distance`](super::distance) in the same order of operations, so that a
//! lane has the bits of the scalar answer.

mod ball;
mod cuboid;

use fearless_simd::Simd;

pub(crate) use ball::{Ball, Probe};
pub(crate) use cuboid::{Cuboid, Nearby};

use crate::shape::Aabb;
use crate::simd::{Column, Mask, Wide};
use crate::vector::{Scalar, Vector};

/// How the items of a type lie in columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Not at all: each is kept as it is.
    Whole,
    /// A point: its coordinates.
    Point,
    /// A box: its least coordinates, then its largest.
    Box,
    /// A ball: its center, then its radius.
    Ball,
}

/// One coordinate of sixteen points on each axis.
pub(crate) type Columns<V> = <V as Vector>::Axes<Column<<V as Vector>::Scalar>>;

/// Sixteen boxes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Boxes<V: Vector> {
    pub(crate) low: Columns<V>,
    pub(crate) high: Columns<V>,
}

/// Least and largest rounding of what sixteen boxes hold.
pub(crate) type Roundings<S> = [Column<S>; 2];

pub(crate) type W<V, S> = <<V as Vector>::Scalar as Scalar>::Wide<S>;

#[inline(always)]
fn splat<V: Vector, S: Simd>(simd: S, value: V::Scalar) -> W<V, S> {
    <W<V, S>>::splat(simd, value)
}

/// A region that vector instructions can be asked of.
#[derive(Clone, Copy, Debug)]
pub enum Plain<V: Vector> {
    /// A solid box.
    Box(Aabb<V>),
    /// A ball, solid or hollow.
    Ball(Ball<V>),
}

impl<V: Vector> Plain<V> {
    /// The same in other vectors.
    #[inline(always)]
    pub(crate) fn cast<U: Vector<Array = V::Array, Scalar = V::Scalar>>(&self) -> Plain<U> {
        match self {
            Self::Box(cuboid) => Plain::Box(cuboid.cast()),
            Self::Ball(ball) => Plain::Ball(Ball {
                center: U::of_array(ball.center.array()),
                outer: ball.outer,
                inner: ball.inner,
                hollow: ball.hollow,
            }),
        }
    }
}

/// A region in registers, to be asked about sixteen cells or items at a time: the lanes of those
/// that overlap.
pub(crate) trait Lanewise<V: Vector, S: Simd>: Copy {
    fn meets_points(&self, points: &Columns<V>) -> Mask;

    /// Of points, of which one axis lies behind the other at a distance.
    fn meets_row(&self, coordinates: &[V::Scalar], stride: usize) -> Mask;

    /// Of boxes; of cells, those whose items may overlap.
    fn meets_boxes(&self, low: &Columns<V>, high: &Columns<V>) -> Mask;

    fn meets_balls(&self, centers: &Columns<V>, radii: &Column<V::Scalar>) -> Mask;

    /// Of cells, those whose balls may overlap.
    fn meets_rounded(
        &self,
        low: &Columns<V>,
        high: &Columns<V>,
        radii: &Roundings<V::Scalar>,
    ) -> Mask;

    /// Of cells, those whose points or boxes all overlap.
    fn holds(&self, low: &Columns<V>, high: &Columns<V>) -> Mask;

    /// Of cells, those whose balls all overlap.
    fn holds_rounded(
        &self,
        low: &Columns<V>,
        high: &Columns<V>,
        radii: &Roundings<V::Scalar>,
    ) -> Mask;
}

/// Does something with a plain region in registers: written once, made for each kind.
macro_rules! lanewise {
    ($plain:expr, $v:ty, $s:ty, $simd:ident, |$probe:ident| $do:expr) => {
        match $plain {
            $crate::overlap::lanes::Plain::Box(cuboid) => {
                let $probe = $crate::overlap::lanes::Cuboid::<$v, $s>::new($simd, cuboid);
                $do
            }
            $crate::overlap::lanes::Plain::Ball(ball) => {
                let $probe = $crate::overlap::lanes::Probe::<$v, $s, true>::new($simd, ball);
                $do
            }
        }
    };
}
pub(crate) use lanewise;
