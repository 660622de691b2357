use ::orthant::glam::Vec3;
use ::orthant::{Aabb, Moving, Sphere};

use crate::contestants::broadphase::orthant::Proxies;
use crate::jobs::casts::{Casts, Path};
use crate::worlds::Bounds;

impl Casts for Proxies<Vec3> {
    fn ray(&self, path: &Path) -> Option<u32> {
        let from = Vec3::from(path.from);
        let point = Aabb::new(from, from);
        let hit = self.world.sweep(Moving::new(point, path.by.into()))?;
        Some(hit.item.slot() as u32)
    }

    fn sphere(&self, path: &Path, radius: f32) -> Option<u32> {
        let sphere = Sphere::new(Vec3::from(path.from), radius);
        let hit = self.world.sweep(Moving::new(sphere, path.by.into()))?;
        Some(hit.item.slot() as u32)
    }

    fn overlapping(&self, bounds: &Bounds<3>, ids: &mut Vec<u32>) {
        let asked = Aabb::<Vec3>::new(bounds.min.into(), bounds.max.into());
        let found = self.world.query(asked);
        found.for_each(|handle| ids.push(handle.slot() as u32));
    }
}
