//! Writes a `NumPy` array of booleans, the last axis first.

use std::io::Write;

use npyz::WriterBuilder;
use orthant::BitGrid;
use orthant::glam::IVec3;

use super::Scene;

/// Largest number of voxels in an array; each takes a byte.
const MOST: u64 = 1 << 34;

/// The dense block around all voxels, which may have at most `most` of them.
pub(super) fn block(scene: &Scene<'_>, most: u64) -> Result<BitGrid, String> {
    let (low, high) = scene.set.bounds().ok_or("there are no voxels")?;
    let [x, y, z] = [0, 1, 2].map(|a| u64::from(high[a].abs_diff(low[a])) + 1);
    let voxels = x.saturating_mul(y).saturating_mul(z);
    if voxels > most {
        return Err(format!("a block of {x} x {y} x {z} voxels is too large"));
    }
    Ok(BitGrid::from_bricks(scene.set, low, high + IVec3::ONE))
}

pub(super) fn write(file: &mut impl Write, scene: &Scene<'_>) -> Result<String, String> {
    let bits = block(scene, MOST)?;
    let [x, y, z] = [0, 1, 2].map(|a| bits.extent(a) as u64);
    let all = [z, y, x];
    let shape = &all[3 - scene.dim..];
    let failed = |error: std::io::Error| error.to_string();
    let options = npyz::WriteOptions::new().default_dtype().shape(shape);
    let mut array = options.writer(file).begin_nd().map_err(failed)?;
    for row in bits.rows() {
        let bit = |x: u64| row[x as usize / 64] >> (x % 64) & 1 == 1;
        array.extend((0..x).map(bit)).map_err(failed)?;
    }
    array.finish().map_err(failed)?;
    let first = bits.start().to_array();
    Ok(format!(
        "shape {shape:?}, first voxel {:?}",
        &first[..scene.dim]
    ))
}
