//! Draws points from above, the planes between ranks, and the largest groups in color. Each rank draws its points, and rank 0 sums the images.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ImageError, Rgb, RgbImage};
use orthant::{Aabb, Scalar};
use orthant_mpi::{Cause, Cloud, Error, Point, Ranks};

const WIDTH: usize = 600;

/// The colors of groups, the largest first.
pub(crate) const COLORS: [[u8; 3]; 12] = [
    [230, 75, 53],
    [77, 187, 213],
    [0, 160, 135],
    [243, 155, 127],
    [250, 210, 60],
    [145, 209, 194],
    [126, 97, 72],
    [180, 120, 220],
    [120, 200, 80],
    [90, 120, 230],
    [240, 130, 190],
    [200, 200, 90],
];

/// The number of kinds of points: one for each of the largest groups, and one for all others.
const KINDS: usize = COLORS.len() + 1;

pub(crate) fn draw<P: Point>(
    ranks: &Ranks,
    path: &Path,
    cloud: &Cloud<P>,
    labels: &[u64],
    largest: &[(u64, u64)],
) -> Result<(), Error> {
    let Some(around) = bounds(ranks, cloud)? else {
        return Ok(());
    };
    let corner = |p: P, axis: usize| -> f64 { p.axis(axis).into() };
    let (low, high) = (around.min(), around.max());
    let side = |axis: usize| (corner(high, axis) - corner(low, axis)).max(f64::MIN_POSITIVE);
    let pixel = (WIDTH - 1) as f64 / side(0).max(side(1));
    let height = (side(1) * pixel) as usize + 1;
    let width = (side(0) * pixel) as usize + 1;
    let place = |x: f64, axis: usize| ((x - corner(low, axis)) * pixel) as usize;
    let mut counts = vec![0_u64; width * height * KINDS];
    for (&p, label) in cloud.points().iter().zip(labels) {
        let kind = largest
            .iter()
            .position(|(name, _)| name == label)
            .unwrap_or(KINDS - 1);
        let (x, y) = (place(corner(p, 0), 0), place(corner(p, 1), 1));
        counts[((height - 1 - y.min(height - 1)) * width + x.min(width - 1)) * KINDS + kind] += 1;
    }
    let counts = ranks.sum(&counts);
    let saved = if ranks.rank() == 0 {
        let mut image = RgbImage::new(width as u32, height as u32);
        for (pixel, counts) in image.pixels_mut().zip(counts.as_chunks::<KINDS>().0) {
            *pixel = color(counts);
        }
        if let Some(division) = cloud.division() {
            for cell in division.cells(&around) {
                let ends = [cell[0], cell[1]];
                outline(
                    &mut image,
                    ends.map(|(a, _)| a),
                    ends.map(|(_, b)| b),
                    &place,
                );
            }
        }
        save(&image, path).map_err(|error| Cause::Other {
            what: format!("{}: {error}", path.display()),
        })
    } else {
        Ok(())
    };
    ranks.agree(saved)
}

/// Returns the box around all points of all ranks.
fn bounds<P: Point>(ranks: &Ranks, cloud: &Cloud<P>) -> Result<Option<Aabb<P>>, Error> {
    let mut mine = Vec::new();
    if let Some(&first) = cloud.points().first() {
        let ends = cloud
            .points()
            .iter()
            .fold((first, first), |(low, high), p| {
                let low = P::from_fn(|a| low.axis(a).smaller(p.axis(a)));
                (low, P::from_fn(|a| high.axis(a).larger(p.axis(a))))
            });
        mine = vec![ends.0, ends.1];
    }
    let all = ranks.share(&mine)?;
    let boxes = all
        .items
        .as_chunks::<2>()
        .0
        .iter()
        .map(|&[low, high]| Aabb::new(low, high));
    Ok(boxes.reduce(|all, one| all.union(&one)))
}

/// Saves the image with few colors and unfiltered rows, which the encoder compresses best.
fn save(image: &RgbImage, path: &Path) -> Result<(), ImageError> {
    let file = BufWriter::new(File::create(path)?);
    let encoder = PngEncoder::new_with_quality(file, CompressionType::Best, FilterType::NoFilter);
    image.write_with_encoder(encoder)
}

/// Returns the color of the kind that most points of a pixel have, brighter for more points.
fn color(counts: &[u64; KINDS]) -> Rgb<u8> {
    let many: u64 = counts.iter().sum();
    if many == 0 {
        return Rgb([18, 18, 24]);
    }
    let kind = (0..KINDS)
        .max_by_key(|&kind| (counts[kind], KINDS - kind))
        .unwrap_or(0);
    let full = *COLORS.get(kind).unwrap_or(&[150, 150, 160]);
    // Brightness has three steps, since few colors make small files.
    let light = match many {
        1 => 0.4,
        2..6 => 0.65,
        _ => 1.0,
    };
    Rgb(full.map(|channel| (f64::from(channel) * light) as u8))
}

fn outline(
    image: &mut RgbImage,
    low: [f64; 2],
    high: [f64; 2],
    place: &impl Fn(f64, usize) -> usize,
) {
    let (width, height) = (image.width() as usize, image.height() as usize);
    let x = [low[0], high[0]].map(|x| place(x, 0).min(width - 1));
    let y = [low[1], high[1]].map(|y| height - 1 - place(y, 1).min(height - 1));
    let mut dot = |x: usize, y: usize| image.put_pixel(x as u32, y as u32, Rgb([255, 255, 255]));
    for at in x[0]..=x[1] {
        y.iter().for_each(|&y| dot(at, y));
    }
    for at in y[1]..=y[0] {
        x.iter().for_each(|&x| dot(x, at));
    }
}
