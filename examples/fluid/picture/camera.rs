//! Perspective.

use orthant::glam::{Vec2, Vec3};

use crate::scene::TANK;

pub(super) struct Camera {
    pub(super) eye: Vec3,
    forward: Vec3,
    right: Vec3,
    up: Vec3,
    /// Pixels per unit of slope.
    focal: f32,
    middle: Vec2,
    pub(super) width: usize,
    pub(super) height: usize,
}

impl Camera {
    /// So that the whole tank is seen.
    pub(super) fn new(width: usize, height: usize) -> Self {
        let target = TANK * Vec3::new(0.5, 0.5, 0.3);
        let eye = target + Vec3::new(0.45, -1.0, 0.45).normalize() * 1.7 * TANK.x;
        let forward = (target - eye).normalize();
        let right = forward.cross(Vec3::Z).normalize();
        let mut camera = Self {
            eye,
            forward,
            right,
            up: right.cross(forward),
            focal: 1.0,
            middle: Vec2::ZERO,
            width,
            height,
        };
        let (mut low, mut high) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
        for corner in 0..8 {
            let (at, _) = camera.project(super::corner(corner));
            (low, high) = (low.min(at), high.max(at));
        }
        let size = Vec2::new(width as f32, height as f32);
        camera.focal = (0.9 * size / (high - low)).min_element();
        camera.middle = 0.5 * size - camera.focal * 0.5 * (low + high);
        camera
    }

    /// A place in pixels, and its depth.
    pub(super) fn project(&self, at: Vec3) -> (Vec2, f32) {
        let way = at - self.eye;
        let depth = way.dot(self.forward);
        let slope = Vec2::new(way.dot(self.right), -way.dot(self.up)) / depth;
        (self.middle + self.focal * slope, depth)
    }

    /// A length at some depth, in pixels.
    pub(super) fn size(&self, length: f32, depth: f32) -> f32 {
        self.focal * length / depth
    }

    /// The way to what a pixel shows, for each unit of depth.
    pub(super) fn ray(&self, x: usize, y: usize) -> Vec3 {
        let pixel = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
        let slope = (pixel - self.middle) / self.focal;
        self.forward + self.right * slope.x - self.up * slope.y
    }
}
