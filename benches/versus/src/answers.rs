//! The answers of contestants, and the comparison of two of them.

use std::ops::AddAssign;

/// The number of results, and a hash that does not depend on their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Findings {
    count: u64,
    hash: u64,
}

impl Findings {
    fn of(results: impl IntoIterator<Item = u64>) -> Self {
        let mut all = Self::default();
        for result in results {
            all += Self {
                count: 1,
                // Rotate the product: without that, the sum of the hashes would only depend on the sum of the results.
                hash: (result + 1)
                    .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                    .rotate_left(29),
            };
        }
        all
    }
}

impl AddAssign for Findings {
    fn add_assign(&mut self, other: Self) {
        self.count += other.count;
        self.hash = self.hash.wrapping_add(other.hash);
    }
}

/// The results of each query.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers(Vec<Findings>);

impl Answers {
    /// Answers of which only the number is known.
    pub(crate) fn counted(count: u64) -> Self {
        Self(vec![Findings { count, hash: 0 }])
    }

    /// Adds the answer to the next query.
    pub(crate) fn push(&mut self, results: impl IntoIterator<Item = u64>) {
        self.0.push(Findings::of(results));
    }

    pub(crate) fn push_ids(&mut self, ids: &[u32]) {
        self.push(ids.iter().copied().map(u64::from));
    }

    pub(crate) fn results(&self) -> u64 {
        self.0.iter().map(|found| found.count).sum()
    }

    /// A lower bound on the number of results that differ. A query that only one side has counts as a whole.
    pub(crate) fn differing(&self, other: &Self) -> u64 {
        let asked = self.0.len().max(other.0.len());
        let answer = |answers: &Self, i: usize| answers.0.get(i).copied().unwrap_or_default();
        let differing = (0..asked).map(|i| match (answer(self, i), answer(other, i)) {
            (a, b) if a == b => 0,
            (a, b) => a.count.abs_diff(b.count).max(1),
        });
        differing.sum()
    }

    /// Every `step`th of them.
    pub(crate) fn every(&self, step: usize) -> Self {
        Self(self.0.iter().step_by(step).copied().collect())
    }
}
