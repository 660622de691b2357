//! What is compared with boxes and points: spheres, spheres that are grown or shrunk by another's
//! radius, and ellipsoids.

use core::cmp::Ordering;

use dashu_int::IBig;

use super::filter::order;
use super::integers::{self, Lattice, difference};
use crate::overlap::distance::{Metric, ScalarOf, face_sq, far_sq, near_sq, point_sq};
use crate::overlap::round::Round;
use crate::{Aabb, Ellipsoid, Scalar, Sphere, Vector};

/// A round body of known centre and reach.
pub(super) trait Body: Metric + Copy {
    /// The square of its reach, rounded.
    fn rounded_limit(&self) -> ScalarOf<Self>;

    /// What the reach is made of.
    fn lengths(&self) -> [ScalarOf<Self>; 2];

    /// The reach, in units of the lattice, or of the metric where that has its own.
    fn exact_reach(&self, lattice: Lattice) -> IBig;

    /// What differences on an axis are divided by.
    fn semi_axis(&self, axis: usize) -> Option<ScalarOf<Self>>;

    /// How the nearest point of a solid box lies to the body's surface: `Less` is inside.
    #[inline(always)]
    fn near(&self, cell: &Aabb<Self::Vector>) -> Ordering {
        order::<Self::Vector>(near_sq(self, cell), self.rounded_limit())
            .unwrap_or_else(|| integers::near(*self, *cell))
    }

    /// How the farthest corner of a box does.
    #[inline(always)]
    fn far(&self, cell: &Aabb<Self::Vector>) -> Ordering {
        order::<Self::Vector>(far_sq(self, cell), self.rounded_limit())
            .unwrap_or_else(|| integers::far(*self, *cell))
    }

    /// How the nearest point of the box's surface does.
    #[inline(always)]
    fn surface(&self, cell: &Aabb<Self::Vector>) -> Ordering {
        // One of the two is 0, so that nothing is rounded here.
        let rounded = near_sq(self, cell) + face_sq(self, cell);
        order::<Self::Vector>(rounded, self.rounded_limit())
            .unwrap_or_else(|| integers::surface(*self, *cell))
    }

    /// How a point does.
    #[inline(always)]
    fn point(&self, p: Self::Vector) -> Ordering {
        match self.quick_point(p) {
            Some(order) => order,
            // A copy, for the same reason as in `integers`: `p` stays in registers.
            None => integers::point(*self, Self::Vector::from_fn(|axis| p.axis(axis))),
        }
    }

    /// The same, if rounded values tell.
    #[inline(always)]
    fn quick_point(&self, p: Self::Vector) -> Option<Ordering> {
        order::<Self::Vector>(point_sq(self, p), self.rounded_limit())
    }

    /// The body's surface meets a solid box.
    #[inline(always)]
    fn pierces(&self, cell: &Aabb<Self::Vector>) -> bool {
        let limit = self.rounded_limit();
        let near = order::<Self::Vector>(near_sq(self, cell), limit);
        let far = order::<Self::Vector>(far_sq(self, cell), limit);
        // Both at once, so that no answer of one decides a branch.
        match (near, far) {
            (Some(near), Some(far)) => near.is_le() & far.is_ge(),
            _ => self.near(cell).is_le() && self.far(cell).is_ge(),
        }
    }

    /// The surfaces of the body and of a box share a point.
    #[inline(always)]
    fn surfaces_meet(&self, cell: &Aabb<Self::Vector>) -> bool {
        if Self::Vector::DIM == 1 {
            // Both are two points, so that not every distance between the least and the largest occurs.
            return self.point(cell.min()).is_eq() || self.point(cell.max()).is_eq();
        }
        let limit = self.rounded_limit();
        let rounded = near_sq(self, cell) + face_sq(self, cell);
        let surface = order::<Self::Vector>(rounded, limit);
        let far = order::<Self::Vector>(far_sq(self, cell), limit);
        match (surface, far) {
            (Some(surface), Some(far)) => surface.is_le() & far.is_ge(),
            _ => self.surface(cell).is_le() && self.far(cell).is_ge(),
        }
    }
}

impl<V: Vector> Body for Sphere<V> {
    #[inline(always)]
    fn rounded_limit(&self) -> V::Scalar {
        self.limit()
    }

    fn lengths(&self) -> [V::Scalar; 2] {
        [self.radius(), Scalar::ZERO]
    }

    fn exact_reach(&self, lattice: Lattice) -> IBig {
        lattice.integer(self.radius())
    }

    #[inline(always)]
    fn semi_axis(&self, _axis: usize) -> Option<V::Scalar> {
        None
    }
}

impl<V: Vector> Body for Ellipsoid<V> {
    #[inline(always)]
    fn rounded_limit(&self) -> V::Scalar {
        self.limit()
    }

    fn lengths(&self) -> [V::Scalar; 2] {
        [Scalar::ZERO; 2]
    }

    fn exact_reach(&self, _lattice: Lattice) -> IBig {
        IBig::ONE
    }

    #[inline(always)]
    fn semi_axis(&self, axis: usize) -> Option<V::Scalar> {
        Some(self.semi_axes().axis(axis))
    }
}

/// A sphere whose radius is the sum or difference of two, which need be no float.
#[derive(Clone, Copy)]
pub(super) struct Offset<V: Vector> {
    center: V,
    radius: V::Scalar,
    by: V::Scalar,
    outwards: bool,
}

impl<V: Vector> Offset<V> {
    #[inline(always)]
    pub(super) fn grown(sphere: &Sphere<V>, by: V::Scalar) -> Self {
        Self {
            center: sphere.center(),
            radius: sphere.radius(),
            by,
            outwards: true,
        }
    }

    /// For `by <= sphere.radius()`.
    #[inline(always)]
    pub(super) fn shrunk(sphere: &Sphere<V>, by: V::Scalar) -> Self {
        Self {
            center: sphere.center(),
            radius: sphere.radius(),
            by,
            outwards: false,
        }
    }
}

impl<V: Vector> Metric for Offset<V> {
    type Vector = V;

    #[inline(always)]
    fn middle(&self) -> V {
        self.center
    }

    #[inline(always)]
    fn scaled(&self, _axis: usize, difference: V::Scalar) -> V::Scalar {
        difference
    }
}

impl<V: Vector> Body for Offset<V> {
    #[inline(always)]
    fn rounded_limit(&self) -> V::Scalar {
        let reach = if self.outwards {
            self.radius + self.by
        } else {
            self.radius - self.by
        };
        reach * reach
    }

    fn lengths(&self) -> [V::Scalar; 2] {
        [self.radius, self.by]
    }

    fn exact_reach(&self, lattice: Lattice) -> IBig {
        let [radius, by] = self.lengths().map(|length| lattice.integer(length));
        if self.outwards {
            radius + by
        } else {
            radius - by
        }
    }

    #[inline(always)]
    fn semi_axis(&self, _axis: usize) -> Option<V::Scalar> {
        None
    }
}

/// How the least distance from a centre to the faces of a box, on any axis, lies to `reach` there.
#[inline(always)]
pub(super) fn room<V: Vector>(
    cell: &Aabb<V>,
    center: V,
    reach: impl Fn(usize) -> V::Scalar,
) -> Ordering {
    // A float stands for itself, and rounding is monotone: only equality is open.
    let (mut greater, mut open) = (true, false);
    for i in 0..V::DIM {
        let (c, length) = (center.axis(i), reach(i));
        let least = (c - cell.min().axis(i)).smaller(cell.max().axis(i) - c);
        greater &= least > length;
        open |= least == length;
    }
    if open {
        return exact_room(*cell, center, V::from_fn(reach));
    }
    if greater {
        Ordering::Greater
    } else {
        Ordering::Less
    }
}

#[cold]
#[inline(never)]
fn exact_room<V: Vector>(cell: Aabb<V>, center: V, reach: V) -> Ordering {
    let gaps = (0..V::DIM).flat_map(|i| {
        let (c, length) = (center.axis(i), reach.axis(i));
        [(c, cell.min().axis(i)), (cell.max().axis(i), c)].map(|(a, b)| difference(a, b, length))
    });
    gaps.min().unwrap_or(Ordering::Greater)
}
