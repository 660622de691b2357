//! The jobs, at which contestants race; a file for each.

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
}

const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];

/// The smallest size that has a target, and the size of `--quick`.
const QUICK_SIZE: usize = 100_000;

impl Options {
    fn sizes(&self) -> impl Iterator<Item = usize> {
        let quick = self.quick;
        SIZES
            .into_iter()
            .filter(move |&n| !quick || n == QUICK_SIZE)
    }
}

/// 100000 is `100k`.
fn short(n: usize) -> String {
    match n {
        _ if n.is_multiple_of(1_000_000) => format!("{}M", n / 1_000_000),
        _ if n.is_multiple_of(1000) => format!("{}k", n / 1000),
        _ => n.to_string(),
    }
}
