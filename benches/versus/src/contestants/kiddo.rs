//! The tree that kiddo recommends, the flat leaves that its own radius benchmarks use, the tree
//! that can be changed; and its calls for many questions.

use std::hint::black_box;
use std::num::NonZero;

use ::kiddo::{
    Eytzinger, FlatVec, ImmutableKdTree, KdTree, MutableKdTree, QueryScratch, SquaredEuclidean,
};

use crate::answers::Answers;
use crate::contestant::{BatchRun, Index, Nearest, NearestN, Radius, Room};
use crate::jobs::loose::Changing;
use crate::jobs::predicate::Ball;

type FlatKdTree<S, const D: usize> = KdTree<S, u32, Eytzinger, FlatVec<S, u32, D, 32>, D, 32>;

pub(crate) struct Tree<T, S, const D: usize> {
    tree: T,
    scratch: QueryScratch<Eytzinger, S, D>,
}

pub(crate) type Immutable<S, const D: usize> = Tree<ImmutableKdTree<S, D>, S, D>;
pub(crate) type Flat<S, const D: usize> = Tree<FlatKdTree<S, D>, S, D>;
pub(crate) type Mutable<S, const D: usize> = Tree<MutableKdTree<S, D>, S, D>;

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

/// Its batch of queries.
pub(crate) struct Batch<const D: usize>(FlatKdTree<f32, D>);

/// Its join of two trees, which have to be two.
pub(crate) struct Join<const D: usize>(FlatKdTree<f32, D>, FlatKdTree<f32, D>);

macro_rules! batch {
    ($d:literal) => {
        impl Index<f32, $d> for Batch<$d> {
            const NAME: &'static str = "kiddo batch";

            fn build(points: &[[f32; $d]], _: f32) -> Self {
                Self(FlatKdTree::new_from_slice(points).expect("kiddo takes these points"))
            }
        }

        impl BatchRun<f32, $d> for Batch<$d> {
            fn lists(&mut self, points: &[[f32; $d]], radius: f32, _: &mut Room) -> u64 {
                let lists = self
                    .0
                    .query_batch(points)
                    .within::<SquaredEuclidean<f32>>(radius * radius)
                    .unsorted()
                    .without_distances()
                    .execute();
                black_box(lists).total_len() as u64
            }

            fn answers(&mut self, points: &[[f32; $d]], radius: f32, _: &mut Room) -> Answers {
                let lists = self
                    .0
                    .query_batch(points)
                    .within::<SquaredEuclidean<f32>>(radius * radius)
                    .unsorted()
                    .without_distances()
                    .execute();
                let mut answers = Answers::default();
                for list in &lists {
                    answers.push(list.iter().map(|found| found.item.into()));
                }
                answers
            }
        }

        impl Index<f32, $d> for Join<$d> {
            const NAME: &'static str = "kiddo join";

            fn build(points: &[[f32; $d]], _: f32) -> Self {
                let tree = || FlatKdTree::new_from_slice(points).expect("kiddo takes these points");
                Self(tree(), tree())
            }
        }

        impl BatchRun<f32, $d> for Join<$d> {
            fn lists(&mut self, _: &[[f32; $d]], radius: f32, _: &mut Room) -> u64 {
                let pairs = self
                    .0
                    .query_tree(&self.1)
                    .within::<SquaredEuclidean<f32>>(radius * radius)
                    .without_distances()
                    .execute();
                black_box(pairs).len() as u64
            }

            fn answers(&mut self, points: &[[f32; $d]], radius: f32, _: &mut Room) -> Answers {
                let mut pairs = self
                    .0
                    .query_tree(&self.1)
                    .within::<SquaredEuclidean<f32>>(radius * radius)
                    .without_distances()
                    .execute();
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

/// Put together by additions.
pub(crate) struct Changed(Tree<MutableKdTree<f32, 3>, f32, 3>);

impl Changing for Changed {
    const NAME: &'static str = "kiddo mutable";

    fn new() -> Self {
        let tree = MutableKdTree::default();
        let scratch = tree.create_scratch::<SquaredEuclidean<f32>>();
        Self(Tree { tree, scratch })
    }

    fn insert(&mut self, id: u32, item: &Ball) {
        let added = self.0.tree.add(&item.center, id);
        added.expect("kiddo can part these points");
    }

    fn update(&mut self, id: u32, from: &Ball, to: &Ball) {
        self.remove(id, from);
        self.insert(id, to);
    }

    fn remove(&mut self, id: u32, item: &Ball) {
        self.0.tree.remove(&item.center, id);
    }

    fn collect(&mut self, center: &[f32; 3], radius: f32, names: &mut Vec<u32>) {
        Radius::collect(&mut self.0, center, radius, names);
    }
}
