//! The nearest of many points in one call, in memory that is kept.

use std::hint::black_box;

use super::library::{NearestLists, Orthtree, SpatialIndex};

use super::{KIND, NAME};
use crate::answers::Answers;
use crate::contestant::{Filled, Index, NearestContestant, NearestRun, nearest_batch};
use crate::jobs::nearest::SEVERAL;
use crate::race::Kind;
use crate::truth::distance_sq;

pub(super) fn nearest_of_all3() -> Vec<NearestContestant<f32, 3>> {
    vec![nearest_batch::<_, 3, Batch<[f32; 3], true>>()]
}

pub(super) fn nearest_of_all2() -> Vec<NearestContestant<f32, 2>> {
    vec![nearest_batch::<_, 2, Batch<[f32; 2], true>>()]
}

pub(super) fn nearest_batch3() -> Vec<NearestContestant<f32, 3>> {
    vec![nearest_batch::<_, 3, Batch<[f32; 3], false>>()]
}

pub(super) fn nearest_batch2() -> Vec<NearestContestant<f32, 2>> {
    vec![nearest_batch::<_, 2, Batch<[f32; 2], false>>()]
}

/// The nearest of all points of the tree, each its own nearest, or of other points.
struct Batch<V: super::library::Bounded, const ALL: bool> {
    tree: Orthtree<V>,
    near: NearestLists<u32, f32>,
}

macro_rules! batch {
    ($d:literal) => {
        impl<const ALL: bool> Index<f32, $d> for Batch<[f32; $d], ALL> {
            const NAME: &'static str = NAME;
            const KIND: Kind = KIND;

            fn build(points: &[[f32; $d]], _: f32) -> Self {
                Self {
                    tree: Orthtree::new(points),
                    near: NearestLists::new(),
                }
            }
        }

        impl<const ALL: bool> NearestRun<f32, $d> for Batch<[f32; $d], ALL> {
            fn run(&mut self, centers: &[[f32; $d]], _: &mut Vec<u32>) -> u64 {
                if ALL {
                    self.tree
                        .nearest_n_of_all_into(SEVERAL, true, &mut self.near)
                        .filled();
                } else {
                    self.tree
                        .nearest_n_batch_into(centers, SEVERAL, &mut self.near)
                        .filled();
                }
                black_box(&self.near).items().items().len() as u64
            }

            fn answers(&mut self, points: &[[f32; $d]], centers: &[[f32; $d]]) -> Answers {
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
    };
}

batch!(2);
batch!(3);
