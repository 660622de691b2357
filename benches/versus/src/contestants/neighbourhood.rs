//! Two trees of neighbourhood: one reorders the points and counts fast, the other keeps their ids and borrows
//! the points.

use ::neighbourhood::{KdIndexTree, KdTree};
use self_cell::self_cell;

use super::Crate;
use crate::contestant::rebuilt::{CountContestant, SMALL, rebuilt, rebuilt_counter};
use crate::contestant::{BatchContestant, Index, Loop, Radius, RadiusContestant, radius};
use crate::race::Kind;

pub(super) struct Entries;

impl Crate for Entries {
    fn radius3(&self) -> Vec<RadiusContestant<f32, 3>> {
        vec![radius::<_, 3, Tree3>()]
    }

    fn radius3_f64(&self) -> Vec<RadiusContestant<f64, 3>> {
        vec![radius::<_, 3, TreeF64>()]
    }

    fn radius2(&self) -> Vec<RadiusContestant<f32, 2>> {
        vec![radius::<_, 2, Tree2>()]
    }

    fn lists3(&self) -> Vec<BatchContestant<f32, 3>> {
        vec![rebuilt::<_, 3, Loop<Tree3>>().up_to(SMALL)]
    }

    fn lists3_f64(&self) -> Vec<BatchContestant<f64, 3>> {
        vec![rebuilt::<_, 3, Loop<TreeF64>>().up_to(SMALL)]
    }

    fn lists2(&self) -> Vec<BatchContestant<f32, 2>> {
        vec![rebuilt::<_, 2, Loop<Tree2>>().up_to(SMALL)]
    }

    fn counts3(&self) -> Vec<CountContestant<f32, 3>> {
        vec![rebuilt_counter::<_, 3, Tree3>().up_to(SMALL)]
    }
}

struct Tree<C, S, const D: usize> {
    ids: C,
    /// The tree for counts, built at the first count, so that timed builds are those of the other tree.
    counts: Option<KdTree<S, D>>,
}

macro_rules! contestant {
    ($name:ident, $cell:ident, $index:ident, $s:ty, $d:literal) => {
        type $index<'a> = KdIndexTree<'a, $s, $d>;

        self_cell!(
            struct $cell {
                owner: Vec<[$s; $d]>,
                #[covariant]
                dependent: $index,
            }
        );

        type $name = Tree<$cell, $s, $d>;

        impl Index<$s, $d> for $name {
            const NAME: &'static str = "neighbourhood";
            const KIND: Kind = Kind::Reference;

            fn build(points: &[[$s; $d]], _: $s) -> Self {
                Self {
                    ids: $cell::new(points.to_vec(), |points| KdIndexTree::new(points)),
                    counts: None,
                }
            }
        }

        impl Radius<$s, $d> for $name {
            fn count(&mut self, center: &[$s; $d], radius: $s) -> usize {
                let points = self.ids.borrow_owner();
                let counts = self
                    .counts
                    .get_or_insert_with(|| KdTree::new(points.clone()));
                counts.count_neighbourhood(center, radius)
            }

            fn collect(&mut self, center: &[$s; $d], radius: $s, ids: &mut Vec<u32>) {
                let tree = self.ids.borrow_dependent();
                let found = tree.neighbourhood_by_index(center, radius);
                ids.extend(found.into_iter().map(|id| id as u32));
            }
        }
    };
}

contestant!(Tree2, Points2, Indices2, f32, 2);
contestant!(Tree3, Points3, Indices3, f32, 3);
contestant!(TreeF64, PointsF64, IndicesF64, f64, 3);
