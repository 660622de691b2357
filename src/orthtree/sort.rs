//! Sorting keys, by a library: about 5 ns a key.

/// A code above an index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key(pub(super) u64);

/// Sorts keys, which differ: there is one order.
pub(super) fn sort(keys: &mut [Key]) {
    /// Fewer keys are sorted by comparison.
    #[cfg(feature = "std")]
    const FEW: usize = 1 << 10;
    #[cfg(feature = "std")]
    if keys.len() > FEW {
        rdst::RadixSort::radix_sort_unstable(keys);
        let like = |a: &Key, b: &Key| a.0 >> SKIPPED == b.0 >> SKIPPED;
        let runs = keys.chunk_by_mut(like).filter(|run| run.len() > 1);
        return runs.for_each(<[Key]>::sort_unstable);
    }
    keys.sort_unstable();
}

/// The lowest bits, which most often are part of an index. Without them the sort takes two thirds of
/// its time, and the few keys that differ only there are sorted afterwards.
#[cfg(feature = "std")]
const SKIPPED: usize = 16;

#[cfg(feature = "std")]
impl rdst::RadixKey for Key {
    const LEVELS: usize = (64 - SKIPPED) / 8;

    #[inline]
    fn get_level(&self, level: usize) -> u8 {
        (self.0 >> (SKIPPED + 8 * level)) as u8
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::{Key, sort};

    #[test]
    fn keys_are_sorted_whatever_their_bits() {
        let mixed = |i: u64| i.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        for many in [0, 1, 1000, 5000] {
            for (up, down) in [(0, 0), (0, 40), (40, 20), (20, 50)] {
                let keys = (0..many).map(|i| Key(mixed(i) >> down << up | i));
                let mut keys: Vec<Key> = keys.collect();
                let mut sorted: Vec<u64> = keys.iter().map(|key| key.0).collect();
                sorted.sort_unstable();
                sort(&mut keys);
                assert!(keys.iter().map(|key| key.0).eq(sorted));
            }
        }
    }
}
