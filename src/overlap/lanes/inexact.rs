//! Solids that lanes know by bounds only, asked of sixteen cells or items at once.
//!
//! Lanes decide what is certain, outside or inside by more than their arithmetic can be wrong. Whatever is left is asked
//! of the solid itself, so that a lane has the scalar answer. A cell is never asked more than its lanes: what is
//! certain of it is certain of all that it holds.

use alloc::boxed::Box;

use fearless_simd::Simd;

use super::capsule::Capsule;
use super::planes::Planes;
use super::{RadiusRange, WideRegion};
use crate::bits::set_bits;
use crate::overlap::columns::{Columns, point};
use crate::shape::{Aabb, Sphere};
use crate::simd::{Column, Mask};
use crate::vector::Vector;

/// One of sixteen.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Item<V: Vector> {
    /// A point.
    Point(V),
    /// A solid box.
    Box(Aabb<V>),
    /// A ball.
    Ball(Sphere<V>),
}

/// A solid as lanes take it.
#[derive(Clone, Debug)]
pub enum Inexact<V: Vector> {
    /// One of few planes.
    Planes(Box<Planes<V>>),
    /// All that a moving ball sweeps over.
    Capsule(Box<Capsule<V>>),
}

impl<V: Vector> Inexact<V> {
    /// For trees of boxes.
    pub(super) fn for_boxes(self) -> Self {
        match self {
            Self::Planes(planes) => Self::Planes(Box::new(planes.for_boxes())),
            Self::Capsule(_) => self,
        }
    }

    /// The exact test, for an item that lanes leave open.
    #[inline(never)]
    fn overlaps(&self, item: &Item<V>) -> bool {
        match self {
            Self::Planes(planes) => planes.overlaps(item),
            Self::Capsule(capsule) => capsule.overlaps(item),
        }
    }
}

/// Answers of lanes about boxes, or about balls with centers in them: which may overlap, which of these have a point that
/// lies inside for certain, and which lie inside as a whole.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub(super) near: Mask,
    pub(super) held: Mask,
    pub(super) inside: Mask,
}

/// A solid, to be asked about sixteen cells or items at a time.
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
    fn relate(
        &self,
        low: &Columns<V>,
        high: &Columns<V>,
        radii: Option<&Column<V::Scalar>>,
    ) -> Found {
        match self.region {
            Inexact::Planes(planes) => planes.relate(self.simd, low, high, radii),
            Inexact::Capsule(capsule) => capsule.relate_apart(self.simd, low, high, radii),
        }
    }

    /// The lanes that are held, and those of the others near of which `overlaps` is true.
    #[inline(always)]
    fn decided(&self, found: Found, overlaps: impl Fn(usize) -> bool) -> Mask {
        let mut bits = found.held.bits(self.simd);
        for lane in set_bits((found.near & !found.held).bits(self.simd)) {
            bits |= u32::from(overlaps(lane)) << lane;
        }
        Mask::new(self.simd, bits)
    }
}

impl<V: Vector, S: Simd> WideRegion<V, S> for WideInexact<'_, V, S> {
    #[inline(always)]
    fn meets_points(&self, points: &Columns<V>) -> Mask {
        self.decided(self.relate(points, points, None), |lane| {
            self.region.overlaps(&Item::Point(point(points, lane)))
        })
    }

    #[inline(always)]
    fn meets_boxes(&self, low: &Columns<V>, high: &Columns<V>) -> Mask {
        self.decided(self.relate(low, high, None), |lane| {
            let cell = Aabb::from_corners(point(low, lane), point(high, lane));
            self.region.overlaps(&Item::Box(cell))
        })
    }

    #[inline(always)]
    fn may_meet_boxes(&self, low: &Columns<V>, high: &Columns<V>) -> Mask {
        self.relate(low, high, None).near
    }

    #[inline(always)]
    fn meets_balls(&self, centers: &Columns<V>, radii: &Column<V::Scalar>) -> Mask {
        self.decided(self.relate(centers, centers, Some(radii)), |lane| {
            let ball = Sphere::valid(point(centers, lane), radii.0[lane]);
            self.region.overlaps(&Item::Ball(ball))
        })
    }

    #[inline(always)]
    fn may_meet_balls(
        &self,
        low: &Columns<V>,
        high: &Columns<V>,
        radii: &RadiusRange<V::Scalar>,
    ) -> Mask {
        self.relate(low, high, Some(&radii[1])).near
    }

    #[inline(always)]
    fn holds(&self, low: &Columns<V>, high: &Columns<V>) -> Mask {
        self.relate(low, high, None).inside
    }
}
