//! Compressing: moving chosen lanes to the front.

#[cfg(target_arch = "x86_64")]
use fearless_simd::Level;
use fearless_simd::Simd;
#[cfg(target_arch = "x86_64")]
use fearless_simd::{SimdBase, SimdFrom, SimdMask, f64x8, mask32x16, mask64x8, u32x8, u32x16};

#[cfg(target_arch = "x86_64")]
use super::instructions::register;
use super::{LANES, ListWriter, Mask};
use crate::bits::set_bits;

/// Appends the lanes of a mask, in their order. The list must have room for all sixteen.
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
        let mask32 = mask32x16::from_bitmask(token, mask.bits(simd).into());
        let packed = u32x16::load_array_ref(token, lanes).compress(mask32);
        return to.put(packed.into(), mask.count());
    }
    #[cfg(target_arch = "x86_64")]
    if const { register::<S>() == 8 }
        && let Level::Avx2(token) = simd.level()
    {
        let (low, high) = mask.halves(simd);
        let packed = x86::avx2(token, half(lanes, 0), low);
        to.put(packed, low.count_ones() as usize);
        let packed = x86::avx2(token, half(lanes, 1), high);
        return to.put(packed, high.count_ones() as usize);
    }
    plain(lanes, mask.bits(simd), to);
}

/// The lower or the upper eight lanes, taken as a chunk, which is one load.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn half(lanes: &[u32; LANES], half: usize) -> [u32; LANES / 2] {
    lanes.as_chunks().0[half]
}

/// Appends, for each lane of a mask, the lesser and the greater of the lane and another number. The
/// list must have room for all sixteen pairs.
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
        let mask32 = mask32x16::from_bitmask(token, mask.bits(simd).into());
        let packed = u32x16::load_array_ref(token, lanes).compress(mask32);
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
        for (part, bits) in [(0, low), (1, high)] {
            let packed = x86::avx2(token, half(lanes, part), bits);
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

/// A number whose lanes can be compressed.
pub trait Lane: Copy {
    /// Whether compressing takes a few instructions, not some for each lane.
    #[doc(hidden)]
    #[inline(always)]
    fn is_quick<S: Simd>(_simd: S) -> bool {
        cfg!(target_arch = "x86_64") && size_of::<S::f32s>() / size_of::<Self>() >= LANES / 2
    }

    /// Writes the lanes of a mask from `at` on, in their order. The other places of the sixteen from there hold
    /// anything afterwards.
    #[doc(hidden)]
    fn compress<S: Simd>(simd: S, lanes: &[Self; LANES], mask: Mask, to: &mut [Self], at: usize);
}

/// Compresses without a branch: writes every lane, and the next one over it unless it is to stay.
#[inline(always)]
fn plain_squeeze<X: Copy>(lanes: &[X; LANES], mask: u32, to: &mut [X], at: usize) {
    let mut at = at;
    for (i, &lane) in lanes.iter().enumerate() {
        to[at] = lane;
        at += (mask >> i & 1) as usize;
    }
}

impl Lane for u32 {
    #[inline(always)]
    fn compress<S: Simd>(simd: S, lanes: &[u32; LANES], mask: Mask, to: &mut [u32], at: usize) {
        #[cfg(target_arch = "x86_64")]
        if const { register::<S>() == 16 }
            && let Level::Avx512(token) = simd.level()
        {
            let mask = mask32x16::from_bitmask(token, mask.bits(simd).into());
            let packed = u32x16::load_array_ref(token, lanes).compress(mask);
            return packed.store_slice(&mut to[at..at + LANES]);
        }
        #[cfg(target_arch = "x86_64")]
        if const { register::<S>() == 8 }
            && let Level::Avx2(token) = simd.level()
        {
            let (low, high) = mask.halves(simd);
            let middle = at + low.count_ones() as usize;
            let packed = x86::avx2(token, half(lanes, 0), low);
            to[at..at + LANES / 2].copy_from_slice(&packed);
            let packed = x86::avx2(token, half(lanes, 1), high);
            let to = &mut to[middle..middle + LANES / 2];
            return to.copy_from_slice(&packed);
        }
        plain_squeeze(lanes, mask.bits(simd), to, at);
    }
}

/// Moves numbers as bits.
impl Lane for f32 {
    #[inline(always)]
    fn compress<S: Simd>(simd: S, lanes: &[f32; LANES], mask: Mask, to: &mut [f32], at: usize) {
        let (lanes, to) = (bytemuck::cast_ref(lanes), bytemuck::cast_slice_mut(to));
        u32::compress(simd, lanes, mask, to, at);
    }
}

impl Lane for f64 {
    #[inline(always)]
    fn compress<S: Simd>(simd: S, lanes: &[f64; LANES], mask: Mask, to: &mut [f64], at: usize) {
        #[cfg(target_arch = "x86_64")]
        if const { register::<S>() == 16 }
            && let Level::Avx512(token) = simd.level()
        {
            let (low, high) = mask.halves(simd);
            let (first, last) = lanes.split_at(LANES / 2);
            let middle = at + low.count_ones() as usize;
            for (lanes, bits, at) in [(first, low, at), (last, high, middle)] {
                let mask = mask64x8::from_bitmask(token, bits.into());
                let packed = f64x8::from_slice(token, lanes).compress(mask);
                packed.store_slice(&mut to[at..at + LANES / 2]);
            }
            return;
        }
        plain_squeeze(lanes, mask.bits(simd), to, at);
    }
}

/// Appends lanes one by one: little code, for machines without instructions to compress.
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
    };

    use fearless_simd::{SimdFrom, kernel, u32x8};

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
