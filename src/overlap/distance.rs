//! The distance expressions for one item; `overlap/lanes` repeats them for sixteen.
//!
//! With `e = max(lo - c, 0, c - hi)`, `a = (c - lo)²` and `b = (c - hi)²` on each axis:
//! `near = Σ e²` to the solid box, `far = Σ max(a, b)` to its farthest corner, and `face`, the least
//! of all `a` and `b` where the center is in the box (else 0), so that `near + face` is the distance
//! to the box's surface. Axes are summed left to right. After J. Arvo, "A simple method for
//! box-sphere intersection testing", Graphics Gems, 1990; an ellipsoid divides every difference by
//! its semi-axis.
//!
//! For floats `lo <= p <= hi`, `near(box) <= near(p) = far(p) <= far(box)` holds of the rounded
//! values too: subtraction, maximum, division by a positive number, squaring of non-negative numbers
//! and addition are all monotone after rounding.

use super::round::Ball;
use crate::shape::{Aabb, Bounded, Hollow, Sphere};
use crate::vector::{Scalar, Vector};

#[inline(always)]
pub(crate) fn sum_of_squares<V: Vector>(term: impl Fn(usize) -> V::Scalar) -> V::Scalar {
    let square = |axis| {
        let t = term(axis);
        t * t
    };
    let mut sum = square(0);
    for axis in 1..V::DIM {
        sum = sum + square(axis);
    }
    sum
}

/// The squared distance from a center to a point.
#[inline(always)]
pub(crate) fn point_sq<V: Vector>(c: &V, p: V) -> V::Scalar {
    sum_of_squares::<V>(|i| p.axis(i) - c.axis(i))
}

/// The distance to the nearest point of `[lo, hi]` on one axis.
#[inline(always)]
pub(crate) fn near_apart<S: Scalar>(c: S, lo: S, hi: S) -> S {
    (lo - c).larger(c - hi).larger(S::ZERO)
}

/// The distance to the farther end of `[lo, hi]` on one axis.
#[inline(always)]
pub(crate) fn far_apart<S: Scalar>(c: S, lo: S, hi: S) -> S {
    (c - lo).larger(hi - c)
}

/// The squared distance to the nearest point of a solid box.
#[inline(always)]
pub(crate) fn near_sq<V: Vector>(c: &V, cell: &Aabb<V>) -> V::Scalar {
    let (lo, hi) = (cell.min(), cell.max());
    sum_of_squares::<V>(|i| near_apart(c.axis(i), lo.axis(i), hi.axis(i)))
}

/// The squared distance to the farthest corner of a box.
#[inline(always)]
pub(crate) fn far_sq<V: Vector>(c: &V, cell: &Aabb<V>) -> V::Scalar {
    let (lo, hi) = (cell.min(), cell.max());
    sum_of_squares::<V>(|i| far_apart(c.axis(i), lo.axis(i), hi.axis(i)))
}

/// The squared distance between two boxes.
#[inline(always)]
pub(crate) fn gap_sq<V: Vector>(a: &Aabb<V>, b: &Aabb<V>) -> V::Scalar {
    sum_of_squares::<V>(|i| {
        let apart = (a.min().axis(i) - b.max().axis(i)).larger(b.min().axis(i) - a.max().axis(i));
        apart.larger(Scalar::ZERO)
    })
}

/// The largest squared distance of a point of `inner` from `outer`.
#[inline(always)]
pub(crate) fn reach_sq<V: Vector>(inner: &Aabb<V>, outer: &Aabb<V>) -> V::Scalar {
    sum_of_squares::<V>(|i| {
        let below = outer.min().axis(i) - inner.min().axis(i);
        let above = inner.max().axis(i) - outer.max().axis(i);
        below.larger(above).larger(Scalar::ZERO)
    })
}

/// The squared distance to a ball, `max(sqrt(distance_sq) - radius, 0)²`, where `distance_sq` is that to its center.
///
/// The root and the difference are rounded up where rounding down would lose the ball: a query with the radius that
/// belongs to the result ([`Scalar::to_radius`]) reaches it, which means `(reach + radius)² >= distance_sq`. Each
/// step is monotone, falling in `radius`, so nodes are pruned by it. `Probe::beyond_sq` computes this in sixteen
/// lanes.
#[inline(always)]
pub(crate) fn beyond_sq<S: Scalar>(distance_sq: S, radius: S) -> S {
    let root = distance_sq.sqrt();
    let root = if distance_sq <= root * root {
        root
    } else {
        root.next_up()
    };
    let beyond = (root - radius).larger(S::ZERO);
    // A difference is only rounded where the radius is less than half of the root.
    let beyond = if root <= beyond + radius {
        beyond
    } else {
        beyond.next_up()
    };
    let square = beyond * beyond;
    // A subnormal square has lost digits; no smaller radius has the next number up as its square.
    if beyond <= S::ZERO || S::MIN_POSITIVE <= square {
        square
    } else {
        square.next_up()
    }
}

/// A point that distances are measured from, and the offset of the periodic image in which it sees items.
///
/// A difference is formed first and the offset added to it: `(p - at) + offset`. From the other end it is
/// `(at - p) - offset`, the exact negative, so distances are symmetric. It is monotone in `p`, so the bounds of a box
/// hold for all points in it. Adding an offset of zero changes no square.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Center<V> {
    pub(crate) at: V,
    pub(crate) offset: V,
}

impl<V: Vector> Center<V> {
    /// A center without an offset.
    #[inline(always)]
    pub(crate) fn open(at: V) -> Self {
        let offset = V::splat(Scalar::ZERO);
        Self { at, offset }
    }

    /// Converts the center to another type of vector.
    #[inline(always)]
    pub(crate) fn cast<U: Vector<Array = V::Array, Scalar = V::Scalar>>(&self) -> Center<U> {
        Center {
            at: U::of_array(self.at.array()),
            offset: U::of_array(self.offset.array()),
        }
    }

    /// True if the offset is not zero.
    #[inline(always)]
    pub(crate) fn is_shifted(&self) -> bool {
        (0..V::DIM).any(|a| self.offset.axis(a) != Scalar::ZERO)
    }

    /// The difference to a coordinate.
    #[inline(always)]
    pub(crate) fn to(&self, axis: usize, p: V::Scalar) -> V::Scalar {
        (p - self.at.axis(axis)) + self.offset.axis(axis)
    }

    /// The differences to the ends of a box on one axis.
    #[inline(always)]
    fn ends(&self, axis: usize, cell: &Aabb<V>) -> [V::Scalar; 2] {
        [cell.min(), cell.max()].map(|end| self.to(axis, end.axis(axis)))
    }

    /// The distance to the nearest point of a box on one axis.
    #[inline(always)]
    pub(crate) fn near_on(&self, axis: usize, cell: &Aabb<V>) -> V::Scalar {
        let [below, above] = self.ends(axis, cell);
        below.larger(V::Scalar::ZERO - above).larger(Scalar::ZERO)
    }

    /// The distance to the farther end of a box on one axis.
    #[inline(always)]
    pub(crate) fn far_on(&self, axis: usize, cell: &Aabb<V>) -> V::Scalar {
        let [below, above] = self.ends(axis, cell);
        above.larger(V::Scalar::ZERO - below)
    }

    /// The squared distance to the nearest point of a box.
    #[inline(always)]
    pub(crate) fn near_sq(&self, cell: &Aabb<V>) -> V::Scalar {
        sum_of_squares::<V>(|axis| self.near_on(axis, cell))
    }

    /// The squared distance to an item. Without an offset the item measures it. With an offset, a box with a radius
    /// is measured by its core and radius, and any other item from the center moved by the offset.
    #[inline(always)]
    pub(crate) fn item_sq<T: Distance<Vector = V>>(&self, item: &T) -> V::Scalar {
        if !self.is_shifted() {
            return item.distance_sq(self.at);
        }
        if !T::IS_ROUNDED {
            return item.distance_sq(self.moved());
        }
        let (core, radius) = item.rounded();
        let near_sq = self.near_sq(&core);
        let own_sq = radius.map_or(near_sq, |radius| beyond_sq(near_sq, radius));
        if T::HAS_RADIUS {
            return own_sq;
        }
        // Trees keep some balls, such as those of bodies, by their boxes: such an item must be no nearer than its
        // box.
        own_sq.larger(self.near_sq(&item.core()))
    }

    /// The center moved by the offset, for items that measure themselves.
    #[inline]
    pub(crate) fn moved(&self) -> V {
        V::from_fn(|a| self.at.axis(a) - self.offset.axis(a))
    }
}

/// The distance of an item from a point, by which `nearest` orders items.
///
/// # The law
///
/// The distance is at least that of any box that holds the item's core (less its radius), in the
/// arithmetic used. Any distance that is at least that of the item's own [`core`](Bounded::core) keeps the law.
///
/// A [`Sphere`] of the radius that belongs to the distance ([`Scalar::to_radius`]) overlaps the item:
/// see [distances and radii](crate::guide::precision#distances-and-radii).
#[diagnostic::on_unimplemented(
    message = "the distance to a `{Self}` is not known: it does not implement `Distance`",
    label = "has no distance",
    note = "`nearest` needs it, and `orthant::item!` implements it with all else that an item of yours can be asked, or `impl orthant::Distance` beside `Bounded`; `query` and `count` do without"
)]
pub trait Distance: Bounded {
    /// The squared distance from a point to the nearest point of the item, 0 inside it.
    ///
    /// ```
    /// use orthant::{Aabb, Distance, Sphere};
    /// assert_eq!(Aabb::new([1.0, 0.0], [2.0, 5.0]).distance_sq([0.0, 1.0]), 1.0);
    /// assert_eq!(Sphere::new([3.0, 4.0], 2.0).distance_sq([0.0, 0.0]), 9.0);
    /// ```
    fn distance_sq(&self, from: Self::Vector) -> <Self::Vector as Vector>::Scalar;
}

#[diagnostic::do_not_recommend]
impl<V: Vector> Distance for V {
    #[inline(always)]
    fn distance_sq(&self, from: V) -> V::Scalar {
        point_sq(&from, *self)
    }
}

impl<V: Vector> Distance for Aabb<V> {
    #[inline(always)]
    fn distance_sq(&self, from: V) -> V::Scalar {
        near_sq(&from, self)
    }
}

impl<V: Vector> Distance for Hollow<Aabb<V>> {
    #[inline]
    fn distance_sq(&self, from: V) -> V::Scalar {
        Ball::point(from).near_surface(&self.0)
    }
}

impl<V: Vector> Distance for Sphere<V> {
    #[inline]
    fn distance_sq(&self, from: V) -> V::Scalar {
        beyond_sq(point_sq(&from, self.center()), self.radius())
    }
}
