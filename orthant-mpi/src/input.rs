//! Readers of points from files, of which each rank reads its part.
//!
//! Every reader gives a rank a contiguous range of the file's points, so that [`Cloud::new`](crate::Cloud::new) numbers them in the order of the
//! file, whatever the number of ranks. The size of a rank's part is checked against its budget before it is read.

#[cfg(feature = "arrow")]
mod columns;
#[cfg(feature = "las")]
mod lidar;

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use orthant::{Scalar, Vector};

#[cfg(feature = "arrow")]
pub use columns::{read_arrow, read_parquet};
#[cfg(feature = "las")]
pub use lidar::read_las;

use crate::{Cause, Error, Point, Ranks};

/// The numbers of a raw file: little-endian, point after point, without a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Raw {
    /// 4 bytes each.
    F32,
    /// 8 bytes each.
    F64,
}

impl Raw {
    fn bytes(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    fn points<P: Vector>(self, bytes: &[u8]) -> impl Iterator<Item = P> {
        let number = move |bytes: &[u8]| match self {
            Self::F32 => f64::from(f32::from_le_bytes(bytes.try_into().unwrap_or_default())),
            Self::F64 => f64::from_le_bytes(bytes.try_into().unwrap_or_default()),
        };
        let each = bytes.chunks_exact(P::DIM * self.bytes());
        each.map(move |point| {
            P::from_fn(|axis| {
                let at = axis * self.bytes();
                P::Scalar::from_f64(number(&point[at..at + self.bytes()]))
            })
        })
    }
}

/// The number of bytes that are read and converted at a time.
const BUFFER: usize = 1 << 22;

/// Reads one raw file that all ranks share: each reads an equal range. Collective.
///
/// # Errors
///
/// If a rank cannot read the file, its length is not a whole number of points, ranks see different lengths (since it is being written), or a
/// rank's part is more than its budget.
///
/// # Complexity
///
/// O(points of the rank), in the memory of the points and 4 MiB.
pub fn read_raw<P: Point>(ranks: &Ranks, path: &Path, raw: Raw) -> Result<Vec<P>, Error> {
    let _call = ranks.tell("reading");
    let opened = File::open(path).and_then(|file| Ok((file.metadata()?.len(), file)));
    let (len, file) = ranks.agree(opened.map_err(|error| input(path, error)))?;
    same_length(ranks, path, len, "bytes")?;
    let many = ranks.agree(whole::<P>(path, len, raw))?;
    let part = share(many, ranks.rank(), ranks.size());
    read_range(ranks, path, file, raw, part)
}

/// Reads a raw file for each rank: `PREFIX.0`, `PREFIX.1`, and so on, of any lengths. Collective.
///
/// # Errors
///
/// If a rank cannot read its file, its length is not a whole number of points, or it is more than the budget of the rank.
///
/// # Complexity
///
/// O(points of the rank), in the memory of the points and 4 MiB.
pub fn read_raw_parts<P: Point>(ranks: &Ranks, prefix: &Path, raw: Raw) -> Result<Vec<P>, Error> {
    let _call = ranks.tell("reading");
    let mut path = prefix.as_os_str().to_os_string();
    path.push(format!(".{}", ranks.rank()));
    let path = Path::new(&path);
    let opened = File::open(path).and_then(|file| Ok((file.metadata()?.len(), file)));
    let opened = opened.map_err(|error| input(path, error));
    let opened = opened.and_then(|(len, file)| Ok((whole::<P>(path, len, raw)?, file)));
    let (many, file) = ranks.agree(opened)?;
    read_range(ranks, path, file, raw, 0..many)
}

fn read_range<P: Point>(
    ranks: &Ranks,
    path: &Path,
    mut file: File,
    raw: Raw,
    part: Range<u64>,
) -> Result<Vec<P>, Error> {
    let record = P::DIM * raw.bytes();
    let mut points: Vec<P> = ranks.room((part.end - part.start) as usize)?;
    let mut read = || {
        file.seek(SeekFrom::Start(part.start * record as u64))?;
        let mut left = (part.end - part.start) as usize * record;
        let mut buffer = vec![0; (BUFFER / record * record).min(left)];
        while left > 0 {
            let bytes = &mut buffer[..left.min(BUFFER / record * record)];
            file.read_exact(bytes)?;
            points.extend(raw.points::<P>(bytes));
            left -= bytes.len();
        }
        Ok(())
    };
    let read = read().map_err(|error: std::io::Error| {
        let Range { start, end } = part;
        input(path, format_args!("points {start} to {end}: {error}"))
    });
    ranks.agree(read)?;
    Ok(points)
}

fn whole<P: Vector>(path: &Path, len: u64, raw: Raw) -> Result<u64, Cause> {
    let record = (P::DIM * raw.bytes()) as u64;
    if len.is_multiple_of(record) {
        return Ok(len / record);
    }
    Err(input(
        path,
        format_args!("{len} bytes, no multiple of {record}"),
    ))
}

/// Refuses a file of which ranks see different lengths, since it is still being written: their parts would overlap.
fn same_length(ranks: &Ranks, path: &Path, len: u64, unit: &str) -> Result<(), Error> {
    let ends = ranks.least(&[len, !len]);
    ranks.agree(if ends[0] == !ends[1] {
        Ok(())
    } else {
        let (least, most) = (ends[0], !ends[1]);
        Err(input(
            path,
            format_args!("{len} {unit} here, from {least} to {most} on all ranks"),
        ))
    })
}

/// Returns the range of a rank.
fn share(many: u64, rank: usize, size: usize) -> Range<u64> {
    let at = |rank: usize| (u128::from(many) * rank as u128 / size as u128) as u64;
    at(rank)..at(rank + 1)
}

fn input(path: &Path, what: impl std::fmt::Display) -> Cause {
    Cause::Input {
        what: format!("{}: {what}", path.display()),
    }
}
