//! kiddo's mutable tree.

use super::tree::Tree;
use crate::contestant::Radius;
use crate::jobs::loose::Changing;
use crate::worlds::Ball;
use ::kiddo::{MutableKdTree, SquaredEuclidean};

/// The mutable tree, filled by single insertions.
pub(super) struct Changed(Tree<MutableKdTree<f32, 3>, f32, 3>);

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
