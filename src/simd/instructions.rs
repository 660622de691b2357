//! The instruction sets of the machine.

use core::fmt;

use fearless_simd::{Level, Simd};

/// A set of vector instructions that this machine has.
///
/// There is no way to name one that it lacks.
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

    /// The widest. Without the feature `std` there is no asking the machine, and it is the baseline.
    #[must_use]
    pub fn best() -> Self {
        Level::try_detect().map_or(Self::BASELINE, Self)
    }

    /// All that the machine has, from the baseline to the widest.
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

    /// Whether [`run_wide!`] runs anything.
    #[inline]
    pub(crate) fn is_wide(self) -> bool {
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        return matches!(self.0, Level::Avx2(_) | Level::Avx512(_));
        #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
        true
    }
}

/// Runs a call that is compiled for each instruction set, `run!(set, |simd| count(simd, words))`, by those of the set.
///
/// The function that is called has to be `#[inline(always)]`, with all that it calls: only code that ends up in the caller
/// gets its instructions. Closures have to be marked too.
macro_rules! run {
    ($set:expr, |$simd:ident| $call:expr) => {{
        let set: $crate::simd::InstructionSet = $set;
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        {
            if let Some($simd) = set.level().as_avx512() {
                fearless_simd::Simd::vectorize(
                    $simd,
                    #[inline(always)]
                    || $call,
                )
            } else {
                $crate::simd::run_up_to_avx2!(set, |$simd| $call)
            }
        }
        #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
        {
            fearless_simd::dispatch!(set.level(), $simd => $call)
        }
    }};
}

/// Runs a call with at most AVX2, where AVX-512 would gain less than a tenth and take a third of the time of compiling.
///
/// The library's `dispatch!` would make a copy for SSE4.2 too. The crate also compiles for x86-64 targets without SSE2.
macro_rules! run_up_to_avx2 {
    ($set:expr, |$simd:ident| $call:expr) => {{
        let set: $crate::simd::InstructionSet = $set;
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        {
            if let Some($simd) = set.level().as_avx2() {
                fearless_simd::Simd::vectorize(
                    $simd,
                    #[inline(always)]
                    || $call,
                )
            } else {
                let $simd = set.level().as_sse2().expect("the target has SSE2");
                // Apart: it would be inlined into the caller, and optimized with it again.
                $crate::simd::apart(
                    #[inline(always)]
                    || $call,
                )
            }
        }
        #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
        {
            $crate::simd::run!(set, |$simd| $call)
        }
    }};
}

/// Runs a call for which there is another way on x86-64 machines without AVX2 (those from before 2013), where it returns `None`:
/// sixteen numbers take four registers or eight there, and the code for that takes half of the time of compiling a call for all
/// instruction sets.
macro_rules! run_wide {
    ($set:expr, |$simd:ident| $call:expr) => {{
        let set: $crate::simd::InstructionSet = $set;
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        {
            match set.level() {
                fearless_simd::Level::Avx512($simd) => Some(fearless_simd::Simd::vectorize(
                    $simd,
                    #[inline(always)]
                    || $call,
                )),
                fearless_simd::Level::Avx2($simd) => Some(fearless_simd::Simd::vectorize(
                    $simd,
                    #[inline(always)]
                    || $call,
                )),
                _ => None,
            }
        }
        #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
        {
            Some($crate::simd::run!(set, |$simd| $call))
        }
    }};
}

pub(crate) use {run, run_up_to_avx2, run_wide};

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[inline(never)]
pub(crate) fn apart<T>(call: impl FnOnce() -> T) -> T {
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

/// The numbers of 32 bits that a register holds: known when a job is compiled, and asked where code for
/// other instructions is to be left out at once. On x86-64, 16 for AVX-512 and 8 for AVX2.
pub(super) const fn register<S: Simd>() -> usize {
    size_of::<S::f32s>() / size_of::<f32>()
}

/// Whether these are instructions that [`run_wide!`] runs: known when a job is compiled.
pub(crate) const fn is_wide<S: Simd>() -> bool {
    !cfg!(all(target_arch = "x86_64", target_feature = "sse2")) || register::<S>() > 4
}
