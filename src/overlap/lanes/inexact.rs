//! Solids that lanes compare by bounds, against sixteen cells or items at once.
//!
//! Lanes decide what lies outside or inside by more than the error of their arithmetic. Items that they leave open
//! are tested one by one, so that the answer is the scalar one. Cells are compared by lanes alone: what is certain of
//! a cell is certain of all that it holds.

use alloc::boxed::Box;

use fearless_simd::Simd;

use super::capsule::Capsule;
use super::planes::Planes;
use super::{Radii, WideRegion};
use crate::bits::set_bits;
use crate::overlap::columns::{Columns, point};
use crate::shape::{Aabb, Sphere};
use crate::simd::{Column, Mask};
use crate::vector::Vector;

/// The item of a lane.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Item<V: Vector> {
    Point(V),
    Box(Aabb<V>),
    Ball(Sphere<V>),
}

/// A solid prepared for lanes.
#[derive(Clone, Debug)]
pub enum Inexact<V: Vector> {
    /// A solid of few planes.
    Planes(Box<Planes<V>>),
    /// All that a moving ball sweeps over.
    Capsule(Box<Capsule<V>>),
}

impl<V: Vector> Inexact<V> {
    /// The exact test, for an item that lanes leave open.
    #[inline(never)]
    fn overlaps(&self, item: &Item<V>) -> bool {
        match self {
            Self::Planes(planes) => planes.overlaps(item),
            Self::Capsule(capsule) => (capsule.overlaps)(capsule, item),
        }
    }
}

/// The lower and upper corners of sixteen boxes and, for balls with centers in these boxes, their radii.
pub(super) type BoxColumns<'a, V> = (
    &'a Columns<V>,
    &'a Columns<V>,
    Option<&'a Column<<V as Vector>::Scalar>>,
);

/// How sixteen boxes, or balls with centers in them, relate to a solid.
#[derive(Clone, Copy)]
pub(super) struct LaneRelations {
    /// They may overlap.
    pub(super) near: Mask,
    /// They certainly overlap: a point of theirs lies inside.
    pub(super) held: Mask,
    /// They certainly lie inside as a whole.
    pub(super) inside: Mask,
}

/// A solid as a [`WideRegion`].
#[derive(Clone, Copy)]
pub(crate) struct WideInexact<'a, V: Vector, S: Simd> {
    simd: S,
    region: &'a Inexact<V>,
}

impl<'a, V: Vector, S: Simd> WideInexact<'a, V, S> {
    #[inline(always)]
    pub(crate) fn new(simd: S, region: &'a Inexact<V>) -> Self {
        Self { simd, region }
    }

    #[inline(always)]
    fn relate(&self, cells: BoxColumns<'_, V>) -> LaneRelations {
        match self.region {
            Inexact::Planes(planes) => planes.relate(self.simd, cells),
            Inexact::Capsule(capsule) => capsule.relate_apart(self.simd, cells),
        }
    }

    /// The lanes that certainly overlap, and those of the undecided whose item overlaps.
    #[inline(always)]
    fn decided(&self, cells: BoxColumns<'_, V>, item: impl Fn(usize) -> Item<V>) -> Mask {
        let found = self.relate(cells);
        let mut bits = found.held.bits(self.simd);
        for lane in set_bits((found.near & !found.held).bits(self.simd)) {
            bits |= u32::from(self.region.overlaps(&item(lane))) << lane;
        }
        Mask::new(self.simd, bits)
    }
}

impl<V: Vector, S: Simd> WideRegion<V, S> for WideInexact<'_, V, S> {
    #[inline(always)]
    fn meets_points(&self, points: &Columns<V>) -> Mask {
        let item = |lane| Item::Point(point(points, lane));
        self.decided((points, points, None), item)
    }

    #[inline(always)]
    fn meets_boxes(&self, low: &Columns<V>, high: &Columns<V>) -> Mask {
        let item = |lane| Item::Box(Aabb::from_corners(point(low, lane), point(high, lane)));
        self.decided((low, high, None), item)
    }

    #[inline(always)]
    fn may_meet_boxes(&self, low: &Columns<V>, high: &Columns<V>) -> Mask {
        self.relate((low, high, None)).near
    }

    #[inline(always)]
    fn meets_balls(&self, centers: &Columns<V>, radii: &Column<V::Scalar>) -> Mask {
        let item = |lane| Item::Ball(Sphere::valid(point(centers, lane), radii.0[lane]));
        self.decided((centers, centers, Some(radii)), item)
    }

    #[inline(always)]
    fn may_meet_balls(&self, low: &Columns<V>, high: &Columns<V>, radii: &Radii<V>) -> Mask {
        self.relate((low, high, Some(&radii[1]))).near
    }

    #[inline(always)]
    fn holds(&self, low: &Columns<V>, high: &Columns<V>) -> Mask {
        self.relate((low, high, None)).inside
    }
}
