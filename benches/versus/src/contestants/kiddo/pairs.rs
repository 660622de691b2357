//! Clusters and queries between two sets, by queries point by point.

use super::tree::{Flat, FlatKdTree, Tree};
use crate::contestant::{Index, Radius};
use crate::jobs::groups::by_queries;
use crate::jobs::pairs::Pairs;
use ::kiddo::{ImmutableKdTree, SquaredEuclidean};
use std::hint::black_box;

/// Clusters by a radius query for each point.
pub(super) fn groups<const D: usize>(points: &[[f32; D]], radius: f32, least: usize) -> Vec<u32>
where
    Flat<f32, D>: Radius<f32, D>,
{
    let mut tree = Flat::build(points, radius);
    by_queries(points.len(), least, |point, near| {
        tree.collect(&points[point as usize], radius, near);
    })
}

/// Two sets of points, by a query for each of the others.
pub(super) struct OneByOne<const D: usize, T> {
    index: T,
    others: Vec<[f32; D]>,
    ids: Vec<u32>,
}

macro_rules! pairs {
    ($tree:ident, $d:literal) => {
        impl OneByOne<$d, Tree<$tree<f32, $d>, f32, $d>> {
            fn nearest(&mut self) -> impl Iterator<Item = f32> {
                let Tree { tree, scratch } = &mut self.index;
                self.others.iter().map(|other| {
                    let query = tree.query(other);
                    let query = query.nearest_one::<SquaredEuclidean<f32>>();
                    query.with_scratch(scratch).execute().distance
                })
            }
        }

        impl Pairs<$d> for OneByOne<$d, Tree<$tree<f32, $d>, f32, $d>> {
            const NAME: &'static str = <Tree<$tree<f32, $d>, f32, $d> as Index<f32, $d>>::NAME;

            fn build(points: &[[f32; $d]], others: &[[f32; $d]]) -> Self {
                Self {
                    index: Index::build(points, 0.0),
                    others: others.to_vec(),
                    ids: Vec::new(),
                }
            }

            fn lists(&mut self, radius: f32) -> u64 {
                self.ids.clear();
                for other in &self.others {
                    Radius::collect(&mut self.index, other, radius, &mut self.ids);
                }
                black_box(&self.ids).len() as u64
            }

            /// Finds all points within the largest radius, and compares their distances with each radius.
            fn counts(&mut self, radii: &[f32]) -> Vec<u64> {
                let mut limits = [f32::NEG_INFINITY; 10];
                for (limit, radius) in limits.iter_mut().zip(radii) {
                    *limit = radius * radius;
                }
                let most = limits.into_iter().fold(0.0, f32::max);
                let mut counts = [0; 10];
                let Tree { tree, scratch } = &mut self.index;
                for other in &self.others {
                    tree.query(other)
                        .within::<SquaredEuclidean<f32>>(most)
                        .unsorted()
                        .without_items()
                        .with_scratch(scratch)
                        .visit(|found| {
                            for (count, limit) in counts.iter_mut().zip(&limits) {
                                *count += u64::from(found.distance <= *limit);
                            }
                        });
                }
                counts[..radii.len()].to_vec()
            }

            fn closest(&mut self) -> f32 {
                self.nearest().fold(f32::INFINITY, f32::min)
            }

            fn farthest(&mut self) -> f32 {
                self.nearest().fold(0.0, f32::max)
            }
        }
    };
}

pairs!(ImmutableKdTree, 2);
pairs!(ImmutableKdTree, 3);
pairs!(FlatKdTree, 2);
pairs!(FlatKdTree, 3);
