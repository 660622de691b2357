//! A directory of joined names, spread over all ranks: a forest whose trees are flattened after each round of joins (Y. Shiloach and U. Vishkin,
//! "An O(log n) parallel connectivity algorithm", 1982).
//!
//! ```text
//! until no link has two ends:
//!     look up the parent of the ends of each link
//!     hook the greater one to the lesser
//!     hook each name to its grandparent, until all are hooked to a root
//! ```

use std::collections::BTreeMap;

use crate::ranks::by_rank;
use crate::{Cloud, Error, Point, Ranks};

/// The name to which each hooked name is hooked. The rank that brought the point of that id keeps it.
pub(super) struct Directory<'a, P: Point> {
    ranks: &'a Ranks,
    cloud: &'a Cloud<P>,
    up: BTreeMap<u64, u64>,
}

impl<'a, P: Point> Directory<'a, P> {
    pub(super) fn new(ranks: &'a Ranks, cloud: &'a Cloud<P>) -> Self {
        Self {
            ranks,
            cloud,
            up: BTreeMap::new(),
        }
    }

    /// Joins the two names of each link, and returns the number of rounds.
    pub(super) fn join(&mut self, mut links: Vec<[u64; 2]>) -> Result<u64, Error> {
        let mut rounds = 0;
        loop {
            rounds += 1;
            links.sort_unstable();
            links.dedup();
            let tops = self.look_up(links.as_flattened())?;
            // From here on the names that were looked up stand for the ends.
            links = tops
                .as_chunks::<2>()
                .0
                .iter()
                .filter(|[a, b]| a != b)
                .copied()
                .collect();
            if self.ranks.sum(&[links.len() as u64])[0] == 0 {
                return Ok(rounds);
            }
            self.hook(links.iter().map(|&[a, b]| [a.max(b), a.min(b)]).collect())?;
            self.shorten()?;
        }
    }

    /// Returns the name to which each name is hooked, or itself if it is not hooked.
    pub(super) fn look_up(&self, names: &[u64]) -> Result<Vec<u64>, Error> {
        let mut unique = names.to_vec();
        unique.sort_unstable();
        unique.dedup();
        let each = unique.iter().map(|&name| (self.cloud.home(name), name));
        let (sorted, counts) = by_rank(self.ranks.size(), each);
        let asked = self.ranks.exchange(&sorted, &counts)?;
        let answer = |name: &u64| *self.up.get(name).unwrap_or(name);
        let answers: Vec<u64> = asked.items.iter().map(answer).collect();
        // Homes grow with names, so the names stay sorted by rank.
        let tops = self.ranks.exchange(&answers, &asked.counts())?.items;
        let top = |name: &u64| unique.binary_search(name).map_or(*name, |at| tops[at]);
        Ok(names.iter().map(top).collect())
    }

    /// Hooks each first name to the second, if that is less than its present parent.
    fn hook(&mut self, mut hooks: Vec<[u64; 2]>) -> Result<(), Error> {
        hooks.sort_unstable();
        hooks.dedup_by_key(|hook| hook[0]);
        let each = hooks.iter().map(|&hook| (self.cloud.home(hook[0]), hook));
        let (sorted, counts) = by_rank(self.ranks.size(), each);
        for [name, to] in self.ranks.exchange(&sorted, &counts)?.items {
            let up = self.up.entry(name).or_insert(to);
            *up = to.min(*up);
        }
        Ok(())
    }

    /// Hooks every name to its root.
    fn shorten(&mut self) -> Result<(), Error> {
        loop {
            let ups: Vec<u64> = self.up.values().copied().collect();
            let tops = self.look_up(&ups)?;
            let mut changed = 0;
            for (up, top) in self.up.values_mut().zip(tops) {
                changed += u64::from(*up != top);
                *up = top;
            }
            if self.ranks.sum(&[changed])[0] == 0 {
                return Ok(());
            }
        }
    }
}
