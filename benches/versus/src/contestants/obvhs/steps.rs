//! Moving boxes.

use super::cuboid;
use crate::stepper::{KeptPairs, Pair, PairFilter, Stepper};
use crate::worlds::Bounds;
use ::obvhs::aabb::Aabb;
use ::obvhs::bvh2::{Bvh2, reinsertion::ReinsertionOptimizer};
use ::obvhs::ploc::rebuild::compute_rebuild_path_flags;
use ::obvhs::ploc::{PlocBuilder, PlocSearchDistance, SortPrecision};

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
pub(super) struct Rebuilt {
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
pub(super) struct Avian {
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
