//! The vectors of glam, of every version that is asked for.
//!
//! To the compiler `Vec3` of glam 0.33 and `Vec3` of glam 0.34 are two types, and each crate brings the
//! version that it was written for. The newest is this crate's own dependency. The others are dependencies
//! under names of their own, `glam033` for 0.33, behind a feature of that name; what is implemented for
//! glam's types is a macro that [`each_glam`] calls for every version. Kernels are compiled for arrays,
//! so that a further version costs next to nothing but the time that glam itself takes to compile.
//!
//! To add a version: a feature and a dependency in `Cargo.toml`, forwarded to by `std`, `libm` and `serde`,
//! and a line in [`each_glam`].

use alloc::borrow::Cow;
use core::fmt::Debug;

use super::{Bricked, Planar, Space, Vector, Voxel, sealed::Sealed};

/// Calls a macro of the name of a crate once for each version of glam. What it implements stands in a constant, since
/// the documentation names the feature of an item within, not of a macro that is called.
macro_rules! each_glam {
    ($implement:ident) => {
        $implement!(glam);
        #[cfg(feature = "glam033")]
        const _: () = {
            $implement!(glam033);
        };
        #[cfg(feature = "glam032")]
        const _: () = {
            $implement!(glam032);
        };
    };
}
pub(crate) use each_glam;

macro_rules! voxel {
    ($v:ty, $dim:literal) => {
        impl Sealed for $v {}

        impl Voxel for $v {
            type Array = [i32; $dim];
            const DIM: usize = $dim;

            #[inline(always)]
            fn from_fn(f: impl FnMut(usize) -> i32) -> Self {
                Self::from_array(crate::simd::from_fn(f))
            }

            #[inline(always)]
            fn axis(self, axis: usize) -> i32 {
                self.to_array()[axis]
            }

            #[inline(always)]
            fn array(self) -> [i32; $dim] {
                self.to_array()
            }

            #[inline(always)]
            fn of_array(array: [i32; $dim]) -> Self {
                Self::from_array(array)
            }

            #[inline(always)]
            fn of_arrays(arrays: &[[i32; $dim]]) -> &[Self] {
                bytemuck::cast_slice(arrays)
            }
        }
    };
}

/// Vectors that lie like arrays.
macro_rules! packed {
    () => {
        #[inline]
        fn arrays(vectors: &[Self]) -> Cow<'_, [Self::Array]> {
            Cow::Borrowed(bytemuck::cast_slice(vectors))
        }
    };
}

/// Vectors that have something between them.
macro_rules! padded {
    () => {
        fn arrays(vectors: &[Self]) -> Cow<'_, [Self::Array]> {
            vectors.iter().map(|&vector| vector.array()).collect()
        }
    };
}

macro_rules! vector {
    ($v:ty, $s:ident, $dim:literal, $voxel:ty, $lie:ident) => {
        impl Sealed for $v {}

        impl Vector for $v {
            type Scalar = $s;
            type Voxel = $voxel;
            type Array = [$s; $dim];
            type Axes<X: Copy + Debug + Send + Sync> = [X; $dim];
            const DIM: usize = $dim;

            #[inline(always)]
            fn from_fn(f: impl FnMut(usize) -> $s) -> Self {
                Self::from_array(crate::simd::from_fn(f))
            }

            #[inline(always)]
            fn axis(self, axis: usize) -> $s {
                self.to_array()[axis]
            }

            #[inline(always)]
            fn array(self) -> [$s; $dim] {
                self.to_array()
            }

            #[inline(always)]
            fn of_array(array: [$s; $dim]) -> Self {
                Self::from_array(array)
            }

            $lie!();

            #[inline(always)]
            fn axes<X: Copy + Debug + Send + Sync>(each: X) -> Self::Axes<X> {
                [each; $dim]
            }
        }
    };
}

/// The vectors of one version.
macro_rules! vectors {
    ($glam:ident) => {
        voxel!(::$glam::IVec2, 2);
        voxel!(::$glam::IVec3, 3);
        voxel!(::$glam::IVec4, 4);
        vector!(::$glam::Vec2, f32, 2, ::$glam::IVec2, packed);
        vector!(::$glam::Vec3, f32, 3, ::$glam::IVec3, packed);
        vector!(::$glam::Vec3A, f32, 3, ::$glam::IVec3, padded);
        vector!(::$glam::Vec4, f32, 4, ::$glam::IVec4, packed);
        vector!(::$glam::DVec2, f64, 2, ::$glam::IVec2, packed);
        vector!(::$glam::DVec3, f64, 3, ::$glam::IVec3, packed);
        vector!(::$glam::DVec4, f64, 4, ::$glam::IVec4, packed);
        impl Bricked for ::$glam::IVec2 {}
        impl Bricked for ::$glam::IVec3 {}
        impl Space for ::$glam::IVec3 {}
        impl Space for ::$glam::Vec3 {}
        impl Planar for ::$glam::Vec2 {}
        impl Planar for ::$glam::DVec2 {}
        impl Space for ::$glam::Vec3A {}
        impl Space for ::$glam::DVec3 {}
    };
}

each_glam!(vectors);

#[cfg(test)]
mod tests {
    use crate::vector::{Vector, Voxel};

    /// Whether vectors and voxels become arrays and come back, one by one and as a slice.
    fn crosses<V: Vector<Scalar: From<i8>>>() {
        let vectors = [1_i8, -5].map(|first| V::from_fn(|axis| (first + axis as i8).into()));
        for (vector, array) in vectors.iter().zip(V::arrays(&vectors).as_ref()) {
            assert_eq!(vector.array(), *array);
            assert_eq!(V::of_array(*array), *vector);
            assert!((0..V::DIM).all(|axis| vector.axis(axis) == array.axis(axis)));
        }
        let voxels = [1, -5].map(|first| V::Voxel::from_fn(|axis| first + axis as i32));
        let arrays = voxels.map(Voxel::array);
        assert_eq!(V::Voxel::of_arrays(&arrays), voxels);
        assert_eq!(arrays.map(V::Voxel::of_array), voxels);
        assert_eq!(V::DIM, <V::Voxel as Voxel>::DIM);
    }

    macro_rules! all_cross {
        ($glam:ident) => {{
            use ::$glam::{DVec2, DVec3, DVec4, Vec2, Vec3, Vec3A, Vec4};
            crosses::<Vec2>();
            crosses::<Vec3>();
            crosses::<Vec3A>();
            crosses::<Vec4>();
            crosses::<DVec2>();
            crosses::<DVec3>();
            crosses::<DVec4>();
        }};
    }

    #[test]
    fn vectors_of_each_version_are_arrays() {
        all_cross!(glam);
        #[cfg(feature = "glam033")]
        all_cross!(glam033);
        #[cfg(feature = "glam032")]
        all_cross!(glam032);
    }
}
