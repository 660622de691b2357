//! The bits of a mask, one by one.

/// A mask whose bits can be taken from the lowest on.
pub(crate) trait Bits: Copy {
    /// The place of the lowest bit that is set, and the mask without it.
    fn take_lowest(self) -> Option<(usize, Self)>;
}

macro_rules! bits {
    ($($mask:ty)*) => { $(
        impl Bits for $mask {
            #[inline(always)]
            fn take_lowest(self) -> Option<(usize, Self)> {
                if self == 0 {
                    return None;
                }
                Some((self.trailing_zeros() as usize, self & (self - 1)))
            }
        }
    )* };
}

bits!(u16 u32 u64 u128);

/// The places of the bits of a mask that are set, the lowest first.
#[derive(Clone, Debug)]
pub(crate) struct SetBits<M>(M);

#[inline(always)]
pub(crate) fn set_bits<M: Bits>(mask: M) -> SetBits<M> {
    SetBits(mask)
}

impl<M: Bits> Iterator for SetBits<M> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let (place, rest) = self.0.take_lowest()?;
        self.0 = rest;
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::set_bits;

    #[test]
    fn set_bits_come_in_order() {
        assert!(set_bits(0u32).next().is_none());
        assert!(set_bits(0b1001_0010u16).eq([1, 4, 7]));
        assert!(set_bits(1 << 63 | 1u64).eq([0, 63]));
        assert!(set_bits(!0u128).eq(0..128));
    }
}
