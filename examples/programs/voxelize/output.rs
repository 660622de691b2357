//! Writes voxels to files, in the formats of their extensions.

mod dense;
mod mesh;
mod ply;
mod points;
mod slices;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use orthant::BrickSet;

use crate::shared::{create, unwritable};

/// The voxels to write.
pub(crate) struct Scene<'a> {
    pub(crate) set: &'a BrickSet,
    /// The edge of a voxel.
    pub(crate) voxel: f64,
    /// The number of dimensions, 2 or 3.
    pub(crate) dim: usize,
}

/// The supported extensions, for an error message.
pub(crate) const FORMATS: &str = ".vox .ply .obj .npy .png";

/// Writes the voxels in the format of the extension, and says what it wrote.
pub(crate) fn write(path: &Path, scene: &Scene<'_>) -> Result<String, String> {
    match extension(path).as_str() {
        "ply" => to_file(path, |file| points::write(file, scene)),
        "obj" => mesh(path, scene),
        "npy" => to_file(path, |file| dense::write(file, scene)),
        _ => Err(format!(
            "{}: unknown file type; supported are {FORMATS}",
            path.display()
        )),
    }
}

/// Writes the surface of the voxels as a mesh.
pub(crate) fn mesh(path: &Path, scene: &Scene<'_>) -> Result<String, String> {
    match extension(path).as_str() {
        "obj" => to_file(path, |file| mesh::write_obj(file, scene)),
        "ply" => to_file(path, |file| mesh::write_ply(file, scene)),
        _ => Err(format!(
            "{}: a mesh is written as .obj or .ply",
            path.display()
        )),
    }
}

/// Writes a picture of each layer into a folder.
pub(crate) fn slices(folder: &Path, scene: &Scene<'_>) -> Result<String, String> {
    slices::write(folder, scene).map_err(|error| format!("{}: {error}", folder.display()))
}

pub(crate) fn extension(path: &Path) -> String {
    path.extension()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase()
}

fn to_file(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<String, String>,
) -> Result<String, String> {
    let (mut file, _) = create(path)?;
    let written = write(&mut file).map_err(|error| format!("{}: {error}", path.display()))?;
    file.flush().map_err(|error| unwritable(path, &error))?;
    Ok(written)
}
