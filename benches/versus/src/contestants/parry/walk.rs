//! The neighbors of all points by a walk of a tree.

use crate::contestant::rebuilt::{CountRun, PairRun};
use crate::truth::distance_sq;
use parry3d::bounding_volume::Aabb;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};

/// A walk of a tree of cubes, as wide as the radius, against itself, and a test of the distance.
#[derive(Default)]
pub(super) struct Walk {
    workspace: BvhWorkspace,
    pairs: Vec<[u32; 2]>,
}

impl Walk {
    fn for_each(&mut self, points: &[[f32; 3]], radius: f32, mut f: impl FnMut(u32, u32)) {
        // A little more than half, so that rounding loses no pair.
        let half = Vector::splat(0.500_001 * radius);
        let leaf = |(id, p): (usize, &[f32; 3])| {
            let at = Vector::new(p[0], p[1], p[2]);
            (id, Aabb::new(at - half, at + half))
        };
        let tree = Bvh::from_iter(
            BvhBuildStrategy::Binned,
            points.iter().enumerate().map(leaf),
        );
        let limit = radius * radius;
        tree.traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut |a, b| {
            if distance_sq(&points[a as usize], &points[b as usize]) <= limit {
                f(a, b);
            }
        });
    }
}

impl PairRun<f32, 3> for Walk {
    fn pairs(&mut self, points: &[[f32; 3]], radius: f32) -> &[[u32; 2]] {
        let mut pairs = std::mem::take(&mut self.pairs);
        pairs.clear();
        self.for_each(points, radius, |a, b| pairs.push([a, b]));
        self.pairs = pairs;
        &self.pairs
    }
}

impl CountRun<f32, 3> for Walk {
    fn count(&mut self, points: &[[f32; 3]], radius: f32) -> u64 {
        let mut count = 0;
        self.for_each(points, radius, |_, _| count += 1);
        2 * count + points.len() as u64
    }
}
