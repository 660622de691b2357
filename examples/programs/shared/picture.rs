//! Functions for pictures: colors, means of samples, the edges of a box, output files.

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{Rgb, RgbImage};
use orthant::glam::DVec3;

/// Converts the bytes of a pixel to linear light.
pub(crate) fn decode(srgb: [u8; 3]) -> DVec3 {
    DVec3::from(srgb.map(|c| (f64::from(c) / 255.0).powf(2.2)))
}

/// Converts linear light to the bytes of a pixel.
pub(crate) fn encode(linear: DVec3) -> Rgb<u8> {
    Rgb(linear
        .to_array()
        .map(|c| (255.0 * c.clamp(0.0, 1.0).powf(1.0 / 2.2)).round() as u8))
}

/// Makes a picture of this width. Each pixel is the mean of a square of `samples` by `samples` colors, which are
/// given row by row.
pub(crate) fn mean_light(colors: &[DVec3], width: usize, samples: usize) -> RgbImage {
    let row = width * samples;
    let height = colors.len() / (row * samples);
    RgbImage::from_fn(width as u32, height as u32, |x, y| {
        let (x, y) = (x as usize * samples, y as usize * samples);
        let rows = (y..y + samples).map(|y| &colors[y * row + x..][..samples]);
        let sum: DVec3 = rows.flatten().sum();
        encode(sum / (samples * samples) as f64)
    })
}

/// Shrinks a picture: each pixel is the mean of a square of `samples` by `samples` pixels.
pub(crate) fn mean_color(fine: &RgbImage, samples: u32) -> RgbImage {
    RgbImage::from_fn(fine.width() / samples, fine.height() / samples, |x, y| {
        let mut sum = [0u32; 3];
        for i in 0..samples * samples {
            let sample = fine.get_pixel(x * samples + i % samples, y * samples + i / samples);
            for (all, one) in sum.iter_mut().zip(sample.0) {
                *all += u32::from(one);
            }
        }
        Rgb(sum.map(|all| (all / (samples * samples)) as u8))
    })
}

/// The twelve edges of a box, as pairs of corners. Bit `a` of a corner's number says at which end of axis `a` it
/// lies.
pub(crate) fn edges() -> impl Iterator<Item = [usize; 2]> {
    let pairs = (0..8usize).flat_map(|a| [1, 2, 4].map(|bit| [a, a | bit]));
    pairs.filter(|[a, b]| a != b)
}

/// Creates a file to write to, and returns it with its path.
pub(crate) fn create(path: &Path) -> Result<(BufWriter<File>, &Path), String> {
    let file = File::create(path).map_err(|error| unwritable(path, &error))?;
    Ok((BufWriter::new(file), path))
}

pub(crate) fn unwritable(path: &Path, error: &dyn Error) -> String {
    format!("cannot write {}: {error}", path.display())
}

pub(crate) fn write_png(image: &RgbImage, mut file: impl Write) -> image::ImageResult<()> {
    let encoder =
        PngEncoder::new_with_quality(&mut file, CompressionType::Best, FilterType::Adaptive);
    image.write_with_encoder(encoder)?;
    Ok(file.flush()?)
}
