//! The tree that kiddo recommends, and the flat leaves that its own radius benchmarks use.

use ::kiddo::{Eytzinger, FlatVec, ImmutableKdTree, KdTree, QueryScratch, SquaredEuclidean};

use crate::jobs::radius::Radius;

type FlatTree = KdTree<f32, u32, Eytzinger, FlatVec<f32, u32, 3, 32>, 3, 32>;

macro_rules! contestant {
    ($name:ident, $tree:ty, $label:literal) => {
        pub(crate) struct $name {
            tree: $tree,
            scratch: QueryScratch<Eytzinger, f32, 3>,
        }

        impl Radius<3> for $name {
            const NAME: &'static str = $label;

            fn build(points: &[[f32; 3]]) -> Self {
                let tree = <$tree>::new_from_slice(points).expect("kiddo takes finite points");
                let scratch = tree.create_scratch::<SquaredEuclidean<f32>>();
                Self { tree, scratch }
            }

            fn count(&mut self, center: &[f32; 3], radius: f32) -> usize {
                let mut count = 0;
                self.tree
                    .query(center)
                    .within::<SquaredEuclidean<f32>>(radius * radius)
                    .unsorted()
                    .without_items()
                    .without_distances()
                    .with_scratch(&mut self.scratch)
                    .visit(|_| count += 1);
                count
            }

            fn collect(&mut self, center: &[f32; 3], radius: f32, ids: &mut Vec<u32>) {
                self.tree
                    .query(center)
                    .within::<SquaredEuclidean<f32>>(radius * radius)
                    .unsorted()
                    .without_distances()
                    .with_scratch(&mut self.scratch)
                    .visit(|found| ids.push(found.item));
            }
        }
    };
}

contestant!(Immutable, ImmutableKdTree<f32, 3>, "kiddo");
contestant!(Flat, FlatTree, "kiddo flat");
