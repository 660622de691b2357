//! The scan: the truth of every row, and a contestant at small sizes.

use crate::bench::Kind;
use crate::jobs::radius::Radius;
use crate::scenes::{count_within, is_within};

pub(crate) struct Scan<const D: usize>(Vec<[f32; D]>);

impl<const D: usize> Radius<D> for Scan<D> {
    const NAME: &'static str = "scan";
    const KIND: Kind = Kind::Reference;
    const MOST_POINTS: usize = 10_000;

    fn build(points: &[[f32; D]]) -> Self {
        Self(points.to_vec())
    }

    fn count(&mut self, center: &[f32; D], radius: f32) -> usize {
        count_within(&self.0, center, radius)
    }

    fn collect(&mut self, center: &[f32; D], radius: f32, ids: &mut Vec<u32>) {
        let hits = self
            .0
            .iter()
            .zip(0..)
            .filter(|(p, _)| is_within(p, center, radius));
        ids.extend(hits.map(|(_, id)| id));
    }
}
