//! Scalars and vectors.
//!
//! Dimension and scalar are type parameters once, here: everything above is written for any
//! [`Vector`]. Both traits are sealed, so that the arithmetic of every structure is known to be
//! that of `f32` and `f64`.

use alloc::borrow::Cow;
use core::fmt::Debug;
use core::hash::Hash;

use crate::kernels::Array;

#[cfg_attr(
    not(any(
        all(
            any(target_arch = "x86", target_arch = "x86_64"),
            target_feature = "sse2"
        ),
        all(target_arch = "aarch64", target_feature = "neon"),
        all(target_arch = "wasm32", target_feature = "simd128")
    )),
    path = "vector/portable.rs"
)]
mod lanes;
// Compiled for its tests, on machines that do not use it.
#[cfg(test)]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "its names are for other machines"
)]
mod portable;
mod scalar;

pub use scalar::{Scalar, safe_lengths};
pub(crate) use sealed::Sealed;

mod sealed {
    pub trait Sealed {}
}

/// A point or displacement: glam's `Vec2`, `Vec3`, `Vec3A`, `Vec4`, `DVec2`, `DVec3`, `DVec4`, and
/// arrays `[f32; N]`, `[f64; N]` of up to 8 axes.
///
/// Predicates take 1 to 8 axes, structures 1 to 4; the compiler refuses others while it generates code, where a
/// structure is made, so that generic code needs no bound but this one. Vectors of other maths crates enter as
/// arrays. The vectors of [`orthant::glam`](crate::glam), the newest, are always supported; those of an older glam
/// need a feature: `glam033` for glam 0.33, `glam032` for 0.32, any number of them at once.
///
/// Vectors of `f64` need no feature, but programs that use them are compiled much faster with the feature `f64`: see
/// [`DOctree`](crate::DOctree).
///
/// ```
/// use orthant::Vector;
/// assert_eq!(<[f64; 2]>::from_fn(|axis| axis as f64).axis(1), 1.0);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a vector that `orthant` takes",
    label = "not a vector",
    note = "vectors are `[f32; N]`, `[f64; N]` and those of `orthant::glam`; integers and other scalars are none",
    note = "a vector of another version of glam needs the feature of that version: `glam033` for glam 0.33 (bevy 0.20, parry3d 0.31), `glam032` for glam 0.32 (bevy 0.19)"
)]
pub trait Vector: Copy + PartialEq + Debug + Send + Sync + Sealed + 'static {
    /// The type of a coordinate.
    type Scalar: Scalar;
    /// The integer vector of the same dimension that names a voxel.
    type Voxel: Voxel;
    /// `[Scalar; DIM]`, which structures hold and compute with, whatever vectors they are given.
    #[doc(hidden)]
    type Array: Array<Scalar = Self::Scalar, Axes<Self::Scalar> = Self::Array>;
    /// A value for each axis.
    #[doc(hidden)]
    type Axes<X: Copy + Debug + Send + Sync>: Copy + Debug + Send + Sync + AsRef<[X]> + AsMut<[X]>;
    /// The number of axes.
    const DIM: usize;

    /// The vector with the coordinate `f(axis)` on each axis.
    fn from_fn(f: impl FnMut(usize) -> Self::Scalar) -> Self;

    /// The coordinate on an axis.
    ///
    /// # Panics
    ///
    /// If `axis >= Self::DIM`.
    #[track_caller]
    fn axis(self, axis: usize) -> Self::Scalar;

    /// The coordinates.
    #[doc(hidden)]
    fn array(self) -> Self::Array;

    /// The vector of some coordinates.
    #[doc(hidden)]
    fn of_array(array: Self::Array) -> Self;

    /// The coordinates of some vectors: borrowed, or copied if the vectors have padding.
    #[doc(hidden)]
    fn arrays(vectors: &[Self]) -> Cow<'_, [Self::Array]>;

    /// Repeats a value for each axis.
    #[doc(hidden)]
    fn axes<X: Copy + Debug + Send + Sync>(each: X) -> Self::Axes<X>;

    /// The vector with one value on all axes.
    #[inline]
    fn splat(value: Self::Scalar) -> Self {
        Self::from_fn(|_| value)
    }

    /// The first axis whose coordinate is infinite or NaN.
    #[inline]
    fn non_finite_axis(self) -> Option<usize> {
        (0..Self::DIM).find(|&a| !self.axis(a).is_finite())
    }
}

/// The indices of a voxel: glam's `IVec2`, `IVec3`, `IVec4`, of any version that [`Vector`] takes, and `[i32; N]` of
/// up to 8 axes.
///
/// ```
/// use orthant::Voxel;
/// fn above<X: Voxel>(voxel: X) -> X {
///     voxel.with(X::DIM - 1, voxel.axis(X::DIM - 1) + 1)
/// }
/// assert_eq!(above(<[i32; 2]>::from_fn(|axis| axis as i32)), [0, 2]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name a voxel",
    label = "not a voxel",
    note = "voxels are `[i32; N]` and the `IVec2`, `IVec3` and `IVec4` of `orthant::glam`; those of another version of glam need its feature, as `glam033`"
)]
pub trait Voxel: Copy + Eq + Hash + Debug + Send + Sync + Sealed + 'static {
    /// The number of axes.
    const DIM: usize;

    /// The voxel with the index `f(axis)` on each axis.
    fn from_fn(f: impl FnMut(usize) -> i32) -> Self;

    /// The index on an axis.
    ///
    /// # Panics
    ///
    /// If `axis >= Self::DIM`.
    #[track_caller]
    fn axis(self, axis: usize) -> i32;

    /// Views indices, `DIM` for each, as voxels.
    #[doc(hidden)]
    fn of_indices(indices: &[i32]) -> &[Self];

    /// The voxel with another index on one axis.
    #[inline]
    fn with(self, axis: usize, index: i32) -> Self {
        Self::from_fn(|a| if a == axis { index } else { self.axis(a) })
    }
}

/// Vectors and voxels of three axes, which solids of planes ([`Hexahedron`](crate::Hexahedron),
/// [`Frustum`](crate::Frustum)) and a [`BrickSet`](crate::BrickSet) are made of.
///
/// ```
/// fn volume<V: orthant::Vector<Scalar = f32> + orthant::Space>(extents: V) -> f32 {
///     extents.axis(0) * extents.axis(1) * extents.axis(2)
/// }
/// assert_eq!(volume([1.0_f32, 2.0, 3.0]), 6.0);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not have three axes",
    label = "three axes are needed here",
    note = "`Hexahedron`, `Frustum` and `BrickSet` live in space: take `Vec3`, `[f32; 3]`, `IVec3` and the like; in the plane a `Quadrilateral` is the oriented box, and a `BitGrid` the set of voxels"
)]
pub trait Space: Sealed {}

/// Voxels of one to three axes, which a [`VoxelGrid`](crate::VoxelGrid) lists by
/// [`bricks`](crate::VoxelGrid::bricks), masks of eight on each axis.
///
/// ```
/// # #[cfg(feature = "voxels")] {
/// use orthant::{Bricked, Sphere, Vector, VoxelGrid};
/// fn count<V: Vector<Voxel: Bricked>>(grid: &VoxelGrid<V>, ball: Sphere<V>) -> usize {
///     grid.bricks(ball).count()
/// }
/// assert_eq!(count(&VoxelGrid::new([0.0, 0.0], 1.0), Sphere::new([4.0, 4.0], 0.5)), 1);
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has more axes than a brick",
    label = "one to three axes are needed here",
    note = "bricks are masks of 8³ voxels: in more dimensions take `spans` or `cells`"
)]
pub trait Bricked: Voxel {}

/// Vectors of two axes, which a [`Quadrilateral`](crate::Quadrilateral) is made of.
///
/// ```
/// fn area<V: orthant::Vector<Scalar = f32> + orthant::Planar>(extents: V) -> f32 {
///     extents.axis(0) * extents.axis(1)
/// }
/// assert_eq!(area([2.0_f32, 3.0]), 6.0);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not have two axes",
    label = "two axes are needed here",
    note = "a `Quadrilateral` lies in the plane: take `Vec2`, `[f32; 2]` and the like; in space a `Hexahedron` is the oriented box"
)]
pub trait Planar: Sealed {}

// These are written out, since the compiler shows them to those who take another vector.
impl Planar for [f32; 2] {}
impl Planar for [f64; 2] {}

impl Space for [f32; 3] {}
impl Space for [f64; 3] {}
impl Space for [i32; 3] {}

impl Bricked for [i32; 1] {}
impl Bricked for [i32; 2] {}
impl Bricked for [i32; 3] {}

/// Refuses, at compile time, vectors of other than 1 to 4 axes, which structures do not hold.
pub(crate) const fn assert_structure<V: Vector>() {
    assert!(
        V::DIM >= 1 && V::DIM <= 4,
        "a structure takes vectors of 1 to 4 dimensions"
    );
}
