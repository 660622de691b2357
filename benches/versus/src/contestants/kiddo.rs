//! kiddo: the tree that it recommends, the flat leaves that its own radius benchmarks use, the mutable
//! tree, and its calls for many queries.

mod opened;

use std::hint::black_box;
use std::num::NonZero;

use ::kiddo::batch::BatchGroups;
use ::kiddo::{
    Eytzinger, FlatVec, ImmutableKdTree, KdTree, MutableKdTree, PairQueryResult, QueryResultItem,
    QueryScratch, SquaredEuclidean,
};

use super::Register;
use crate::answers::Answers;
use crate::contestant::ghosts::Ghosts;
use crate::contestant::rebuilt::{CountRun, counter, lister, rebuilt, rebuilt_counter};
use crate::contestant::{
    BatchRun, FlatLists, Index, Loop, Nearest, NearestN, Radius, batch, nearest, nearest_n, radius,
};
use crate::jobs::groups::{by_queries, grouper};
use crate::jobs::loose::{Changing, changer};
use crate::jobs::nearest::SEVERAL;
use crate::jobs::pairs::{Pairs, pairs};
use crate::race::Kind;
use crate::worlds::Ball;

pub(super) fn enter(to: &mut Register) {
    to.radius3.extend([
        radius::<_, 3, Immutable<f32, 3>>(),
        radius::<_, 3, Flat<f32, 3>>(),
        radius::<_, 3, Mutable<f32, 3>>(),
    ]);
    to.radius3_f64.extend([
        radius::<_, 3, Immutable<f64, 3>>(),
        radius::<_, 3, Flat<f64, 3>>(),
        radius::<_, 3, Mutable<f64, 3>>(),
    ]);
    to.radius2.extend([
        radius::<_, 2, Immutable<f32, 2>>(),
        radius::<_, 2, Flat<f32, 2>>(),
        radius::<_, 2, Mutable<f32, 2>>(),
    ]);
    to.batch3.extend([
        batch::<_, 3, Loop<Immutable<f32, 3>>>(),
        batch::<_, 3, Loop<Flat<f32, 3>>>(),
        batch::<_, 3, Batch<3>>(),
        batch::<_, 3, Join<3>>(),
    ]);
    to.batch2.extend([
        batch::<_, 2, Loop<Immutable<f32, 2>>>(),
        batch::<_, 2, Loop<Flat<f32, 2>>>(),
        batch::<_, 2, Batch<2>>(),
        batch::<_, 2, Join<2>>(),
    ]);
    to.nearest3.extend([
        nearest::<_, 3, Immutable<f32, 3>>(),
        nearest::<_, 3, Flat<f32, 3>>(),
        nearest::<_, 3, Mutable<f32, 3>>(),
    ]);
    to.nearest_n3.extend([
        nearest_n::<_, 3, Immutable<f32, 3>, SEVERAL>(),
        nearest_n::<_, 3, Flat<f32, 3>, SEVERAL>(),
        nearest_n::<_, 3, Mutable<f32, 3>, SEVERAL>(),
    ]);
    to.nearest2.extend([
        nearest::<_, 2, Immutable<f32, 2>>(),
        nearest::<_, 2, Flat<f32, 2>>(),
        nearest::<_, 2, Mutable<f32, 2>>(),
    ]);
    to.nearest_n2.extend([
        nearest_n::<_, 2, Immutable<f32, 2>, SEVERAL>(),
        nearest_n::<_, 2, Flat<f32, 2>, SEVERAL>(),
        nearest_n::<_, 2, Mutable<f32, 2>, SEVERAL>(),
    ]);
    to.groups3.push(grouper("kiddo", Kind::Peer, groups::<3>));
    to.groups2.push(grouper("kiddo", Kind::Peer, groups::<2>));
    to.open3.extend(opened::open());
    to.open2.extend(opened::open());
    to.pairs3.extend([
        pairs::<3, OneByOne<3, Immutable<f32, 3>>>(),
        pairs::<3, OneByOne<3, Flat<f32, 3>>>(),
    ]);
    to.pairs2.extend([
        pairs::<2, OneByOne<2, Immutable<f32, 2>>>(),
        pairs::<2, OneByOne<2, Flat<f32, 2>>>(),
    ]);
    to.changing_points.push(changer::<Changed>());
    to.lists3.extend([
        rebuilt::<_, 3, Loop<Immutable<f32, 3>>>(),
        rebuilt::<_, 3, Loop<Flat<f32, 3>>>(),
        rebuilt::<_, 3, Batch<3>>(),
        rebuilt::<_, 3, Join<3>>(),
    ]);
    to.lists3_f64.extend([
        rebuilt::<_, 3, Loop<Immutable<f64, 3>>>(),
        rebuilt::<_, 3, Loop<Flat<f64, 3>>>(),
    ]);
    to.lists2.extend([
        rebuilt::<_, 2, Loop<Immutable<f32, 2>>>(),
        rebuilt::<_, 2, Loop<Flat<f32, 2>>>(),
        rebuilt::<_, 2, Batch<2>>(),
        rebuilt::<_, 2, Join<2>>(),
    ]);
    to.periodic3.extend([
        lister::<_, 3, Periodic>("kiddo"),
        lister::<_, 3, Ghosts<Flat<f32, 3>>>("kiddo flat, ghosts"),
    ]);
    to.counts3.extend([
        rebuilt_counter::<_, 3, Immutable<f32, 3>>(),
        rebuilt_counter::<_, 3, Flat<f32, 3>>(),
        counter::<_, 3, JoinCount>("kiddo join"),
    ]);
}

type FlatKdTree<S, const D: usize> = KdTree<S, u32, Eytzinger, FlatVec<S, u32, D, 32>, D, 32>;

struct Tree<T, S, const D: usize> {
    tree: T,
    scratch: QueryScratch<Eytzinger, S, D>,
}

type Immutable<S, const D: usize> = Tree<ImmutableKdTree<S, D>, S, D>;
type Flat<S, const D: usize> = Tree<FlatKdTree<S, D>, S, D>;
type Mutable<S, const D: usize> = Tree<MutableKdTree<S, D>, S, D>;

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

fn flat_tree<const D: usize>(points: &[[f32; D]]) -> FlatKdTree<f32, D> {
    FlatKdTree::new_from_slice(points).expect("kiddo takes these points")
}

/// kiddo's batch of queries.
struct Batch<const D: usize>(FlatKdTree<f32, D>);

/// kiddo's join of two trees. A tree cannot be joined with itself.
struct Join<const D: usize>(FlatKdTree<f32, D>, FlatKdTree<f32, D>);

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

/// The mutable tree, filled by single insertions.
struct Changed(Tree<MutableKdTree<f32, 3>, f32, 3>);

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

/// kiddo's periodic queries in the unit cube, one for each point.
#[derive(Default)]
struct Periodic;

impl BatchRun<f32, 3> for Periodic {
    fn lists(&mut self, points: &[[f32; 3]], radius: f32, out: &mut FlatLists) -> u64 {
        let tree = flat_tree(points);
        out.offsets.clear();
        out.ids.clear();
        out.offsets.push(0);
        for point in points {
            let found = tree
                .query(point)
                .periodic_boundary_condition(&[1.0; 3])
                .within::<SquaredEuclidean<f32>>(radius * radius)
                .unsorted()
                .without_distances()
                .execute();
            out.ids.extend(found.iter().map(|found| found.item));
            out.offsets.push(out.ids.len());
        }
        out.ids.len() as u64
    }
}

/// The number of pairs of kiddo's join.
#[derive(Default)]
struct JoinCount;

impl CountRun<f32, 3> for JoinCount {
    fn count(&mut self, points: &[[f32; 3]], radius: f32) -> u64 {
        let (left, right) = (flat_tree(points), flat_tree(points));
        left.query_tree(&right)
            .within::<SquaredEuclidean<f32>>(radius * radius)
            .without_distances()
            .count() as u64
    }
}

/// Clusters by a radius query for each point.
fn groups<const D: usize>(points: &[[f32; D]], radius: f32, least: usize) -> Vec<u32>
where
    Flat<f32, D>: Radius<f32, D>,
{
    let mut tree = Flat::build(points, radius);
    by_queries(points.len(), least, |point, near| {
        tree.collect(&points[point as usize], radius, near);
    })
}

/// Two sets of points, by a query for each of the others.
struct OneByOne<const D: usize, T> {
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
