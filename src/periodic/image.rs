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
    /// The region, moved to where the items are.
    Moved(R),
    /// The region where it stands, if items are tested by differences, and its moved hint.
    Seen(Seen<V>, Option<Aabb<V>>),
}

/// A region that tests items by differences, with the offset of the image.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Seen<V: Vector> {
    Ball(Ball<V>),
    /// The lower and the upper corner of a box.
    Box(Center<V>, Center<V>),
}

impl<V: Vector, R: Translate + Region<Vector = V>> Image<V, R> {
    /// The region that tests items of type `T` as if they were moved by `offset`; `None` beyond the finite numbers.
    pub(super) fn new<T: Bounded<Vector = V>>(region: &R, offset: V) -> Option<Self> {
        if offset.non_finite_axis().is_some() {
            return None;
        }
        let back = V::from_fn(|a| V::Scalar::ZERO - offset.axis(a));
        let center = |at| Center { at, offset };
        let plain = region.plain().filter(|_| center(back).is_shifted());
        let seen = match plain.filter(is_tested_by_difference::<T>) {
            Some(Plain::Box(cuboid)) => Seen::Box(center(cuboid.min()), center(cuboid.max())),
            Some(Plain::Ball(ball)) => Seen::Ball(Ball { offset, ..ball }),
            None => return region.translated(back).map(Self::Moved),
        };
        // The moved hint may lie beyond the finite numbers, where the differences do not.
        let hint = region.hint().and_then(|hint| hint.translated(back));
        Some(Self::Seen(seen, hint))
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
    /// The relation to points and boxes in a cell.
    #[inline]
    fn relate(&self, cell: &Aabb<V>) -> Relation {
        let (low, high) = match self {
            Self::Ball(ball) => return ball.relate(cell),
            Self::Box(low, high) => (low, high),
        };
        let zero = V::Scalar::ZERO;
        let (mut outside, mut inside) = (false, true);
        for axis in 0..V::DIM {
            let (min, max) = (cell.min().axis(axis), cell.max().axis(axis));
            outside |= low.to(axis, max) < zero || high.to(axis, min) > zero;
            inside &= low.to(axis, min) >= zero && high.to(axis, max) <= zero;
        }
        Relation::of(outside, inside)
    }

    /// The relation to balls of some radii with centers in a cell.
    #[inline]
    fn relate_balls(&self, centers: &Aabb<V>, least: V::Scalar, most: V::Scalar) -> Relation {
        let (low, high) = match self {
            Self::Ball(ball) => return ball.relate_balls(centers, least, most),
            Self::Box(low, high) => (low, high),
        };
        let zero = V::Scalar::ZERO;
        let gap_sq = sum_of_squares::<V>(|axis| {
            let above = high.to(axis, centers.min().axis(axis));
            let below = zero - low.to(axis, centers.max().axis(axis));
            above.larger(below).larger(zero)
        });
        let inside = self.relate(centers) == Relation::Inside;
        Relation::of(gap_sq > most * most, inside)
    }
}

impl<V: Vector, R: Region<Vector = V>> Region for Image<V, R> {
    type Vector = V;

    #[inline]
    fn relate(&self, cell: &Aabb<V>) -> Relation {
        match self {
            Self::Moved(moved) => moved.relate(cell),
            Self::Seen(seen, _) => seen.relate(cell),
        }
    }

    #[inline]
    fn relate_balls(&self, centers: &Aabb<V>, least: V::Scalar, most: V::Scalar) -> Relation {
        match self {
            Self::Moved(moved) => moved.relate_balls(centers, least, most),
            Self::Seen(seen, _) => seen.relate_balls(centers, least, most),
        }
    }

    #[inline]
    fn hint(&self) -> Option<Aabb<V>> {
        match self {
            Self::Moved(moved) => moved.hint(),
            Self::Seen(_, hint) => *hint,
        }
    }

    #[inline]
    fn plain(&self) -> Option<Plain<V>> {
        match self {
            Self::Moved(moved) => moved.plain(),
            Self::Seen(Seen::Ball(ball), _) => Some(Plain::Ball(*ball)),
            Self::Seen(Seen::Box(..), _) => None,
        }
    }

    /// The box that meets exactly the points and boxes that this one meets in its image. `(p - low) + offset >= 0`
    /// holds where `p - low >= -offset`, since a sum is rounded to zero only if it is zero.
    #[inline]
    fn cube(&self) -> Option<Aabb<V>> {
        match self {
            Self::Moved(moved) => moved.cube(),
            Self::Seen(Seen::Ball(_), _) => None,
            Self::Seen(Seen::Box(low, high), _) => {
                let offset = low.offset;
                let back = V::from_fn(|a| V::Scalar::ZERO - offset.axis(a));
                cube_within([low.at, high.at], [offset, back])
            }
        }
    }

    #[inline]
    fn inexact(&self) -> Option<Inexact<V::Array>> {
        match self {
            Self::Moved(moved) => moved.inexact(),
            Self::Seen(..) => None,
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
        if let Self::Moved(moved) = self {
            return moved.overlaps(item);
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
