//! One of its trees reorders the points and counts fast; the other keeps their ids and borrows
//! them.

use ::neighbourhood::{KdIndexTree, KdTree};
use self_cell::self_cell;

use crate::bench::Kind;
use crate::contestant::{Index, Radius};

pub(crate) struct Tree<C, S, const D: usize> {
    ids: C,
    /// Made when it is first asked: the build is that of the other.
    counts: Option<KdTree<S, D>>,
}

macro_rules! contestant {
    ($name:ident, $cell:ident, $index:ident, $s:ty, $d:literal) => {
        type $index<'a> = KdIndexTree<'a, $s, $d>;

        self_cell!(
            pub(crate) struct $cell {
                owner: Vec<[$s; $d]>,
                #[covariant]
                dependent: $index,
            }
        );

        pub(crate) type $name = Tree<$cell, $s, $d>;

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
