//! Moving the chosen lanes to the front.

#[cfg(target_arch = "x86_64")]
use fearless_simd::Level;
use fearless_simd::Simd;
#[cfg(target_arch = "x86_64")]
use fearless_simd::{SimdBase, SimdFrom, u32x8, u32x16};

use super::instructions::register;
use super::{LANES, ListWriter, Mask};
use crate::bits::set_bits;

/// Appends the lanes of a mask, in their order. There is to be room for all sixteen.
#[inline(always)]
pub(crate) fn compress<S: Simd>(
    simd: S,
    lanes: &[u32; LANES],
    mask: Mask,
    to: &mut ListWriter<'_>,
) {
    #[cfg(target_arch = "x86_64")]
    if const { register::<S>() == 16 }
        && let Level::Avx512(token) = simd.level()
    {
        let packed = x86::avx512(token, lanes, mask.bits(simd) as u16);
        return to.put(packed, mask.count());
    }
    #[cfg(target_arch = "x86_64")]
    if const { register::<S>() == 8 }
        && let Level::Avx2(token) = simd.level()
    {
        let (low, high) = mask.halves(simd);
        let packed = x86::avx2(token, half(lanes, 0), low);
        to.put(packed, low.count_ones() as usize);
        let packed = x86::avx2(token, half(lanes, LANES / 2), high);
        return to.put(packed, high.count_ones() as usize);
    }
    plain(lanes, mask.bits(simd), to);
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn half(lanes: &[u32; LANES], first: usize) -> [u32; LANES / 2] {
    core::array::from_fn(|i| lanes[first + i])
}

/// Appends, for each lane of a mask, the lesser and the greater of the lane and another number. There
/// is to be room for all sixteen pairs.
#[inline(always)]
pub(crate) fn pairs<S: Simd>(
    simd: S,
    lanes: &[u32; LANES],
    mask: Mask,
    other: u32,
    to: &mut ListWriter<'_>,
) {
    #[cfg(target_arch = "x86_64")]
    if const { register::<S>() == 16 }
        && let Level::Avx512(token) = simd.level()
    {
        let packed = x86::avx512(token, lanes, mask.bits(simd) as u16);
        let packed = u32x16::simd_from(token, packed);
        let (lesser, greater) = (packed.min(other), packed.max(other));
        let (many, half) = (2 * mask.count(), LANES);
        to.put::<LANES>(lesser.zip_low(greater).into(), many.min(half));
        if many > half {
            to.put::<LANES>(lesser.zip_high(greater).into(), many - half);
        }
        return;
    }
    #[cfg(target_arch = "x86_64")]
    if const { register::<S>() == 8 }
        && let Level::Avx2(token) = simd.level()
    {
        let (low, high) = mask.halves(simd);
        for (first, bits) in [(0, low), (LANES / 2, high)] {
            let packed = x86::avx2(token, half(lanes, first), bits);
            let packed = u32x8::simd_from(token, packed);
            let (lesser, greater) = (packed.min(other), packed.max(other));
            let (many, half) = (2 * bits.count_ones() as usize, LANES / 2);
            to.put::<8>(lesser.zip_low(greater).into(), many.min(half));
            if many > half {
                to.put::<8>(lesser.zip_high(greater).into(), many - half);
            }
        }
        return;
    }
    for lane in set_bits(mask.bits(simd)) {
        let lane = lanes[lane % LANES];
        to.put([lane.min(other), lane.max(other)], 2);
    }
}

/// A number whose chosen lanes can be moved together.
pub trait Lane: Copy {
    /// Whether that takes a few instructions, not some for each lane.
    #[doc(hidden)]
    fn is_quick<S: Simd>(simd: S) -> bool;

    /// Writes the lanes of a mask from `at` on, in their order, and anything in what is left of the
    /// sixteen places from there.
    #[doc(hidden)]
    fn squeeze<S: Simd>(simd: S, lanes: &[Self; LANES], mask: Mask, to: &mut [Self], at: usize);
}

/// Without a branch: every lane is written, and overwritten by the next unless it is to stay.
#[inline(always)]
fn plain_squeeze<X: Copy>(lanes: &[X; LANES], mask: u32, to: &mut [X], at: usize) {
    let mut at = at;
    for (i, &lane) in lanes.iter().enumerate() {
        to[at] = lane;
        at += (mask >> i & 1) as usize;
    }
}

macro_rules! lane_of_32_bits {
    ($lane:ty, $to_bits:path, $from_bits:path) => {
        impl Lane for $lane {
            #[inline(always)]
            fn is_quick<S: Simd>(simd: S) -> bool {
                #[cfg(target_arch = "x86_64")]
                return matches!(simd.level(), Level::Avx2(_) | Level::Avx512(_));
                #[cfg(not(target_arch = "x86_64"))]
                {
                    let _ = simd;
                    false
                }
            }

            #[inline(always)]
            fn squeeze<S: Simd>(
                simd: S,
                lanes: &[$lane; LANES],
                mask: Mask,
                to: &mut [$lane],
                at: usize,
            ) {
                #[cfg(target_arch = "x86_64")]
                if const { register::<S>() == 16 }
                    && let Level::Avx512(token) = simd.level()
                {
                    let bits = lanes.map($to_bits);
                    let packed = x86::avx512(token, &bits, mask.bits(simd) as u16);
                    return to[at..at + LANES].copy_from_slice(&packed.map($from_bits));
                }
                #[cfg(target_arch = "x86_64")]
                if const { register::<S>() == 8 }
                    && let Level::Avx2(token) = simd.level()
                {
                    let bits = lanes.map($to_bits);
                    let (low, high) = mask.halves(simd);
                    let middle = at + low.count_ones() as usize;
                    let packed = x86::avx2(token, half(&bits, 0), low);
                    to[at..at + LANES / 2].copy_from_slice(&packed.map($from_bits));
                    let packed = x86::avx2(token, half(&bits, LANES / 2), high);
                    let to = &mut to[middle..middle + LANES / 2];
                    return to.copy_from_slice(&packed.map($from_bits));
                }
                plain_squeeze(lanes, mask.bits(simd), to, at);
            }
        }
    };
}

lane_of_32_bits!(u32, u32::from, u32::from);
lane_of_32_bits!(f32, f32::to_bits, f32::from_bits);

impl Lane for f64 {
    #[inline(always)]
    fn is_quick<S: Simd>(simd: S) -> bool {
        #[cfg(target_arch = "x86_64")]
        return matches!(simd.level(), Level::Avx512(_));
        #[cfg(not(target_arch = "x86_64"))]
        {
            let _ = simd;
            false
        }
    }

    #[inline(always)]
    fn squeeze<S: Simd>(simd: S, lanes: &[f64; LANES], mask: Mask, to: &mut [f64], at: usize) {
        #[cfg(target_arch = "x86_64")]
        if const { register::<S>() == 16 }
            && let Level::Avx512(token) = simd.level()
        {
            let (low, high) = mask.halves(simd);
            let (first, last) = lanes.split_at(LANES / 2);
            let packed = x86::avx512_f64(token, first, low as u8);
            to[at..at + LANES / 2].copy_from_slice(&packed);
            let middle = at + low.count_ones() as usize;
            let packed = x86::avx512_f64(token, last, high as u8);
            return to[middle..middle + LANES / 2].copy_from_slice(&packed);
        }
        plain_squeeze(lanes, mask.bits(simd), to, at);
    }
}

/// One after the other, which is a little code: this is for machines from before 2013.
#[inline(always)]
fn plain(lanes: &[u32; LANES], mask: u32, to: &mut ListWriter<'_>) {
    for lane in set_bits(mask) {
        to.put([lanes[lane % LANES]], 1);
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use core::arch::x86_64::{
        __m256i, _mm_cvtsi64_si128, _mm256_cvtepu8_epi32, _mm256_permutevar8x32_epi32,
        _mm512_maskz_compress_epi32, _mm512_maskz_compress_pd,
    };

    use fearless_simd::{SimdBase, SimdFrom, f64x8, kernel, u32x8, u32x16};

    use super::LANES;

    kernel! {
        #[inline(always)]
        pub(super) fn avx512(token: Avx512, lanes: &[u32; LANES], mask: u16) -> [u32; LANES] {
            let lanes = u32x16::simd_from(token, *lanes);
            u32x16::simd_from(token, _mm512_maskz_compress_epi32(mask, lanes.into())).into()
        }
    }

    kernel! {
        /// The same of eight.
        #[inline(always)]
        pub(super) fn avx512_f64(token: Avx512, lanes: &[f64], mask: u8) -> [f64; LANES / 2] {
            let lanes = f64x8::from_slice(token, lanes);
            f64x8::simd_from(token, _mm512_maskz_compress_pd(mask, lanes.into())).into()
        }
    }

    /// For each byte, the places of its ones.
    static PLACES: [[u8; 8]; 256] = {
        let mut places = [[0; 8]; 256];
        let mut byte = 0;
        while byte < 256 {
            let (mut bit, mut found) = (0, 0);
            while bit < 8 {
                if byte >> bit & 1 == 1 {
                    places[byte][found] = bit;
                    found += 1;
                }
                bit += 1;
            }
            byte += 1;
        }
        places
    };

    kernel! {
        #[inline(always)]
        pub(super) fn avx2(token: Avx2, lanes: [u32; 8], mask: u32) -> [u32; 8] {
            let places = i64::from_le_bytes(PLACES[mask as usize & 255]);
            let places: __m256i = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(places));
            let lanes = u32x8::simd_from(token, lanes);
            u32x8::simd_from(token, _mm256_permutevar8x32_epi32(lanes.into(), places)).into()
        }
    }
}
