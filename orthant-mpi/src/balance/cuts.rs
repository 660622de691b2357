//! Finds the keys at which to cut columns of keys, spread over all ranks, so that a given weight lies before each cut.
//!
//! ```text
//! each cut lies between two keys, the ends of its interval
//! until every cut is near enough, or between two keys that follow each other:
//!     up to 15 keys between the ends are named, the same on all ranks
//!     the weight and the number of points before each are added up over all ranks
//!     the interval becomes the one of 16 in which the cut lies; points beside it are dropped
//! ```
//!
//! Cuts are exact, not sampled: with S samples a rank, shares would be off by `sqrt(2 ln P / S)`. This takes at most 16 reductions of 240 bytes
//! a cut, all cuts of a level in one; about 5 if the previous cut is a good guess.

use crate::Ranks;

/// The number of keys that are probed in a round.
const PROBES: u64 = 15;

/// Two sums: of weight, and of points.
type Sums = [u64; 2];

/// A column, and the weight at which to cut it.
#[derive(Clone, Debug, Default)]
pub(super) struct Cut {
    /// The keys of this rank with their weights, in any order.
    pub(super) keys: Vec<(u64, u32)>,
    /// The least and the largest key of all ranks.
    pub(super) ends: (u64, u64),
    /// The weight and the points of all ranks.
    pub(super) all: Sums,
    /// The weight that must lie before the cut.
    pub(super) target: u64,
    /// The least and the largest number of points that may lie before the cut.
    pub(super) points: (u64, u64),
    /// The key of the previous cut.
    pub(super) before: Option<u64>,
}

/// A cut that is being narrowed.
struct Narrowing {
    cut: Cut,
    low: u64,
    below_low: Sums,
    high: u64,
    below_high: Sums,
    /// The sums of this rank's keys before `low`.
    own: Sums,
    at: Option<u64>,
}

impl Narrowing {
    fn new(mut cut: Cut, tolerance: u64) -> Self {
        if cut.all[1] == 0 {
            cut.ends = (0, 0);
        }
        let mut new = Self {
            low: cut.ends.0,
            below_low: [0; 2],
            high: cut.ends.1.saturating_add(1),
            below_high: cut.all,
            own: [0; 2],
            at: None,
            cut,
        };
        new.settle(tolerance);
        new
    }

    /// Returns true if the cut lies at this key or above: true up to some key, false from there on.
    fn lies_above(&self, below: Sums) -> bool {
        let (least, most) = self.cut.points;
        below[1] < least || below[0] <= self.cut.target && below[1] <= most
    }

    /// Returns the keys to probe, ascending, all between the ends.
    fn probes(&self) -> Vec<u64> {
        let length = self.high - self.low;
        let is_between = |key: &u64| self.low < *key && *key < self.high;
        if let Some(before) = self.cut.before.filter(is_between) {
            // Probes lie about the previous cut, each pair four times as far away.
            let away = (1..=PROBES as u32 / 2).map(|step| length >> (4 * step));
            let around = away.flat_map(|d| [before.saturating_sub(d), before.saturating_add(d)]);
            let mut keys: Vec<u64> = around.chain([before]).filter(is_between).collect();
            keys.sort_unstable();
            keys.dedup();
            return keys;
        }
        let count = PROBES.min(length - 1);
        let step = |probe| u128::from(length) * u128::from(probe) / u128::from(count + 1);
        (1..=count)
            .map(|probe| self.low + step(probe) as u64)
            .collect()
    }

    /// Returns the sums of this rank before each probe.
    fn below(&self, probes: &[u64]) -> Vec<Sums> {
        let mut sums = vec![[0; 2]; probes.len() + 1];
        for &(key, weight) in &self.cut.keys {
            let interval = &mut sums[probes.partition_point(|&probe| probe <= key)];
            interval[0] += u64::from(weight);
            interval[1] += 1;
        }
        let mut below = self.own;
        let ends = sums[..probes.len()].iter();
        ends.map(|interval| {
            below = [below[0] + interval[0], below[1] + interval[1]];
            below
        })
        .collect()
    }

    /// Narrows to the interval in which the cut lies, by the sums of all ranks before each probe and those of this rank.
    fn narrow(&mut self, probes: &[u64], below: &[Sums], own: &[Sums], tolerance: u64) {
        self.cut.before = None;
        let above = below.partition_point(|&below| self.lies_above(below));
        if above > 0 {
            self.low = probes[above - 1];
            (self.below_low, self.own) = (below[above - 1], own[above - 1]);
        }
        if let Some(&high) = probes.get(above) {
            (self.high, self.below_high) = (high, below[above]);
        }
        let (low, high) = (self.low, self.high);
        self.cut.keys.retain(|&(key, _)| low <= key && key < high);
        self.settle(tolerance);
    }

    /// Settles for an end that is near enough, or as near as equal keys allow.
    fn settle(&mut self, tolerance: u64) {
        let (least, most) = self.cut.points;
        let fits = |below: Sums| least <= below[1] && below[1] <= most;
        let off = |below: Sums| below[0].abs_diff(self.cut.target);
        let (low, high) = (self.below_low, self.below_high);
        let take_low = match (fits(low), fits(high)) {
            (true, false) => true,
            (false, true) => false,
            _ => off(low) <= off(high),
        };
        let (end, below) = if take_low {
            (self.low, low)
        } else {
            (self.high, high)
        };
        let near = fits(below) && off(below) <= tolerance;
        if near || self.high - self.low <= 1 {
            self.at = Some(end);
        }
    }
}

/// Returns the key at which to cut each column; lesser keys lie before it. `tolerance` is in units of weight.
pub(super) fn cuts(ranks: &Ranks, cuts: Vec<Cut>, tolerance: u64) -> Vec<u64> {
    let mut all: Vec<_> = cuts
        .into_iter()
        .map(|cut| Narrowing::new(cut, tolerance))
        .collect();
    loop {
        let open: Vec<usize> = (0..all.len()).filter(|&i| all[i].at.is_none()).collect();
        if open.is_empty() {
            return all.iter().filter_map(|cut| cut.at).collect();
        }
        let probes: Vec<Vec<u64>> = open.iter().map(|&i| all[i].probes()).collect();
        let own: Vec<Vec<Sums>> = open
            .iter()
            .zip(&probes)
            .map(|(&i, probes)| all[i].below(probes))
            .collect();
        let flat: Vec<u64> = own.iter().flatten().flatten().copied().collect();
        let sums = ranks.sum(&flat);
        let mut rest = sums.as_chunks::<2>().0;
        for ((&i, probes), own) in open.iter().zip(&probes).zip(&own) {
            let (below, after) = rest.split_at(probes.len());
            rest = after;
            all[i].narrow(probes, below, own, tolerance);
        }
    }
}
