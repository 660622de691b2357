//! Trees that are built anew, and an archive of rkyv's, whose bytes are checked to be lists of numbers and not to be a
//! tree: a question to one that was altered may panic.

use ::kiddo::kd_tree::ArchivedKdTree;
use ::kiddo::leaf_strategy::VecOfArenas;
use ::kiddo::{Eytzinger, ImmutableKdTree, SquaredEuclidean};
use rkyv::rancor::Error;
use rkyv::util::AlignedVec;

use super::flat_tree;
use crate::jobs::open::{OpenContestant, Opened, opener};
use crate::race::Kind;

pub(super) fn open3() -> Vec<OpenContestant<3>> {
    vec![
        opener::<3, Built<3>>(),
        opener::<3, BuiltFlat<3>>(),
        opener::<3, Archive<3>>(),
    ]
}

pub(super) fn open2() -> Vec<OpenContestant<2>> {
    vec![
        opener::<2, Built<2>>(),
        opener::<2, BuiltFlat<2>>(),
        opener::<2, Archive<2>>(),
    ]
}

struct Built<const D: usize>(Vec<[f32; D]>);

struct BuiltFlat<const D: usize>(Vec<[f32; D]>);

struct Archive<const D: usize>(AlignedVec<64>);

type Archived<const D: usize> =
    ArchivedKdTree<f32, u32, Eytzinger, VecOfArenas<f32, u32, D, 32>, D, 32>;

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

        impl Opened<$d> for Archive<$d> {
            const NAME: &'static str = "kiddo archive";
            const KIND: Kind = Kind::Reference;

            fn save(points: &[[f32; $d]]) -> Self {
                let tree = ImmutableKdTree::<f32, $d>::new_from_slice(points);
                let tree = tree.expect("kiddo takes these points");
                let bytes = rkyv::to_bytes::<Error>(&tree).expect("rkyv takes the tree");
                let mut aligned = AlignedVec::with_capacity(bytes.len());
                aligned.extend_from_slice(&bytes);
                Self(aligned)
            }

            fn nearest(&mut self, center: &[f32; $d]) -> u32 {
                let tree = rkyv::access::<Archived<$d>, Error>(&self.0);
                let query = tree.expect("its own bytes").query(center);
                query.nearest_one::<SquaredEuclidean<f32>>().execute().item
            }
        }
    };
}

opened!(2);
opened!(3);
