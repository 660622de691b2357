//! Divides the pairs between two ranks, so that all ranks have about as many copies.
//!
//! ```text
//! send to all how many points of each rank are near which other
//! for each two ranks, the largest numbers first: all their pairs go to the rank that has fewer copies so far
//! while copies are uneven, in some sweeps: each two ranks share their pairs so as to even out the rest
//! for each two ranks, the lower finds the plane that has its share of its points below, and tells the other
//! a pair is on the higher rank if its point of the lower rank lies below the plane, otherwise on the lower rank
//! ```
//!
//! The higher rank gets copies of the points below the plane, the lower one copies of the points near its own above. Pairs within a radius of
//! the plane are on both ranks: this is the price of sharing, so regions less than four radii long are not shared. No answer depends on shares:
//! [`Copies`](super::Copies) knows which points are on both.

use orthant::{Aabb, Overlaps, Scalar};

use super::Around;
use crate::ranks::{by_rank, starts_of};
use crate::top::near::Near;
use crate::{Cloud, Error, Point, Ranks};

/// The difference between two ranks, as a fraction of the mean, from which they share their pairs.
const UNEVEN: f64 = 0.02;

/// The number of sweeps over all pairs of ranks; on 64 ranks more hardly change anything.
const SWEEPS: usize = 32;

/// The widest strip of a radius, in thousandths of the region between two ranks, with which sharing is worthwhile.
const WIDEST: u32 = 250;

/// The pairs between two ranks, the lower rank first.
struct Between {
    ranks: [usize; 2],
    /// The number of copies that either rank would get for all pairs.
    copies: [f64; 2],
    /// The fraction of the region that a strip of a radius takes.
    strip: f64,
    /// The fraction of the pairs that goes to the higher rank.
    share: f64,
}

impl Between {
    /// Returns the copies that either rank gets.
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

/// Reduces the routes of a whole halo to what each rank gets of a half.
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

    // The planes that go to the higher ranks, as axis and position.
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
        // If one of two ranks has nothing near the other, they have no pairs.
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

/// Returns the part of a box above a position on an axis.
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

/// Returns the axis on which some points extend farthest, and how far.
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

/// Returns the plane below which a fraction of some points lies, as axis and position.
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

/// Returns all pairs of ranks with points near each other, the largest first. `rows` returns the entries of a rank: the number of a rank that it
/// is near, how many of its points are near, and the strip.
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
    // The sort is stable, and so equal on all ranks.
    pairs.sort_by(|x, y| larger(y).total_cmp(&larger(x)));
    pairs
}

/// Sets the shares, equally on all ranks.
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
