use ::orthant::glam::Vec3;
use ::orthant::rows::Rows;
use ::orthant::{Aabb, Octree, Sphere};

use crate::bench::Kind;
use crate::jobs::predicate::{Ball, Cuboid, Predicate};
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

/// Rows, and the shapes they are asked for.
pub(crate) struct InRows {
    box_rows: Rows<Aabb<Vec3>>,
    ball_rows: Rows<Sphere<Vec3>>,
    boxes: Vec<Aabb<Vec3>>,
    balls: Vec<Sphere<Vec3>>,
}

impl Predicate for InRows {
    const NAME: &'static str = "orthant";
    const KIND: Kind = Kind::Own;

    fn build(boxes: &[Cuboid], balls: &[Ball]) -> Self {
        let corner = Vec3::from_array;
        let boxes: Vec<_> = boxes
            .iter()
            .map(|b| Aabb::new(corner(b.min), corner(b.max)))
            .collect();
        let balls: Vec<_> = balls
            .iter()
            .map(|b| Sphere::new(corner(b.center), b.radius))
            .collect();
        Self {
            box_rows: Rows::new(&boxes),
            ball_rows: Rows::new(&balls),
            boxes,
            balls,
        }
    }

    fn count_boxes(&self, ball: usize) -> usize {
        self.box_rows.count(&self.balls[ball])
    }

    fn count_balls(&self, cuboid: usize) -> usize {
        self.ball_rows.count(&self.boxes[cuboid])
    }

    fn boxes(&self, ball: usize, ids: &mut Vec<u32>) {
        self.box_rows.indices(&self.balls[ball], ids);
    }

    fn balls(&self, cuboid: usize, ids: &mut Vec<u32>) {
        self.ball_rows.indices(&self.boxes[cuboid], ids);
    }
}
