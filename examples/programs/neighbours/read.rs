//! Reads points from files of all supported formats.

// The paths are written out, so that another example can include this file by its path.
#[path = "read/las.rs"]
mod las;
#[path = "read/ply.rs"]
mod ply;
#[path = "read/raw.rs"]
mod raw;
#[path = "read/text.rs"]
mod text;

use std::fs;
use std::path::Path;

use clap::ValueEnum;
use orthant::{Scalar, Vector};

use crate::Failure;

/// Coordinates as `f64`, which holds every `f32` exactly.
#[derive(Debug)]
pub(crate) struct Cloud {
    pub(crate) rows: Vec<[f64; 3]>,
    /// The precision of the file.
    pub(crate) precision: Precision,
    /// The vector that was subtracted from the coordinates in the file.
    pub(crate) origin: Option<[f64; 3]>,
}

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub(crate) enum Precision {
    F32,
    F64,
}

const AXES: [&str; 3] = ["x", "y", "z"];

const FORMATS: &str = ".las .laz .ply .xyz .csv .txt .f32.bin .f64.bin";

/// The lidar tile that ships with the project, inside the program so that it runs from anywhere.
pub(crate) fn tile() -> Result<Cloud, Failure> {
    las::read(include_bytes!("../../data/autzen_trim.laz").to_vec())
}

pub(crate) fn file(path: &Path, dim: usize, columns: Option<&[String]>) -> Result<Cloud, Failure> {
    let cloud = parse(path, dim, columns).and_then(|cloud| {
        if cloud.rows.is_empty() {
            Err("the file has no points".into())
        } else {
            Ok(cloud)
        }
    });
    cloud.map_err(|failure| format!("{}: {failure}", path.display()).into())
}

fn parse(path: &Path, dim: usize, columns: Option<&[String]>) -> Result<Cloud, Failure> {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase();
    // The file is read before its extension is checked, since a missing file is the likelier mistake.
    bytes(&name, fs::read(path)?, dim, columns)
}

/// Parses the bytes of a file. `name` is its name in lower case, whose end says which format it is.
pub(crate) fn bytes(
    name: &str,
    bytes: Vec<u8>,
    dim: usize,
    columns: Option<&[String]>,
) -> Result<Cloud, Failure> {
    if bytes.is_empty() {
        return Err("the file is empty".into());
    }
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let is_text = matches!(extension, "xyz" | "csv" | "txt");
    if columns.is_some() && !is_text {
        return Err("--columns is for text files (.xyz .csv .txt)".into());
    }
    match extension {
        "las" | "laz" => las::read(bytes),
        "ply" => ply::read(&bytes, dim),
        _ if is_text => text::read(&bytes, dim, columns),
        _ if name.ends_with(".f32.bin") => raw::read(&bytes, dim, Precision::F32),
        _ if name.ends_with(".f64.bin") => raw::read(&bytes, dim, Precision::F64),
        _ => Err(format!("unknown file type; supported are {FORMATS}").into()),
    }
}

impl Cloud {
    /// Converts the points to `V`, which takes the first axes of the file.
    pub(crate) fn points<V: Vector>(&self) -> Result<Vec<V>, Failure> {
        let point = |(index, row): (usize, &[f64; 3])| {
            let point = V::from_fn(|axis| Scalar::from_f64(row[axis]));
            let Some(axis) = point.non_finite_axis() else {
                return Ok(point);
            };
            let (name, value) = (AXES[axis], row[axis]);
            Err(if value.is_finite() {
                format!("point {index}: {name} is {value:e}, too large for f32")
            } else {
                format!("point {index}: {name} is {value}, not a finite number")
            })
        };
        let points: Result<_, String> = self.rows.iter().enumerate().map(point).collect();
        Ok(points?)
    }
}
