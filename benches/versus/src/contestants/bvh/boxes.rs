//! Boxes that move, and boxes at rest.

use crate::contestant::at_rest::{AtRest, Find};
use crate::jobs::frustum::View;
use crate::stepper::{KeptPairs, Pair, Stepper};
use crate::worlds::Bounds;
use ::bvh::aabb::{Aabb, Bounded, IntersectsAabb};
use ::bvh::bounding_hierarchy::BHShape;
use ::bvh::bvh::Bvh;
use glam::Vec3A;
use nalgebra::{Point, Point3};

pub(super) struct BoxItem<const D: usize> {
    bounds: Aabb<f32, D>,
    id: u32,
    node: usize,
}

/// A hierarchy that is rebuilt in each step. bvh's own `update_shapes` would remove and insert one box after the other.
pub(super) struct Rebuilt<const D: usize> {
    items: Vec<BoxItem<D>>,
    kept: KeptPairs,
}

pub(super) fn items<const D: usize>(boxes: &[Bounds<D>]) -> Vec<BoxItem<D>> {
    let item = |(id, bounds)| BoxItem {
        bounds: cuboid(bounds),
        id,
        node: 0,
    };
    (0..).zip(boxes).map(item).collect()
}

pub(super) fn cuboid<const D: usize>(bounds: &Bounds<D>) -> Aabb<f32, D> {
    Aabb::with_bounds(Point::from(bounds.min), Point::from(bounds.max))
}

/// Boxes at rest, queried by boxes.
pub(super) struct Shapes<const D: usize> {
    bvh: Bvh<f32, D>,
    items: Vec<BoxItem<D>>,
}

macro_rules! boxes {
    ($d:literal) => {
        impl Bounded<f32, $d> for BoxItem<$d> {
            fn aabb(&self) -> Aabb<f32, $d> {
                self.bounds
            }
        }

        impl BHShape<f32, $d> for BoxItem<$d> {
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
                    kept: KeptPairs::default(),
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

        impl AtRest<$d> for Shapes<$d> {
            const NAME: &'static str = "bvh";

            fn build(boxes: &[Bounds<$d>]) -> Self {
                let mut items = items(boxes);
                Self {
                    bvh: Bvh::build(&mut items),
                    items,
                }
            }
        }

        impl Find<$d, Bounds<$d>> for Shapes<$d> {
            fn find(&mut self, window: &Bounds<$d>, ids: &mut Vec<u32>) {
                let window = cuboid(window);
                let found = self.bvh.traverse_iterator(&window, &self.items);
                let met = found.filter(|item| item.bounds.intersects_aabb(&window));
                ids.extend(met.map(|item| item.id));
            }
        }
    };
}

boxes!(2);
boxes!(3);

impl IntersectsAabb<f32, 3> for View {
    fn intersects_aabb(&self, bounds: &Aabb<f32, 3>) -> bool {
        let vector = |p: &Point3<f32>| Vec3A::new(p.x, p.y, p.z);
        self.sees(vector(&bounds.min), vector(&bounds.max))
    }
}

impl Find<3, View> for Shapes<3> {
    fn find(&mut self, view: &View, ids: &mut Vec<u32>) {
        let found = self.bvh.traverse_iterator(view, &self.items);
        ids.extend(found.map(|item| item.id));
    }
}
