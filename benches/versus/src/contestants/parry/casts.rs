//! Casts through moving boxes.

use parry3d::bounding_volume::BoundingVolume;
use parry3d::partitioning::Bvh;
use parry3d::query::{Ray, RayCast};

use super::boxes::three::{Refit, built, cuboid};
use crate::jobs::casts::{Casts, Path, sphere_time};
use crate::stepper::{Pair, Stepper};
use crate::worlds::Bounds;

/// A tree, and the boxes of its leaves.
trait BoxTree: Stepper<3> {
    fn bvh(&self) -> &Bvh;

    fn boxes(&self) -> &[Bounds<3>];
}

impl<T: BoxTree> Casts for T {
    fn ray(&self, path: &Path) -> Option<u32> {
        let ray = Ray::new(path.from.into(), path.by.into());
        let cast = |leaf: u32, limit| {
            let bounds = cuboid(&self.boxes()[leaf as usize]);
            bounds.cast_local_ray(&ray, limit, true)
        };
        Some(self.bvh().cast_ray(&ray, 1.0, cast)?.0)
    }

    /// Casts a ray against grown boxes, as parry does for composite shapes.
    fn sphere(&self, path: &Path, radius: f32) -> Option<u32> {
        let ray = Ray::new(path.from.into(), path.by.into());
        let found = self.bvh().find_best(
            1.0,
            |node, limit| {
                let bounds = node.aabb().loosened(radius);
                bounds.cast_local_ray(&ray, limit, true).unwrap_or(f32::MAX)
            },
            |leaf, _| sphere_time(path, radius, &self.boxes()[leaf as usize]),
        );
        Some(found?.0)
    }

    fn overlapping(&self, bounds: &Bounds<3>, ids: &mut Vec<u32>) {
        ids.extend(self.bvh().intersect_aabb(&cuboid(bounds)));
    }
}

/// A tree that is built from the boxes after the last step.
pub(crate) struct Fresh {
    bvh: Bvh,
    boxes: Vec<Bounds<3>>,
}

impl Stepper<3> for Fresh {
    const NAME: &'static str = "parry3d fresh";
    const STARTS_AFRESH: bool = true;

    fn new(boxes: &[Bounds<3>]) -> Self {
        Self {
            bvh: built(boxes),
            boxes: boxes.to_vec(),
        }
    }

    fn step(&mut self, boxes: &[Bounds<3>], _: &[u32], _: &mut Vec<Pair>) {
        *self = Self::new(boxes);
    }
}

impl BoxTree for Fresh {
    fn bvh(&self) -> &Bvh {
        &self.bvh
    }

    fn boxes(&self) -> &[Bounds<3>] {
        &self.boxes
    }
}

/// A tree in the state in which the steps leave it.
pub(crate) struct Stepped {
    refit: Refit,
    boxes: Vec<Bounds<3>>,
}

impl Stepper<3> for Stepped {
    const NAME: &'static str = "parry3d stepped";

    fn new(boxes: &[Bounds<3>]) -> Self {
        Self {
            refit: Refit::new(boxes),
            boxes: boxes.to_vec(),
        }
    }

    fn step(&mut self, boxes: &[Bounds<3>], moved: &[u32], pairs: &mut Vec<Pair>) {
        self.refit.step(boxes, moved, pairs);
        self.boxes.copy_from_slice(boxes);
    }
}

impl BoxTree for Stepped {
    fn bvh(&self) -> &Bvh {
        &self.refit.bvh
    }

    fn boxes(&self) -> &[Bounds<3>] {
        &self.boxes
    }
}
