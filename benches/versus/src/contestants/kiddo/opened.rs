//! Trees that are built from the points. kiddo's archive by rkyv does not take part: rkyv does not check that bytes are a tree, and
//! refuses its own bytes of some sets.

use ::kiddo::{ImmutableKdTree, SquaredEuclidean};

use super::flat_tree;
use crate::jobs::open::{OpenContestant, Opened, opener};

pub(super) fn open3() -> Vec<OpenContestant<3>> {
    vec![opener::<3, Built<3>>(), opener::<3, BuiltFlat<3>>()]
}

pub(super) fn open2() -> Vec<OpenContestant<2>> {
    vec![opener::<2, Built<2>>(), opener::<2, BuiltFlat<2>>()]
}

struct Built<const D: usize>(Vec<[f32; D]>);

struct BuiltFlat<const D: usize>(Vec<[f32; D]>);

macro_rules! opened {
    ($d:literal) => {
        impl Opened<$d> for Built<$d> {
            const NAME: &'static str = "kiddo";

            fn save(points: &[[f32; $d]]) -> Self {
                Self(points.to_vec())
            }

            fn nearest(&mut self, center: &[f32; $d]) -> u32 {
                let tree = ImmutableKdTree::<f32, $d>::new_from_slice(&self.0);
                let tree = tree.expect("kiddo takes these points");
                let query = tree.query(center);
                query.nearest_one::<SquaredEuclidean<f32>>().execute().item
            }
        }

        impl Opened<$d> for BuiltFlat<$d> {
            const NAME: &'static str = "kiddo flat";

            fn save(points: &[[f32; $d]]) -> Self {
                Self(points.to_vec())
            }

            fn nearest(&mut self, center: &[f32; $d]) -> u32 {
                let tree = flat_tree(&self.0);
                let query = tree.query(center);
                query.nearest_one::<SquaredEuclidean<f32>>().execute().item
            }
        }
    };
}

opened!(2);
opened!(3);
