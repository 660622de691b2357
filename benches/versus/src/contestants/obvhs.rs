//! obvhs: bounding volume hierarchies. The crate has traversals for boxes, points and rays. The walk for a ball goes over its public
//! nodes, as that of its user avian3d does.

use std::time::Duration;

use ::obvhs::BvhBuildParams;
use ::obvhs::aabb::Aabb;
use ::obvhs::bvh2::{Bvh2, builder::build_bvh2, reinsertion::ReinsertionOptimizer};
use ::obvhs::ploc::rebuild::compute_rebuild_path_flags;
use ::obvhs::ploc::{PlocBuilder, PlocSearchDistance, SortPrecision};
use glam::Vec3A;

use super::Register;
use crate::contestant::at_rest::{AtRest, Find, finder};
use crate::contestant::{Index, Radius, radius};
use crate::jobs::frustum::View;
use crate::stepper::{KeptPairs, Pair, PairFilter, Stepper, stepper};
use crate::truth::distance_sq;
use crate::worlds::Bounds;

pub(super) fn enter(to: &mut Register) {
    to.radius3.push(radius::<_, 3, Tree>());
    to.broadphase3
        .extend([stepper::<3, Rebuilt>(), stepper::<3, Avian>()]);
    to.frustum.push(finder::<3, _, Leaves>());
    to.windows3.push(finder::<3, _, Leaves>());
}

/// A hierarchy of points.
struct Tree {
    bvh: Bvh2,
    /// The points in the order of the primitives.
    points: Vec<[f32; 3]>,
    stack: Vec<u32>,
}

/// The most points in a leaf; 8 is the fastest.
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

#[inline(always)]
fn query(bvh: &Bvh2, bounds: Aabb, keep: PairFilter, pairs: &mut Vec<Pair>) {
    bvh.aabb_traverse(bounds, |bvh, node| {
        let node = &bvh.nodes[node as usize];
        let start = node.first_index as usize;
        for &id in &bvh.primitive_indices[start..start + node.prim_count as usize] {
            keep.offer(id, pairs);
        }
        true
    });
}

fn ids(boxes: &[Bounds<3>]) -> Vec<u32> {
    (0..boxes.len() as u32).collect()
}

/// A hierarchy that is rebuilt in each step.
struct Rebuilt {
    builder: PlocBuilder,
    bvh: Bvh2,
    boxes: Vec<Aabb>,
    kept: KeptPairs,
}

impl Stepper<3> for Rebuilt {
    const NAME: &'static str = "obvhs rebuilt";
    const STARTS_AFRESH: bool = true;
    const MOST_BOXES: usize = 100_000;

    fn new(boxes: &[Bounds<3>]) -> Self {
        Self {
            builder: PlocBuilder::with_capacity(boxes.len()),
            bvh: Bvh2::default(),
            boxes: Vec::new(),
            kept: KeptPairs::default(),
        }
    }

    fn step(&mut self, boxes: &[Bounds<3>], moved: &[u32], pairs: &mut Vec<Pair>) {
        self.boxes.clear();
        self.boxes.extend(boxes.iter().map(cuboid));
        self.builder.build_with_bvh(
            &mut self.bvh,
            PlocSearchDistance::Minimum,
            &self.boxes,
            ids(boxes),
            SortPrecision::U64,
            0,
        );
        let (bvh, cuboids) = (&self.bvh, &self.boxes);
        self.kept
            .step(boxes.len(), moved, pairs, |id, keep, pairs| {
                query(bvh, cuboids[id as usize], keep, pairs);
            });
    }
}

/// A hierarchy maintained as in avian3d 0.8: it is refitted, queried for the boxes that moved, and then optimized in a way that depends
/// on the share that moved.
struct Avian {
    builder: PlocBuilder,
    bvh: Bvh2,
    optimizer: ReinsertionOptimizer,
    flags: Vec<bool>,
    kept: KeptPairs,
}

impl Stepper<3> for Avian {
    const NAME: &'static str = "obvhs as avian";

    fn new(boxes: &[Bounds<3>]) -> Self {
        let mut builder = PlocBuilder::new();
        let cuboids: Vec<_> = boxes.iter().map(cuboid).collect();
        let (search, precision) = (PlocSearchDistance::Minimum, SortPrecision::U64);
        Self {
            bvh: builder.build(search, &cuboids, ids(boxes), precision, 0),
            builder,
            optimizer: ReinsertionOptimizer::default(),
            flags: Vec::new(),
            kept: KeptPairs::default(),
        }
    }

    fn step(&mut self, boxes: &[Bounds<3>], moved: &[u32], pairs: &mut Vec<Pair>) {
        let bvh = &mut self.bvh;
        bvh.init_parents_if_uninit();
        bvh.init_primitives_to_nodes_if_uninit();
        let share = moved.len() as f32 / boxes.len() as f32;
        let refits_all_from = if bvh.children_are_ordered_after_parents {
            0.06
        } else {
            0.3
        };
        let refits_all = share >= refits_all_from;
        for &id in moved {
            let node = bvh.primitives_to_nodes[id as usize] as usize;
            let bounds = cuboid(&boxes[id as usize]);
            if refits_all {
                bvh.nodes[node].set_aabb(bounds);
            } else {
                bvh.resize_node(node, bounds);
            }
        }
        if refits_all {
            bvh.refit_all();
        }
        let tree = &*bvh;
        self.kept
            .step(boxes.len(), moved, pairs, |id, keep, pairs| {
                query(tree, cuboid(&boxes[id as usize]), keep, pairs);
            });
        if moved.is_empty() {
            return;
        }
        let (search, precision) = (PlocSearchDistance::Minimum, SortPrecision::U64);
        if share >= 0.45 {
            self.builder.full_rebuild(bvh, search, precision, 0);
            return;
        }
        let leaf = |&id: &u32| bvh.primitives_to_nodes[id as usize];
        let leaves: Vec<u32> = moved.iter().map(leaf).collect();
        if share < 0.15 {
            self.optimizer.run_with_candidates(bvh, &leaves, 1);
        } else {
            bvh.init_parents_if_uninit();
            compute_rebuild_path_flags(bvh, &leaves, &mut self.flags);
            let flags = &self.flags;
            self.builder
                .partial_rebuild(bvh, |node| flags[node], search, precision, 0);
        }
    }
}

/// Boxes at rest.
struct Leaves {
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
