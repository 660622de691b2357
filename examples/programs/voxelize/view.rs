//! Writes a page that shows the voxels in space.

use std::path::Path;

use orthant::glam::DVec3;

use crate::page::{Page, Runs};
use crate::request::Request;
use crate::shared::{create, unwritable};

/// Writes the page and says what it wrote.
pub(crate) fn write(
    path: &Path,
    request: &Request,
    solid: bool,
    voxels: u64,
) -> Result<String, String> {
    let (file, _) = create(path)?;
    let mut runs = Vec::new();
    request.each_span(solid, |row| runs.push([row.start, row.end, row.y, row.z]))?;
    let many = format!("{} runs", runs.len());
    let (center, _) = request.extent();
    let middle = center.map(|c| (c / request.voxel()).floor() as i32);
    let flat = request.dim() == 2;
    // Convex shapes are seen from the octant that is cut away, clouds as in the example `neighbours`.
    let view = match request.is_convex() {
        _ if flat => DVec3::new(0.0, -1e-3, 1.0),
        true => DVec3::new(1.0, 0.8, 0.9),
        false => DVec3::new(-0.3, -1.0, 0.9),
    };
    let what = if solid { "solid" } else { "surface" };
    let page = Page {
        title: format!("{voxels} voxels"),
        notes: vec![
            format!("{request}, {what}"),
            format!("voxels of {}", request.voxel()),
        ],
        view,
        runs: Some(Runs {
            runs,
            middle: request.is_convex().then_some(middle),
            flat,
        }),
        ..Page::default()
    };
    page.write(file).map_err(|error| unwritable(path, &error))?;
    Ok(many)
}
