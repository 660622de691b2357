use core::fmt::Debug;

use glam::{DMat2, DMat3, DQuat, DVec2, DVec3, Mat2, Mat3, Quat, Vec2, Vec3};

use crate::shape::check_finite;
use crate::vector::assert_structure;
use crate::{Scalar, ShapeError, Sphere, Vector};

/// A rigid motion of 1 to 4 dimensions: a rotation about the origin, then a translation. Distances
/// stay what they are up to rounding; mirror images are allowed.
///
/// ```
/// use orthant::Rigid;
/// use orthant::glam::{Quat, Vec3};
/// let turn = Quat::from_xyzw(0.0, 0.0, 1.0, 0.0); // half a turn about z
/// let motion = Rigid::from_quat(turn, Vec3::X);
/// assert_eq!(motion.point(Vec3::new(2.0, 1.0, 5.0)), Vec3::new(-1.0, -1.0, 5.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rigid<V: Vector> {
    /// The images of the unit vectors, as many as there are axes.
    axes: [V; 4],
    translation: V,
}

/// How far the products of axes may be from 0 and 1, in units of the scalar's precision.
const TOLERANCE: f64 = 32.0;

impl<V: Vector> Rigid<V> {
    /// The motion that takes the unit vector of each axis to what `axes` says, then moves by
    /// `translation`.
    ///
    /// # Panics
    ///
    /// Where [`try_new`](Self::try_new) returns an error.
    #[must_use]
    #[track_caller]
    pub fn new(axes: impl FnMut(usize) -> V, translation: V) -> Self {
        Self::try_new(axes, translation).unwrap_or_else(|error| panic!("Rigid: {error}"))
    }

    /// The motion that takes the unit vector of each axis to what `axes` says, then moves by
    /// `translation`.
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
                let product: f64 = (0..V::DIM)
                    .map(|i| {
                        Into::<f64>::into(made[first].axis(i))
                            * Into::<f64>::into(made[second].axis(i))
                    })
                    .sum();
                let wanted = if first == second { 1.0 } else { 0.0 };
                let off: f64 = product - wanted;
                if off.abs() > TOLERANCE * epsilon::<V::Scalar>().into() {
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

    /// The motion that moves nothing.
    #[must_use]
    pub fn identity() -> Self {
        Self::from_translation(V::splat(V::Scalar::ZERO))
    }

    /// A motion without rotation.
    ///
    /// # Panics
    ///
    /// If a coordinate is infinite or NaN.
    #[must_use]
    #[track_caller]
    pub fn from_translation(translation: V) -> Self {
        let unit = |axis| {
            V::from_fn(|i| {
                if i == axis {
                    V::Scalar::ONE
                } else {
                    V::Scalar::ZERO
                }
            })
        };
        Self::new(unit, translation)
    }

    /// The translation.
    #[must_use]
    pub fn translation(&self) -> V {
        self.translation
    }

    /// Where a point comes to lie: `Σ axis * coordinate`, left to right, plus the translation.
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

    /// Where a ball comes to lie; `None` where that is beyond the finite numbers.
    #[inline]
    #[must_use]
    pub fn sphere(&self, ball: &Sphere<V>) -> Option<Sphere<V>> {
        Sphere::try_new(self.point(ball.center()), ball.radius()).ok()
    }
}

/// The distance from 1 to the next larger number.
pub(crate) fn epsilon<S: Scalar>() -> S {
    S::ONE.next_up() - S::ONE
}

macro_rules! in_space {
    ($v:ident, $quat:ident, $mat:ident) => {
        impl Rigid<$v> {
            /// From a unit quaternion.
            ///
            /// # Panics
            ///
            /// If the quaternion is not of length 1 (see [`try_new`](Self::try_new)), or a number is
            /// infinite or NaN.
            #[must_use]
            #[track_caller]
            pub fn from_quat(rotation: $quat, translation: $v) -> Self {
                let [x, y, z, w] = rotation.to_array();
                // Not glam's own, which asserts.
                let axes = $mat::from_cols(
                    $v::new(
                        1.0 - 2.0 * (y * y + z * z),
                        2.0 * (x * y + z * w),
                        2.0 * (x * z - y * w),
                    ),
                    $v::new(
                        2.0 * (x * y - z * w),
                        1.0 - 2.0 * (x * x + z * z),
                        2.0 * (y * z + x * w),
                    ),
                    $v::new(
                        2.0 * (x * z + y * w),
                        2.0 * (y * z - x * w),
                        1.0 - 2.0 * (x * x + y * y),
                    ),
                );
                Self::new(|axis| axes.col(axis), translation)
            }
        }
    };
}

in_space!(Vec3, Quat, Mat3);
in_space!(DVec3, DQuat, DMat3);

macro_rules! in_the_plane {
    ($v:ident, $mat:ident, $s:ident) => {
        impl Rigid<$v> {
            /// From an angle in radians, counter-clockwise.
            ///
            /// # Panics
            ///
            /// If a number is infinite or NaN.
            #[must_use]
            #[track_caller]
            pub fn from_angle(angle: $s, translation: $v) -> Self {
                let axes = $mat::from_angle(angle);
                Self::new(|axis| axes.col(axis), translation)
            }
        }
    };
}

in_the_plane!(Vec2, Mat2, f32);
in_the_plane!(DVec2, DMat2, f64);
