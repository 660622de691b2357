//! Writes a picture of each layer of voxels, with a pixel for each voxel and the second axis upwards.

use std::fs;
use std::path::Path;

use image::{GrayImage, Luma};

use super::{Scene, dense};

/// Largest number of pixels in all pictures together.
const MOST: u64 = 1 << 32;

pub(super) fn write(folder: &Path, scene: &Scene<'_>) -> Result<String, String> {
    let bits = dense::block(scene, MOST)?;
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let (width, height) = (bits.extent(0) as u32, bits.extent(1) as u32);
    let rows: Vec<&[u64]> = bits.rows().collect();
    let layers = rows.chunks(height as usize);
    let many = layers.len();
    for (layer, rows) in layers.enumerate() {
        let picture = GrayImage::from_fn(width, height, |x, y| {
            let row = rows[(height - 1 - y) as usize];
            let set = row[x as usize / 64] >> (x % 64) & 1 == 1;
            Luma([if set { 255 } else { 0 }])
        });
        let path = folder.join(format!("{layer:05}.png"));
        picture.save(path).map_err(|error| error.to_string())?;
    }
    Ok(format!(
        "{many} of {width} x {height}, from layer {}",
        bits.start().z
    ))
}
