//! Axis-aligned boxes.

use super::{Bounded, FromParts, check_finite};
use crate::error::{ShapeError, or_panics};
use crate::shape::Layout;
use crate::vector::{Scalar, Vector};

shape! {
    /// An axis-aligned box, `[min, max]` on each axis; zero extents are allowed.
    ///
    /// ```
    /// use orthant::{Aabb, Overlaps};
    /// let a = Aabb::new([0.0, 0.0], [1.0, 1.0]);
    /// let b = Aabb::new([1.0, 0.5], [2.0, 3.0]);
    /// assert!(a.overlaps(&b)); // touching counts
    /// assert!(Aabb::try_new([0.0, 2.0], [1.0, 1.0]).is_err());
    /// ```
    pub struct Aabb<V> {
        /// The lower corner.
        min: V,
        /// The upper corner.
        max: V,
    }
    read through try_new
}

impl<V: Vector> Aabb<V> {
    /// The box between two opposite corners.
    ///
    /// # Panics
    ///
    /// Where [`try_new`](Self::try_new) returns an error.
    #[must_use]
    #[inline]
    #[track_caller]
    pub fn new(min: V, max: V) -> Self {
        let made = Self { min, max };
        if !made.is_valid() {
            Self::refuse(min, max);
        }
        made
    }

    /// The box between two opposite corners.
    ///
    /// # Errors
    ///
    /// If a coordinate is infinite or NaN, or `min > max` on some axis.
    #[inline]
    pub fn try_new(min: V, max: V) -> Result<Self, ShapeError> {
        let made = Self { min, max };
        if made.is_valid() {
            Ok(made)
        } else {
            Err(Self::fault(min, max))
        }
    }

    or_panics! {
        /// The box that reaches `half_extents` to both sides of a center on each axis, its corners rounded.
        ///
        /// ```
        /// use orthant::Aabb;
        /// let door = Aabb::from_center([5.0, 1.0], [0.5, 1.0]);
        /// assert_eq!(door, Aabb::new([4.5, 0.0], [5.5, 2.0]));
        /// ```
        #[inline]
        Aabb: from_center = try_from_center(center: V, half_extents: V)
    }

    /// The box that reaches `half_extents` to both sides of a center on each axis.
    ///
    /// # Errors
    ///
    /// If a number is infinite or NaN, a half extent is negative, or a corner is not finite.
    #[inline]
    pub fn try_from_center(center: V, half_extents: V) -> Result<Self, ShapeError> {
        check_finite("center", center)?;
        check_finite("half extents", half_extents)?;
        Self::try_new(
            V::from_fn(|a| center.axis(a) - half_extents.axis(a)),
            V::from_fn(|a| center.axis(a) + half_extents.axis(a)),
        )
    }

    /// Whether the corners are finite and in order. It has no branch for each number, since many boxes are made in
    /// each step of a broad phase.
    #[inline(always)]
    pub(crate) fn is_valid(self) -> bool {
        let most = V::Scalar::MAX;
        let mut valid = true;
        for axis in 0..V::DIM {
            let (low, high) = (self.min.axis(axis), self.max.axis(axis));
            valid &= V::Scalar::ZERO - most <= low && low <= high && high <= most;
        }
        valid
    }

    /// Takes the corners, as `fault` does. A whole box would be passed in memory, and so every new box would be written to
    /// memory, valid or not.
    #[cold]
    #[inline(never)]
    #[track_caller]
    fn refuse(min: V, max: V) -> ! {
        panic!("Aabb: {}", Self::fault(min, max))
    }

    /// The error for the corners of a box that is not valid.
    #[cold]
    #[inline(never)]
    fn fault(min: V, max: V) -> ShapeError {
        if let Err(error) = check_finite("min", min).and(check_finite("max", max)) {
            return error;
        }
        let inverted = |&axis: &usize| min.axis(axis) > max.axis(axis);
        let axis = (0..V::DIM).find(inverted).unwrap_or(0);
        ShapeError::Inverted {
            axis,
            min: min.axis(axis).into(),
            max: max.axis(axis).into(),
        }
    }

    or_panics! {
        /// The smallest box around two points.
        Aabb: spanning = try_spanning(a: V, b: V)
    }

    /// The smallest box around two points.
    ///
    /// # Errors
    ///
    /// If a coordinate is infinite or NaN; the error names the axis.
    ///
    /// ```
    /// use orthant::Aabb;
    /// assert_eq!(Aabb::try_spanning([0.0, 3.0], [1.0, 2.0]), Aabb::try_new([0.0, 2.0], [1.0, 3.0]));
    /// assert!(Aabb::try_spanning([0.0], [f32::NAN]).is_err());
    /// ```
    pub fn try_spanning(a: V, b: V) -> Result<Self, ShapeError> {
        // With arguments in this order a NaN of either point reaches the box, and is refused.
        Self::try_new(
            V::from_fn(|i| a.axis(i).smaller(b.axis(i))),
            V::from_fn(|i| b.axis(i).larger(a.axis(i))),
        )
    }

    /// The box that is one point. Not validated: structures check it when they take an item.
    #[inline(always)]
    pub(crate) fn point(p: V) -> Self {
        Self { min: p, max: p }
    }

    /// Converts the box to another type of vector.
    #[inline(always)]
    pub(crate) fn cast<U: Vector<Array = V::Array>>(&self) -> Aabb<U> {
        Aabb {
            min: U::of_array(self.min.array()),
            max: U::of_array(self.max.array()),
        }
    }

    /// A box of corners that are known to be in order; unchecked.
    #[inline(always)]
    pub(crate) fn from_corners(min: V, max: V) -> Self {
        Self { min, max }
    }

    /// Returns the error that [`try_new`](Self::try_new) would return for this box. It speaks of a point if the box
    /// is one.
    pub(crate) fn check(&self) -> Result<(), ShapeError> {
        let bits = |corner: V, axis| corner.axis(axis).to_bits();
        if (0..V::DIM).all(|axis| bits(self.min, axis) == bits(self.max, axis)) {
            return check_finite("point", self.min);
        }
        Self::try_new(self.min, self.max).map(drop)
    }

    /// The middle, rounded, within the box.
    #[inline]
    #[must_use]
    pub fn center(&self) -> V {
        let half = V::Scalar::from_f64(0.5);
        V::from_fn(|a| {
            let (min, max) = (self.min.axis(a), self.max.axis(a));
            // Halved first, so that the sum of two huge corners does not overflow; the halves of
            // two tiny ones may be rounded out of the box.
            (min * half + max * half).larger(min).smaller(max)
        })
    }

    /// The edge lengths, rounded.
    #[inline]
    #[must_use]
    pub fn size(&self) -> V {
        V::from_fn(|a| self.max.axis(a) - self.min.axis(a))
    }

    /// The smallest box around both.
    ///
    /// ```
    /// use orthant::Aabb;
    /// let both = Aabb::new([0.0, 1.0], [1.0, 2.0]).union(&Aabb::new([4.0, 0.0], [5.0, 1.0]));
    /// assert_eq!(both, Aabb::new([0.0, 0.0], [5.0, 2.0]));
    /// ```
    #[inline]
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self {
            min: V::from_fn(|a| self.min.axis(a).smaller(other.min.axis(a))),
            max: V::from_fn(|a| self.max.axis(a).larger(other.max.axis(a))),
        }
    }

    /// The box grown by `by` on all sides, rounded outwards, within the finite numbers.
    ///
    /// ```
    /// use orthant::Aabb;
    /// let fat = Aabb::new([0.0, 0.0], [1.0, 1.0]).inflated(0.5);
    /// assert_eq!(fat, Aabb::new([-0.5, -0.5], [1.5, 1.5]));
    /// ```
    ///
    /// # Panics
    ///
    /// If `by` is negative or NaN.
    #[must_use]
    #[track_caller]
    pub fn inflated(&self, by: V::Scalar) -> Self {
        assert!(by >= V::Scalar::ZERO, "a box is not inflated by {by}");
        self.grown(by.smaller(V::Scalar::MAX))
    }

    /// [`inflated`](Self::inflated) for a `by` that is known to be at least 0; unchecked.
    #[inline]
    pub(crate) fn grown(&self, by: V::Scalar) -> Self {
        if by == V::Scalar::ZERO {
            return *self;
        }
        self.grown_on(|_| by)
    }

    /// The box grown by a length for each axis, rounded outwards.
    #[inline]
    pub(crate) fn grown_on(&self, by: impl Fn(usize) -> V::Scalar) -> Self {
        Self {
            min: V::from_fn(|a| self.min.axis(a).sub_down(by(a))),
            max: V::from_fn(|a| self.max.axis(a).add_up(by(a))),
        }
    }
}

impl<V: Vector> Bounded for Aabb<V> {
    type Vector = V;
    const LAYOUT: Layout = Layout::Box;
    const FROM_PARTS: FromParts<Self> = Some(|core, _| core);

    #[inline(always)]
    fn core(&self) -> Self {
        *self
    }
}
