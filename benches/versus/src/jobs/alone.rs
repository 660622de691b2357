//! Runs each contestant in its own process with a time limit, since some fail at hard sets, and some never end.

use std::fmt::{self, Display, Formatter};
use std::io::Read;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;
use std::{env, io};

use wait_timeout::ChildExt;

use crate::jobs::Options;
use crate::race::Kind;
use crate::table::Entry;

const TIME_LIMIT: Duration = Duration::from_secs(10);

/// The results and times of one contestant at one row.
pub(super) struct Report {
    pub(super) results: u64,
    pub(super) differing: u64,
    /// The least time for the uniform set, in nanoseconds.
    pub(super) uniform: f64,
    pub(super) samples: Vec<f64>,
}

impl Report {
    /// The least time divided by the least time for the uniform set.
    pub(super) fn times_uniform(&self) -> f64 {
        self.samples.iter().copied().fold(f64::INFINITY, f64::min) / self.uniform
    }

    pub(super) fn entry(self, name: &'static str, kind: Kind) -> Entry {
        Entry {
            name,
            kind,
            differing: self.differing,
            note: format!("  {:5.2} times uniform's", self.times_uniform()),
            samples: self.samples,
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        Some(Self {
            results: words.next()?.parse().ok()?,
            differing: words.next()?.parse().ok()?,
            uniform: words.next()?.parse().ok()?,
            samples: words.map_while(|word| word.parse().ok()).collect(),
        })
    }
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.results, self.differing, self.uniform)?;
        self.samples
            .iter()
            .try_for_each(|taken| write!(f, " {taken}"))
    }
}

/// Prints the report of a child process, and returns its exit code. There is no report if the row or contestant does not exist.
pub(super) fn print(report: Option<Report>) -> ExitCode {
    let Some(report) = report else {
        return ExitCode::FAILURE;
    };
    println!("{report}");
    ExitCode::SUCCESS
}

/// Runs a contestant at a row in its own process.
pub(super) fn ask(contestant: &str, row: &str, options: &Options) -> Result<Report, String> {
    let written = run(contestant, row, options).map_err(|error| error.to_string())?;
    let (output, complaint) = written?;
    Report::parse(&output).ok_or_else(|| {
        let lines = complaint.lines().map(str::trim);
        // The message of a panic follows the line with its location.
        let said = lines.skip_while(|l| !l.contains("panicked")).nth(1);
        format!("failed, {}", said.unwrap_or("without a word"))
    })
}

/// The text that a child wrote to standard output and to standard error.
type Written = Result<(String, String), String>;

fn run(contestant: &str, row: &str, options: &Options) -> io::Result<Written> {
    let mut child = Command::new(env::current_exe()?)
        .args(["hard", "--alone", contestant, "--rows", row])
        .args(["--rounds", &options.rounds.to_string()])
        .args(["--seed", &options.seed.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if child.wait_timeout(TIME_LIMIT)?.is_none() {
        child.kill()?;
        child.wait()?;
        return Ok(Err(format!("not done after {} s", TIME_LIMIT.as_secs())));
    }
    let (mut output, mut complaint) = (String::new(), String::new());
    if let Some(mut pipe) = child.stdout.take() {
        pipe.read_to_string(&mut output)?;
    }
    if let Some(mut pipe) = child.stderr.take() {
        pipe.read_to_string(&mut complaint)?;
    }
    Ok(Ok((output, complaint)))
}
