//! A town of buildings: finds those that a camera sees, the one under the pointer, and the nearest ones.

use std::time::Instant;

use orthant::glam::{Mat4, Vec3};
use orthant::{Aabb, Frustum, Orthtree, Ray, SpatialIndex};

/// The number of buildings along each side of the town.
const SIDE: usize = 100;
const FRAMES: usize = 1000;

#[derive(Clone, Debug)]
struct Building {
    name: String,
    walls: Aabb<Vec3>,
}

orthant::item!(Building: Aabb<Vec3>, |building| building.walls);

fn town() -> Vec<Building> {
    let mut state = 1u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 24) as f32
    };
    let building = |i: usize| {
        let corner = Vec3::new((i % SIDE) as f32, (i / SIDE) as f32, 0.0) * 20.0;
        let size = Vec3::new(
            5.0 + 10.0 * random(),
            5.0 + 10.0 * random(),
            3.0 + 50.0 * random(),
        );
        Building {
            name: format!("{} Street {}", i / SIDE + 1, i % SIDE + 1),
            walls: Aabb::new(corner, corner + size),
        }
    };
    (0..SIDE * SIDE).map(building).collect()
}

/// Returns a camera at an eye, looking in a direction, with a vertical angle of 60 degrees.
fn camera(eye: Vec3, forward: Vec3) -> Frustum<Vec3> {
    let right = forward.cross(Vec3::Z).normalize();
    let axes = [
        right,
        right.cross(forward).normalize(),
        -forward.normalize(),
    ];
    let [x, y, z] = axes.map(|axis| axis.extend(0.0));
    let view = Mat4::from_cols(x, y, z, eye.extend(1.0)).inverse();
    let focus = 1.0 / 30f32.to_radians().tan();
    let lens = Mat4::from_cols_array_2d(&[
        [focus * 9.0 / 16.0, 0.0, 0.0, 0.0],
        [0.0, focus, 0.0, 0.0],
        [0.0, 0.0, 0.0, -1.0],
        [0.0, 0.0, 0.1, 0.0],
    ]);
    Frustum::from_view_projection(lens * view)
}

fn main() {
    let buildings = town();
    let tree = Orthtree::new(&buildings);
    let (mut seen, mut letters, mut near) = (0, 0, 0.0);
    let mut visible = Vec::new();
    let start = Instant::now();
    for frame in 0..FRAMES {
        let angle = frame as f32 * 0.01;
        let forward = Vec3::new(angle.cos(), angle.sin(), -0.1);
        let eye = Vec3::splat(10.0 * SIDE as f32).with_z(30.0) - 500.0 * forward.with_z(0.0);
        visible.clear();
        tree.query(&camera(eye, forward)).append_to(&mut visible);
        seen += visible.len();
        let ray = Ray::new(eye, forward).until(2000.0);
        if let Some(hit) = tree.cast_ray(ray) {
            letters += buildings[hit.item].name.len();
        }
        near += tree
            .nearest_n(eye, 8)
            .iter()
            .map(|n| n.distance())
            .sum::<f32>();
    }
    let taken = start.elapsed().as_secs_f64() * 1e3 / FRAMES as f64;
    eprintln!("{seen} seen, {letters} letters, {near} away");
    println!("{taken:.4} ms a frame");
}
