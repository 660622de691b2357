//! Queries between two trees, and a tree that is queried for each point of the other set.

use super::library::{NeighborLists, Orthtree, SpatialIndex, Sphere};

use super::{KIND, NAME};
use crate::contestant::Filled;
use crate::jobs::pairs::{Pairs, PairsContestant, pairs};
use crate::race::Kind;

pub(super) fn pairs3() -> Vec<PairsContestant<3>> {
    vec![pairs::<3, Two3>(), pairs::<3, Loop3>()]
}

pub(super) fn pairs2() -> Vec<PairsContestant<2>> {
    vec![pairs::<2, Two2>(), pairs::<2, Loop2>()]
}

macro_rules! both {
    ($d:literal, $two:ident, $loop:ident) => {
        struct $two {
            tree: Orthtree<[f32; $d]>,
            others: Orthtree<[f32; $d]>,
            near: NeighborLists,
        }

        impl Pairs<$d> for $two {
            const NAME: &'static str = NAME;
            const KIND: Kind = KIND;

            fn build(points: &[[f32; $d]], others: &[[f32; $d]]) -> Self {
                Self {
                    tree: Orthtree::new(points),
                    others: Orthtree::new(others),
                    near: NeighborLists::new(),
                }
            }

            fn lists(&mut self, radius: f32) -> u64 {
                let Self { tree, others, near } = self;
                tree.neighbors_of_into(others, radius, near).filled();
                near.total() as u64
            }

            fn counts(&mut self, radii: &[f32]) -> Vec<u64> {
                self.tree.count_neighbors(&self.others, radii, true)
            }

            fn closest(&mut self) -> f32 {
                let pair = self.others.closest_pair_with(&self.tree);
                pair.map_or(f32::INFINITY, |pair| pair.distance_sq)
            }

            fn farthest(&mut self) -> f32 {
                let pair = self.others.directed_hausdorff(&self.tree);
                pair.map_or(0.0, |pair| pair.distance_sq)
            }
        }

        struct $loop {
            tree: Orthtree<[f32; $d]>,
            others: Vec<[f32; $d]>,
            ids: Vec<u32>,
        }

        impl $loop {
            fn nearest(&self) -> impl Iterator<Item = f32> {
                let nearest = self
                    .others
                    .iter()
                    .filter_map(|&other| self.tree.nearest(other));
                nearest.map(|near| near.distance_sq)
            }
        }

        impl Pairs<$d> for $loop {
            const NAME: &'static str = "orthant one by one";
            const KIND: Kind = Kind::Reference;

            fn build(points: &[[f32; $d]], others: &[[f32; $d]]) -> Self {
                Self {
                    tree: Orthtree::new(points),
                    others: others.to_vec(),
                    ids: Vec::new(),
                }
            }

            fn lists(&mut self, radius: f32) -> u64 {
                self.ids.clear();
                for &other in &self.others {
                    let query = SpatialIndex::query(&self.tree, Sphere::new(other, radius));
                    query.append_to(&mut self.ids);
                }
                self.ids.len() as u64
            }

            fn counts(&mut self, radii: &[f32]) -> Vec<u64> {
                let count = |&radius: &f32| {
                    let others = self.others.iter();
                    let counts = others.map(|&p| self.tree.count(Sphere::new(p, radius)) as u64);
                    counts.sum()
                };
                radii.iter().map(count).collect()
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

both!(2, Two2, Loop2);
both!(3, Two3, Loop3);
