use ::orthant::glam::Vec3;
use ::orthant::{Octree, Sphere};

use crate::bench::Kind;
use crate::jobs::radius::Radius;

pub(crate) struct Tree(Octree);

impl Radius<3> for Tree {
    const NAME: &'static str = "orthant";
    const KIND: Kind = Kind::Own;

    fn build(points: &[[f32; 3]]) -> Self {
        let points: Vec<Vec3> = points.iter().copied().map(Vec3::from_array).collect();
        Self(Octree::new(&points))
    }

    fn count(&mut self, center: &[f32; 3], radius: f32) -> usize {
        self.0.count(Sphere::new(Vec3::from_array(*center), radius))
    }

    fn collect(&mut self, center: &[f32; 3], radius: f32, ids: &mut Vec<u32>) {
        self.0
            .query(Sphere::new(Vec3::from_array(*center), radius))
            .for_each(|i| ids.push(i as u32));
    }
}
