//! Quick start: finds the points within a radius of a place.

use orthant::glam::Vec3;
use orthant::{Octree, Sphere};

fn main() {
    // A thousand points with whole coordinates from 0 to 9.
    let mut points = Vec::new();
    for i in 0..1000 {
        points.push(Vec3::new(
            (i % 10) as f32,
            (i / 10 % 10) as f32,
            (i / 100) as f32,
        ));
    }

    let tree = Octree::new(&points);
    let ball = Sphere::new(Vec3::splat(5.0), 2.0);

    // The query yields indices into `points`, lazily. A point exactly 2 away counts.
    for i in tree.query(ball).take(3) {
        println!("{} is near", points[i]);
    }
    let nearest = tree
        .nearest(Vec3::new(2.1, 7.2, 20.0))
        .expect("there are points");
    println!(
        "{} is the nearest to what lies far above",
        points[nearest.item]
    );

    println!("neighbors {}", tree.count(ball));
}
