//! Prints how the neighbour counts are distributed.

use std::io::{self, Write};

use orthant::Scalar;

const BARS: u32 = 12;
const BAR_WIDTH: usize = 48;

/// Prints statistics of the counts, and a histogram.
pub(crate) fn print(out: &mut impl Write, counts: &[u32], radius: impl Scalar) -> io::Result<()> {
    let mut sorted = counts.to_vec();
    sorted.sort_unstable();
    let n = sorted.len();
    let (least, most) = (sorted[0], sorted[n - 1]);
    let median = f64::from(sorted[(n - 1) / 2]).midpoint(f64::from(sorted[n / 2]));
    let mean = sorted.iter().map(|&count| f64::from(count)).sum::<f64>() / n as f64;
    let ninety = sorted[(n * 9).div_ceil(10) - 1];
    writeln!(
        out,
        "neighbours within {radius}: min {least}, median {median}, mean {mean:.2}, \
         90 % {ninety}, max {most}"
    )?;

    // The histogram has about a dozen bars of equal, round width.
    let width = round_up((most - least) / BARS + 1);
    let first = least - least % width;
    let bars = (most - first) / width + 1;
    let ends: Vec<usize> = (0..=bars)
        .map(|bar| {
            let from = u64::from(first) + u64::from(bar) * u64::from(width);
            sorted.partition_point(|&count| u64::from(count) < from)
        })
        .collect();
    let tallest = ends.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(1);
    let digits = most.to_string().len();
    for (bar, span) in (0..bars).zip(ends.windows(2)) {
        let from = first + bar * width;
        let to = most.min(from.saturating_add(width - 1));
        let points = span[1] - span[0];
        let label = if width == 1 {
            format!("{from:digits$}")
        } else {
            format!("{from:digits$} to {to:digits$}")
        };
        let line = "#".repeat((points * BAR_WIDTH).div_ceil(tallest));
        writeln!(out, "  {label} | {line:BAR_WIDTH$} {points}")?;
    }
    Ok(())
}

/// Rounds up to the next of 1, 2, 5, 10, 20, 50, …
fn round_up(width: u32) -> u32 {
    let mut power = 1;
    loop {
        for digit in [1, 2, 5] {
            if digit * power >= u64::from(width) {
                return u32::try_from(digit * power).unwrap_or(width);
            }
        }
        power *= 10;
    }
}
