//! Draws the points from above, as discs colored by the number of neighbours.

mod legend;

use std::path::Path;

use image::imageops::{self, FilterType};
use image::{Rgb, RgbImage};
use orthant::Vector;

use crate::Failure;
use crate::scale::Scale;
use crate::shared::{create, unwritable, write_png};

const WIDTH: f64 = 1600.0;
const HEIGHT: f64 = 1200.0;
const MARGIN: u32 = 32;
/// The picture is drawn this many times larger, then averaged, for smooth edges.
const FINER: u32 = 3;
const BACKGROUND: Rgb<u8> = Rgb([13, 14, 20]);

pub(crate) fn draw<V: Vector>(path: &Path, points: &[V], counts: &[u32]) -> Result<(), Failure> {
    let scale = Scale::of(counts.iter().copied());
    let plot = plot(points, counts, &scale);

    let height = plot.height().max(legend::HEIGHT);
    let width = plot.width() + legend::WIDTH + 3 * MARGIN;
    let mut sheet = RgbImage::from_pixel(width, height + 2 * MARGIN, BACKGROUND);
    let top = MARGIN + (height - plot.height()) / 2;
    imageops::replace(&mut sheet, &plot, MARGIN.into(), top.into());
    let top = MARGIN + (height - legend::HEIGHT) / 2;
    legend::draw(&mut sheet, plot.width() + 2 * MARGIN, top, &scale);

    let (file, path) = create(path)?;
    write_png(&sheet, file).map_err(|failure| unwritable(path, &failure).into())
}

fn plot<V: Vector>(points: &[V], counts: &[u32], scale: &Scale) -> RgbImage {
    let at = |point: &V, axis| -> f64 { point.axis(axis).into() };
    let range = |axis| {
        points
            .iter()
            .fold((f64::MAX, f64::MIN), |(min, max), point| {
                (at(point, axis).min(min), at(point, axis).max(max))
            })
    };
    let ((left, right), (bottom, top)) = (range(0), range(1));
    // Numbers are halved before the subtraction, since the difference of two finite numbers may be infinite.
    let side = |from: f64, to: f64| (to / 2.0 - from / 2.0).max(f64::MIN_POSITIVE);
    let (wide, high) = (side(left, right), side(bottom, top));
    // The points fill the width or the height of the picture.
    let shrink = (wide / WIDTH).max(high / HEIGHT);
    let pixels = |side: f64| ((side / shrink).ceil() as u32).max(1) * FINER;
    let (width, height) = (pixels(wide), pixels(high));

    // The fewer points there are, the larger the discs.
    let room = f64::from(width) * f64::from(height) / points.len() as f64;
    let radius = (0.7 * room.sqrt()).clamp(2.0, 2.5 * f64::from(FINER));
    let border = radius.ceil() as u32;
    let mut fine = RgbImage::from_pixel(width + 2 * border, height + 2 * border, BACKGROUND);

    // Higher points hide lower ones; in the plane, points with more neighbours hide those with fewer.
    let mut order: Vec<usize> = (0..points.len()).collect();
    if V::DIM > 2 {
        order.sort_by(|&a, &b| at(&points[a], 2).total_cmp(&at(&points[b], 2)));
    } else {
        order.sort_by_key(|&i| counts[i]);
    }
    let disc = disc(radius);
    for i in order {
        let x = (at(&points[i], 0) / 2.0 - left / 2.0) / shrink * f64::from(FINER);
        let y = (top / 2.0 - at(&points[i], 1) / 2.0) / shrink * f64::from(FINER);
        let color = scale.color(counts[i].into());
        for (dx, dy) in &disc {
            let (x, y) = (x as i64 + dx, y as i64 + dy);
            let (x, y) = (x + i64::from(border), y + i64::from(border));
            if let Some(pixel) = fine.get_pixel_mut_checked(x as u32, y as u32) {
                *pixel = color;
            }
        }
    }
    let (width, height) = (fine.width().div_ceil(FINER), fine.height().div_ceil(FINER));
    imageops::resize(&fine, width, height, FilterType::Triangle)
}

fn disc(radius: f64) -> Vec<(i64, i64)> {
    let reach = radius.ceil() as i64;
    let square = (-reach..=reach).flat_map(|y| (-reach..=reach).map(move |x| (x, y)));
    square
        .filter(|&(x, y)| (x * x + y * y) as f64 <= radius * radius)
        .collect()
}
