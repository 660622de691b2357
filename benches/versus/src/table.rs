//! Prints a table for each row, and a summary of all rows at the end.

use crate::contestants::peers_sit_out;
use crate::race::Kind;

/// The least speed relative to the earlier commit that is wanted in every row.
const AGAINST_BEFORE: f64 = 0.95;

/// One contestant's part in a row.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// The time of each round.
    pub(crate) samples: Vec<f64>,
    /// The number of results that are missing or wrong.
    pub(crate) differing: u64,
    /// A remark, printed behind the times.
    pub(crate) note: String,
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

    pub(crate) fn min(&self) -> f64 {
        self.samples.iter().copied().fold(f64::INFINITY, f64::min)
    }

    fn max(&self) -> f64 {
        self.samples.iter().copied().fold(0.0, f64::max)
    }
}

/// The times and results of all contestants at one task.
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) unit: &'static str,
    /// The least speed-up that is wanted.
    pub(crate) target: Option<f64>,
    pub(crate) results: u64,
    pub(crate) entries: Vec<Entry>,
}

impl Row {
    /// Converts the times from nanoseconds.
    pub(crate) fn in_picoseconds(mut self) -> Self {
        let entries = self.entries.iter_mut();
        let samples = entries.flat_map(|entry| &mut entry.samples);
        samples.for_each(|taken| *taken *= 1000.0);
        self
    }

    /// True if an entry has the right results. Some peers round where they prune, so they may differ at the very boundary.
    fn is_right(&self, entry: &Entry) -> bool {
        let tolerated = match entry.kind {
            Kind::Own | Kind::Before => 0,
            Kind::Peer | Kind::Reference => 3 + self.results / 100_000,
        };
        entry.differing <= tolerated
    }

    /// The median of the best peer, or of the earlier commit if no peer takes part.
    fn best_rival(&self) -> Option<f64> {
        if peers_sit_out() {
            return self.median_of(Kind::Before);
        }
        let counted = self.entries.iter().filter(|e| e.kind == Kind::Peer);
        let right = counted.filter(|e| self.is_right(e));
        right.map(Entry::median).min_by(f64::total_cmp)
    }

    fn median_of(&self, kind: Kind) -> Option<f64> {
        let entry = self.entries.iter().find(|e| e.kind == kind);
        entry.map(Entry::median)
    }

    fn speed_up(&self) -> Option<f64> {
        Some(self.best_rival()? / self.median_of(Kind::Own)?)
    }

    fn against_before(&self) -> Option<f64> {
        Some(self.median_of(Kind::Before)? / self.median_of(Kind::Own)?)
    }
}

/// A row that has been printed.
pub(crate) struct Printed {
    /// The job; empty unless rows of several jobs are together.
    pub(crate) job: String,
    pub(crate) name: String,
    pub(crate) unit: &'static str,
    /// The median of this crate.
    pub(crate) own: Option<f64>,
    pub(crate) speed_up: Option<f64>,
    pub(crate) target: Option<f64>,
    /// The speed relative to the earlier commit; 1 means unchanged.
    pub(crate) against_before: Option<f64>,
}

/// All printed rows, and the faults that were found.
#[derive(Default)]
pub(crate) struct Summary {
    pub(crate) rows: Vec<Printed>,
    faults: Vec<String>,
}

impl Summary {
    pub(crate) fn print(&mut self, mut row: Row) {
        // Print the entries, the fastest first.
        row.entries
            .sort_by(|a, b| a.median().total_cmp(&b.median()));
        if peers_sit_out() {
            row.target = Some(AGAINST_BEFORE);
        }
        let best = row.best_rival();
        let width = row.entries.iter().map(|e| e.name.len()).max().unwrap_or(0);
        println!("\n{} ({})", row.name, row.unit);
        println!(
            "  {:width$} {:>11} {:>11} {:>11} {:>7}",
            "", "median", "min", "max", "ratio"
        );
        for entry in &row.entries {
            let mark = match entry.kind {
                Kind::Own => '>',
                Kind::Before => '<',
                Kind::Peer if Some(entry.median()) == best => '*',
                Kind::Peer => ' ',
                Kind::Reference => '~',
            };
            let ratio = best.map_or(String::new(), |best| {
                format!("{:.2}", entry.median() / best)
            });
            println!(
                "{mark} {:width$} {:>11.1} {:>11.1} {:>11.1} {ratio:>7}{}{}",
                entry.name,
                entry.median(),
                entry.min(),
                entry.max(),
                entry.note,
                self.judge(&row, entry)
            );
        }
        let speed_up = row.speed_up();
        match (speed_up, row.target) {
            (Some(speed_up), Some(target)) => {
                println!("  speed-up {speed_up:.2}, target {target}");
            }
            (Some(speed_up), None) => println!("  speed-up {speed_up:.2}"),
            (None, _) => {}
        }
        let against_before = row.against_before();
        if let Some(speed) = against_before {
            println!("  against before {speed:.3}");
        }
        self.rows.push(Printed {
            job: String::new(),
            own: row.median_of(Kind::Own),
            name: row.name,
            unit: row.unit,
            speed_up,
            target: row.target,
            against_before,
        });
    }

    /// Takes the rows and the faults of a job.
    pub(crate) fn append(&mut self, job: &str, other: Self) {
        let of_job = |row| Printed {
            job: job.into(),
            ..row
        };
        self.rows.extend(other.rows.into_iter().map(of_job));
        self.faults.extend(other.faults);
    }

    /// Returns a remark if results differ. Wrong results of this crate are a fault.
    fn judge(&mut self, row: &Row, entry: &Entry) -> String {
        if entry.differing == 0 {
            return String::new();
        }
        let differing = format!("{} of {} results differ", entry.differing, row.results);
        if row.is_right(entry) {
            return format!("  {differing}");
        }
        if entry.kind == Kind::Own {
            self.fault(format!("wrong results at {}", row.name));
        }
        format!("  WRONG, {differing}")
    }

    /// Records a fault, which makes the run fail in the end.
    pub(crate) fn fault(&mut self, fault: String) {
        self.faults.push(fault);
    }

    /// Prints how many rows are too slow, and returns the last line and the faults.
    pub(crate) fn conclude(mut self) -> (Option<String>, Vec<String>) {
        if self.rows.is_empty() {
            self.fault("no row has a name like that".into());
        }
        // Rows without a target count only if no row has one.
        let has_targets = self.rows.iter().any(|row| row.target.is_some());
        let rows = self.rows.iter();
        let counted = rows.filter(|row| !has_targets || row.target.is_some());
        let counted = counted.filter_map(|row| Some((row.speed_up?, row.target, &row.name)));
        let counted: Vec<_> = counted.collect();
        let least = counted.iter().min_by(|a, b| a.0.total_cmp(&b.0));
        let last_line = least.map(|(least, _, row)| format!("least speed-up {least:.2} at {row}"));
        if has_targets {
            let short = counted
                .iter()
                .filter(|row| row.1.is_some_and(|t| row.0 < t));
            let (short, all) = (short.count(), counted.len());
            println!("\n{short} of {all} rows short of their targets");
        }
        // List the rows that are slower than at the earlier commit.
        let rows = self.rows.iter();
        let compared = rows.filter_map(|row| Some((row.against_before?, &row.name)));
        let mut compared: Vec<_> = compared.collect();
        compared.sort_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((least, row)) = compared.first() {
            let below = compared.iter().filter(|b| b.0 < AGAINST_BEFORE);
            println!(
                "\nbelow {AGAINST_BEFORE} of before: {} of {} rows",
                below.clone().count(),
                compared.len()
            );
            below.for_each(|(speed, row)| println!("  {speed:.3} {row}"));
            println!("least against before {least:.3} at {row}");
        }
        (last_line, self.faults)
    }
}
