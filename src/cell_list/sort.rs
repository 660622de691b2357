//! Sorting by the keys of cells: by a library, where there are many.

/// The key of a cell in two halves, and a point in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    high: u64,
    low: u64,
    pub(super) index: u32,
}

impl Key {
    #[inline(always)]
    pub(super) fn new(cell: u128, index: u32) -> Self {
        Self {
            high: (cell >> 64) as u64,
            low: cell as u64,
            index,
        }
    }

    #[inline(always)]
    pub(super) fn cell(self) -> u128 {
        u128::from(self.high) << 64 | u128::from(self.low)
    }
}

/// Sorts keys, which differ: there is one order.
pub(super) fn sort(keys: &mut [Key]) {
    /// Fewer keys are sorted by comparison.
    #[cfg(feature = "std")]
    const FEW: usize = 1 << 10;
    #[cfg(feature = "std")]
    if keys.len() > FEW {
        rdst::RadixSort::radix_sort_unstable(keys);
        let like = |a: &Key, b: &Key| (a.high, a.low) == (b.high, b.low);
        let runs = keys.chunk_by_mut(like).filter(|run| run.len() > 1);
        return runs.for_each(<[Key]>::sort_unstable);
    }
    keys.sort_unstable();
}

#[cfg(feature = "std")]
impl rdst::RadixKey for Key {
    const LEVELS: usize = 16;

    #[inline]
    fn get_level(&self, level: usize) -> u8 {
        let half = if level < 8 { self.low } else { self.high };
        (half >> (8 * (level % 8))) as u8
    }
}
