//! Writes the tables of pages from one run of all jobs that the pages name.
//!
//! A comment before a table names a job and some words. Each cell shows a row of that job. The name of the row has these words, the
//! words of the first cell in the line, and the words of the head of the column:
//!
//! ```text
//! <!-- versus nearest 100k random -->
//! | | n=1 | n=8 |
//! |---|---|---|
//! | 3D uniform | 150 (1.4) | 414 (1.8) |
//! ```
//!
//! A cell has the median of this crate and, in brackets, the time of the best peer divided by it. In a table with lines of several jobs, the
//! comment has a part for each line: a job and words, a colon, and the words of each figure; semicolons separate the parts. The
//! last two cells are the figures and the ratios. `<!-- versus machine -->` stands before a line that says where and when everything was measured.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::jobs::Options;
use crate::table::{Printed, Summary};

const MARK: &str = "<!-- versus";

/// Runs the jobs, and fills the tables. `run` runs a job by its name. A cell whose row is missing shows a dash, and the run fails.
pub(crate) fn run(
    options: &Options,
    pages: &[PathBuf],
    run: impl Fn(&str, &Options) -> Option<Summary>,
) -> Summary {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let usual = ["docs/performance.md", "README.md"].map(|page| root.join(page));
    let pages = if pages.is_empty() { &usual } else { pages };
    let mut all = Summary::default();
    let mut texts = Vec::new();
    for page in pages {
        match fs::read_to_string(page) {
            Ok(text) => texts.push((page, text)),
            Err(error) => all.fault(format!("{}: {error}", page.display())),
        }
    }
    let machine = machine(&root);
    // Each job runs once, however many tables name it, at the sizes of a quick run.
    let mut jobs: Vec<&str> = Vec::new();
    for figure in texts.iter().flat_map(|(_, text)| figures(text)) {
        if !jobs.contains(&figure.job) {
            jobs.push(figure.job);
        }
    }
    let options = Options {
        quick: true,
        rounds: options.rounds,
        rows: String::new(),
        seed: options.seed,
    };
    for job in jobs {
        match run(job, &options) {
            Some(summary) => all.append(job, summary),
            None => all.fault(format!("there is no job {job}")),
        }
    }
    for (page, text) in &texts {
        let (filled, missing) = fill(text, &all.rows, &machine);
        missing.into_iter().for_each(|fault| all.fault(fault));
        if let Err(error) = fs::write(page, filled) {
            all.fault(format!("{}: {error}", page.display()));
        }
    }
    all
}

/// The row that a cell, or a part of one, shows: its job, and words in its name.
#[derive(Clone, Debug, PartialEq)]
struct Figure<'a> {
    job: &'a str,
    words: Vec<&'a str>,
}

impl<'a> Figure<'a> {
    fn new(words: &'a str) -> Option<Self> {
        let mut words = words.split_whitespace();
        Some(Self {
            job: words.next()?,
            words: words.collect(),
        })
    }

    fn with(&self, words: &'a str) -> Self {
        let mut figure = self.clone();
        figure.words.extend(words.split_whitespace());
        figure
    }

    /// The row whose name has all words; of several such rows, the one with the fewest other words.
    fn find<'r>(&self, rows: &'r [Printed]) -> Option<&'r Printed> {
        let has_all = |row: &&Printed| {
            let words: Vec<_> = row.name.split([' ', ',']).collect();
            row.job == self.job && self.words.iter().all(|word| words.contains(word))
        };
        rows.iter()
            .filter(has_all)
            .min_by_key(|row| row.name.split(' ').count())
    }
}

/// A parsed line of a page.
enum Line<'a> {
    Text(&'a str),
    Machine,
    /// The first cell, and a figure in each of the others.
    Cells(&'a str, Vec<Figure<'a>>),
    /// The cells before the last two, and the figures of the last two.
    Joined(Vec<&'a str>, Vec<Figure<'a>>),
}

fn cells(line: &str) -> Vec<&str> {
    let line = line.trim().trim_start_matches('|').trim_end_matches('|');
    line.split('|').map(str::trim).collect()
}

/// The figures of a line of a comment: `job words: words | words`.
fn listed(line: &str) -> Vec<Figure<'_>> {
    let (common, each) = line.split_once(':').unwrap_or((line, ""));
    let common = Figure::new(common);
    let each = each.split('|');
    common
        .iter()
        .flat_map(|common| each.clone().map(|words| common.with(words)))
        .collect()
}

/// Parses a page. A comment for this program changes how the lines after it are read.
fn lines(text: &str) -> Vec<Line<'_>> {
    let (mut found, mut rest) = (Vec::new(), text.lines().peekable());
    while let Some(line) = rest.next() {
        found.push(Line::Text(line));
        let Some(words) = line.strip_prefix(MARK) else {
            continue;
        };
        // Read the lines of the comment, each of which may name the figures of several lines of a table.
        let mut each = Vec::new();
        if !words.ends_with("-->") {
            for line in rest.by_ref() {
                found.push(Line::Text(line));
                let specs = line.trim_end_matches("-->").split(';');
                each.extend(specs.map(listed).filter(|figures| !figures.is_empty()));
                if line.ends_with("-->") {
                    break;
                }
            }
        }
        let words = words.trim_end_matches("-->").trim();
        if words == "machine" {
            rest.next();
            found.push(Line::Machine);
            continue;
        }
        // Read the head of the table, and find the figures of each line below it.
        let Some(head) = rest.next_if(|line| line.starts_with('|')) else {
            continue;
        };
        found.push(Line::Text(head));
        found.extend(rest.next().map(Line::Text));
        let mut each = each.into_iter();
        while let Some(line) = rest.next_if(|line| line.starts_with('|')) {
            let row = cells(line);
            found.push(match (Figure::new(words), each.next()) {
                (Some(common), _) => {
                    let common = common.with(row[0]);
                    let columns = cells(head).into_iter().skip(1);
                    Line::Cells(row[0], columns.map(|column| common.with(column)).collect())
                }
                (None, Some(figures)) if row.len() > 2 => {
                    Line::Joined(row[..row.len() - 2].to_vec(), figures)
                }
                _ => Line::Text(line),
            });
        }
    }
    found
}

fn figures(text: &str) -> Vec<Figure<'_>> {
    let of = |line| match line {
        Line::Cells(_, figures) | Line::Joined(_, figures) => figures,
        Line::Text(_) | Line::Machine => Vec::new(),
    };
    lines(text).into_iter().flat_map(of).collect()
}

/// Returns the page with all figures, and a message for each figure that is missing.
fn fill(text: &str, rows: &[Printed], machine: &str) -> (String, Vec<String>) {
    let (mut page, mut missing) = (String::new(), Vec::new());
    let mut find = |figure: &Figure<'_>| {
        let row = figure.find(rows);
        if row.is_none() {
            missing.push(format!(
                "no row of {} has the words {:?}",
                figure.job, figure.words
            ));
        }
        row
    };
    for line in lines(text) {
        match line {
            Line::Text(line) => page += line,
            Line::Machine => page += machine,
            Line::Cells(first, figures) => {
                let _ = write!(page, "| {first} |");
                for figure in &figures {
                    let cell = find(figure).map_or("–".into(), |row| {
                        let ratio = row
                            .speed_up
                            .map_or(String::new(), |x| format!(" ({})", short(x)));
                        format!("{}{ratio}", row.own.map_or("–".into(), short))
                    });
                    let _ = write!(page, " {cell} |");
                }
            }
            Line::Joined(first, figures) => {
                let rows: Vec<_> = figures.iter().filter_map(&mut find).collect();
                let join = |cells: Vec<String>| cells.join(", ");
                let own = rows
                    .iter()
                    .map(|row| row.own.map_or("–".into(), short))
                    .collect();
                let ratios = rows
                    .iter()
                    .map(|row| row.speed_up.map_or("–".into(), short));
                let unit = rows.first().map_or("", |row| row.unit);
                let _ = write!(
                    page,
                    "| {} | {} {unit} | {} |",
                    first.join(" | "),
                    join(own),
                    join(ratios.collect())
                );
            }
        }
        page.push('\n');
    }
    (page, missing)
}

/// Writes a number below 10 with one decimal, and a larger one with none.
fn short(x: f64) -> String {
    match x {
        _ if x < 10.0 => format!("{x:.1}"),
        _ => format!("{x:.0}"),
    }
}

/// The line that says on which machine, when and at which commit the figures were measured, as far as this is known.
fn machine(root: &Path) -> String {
    let said = |program: &str, arguments: &[&str]| {
        let output = Command::new(program)
            .args(arguments)
            .current_dir(root)
            .output()
            .ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        Some(text.trim().to_string()).filter(|text| output.status.success() && !text.is_empty())
    };
    let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpus.lines().find(|line| line.starts_with("model name"));
    let model = model.and_then(|line| Some(line.split_once(':')?.1.trim()));
    let has = |feature: &str| cpus.split_whitespace().any(|word| word == feature);
    let widest = ["avx512f", "avx2"].into_iter().find(|feature| has(feature));
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or_default().to_string();
    let unknown = || "unknown".to_string();
    format!(
        "Measured on one core of {} ({}), {}, at commit {}, by {}, compiler flags: {}; load of the machine at the start: {load}.",
        model.unwrap_or("an unknown processor"),
        widest.unwrap_or("no wide registers known"),
        said("date", &["-u", "+%-d %B %Y"]).unwrap_or_else(unknown),
        said("git", &["describe", "--always", "--dirty"]).unwrap_or_else(unknown),
        said("rustc", &["--version"]).unwrap_or_else(unknown),
        option_env!("RUSTFLAGS")
            .filter(|flags| !flags.is_empty())
            .unwrap_or("none"),
    )
}

#[cfg(test)]
mod tests {
    use super::{figures, fill};
    use crate::table::Printed;

    const PAGE: &str = "\
Words.
<!-- versus machine -->
old
<!-- versus nearest 100k -->
| | n=1 | n=8 |
|---|---|---|
| 3D uniform | ? | 7 (9) |

<!-- versus
radius 3D 100k: k=10 | k=100 -->
| job | time | faster |
|---|---|---|
| a ball | | |
";

    fn row(name: &str, own: f64, speed_up: f64) -> Printed {
        Printed {
            job: name.split(' ').next().unwrap_or_default().into(),
            name: name.into(),
            unit: "ns a query",
            own: Some(own),
            speed_up: Some(speed_up),
            target: None,
            against_before: None,
        }
    }

    #[test]
    fn cells_are_rows_of_jobs() {
        let named: Vec<_> = figures(PAGE)
            .into_iter()
            .map(|figure| (figure.job, figure.words))
            .collect();
        assert_eq!(named[1], ("nearest", vec!["100k", "3D", "uniform", "n=8"]));
        assert_eq!(named[3], ("radius", vec!["3D", "100k", "k=100"]));
        let rows = [
            row("nearest 3D n=1 uniform 100k random", 149.6, 1.44),
            row("nearest 3D n=8 uniform 100k random", 9.96, 12.3),
            row("radius 3D collect 100k k=10", 77.0, 2.0),
        ];
        let (page, missing) = fill(PAGE, &rows, "here");
        assert_eq!(
            missing,
            ["no row of radius has the words [\"3D\", \"100k\", \"k=100\"]"]
        );
        assert!(page.contains("-->\nhere\n<!--"));
        assert!(page.contains("| 3D uniform | 150 (1.4) | 10.0 (12) |\n"));
        assert!(page.contains("| a ball | 77 ns a query | 2.0 |\n"));
        let (again, _) = fill(&page, &rows, "here");
        assert_eq!(again, page);
    }
}
