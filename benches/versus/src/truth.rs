//! The expected answers of searches among points. The points are sorted by x, so that a query scans a slab of them.
//! This is exact, since rounding is monotone: for a point beyond the slab, the square on axis 0 alone is too large.

use std::collections::BinaryHeap;

use crate::answers::Answers;
use crate::points::Scalar;
use crate::scenes::radius_where;

pub(crate) struct Slabs<S, const D: usize> {
    /// The points with their ids, sorted by x.
    points: Vec<([S; D], u32)>,
}

/// The squared distance in the arithmetic that the crate promises: plain squares, summed from axis 0 on.
pub(crate) fn distance_sq<S: Scalar, const D: usize>(point: &[S; D], center: &[S; D]) -> S {
    let square = |a: usize| (center[a] - point[a]) * (center[a] - point[a]);
    (1..D).fold(square(0), |sum, a| sum + square(a))
}

impl<S: Scalar, const D: usize> Slabs<S, D> {
    pub(crate) fn new(points: &[[S; D]]) -> Self {
        let mut points: Vec<_> = points.iter().copied().zip(0..).collect();
        points.sort_unstable_by(|(a, _), (b, _)| a[0].order(b[0]));
        Self { points }
    }

    /// The points whose distance on axis 0 is at most the radius.
    fn slab(&self, center: &[S; D], radius: S) -> &[([S; D], u32)] {
        let x = center[0];
        let is_far = |p: S| (x - p) * (x - p) > radius * radius;
        let from = self
            .points
            .partition_point(|(p, _)| p[0] < x && is_far(p[0]));
        let rest = &self.points[from..];
        &rest[..rest.partition_point(|(p, _)| p[0] <= x || !is_far(p[0]))]
    }

    /// The points of the slab around a center, among them all points within the radius.
    pub(crate) fn around(&self, center: &[S; D], radius: S) -> impl Iterator<Item = &[S; D]> {
        self.slab(center, radius).iter().map(|(point, _)| point)
    }

    pub(crate) fn count(&self, center: &[S; D], radius: S) -> usize {
        let limit = radius * radius;
        let slab = self.slab(center, radius).iter();
        slab.filter(|(p, _)| distance_sq(p, center) <= limit)
            .count()
    }

    pub(crate) fn within(&self, centers: &[[S; D]], radius: S) -> Answers {
        let limit = radius * radius;
        let mut answers = Answers::default();
        for center in centers {
            let slab = self.slab(center, radius).iter();
            let hits = slab.filter(|(p, _)| distance_sq(p, center) <= limit);
            answers.push(hits.map(|(_, id)| u64::from(*id)));
        }
        answers
    }

    /// The squared distances of the `n` nearest points of each center: contestants may choose between points at
    /// the same distance.
    pub(crate) fn nearest(&self, centers: &[[S; D]], n: usize) -> Answers {
        let mut answers = Answers::default();
        for center in centers {
            let middle = self.points.partition_point(|(p, _)| p[0] < center[0]);
            let (left, right) = self.points.split_at(middle);
            // The bits of non-negative floats have the order of the floats.
            let mut best = BinaryHeap::new();
            let mut offer = |(point, _): &([S; D], u32)| {
                let along = (center[0] - point[0]) * (center[0] - point[0]);
                let is_full = best.len() == n;
                if is_full && best.peek().is_some_and(|worst| along.bits() > *worst) {
                    return false;
                }
                best.push(distance_sq(point, center).bits());
                if is_full {
                    best.pop();
                }
                true
            };
            // Go left and right by turns, on each side as long as its points may be among the nearest.
            let (mut left, mut right) = (left.iter().rev(), right.iter());
            let (mut goes_left, mut goes_right) = (true, true);
            while goes_left || goes_right {
                goes_left = goes_left && left.next().is_some_and(&mut offer);
                goes_right = goes_right && right.next().is_some_and(&mut offer);
            }
            answers.push(best);
        }
        answers
    }

    /// The radius at which the centers have `mean` points within it on average.
    pub(crate) fn radius_for(&self, centers: &[[S; D]], mean: f32) -> S {
        let count = |center: &[S; D], radius| self.count(center, S::from_f32(radius));
        S::from_f32(radius_where(self.points.len(), centers, mean, count))
    }
}
