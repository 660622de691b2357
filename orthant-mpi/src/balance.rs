//! Division of space by planes, so that every rank owns its share of the work.
//!
//! This is recursive coordinate bisection (M. J. Berger and S. H. Bokhari, "A partitioning strategy for nonuniform problems on multiprocessors",
//! 1987) of all groups of a level at once, with exact cuts. With uniform points it copies half as much as runs of a Hilbert curve do, with fewer
//! partners; with galaxies even less.

mod cuts;
mod division;

pub use division::Division;

use crate::{Cause, Cloud, Error, Point, Ranks};

/// When and how points are divided between ranks. All ranks pass the same values.
///
/// ```
/// use orthant_mpi::Balance;
/// let often = Balance { above: 1.02, ..Balance::default() };
/// assert_eq!(often.tolerance, 0.01);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Balance {
    /// How far a rank's weight may be from the mean when planes are set, as a fraction of the mean. The default 0.01 saves a quarter of the
    /// reductions. 0 requests exact halves; equal coordinates stay together in any case.
    pub tolerance: f64,
    /// Planes stay where they are while the heaviest rank has at most this multiple of the mean; the default is 1.1. Below 1 they are set anew
    /// each time.
    pub above: f64,
    /// The most points that a rank may own, as a multiple of the mean: with uneven weights, memory is the other limit. The default is infinite;
    /// below 1 it counts as 1.
    pub most_points: f64,
}

impl Default for Balance {
    fn default() -> Self {
        Self {
            tolerance: 0.01,
            above: 1.1,
            most_points: f64::INFINITY,
        }
    }
}

/// The result of [`Cloud::balance`], the same on all ranks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Balanced {
    /// True if planes were set.
    pub divided: bool,
    /// The number of points that moved to another rank.
    pub moved: u64,
    /// The weight of the heaviest rank, as a multiple of the mean.
    pub heaviest: f64,
    /// The points of the fullest rank, as a multiple of the mean.
    pub fullest: f64,
}

impl<P: Point> Cloud<P> {
    /// Moves every point, with its columns, to the rank that owns its position. Before that, it sets the planes if there are none or a rank has
    /// too many points.
    ///
    /// Existing planes are shifted: their axes stay as long as the extent along them is at least half of the longest, and their new positions
    /// are searched from the old ones. So few points move.
    ///
    /// # Errors
    ///
    /// If a rule is not a number or differs between ranks, or a rank receives more than its budget.
    ///
    /// # Complexity
    ///
    /// O(n) for each of log₂ P levels, each with a reduction for bounds and about 5 to 16 reductions of 240 bytes a plane; and an exchange of
    /// the points, the ids and each column.
    pub fn balance(&mut self, ranks: &Ranks, balance: &Balance) -> Result<Balanced, Error> {
        let weights = vec![1; self.len()];
        self.balance_by(ranks, balance, &weights)
    }

    /// Divides by weights instead, such as the number of neighbors in the last step. Weights are integers, since sums of floats, and with them
    /// the planes, would depend on the number of ranks. Points of weight 0 count only for [`most_points`](Balance::most_points).
    ///
    /// # Errors
    ///
    /// The errors of [`balance`](Self::balance), and if there are not as many weights as points.
    pub fn balance_by(
        &mut self,
        ranks: &Ranks,
        balance: &Balance,
        weights: &[u32],
    ) -> Result<Balanced, Error> {
        let _call = ranks.tell("dividing space");
        ranks.agree(self.check_len("weights", weights.len()))?;
        let before = self.division.as_ref();
        let (division, owned, divided) = divide(ranks, &self.points, weights, balance, before)?;
        let _call = ranks.tell("moving points to their owners");
        let left = self.send(ranks, &owned.to)?;
        self.division = Some(division);
        Ok(Balanced {
            divided,
            moved: ranks.sum(&[left])[0],
            heaviest: owned.heaviest(),
            fullest: owned.fullest(),
        })
    }
}

/// Returns the old planes, if they are good enough, or new ones; what each rank owns by them; and whether they are new.
pub(crate) fn divide<P: Point>(
    ranks: &Ranks,
    points: &[P],
    weights: &[u32],
    balance: &Balance,
    before: Option<&Division>,
) -> Result<(Division, Owned, bool), Error> {
    let Balance {
        tolerance,
        above,
        most_points,
    } = *balance;
    let is_sound = tolerance >= 0.0 && above >= 0.0 && most_points >= 0.0;
    // Each point takes an owner and a number; while planes are searched, a key and its weight.
    ranks.agree(if is_sound {
        ranks.take(points.len() * 24)
    } else {
        Err(Cause::argument(format_args!(
            "{balance:?}: not numbers from 0 on"
        )))
    })?;
    ranks.same(
        "balance",
        &[tolerance, above, most_points].map(f64::to_bits),
    )?;
    let before = before.filter(|division| division.ranks() == ranks.size());
    let most_points = most_points.max(1.0);
    if let Some(division) = before {
        let owned = Owned::new(ranks, points, weights, division);
        if owned.heaviest() <= above && owned.fullest() <= most_points {
            return Ok((division.clone(), owned, false));
        }
    }
    let rule = (tolerance, most_points);
    let division = Division::new(ranks, points, weights, rule, before);
    let owned = Owned::new(ranks, points, weights, &division);
    Ok((division, owned, true))
}

/// The points and weight that each rank owns by a division.
pub(crate) struct Owned {
    /// The owner of each point of this rank.
    to: Vec<u32>,
    weights: Vec<u64>,
    points: Vec<u64>,
}

impl Owned {
    fn new<P: Point>(ranks: &Ranks, points: &[P], weights: &[u32], division: &Division) -> Self {
        let to: Vec<u32> = points.iter().map(|&p| division.owner(p) as u32).collect();
        let mut both = vec![0_u64; 2 * ranks.size()];
        for (&rank, &weight) in to.iter().zip(weights) {
            both[rank as usize] += u64::from(weight);
            both[ranks.size() + rank as usize] += 1;
        }
        let mut weights = ranks.sum(&both);
        let points = weights.split_off(ranks.size());
        Self {
            to,
            weights,
            points,
        }
    }

    fn heaviest(&self) -> f64 {
        unevenness(&self.weights)
    }

    fn fullest(&self) -> f64 {
        unevenness(&self.points)
    }
}

/// Returns the largest load as a multiple of the mean; 1 if there is none.
fn unevenness(loads: &[u64]) -> f64 {
    let (sum, most) = (loads.iter().sum::<u64>(), loads.iter().max());
    match most {
        Some(&most) if sum > 0 => most as f64 * loads.len() as f64 / sum as f64,
        _ => 1.0,
    }
}
