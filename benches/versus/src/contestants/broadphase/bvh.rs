use ::bvh::aabb::{Aabb, Bounded};
use ::bvh::bounding_hierarchy::BHShape;
use ::bvh::bvh::Bvh;
use nalgebra::Point;

use crate::stepper::{Kept, Pair, Stepper};
use crate::worlds::Bounds;

pub(crate) struct Item<const D: usize> {
    pub(crate) bounds: Aabb<f32, D>,
    pub(crate) id: u32,
    node: usize,
}

/// Built anew each step: its own `update_shapes` takes out and puts in one box after the other.
pub(crate) struct Rebuilt<const D: usize> {
    items: Vec<Item<D>>,
    kept: Kept,
}

pub(crate) fn items<const D: usize>(boxes: &[Bounds<D>]) -> Vec<Item<D>> {
    let item = |(id, bounds)| Item {
        bounds: cuboid(bounds),
        id,
        node: 0,
    };
    (0..).zip(boxes).map(item).collect()
}

pub(crate) fn cuboid<const D: usize>(bounds: &Bounds<D>) -> Aabb<f32, D> {
    Aabb::with_bounds(Point::from(bounds.min), Point::from(bounds.max))
}

macro_rules! contestant {
    ($d:literal) => {
        impl Bounded<f32, $d> for Item<$d> {
            fn aabb(&self) -> Aabb<f32, $d> {
                self.bounds
            }
        }

        impl BHShape<f32, $d> for Item<$d> {
            fn set_bh_node_index(&mut self, node: usize) {
                self.node = node;
            }

            fn bh_node_index(&self) -> usize {
                self.node
            }
        }

        impl Stepper<$d> for Rebuilt<$d> {
            const NAME: &'static str = "bvh rebuilt";
            const STARTS_AFRESH: bool = true;
            const MOST_BOXES: usize = 100_000;

            fn new(boxes: &[Bounds<$d>]) -> Self {
                Self {
                    items: items(boxes),
                    kept: Kept::default(),
                }
            }

            fn step(&mut self, boxes: &[Bounds<$d>], moved: &[u32], pairs: &mut Vec<Pair>) {
                for (item, bounds) in self.items.iter_mut().zip(boxes) {
                    item.bounds = cuboid(bounds);
                }
                let bvh = Bvh::build(&mut self.items);
                let items = &self.items;
                self.kept
                    .step(boxes.len(), moved, pairs, |id, keep, pairs| {
                        for item in bvh.traverse_iterator(&items[id as usize].bounds, items) {
                            keep.offer(item.id, pairs);
                        }
                    });
            }
        }
    };
}

contestant!(2);
contestant!(3);
