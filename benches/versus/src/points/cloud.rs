//! A lidar scan: the largest .las or .laz file in the folder that `ORTHANT_DATA` names, or the
//! tile that ships with the examples.

use std::error::Error;
use std::io::Cursor;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::{env, fs};

use las::{PointData, Reader};
use rand::SeedableRng;
use rand::seq::SliceRandom;

use crate::scenes::Random;

/// The scan, scaled into the unit cube so that the longest side of its bounds is 1.
static CLOUD: LazyLock<Vec<[f32; 3]>> = LazyLock::new(|| {
    let (name, bytes) = match largest_file() {
        Some(path) => (path.display().to_string(), fs::read(&path)),
        None => (
            "the lidar tile of the examples".to_owned(),
            Ok(include_bytes!("../../../../examples/data/autzen_trim.laz").to_vec()),
        ),
    };
    let points = bytes.map_err(Into::into).and_then(read);
    let points = points.unwrap_or_else(|error| panic!("{name}: {error}"));
    println!("\ncloud: {name}, {} points", points.len());
    points
});

fn largest_file() -> Option<PathBuf> {
    let files = fs::read_dir(env::var_os("ORTHANT_DATA")?).ok()?;
    let scans = files.filter_map(Result::ok).filter(|file| {
        let path = file.path();
        let extension = path.extension().and_then(|e| e.to_str());
        matches!(extension, Some("las" | "laz"))
    });
    let size = |file: &fs::DirEntry| file.metadata().map_or(0, |data| data.len());
    scans.max_by_key(size).map(|file| file.path())
}

fn read(bytes: Vec<u8>) -> Result<Vec<[f32; 3]>, Box<dyn Error + Send + Sync>> {
    let mut reader = Reader::new(Cursor::new(bytes))?;
    let bounds = reader.header().bounds();
    let side = (bounds.max.x - bounds.min.x)
        .max(bounds.max.y - bounds.min.y)
        .max(bounds.max.z - bounds.min.z);
    let data: PointData = reader.read_all()?;
    let unit = |x: f64, min: f64| ((x - min) / side) as f32;
    let (x, y, z) = (data.x(), data.y(), data.z());
    let points = x.zip(y).zip(z).map(|((x, y), z)| {
        [
            unit(x, bounds.min.x),
            unit(y, bounds.min.y),
            unit(z, bounds.min.z),
        ]
    });
    Ok(points.collect())
}

/// Takes `n` points of the scan, or of copies of it side by side if there are too few. Points in the plane are seen from above.
pub(super) fn points<const D: usize>(n: usize, seed: u64) -> Vec<[f32; D]> {
    let cloud = &*CLOUD;
    let along = (n as f64 / cloud.len() as f64).sqrt().ceil() as usize;
    if along > 1 {
        println!("cloud: {along} x {along} copies side by side for {n} points");
    }
    let copies = (0..along * along).map(|copy| [copy % along, copy / along, 0]);
    let mut points: Vec<[f32; D]> = copies
        .flat_map(|at| {
            let place = move |p: &[f32; 3], a: usize| (p[a] + at[a] as f32) / along as f32;
            cloud
                .iter()
                .map(move |p| std::array::from_fn(|a| place(p, a)))
        })
        .collect();
    points.shuffle(&mut Random::seed_from_u64(seed));
    points.truncate(n);
    points
}
