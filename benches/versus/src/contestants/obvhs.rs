//! obvhs: bounding volume hierarchies. The crate has traversals for boxes, points and rays. Searches for balls descend its public
//! nodes here, as its user avian3d does.

mod leaves;
mod steps;

use std::time::Duration;

use ::obvhs::BvhBuildParams;
use ::obvhs::aabb::Aabb;
use ::obvhs::bvh2::{Bvh2, builder::build_bvh2};
use glam::Vec3A;

use super::Register;
use crate::contestant::at_rest::finder;
use crate::contestant::{Index, Radius, radius};
use crate::stepper::stepper;
use crate::truth::distance_sq;
use crate::worlds::Bounds;
use leaves::Leaves;
use steps::{Avian, Rebuilt};

pub(super) fn enter(to: &mut Register) {
    to.radius3.push(radius::<_, 3, Tree>());
    to.broadphase3
        .extend([stepper::<3, Rebuilt>(), stepper::<3, Avian>()]);
    to.frustum.push(finder::<3, _, Leaves>());
    to.windows3.push(finder::<3, _, Leaves>());
}

struct Tree {
    bvh: Bvh2,
    /// The points in the order of the primitives.
    points: Vec<[f32; 3]>,
    stack: Vec<u32>,
}

/// The largest number of points in a leaf; 8 is the fastest.
const LEAF: u32 = 8;

impl Index<f32, 3> for Tree {
    const NAME: &'static str = "obvhs";

    fn build(points: &[[f32; 3]], _: f32) -> Self {
        let cuboid = |&point| Aabb::from_point(Vec3A::from_array(point));
        let boxes: Vec<Aabb> = points.iter().map(cuboid).collect();
        let mut params = BvhBuildParams::fast_build();
        params.max_prims_per_leaf = LEAF;
        params.collapse_traversal_cost = 3.0;
        let bvh = build_bvh2(&boxes, params, &mut Duration::default());
        let indices = bvh.primitive_indices.iter();
        Self {
            points: indices.map(|&id| points[id as usize]).collect(),
            bvh,
            stack: Vec::new(),
        }
    }
}

impl Tree {
    #[inline(always)]
    fn visit(&mut self, center: &[f32; 3], radius: f32, mut f: impl FnMut(u32)) {
        let (ball, limit) = (Vec3A::from_array(*center), radius * radius);
        self.stack.clear();
        self.stack.push(0);
        while let Some(node) = self.stack.pop() {
            let node = &self.bvh.nodes[node as usize];
            let bounds = node.aabb();
            let apart = (bounds.min - ball).max(Vec3A::ZERO).max(ball - bounds.max);
            if apart.length_squared() > limit {
                continue;
            }
            if node.is_leaf() {
                let start = node.first_index as usize;
                for i in start..start + node.prim_count as usize {
                    if distance_sq(&self.points[i], center) <= limit {
                        f(self.bvh.primitive_indices[i]);
                    }
                }
            } else {
                self.stack.push(node.first_index + 1);
                self.stack.push(node.first_index);
            }
        }
    }
}

impl Radius<f32, 3> for Tree {
    fn count(&mut self, center: &[f32; 3], radius: f32) -> usize {
        let mut count = 0;
        self.visit(center, radius, |_| count += 1);
        count
    }

    fn collect(&mut self, center: &[f32; 3], radius: f32, ids: &mut Vec<u32>) {
        self.visit(center, radius, |id| ids.push(id));
    }
}

fn cuboid(bounds: &Bounds<3>) -> Aabb {
    Aabb::new(Vec3A::from_array(bounds.min), Vec3A::from_array(bounds.max))
}
