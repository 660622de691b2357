//! Sixteen numbers at a time, with the best instructions of the machine.
//!
//! Each call by [`run!`] is compiled once for each instruction set, and the set is chosen at run time.
//! Multiplications and additions are never fused, so that every lane has the bits of the scalar
//! expression.
//!
//! The sets and their operations come from `fearless_simd`. Only [`compress`] is our own: with it,
//! collecting the answers of a query takes a half to a third of the time on AVX2.

mod compress;
mod instructions;
mod list;
mod mask;
mod wide;

pub(crate) use compress::{Lane, compress, pairs};
pub use instructions::InstructionSet;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub(crate) use instructions::out_of_line;
pub(crate) use instructions::{outlined, outlined_in_debug, run, runs_wide};
pub(crate) use list::{ArrayVec, ListWriter};
pub(crate) use mask::Mask;
pub(crate) use wide::{Wide, arithmetic};

/// The numbers that are compared together: a cache line of `f32`.
pub(crate) const LANES: usize = 16;

/// One number of each of sixteen items. Aligned, since a load across two cache lines takes twice the
/// time.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct Column<S>(pub(crate) [S; LANES]);

/// `core::array::from_fn` for `Copy` types, as a plain loop: a fifth of the code to compile, and
/// it is called in some hundred places.
#[inline(always)]
pub(crate) fn from_fn<T: Copy, const N: usize>(mut f: impl FnMut(usize) -> T) -> [T; N] {
    let mut all = [f(0); N];
    let mut i = 1;
    while i < N {
        all[i] = f(i);
        i += 1;
    }
    all
}
