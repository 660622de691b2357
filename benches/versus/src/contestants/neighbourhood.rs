//! Two trees of neighbourhood: one reorders the points and counts fast, the other keeps their ids and borrows
//! the points.

use ::neighbourhood::{KdIndexTree, KdTree};
use self_cell::self_cell;

use super::Register;
use crate::contestant::rebuilt::{SMALL, rebuilt, rebuilt_counter};
use crate::contestant::{Index, Loop, Radius, radius};
use crate::race::Kind;

pub(super) fn enter(to: &mut Register) {
    to.radius3.push(radius::<_, 3, Tree3>());
    to.radius3_f64.push(radius::<_, 3, TreeF64>());
    to.radius2.push(radius::<_, 2, Tree2>());
    to.lists3.push(rebuilt::<_, 3, Loop<Tree3>>().up_to(SMALL));
    to.lists3_f64
        .push(rebuilt::<_, 3, Loop<TreeF64>>().up_to(SMALL));
    to.lists2.push(rebuilt::<_, 2, Loop<Tree2>>().up_to(SMALL));
    to.counts3
        .push(rebuilt_counter::<_, 3, Tree3>().up_to(SMALL));
}

struct Tree<C, S, const D: usize> {
    ids: C,
    /// The tree for counts, built at the first count, so that timed builds do not include it.
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
