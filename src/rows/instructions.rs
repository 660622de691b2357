//! The instruction sets of the machine. The one place with `unsafe` code.

use core::fmt;

/// A set of vector instructions that this machine has.
///
/// There is no way to name one that it lacks.
///
/// ```
/// use orthant::rows::InstructionSet;
/// assert!(InstructionSet::available().any(|set| set == InstructionSet::best()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InstructionSet(Level);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Level {
    /// What the crate is compiled for: SSE2 on x86-64, NEON on 64-bit Arm, or what `-C target-cpu`
    /// says.
    Baseline,
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    Avx2,
    /// 512 bits wide. Compilers before 1.89 do not know it, and never find it.
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    Avx512,
}

impl InstructionSet {
    /// What the crate was compiled for: SSE2 on x86-64, NEON on 64-bit Arm, unless told otherwise.
    pub const BASELINE: Self = Self(Level::Baseline);

    /// The widest. Without the feature `std` there is no asking the machine, and it is the baseline.
    #[must_use]
    pub fn best() -> Self {
        Self::available().last().unwrap_or(Self::BASELINE)
    }

    /// All that the machine has, narrow to wide.
    pub fn available() -> impl Iterator<Item = Self> {
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        let wide = [
            has_avx2().then_some(Self(Level::Avx2)),
            has_avx512().then_some(Self(Level::Avx512)),
        ];
        #[cfg(not(all(feature = "std", target_arch = "x86_64")))]
        let wide: [Option<Self>; 0] = [];
        core::iter::once(Self::BASELINE).chain(wide.into_iter().flatten())
    }

    /// Its name in a few letters, such as `"AVX-512"`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            Level::Baseline if cfg!(target_arch = "x86_64") => "SSE2",
            Level::Baseline if cfg!(target_arch = "aarch64") => "NEON",
            Level::Baseline => "baseline",
            #[cfg(all(feature = "std", target_arch = "x86_64"))]
            Level::Avx2 => "AVX2",
            #[cfg(all(feature = "std", target_arch = "x86_64"))]
            Level::Avx512 => "AVX-512",
        }
    }

    /// Runs a job that is compiled for these instructions.
    #[inline]
    #[cfg_attr(
        all(feature = "std", target_arch = "x86_64"),
        allow(
            unsafe_code,
            reason = "a function with other instructions than its caller's cannot be called safely"
        )
    )]
    pub(super) fn run<J: Job>(self, job: J) -> J::Output {
        match self.0 {
            Level::Baseline => job.run(),
            #[cfg(all(feature = "std", target_arch = "x86_64"))]
            // SAFETY: the level is private, and made only where `has_avx2` found the instructions.
            Level::Avx2 => unsafe { avx2(job) },
            #[cfg(all(feature = "std", target_arch = "x86_64"))]
            // SAFETY: likewise `has_avx512`.
            Level::Avx512 => unsafe { avx512(job) },
        }
    }
}

impl fmt::Display for InstructionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A loop that is compiled anew for each instruction set.
pub(super) trait Job {
    type Output;

    /// To be `#[inline(always)]`: only what ends up in the caller gets its instructions.
    fn run(self) -> Self::Output;
}

// Some of these bring fused multiply-add along, which changes nothing: the compiler never makes one of
// a product and a sum by itself.

#[cfg(all(feature = "std", target_arch = "x86_64"))]
fn has_avx2() -> bool {
    std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("popcnt")
}

/// # Safety
///
/// The machine has the instructions that [`has_avx2`] looks for.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[allow(
    unsafe_code,
    reason = "the oldest compiler has no safe functions with other instructions"
)]
#[target_feature(enable = "avx2,popcnt")]
unsafe fn avx2<J: Job>(job: J) -> J::Output {
    job.run()
}

#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[rustversion::since(1.89)]
fn has_avx512() -> bool {
    has_avx2()
        && std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512bw")
        && std::arch::is_x86_feature_detected!("avx512dq")
        && std::arch::is_x86_feature_detected!("avx512vl")
}

#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[rustversion::before(1.89)]
fn has_avx512() -> bool {
    false
}

/// # Safety
///
/// The machine has the instructions that [`has_avx512`] looks for.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[allow(
    unsafe_code,
    reason = "the oldest compiler has no safe functions with other instructions"
)]
#[rustversion::attr(
    since(1.89),
    target_feature(enable = "avx2,popcnt,avx512f,avx512bw,avx512dq,avx512vl")
)]
unsafe fn avx512<J: Job>(job: J) -> J::Output {
    job.run()
}
