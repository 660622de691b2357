use ::orthant::glam::Vec3;
use ::orthant::{Aabb, Sphere};

use crate::contestants::broadphase::orthant::Proxies;
use crate::jobs::casts::{Casts, Path};
use crate::worlds::Bounds;

impl Casts for Proxies<Vec3> {
    fn ray(&self, path: &Path) -> Option<u32> {
        let (from, by) = (path.from.into(), path.by.into());
        let (handle, _) = self.world.first_on_ray(from, by, 1.0)?;
        Some(handle.slot() as u32)
    }

    fn sphere(&self, path: &Path, radius: f32) -> Option<u32> {
        let ball = Sphere::new(path.from.into(), radius);
        let mut first = None;
        self.world
            .cast_sphere(ball, path.by.into(), 1.0, |handle, _| {
                first = Some(handle.slot() as u32);
                // No other.
                -1.0
            });
        first
    }

    fn overlapping(&self, bounds: &Bounds<3>, ids: &mut Vec<u32>) {
        let asked = Aabb::<Vec3>::new(bounds.min.into(), bounds.max.into());
        let found = self.world.query(asked);
        found.for_each(|handle| ids.push(handle.slot() as u32));
    }
}
