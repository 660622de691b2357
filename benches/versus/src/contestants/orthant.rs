use std::hint::black_box;

use ::orthant::glam::{DVec3, Vec2, Vec3};
use ::orthant::rows::Rows;
use ::orthant::{Aabb, Orthtree, Sphere};
use bytemuck::cast_slice;

use crate::answers::Answers;
use crate::bench::Kind;
use crate::contestant::{BatchRun, Index, Nearest, NearestN, Radius, Room};
use crate::jobs::predicate::{Ball, Cuboid, Predicate};

pub(crate) struct Tree<V: ::orthant::Vector>(Orthtree<V>);

macro_rules! contestant {
    ($vector:ty, $s:ty, $d:literal) => {
        impl Index<$s, $d> for Tree<$vector> {
            const NAME: &'static str = "orthant";
            const KIND: Kind = Kind::Own;

            fn build(points: &[[$s; $d]], _: $s) -> Self {
                Self(Orthtree::new(cast_slice::<_, $vector>(points)))
            }
        }

        impl Radius<$s, $d> for Tree<$vector> {
            fn count(&mut self, center: &[$s; $d], radius: $s) -> usize {
                self.0.count(Sphere::new((*center).into(), radius))
            }

            fn collect(&mut self, center: &[$s; $d], radius: $s, ids: &mut Vec<u32>) {
                let ball = Sphere::new((*center).into(), radius);
                self.0.query(ball).append_to(ids);
            }
        }

        impl BatchRun<$s, $d> for Tree<$vector> {
            fn lists(&mut self, points: &[[$s; $d]], radius: $s, _: &mut Room) -> u64 {
                let ball = |&point: &[$s; $d]| Sphere::new(point.into(), radius);
                let balls: Vec<_> = points.iter().map(ball).collect();
                black_box(self.0.query_batch(&balls)).items().len() as u64
            }

            fn answers(&mut self, points: &[[$s; $d]], radius: $s, _: &mut Room) -> Answers {
                let ball = |&point: &[$s; $d]| Sphere::new(point.into(), radius);
                let balls: Vec<_> = points.iter().map(ball).collect();
                let mut answers = Answers::default();
                for list in self.0.query_batch(&balls).iter() {
                    answers.push(list.iter().map(|&id| id as u64));
                }
                answers
            }
        }

        impl Nearest<$s, $d> for Tree<$vector> {
            fn nearest(&mut self, center: &[$s; $d]) -> u32 {
                let nearest = self.0.nearest((*center).into());
                nearest.expect("there are points").item as u32
            }
        }

        impl NearestN<$s, $d> for Tree<$vector> {
            fn nearest_n(&mut self, center: &[$s; $d], n: usize, ids: &mut Vec<u32>) {
                let found = self.0.nearest_n((*center).into(), n).into_iter();
                ids.extend(found.map(|neighbor| neighbor.item as u32));
            }
        }
    };
}

contestant!(Vec2, f32, 2);
contestant!(Vec3, f32, 3);
contestant!(DVec3, f64, 3);

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
