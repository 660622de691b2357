//! Boids that find each other with a k-d tree, rebuilt in each step.

#[path = "../../flock.rs"]
mod flock;

use glam::Vec3;
use kiddo::{ImmutableKdTree, SquaredEuclidean};

fn main() {
    let mut near: Vec<u32> = Vec::new();
    flock::run(|points, steer| {
        let points: Vec<[f32; 3]> = points.iter().map(Vec3::to_array).collect();
        let tree = ImmutableKdTree::new_from_slice(&points).expect("boids stay where numbers are");
        let mut scratch = tree.create_scratch::<SquaredEuclidean<f32>>();
        for (boid, point) in points.iter().enumerate() {
            near.clear();
            tree.query(point)
                .within::<SquaredEuclidean<f32>>(flock::SIGHT * flock::SIGHT)
                .unsorted()
                .without_distances()
                .with_scratch(&mut scratch)
                .visit(|found| near.push(found.item));
            steer(boid, &near);
        }
    });
}
