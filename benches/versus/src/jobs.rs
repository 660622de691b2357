//! The jobs at which contestants race, a file for each.

mod alone;
pub(crate) mod batch;
pub(crate) mod broadphase;
pub(crate) mod build;
pub(crate) mod casts;
pub(crate) mod degenerate;
pub(crate) mod frustum;
pub(crate) mod groups;
pub(crate) mod growth;
pub(crate) mod hard;
pub(crate) mod lists;
pub(crate) mod loose;
pub(crate) mod nearest;
pub(crate) mod open;
pub(crate) mod pairs;
pub(crate) mod predicate;
pub(crate) mod radius;
#[cfg(feature = "threads")]
pub(crate) mod threads;
pub(crate) mod voxels;
pub(crate) mod windows;

pub(crate) struct Options {
    pub(crate) quick: bool,
    pub(crate) rounds: u16,
    pub(crate) rows: String,
    pub(crate) seed: u64,
}

impl Options {
    pub(crate) fn wants(&self, row: &str) -> bool {
        row.contains(&self.rows)
    }

    /// The rows of a table that are wanted, with their names.
    fn wanted<T>(
        &self,
        rows: impl IntoIterator<Item = T>,
        name: impl Fn(&T) -> String,
    ) -> Vec<(T, String)> {
        let named = rows.into_iter().map(|row| {
            let name = name(&row);
            (row, name)
        });
        named.filter(|(_, name)| self.wants(name)).collect()
    }

    /// All sizes, or only one of them with `--quick`.
    fn sizes_of(&self, sizes: &[usize], quick_size: usize) -> impl Iterator<Item = usize> {
        let fit = move |&n: &usize| !self.quick || n == quick_size;
        sizes.iter().copied().filter(fit)
    }

    fn sizes(&self) -> impl Iterator<Item = usize> {
        self.sizes_of(&SIZES, QUICK_SIZE)
    }
}

const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];

/// The smallest size that has a target, and the size of `--quick`.
const QUICK_SIZE: usize = 100_000;

/// Abbreviates a number: 100000 is written as `100k`.
fn short(n: usize) -> String {
    match n {
        _ if n.is_multiple_of(1_000_000) => format!("{}M", n / 1_000_000),
        _ if n.is_multiple_of(1000) => format!("{}k", n / 1000),
        _ => n.to_string(),
    }
}
