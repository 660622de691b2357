//! Of what lies between two ranks, the part that each gets, so that all have about as many copies.
//!
//! ```text
//! all are told how many points of each rank are near which other
//! each two ranks: a pair goes whole to the one that has fewer copies so far, the largest pairs first
//! then, while they are uneven, in shares: each two ranks get as many as the others leave them, some sweeps over all
//! the lower of two ranks finds the plane that has its share of its points below, and tells the other
//! pairs of points are on the higher rank whose point of the lower one lies below the plane, the others on the lower
//! ```
//!
//! The higher rank gets the points below the plane, the lower one whatever is near its points above. Within a radius of
//! the plane, pairs are on both: the price of a share, so that what is not four times as long goes whole. No answer
//! depends on shares: [`Copies`](super::Copies) knows what is on both.

use orthant::{Aabb, Overlaps, Scalar};

use super::Around;
use crate::ranks::{by_rank, starts_of};
use crate::top::near::Near;
use crate::{Cloud, Error, Point, Ranks};

/// How far two ranks may be apart, in parts of the mean, before they share what lies between them.
const UNEVEN: f64 = 0.02;

/// Sweeps over all pairs of ranks: more hardly change anything on 64 ranks.
const SWEEPS: usize = 32;

/// A strip of a radius counts in thousandths of what lies between two ranks; a share is worth it up to a quarter.
const WIDEST: u32 = 250;

/// What lies between two ranks, the first the lower one.
struct Between {
    ranks: [usize; 2],
    /// How many copies either would get, if it got all pairs.
    copies: [f64; 2],
    /// The part that a strip of a radius is.
    strip: f64,
    /// The part of the pairs that goes to the higher rank.
    share: f64,
}

impl Between {
    /// The copies that either gets.
    fn loads(&self) -> [f64; 2] {
        let is_shared = self.share > 0.0 && self.share < 1.0;
        let strip = if is_shared { self.strip } else { 0.0 };
        let low = (1.0 - self.share + strip).min(1.0);
        [self.copies[0] * low, self.copies[1] * self.share]
    }

    fn set(&mut self, share: f64, loads: &mut [f64]) {
        let before = self.loads();
        self.share = share;
        let after = self.loads();
        for side in 0..2 {
            loads[self.ranks[side]] += after[side] - before[side];
        }
    }
}

/// Leaves in the routes of a whole halo what each rank gets of it.
pub(super) fn halve<P: Point>(
    ranks: &Ranks,
    cloud: &Cloud<P>,
    around: &Around<P>,
    routes: &mut [Vec<u32>],
) -> Result<(), Error> {
    let me = ranks.rank();
    let rows: Vec<[u32; 3]> = (0..routes.len())
        .filter(|&rank| !routes[rank].is_empty())
        .map(|rank| {
            let (_, length) = longest(cloud, &routes[rank]);
            let strip = around.radius.into() / length * 1000.0;
            [
                rank as u32,
                routes[rank].len() as u32,
                strip.min(1e6) as u32,
            ]
        })
        .collect();
    let all = ranks.share(&rows)?;
    let mut between = pairs(ranks.size(), |rank| all.of(rank));
    share(ranks.size(), &mut between);

    // Planes to the higher ranks, as axis and place.
    let mine = between.iter().filter(|pair| pair.ranks[0] == me);
    let planes = mine.map(|pair| {
        (
            pair.ranks[1],
            plane(cloud, &routes[pair.ranks[1]], pair.share),
        )
    });
    let planes: Vec<(usize, [f64; 2])> = planes.collect();
    let (sent, counts) = by_rank(ranks.size(), planes.iter().copied());
    let came = ranks.exchange(&sent, &counts)?;
    let starts = starts_of(&counts);
    for (rank, route) in routes.iter_mut().enumerate() {
        let plane = if rank > me {
            sent[starts[rank]..starts[rank + 1]].first()
        } else {
            came.of(rank).first()
        };
        // Where one of two ranks has nothing near the other, they have no pairs.
        let Some(&[axis, at]) = plane else {
            route.clear();
            continue;
        };
        let (axis, point) = (axis as usize, |i: u32| cloud.points[i as usize]);
        if rank > me {
            route.retain(|&i| point(i).axis(axis).into() < at);
        } else {
            let boxes = around.top.of(rank);
            let near: Vec<Near<P>> = boxes
                .filter_map(|(cuboid, _)| above(cuboid, axis, P::Scalar::from_f64(at)))
                .map(|above| Near {
                    around: above,
                    radius: around.radius,
                    images: around.images,
                })
                .collect();
            route.retain(|&i| near.iter().any(|near| near.overlaps(&point(i))));
        }
    }
    Ok(())
}

/// The part of a box above a place on an axis.
fn above<P: Point>(cuboid: &Aabb<P>, axis: usize, at: P::Scalar) -> Option<Aabb<P>> {
    let (min, max) = (cuboid.min(), cuboid.max());
    let low = |a: usize| {
        if a == axis {
            min.axis(a).larger(at)
        } else {
            min.axis(a)
        }
    };
    (max.axis(axis) >= at).then(|| Aabb::new(P::from_fn(low), max))
}

/// The axis on which some points extend farthest, and how far.
fn longest<P: Point>(cloud: &Cloud<P>, route: &[u32]) -> (usize, f64) {
    let length = |axis: usize| {
        let places = route
            .iter()
            .map(|&i| cloud.points[i as usize].axis(axis).into());
        let ends = places.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x: f64| {
            [low.min(x), high.max(x)]
        });
        ends[1] - ends[0]
    };
    let all = (0..P::DIM).map(|axis| (axis, length(axis)));
    all.fold(
        (0, 0.0),
        |best, this| if this.1 > best.1 { this } else { best },
    )
}

/// The plane below which a part of some points is: axis and place.
fn plane<P: Point>(cloud: &Cloud<P>, route: &[u32], share: f64) -> [f64; 2] {
    let (axis, _) = longest(cloud, route);
    let below = (share * route.len() as f64).round() as usize;
    let at = if share <= 0.0 {
        f64::NEG_INFINITY
    } else if share >= 1.0 || below >= route.len() {
        f64::INFINITY
    } else {
        let places = route
            .iter()
            .map(|&i| cloud.points[i as usize].axis(axis).into());
        let mut places: Vec<f64> = places.collect();
        *places.select_nth_unstable_by(below, f64::total_cmp).1
    };
    [axis as f64, at]
}

/// All pairs of ranks that have something near each other, those with most first; `rows` are what each rank says: a rank
/// that it is near, how many of its points are, and the strip.
fn pairs<'a>(size: usize, rows: impl Fn(usize) -> &'a [[u32; 3]]) -> Vec<Between> {
    let mut pairs = Vec::new();
    for a in 0..size {
        for &[b, to_b, strip] in rows(a).iter().filter(|row| row[0] as usize > a) {
            let back = rows(b as usize);
            if let Ok(at) = back.binary_search_by_key(&(a as u32), |row| row[0]) {
                pairs.push(Between {
                    ranks: [a, b as usize],
                    copies: [back[at][1].into(), to_b.into()],
                    strip: f64::from(strip) / 1000.0,
                    share: 0.0,
                });
            }
        }
    }
    let larger = |pair: &Between| pair.copies[0].max(pair.copies[1]);
    // Stable: the same on all ranks.
    pairs.sort_by(|x, y| larger(y).total_cmp(&larger(x)));
    pairs
}

/// Sets the shares, alike on all ranks.
fn share(size: usize, pairs: &mut [Between]) {
    let mut loads = vec![0.0; size];
    for pair in &mut *pairs {
        let [a, b] = pair.ranks;
        let [low, high] = [loads[a] + pair.copies[0], loads[b] + pair.copies[1]];
        loads[a] += pair.copies[0];
        let is_high = high < low || high == low && (a + b).is_multiple_of(2);
        pair.set(f64::from(u8::from(is_high)), &mut loads);
    }
    for _ in 0..SWEEPS {
        let apart = UNEVEN * loads.iter().sum::<f64>() / size as f64;
        for pair in &mut *pairs {
            let [a, b] = pair.ranks;
            if (loads[a] - loads[b]).abs() <= apart {
                continue;
            }
            let had = pair.loads();
            let can_share = pair.strip * 1000.0 <= f64::from(WIDEST);
            let strip = if can_share { pair.strip } else { 0.0 };
            let low = loads[a] - had[0] + pair.copies[0] * (1.0 + strip);
            let share = (low - loads[b] + had[1]) / (pair.copies[0] + pair.copies[1]);
            let share = if can_share {
                share.clamp(0.0, 1.0)
            } else {
                share.clamp(0.0, 1.0).round()
            };
            pair.set(share, &mut loads);
        }
    }
}
