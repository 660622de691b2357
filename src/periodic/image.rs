//! A region that tests items in one image of a periodic box.
//!
//! Balls by any measure and boxes take the difference to an item first and add the offset of the image to it, as
//! [`Periodic`](super::Periodic) explains. The rounded sum is monotone, so that nodes are pruned by the same expression. Points
//! and boxes are tested by the same vector instructions as without a period: a ball carries its offset, and a box is
//! replaced by one that meets exactly the same numbers.
//!
//! Other regions, and items with tests of their own, do not work with differences: for them the region is moved by
//! `-offset`.

use super::Translate;
use crate::overlap::bisect::cube_within;
use crate::overlap::distance::{Center, sum_of_squares};
use crate::overlap::lanes::inexact::Inexact;
use crate::overlap::lanes::{Ball, Plain};
use crate::overlap::{Overlaps, Region, Relation};
use crate::shape::{Aabb, Bounded, Layout};
use crate::vector::{Scalar, Vector};

/// A region that tests items in an image.
#[derive(Clone, Debug)]
pub(crate) enum Image<V: Vector, R> {
    /// The region itself, moved to where the items are.
    Moved(R),
    /// A ball that is tested by differences, and its hint.
    Ball(Ball<V>, Option<Aabb<V>>),
    /// A box that is tested by differences to its corners, and its hint.
    Box(Seen<V>, Option<Aabb<V>>),
}

/// A box, and the offset of the image in which it tests items.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen<V: Vector> {
    low: Center<V>,
    high: Center<V>,
}

impl<V: Vector, R: Translate + Region<Vector = V>> Image<V, R> {
    /// The region that tests items of type `T` as if they were moved by `offset`; `None` beyond the finite numbers.
    pub(super) fn new<T: Bounded<Vector = V>>(region: &R, offset: V) -> Option<Self> {
        if offset.non_finite_axis().is_some() {
            return None;
        }
        let back = V::from_fn(|a| V::Scalar::ZERO - offset.axis(a));
        if !(Center { at: back, offset }).is_shifted() {
            return region.translated(back).map(Self::Moved);
        }
        let hint = region.hint().and_then(|hint| hint.translated(back));
        let plain = region.plain();
        match plain.filter(is_tested_by_difference::<T>) {
            Some(Plain::Box(cuboid)) => {
                let [low, high] = [cuboid.min(), cuboid.max()].map(|at| Center { at, offset });
                Some(Self::Box(Seen { low, high }, hint))
            }
            Some(Plain::Ball(ball)) => Some(Self::Ball(Ball { offset, ..ball }, hint)),
            None => region.translated(back).map(Self::Moved),
        }
    }
}

/// True if a region tests items of type `T` in an image by differences; otherwise it is moved. For items with a radius,
/// only Euclidean distances work by differences.
pub(super) fn is_tested_by_difference<T: Bounded>(plain: &Plain<T::Vector>) -> bool {
    match plain {
        Plain::Ball(ball) if !ball.is_euclidean() => is_point_or_box::<T>(),
        _ => T::IS_ROUNDED,
    }
}

/// True for items that are points or boxes.
pub(super) fn is_point_or_box<T: Bounded>() -> bool {
    T::IS_ROUNDED && !T::HAS_RADIUS && T::LAYOUT != Layout::Whole
}

impl<V: Vector> Seen<V> {
    /// The relation of the box to points and boxes in a cell.
    #[inline]
    fn relate_boxes(&self, cell: &Aabb<V>) -> Relation {
        let zero = V::Scalar::ZERO;
        let (mut outside, mut inside) = (false, true);
        for axis in 0..V::DIM {
            let (min, max) = (cell.min().axis(axis), cell.max().axis(axis));
            outside |= self.low.to(axis, max) < zero || self.high.to(axis, min) > zero;
            inside &= self.low.to(axis, min) >= zero && self.high.to(axis, max) <= zero;
        }
        Relation::of(outside, inside)
    }

    /// The squared distance between the two boxes.
    #[inline]
    fn gap_sq(&self, cell: &Aabb<V>) -> V::Scalar {
        let zero = V::Scalar::ZERO;
        sum_of_squares::<V>(|axis| {
            let above = self.high.to(axis, cell.min().axis(axis));
            let below = zero - self.low.to(axis, cell.max().axis(axis));
            above.larger(below).larger(zero)
        })
    }

    /// The box that meets exactly the points and boxes that this one meets in its image. `(p - low) + offset >= 0`
    /// holds where `p - low >= -offset`, since a sum is rounded to zero only if it is zero.
    fn cube(&self) -> Option<Aabb<V>> {
        let offset = self.low.offset;
        let back = V::from_fn(|a| V::Scalar::ZERO - offset.axis(a));
        cube_within([self.low.at, self.high.at], [offset, back])
    }
}

impl<V: Vector, R: Region<Vector = V>> Region for Image<V, R> {
    type Vector = V;

    #[inline]
    fn relate(&self, cell: &Aabb<V>) -> Relation {
        match self {
            Self::Moved(region) => region.relate(cell),
            Self::Ball(ball, _) => ball.relate(cell),
            Self::Box(seen, _) => seen.relate_boxes(cell),
        }
    }

    #[inline]
    fn relate_balls(&self, centers: &Aabb<V>, least: V::Scalar, most: V::Scalar) -> Relation {
        match self {
            Self::Moved(region) => region.relate_balls(centers, least, most),
            Self::Ball(ball, _) => ball.relate_balls(centers, least, most),
            Self::Box(seen, _) => {
                let inside = seen.relate_boxes(centers) == Relation::Inside;
                Relation::of(seen.gap_sq(centers) > most * most, inside)
            }
        }
    }

    #[inline]
    fn hint(&self) -> Option<Aabb<V>> {
        match self {
            Self::Moved(region) => region.hint(),
            Self::Ball(_, hint) | Self::Box(_, hint) => *hint,
        }
    }

    #[inline]
    fn plain(&self) -> Option<Plain<V>> {
        match self {
            Self::Moved(region) => region.plain(),
            Self::Ball(ball, _) => Some(Plain::Ball(*ball)),
            Self::Box(..) => None,
        }
    }

    #[inline]
    fn cube(&self) -> Option<Aabb<V>> {
        match self {
            Self::Moved(region) => region.cube(),
            Self::Ball(..) => None,
            Self::Box(seen, _) => seen.cube(),
        }
    }

    #[inline]
    fn inexact(&self) -> Option<Inexact<V::Array>> {
        match self {
            Self::Moved(region) => region.inexact(),
            Self::Ball(..) | Self::Box(..) => None,
        }
    }
}

impl<V, R, T> Overlaps<T> for Image<V, R>
where
    V: Vector,
    R: Region<Vector = V> + Overlaps<T>,
    T: Bounded<Vector = V>,
{
    #[inline]
    fn overlaps(&self, item: &T) -> bool {
        if let Self::Moved(region) = self {
            return region.overlaps(item);
        }
        let (core, radius) = item.rounded();
        let Some(radius) = radius else {
            return self.relate(&core) != Relation::Outside;
        };
        // A ball that is stored by its box, as a body is, is met only if its box is.
        self.relate_balls(&core, radius, radius) != Relation::Outside
            && (T::HAS_RADIUS || self.relate(&item.core()) != Relation::Outside)
    }
}
