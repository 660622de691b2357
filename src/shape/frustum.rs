//! The view of a camera: five or six planes from a matrix.

use smallvec::SmallVec;

use crate::error::{ShapeError, or_panics};
use crate::shape::polytope::{
    HalfSpace, Point, Polytope, cross, dot, exceeds_rounding, magnitude, power_of_two,
};
use crate::shape::{ConvexSolid, check_finite};
use crate::vector::{Scalar, Space, Vector};

/// The view of a camera, whose far plane may be infinitely far away: a solid of five or six faces, in
/// space only.
///
/// It is made from a matrix, `projection * view`. The range of depths alone decides which constructor takes it; the
/// matrix itself tells whether depths are reversed, and whether the far plane is at infinity:
///
/// | projection | from |
/// |---|---|
/// | depths from 0 to 1, or reversed, from 1 to 0: Vulkan, Metal, Direct3D, WebGPU, wgpu, bevy | [`from_view_projection`](Self::from_view_projection) |
/// | depths from −1 to 1: OpenGL, WebGL | [`from_view_projection_gl`](Self::from_view_projection_gl) |
/// | `glam::camera`, `rh` or `lh`: all of `proj::directx` and `proj::vulkan` | [`from_view_projection`](Self::from_view_projection) |
/// | `glam::camera`, `rh` or `lh`: all of `proj::opengl` | [`from_view_projection_gl`](Self::from_view_projection_gl) |
/// | glam up to 0.33: `Mat4::perspective_rh`, `…_lh`, `perspective_infinite_…`, `perspective_infinite_reverse_…`, `orthographic_…`, `frustum_…` | [`from_view_projection`](Self::from_view_projection) |
/// | glam up to 0.33: `Mat4::perspective_rh_gl`, `orthographic_rh_gl`, `frustum_rh_gl` | [`from_view_projection_gl`](Self::from_view_projection_gl) |
///
/// If it extends to infinity, it has no far corners, its bounds end with the finite numbers, its farthest
/// distance is infinite, and a [`VoxelGrid`](crate::VoxelGrid) lists only its part in a window. All else holds as for
/// a [`Hexahedron`](crate::Hexahedron).
///
/// ```
/// use orthant::{Frustum, Octree, glam::Vec3};
/// // 90 degrees down -z from 0.5 on, reverse-z.
/// let camera = [[1., 0., 0., 0.], [0., 1., 0., 0.], [0., 0., 0., -1.], [0., 0., 0.5, 0.]];
/// let seen = Frustum::from_view_projection(camera);
/// let tree = Octree::new(&[Vec3::ZERO, Vec3::new(0.0, 0.0, -1.0), Vec3::new(9.0, 9.0, -1e9)]);
/// assert_eq!(tree.count(&seen), 2);
/// assert_eq!(seen.farthest_distance(Vec3::ZERO), f32::INFINITY);
/// ```
pub type Frustum<V> = ConvexSolid<V>;

/// A matrix of 4 rows and columns that multiplies column vectors, `matrix * (x, y, z, 1)`: the product of a camera's
/// projection and view.
///
/// Implemented for glam's matrices and for arrays of columns; implement it for those of other crates.
///
/// ```
/// use orthant::{Matrix4, glam::Mat4};
/// #[derive(Clone, Copy)]
/// struct Rows([[f32; 4]; 4]); // as another crate has them
/// impl Matrix4 for Rows {
///     type Scalar = f32;
///     fn columns(self) -> [[f32; 4]; 4] {
///         [0, 1, 2, 3].map(|column| self.0.map(|row| row[column]))
///     }
/// }
/// assert_eq!(Rows(Mat4::IDENTITY.to_cols_array_2d()).columns(), Mat4::IDENTITY.columns());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a matrix that `orthant` takes",
    label = "not a 4×4 matrix",
    note = "take the `Mat4` or `DMat4` of `orthant::glam`, or columns: `[[f32; 4]; 4]`, `[[f64; 4]; 4]`; that of another version of glam needs its feature, as `glam033`"
)]
pub trait Matrix4: Copy {
    /// The type of its entries.
    type Scalar: Scalar;

    /// Its columns.
    fn columns(self) -> [[Self::Scalar; 4]; 4];
}

impl<S: Scalar> Matrix4 for [[S; 4]; 4] {
    type Scalar = S;

    fn columns(self) -> [[S; 4]; 4] {
        self
    }
}

impl<V: Vector> ConvexSolid<V> {
    or_panics! {
        /// The view of a camera whose projection is made for Vulkan, Metal, Direct3D or WebGPU: the points that
        /// `projection * view` takes to `-w <= x <= w`, `-w <= y <= w`, `0 <= z <= w`.
        ///
        /// Depths may run from 0 to 1 or, reversed, from 1 to 0, and the far plane may be at infinity; the matrix
        /// tells. For a far plane at infinity, the third row (with reversed depths) or its difference from the fourth
        /// (otherwise) must be exactly zero but for the last entry; glam's infinite projections fulfill this, alone
        /// or times a rigid view.
        ///
        /// ```
        /// use orthant::glam::{Vec3, camera::rh::{proj::directx, view}};
        /// use orthant::{Frustum, Octree};
        ///
        /// let view = view::look_at_mat4(Vec3::new(0.0, 0.0, 5.0), Vec3::ZERO, Vec3::Y);
        /// let tree = Octree::new(&[Vec3::ZERO, Vec3::X * 9.0, Vec3::NEG_Z * 1e6]);
        /// for (projection, seen) in [
        ///     (directx::perspective(1.0, 1.5, 0.1, 100.0), 1),
        ///     (directx::perspective(1.0, 1.5, 100.0, 0.1), 1), // reversed: near and far change places
        ///     (directx::perspective_infinite(1.0, 1.5, 0.1), 2),
        ///     (directx::perspective_infinite_reverse(1.0, 1.5, 0.1), 2),
        /// ] {
        ///     assert_eq!(tree.count(&Frustum::from_view_projection(projection * view)), seen);
        /// }
        /// ```
        ///
        /// The matrix of a minimized window, which has no area, is refused.
        #[doc(alias = "reverse_z")]
        #[doc(alias = "reversed")]
        #[doc(alias = "infinite")]
        #[doc(alias = "from_view_projection_reverse")]
        #[doc(alias = "from_view_projection_infinite")]
        #[doc(alias = "from_matrix")]
        #[doc(alias = "from_clip_from_world")]
        ConvexSolid: from_view_projection = try_from_view_projection(matrix: impl Matrix4<Scalar = V::Scalar>) where V: Space
    }

    /// The view of a camera whose projection is made for Vulkan, Metal, Direct3D or WebGPU; see
    /// [`from_view_projection`](Self::from_view_projection).
    ///
    /// ```
    /// use orthant::glam::{Mat4, Vec3, camera::rh::proj::directx};
    /// use orthant::{Frustum, ShapeError};
    ///
    /// let minimized = directx::perspective(1.0, 640.0 / 0.0, 0.1, 100.0); // a window of no height
    /// let error = Frustum::<Vec3>::try_from_view_projection(minimized).unwrap_err();
    /// assert!(matches!(error, ShapeError::Singular { .. }));
    /// ```
    ///
    /// # Errors
    ///
    /// If an entry is infinite or NaN, the matrix is singular to within rounding, or the planes enclose nothing or a
    /// whole line. Errors number the planes left, right, bottom, top, `z = 0`, `z = w`.
    pub fn try_from_view_projection(
        matrix: impl Matrix4<Scalar = V::Scalar>,
    ) -> Result<Self, ShapeError>
    where
        V: Space,
    {
        Self::of_matrix(matrix.columns(), false)
    }

    or_panics! {
        /// The view of a camera whose projection is made for OpenGL: depths run from −1 to 1, `-w <= z <= w`. The far
        /// plane may be at infinity.
        ///
        /// ```
        /// use orthant::glam::{Vec3, camera::rh::proj::opengl};
        /// use orthant::{Contains, Frustum};
        /// let seen = Frustum::from_view_projection_gl(opengl::perspective(1.0, 1.5, 1.0, 100.0));
        /// assert!(seen.contains(&Vec3::new(0.0, 0.0, -1.5)));
        /// assert!(!seen.contains(&Vec3::new(0.0, 0.0, -0.5)));
        /// ```
        ///
        /// The matrix of a minimized window, which has no area, is refused.
        #[doc(alias = "opengl")]
        #[doc(alias = "webgl")]
        ConvexSolid: from_view_projection_gl = try_from_view_projection_gl(matrix: impl Matrix4<Scalar = V::Scalar>) where V: Space
    }

    /// The view of a camera whose projection is made for OpenGL; see
    /// [`from_view_projection_gl`](Self::from_view_projection_gl).
    ///
    /// # Errors
    ///
    /// As [`try_from_view_projection`](Self::try_from_view_projection); plane 4 is `z = -w`.
    pub fn try_from_view_projection_gl(
        matrix: impl Matrix4<Scalar = V::Scalar>,
    ) -> Result<Self, ShapeError>
    where
        V: Space,
    {
        Self::of_matrix(matrix.columns(), true)
    }

    /// The solid of the points that a matrix takes into its clip space. The planes are left, right, bottom, top, `z = 0` or
    /// for OpenGL `z = -w`, `z = w`. A near or far plane at infinity is left out.
    ///
    /// After G. Gribb and K. Hartmann, "Fast extraction of viewing frustum planes from the world-view-projection
    /// matrix", 2001: `-w <= x` is `(row 3 + row 0) · p >= 0`, and so on.
    fn of_matrix(columns: [[V::Scalar; 4]; 4], is_gl: bool) -> Result<Self, ShapeError> {
        const PARTS: [&str; 4] = ["column 0", "column 1", "column 2", "column 3"];
        for (part, column) in PARTS.into_iter().zip(columns) {
            check_finite(part, column.map(Into::<f64>::into))?;
        }
        // A factor on the matrix changes no plane; choose one that keeps products of four entries finite.
        let entries = || columns.into_iter().flatten().map(Into::<f64>::into);
        let unit = power_of_two(entries().fold(0.0, |most: f64, x| most.max(x.abs())));
        let row = |r: usize| [0, 1, 2, 3].map(|c: usize| -> f64 { columns[c][r].into() / unit });
        let (determinant, of_terms) = determinant(&[row(0), row(1), row(2), row(3)]);
        if !exceeds_rounding(determinant, of_terms) {
            return Err(ShapeError::Singular { determinant });
        }
        let (mut planes, mut missing) = (SmallVec::<[HalfSpace; 6]>::new(), 6);
        for plane in 0..6 {
            let (axis, w) = (row(plane / 2), row(3));
            let kept = [0, 1, 2, 3].map(|i: usize| match plane {
                4 if !is_gl => axis[i],
                0 | 2 | 4 => w[i] + axis[i],
                _ => w[i] - axis[i],
            });
            let n = [0.0 - kept[0], 0.0 - kept[1], 0.0 - kept[2]];
            if n != [0.0; 3] {
                planes.push(HalfSpace::new(n, kept[3]));
            } else if kept[3] < 0.0 {
                return Err(ShapeError::Empty { plane });
            } else if plane < 4 {
                return Err(ShapeError::Unbounded { plane });
            } else {
                missing = plane;
            }
        }
        let solid = Polytope::unbounded(&planes).map_err(|mut error| {
            if let ShapeError::Empty { plane } | ShapeError::Unbounded { plane } = &mut error {
                // A missing plane shifts the numbers of those behind it; errors name planes of the matrix.
                *plane += usize::from(*plane >= missing);
            }
            error
        })?;
        Ok(Self::of(solid))
    }
}

/// The determinant, and the sum of its terms' magnitudes.
fn determinant(m: &[[f64; 4]; 4]) -> (f64, f64) {
    let (mut sum, mut of_terms) = (0.0, 0.0);
    for skip in 0..4 {
        let minor =
            |row: [f64; 4]| -> Point { [0, 1, 2].map(|c: usize| row[c + usize::from(c >= skip)]) };
        let rows = [minor(m[1]), minor(m[2]), minor(m[3])];
        let sign = if skip % 2 == 0 { 1.0 } else { -1.0 };
        sum += sign * m[0][skip] * dot(rows[0], cross(rows[1], rows[2]));
        of_terms += m[0][skip].abs() * magnitude(rows);
    }
    (sum, of_terms)
}
