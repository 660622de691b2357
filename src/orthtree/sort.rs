//! Sorting keys by digits, with the same code with and without the standard library.
//!
//! For 100 000 keys of uniform points it takes 3.6 ns a key, against 10 of `sort_unstable`, 14 of
//! `radsort` and 9 to 11 of `rdst`; `voracious_radix_sort` takes 5, but 12 for clustered points.

use alloc::vec;
use alloc::vec::Vec;

use crate::parallel::join;

/// Fewer keys are sorted by comparison.
const FEW: usize = 1 << 10;

/// More keys are first divided by their highest digit, and then sorted part by part: on several
/// threads, and in the cache.
const MANY: usize = 1 << 17;

/// The bits of the highest digit.
const TOP: u32 = 8;

/// The most bits of a digit. Counters of one digit more would not stay in the nearest cache.
const DIGIT: u32 = 11;

/// Sorts keys. Those that are the same in the `bits` from `low` on lie in order already.
pub(super) fn sort(keys: &mut [u64], low: u32, bits: u32) {
    if keys.len() <= FEW {
        return keys.sort_unstable();
    }
    let mut spare = vec![0; keys.len()];
    if keys.len() <= MANY || bits <= TOP {
        return by_digits(keys, &mut spare, low, bits);
    }
    let rest = bits - TOP;
    let mut ends = count(keys, low + rest, TOP, 1);
    distribute(keys, &mut spare, low + rest, &mut ends);
    parts(&mut spare, keys, &ends, 0, low, rest);
}

/// Sorts parts that end at `ends` less `start`, each of them from `spare` into `keys`.
fn parts(spare: &mut [u64], keys: &mut [u64], ends: &[u32], start: u32, low: u32, bits: u32) {
    if ends.len() > 1 {
        let (first, second) = ends.split_at(ends.len() / 2);
        let middle = first[first.len() - 1];
        let (spare, spares) = spare.split_at_mut((middle - start) as usize);
        let (keys, others) = keys.split_at_mut((middle - start) as usize);
        join(
            || parts(spare, keys, first, start, low, bits),
            || parts(spares, others, second, middle, low, bits),
        );
        return;
    }
    keys.copy_from_slice(spare);
    if keys.len() <= FEW {
        keys.sort_unstable();
    } else {
        by_digits(keys, spare, low, bits);
    }
}

/// From the lowest digit to the highest.
fn by_digits<'a>(mut keys: &'a mut [u64], mut spare: &'a mut [u64], low: u32, bits: u32) {
    let digits = bits.div_ceil(DIGIT);
    let digit = bits.div_ceil(digits.max(1));
    let mut counts = count(keys, low, digit, digits);
    let mut moved = false;
    for (i, counts) in (0..).zip(counts.chunks_exact_mut(1 << digit)) {
        if counts.contains(&(keys.len() as u32)) {
            continue;
        }
        distribute(keys, spare, low + i * digit, counts);
        (keys, spare) = (spare, keys);
        moved = !moved;
    }
    if moved {
        spare.copy_from_slice(keys);
    }
}

/// How often each value of each digit occurs.
fn count(keys: &[u64], low: u32, digit: u32, digits: u32) -> Vec<u32> {
    let size = 1 << digit;
    let mut counts = vec![0; size * digits as usize];
    for (i, counts) in (0..).zip(counts.chunks_exact_mut(size)) {
        for key in keys {
            counts[(key >> (low + i * digit)) as usize & (size - 1)] += 1;
        }
    }
    counts
}

/// Copies keys in the order of a digit, those that are equal in it in their own. Makes of how often
/// values occur where they end.
fn distribute(keys: &[u64], to: &mut [u64], low: u32, counts: &mut [u32]) {
    let mut sum = 0;
    for count in counts.iter_mut() {
        (*count, sum) = (sum, sum + *count);
    }
    let mask = counts.len() - 1;
    for &key in keys {
        let place = &mut counts[(key >> low) as usize & mask];
        to[*place as usize] = key;
        *place += 1;
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::{FEW, MANY, sort};

    /// Sorts keys above twenty bits of an index, and compares.
    fn sorts(many: usize, bits: u32, code: impl Fn(u64) -> u64) {
        let mut keys: Vec<u64> = (0..many as u64).map(|i| code(i) << 20 | i).collect();
        let mut expected = keys.clone();
        expected.sort_unstable();
        sort(&mut keys, 20, bits);
        assert!(keys == expected, "{many} keys of {bits} bits");
    }

    #[test]
    fn sorts_as_by_comparison() {
        for many in [0, 1, 2, FEW, FEW + 1, 5000, MANY, MANY + 1, MANY + 9999] {
            for bits in [1, 8, 9, 11, 12, 23, 40, 42, 44] {
                let scattered = |i: u64| i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - bits);
                sorts(many, bits, scattered);
                sorts(many, bits, |_| (1 << bits) - 1);
                sorts(many, bits, |i| scattered(i) & 1);
                sorts(many, bits, |i| if i == 7 { 0 } else { scattered(i % 3) });
            }
        }
    }
}
