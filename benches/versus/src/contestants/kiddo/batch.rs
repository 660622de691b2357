//! kiddo's calls for many queries.

use super::tree::{FlatKdTree, flat_tree};
use crate::answers::Answers;
use crate::contestant::{BatchRun, FlatLists, Index};
use ::kiddo::batch::BatchGroups;
use ::kiddo::{PairQueryResult, QueryResultItem, SquaredEuclidean};
use std::hint::black_box;

/// kiddo's batch of queries.
pub(super) struct Batch<const D: usize>(FlatKdTree<f32, D>);

/// kiddo's join of two trees. A tree cannot be joined with itself.
pub(super) struct Join<const D: usize>(FlatKdTree<f32, D>, FlatKdTree<f32, D>);

macro_rules! batch {
    ($d:literal) => {
        impl Batch<$d> {
            fn near(
                &self,
                points: &[[f32; $d]],
                radius: f32,
            ) -> BatchGroups<QueryResultItem<(), u32, ()>> {
                self.0
                    .query_batch(points)
                    .within::<SquaredEuclidean<f32>>(radius * radius)
                    .unsorted()
                    .without_distances()
                    .execute()
            }
        }

        impl Join<$d> {
            fn pairs(&self, radius: f32) -> Vec<PairQueryResult<u32, u32, ()>> {
                self.0
                    .query_tree(&self.1)
                    .within::<SquaredEuclidean<f32>>(radius * radius)
                    .without_distances()
                    .execute()
            }
        }

        impl Index<f32, $d> for Batch<$d> {
            const NAME: &'static str = "kiddo batch";

            fn build(points: &[[f32; $d]], _: f32) -> Self {
                Self(flat_tree(points))
            }
        }

        impl BatchRun<f32, $d> for Batch<$d> {
            fn lists(&mut self, points: &[[f32; $d]], radius: f32, _: &mut FlatLists) -> u64 {
                black_box(self.near(points, radius)).total_len() as u64
            }

            fn answers(&mut self, points: &[[f32; $d]], radius: f32, _: &mut FlatLists) -> Answers {
                let mut answers = Answers::default();
                for list in &self.near(points, radius) {
                    answers.push(list.iter().map(|found| found.item.into()));
                }
                answers
            }
        }

        impl Index<f32, $d> for Join<$d> {
            const NAME: &'static str = "kiddo join";

            fn build(points: &[[f32; $d]], _: f32) -> Self {
                Self(flat_tree(points), flat_tree(points))
            }
        }

        impl BatchRun<f32, $d> for Join<$d> {
            fn lists(&mut self, _: &[[f32; $d]], radius: f32, _: &mut FlatLists) -> u64 {
                black_box(self.pairs(radius)).len() as u64
            }

            fn answers(&mut self, points: &[[f32; $d]], radius: f32, _: &mut FlatLists) -> Answers {
                let mut pairs = self.pairs(radius);
                pairs.sort_unstable_by_key(|pair| pair.left_item);
                let (mut answers, mut rest) = (Answers::default(), pairs.as_slice());
                for id in 0..points.len() as u32 {
                    let (list, after) = rest.split_at(rest.partition_point(|p| p.left_item == id));
                    answers.push(list.iter().map(|pair| pair.right_item.into()));
                    rest = after;
                }
                answers
            }
        }
    };
}

batch!(2);
batch!(3);
