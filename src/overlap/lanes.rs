//! Balls and boxes, asked of sixteen cells or items at once.
//!
//! A lane has the bits of the scalar answer: sums are those of [`distance`](super::distance), in the same order. Signs of
//! differences and the order of maxima may differ, which changes no bit of a square.

pub(crate) mod capsule;
mod cuboid;
pub(crate) mod inexact;
mod measure;
pub(crate) mod planes;

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

/// Least and largest radius of what each of sixteen boxes holds.
pub(crate) type RadiusRange<S> = [Column<S>; 2];

pub(crate) type W<V, S> = <<V as Vector>::Scalar as Scalar>::Wide<S>;

#[inline(always)]
fn splat<V: Vector, S: Simd>(simd: S, value: V::Scalar) -> W<V, S> {
    <W<V, S>>::splat(simd, value)
}

// The items that a loop is compiled for.

/// Items of any layout, which is asked for in each block.
pub(crate) const ANY: u8 = 0;
/// Points.
pub(crate) const POINTS: u8 = 1;

/// A region that vector instructions can be asked of.
#[derive(Clone, Copy, Debug)]
pub enum Plain<V: Vector> {
    /// A solid box.
    Box(Aabb<V>),
    /// A ball, solid or hollow, by any measure.
    Ball(Ball<V>),
}

impl<V: Vector> Plain<V> {
    /// True for solid boxes and solid spheres where items are.
    #[inline(always)]
    pub(crate) fn is_usual(&self) -> bool {
        match self {
            Self::Box(_) => true,
            Self::Ball(ball) => ball.is_usual(),
        }
    }

    /// True for boxes, and for balls that Euclid measures where items are.
    #[inline(always)]
    pub(crate) fn is_euclidean(&self) -> bool {
        match self {
            Self::Box(_) => true,
            Self::Ball(ball) => ball.is_plain(),
        }
    }

    /// The region in other vectors.
    #[inline(always)]
    pub(crate) fn cast<U: Vector<Array = V::Array, Scalar = V::Scalar>>(self) -> Plain<U> {
        match self {
            Self::Box(cuboid) => Plain::Box(cuboid.cast()),
            Self::Ball(ball) => Plain::Ball(ball.cast()),
        }
    }
}

/// A region as trees ask it by lanes: a plain one, or a solid.
#[derive(Clone, Debug)]
pub enum Asked<V: Vector> {
    /// A ball or a box.
    Plain(Plain<V>),
    /// A solid that lanes know by bounds.
    Inexact(Inexact<V>),
}

impl<V: Vector<Array = V>> Asked<V> {
    /// None for a region or items that lanes cannot be asked of. Nor are solids and measures on x86-64 machines without AVX2: in four
    /// registers for sixteen numbers, the code for them took as long to compile as all other.
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
                let solid = region.inexact()?;
                let is_box = items == Layout::Box;
                Some(Self::Inexact(if is_box {
                    solid.for_boxes()
                } else {
                    solid
                }))
            }
        }
    }
}

/// A region in registers, to be asked about sixteen cells or items at a time: the lanes of those
/// that overlap.
pub(crate) trait WideRegion<V: Vector, S: Simd>: Copy {
    fn meets_points(&self, points: &Columns<V>) -> Mask;

    /// The points that overlap, of which one axis lies behind the other at a distance.
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
    fn may_meet_balls(
        &self,
        low: &Columns<V>,
        high: &Columns<V>,
        radii: &RadiusRange<V::Scalar>,
    ) -> Mask;

    /// Cells whose points or boxes all overlap.
    fn holds(&self, low: &Columns<V>, high: &Columns<V>) -> Mask;

    /// Cells whose balls all overlap: of solids, those whose centers lie inside.
    #[inline(always)]
    fn holds_balls(
        &self,
        low: &Columns<V>,
        high: &Columns<V>,
        _radii: &RadiusRange<V::Scalar>,
    ) -> Mask {
        self.holds(low, high)
    }
}

/// Does something with a plain region in registers: by [`WideRegion`], compiled for each kind.
macro_rules! with_wide {
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
pub(crate) use with_wide;

// Balls.

/// A ball in registers, solid or perhaps `HOLLOW`, by Euclid where items are, or perhaps by another `MEASURE` or in another
/// image, to be asked about sixteen cells or items at a time.
#[derive(Clone, Copy)]
pub(crate) struct Probe<V: Vector, S: Simd, const HOLLOW: bool, const MEASURE: bool = false> {
    simd: S,
    center: [W<V, S>; 4],
    /// Zeros where it is not asked for.
    offset: [W<V, S>; 4],
    outer: W<V, S>,
    inner: W<V, S>,
    outer_sq: W<V, S>,
    inner_sq: W<V, S>,
    /// Asked for only where it may be: asking takes a fifteenth of a query for ten points.
    hollow: bool,
    measure: Measure<V>,
}

impl<V: Vector, S: Simd, const HOLLOW: bool, const MEASURE: bool> Probe<V, S, HOLLOW, MEASURE> {
    #[inline(always)]
    pub(crate) fn new(simd: S, ball: &Ball<V>) -> Self {
        let zero = splat::<V, S>(simd, Scalar::ZERO);
        let measure = if MEASURE {
            ball.measure
        } else {
            Measure::Euclid
        };
        let (mut center, mut offset) = ([zero; 4], [zero; 4]);
        for (axis, lanes) in center.iter_mut().enumerate().take(V::DIM) {
            *lanes = splat::<V, S>(simd, ball.center.axis(axis));
            if MEASURE {
                offset[axis] = splat::<V, S>(simd, ball.offset.axis(axis));
            }
        }
        Self {
            simd,
            center,
            offset,
            outer: splat::<V, S>(simd, ball.outer),
            inner: splat::<V, S>(simd, ball.inner),
            outer_sq: splat::<V, S>(simd, measure.of_length(ball.outer)),
            inner_sq: splat::<V, S>(simd, measure.of_length(ball.inner)),
            hollow: ball.hollow,
            measure,
        }
    }

    #[inline(always)]
    fn load(&self, column: &Column<V::Scalar>) -> W<V, S> {
        <W<V, S>>::load(self.simd, &column.0)
    }

    /// The sum of squares of differences on all axes. Closures passed here must be `#[inline(always)]`; otherwise they lose the caller's
    /// instructions.
    #[inline(always)]
    fn sum(on: impl Fn(usize) -> W<V, S>) -> W<V, S> {
        let first = on(0);
        let mut sum = first * first;
        for axis in 1..V::DIM {
            let next = on(axis);
            sum = sum + next * next;
        }
        sum
    }

    /// The measure of differences on all axes.
    #[inline(always)]
    fn measured(&self, on: impl Fn(usize) -> W<V, S>) -> W<V, S> {
        if !MEASURE || matches!(self.measure, Measure::Euclid) {
            return Self::sum(on);
        }
        let mut apart = self.center;
        for (axis, apart) in apart.iter_mut().enumerate().take(V::DIM) {
            *apart = on(axis);
        }
        self.measure.of_lanes(self.simd, apart)
    }

    /// The measure of the differences to points.
    #[inline(always)]
    pub(crate) fn point_measure(&self, points: &Columns<V>) -> W<V, S> {
        self.measured(
            #[inline(always)]
            |axis| self.point_on(points, axis),
        )
    }

    #[inline(always)]
    pub(crate) fn point_sq(&self, points: &Columns<V>) -> W<V, S> {
        Self::sum(
            #[inline(always)]
            |axis| self.point_on(points, axis),
        )
    }

    /// The measure of the differences to the nearest points of boxes.
    #[inline(always)]
    pub(crate) fn near_measure(&self, low: &Columns<V>, high: &Columns<V>) -> W<V, S> {
        self.measured(
            #[inline(always)]
            |axis| self.near_on(low, high, axis),
        )
    }

    #[inline(always)]
    pub(crate) fn near_sq(&self, low: &Columns<V>, high: &Columns<V>) -> W<V, S> {
        Self::sum(
            #[inline(always)]
            |axis| self.near_on(low, high, axis),
        )
    }

    /// The measure of the differences to the farthest corners of boxes.
    #[inline(always)]
    pub(crate) fn far_measure(&self, low: &Columns<V>, high: &Columns<V>) -> W<V, S> {
        self.measured(
            #[inline(always)]
            |axis| self.far_on(low, high, axis),
        )
    }

    #[inline(always)]
    pub(crate) fn far_sq(&self, low: &Columns<V>, high: &Columns<V>) -> W<V, S> {
        Self::sum(
            #[inline(always)]
            |axis| self.far_on(low, high, axis),
        )
    }

    /// Differences from the center to coordinates.
    #[inline(always)]
    fn to(&self, coordinates: &Column<V::Scalar>, axis: usize) -> W<V, S> {
        let apart = self.load(coordinates) - self.center[axis];
        if MEASURE {
            return apart + self.offset[axis];
        }
        apart
    }

    /// The differences the other way.
    #[inline(always)]
    fn from(&self, coordinates: &Column<V::Scalar>, axis: usize) -> W<V, S> {
        let apart = self.center[axis] - self.load(coordinates);
        if MEASURE {
            return apart - self.offset[axis];
        }
        apart
    }

    #[inline(always)]
    fn point_on(&self, points: &Columns<V>, axis: usize) -> W<V, S> {
        self.from(&points.as_ref()[axis], axis)
    }

    #[inline(always)]
    fn near_on(&self, low: &Columns<V>, high: &Columns<V>, axis: usize) -> W<V, S> {
        if !MEASURE {
            // One instruction less: the difference to the nearest place in the box, of either sign.
            let low = self.load(&low.as_ref()[axis]);
            let high = self.load(&high.as_ref()[axis]);
            return self.center[axis] - low.larger(self.center[axis]).smaller(high);
        }
        let below = self.to(&low.as_ref()[axis], axis);
        let above = self.from(&high.as_ref()[axis], axis);
        splat::<V, S>(self.simd, Scalar::ZERO).larger(below.larger(above))
    }

    #[inline(always)]
    fn far_on(&self, low: &Columns<V>, high: &Columns<V>, axis: usize) -> W<V, S> {
        let above = self.from(&low.as_ref()[axis], axis);
        above.larger(self.to(&high.as_ref()[axis], axis))
    }

    /// The points that overlap, by their squared distances.
    #[inline(always)]
    fn meets_at(&self, apart: W<V, S>) -> Mask {
        let mut mask = apart.at_most(self.outer_sq);
        if HOLLOW && self.hollow {
            mask = mask & self.inner_sq.at_most(apart);
        }
        mask
    }

    /// The squared distances to sixteen balls whose centers have squared distances, as `distance::beyond_sq` has them.
    #[inline(always)]
    pub(crate) fn beyond_sq(&self, distances_sq: W<V, S>, radii: &Column<V::Scalar>) -> W<V, S> {
        let number = |lane: V::Scalar| splat::<V, S>(self.simd, lane);
        let (zero, radii) = (number(Scalar::ZERO), self.load(radii));
        // By a little more than half of the distance to the next number: the sum is that number, whatever normal
        // number `x` is. Roots are normal, and so is a difference that is rounded.
        let epsilon = V::Scalar::EPSILON;
        let step = number(epsilon * Scalar::from_f64(0.5) * (V::Scalar::ONE + epsilon));
        let next_up = |x: W<V, S>| x + x * step;

        let root = distances_sq.sqrt();
        let root = root.only(distances_sq.at_most(root * root), next_up(root));
        let beyond = (root - radii).larger(zero);
        let beyond = beyond.only(root.at_most(beyond + radii), next_up(beyond));
        let square = beyond * beyond;
        let least = number(V::Scalar::ZERO.next_up());
        let is_normal = number(Scalar::MIN_POSITIVE).at_most(square);
        let square = square.only(is_normal, square + least);
        zero.only(beyond.at_most(zero), square)
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
        let left = splat::<V, S>(self.simd, Scalar::ZERO).larger(self.inner - radius);
        left * left
    }
}

impl<V: Vector, S: Simd, const HOLLOW: bool, const MEASURE: bool> WideRegion<V, S>
    for Probe<V, S, HOLLOW, MEASURE>
{
    #[inline(always)]
    fn meets_points(&self, points: &Columns<V>) -> Mask {
        self.meets_at(self.point_measure(points))
    }

    #[inline(always)]
    fn meets_boxes(&self, low: &Columns<V>, high: &Columns<V>) -> Mask {
        let mut mask = self.near_measure(low, high).at_most(self.outer_sq);
        if HOLLOW && self.hollow {
            mask = mask & self.inner_sq.at_most(self.far_measure(low, high));
        }
        mask
    }

    #[inline(always)]
    fn meets_balls(&self, centers: &Columns<V>, radii: &Column<V::Scalar>) -> Mask {
        let apart = self.point_sq(centers);
        let radii = self.load(radii);
        let mut mask = apart.at_most(self.reach_sq(radii));
        if HOLLOW && self.hollow {
            mask = mask & self.hole_sq(radii).at_most(apart);
        }
        mask
    }

    #[inline(always)]
    fn may_meet_balls(
        &self,
        low: &Columns<V>,
        high: &Columns<V>,
        radii: &RadiusRange<V::Scalar>,
    ) -> Mask {
        let most = self.load(&radii[1]);
        let mut mask = self.near_sq(low, high).at_most(self.reach_sq(most));
        if HOLLOW && self.hollow {
            mask = mask & self.hole_sq(most).at_most(self.far_sq(low, high));
        }
        mask
    }

    #[inline(always)]
    fn holds(&self, low: &Columns<V>, high: &Columns<V>) -> Mask {
        let mut mask = self.far_measure(low, high).at_most(self.outer_sq);
        if HOLLOW && self.hollow {
            mask = mask & self.inner_sq.at_most(self.near_measure(low, high));
        }
        mask
    }

    #[inline(always)]
    fn holds_balls(
        &self,
        low: &Columns<V>,
        high: &Columns<V>,
        radii: &RadiusRange<V::Scalar>,
    ) -> Mask {
        let least = self.load(&radii[0]);
        let mut mask = self.far_sq(low, high).at_most(self.reach_sq(least));
        if HOLLOW && self.hollow {
            mask = mask & self.hole_sq(least).at_most(self.near_sq(low, high));
        }
        mask
    }
}
