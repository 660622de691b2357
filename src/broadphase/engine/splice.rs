//! A sorted list of pairs brought up to date where it lies, when few of them changed: a copy of it
//! would be most of the step.

use alloc::vec::Vec;

use super::lists::{key, pairs_of};

/// Pairs that stay, and how far they go.
struct Run {
    from: usize,
    to: usize,
    by: isize,
}

/// Takes out of the list what ended, all of which is in it, and puts in what began. All are sorted; a
/// pair that ended and began stays.
pub(super) fn splice(list: &mut Vec<u32>, begun: &[u32], ended: &[u32]) {
    let (begun, ended) = (pairs_of(begun), pairs_of(ended));
    let mut runs = Vec::with_capacity(begun.len() + ended.len() + 1);
    // Where those that began come to be.
    let mut places = Vec::with_capacity(begun.len());
    let pairs = pairs_of(list);
    let len = pairs.len();
    let (mut from, mut by, mut b, mut e) = (0, 0isize, 0, 0);
    while b < begun.len() || e < ended.len() {
        let begins = begun.get(b).map_or(u64::MAX, |&pair| key(pair));
        let ends = ended.get(e).map_or(u64::MAX, |&pair| key(pair));
        let to = from + before(&pairs[from..], begins.min(ends));
        runs.push(Run { from, to, by });
        from = to;
        if begins <= ends {
            places.push(to.wrapping_add_signed(by));
            by += 1;
            b += 1;
        }
        if ends <= begins {
            from += 1;
            by -= 1;
            e += 1;
        }
    }
    runs.push(Run { from, to: len, by });
    let new_len = len.wrapping_add_signed(by);
    list.resize(2 * len.max(new_len), 0);
    let pairs = list.as_chunks_mut::<2>().0;
    let mut first = 0;
    while let Some(run) = runs.get(first) {
        // What goes back goes in order; what goes on, the last first. A run that goes back or stays
        // lies behind the new places of all that are before it.
        let last = if run.by > 0 {
            let ahead = runs[first..].iter().take_while(|run| run.by > 0);
            first + ahead.count()
        } else {
            first + 1
        };
        for run in runs[first..last].iter().rev() {
            pairs.copy_within(run.from..run.to, run.from.wrapping_add_signed(run.by));
        }
        first = last;
    }
    for (place, &pair) in places.into_iter().zip(begun) {
        pairs[place] = pair;
    }
    list.truncate(2 * new_len);
}

/// How many pairs of a sorted list are less than a key: by leaps that double.
fn before(pairs: &[[u32; 2]], next: u64) -> usize {
    let mut leap = 16;
    while pairs.get(leap).is_some_and(|&pair| key(pair) < next) {
        leap *= 2;
    }
    let low = if leap == 16 { 0 } else { leap / 2 };
    let some = &pairs[low..pairs.len().min(leap)];
    low + some.partition_point(|&pair| key(pair) < next)
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;
    use alloc::vec::Vec;

    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    use super::splice;

    /// Sets of pairs as flat lists.
    fn flat(pairs: &BTreeSet<[u32; 2]>) -> Vec<u32> {
        pairs.iter().copied().flatten().collect()
    }

    #[test]
    fn what_began_is_in_and_what_ended_is_out() {
        let random = &mut SmallRng::seed_from_u64(3);
        let mut pairs = BTreeSet::new();
        let mut list = Vec::new();
        for step in 0..400 {
            let (mut begun, mut ended) = (BTreeSet::new(), BTreeSet::new());
            // Now more begin, now more end, some at the ends of the list.
            for _ in 0..random.random_range(0..20) {
                let pair = [random.random_range(0..30), random.random_range(0..30)];
                if pairs.contains(&pair) && (step / 40 % 2 == 1 || random.random()) {
                    ended.insert(pair);
                } else if !pairs.contains(&pair) && (step / 40 % 2 == 0 || random.random()) {
                    begun.insert(pair);
                }
            }
            let stays = pairs.iter().nth(step % 7).copied();
            let reborn = stays.filter(|pair| step % 5 == 0 && !ended.contains(pair));
            pairs.retain(|pair| !ended.contains(pair));
            pairs.extend(&begun);
            begun.extend(reborn);
            ended.extend(reborn);
            splice(&mut list, &flat(&begun), &flat(&ended));
            assert_eq!(list, flat(&pairs), "step {step}");
        }
        assert!(pairs.len() > 50);
    }
}
