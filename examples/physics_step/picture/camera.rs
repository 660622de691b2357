//! Perspective.

use orthant::glam::{DVec2, DVec3};

use crate::scene::Tub;

#[derive(Clone, Debug)]
pub(crate) struct Camera {
    pub(crate) eye: DVec3,
    forward: DVec3,
    right: DVec3,
    up: DVec3,
    /// Pixels per unit of slope.
    focal: f64,
    center: DVec2,
    width: u32,
    height: u32,
}

impl Camera {
    /// So that the whole box is seen.
    pub(crate) fn on(tub: Tub, width: u32, height: u32) -> Self {
        let target = DVec3::new(0.0, 0.0, 0.3 * tub.rim);
        let eye = target + DVec3::new(0.30, -1.0, 0.72).normalize() * 6.5 * tub.half;
        let forward = (target - eye).normalize();
        let right = forward.cross(DVec3::Z).normalize();
        let mut camera = Self {
            eye,
            forward,
            right,
            up: right.cross(forward),
            focal: 1.0,
            center: DVec2::ZERO,
            width,
            height,
        };
        let (mut low, mut high) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
        for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)] {
            for z in [0.0, tub.rim] {
                let at = camera.project(DVec3::new(x * tub.half, y * tub.half, z));
                (low, high) = (low.min(at), high.max(at));
            }
        }
        let size = DVec2::new(width.into(), height.into());
        camera.focal = (0.92 * size / (high - low)).min_element();
        camera.center = 0.5 * size - camera.focal * 0.5 * (low + high);
        camera
    }

    pub(crate) fn project(&self, at: DVec3) -> DVec2 {
        let way = at - self.eye;
        let slope = DVec2::new(way.dot(self.right), -way.dot(self.up)) / way.dot(self.forward);
        self.center + self.focal * slope
    }

    /// A length at some place, in pixels.
    pub(crate) fn size(&self, at: DVec3, length: f64) -> f64 {
        self.focal * length / (at - self.eye).dot(self.forward)
    }

    /// The middle of the pixel of a number.
    pub(crate) fn pixel(&self, i: usize) -> DVec2 {
        let (x, y) = (i as u32 % self.width, i as u32 / self.width);
        DVec2::new(f64::from(x) + 0.5, f64::from(y) + 0.5)
    }

    /// The direction in which a pixel looks.
    pub(crate) fn ray(&self, i: usize) -> DVec3 {
        let slope = (self.pixel(i) - self.center) / self.focal;
        (self.forward + self.right * slope.x - self.up * slope.y).normalize()
    }

    /// All pixels that may show a ball, and some more; none for what is not before the eye.
    pub(crate) fn pixels_around(
        &self,
        center: DVec3,
        radius: f64,
    ) -> impl Iterator<Item = usize> + use<> {
        let depth = (center - self.eye).dot(self.forward) - radius;
        let before = depth > 0.0;
        let at = if before {
            self.project(center)
        } else {
            DVec2::ZERO
        };
        // Perspective stretches discs off the axis.
        let reach = if before {
            1.3 * self.focal * radius / depth + 1.0
        } else {
            -1.0
        };
        let range = |middle: f64, size: u32| {
            let limit = f64::from(size);
            let low = (middle - reach).clamp(0.0, limit) as u32;
            low..(middle + reach + 1.0).clamp(0.0, limit) as u32
        };
        let (columns, width) = (range(at.x, self.width), self.width);
        range(at.y, self.height)
            .flat_map(move |y| columns.clone().map(move |x| (y * width + x) as usize))
    }
}
