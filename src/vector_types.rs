//! The types that are vectors: arrays, and the vectors of each version of glam that is enabled.
//!
//! To the compiler `Vec3` of glam 0.33 and `Vec3` of glam 0.34 are two types, and each crate brings the
//! version that it was written for. The newest is this crate's own dependency. The others are dependencies
//! under names of their own, `glam033` for 0.33, behind a feature of that name. Kernels are compiled for
//! arrays, so that a further version costs next to nothing but the time that glam itself takes to compile.
//!
//! To add a version: a feature and a dependency in `Cargo.toml`, forwarded to by `std`, `libm` and `serde`,
//! and four lines below the macro.
//!
//! A point is a region too, as the box without extent at the point; a point that is not finite overlaps nothing.

use alloc::borrow::Cow;
use core::fmt::Debug;

use bytemuck::{AnyBitPattern, NoUninit};

use crate::kernels::Array;
use crate::overlap::lanes::Plain;
use crate::overlap::{Overlaps, Region, Relation};
use crate::rigid::{Rotation, column_of_quaternion};
use crate::shape::{Aabb, Matrix4};
use crate::vector::{Bricked, Planar, Sealed, Space, Vector, Voxel};

/// Views vectors without padding as arrays.
#[inline(always)]
fn packed<V: NoUninit, A: AnyBitPattern + Clone>(vectors: &[V]) -> Cow<'_, [A]> {
    Cow::Borrowed(bytemuck::cast_slice(vectors))
}

/// Copies vectors with padding into arrays.
fn padded<V: Vector>(vectors: &[V]) -> Cow<'_, [V::Array]> {
    vectors.iter().map(|&vector| vector.array()).collect()
}

/// The box without extent at a point, if the point is finite.
#[inline(always)]
fn as_box<V: Vector>(point: V) -> Option<Aabb<V>> {
    let is_finite = point.non_finite_axis().is_none();
    is_finite.then(|| Aabb::point(point))
}

/// Implements the traits of vectors, voxels, rotations and matrices for all arrays, or for all types of a version of
/// glam. A single impl of `Region` for all vectors could conflict with the one for references.
macro_rules! implement {
    (arrays $($dim:literal)*) => {$(
        implement!(voxel [i32; $dim], $dim);
        implement!(vector [f32; $dim], f32, $dim, [i32; $dim], packed);
        implement!(vector [f64; $dim], f64, $dim, [i32; $dim], packed);
        impl Array for [f32; $dim] {}
        impl Array for [f64; $dim] {}
    )*};
    (types of $glam:ident) => {
        implement!(voxel ::$glam::IVec2, 2);
        implement!(voxel ::$glam::IVec3, 3);
        implement!(voxel ::$glam::IVec4, 4);
        implement!(vector ::$glam::Vec2, f32, 2, ::$glam::IVec2, packed);
        implement!(vector ::$glam::Vec3, f32, 3, ::$glam::IVec3, packed);
        implement!(vector ::$glam::Vec3A, f32, 3, ::$glam::IVec3, padded);
        implement!(vector ::$glam::Vec4, f32, 4, ::$glam::IVec4, packed);
        implement!(vector ::$glam::DVec2, f64, 2, ::$glam::IVec2, packed);
        implement!(vector ::$glam::DVec3, f64, 3, ::$glam::IVec3, packed);
        implement!(vector ::$glam::DVec4, f64, 4, ::$glam::IVec4, packed);
        implement!(Planar for ::$glam::Vec2, ::$glam::DVec2);
        implement!(Space for ::$glam::Vec3, ::$glam::Vec3A, ::$glam::DVec3, ::$glam::IVec3);
        implement!(Bricked for ::$glam::IVec2, ::$glam::IVec3);
        implement!(matrices f32, ::$glam::Vec2, ::$glam::Vec3, ::$glam::Mat2, ::$glam::Mat3, ::$glam::Mat4, ::$glam::Quat);
        implement!(matrices f64, ::$glam::DVec2, ::$glam::DVec3, ::$glam::DMat2, ::$glam::DMat3, ::$glam::DMat4, ::$glam::DQuat);
    };
    (test $glam:ident) => {
        crosses::<::$glam::Vec2>();
        crosses::<::$glam::Vec3>();
        crosses::<::$glam::Vec3A>();
        crosses::<::$glam::Vec4>();
        crosses::<::$glam::DVec2>();
        crosses::<::$glam::DVec3>();
        crosses::<::$glam::DVec4>();
    };
    ($kind:ident for $($type:ty),*) => {
        $(impl $kind for $type {})*
    };
    (voxel $voxel:ty, $dim:literal) => {
        impl Sealed for $voxel {}

        impl Voxel for $voxel {
            const DIM: usize = $dim;

            #[inline(always)]
            fn from_fn(f: impl FnMut(usize) -> i32) -> Self {
                Self::from(crate::simd::from_fn::<i32, $dim>(f))
            }

            #[inline(always)]
            fn axis(self, axis: usize) -> i32 {
                <[i32; $dim]>::from(self)[axis]
            }

            #[inline(always)]
            fn of_indices(indices: &[i32]) -> &[Self] {
                bytemuck::cast_slice(indices)
            }
        }
    };
    (vector $vector:ty, $scalar:ident, $dim:literal, $voxel:ty, $lie:ident) => {
        impl Sealed for $vector {}

        impl Vector for $vector {
            type Scalar = $scalar;
            type Voxel = $voxel;
            type Array = [$scalar; $dim];
            type Axes<X: Copy + Debug + Send + Sync> = [X; $dim];
            const DIM: usize = $dim;

            #[inline(always)]
            fn from_fn(f: impl FnMut(usize) -> $scalar) -> Self {
                Self::from(crate::simd::from_fn::<$scalar, $dim>(f))
            }

            #[inline(always)]
            fn axis(self, axis: usize) -> $scalar {
                self.array()[axis]
            }

            #[inline(always)]
            fn array(self) -> [$scalar; $dim] {
                self.into()
            }

            #[inline(always)]
            fn of_array(array: [$scalar; $dim]) -> Self {
                array.into()
            }

            #[inline]
            fn arrays(vectors: &[Self]) -> Cow<'_, [[$scalar; $dim]]> {
                $lie(vectors)
            }

            #[inline(always)]
            fn axes<X: Copy + Debug + Send + Sync>(each: X) -> Self::Axes<X> {
                [each; $dim]
            }
        }

        /// Returns true if the point lies in the shape.
        impl<T: ?Sized> Overlaps<T> for $vector
        where
            Aabb<$vector>: Overlaps<T>,
        {
            #[inline]
            fn overlaps(&self, other: &T) -> bool {
                as_box(*self).is_some_and(|point| point.overlaps(other))
            }
        }

        /// As a region, a point overlaps everything that contains it.
        impl Region for $vector {
            type Vector = Self;

            #[inline]
            fn relate(&self, cell: &Aabb<Self>) -> Relation {
                as_box(*self).map_or(Relation::Outside, |point| point.relate(cell))
            }

            #[inline]
            fn hint(&self) -> Option<Aabb<Self>> {
                as_box(*self)
            }

            #[inline]
            fn plain(&self) -> Option<Plain<Self>> {
                as_box(*self).map(Plain::Box)
            }

            #[inline]
            fn relate_balls(&self, centers: &Aabb<Self>, least: $scalar, most: $scalar) -> Relation {
                let relate = |point: Aabb<Self>| point.relate_balls(centers, least, most);
                as_box(*self).map_or(Relation::Outside, relate)
            }
        }
    };
    (matrices $scalar:ident, $plane:ty, $space:ty, $mat2:ty, $mat3:ty, $mat4:ty, $quat:ty) => {
        impl Rotation<$plane> for $scalar {
            fn image(&self, axis: usize) -> $plane {
                <$mat2>::from_angle(*self).col(axis)
            }
        }

        impl Rotation<$plane> for $mat2 {
            fn image(&self, axis: usize) -> $plane {
                self.col(axis)
            }
        }

        impl Rotation<$space> for $mat3 {
            fn image(&self, axis: usize) -> $space {
                self.col(axis)
            }
        }

        impl Rotation<$space> for $quat {
            // glam's own matrix would not do, since its assertions may be enabled.
            fn image(&self, axis: usize) -> $space {
                column_of_quaternion(self.to_array(), axis).into()
            }
        }

        impl Matrix4 for $mat4 {
            type Scalar = $scalar;

            fn columns(self) -> [[$scalar; 4]; 4] {
                self.to_cols_array_2d()
            }
        }
    };
}

implement!(arrays 1 2 3 4 5 6 7 8);
implement!(types of glam);
// The constant makes the documentation show the feature of each impl, which a macro alone does not.
#[cfg(feature = "glam033")]
const _: () = {
    implement!(types of glam033);
};
#[cfg(feature = "glam032")]
const _: () = {
    implement!(types of glam032);
};

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use crate::vector::{Vector, Voxel};

    /// Checks that vectors and voxels become arrays and come back, one by one and as a slice.
    fn crosses<V: Vector<Scalar: From<i8>>>() {
        let vectors = [1_i8, -5].map(|first| V::from_fn(|axis| (first + axis as i8).into()));
        for (vector, array) in vectors.iter().zip(V::arrays(&vectors).as_ref()) {
            assert_eq!(vector.array(), *array);
            assert_eq!(V::of_array(*array), *vector);
            assert!((0..V::DIM).all(|axis| vector.axis(axis) == array.axis(axis)));
        }
        let voxels = [1, -5].map(|first| V::Voxel::from_fn(|axis| first + axis as i32));
        let axes = |voxel: &V::Voxel| (0..V::DIM).map(|axis| voxel.axis(axis)).collect();
        let indices: Vec<Vec<i32>> = voxels.iter().map(axes).collect();
        assert_eq!(V::Voxel::of_indices(&indices.concat()), voxels);
        assert_eq!(V::DIM, <V::Voxel as Voxel>::DIM);
    }

    #[test]
    fn vectors_of_each_version_are_arrays() {
        implement!(test glam);
        #[cfg(feature = "glam033")]
        implement!(test glam033);
        #[cfg(feature = "glam032")]
        implement!(test glam032);
    }
}
