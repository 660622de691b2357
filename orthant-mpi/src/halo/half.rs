//! Of each two ranks, the one that gets copies from the other, so that all get about as many.

use orthant::{Aabb, Vector};

use crate::near::{Images, Near};
use crate::top::Top;
use crate::{Point, Ranks};

/// Whether this rank's points are copied to each rank.
///
/// All ranks work it out alike, from the boxes of all: nothing is sent. The number of copies is an estimate, by
/// the part of a rank's box that is near the other's; no answer depends on it.
pub(super) fn receivers<P: Point>(
    ranks: &Ranks,
    top: &Top<P>,
    radius: P::Scalar,
    images: Images<P>,
) -> Vec<bool> {
    let bounds: Vec<Option<Aabb<P>>> = (0..ranks.size()).map(|rank| top.bounds(rank)).collect();
    let points: Vec<f64> = (0..ranks.size())
        .map(|rank| top.of(rank).map(|(_, count)| f64::from(count)).sum())
        .collect();
    let mut pairs: Vec<(f64, f64, usize, usize)> = Vec::new();
    let mut near = Vec::new();
    for (a, around) in bounds.iter().enumerate() {
        let Some(around) = *around else { continue };
        near.clear();
        let question = Near {
            around,
            radius,
            images,
        };
        // Boxes of a rank may be several: the box around them is near if any of them is.
        top.visit(question, |b, _| near.push(b));
        near.sort_unstable();
        near.dedup();
        for &b in near.iter().filter(|&&b| b > a) {
            if let Some(other) = bounds[b] {
                let to_b = points[a] * shared(&around, &other, radius);
                let to_a = points[b] * shared(&other, &around, radius);
                pairs.push((to_a, to_b, a, b));
            }
        }
    }
    let larger = |pair: &(f64, f64, usize, usize)| pair.0.max(pair.1);
    pairs.sort_by(|x, y| {
        larger(y)
            .total_cmp(&larger(x))
            .then((x.2, x.3).cmp(&(y.2, y.3)))
    });
    let mut copies = vec![0.0_f64; ranks.size()];
    let mut receives = vec![false; ranks.size()];
    for (to_a, to_b, a, b) in pairs {
        let b_gets = copies[b] + to_b < copies[a] + to_a
            || copies[b] + to_b == copies[a] + to_a && (a + b) % 2 == 0;
        if b_gets {
            copies[b] += to_b;
        } else {
            copies[a] += to_a;
        }
        if a == ranks.rank() {
            receives[b] = b_gets;
        } else if b == ranks.rank() {
            receives[a] = !b_gets;
        }
    }
    receives
}

/// About which part of a box is within a radius of another one. Across the ends of a periodic box, as if it were
/// beside it.
fn shared<P: Vector>(from: &Aabb<P>, to: &Aabb<P>, radius: P::Scalar) -> f64 {
    let radius: f64 = radius.into();
    let on = |axis: usize| {
        let (low, high): (f64, f64) = (from.min().axis(axis).into(), from.max().axis(axis).into());
        let (start, end): (f64, f64) = (to.min().axis(axis).into(), to.max().axis(axis).into());
        let length = high - low;
        let overlap = high.min(end + radius) - low.max(start - radius);
        // Beyond the end, it is an image that is near: by about a radius.
        let overlap = if overlap < 0.0 { radius } else { overlap };
        if length > 0.0 {
            (overlap / length).min(1.0)
        } else {
            1.0
        }
    };
    (0..P::DIM).map(on).product()
}
