//! LAS and LAZ tiles, by ranges of points. A LAZ file is compressed in chunks, of which a rank skips those before its range.

use std::ops::Range;
use std::path::Path;

use las::Reader;
use orthant::{Scalar, Vector};

use super::{input, same_length, share};
use crate::error::catch;
use crate::{Cause, Error, Point, Ranks};

/// The points of a chunk of a LAZ file, unless its writer chose another number.
const CHUNK: u64 = 50_000;

/// Reads one LAS or LAZ file that all ranks share. Each reads whole chunks of 50 000 points, as even in number as they allow. The header's
/// minimum is subtracted from the coordinates in `f64`, before they are rounded to the scalar. Collective.
///
/// # Errors
///
/// If a rank cannot read the file, it has fewer points than its header states, or a rank's part is more than its budget.
///
/// # Complexity
///
/// O(points of the rank).
pub fn read_las<P: Point>(ranks: &Ranks, path: &Path) -> Result<Vec<P>, Error> {
    let _call = ranks.tell("reading");
    let open = || Reader::from_path(path).map_err(|error| input(path, error));
    let opened = catch(path, open);
    let mut reader = ranks.agree(opened)?;
    let many = reader.header().number_of_points();
    same_length(ranks, path, many, "points")?;
    let chunks = share(many.div_ceil(CHUNK), ranks.rank(), ranks.size());
    // If there are fewer chunks than ranks, chunks are divided, and their beginnings are decompressed more than once.
    let part = if many.div_ceil(CHUNK) < ranks.size() as u64 {
        share(many, ranks.rank(), ranks.size())
    } else {
        chunks.start * CHUNK..many.min(chunks.end * CHUNK)
    };
    let mut points: Vec<P> = ranks.room((part.end - part.start) as usize)?;
    let read = catch(path, || read_range(&mut reader, path, part, &mut points));
    ranks.agree(read)?;
    Ok(points)
}

fn read_range<P: Vector>(
    reader: &mut Reader,
    path: &Path,
    part: Range<u64>,
    points: &mut Vec<P>,
) -> Result<(), Cause> {
    if part.is_empty() {
        return Ok(());
    }
    let min = reader.header().bounds().min;
    let min = [min.x, min.y, min.z, 0.0];
    let Range { start, end } = part;
    let failed = |error: las::Error| input(path, format_args!("points {start} to {end}: {error}"));
    reader.seek(part.start).map_err(failed)?;
    let mut left = part.end - part.start;
    while left > 0 {
        let batch = reader.read_points(left.min(CHUNK)).map_err(failed)?;
        if batch.is_empty() {
            let at = part.end - left;
            return Err(input(
                path,
                format_args!("ends at point {at} of {}", part.end),
            ));
        }
        left = left.saturating_sub(batch.len() as u64);
        let xyz = batch.x().zip(batch.y()).zip(batch.z());
        points.extend(xyz.map(|((x, y), z)| {
            let at = [x, y, z, 0.0];
            P::from_fn(|axis| P::Scalar::from_f64(at[axis] - min[axis]))
        }));
    }
    Ok(())
}
