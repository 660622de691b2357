//! Rigid motions: rotations, then translations.

#[cfg(feature = "serde")]
use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use crate::error::{ShapeError, or_panics};
use crate::shape::{Sphere, check_finite};
use crate::vector::{Scalar, Vector, assert_structure};
use core::fmt;

/// A rigid motion of 1 to 4 dimensions: a rotation about the origin, then a translation. Distances
/// stay what they are up to rounding; mirror images are allowed.
///
/// ```
/// use orthant::Rigid;
/// use orthant::glam::{Quat, Vec3};
/// let turn = Quat::from_xyzw(0.0, 0.0, 1.0, 0.0); // half a turn about z
/// let motion = Rigid::from_rotation_translation(turn, Vec3::X);
/// assert_eq!(motion.point(Vec3::new(2.0, 1.0, 5.0)), Vec3::new(-1.0, -1.0, 5.0));
/// ```
#[derive(Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(
        try_from = "Raw<V>",
        into = "Raw<V>",
        bound(
            serialize = "V: serde::Serialize",
            deserialize = "V: serde::Deserialize<'de>"
        )
    )
)]
pub struct Rigid<V: Vector> {
    /// The images of the unit vectors, as many as there are axes.
    axes: [V; 4],
    translation: V,
}

impl<V: Vector> fmt::Debug for Rigid<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rigid")
            .field("axes", &&self.axes[..V::DIM])
            .field("translation", &self.translation)
            .finish()
    }
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct Raw<V> {
    axes: Vec<V>,
    translation: V,
}

#[cfg(feature = "serde")]
impl<V: Vector> TryFrom<Raw<V>> for Rigid<V> {
    type Error = String;

    fn try_from(raw: Raw<V>) -> Result<Self, String> {
        let (axes, dimensions) = (raw.axes.len(), V::DIM);
        if axes != dimensions {
            return Err(format!(
                "rotation of {axes} axes in {dimensions} dimensions"
            ));
        }
        Self::try_new(|axis| raw.axes[axis], raw.translation).map_err(|error| error.to_string())
    }
}

#[cfg(feature = "serde")]
impl<V: Vector> From<Rigid<V>> for Raw<V> {
    fn from(motion: Rigid<V>) -> Self {
        Self {
            axes: motion.axes[..V::DIM].to_vec(),
            translation: motion.translation,
        }
    }
}

/// How far the products of axes may be from 0 and 1, in units of the scalar's precision.
const TOLERANCE: f64 = 32.0;

impl<V: Vector> Rigid<V> {
    or_panics! {
        /// The motion that maps the unit vector of each axis to what `axes` returns, then moves by `translation`.
        Rigid: new = try_new(axes: impl FnMut(usize) -> V, translation: V)
    }

    /// The motion that maps the unit vector of each axis to what `axes` returns, then moves by `translation`.
    ///
    /// # Errors
    ///
    /// If a coordinate is infinite or NaN, or the axes are not of length 1 and at right angles: their
    /// products may be off by 32 times the scalar's precision (3.8e-6 and 7.1e-15).
    pub fn try_new(mut axes: impl FnMut(usize) -> V, translation: V) -> Result<Self, ShapeError> {
        const { assert_structure::<V>() }
        check_finite("translation", translation)?;
        let mut made = [V::splat(V::Scalar::ZERO); 4];
        for (axis, image) in made.iter_mut().enumerate().take(V::DIM) {
            *image = axes(axis);
            check_finite("rotation", *image)?;
        }
        for first in 0..V::DIM {
            for second in first..V::DIM {
                let part = |image: usize, i: usize| -> f64 { made[image].axis(i).into() };
                let product: f64 = (0..V::DIM).map(|i| part(first, i) * part(second, i)).sum();
                let wanted = f64::from(u8::from(first == second));
                if (product - wanted).abs() > TOLERANCE * V::Scalar::EPSILON.into() {
                    return Err(ShapeError::NotOrthonormal {
                        first,
                        second,
                        product,
                    });
                }
            }
        }
        Ok(Self {
            axes: made,
            translation,
        })
    }

    or_panics! {
        /// A rotation about the origin, then a translation.
        Rigid: from_rotation_translation = try_from_rotation_translation(rotation: impl Rotation<V>, translation: V)
    }

    /// A rotation about the origin, then a translation.
    ///
    /// # Errors
    ///
    /// If the argument is not a rotation, such as a quaternion that is not of length 1 (its square may be off by as
    /// much as the products in [`try_new`](Self::try_new)), or a number is infinite or NaN.
    ///
    /// ```
    /// use orthant::{Rigid, glam::{Quat, Vec3}};
    /// let long = Quat::from_xyzw(0.0, 0.0, 1.0, 1.0); // not of length 1
    /// assert!(Rigid::try_from_rotation_translation(long, Vec3::X).is_err());
    /// ```
    pub fn try_from_rotation_translation(
        rotation: impl Rotation<V>,
        translation: V,
    ) -> Result<Self, ShapeError> {
        Self::try_new(|axis| rotation.image(axis), translation)
    }

    /// The motion that moves nothing.
    #[must_use]
    pub fn identity() -> Self {
        Self::from_translation(V::splat(V::Scalar::ZERO))
    }

    or_panics! {
        /// A motion without rotation.
        Rigid: from_translation = try_from_translation(translation: V)
    }

    /// A motion without rotation.
    ///
    /// # Errors
    ///
    /// If a coordinate is infinite or NaN; the error names the axis.
    ///
    /// ```
    /// use orthant::Rigid;
    /// assert!(Rigid::try_from_translation([1.0, f64::NAN]).is_err());
    /// ```
    pub fn try_from_translation(translation: V) -> Result<Self, ShapeError> {
        let part = |is_one: bool| Scalar::from_f64(f64::from(u8::from(is_one)));
        Self::try_new(|axis| V::from_fn(|i| part(i == axis)), translation)
    }

    /// The translation.
    #[must_use]
    pub fn translation(&self) -> V {
        self.translation
    }

    /// The moved point: `Σ axis * coordinate`, left to right, plus the translation.
    #[inline]
    #[must_use]
    pub fn point(&self, p: V) -> V {
        V::from_fn(|i| {
            let mut sum = self.axes[0].axis(i) * p.axis(0);
            for axis in 1..V::DIM {
                sum = sum + self.axes[axis].axis(i) * p.axis(axis);
            }
            sum + self.translation.axis(i)
        })
    }

    /// How far a box reaches on each axis from its center once it is rotated, from half of its edges.
    pub(crate) fn reach(&self, half: V) -> V {
        V::from_fn(|i| {
            let part = |axis: usize| self.axes[axis].axis(i).abs() * half.axis(axis);
            (1..V::DIM).fold(part(0), |sum, axis| sum + part(axis))
        })
    }

    /// The moved ball; `None` if it is beyond the finite numbers.
    ///
    /// ```
    /// use orthant::{Rigid, Sphere};
    /// let ball = Sphere::new([1.0, 2.0], 0.5);
    /// assert_eq!(Rigid::identity().sphere(&ball), Some(ball));
    /// assert_eq!(Rigid::from_translation([1.0, 0.0]).sphere(&ball).unwrap().center(), [2.0, 2.0]);
    /// ```
    #[inline]
    #[must_use]
    pub fn sphere(&self, ball: &Sphere<V>) -> Option<Sphere<V>> {
        Sphere::try_new(self.point(ball.center()), ball.radius()).ok()
    }
}

/// A rotation: a quaternion or matrix of any supported version of glam, or an angle in the plane, in radians and
/// counter-clockwise. You can implement it for rotations of other crates.
///
/// ```
/// use orthant::{Rotation, glam::{Quat, Vec3}};
/// let half = Quat::from_xyzw(0.0, 0.0, 1.0, 0.0);
/// assert_eq!(Rotation::<Vec3>::image(&half, 0), -Vec3::X);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a rotation of `{V}`",
    label = "not a rotation",
    note = "in the plane take an angle or a `Mat2`, in space a `Quat` or a `Mat3`, of the scalar of the vectors; those of another version of glam need its feature, as `glam033`"
)]
pub trait Rotation<V: Vector>: Copy {
    /// The vector to which the rotation turns the unit vector of an axis.
    fn image(&self, axis: usize) -> V;
}

/// By how much the squared length of a quaternion differs from 1; 0 within the tolerance. The matrix of a quaternion stretches
/// by its squared length, which formulas for length 1 hide if it turns by a small angle or not at all.
fn excess<S: Scalar>(quaternion: [S; 4]) -> S {
    let [x, y, z, w] = quaternion.map(|part| part * part);
    let excess = x + y + z + w - S::ONE;
    if excess.abs() > S::from_f64(TOLERANCE) * S::EPSILON {
        excess
    } else {
        S::ZERO
    }
}

/// The vector to which a quaternion turns the unit vector of an axis. The excess is 0 for every rotation.
pub(crate) fn column_of_quaternion<S: Scalar>(quaternion: [S; 4], axis: usize) -> [S; 3] {
    let (two, w) = (S::ONE + S::ONE, quaternion[3]);
    // The axis and the two that follow it, in the order of a turn.
    let [i, j, k] = [axis, (axis + 1) % 3, (axis + 2) % 3];
    let [x, y, z] = [i, j, k].map(|a| quaternion[a]);
    let mut column = [S::ONE - two * (y * y + z * z) + excess(quaternion); 3];
    (column[j], column[k]) = (two * (x * y + z * w), two * (x * z - y * w));
    column
}
