//! The color scale of counts.

use image::Rgb;

/// Maps counts to heights on a color bar, and to colors.
///
/// Heights are the logarithm of the count, which starts one median below the least count (both counted from the
/// least). This is nearly linear where counts spread evenly, and makes room for the many where a few are far above
/// the rest.
pub(crate) struct Scale {
    pub(crate) least: f64,
    pub(crate) most: f64,
    pub(crate) shift: f64,
}

impl Scale {
    /// The scale of at least one count.
    pub(crate) fn of(counts: impl IntoIterator<Item = u32>) -> Self {
        let mut sorted: Vec<u32> = counts.into_iter().collect();
        sorted.sort_unstable();
        let least = f64::from(sorted[0]);
        Self {
            least,
            most: sorted[sorted.len() - 1].into(),
            shift: (f64::from(sorted[sorted.len() / 2]) - least).max(1.0),
        }
    }

    /// The height of a count: 0 for the least count, 1 for the largest.
    pub(crate) fn height(&self, count: f64) -> f64 {
        if self.most <= self.least {
            return 0.5;
        }
        let log = |count: f64| ((count - self.least) / self.shift).ln_1p();
        log(count) / log(self.most)
    }

    pub(crate) fn color(&self, count: f64) -> Rgb<u8> {
        shade(self.height(count))
    }

    /// Labels for the bar: round counts whose heights differ by at least `gap`, between the least and the largest
    /// count.
    pub(crate) fn ticks(&self, gap: f64) -> Vec<u32> {
        let mut ticks = vec![self.least as u32];
        if self.most <= self.least {
            return ticks;
        }
        let round =
            (0..10).flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10_f64.powi(power)));
        let apart = |a: f64, b: f64| (self.height(a) - self.height(b)).abs() >= gap;
        for tick in round {
            let last = f64::from(*ticks.last().expect("starts with the least"));
            if tick > last && tick < self.most && apart(tick, last) && apart(tick, self.most) {
                ticks.push(tick as u32);
            }
        }
        ticks.push(self.most as u32);
        ticks
    }
}

/// The color at a height of the bar.
pub(crate) fn shade(height: f64) -> Rgb<u8> {
    let color = colorous::TURBO.eval_continuous(height.clamp(0.0, 1.0) * 0.92 + 0.06);
    Rgb([color.r, color.g, color.b])
}
