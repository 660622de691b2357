//! Writes each point with its count as CSV.

use std::path::Path;

use orthant::Vector;

use crate::Failure;

pub(crate) fn write<V: Vector>(path: &Path, points: &[V], counts: &[u32]) -> Result<(), Failure> {
    rows(path, points, counts).map_err(|failure| format!("{}: {failure}", path.display()).into())
}

fn rows<V: Vector>(path: &Path, points: &[V], counts: &[u32]) -> csv::Result<()> {
    let mut writer = csv::Writer::from_path(path)?;
    let axes = ["x", "y", "z"].into_iter().take(V::DIM);
    writer.write_record(axes.chain(["neighbours"]))?;
    for (point, count) in points.iter().zip(counts) {
        for axis in 0..V::DIM {
            // The shortest digits that read back as the same number.
            writer.write_field(format!("{:?}", point.axis(axis)))?;
        }
        writer.write_field(count.to_string())?;
        writer.write_record(None::<&[u8]>)?;
    }
    writer.flush()?;
    Ok(())
}
