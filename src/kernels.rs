//! Kernels: hot code that is compiled in this crate, once, and not in the crate of each user.
//!
//! A structure holds its numbers as arrays `[S; D]`, whatever vectors its user has, and its kernels depend on scalar
//! and dimension only. A generic function is compiled where it is called from, again at every edit and with the
//! optimizations of that crate; a method of an impl for a concrete type is compiled where it is written. So each
//! kernel is a method of a trait that is implemented for `[f32; 2]` and `[f32; 3]` one by one, and with the feature
//! `f64` for `[f64; 2]` and `[f64; 3]`; both scalars take equally long to compile. All other arrays use the provided
//! methods of the trait, which have the same code but are compiled where they are called.

use crate::vector::Vector;

/// An array `[S; D]`, for which all kernels of the crate are implemented.
pub trait Array:
    Vector<Array = Self>
    + BroadphaseKernels
    + CellKernels
    + crate::loose::Kernels
    + crate::orthtree::Kernels
    + crate::linear::Kernels
    + crate::wide_nodes::Kernels
{
}

#[cfg(feature = "broadphase")]
use crate::broadphase::Kernels as BroadphaseKernels;
#[cfg(feature = "cells")]
use crate::cell_list::Kernels as CellKernels;
// Kernels that depend only on the scalar are bounds of `Scalar`, which imports them from here.
#[cfg(feature = "voxels")]
pub(crate) use crate::bricks::Kernels as BrickKernels;
#[cfg(feature = "voxels")]
pub(crate) use crate::voxel::Kernels as VoxelKernels;

// If the feature of a module is off, its traits of kernels are empty, and every type implements them.
#[cfg(not(feature = "broadphase"))]
use none::Kernels as BroadphaseKernels;
#[cfg(not(feature = "cells"))]
use none::Kernels as CellKernels;
#[cfg(not(feature = "voxels"))]
pub(crate) use none::{Kernels as BrickKernels, Kernels as VoxelKernels};

#[cfg(not(all(feature = "cells", feature = "voxels", feature = "broadphase")))]
mod none {
    pub trait Kernels {}
    impl<T> Kernels for T {}
}

/// Declares a trait of kernels, each with the generic function that it calls:
///
/// ```text
/// kernels! {
///     /// The kernels of trees.
///     pub trait Kernels {
///         fn count(tree: &Tree<Self>, ball: &Ball<Self>) -> usize = walk::count;
///     }
/// }
/// ```
///
/// With `for scalars` behind the name, kernels are functions of a scalar, whatever the dimension. Inside the macro, `@here` marks types
/// whose kernels are compiled in this crate, `@there` types that use the provided methods.
macro_rules! kernels {
    ($(#[$doc:meta])* pub trait $name:ident for scalars { $($kernels:tt)* }) => {
        $crate::kernels::kernels!(@trait [$(#[$doc])*] $name: Sized, $crate::vector::Scalar; $($kernels)*);
        $crate::kernels::kernels!(@here f32, $name, $($kernels)*);
        #[cfg(feature = "f64")]
        $crate::kernels::kernels!(@here f64, $name, $($kernels)*);
        #[cfg(not(feature = "f64"))]
        impl $name for f64 {}
    };
    ($(#[$doc:meta])* pub trait $name:ident { $($kernels:tt)* }) => {
        $crate::kernels::kernels!(
            @trait [$(#[$doc])*] $name:
            $crate::vector::Vector<Array = Self>, $crate::kernels::Array; $($kernels)*
        );
        $crate::kernels::kernels!(@here [f32; 2], $name, $($kernels)*);
        $crate::kernels::kernels!(@here [f32; 3], $name, $($kernels)*);
        #[cfg(feature = "f64")]
        $crate::kernels::kernels!(@here [f64; 2], $name, $($kernels)*);
        #[cfg(feature = "f64")]
        $crate::kernels::kernels!(@here [f64; 3], $name, $($kernels)*);
        #[cfg(not(feature = "f64"))]
        $crate::kernels::kernels!(@there f64, $name: 2, 3);
        #[cfg(feature = "all_axes")]
        $crate::kernels::kernels!(@here [f32; 1], $name, $($kernels)*);
        #[cfg(feature = "all_axes")]
        $crate::kernels::kernels!(@here [f32; 4], $name, $($kernels)*);
        #[cfg(not(feature = "all_axes"))]
        $crate::kernels::kernels!(@there f32, $name: 1, 4);
        #[cfg(all(feature = "all_axes", feature = "f64"))]
        $crate::kernels::kernels!(@here [f64; 1], $name, $($kernels)*);
        #[cfg(all(feature = "all_axes", feature = "f64"))]
        $crate::kernels::kernels!(@here [f64; 4], $name, $($kernels)*);
        #[cfg(not(all(feature = "all_axes", feature = "f64")))]
        $crate::kernels::kernels!(@there f64, $name: 1, 4);
        $crate::kernels::kernels!(@there f32, $name: 5, 6, 7, 8);
        $crate::kernels::kernels!(@there f64, $name: 5, 6, 7, 8);
    };
    (@trait [$($doc:tt)*] $name:ident: $above:path, $known:path; $(
        $(#[$about:meta])*
        fn $kernel:ident $(<$($life:lifetime),*>)? ($($arg:ident: $type:ty),* $(,)?) $(-> $out:ty)? = $body:path;
    )*) => {
        $($doc)*
        pub trait $name: $above {
            $(
                $(#[$about])*
                #[inline]
                fn $kernel $(<$($life),*>)? ($($arg: $type),*) $(-> $out)?
                where
                    Self: $known,
                {
                    $body($($arg),*)
                }
            )*
        }
    };
    (@here $array:ty, $name:ident, $(
        $(#[$about:meta])*
        fn $kernel:ident $(<$($life:lifetime),*>)? ($($arg:ident: $type:ty),* $(,)?) $(-> $out:ty)? = $body:path;
    )*) => {
        impl $name for $array {
            $(
                // If it were inlined, a small kernel would be compiled again in the caller's crate.
                #[inline(never)]
                fn $kernel $(<$($life),*>)? ($($arg: $type),*) $(-> $out)? {
                    $body($($arg),*)
                }
            )*
        }
    };
    (@there $scalar:ty, $name:ident: $($dim:literal),*) => {
        $(impl $name for [$scalar; $dim] {})*
    };
}
pub(crate) use kernels;
