//! Boxes at rest, queried by the frustum of a camera.

use super::library::glam::Vec3;
use super::library::{Aabb, Frustum, Orthtree, Overlaps};

use super::{KIND, NAME};
use crate::jobs::frustum::{Cull, View};
use crate::race::Kind;
use crate::worlds::Bounds;

pub(crate) struct Tree(Orthtree<Aabb<Vec3>>);

fn cuboid(bounds: &Bounds<3>) -> Aabb<Vec3> {
    Aabb::new(bounds.min.into(), bounds.max.into())
}

impl Cull for Tree {
    const NAME: &'static str = NAME;
    const KIND: Kind = KIND;

    fn build(boxes: &[Bounds<3>]) -> Self {
        Self(Orthtree::new(&boxes.iter().map(cuboid).collect::<Vec<_>>()))
    }

    fn visible(&mut self, view: &View, ids: &mut Vec<u32>) {
        let frustum = Frustum::from_view_projection(view.matrix);
        self.0.query(frustum).append_to(ids);
    }
}

/// Which boxes overlap a frustum, by the predicate alone.
pub(crate) fn overlap_frustum(view: &View, boxes: &[Bounds<3>]) -> Vec<bool> {
    let frustum = Frustum::<Vec3>::from_view_projection(view.matrix);
    let overlap = boxes.iter().map(|bounds| frustum.overlaps(&cuboid(bounds)));
    overlap.collect()
}
