//! The instruction sets of the machine.

use core::fmt;

use fearless_simd::{Level, Simd};

/// A set of vector instructions that this machine has.
///
/// A set that the machine lacks cannot be named.
///
/// ```
/// use orthant::InstructionSet;
/// assert!(InstructionSet::available().any(|set| set == InstructionSet::best()));
/// ```
#[derive(Clone, Copy)]
pub struct InstructionSet(Level);

impl fmt::Debug for InstructionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl InstructionSet {
    /// The instructions that the crate was compiled for: SSE2 on x86-64, NEON on 64-bit Arm, unless told otherwise.
    pub const BASELINE: Self = Self(Level::baseline());

    /// The widest set. Without the feature `std` the machine's sets cannot be detected, and it is the baseline.
    #[must_use]
    pub fn best() -> Self {
        Level::try_detect().map_or(Self::BASELINE, Self)
    }

    /// All sets that the machine has, from the baseline to the widest.
    pub fn available() -> impl Iterator<Item = Self> {
        let best = Self::best();
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        let between = best.0.as_avx2().map(|simd| Self(simd.level()));
        #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
        let between: Option<Self> = None;
        let between = between.filter(|&set| set != best);
        let wider = between.into_iter().chain([best]);
        core::iter::once(Self::BASELINE).chain(wider.filter(|&set| set != Self::BASELINE))
    }

    /// Its name in a few letters, such as `"AVX-512"`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(target_arch = "aarch64")]
            Level::Neon(_) => "NEON",
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Level::WasmSimd128(_) => "SIMD128",
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Level::Sse2(_) => "SSE2",
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Level::Sse4_2(_) => "SSE4.2",
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Level::Avx2(_) => "AVX2",
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Level::Avx512(_) => "AVX-512",
            _ => "portable",
        }
    }

    #[inline(always)]
    pub(crate) fn level(self) -> Level {
        self.0
    }

    /// Returns true if `run!(wide(set), …)` runs its call for this set.
    #[inline]
    pub(crate) fn is_wide(self) -> bool {
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        return matches!(self.0, Level::Avx2(_) | Level::Avx512(_));
        #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
        true
    }
}

/// Compiles a call for each instruction set, and runs the version of a set: `run!(set, |simd| count(simd, words))`.
///
/// * `run!(up_to_avx2(set), …)` makes no version for AVX-512: where that would gain less than a tenth, it is not worth a third of
///   the time of compiling.
/// * `run!(wide(set), …)` is for a call that has an alternative. It returns `None` on x86-64 machines without AVX2 (those from
///   before 2013). There sixteen numbers take four registers or eight, and the code for that would take half of the time of
///   compiling a call for all instruction sets.
///
/// The called function has to be `#[inline(always)]`, and so has all that it calls, closures too: only code that is
/// inlined into the caller gets its instructions.
macro_rules! run {
    (with $simd:ident, $call:expr) => {
        fearless_simd::Simd::vectorize(
            $simd,
            #[inline(always)]
            || $call,
        )
    };
    (up_to_avx2($set:expr), |$simd:ident| $call:expr) => {{
        let set: $crate::simd::InstructionSet = $set;
        // The library's `dispatch!` would make a copy for SSE4.2 too. The crate also compiles for x86-64 targets without SSE2.
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        {
            if let Some($simd) = set.level().as_avx2() {
                $crate::simd::run!(with $simd, $call)
            } else {
                let $simd = set.level().as_sse2().expect("the target has SSE2");
                // Out of line: it would be inlined into the caller, and optimized with it again.
                $crate::simd::out_of_line(
                    #[inline(always)]
                    || $call,
                )
            }
        }
        #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
        {
            fearless_simd::dispatch!(set.level(), $simd => $call)
        }
    }};
    (wide($set:expr), |$simd:ident| $call:expr) => {{
        let set: $crate::simd::InstructionSet = $set;
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        {
            match set.level() {
                fearless_simd::Level::Avx512($simd) => Some($crate::simd::run!(with $simd, $call)),
                fearless_simd::Level::Avx2($simd) => Some($crate::simd::run!(with $simd, $call)),
                _ => None,
            }
        }
        #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
        {
            Some($crate::simd::run!(set, |$simd| $call))
        }
    }};
    ($set:expr, |$simd:ident| $call:expr) => {{
        let set: $crate::simd::InstructionSet = $set;
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        {
            if let Some($simd) = set.level().as_avx512() {
                $crate::simd::run!(with $simd, $call)
            } else {
                $crate::simd::run!(up_to_avx2(set), |$simd| $call)
            }
        }
        #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
        {
            $crate::simd::run!(up_to_avx2(set), |$simd| $call)
        }
    }};
}
pub(crate) use run;

/// Calls a closure in a function of its own, with the instructions of the caller, if debug assertions are on. Without optimization, each
/// function that is inlined has a place of its own on the stack of its caller, and a search would need megabytes. The closure has to be
/// `#[inline(always)]`.
#[inline(always)]
pub(crate) fn outlined_in_debug<S: Simd, T>(simd: S, call: impl FnOnce() -> T) -> T {
    if cfg!(debug_assertions) {
        simd.vectorize(call)
    } else {
        call()
    }
}

/// Calls a closure in a function of its own, with the instructions of the caller: for code that many kernels share. The closure has to be
/// `#[inline(always)]`.
#[inline(never)]
pub(crate) fn outlined<S: Simd, T>(simd: S, call: impl FnOnce() -> T) -> T {
    simd.vectorize(call)
}

/// Calls a closure without inlining it.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[inline(never)]
pub(crate) fn out_of_line<T>(call: impl FnOnce() -> T) -> T {
    call()
}

impl PartialEq for InstructionSet {
    fn eq(&self, other: &Self) -> bool {
        core::mem::discriminant(&self.0) == core::mem::discriminant(&other.0)
    }
}

impl Eq for InstructionSet {}

impl fmt::Display for InstructionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The numbers of 32 bits that a register holds, known at compile time, so that code for other instructions is
/// left out. On x86-64 it is 16 for AVX-512 and 8 for AVX2.
pub(super) const fn register<S: Simd>() -> usize {
    size_of::<S::f32s>() / size_of::<f32>()
}

/// Returns true if `run!(wide(set), …)` runs calls with these instructions; known at compile time.
pub(crate) const fn runs_wide<S: Simd>() -> bool {
    !cfg!(all(target_arch = "x86_64", target_feature = "sse2")) || register::<S>() > 4
}
