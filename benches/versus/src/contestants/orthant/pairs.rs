//! Queries between two trees, and a tree that is queried for each point of the other set.

use super::library::{Bounded, NeighborLists, Orthtree, SpatialIndex, Sphere, Vector};

use super::{KIND, NAME};
use crate::contestant::Filled;
use crate::jobs::pairs::Pairs;
use crate::race::Kind;

pub(super) struct Two<V: Bounded> {
    tree: Orthtree<V>,
    others: Orthtree<V>,
    near: NeighborLists,
}

impl<const D: usize> Pairs<D> for Two<[f32; D]>
where
    [f32; D]: Vector<Scalar = f32>,
{
    const NAME: &'static str = NAME;
    const KIND: Kind = KIND;

    fn build(points: &[[f32; D]], others: &[[f32; D]]) -> Self {
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

pub(super) struct OneByOne<V: Bounded> {
    tree: Orthtree<V>,
    others: Vec<V>,
    ids: Vec<u32>,
}

impl<V: Vector<Scalar = f32>> OneByOne<V> {
    fn nearest(&self) -> impl Iterator<Item = f32> {
        let others = self.others.iter();
        let nearest = others.filter_map(|&other| self.tree.nearest(other));
        nearest.map(|near| near.distance_sq)
    }
}

impl<const D: usize> Pairs<D> for OneByOne<[f32; D]>
where
    [f32; D]: Vector<Scalar = f32>,
{
    const NAME: &'static str = "orthant one by one";
    const KIND: Kind = Kind::Reference;

    fn build(points: &[[f32; D]], others: &[[f32; D]]) -> Self {
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
