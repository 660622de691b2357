//! A table per row, and what remains of all at the end.

use crate::bench::{Findings, Kind};

/// One contestant's part in a row.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// Nanoseconds a unit, one for each round.
    pub(crate) samples: Vec<f64>,
    pub(crate) findings: Findings,
}

impl Entry {
    pub(crate) fn median(&self) -> f64 {
        let mut sorted = self.samples.clone();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        match sorted.len() % 2 {
            1 => sorted[middle],
            _ => 0.5 * (sorted[middle - 1] + sorted[middle]),
        }
    }

    fn min(&self) -> f64 {
        self.samples.iter().copied().fold(f64::INFINITY, f64::min)
    }

    fn max(&self) -> f64 {
        self.samples.iter().copied().fold(0.0, f64::max)
    }
}

/// What all contestants did at one task.
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) unit: &'static str,
    /// The least speed-up that is wanted.
    pub(crate) target: Option<f64>,
    pub(crate) truth: Findings,
    pub(crate) entries: Vec<Entry>,
}

/// What is left to say when all rows have been printed.
#[derive(Default)]
pub(crate) struct Summary {
    rows: usize,
    /// Speed-up, target and name of each row that has a target.
    speed_ups: Vec<(f64, f64, String)>,
    /// Contestants that found something else than the reference.
    wrong: Vec<String>,
}

impl Summary {
    pub(crate) fn print(&mut self, mut row: Row) {
        row.entries
            .sort_by(|a, b| a.median().total_cmp(&b.median()));
        let is_counted = |e: &&Entry| e.kind == Kind::Peer && e.findings.nearly(&row.truth);
        let best = row.entries.iter().find(is_counted).map(Entry::median);
        self.rows += 1;
        println!("\n{} ({})", row.name, row.unit);
        println!(
            "  {:14} {:>11} {:>11} {:>11} {:>7}",
            "", "median", "min", "max", "ratio"
        );
        for entry in &row.entries {
            let mark = match entry.kind {
                Kind::Own => '>',
                Kind::Peer if Some(entry.median()) == best => '*',
                Kind::Peer => ' ',
                Kind::Reference => '~',
            };
            let ratio = best.map_or(f64::NAN, |best| entry.median() / best);
            println!(
                "{mark} {:14} {:>11.1} {:>11.1} {:>11.1} {ratio:>7.2}{}",
                entry.name,
                entry.median(),
                entry.min(),
                entry.max(),
                self.judge(&row, entry)
            );
        }
        let own = row.entries.iter().find(|e| e.kind == Kind::Own);
        if let (Some(best), Some(own), Some(target)) = (best, own, row.target) {
            let speed_up = best / own.median();
            println!("  speed-up {speed_up:.2}, target {target}");
            self.speed_ups.push((speed_up, target, row.name));
        }
    }

    /// Notes what is wrong with an entry's findings, and says it.
    fn judge(&mut self, row: &Row, entry: &Entry) -> String {
        let (found, truth) = (entry.findings, row.truth);
        if found == truth {
            return String::new();
        }
        let difference = i128::from(found.count) - i128::from(truth.count);
        if entry.kind == Kind::Peer && found.nearly(&truth) {
            return format!("  {difference:+} of {} results", truth.count);
        }
        self.wrong.push(format!("{} at {}", entry.name, row.name));
        format!("  WRONG, {difference:+} of {} results", truth.count)
    }

    /// The last line; or what went wrong.
    pub(crate) fn conclude(self) -> Result<String, String> {
        if !self.wrong.is_empty() {
            return Err(format!("wrong results: {}", self.wrong.join(", ")));
        }
        if self.rows == 0 {
            return Err("no row has a name like that".into());
        }
        let least = self.speed_ups.iter().min_by(|a, b| a.0.total_cmp(&b.0));
        let Some((speed_up, _, row)) = least else {
            return Ok("no row with a target".into());
        };
        let short = self.speed_ups.iter().filter(|s| s.0 < s.1).count();
        let all = self.speed_ups.len();
        println!("\n{short} of {all} rows short of their targets");
        Ok(format!("least speed-up {speed_up:.2} at {row}"))
    }
}
