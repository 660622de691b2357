//! The plain scan: where it is ahead, no structure is worth its while.

use crate::bench::Kind;
use crate::contestant::{Index, Radius};
use crate::points::Scalar;
use crate::truth::distance_sq;

pub(crate) struct Scan<S, const D: usize>(Vec<[S; D]>);

impl<S: Scalar, const D: usize> Index<S, D> for Scan<S, D> {
    const NAME: &'static str = "scan";
    const KIND: Kind = Kind::Reference;
    const MOST_POINTS: usize = 10_000;

    fn build(points: &[[S; D]], _: S) -> Self {
        Self(points.to_vec())
    }
}

impl<S: Scalar, const D: usize> Radius<S, D> for Scan<S, D> {
    fn count(&mut self, center: &[S; D], radius: S) -> usize {
        let limit = radius * radius;
        let hits = self.0.iter().filter(|p| distance_sq(p, center) <= limit);
        hits.count()
    }

    fn collect(&mut self, center: &[S; D], radius: S, ids: &mut Vec<u32>) {
        let limit = radius * radius;
        let hits = (self.0.iter().zip(0..)).filter(|(p, _)| distance_sq(p, center) <= limit);
        ids.extend(hits.map(|(_, id)| id));
    }
}
