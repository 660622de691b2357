//! Draws the voxels: in two dimensions with the true outline of the shape, in three as an isometric view.

use std::path::Path;

use image::{Rgb, RgbImage};
use indicatif::ProgressBar;

use crate::request::{Request, Row};
use crate::shared::{create, mean_color, unwritable, write_png};

/// Samples per pixel along each axis.
const SAMPLES: u32 = 2;
const MARGIN: f64 = 24.0;
const PAPER: Rgb<u8> = Rgb([250, 250, 247]);
/// Largest number of voxels in a picture; drawing them takes about a minute.
const MOST: u64 = 400_000_000;

/// Writes the picture and returns its width and height.
pub(crate) fn write(
    path: &Path,
    request: &Request,
    solid: bool,
    side: u32,
    bar: &ProgressBar,
) -> Result<(u32, u32), String> {
    let (file, _) = create(path)?;
    let fine = if request.dim() == 2 {
        flat(request, solid, side, bar)?
    } else {
        view(request, solid, side, bar)?
    };
    let image = mean_color(&fine, SAMPLES);
    write_png(&image, file).map_err(|error| unwritable(path, &error))?;
    Ok(image.dimensions())
}

/// Maps a rectangle of the plane to samples, the second axis upwards.
struct Frame {
    low: [f64; 2],
    high: [f64; 2],
    scale: f64,
    margin: f64,
}

impl Frame {
    /// Makes a frame with this many pixels on the longer side.
    fn new(low: [f64; 2], high: [f64; 2], side: u32) -> Self {
        let longer = (high[0] - low[0]).max(high[1] - low[1]);
        let samples = f64::from(SAMPLES);
        Self {
            low,
            high,
            // A voxel is at most 64 pixels wide: a few voxels need not fill the page.
            scale: (f64::from(side) / longer).min(64.0) * samples,
            margin: MARGIN * samples,
        }
    }

    fn image(&self) -> RgbImage {
        let [w, h] = [0, 1].map(|a| {
            let inside = (self.high[a] - self.low[a]) * self.scale;
            ((inside + 2.0 * self.margin) / f64::from(SAMPLES)).ceil() as u32 * SAMPLES
        });
        RgbImage::from_pixel(w, h, PAPER)
    }

    fn x(&self, x: f64) -> f64 {
        (x - self.low[0]) * self.scale + self.margin
    }

    fn y(&self, y: f64) -> f64 {
        (self.high[1] - y) * self.scale + self.margin
    }
}

/// Draws the cells, and over them the outline of the shape.
fn flat(request: &Request, solid: bool, side: u32, bar: &ProgressBar) -> Result<RgbImage, String> {
    let (center, half) = request.extent();
    let (c, h) = ([0, 1], [0, 1]);
    let c = c.map(|a| center[a] / request.voxel());
    let h = h.map(|a| half[a] / request.voxel());
    let frame = Frame::new(
        [0, 1].map(|a| (c[a] - h[a]).floor() - 1.0),
        [0, 1].map(|a| (c[a] + h[a]).ceil() + 1.0),
        side,
    );
    let mut image = frame.image();
    // Large cells have gaps between them. The smallest still cover one sample.
    let gap = if frame.scale > 12.0 { SAMPLES } else { 0 };
    let cell = |from: f64, to: f64| {
        let (from, to) = (from.round() as u32, to.round() as u32);
        from..to.saturating_sub(gap).max(from + 1)
    };
    request.each_span(solid, |row| {
        bar.inc(1);
        let (top, bottom) = (frame.y(f64::from(row.y) + 1.0), frame.y(f64::from(row.y)));
        let mut fill = |start: i32, end: i32| {
            let (left, right) = (frame.x(f64::from(start)), frame.x(f64::from(end)));
            for v in cell(top, bottom) {
                for u in cell(left, right) {
                    image.put_pixel(u, v, Rgb([120, 176, 214]));
                }
            }
        };
        if gap == 0 {
            fill(row.start, row.end);
        } else {
            (row.start..row.end).for_each(|x| fill(x, x + 1));
        }
    })?;
    // The outline is a row of dots.
    let mut dot = |x: f64, y: f64| {
        let (x, y) = (frame.x(x), frame.y(y));
        let width = 1.5 * f64::from(SAMPLES) / 2.0;
        for v in (y - width) as u32..=(y + width) as u32 {
            for u in (x - width) as u32..=(x + width) as u32 {
                image.put_pixel(u, v, Rgb([200, 60, 40]));
            }
        }
    };
    let steps = 4 * side * SAMPLES;
    for i in 0..steps {
        let t = f64::from(i) / f64::from(steps);
        if request.is_box() {
            let side = (8.0 * t) % 2.0 - 1.0;
            let (x, y) = [(side, -1.0), (1.0, side), (side, 1.0), (-1.0, side)][(4.0 * t) as usize];
            dot(c[0] + x * h[0], c[1] + y * h[1]);
        } else {
            let (sin, cos) = (t * std::f64::consts::TAU).sin_cos();
            dot(c[0] + cos * h[0], c[1] + sin * h[1]);
        }
    }
    Ok(image)
}

/// Draws an isometric view from the direction (1, 1, 1). The octant in front is cut away if the shape is convex.
fn view(request: &Request, solid: bool, side: u32, bar: &ProgressBar) -> Result<RgbImage, String> {
    let mut skin = 0;
    request.each_span(false, |row| skin += u64::from(row.len()))?;
    if skin > MOST {
        return Err(format!("{skin} surface voxels are too many for a picture"));
    }
    let (center, half) = request.extent();
    let middle = center.map(|c| (c / request.voxel()).floor() as i32);
    let h = half.map(|h| h / request.voxel() + 2.0);
    let (across, up) = if request.is_box() {
        ((h[0] + h[1]) * COS, (h[0] + h[1]) * 0.5 + h[2])
    } else {
        let flat = h[0].hypot(h[1]);
        (flat * COS, (flat * 0.5).hypot(h[2]))
    };
    let convex = request.is_convex();
    let mut canvas = Canvas::new(Frame::new([-across, -up], [across, up], side), h[2], convex);
    let cut = |x: i32, y: i32, z: i32| convex && x >= middle[0] && y >= middle[1] && z >= middle[2];
    let mut draw = |x: i32, y: i32, z: i32| {
        let local = |index: i32, a: usize| f64::from(index) - f64::from(middle[a]);
        canvas.cube([local(x, 0), local(y, 1), local(z, 2)]);
    };
    let mut slab = None;
    // The visible parts of a solid are its surface and the cut. Draw the surface first.
    request.each_span(false, |row| {
        if slab != Some(row.z) {
            slab = Some(row.z);
            bar.inc(1);
        }
        for x in row.start..row.end {
            if !cut(x, row.y, row.z) {
                draw(x, row.y, row.z);
            }
        }
    })?;
    // Draw the walls of the cut: the voxels next to its three planes.
    if solid && convex {
        let at_cut = |row: &Row, a: usize| [0, row.y, row.z][a] == middle[a] - 1;
        request.each_span(true, |row| {
            if row.y < middle[1] - 1 || row.z < middle[2] - 1 {
                return;
            }
            let wall = middle[0] - 1;
            let whole = at_cut(&row, 1) || at_cut(&row, 2);
            let last = if whole {
                row.end - 1
            } else {
                wall.min(row.end - 1)
            };
            for x in row.start.max(wall)..=last {
                draw(x, row.y, row.z);
            }
        })?;
    }
    Ok(canvas.image)
}

const COS: f64 = 0.866_025_403_784_438_6;

/// The picture, with a depth buffer: how near to the viewer the cube of each sample is.
struct Canvas {
    frame: Frame,
    image: RgbImage,
    nearest: Vec<f32>,
    height: f64,
    /// Whether the shape is convex: then faces that look inwards get warm colors.
    convex: bool,
}

impl Canvas {
    fn new(frame: Frame, height: f64, convex: bool) -> Self {
        let image = frame.image();
        let samples = image.width() as usize * image.height() as usize;
        Self {
            frame,
            image,
            nearest: vec![f32::NEG_INFINITY; samples],
            height,
            convex,
        }
    }

    /// Draws a unit cube with its lower corner at `at`. A sample sees the points `(p + t, q + t, t)`.
    fn cube(&mut self, at: [f64; 3]) {
        let [x, y, z] = at;
        let frame = &self.frame;
        let columns = frame.x((x - y - 1.0) * COS)..frame.x((x - y + 1.0) * COS);
        let top = z + 1.0 - (x + y) * 0.5;
        let rows = frame.y(top)..frame.y(top - 2.0);
        for row in rows.start as u32..=rows.end as u32 {
            let v = frame.high[1] - (f64::from(row) + 0.5 - frame.margin) / frame.scale;
            for column in columns.start as u32..=columns.end as u32 {
                let u = frame.low[0] + (f64::from(column) + 0.5 - frame.margin) / frame.scale;
                let (p, q) = (u / COS * 0.5 - v, -u / COS * 0.5 - v);
                let leave = [x + 1.0 - p, y + 1.0 - q, z + 1.0];
                let enter = (x - p).max(y - q).max(z);
                let face = (0..3).fold(0, |a, b| if leave[b] < leave[a] { b } else { a });
                let t = leave[face];
                let index = row as usize * self.image.width() as usize + column as usize;
                if enter >= t || self.nearest[index] >= t as f32 {
                    continue;
                }
                self.nearest[index] = t as f32;
                let seen = [p + t - x, q + t - y, t - z];
                let color = self.color(at, face, seen);
                self.image.put_pixel(column, row, color);
            }
        }
    }

    /// The color of a face: cool outside, warm inside, pale where the cut goes through the voxel. Faces are lit from
    /// above, and large voxels have dark edges.
    fn color(&self, at: [f64; 3], face: usize, seen: [f64; 3]) -> Rgb<u8> {
        let height = (0.5 + 0.5 * at[2] / self.height).clamp(0.0, 1.0);
        let cut = (0..3).all(|a| {
            if a == face {
                at[a] == -1.0
            } else {
                at[a] >= 0.0
            }
        });
        let (low, high) = if !self.convex {
            let c = colorous::VIRIDIS.eval_continuous(height);
            let color = [c.r, c.g, c.b].map(f64::from);
            (color, color)
        } else if cut {
            ([214.0, 178.0, 110.0], [240.0, 214.0, 150.0])
        } else if at[face] < 0.0 {
            // An upper face below the center of a convex shape looks inwards.
            ([150.0, 66.0, 44.0], [244.0, 150.0, 92.0])
        } else {
            ([38.0, 84.0, 124.0], [126.0, 204.0, 222.0])
        };
        let light = [0.82, 0.64, 1.0][face];
        let border = (0..3)
            .filter(|&a| a != face)
            .any(|a| seen[a] < 0.05 || seen[a] > 0.95);
        let large = self.frame.scale > 8.0 * f64::from(SAMPLES);
        let edge = if border && large { 0.78 } else { 1.0 };
        Rgb([0, 1, 2].map(|i| {
            let base: f64 = low[i] + (high[i] - low[i]) * height;
            (base * light * edge) as u8
        }))
    }
}
