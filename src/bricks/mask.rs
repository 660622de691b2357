//! Masks of 512 bits, eight on each axis: word z, byte y, bit x.

pub(crate) type Mask = [u64; 8];

pub(crate) const NONE: Mask = [0; 8];
pub(crate) const ALL: Mask = [!0; 8];

/// The bits at x = 0, and at x = 7, of a word.
const FIRST: u64 = 0x0101_0101_0101_0101;
const LAST: u64 = FIRST << 7;

/// The place of a voxel or brick in its mask, by the last three bits of its indices.
#[inline(always)]
pub(crate) fn place(at: [i32; 3]) -> usize {
    ((at[2] & 7) << 6 | (at[1] & 7) << 3 | at[0] & 7) as usize
}

/// The indices of a place within its mask.
#[inline(always)]
pub(crate) fn indices(place: usize) -> [i32; 3] {
    [place & 7, place >> 3 & 7, place >> 6].map(|index| index as i32)
}

#[inline(always)]
pub(crate) fn has(mask: &Mask, place: usize) -> bool {
    mask[place >> 6] >> (place & 63) & 1 != 0
}

#[inline(always)]
pub(crate) fn set(mask: &mut Mask, place: usize) {
    mask[place >> 6] |= 1 << (place & 63);
}

#[inline(always)]
pub(crate) fn unset(mask: &mut Mask, place: usize) {
    mask[place >> 6] &= !(1 << (place & 63));
}

#[inline(always)]
pub(crate) fn count(mask: &Mask) -> u32 {
    mask.iter().map(|word| word.count_ones()).sum()
}

/// The number of bits below a place.
#[inline(always)]
pub(crate) fn rank(mask: &Mask, place: usize) -> usize {
    let (words, bit) = (&mask[..place >> 6], place & 63);
    let whole: u32 = words.iter().map(|word| word.count_ones()).sum();
    (whole + (mask[place >> 6] & ((1 << bit) - 1)).count_ones()) as usize
}

#[inline(always)]
pub(crate) fn is_empty(mask: &Mask) -> bool {
    mask.iter().fold(0, |any, word| any | word) == 0
}

/// Two masks combined word by word.
#[inline(always)]
pub(crate) fn zip(a: &Mask, b: &Mask, f: impl Fn(u64, u64) -> u64) -> Mask {
    crate::simd::from_fn(|i| f(a[i], b[i]))
}

#[inline(always)]
pub(crate) fn or(a: &Mask, b: &Mask) -> Mask {
    zip(a, b, |a, b| a | b)
}

#[inline(always)]
pub(crate) fn and(a: &Mask, b: &Mask) -> Mask {
    zip(a, b, |a, b| a & b)
}

#[inline(always)]
pub(crate) fn less(a: &Mask, b: &Mask) -> Mask {
    zip(a, b, |a, b| a & !b)
}

#[inline(always)]
pub(crate) fn not(a: &Mask) -> Mask {
    a.map(|word| !word)
}

/// The places that are set, ascending.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    mask: Mask,
    word: usize,
}

#[inline]
pub(crate) fn places(mask: Mask) -> Places {
    Places { mask, word: 0 }
}

impl Iterator for Places {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.word < 8 {
            let bits = self.mask[self.word];
            if bits != 0 {
                self.mask[self.word] = bits & (bits - 1);
                return Some(self.word << 6 | bits.trailing_zeros() as usize);
            }
            self.word += 1;
        }
        None
    }
}

/// The voxels of the brick at an offset (each -1, 0 or 1) that are at most one step, along at most
/// `axes` axes at once, from a voxel of this one.
#[inline]
pub(crate) fn reach(mask: &Mask, offset: [i32; 3], axes: usize) -> Mask {
    // The voxels reached, by the number of axes along which a step was taken.
    let mut steps = [NONE; 4];
    steps[0] = *mask;
    for (axis, by) in offset.into_iter().enumerate() {
        for taken in (0..=axes.min(axis + 1)).rev() {
            let stays = if by == 0 { steps[taken] } else { NONE };
            let goes = match taken {
                0 => NONE,
                _ => step(&steps[taken - 1], axis, by),
            };
            steps[taken] = or(&stays, &goes);
        }
    }
    steps[..=axes].iter().fold(NONE, |all, mask| or(&all, mask))
}

/// The voxels one step further along an axis, in the brick that is `by` bricks further.
#[inline(always)]
fn step(mask: &Mask, axis: usize, by: i32) -> Mask {
    match (axis, by) {
        (0, 0) => mask.map(|word| word << 1 & !FIRST | word >> 1 & !LAST),
        (0, 1) => mask.map(|word| word >> 7 & FIRST),
        (0, _) => mask.map(|word| word << 7 & LAST),
        (1, 0) => mask.map(|word| word << 8 | word >> 8),
        (1, 1) => mask.map(|word| word >> 56),
        (1, _) => mask.map(|word| word << 56),
        (_, 0) => crate::simd::from_fn(|z| {
            let below = if z > 0 { mask[z - 1] } else { 0 };
            below | mask.get(z + 1).copied().unwrap_or(0)
        }),
        (_, 1) => crate::simd::from_fn(|z| if z == 0 { mask[7] } else { 0 }),
        (_, _) => crate::simd::from_fn(|z| if z == 7 { mask[0] } else { 0 }),
    }
}

/// The part of a mask that can be reached from some of its voxels.
#[inline]
pub(crate) fn flood(mask: &Mask, mut part: Mask, axes: usize) -> Mask {
    loop {
        let next = and(mask, &or(&part, &reach(&part, [0; 3], axes)));
        if next == part {
            return part;
        }
        part = next;
    }
}

/// Transposes eight words as a matrix of bytes.
#[inline(always)]
pub(crate) fn transposed(mut rows: [u64; 8]) -> [u64; 8] {
    const HALVES: [(usize, u64); 3] = [
        (4, 0x0000_0000_FFFF_FFFF),
        (2, 0x0000_FFFF_0000_FFFF),
        (1, 0x00FF_00FF_00FF_00FF),
    ];
    for (step, low) in HALVES {
        for i in (0..8).filter(|i| i & step == 0) {
            let (a, b) = (rows[i], rows[i + step]);
            rows[i] = a & low | (b & low) << (8 * step);
            rows[i + step] = a >> (8 * step) & low | b & !low;
        }
    }
    rows
}
