//! Boxes at rest.

use super::cuboid;
use crate::contestant::at_rest::{AtRest, Find};
use crate::jobs::frustum::View;
use crate::worlds::Bounds;
use ::obvhs::BvhBuildParams;
use ::obvhs::aabb::Aabb;
use ::obvhs::bvh2::{Bvh2, builder::build_bvh2};
use std::time::Duration;

/// Boxes at rest.
pub(super) struct Leaves {
    bvh: Bvh2,
    /// The boxes in the order of the primitives.
    boxes: Vec<Aabb>,
    stack: Vec<u32>,
}

impl AtRest<3> for Leaves {
    const NAME: &'static str = "obvhs";

    fn build(boxes: &[Bounds<3>]) -> Self {
        let boxes: Vec<_> = boxes.iter().map(cuboid).collect();
        let params = BvhBuildParams::medium_build();
        let bvh = build_bvh2(&boxes, params, &mut Duration::default());
        let order = bvh.primitive_indices.iter();
        Self {
            boxes: order.map(|&id| boxes[id as usize]).collect(),
            bvh,
            stack: Vec::new(),
        }
    }
}

impl Find<3, Bounds<3>> for Leaves {
    fn find(&mut self, window: &Bounds<3>, ids: &mut Vec<u32>) {
        let window = cuboid(window);
        self.bvh.aabb_traverse(window, |bvh, node| {
            let node = &bvh.nodes[node as usize];
            let start = node.first_index as usize;
            for at in start..start + node.prim_count as usize {
                if self.boxes[at].intersect_aabb(&window) {
                    ids.push(bvh.primitive_indices[at]);
                }
            }
            true
        });
    }
}

/// Queries by cameras walk over the public nodes.
impl Find<3, View> for Leaves {
    fn find(&mut self, view: &View, ids: &mut Vec<u32>) {
        let Self { bvh, boxes, stack } = self;
        stack.push(0);
        while let Some(node) = stack.pop() {
            let node = &bvh.nodes[node as usize];
            let bounds = node.aabb();
            if !view.sees(bounds.min, bounds.max) {
                continue;
            }
            if node.is_leaf() {
                let start = node.first_index as usize;
                let range = start..start + node.prim_count as usize;
                for (bounds, &id) in boxes[range.clone()]
                    .iter()
                    .zip(&bvh.primitive_indices[range])
                {
                    if view.sees(bounds.min, bounds.max) {
                        ids.push(id);
                    }
                }
            } else {
                stack.push(node.first_index + 1);
                stack.push(node.first_index);
            }
        }
    }
}
