//! Boids that find each other with an R*-tree, rebuilt in each step.

#[path = "../../flock.rs"]
mod flock;

use glam::Vec3;
use rstar::RTree;
use rstar::primitives::GeomWithData;

fn main() {
    let mut near: Vec<u32> = Vec::new();
    flock::run(|points, steer| {
        let item = |(point, boid): (&Vec3, u32)| GeomWithData::new(point.to_array(), boid);
        let tree = RTree::bulk_load(points.iter().zip(0..).map(item).collect());
        for (boid, point) in points.iter().enumerate() {
            near.clear();
            let seen = tree.locate_within_distance(point.to_array(), flock::SIGHT * flock::SIGHT);
            near.extend(seen.map(|item| item.data));
            steer(boid, &near);
        }
    });
}
