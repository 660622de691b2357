//! The nearest of many points in one call, in memory that is kept.

use std::hint::black_box;

use super::library::{Bounded, NearestLists, Orthtree, SpatialIndex, Vector};

use super::{KIND, NAME};
use crate::answers::Answers;
use crate::contestant::{Filled, Index, NearestRun};
use crate::jobs::nearest::SEVERAL;
use crate::race::Kind;
use crate::truth::distance_sq;

/// The nearest of all points of the tree, each its own nearest, or of other points.
pub(super) struct Batch<V: Bounded, const ALL: bool> {
    tree: Orthtree<V>,
    near: NearestLists<u32, f32>,
}

impl<const D: usize, const ALL: bool> Index<f32, D> for Batch<[f32; D], ALL>
where
    [f32; D]: Vector<Scalar = f32>,
{
    const NAME: &'static str = NAME;
    const KIND: Kind = KIND;

    fn build(points: &[[f32; D]], _: f32) -> Self {
        Self {
            tree: Orthtree::new(points),
            near: NearestLists::new(),
        }
    }
}

impl<const D: usize, const ALL: bool> NearestRun<f32, D> for Batch<[f32; D], ALL>
where
    [f32; D]: Vector<Scalar = f32>,
{
    fn run(&mut self, centers: &[[f32; D]], _: &mut Vec<u32>) -> u64 {
        let Self { tree, near } = self;
        if ALL {
            tree.nearest_n_of_all_into(SEVERAL, true, near).filled();
        } else {
            tree.nearest_n_batch_into(centers, SEVERAL, near).filled();
        }
        black_box(near).items().items().len() as u64
    }

    fn answers(&mut self, points: &[[f32; D]], centers: &[[f32; D]]) -> Answers {
        self.run(centers, &mut Vec::new());
        let mut answers = Answers::default();
        for (list, center) in self.near.items().iter().zip(centers) {
            let found = list
                .iter()
                .map(|i| distance_sq(&points[i], center).to_bits());
            answers.push(found.map(u64::from));
        }
        answers
    }
}
