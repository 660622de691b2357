//! Writes the centers of voxels as points.

use std::io::Write;

use super::Scene;
use super::ply::{self, Element};

/// Largest number of points; they take a few gigabytes.
const MOST: u64 = 100_000_000;

pub(super) fn write(file: &mut impl Write, scene: &Scene<'_>) -> Result<String, String> {
    let many = scene.set.len();
    if many > MOST {
        return Err(format!("{many} voxels are too many for points"));
    }
    let center = |index: i32| ((f64::from(index) + 0.5) * scene.voxel) as f32;
    let centers = scene.set.iter().map(|voxel| {
        let [x, y, z] = voxel.to_array().map(center);
        Element::Vertex([x, y, if scene.dim == 2 { 0.0 } else { z }])
    });
    ply::write(file, centers.collect(), None)?;
    Ok(format!("{many} points"))
}
