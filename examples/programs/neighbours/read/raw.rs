//! Reads files of raw little-endian numbers.

use super::{Cloud, Precision};
use crate::Failure;

pub(super) fn read(bytes: &[u8], dim: usize, precision: Precision) -> Result<Cloud, Failure> {
    let number = match precision {
        Precision::F32 => 4,
        Precision::F64 => 8,
    };
    let row = dim * number;
    if !bytes.len().is_multiple_of(row) {
        return Err(format!(
            "{} bytes are not a whole number of points ({row} bytes each with --dim {dim})",
            bytes.len()
        )
        .into());
    }
    let value = |bytes: &[u8]| match precision {
        Precision::F32 => f32::from_le_bytes(bytes.try_into().expect("4 bytes")).into(),
        Precision::F64 => f64::from_le_bytes(bytes.try_into().expect("8 bytes")),
    };
    let point = |row: &[u8]| {
        let mut point = [0.0; 3];
        for (coordinate, bytes) in point.iter_mut().zip(row.chunks_exact(number)) {
            *coordinate = value(bytes);
        }
        point
    };
    Ok(Cloud {
        rows: bytes.chunks_exact(row).map(point).collect(),
        precision,
        origin: None,
    })
}
