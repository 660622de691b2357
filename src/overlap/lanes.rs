//! Tests of balls, boxes and solids against sixteen cells or items at once.
//!
//! Each lane's answer equals the scalar one: sums are those of [`distance`](super::distance), in the same order.
//! Signs of differences and the order of maxima may differ, which changes no bit of a square.

mod ball;
pub(crate) mod capsule;
mod cuboid;
pub(crate) mod inexact;
mod measure;
pub(crate) mod planes;

pub(crate) use ball::Probe;
pub(crate) use cuboid::{Cuboid, Nearby};
use fearless_simd::Simd;
pub(crate) use measure::Measure;

pub(crate) use crate::overlap::round::Ball;

use super::columns::Columns;
use crate::overlap::Region;
use crate::shape::{Aabb, Layout};
use crate::simd::{Column, InstructionSet, LANES, Mask, Wide};
use crate::vector::{Scalar, Vector};
use inexact::Inexact;

/// The least and the largest radius of the balls in each of sixteen boxes.
pub(crate) type RadiusRange<S> = [Column<S>; 2];

type Radii<V> = RadiusRange<<V as Vector>::Scalar>;

pub(crate) type W<V, S> = <<V as Vector>::Scalar as Scalar>::Wide<S>;

#[inline(always)]
fn splat<V: Vector, S: Simd>(simd: S, value: V::Scalar) -> W<V, S> {
    <W<V, S>>::splat(simd, value)
}

/// A region that lanes compare exactly: a box or a ball.
#[derive(Clone, Copy, Debug)]
pub enum Plain<V: Vector> {
    /// A solid box.
    Box(Aabb<V>),
    /// A ball, solid or hollow, by any measure.
    Ball(Ball<V>),
}

impl<V: Vector> Plain<V> {
    /// True for solid boxes, and for solid spheres without an offset.
    #[inline(always)]
    pub(crate) fn is_usual(&self) -> bool {
        match self {
            Self::Box(_) => true,
            Self::Ball(ball) => ball.is_usual(),
        }
    }

    /// True for boxes, and for balls by Euclid's norm without an offset.
    #[inline(always)]
    pub(crate) fn is_euclidean(&self) -> bool {
        match self {
            Self::Box(_) => true,
            Self::Ball(ball) => ball.is_euclidean(),
        }
    }

    /// Converts the region to another type of vector.
    #[inline(always)]
    pub(crate) fn cast<U: Vector<Array = V::Array, Scalar = V::Scalar>>(self) -> Plain<U> {
        match self {
            Self::Box(cuboid) => Plain::Box(cuboid.cast()),
            Self::Ball(ball) => Plain::Ball(ball.cast()),
        }
    }
}

/// A region in the form in which trees compare it by lanes.
#[derive(Clone, Debug)]
pub enum Asked<V: Vector> {
    /// A ball or a box.
    Plain(Plain<V>),
    /// A solid that lanes compare by bounds.
    Inexact(Inexact<V>),
}

impl<V: Vector<Array = V>> Asked<V> {
    /// `None` if lanes cannot compare the region with such items. On x86-64 machines without AVX2 that includes
    /// solids and measures: their code for SSE2 took as long to compile as all other code.
    #[inline(always)]
    pub(crate) fn of<R>(region: &R, items: Layout, set: InstructionSet) -> Option<Self>
    where
        R: Region<Vector: Vector<Array = V::Array, Scalar = V::Scalar>>,
    {
        if items == Layout::Whole {
            return None;
        }
        let plain = region.plain().map(Plain::cast);
        if let Some(plain) = plain.filter(Plain::is_euclidean) {
            return Some(Self::Plain(plain));
        }
        if items != Layout::Ball
            && let Some(cube) = region.cube()
        {
            return Some(Self::Plain(Plain::Box(cube.cast())));
        }
        if !set.is_wide() {
            return None;
        }
        match plain {
            // Balls as items are measured by Euclid alone.
            Some(Plain::Ball(ball)) if items == Layout::Ball && ball.measure != Measure::Euclid => {
                None
            }
            Some(plain) => Some(Self::Plain(plain)),
            None => {
                let mut region = region.inexact()?;
                if let (Inexact::Planes(planes), Layout::Box) = (&mut region, items) {
                    planes.prepare_for_boxes();
                }
                Some(Self::Inexact(region))
            }
        }
    }
}

/// A region in registers. Each method compares sixteen cells or items and returns the lanes of those that overlap.
pub(crate) trait WideRegion<V: Vector, S: Simd>: Copy {
    fn meets_points(&self, points: &Columns<V>) -> Mask;

    /// The points that overlap; the coordinates of each axis lie `stride` behind those of the axis before.
    #[inline(always)]
    fn meets_row(&self, coordinates: &[V::Scalar], stride: usize) -> Mask {
        let mut points = V::axes(Column([Scalar::ZERO; LANES]));
        for (axis, column) in points.as_mut().iter_mut().enumerate() {
            let lanes = coordinates[axis * stride..].first_chunk();
            column.0 = *lanes.expect("sixteen lanes to the end of the last axis");
        }
        self.meets_points(&points)
    }

    fn meets_boxes(&self, low: &Columns<V>, high: &Columns<V>) -> Mask;

    /// Cells whose points or boxes may overlap.
    #[inline(always)]
    fn may_meet_boxes(&self, low: &Columns<V>, high: &Columns<V>) -> Mask {
        self.meets_boxes(low, high)
    }

    fn meets_balls(&self, centers: &Columns<V>, radii: &Column<V::Scalar>) -> Mask;

    /// Cells whose balls may overlap.
    fn may_meet_balls(&self, low: &Columns<V>, high: &Columns<V>, radii: &Radii<V>) -> Mask;

    /// Cells whose points or boxes all overlap.
    fn holds(&self, low: &Columns<V>, high: &Columns<V>) -> Mask;

    /// Cells whose balls all overlap. For a solid, cells that lie inside: a ball overlaps it wherever its center
    /// does.
    #[inline(always)]
    fn holds_balls(&self, low: &Columns<V>, high: &Columns<V>, _radii: &Radii<V>) -> Mask {
        self.holds(low, high)
    }
}
