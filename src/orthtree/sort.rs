//! Sorting keys, by a library: for 100 000 keys it takes about 10 ns a key, where a radix sort written
//! for these keys took 4. A million points are built as fast with it.

/// Sorts keys, which differ: there is one order.
pub(super) fn sort(keys: &mut [u64]) {
    /// Fewer keys are sorted by comparison.
    #[cfg(feature = "std")]
    const FEW: usize = 1 << 10;
    #[cfg(feature = "std")]
    if keys.len() > FEW {
        return rdst::RadixSort::radix_sort_unstable(keys);
    }
    keys.sort_unstable();
}
