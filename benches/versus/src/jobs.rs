//! What contestants race at; a file for each job.

pub(crate) mod predicate;
pub(crate) mod radius;

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

/// 100000 is `100k`.
pub(crate) fn short(n: usize) -> String {
    match n {
        _ if n.is_multiple_of(1_000_000) => format!("{}M", n / 1_000_000),
        _ if n.is_multiple_of(1000) => format!("{}k", n / 1000),
        _ => n.to_string(),
    }
}
