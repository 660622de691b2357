//! The surface of the water as the camera sees it. Particles are drawn as balls into a depth buffer, which is then
//! smoothed (van der Laan, Green and Sainz, 2009; the filter is that of Truong and Yuksel, 2018).

use rayon::prelude::*;

use crate::camera::Camera;
use crate::water::Water;

/// Radius of a particle as it is drawn, in spacings, so large that no gaps are left.
const RADIUS: f32 = 0.85;
/// Radius of a ball with the volume of a particle, in spacings.
const TRUE_RADIUS: f32 = 0.62;
/// Width of the filter, in spacings.
const WIDTH: f32 = 2.0;
/// Difference in depth from which pixels are not mixed, in spacings.
const NARROW: f32 = 4.0;
const PASSES: usize = 4;
/// Largest width of the filter, in samples: coarse water may look coarse.
const WIDEST: f32 = 16.0;
/// Water that is less dense than this is spray.
const LOOSE: f32 = 0.55;

/// The water that each pixel shows.
pub(super) struct Surface {
    /// The depth of the surface; infinite where there is no water.
    pub(super) depths: Vec<f32>,
    /// The thickness of the water behind the surface, in metres.
    pub(super) thickness: Vec<f32>,
    /// The amount of foam.
    pub(super) foam: Vec<f32>,
}

impl Surface {
    pub(super) fn new(water: &Water, camera: &Camera) -> Self {
        let pixels = camera.width * camera.height;
        let mut surface = Self {
            depths: vec![f32::INFINITY; pixels],
            thickness: vec![0.0; pixels],
            foam: vec![0.0; pixels],
        };
        // Draw all particles as balls.
        for i in 0..water.positions.len() {
            surface.draw(water, i, camera);
        }
        let (_, depth) = camera.project(super::corner(0).as_dvec3());
        let width = camera.size((WIDTH * water.spacing).into(), depth) as f32;
        let width = width.min(WIDEST);
        let narrow = NARROW * water.spacing;
        // Smooth the depths, without mixing surfaces that lie far behind each other.
        for _ in 0..PASSES {
            for axis in 0..2 {
                let filter = Filter::new(camera, axis, width, narrow);
                surface.depths = filter.apply(&surface.depths, &surface.depths);
            }
        }
        // Smooth thickness and foam, whatever their values.
        for axis in 0..2 {
            let filter = Filter::new(camera, axis, width, f32::INFINITY);
            surface.thickness = filter.apply(&surface.thickness, &surface.depths);
            surface.foam = filter.apply(&surface.foam, &surface.depths);
        }
        surface
    }

    fn draw(&mut self, water: &Water, i: usize, camera: &Camera) {
        let (at, depth) = camera.project(water.positions[i].as_dvec3());
        let radius = RADIUS * water.spacing;
        let reach = camera.size(radius.into(), depth) as f32;
        let (at, depth) = (at.as_vec2(), depth as f32);
        let volume = (TRUE_RADIUS / RADIUS).powi(3);
        let speed = water.velocities[i].length();
        let foam = ((LOOSE - water.densities[i]) / LOOSE).max(0.0) * (speed - 0.5).clamp(0.0, 2.0);
        let range = |middle: f32, end: usize| {
            let low = (middle - reach).ceil().max(0.0) as usize;
            low..((middle + reach).ceil().max(0.0) as usize).min(end)
        };
        for y in range(at.y, camera.height) {
            for x in range(at.x, camera.width) {
                let (dx, dy) = (x as f32 + 0.5 - at.x, y as f32 + 0.5 - at.y);
                let inside = 1.0 - (dx * dx + dy * dy) / (reach * reach);
                if inside > 0.0 {
                    let pixel = y * camera.width + x;
                    let half = radius * inside.sqrt();
                    self.depths[pixel] = self.depths[pixel].min(depth - half);
                    self.thickness[pixel] += 2.0 * half * volume;
                    self.foam[pixel] += foam * inside;
                }
            }
        }
    }
}

/// A blur along one axis, which mixes only pixels of similar values.
struct Filter {
    weights: Vec<f32>,
    /// The distance from a pixel to the next, in the buffer.
    step: usize,
    /// The number of pixels along the axis.
    pixels: usize,
    /// Values that differ by this much or more are not mixed.
    narrow: f32,
}

impl Filter {
    fn new(camera: &Camera, axis: usize, width: f32, narrow: f32) -> Self {
        let reach = (2.0 * width).ceil() as usize;
        let weight = |i| (-0.5 * (i as f32 / width).powi(2)).exp();
        Self {
            weights: (0..=reach).map(weight).collect(),
            step: [1, camera.width][axis],
            pixels: [camera.width, camera.height][axis],
            narrow,
        }
    }

    /// Blurs the pixels that show water.
    fn apply(&self, values: &[f32], depths: &[f32]) -> Vec<f32> {
        let reach = self.weights.len() - 1;
        let mix = |i: usize| {
            if depths[i].is_infinite() {
                return values[i];
            }
            let at = i / self.step % self.pixels;
            let (before, after) = (at.min(reach), (self.pixels - 1 - at).min(reach));
            let (mut sum, mut all) = (0.0, 0.0);
            for away in 0..=before + after {
                let other = values[i + away * self.step - before * self.step];
                if (other - values[i]).abs() < self.narrow {
                    let weight = self.weights[away.abs_diff(before)];
                    sum += weight * other;
                    all += weight;
                }
            }
            sum / all
        };
        (0..values.len()).into_par_iter().map(mix).collect()
    }
}
