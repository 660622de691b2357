//! Reads LAS and LAZ files.

use std::io::Cursor;

use las::Reader;

use super::{Cloud, Precision};
use crate::Failure;

/// Number of bytes of points read at a time. It bounds what is allocated if a header is wrong.
const BATCH: u64 = 1 << 25;

pub(super) fn read(bytes: Vec<u8>) -> Result<Cloud, Failure> {
    whole(bytes).map_err(|failure| format!("not a whole LAS file: {failure}").into())
}

fn whole(bytes: Vec<u8>) -> Result<Cloud, Failure> {
    // The reader multiplies these numbers without a check. They cannot overflow in older files, whose counts have 32
    // bits.
    let header = las::raw::Header::read_from(&bytes[..])?;
    let points = header
        .large_file
        .map_or(0, |large| large.number_of_point_records);
    let size = points.checked_mul(header.point_data_record_length.into());
    let end = size.and_then(|size| size.checked_add(header.offset_to_point_data.into()));
    if end.is_none() {
        return Err(format!("the header states {points} points").into());
    }
    // The reader would allocate as many bytes as the header of the first record behind the points states.
    let extended = header.evlr.map(|records| records.start_of_first_evlr);
    if let Some(length) = extended.and_then(|start| length_of_record(&bytes, start))
        && length > bytes.len() as u64
    {
        return Err(format!("a record of {length} bytes").into());
    }
    let mut reader = Reader::new(Cursor::new(bytes))?;
    let min = reader.header().bounds().min;
    let expected = reader.header().number_of_points();
    let batch = BATCH / u64::from(reader.header().point_format().len()).max(1);
    let mut rows = Vec::new();
    while (rows.len() as u64) < expected {
        let points = reader.read_points(batch)?;
        // World coordinates leave an f32 with few digits: they are shifted while still f64.
        let xyz = points.x().zip(points.y()).zip(points.z());
        rows.extend(xyz.map(|((x, y), z)| [x - min.x, y - min.y, z - min.z]));
        if points.is_empty() {
            return Err(format!("{} points, but the header states {expected}", rows.len()).into());
        }
    }
    Ok(Cloud {
        rows,
        precision: Precision::F64,
        origin: Some([min.x, min.y, min.z]),
    })
}

/// The length that the extended record at `start` states. It stands behind a reserved number, the name of the
/// record's owner and the record's number.
fn length_of_record(bytes: &[u8], start: u64) -> Option<u64> {
    let record = bytes.get(usize::try_from(start).ok()?..)?;
    let (length, _) = record.get(20..)?.split_first_chunk()?;
    Some(u64::from_le_bytes(*length))
}
