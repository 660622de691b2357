//! A camera in perspective, which maps places in space to pixels, and pixels to rays.

use orthant::glam::{DVec2, DVec3};

#[derive(Clone, Debug)]
pub(crate) struct Camera {
    pub(crate) eye: DVec3,
    forward: DVec3,
    right: DVec3,
    up: DVec3,
    /// Pixels per unit of slope.
    focal: f64,
    middle: DVec2,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

impl Camera {
    /// Looks from an eye to a target, with the third axis upwards. The corners fill a share of the picture's width or
    /// height, and lie in its middle.
    pub(crate) fn new(
        eye: DVec3,
        target: DVec3,
        corners: impl IntoIterator<Item = DVec3>,
        share: f64,
        [width, height]: [usize; 2],
    ) -> Self {
        let forward = (target - eye).normalize();
        let right = forward.cross(DVec3::Z).normalize();
        let mut camera = Self {
            eye,
            forward,
            right,
            up: right.cross(forward),
            focal: 1.0,
            middle: DVec2::ZERO,
            width,
            height,
        };
        let (mut low, mut high) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
        for corner in corners {
            let (at, _) = camera.project(corner);
            (low, high) = (low.min(at), high.max(at));
        }
        let size = DVec2::new(width as f64, height as f64);
        camera.focal = (share * size / (high - low)).min_element();
        camera.middle = 0.5 * size - camera.focal * 0.5 * (low + high);
        camera
    }

    /// Projects a place: its pixel coordinates, and its depth.
    pub(crate) fn project(&self, at: DVec3) -> (DVec2, f64) {
        let way = at - self.eye;
        let depth = way.dot(self.forward);
        let slope = DVec2::new(way.dot(self.right), -way.dot(self.up)) / depth;
        (self.middle + self.focal * slope, depth)
    }

    /// Converts a length at some depth to pixels.
    pub(crate) fn size(&self, length: f64, depth: f64) -> f64 {
        self.focal * length / depth
    }

    /// The middle of a pixel by its number; pixels are numbered row by row.
    pub(crate) fn pixel(&self, i: usize) -> DVec2 {
        DVec2::new((i % self.width) as f64 + 0.5, (i / self.width) as f64 + 0.5)
    }

    /// The ray from the eye through a pixel, as long as it takes to reach depth 1.
    pub(crate) fn ray(&self, i: usize) -> DVec3 {
        let slope = (self.pixel(i) - self.middle) / self.focal;
        self.forward + self.right * slope.x - self.up * slope.y
    }

    /// All pixels that may show a ball, and some more; none if the ball is not in front of the eye.
    pub(crate) fn pixels_around(
        &self,
        center: DVec3,
        radius: f64,
    ) -> impl Iterator<Item = usize> + use<> {
        let (at, depth) = self.project(center);
        let depth = depth - radius;
        let (at, reach) = if depth > 0.0 {
            // Perspective stretches discs off the axis.
            (at, 1.3 * self.size(radius, depth) + 1.0)
        } else {
            (DVec2::ZERO, -1.0)
        };
        let range = |middle: f64, size: usize| {
            let limit = size as f64;
            let low = (middle - reach).clamp(0.0, limit) as usize;
            low..(middle + reach + 1.0).clamp(0.0, limit) as usize
        };
        let (columns, width) = (range(at.x, self.width), self.width);
        range(at.y, self.height).flat_map(move |y| columns.clone().map(move |x| y * width + x))
    }
}
