use ::rstar::RTree;
use ::rstar::primitives::GeomWithData;

use crate::jobs::radius::Radius;

pub(crate) struct Tree(RTree<GeomWithData<[f32; 3], u32>>);

impl Radius<3> for Tree {
    const NAME: &'static str = "rstar";

    fn build(points: &[[f32; 3]]) -> Self {
        let item = |(&point, id)| GeomWithData::new(point, id);
        Self(RTree::bulk_load(points.iter().zip(0..).map(item).collect()))
    }

    fn count(&mut self, center: &[f32; 3], radius: f32) -> usize {
        self.0
            .locate_within_distance(*center, radius * radius)
            .count()
    }

    fn collect(&mut self, center: &[f32; 3], radius: f32, ids: &mut Vec<u32>) {
        let found = self.0.locate_within_distance(*center, radius * radius);
        ids.extend(found.map(|item| item.data));
    }
}
