//! The bits of a mask, one by one.

/// An iterator over the places of the set bits of a mask, the lowest first.
#[derive(Clone, Debug)]
pub(crate) struct SetBits(u64);

#[inline(always)]
pub(crate) fn set_bits(mask: impl Into<u64>) -> SetBits {
    SetBits(mask.into())
}

impl Iterator for SetBits {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let place = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
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
        assert!(set_bits(!0u64).eq(0..64));
    }
}
