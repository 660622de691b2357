//! The trees of kiddo.

use crate::contestant::{Index, Nearest, NearestN, Radius};
use ::kiddo::{
    Eytzinger, FlatVec, ImmutableKdTree, KdTree, MutableKdTree, QueryScratch, SquaredEuclidean,
};
use std::num::NonZero;

pub(super) type FlatKdTree<S, const D: usize> =
    KdTree<S, u32, Eytzinger, FlatVec<S, u32, D, 32>, D, 32>;

pub(super) struct Tree<T, S, const D: usize> {
    pub(super) tree: T,
    pub(super) scratch: QueryScratch<Eytzinger, S, D>,
}

pub(super) type Immutable<S, const D: usize> = Tree<ImmutableKdTree<S, D>, S, D>;
pub(super) type Flat<S, const D: usize> = Tree<FlatKdTree<S, D>, S, D>;
pub(super) type Mutable<S, const D: usize> = Tree<MutableKdTree<S, D>, S, D>;

macro_rules! contestant {
    ($tree:ident, $label:literal, $s:ty, $d:literal) => {
        impl Index<$s, $d> for Tree<$tree<$s, $d>, $s, $d> {
            const NAME: &'static str = $label;

            fn build(points: &[[$s; $d]], _: $s) -> Self {
                let tree = $tree::new_from_slice(points).expect("kiddo takes these points");
                let scratch = tree.create_scratch::<SquaredEuclidean<$s>>();
                Self { tree, scratch }
            }
        }

        impl Radius<$s, $d> for Tree<$tree<$s, $d>, $s, $d> {
            fn count(&mut self, center: &[$s; $d], radius: $s) -> usize {
                let mut count = 0;
                self.tree
                    .query(center)
                    .within::<SquaredEuclidean<$s>>(radius * radius)
                    .unsorted()
                    .without_items()
                    .without_distances()
                    .with_scratch(&mut self.scratch)
                    .visit(|_| count += 1);
                count
            }

            fn collect(&mut self, center: &[$s; $d], radius: $s, ids: &mut Vec<u32>) {
                self.tree
                    .query(center)
                    .within::<SquaredEuclidean<$s>>(radius * radius)
                    .unsorted()
                    .without_distances()
                    .with_scratch(&mut self.scratch)
                    .visit(|found| ids.push(found.item));
            }
        }

        impl Nearest<$s, $d> for Tree<$tree<$s, $d>, $s, $d> {
            fn nearest(&mut self, center: &[$s; $d]) -> u32 {
                let query = self.tree.query(center);
                let query = query.nearest_one::<SquaredEuclidean<$s>>();
                query.with_scratch(&mut self.scratch).execute().item
            }
        }

        impl NearestN<$s, $d> for Tree<$tree<$s, $d>, $s, $d> {
            fn nearest_n(&mut self, center: &[$s; $d], n: usize, ids: &mut Vec<u32>) {
                let n = NonZero::new(n).expect("some are asked for");
                let query = self.tree.query(center);
                let query = query.nearest_n::<SquaredEuclidean<$s>>(n);
                let found = query.with_scratch(&mut self.scratch).execute();
                ids.extend(found.into_iter().map(|found| found.item));
            }
        }
    };
}

contestant!(ImmutableKdTree, "kiddo", f32, 2);
contestant!(ImmutableKdTree, "kiddo", f32, 3);
contestant!(ImmutableKdTree, "kiddo", f64, 3);
contestant!(FlatKdTree, "kiddo flat", f32, 2);
contestant!(FlatKdTree, "kiddo flat", f32, 3);
contestant!(FlatKdTree, "kiddo flat", f64, 3);
contestant!(MutableKdTree, "kiddo mutable", f32, 2);
contestant!(MutableKdTree, "kiddo mutable", f32, 3);
contestant!(MutableKdTree, "kiddo mutable", f64, 3);

pub(super) fn flat_tree<const D: usize>(points: &[[f32; D]]) -> FlatKdTree<f32, D> {
    FlatKdTree::new_from_slice(points).expect("kiddo takes these points")
}
