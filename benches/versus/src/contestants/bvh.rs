//! bvh: bounding volume hierarchies of points and of boxes.

mod boxes;

use ::bvh::aabb::{Aabb, Bounded};
use ::bvh::ball;
use ::bvh::bounding_hierarchy::{BHShape, BHValue};
use ::bvh::bvh::Bvh;
use ::bvh::point_query::PointDistance;
use nalgebra::{Point, Point3, Scalar};

use super::Register;
use crate::contestant::at_rest::finder;
use crate::contestant::one_by_one::{OneByOne, Test};
use crate::contestant::{Index, Nearest, Radius, nearest, radius};
use crate::jobs::predicate::tester;
use crate::stepper::stepper;
use crate::worlds::{Ball, Bounds};
use boxes::{Rebuilt, Shapes};

pub(super) fn enter(to: &mut Register) {
    to.radius3.push(radius::<_, 3, Tree<f32, 3>>());
    to.radius3_f64.push(radius::<_, 3, Tree<f64, 3>>());
    to.radius2.push(radius::<_, 2, Tree<f32, 2>>());
    to.nearest3.push(nearest::<_, 3, Tree<f32, 3>>());
    to.nearest2.push(nearest::<_, 2, Tree<f32, 2>>());
    to.predicate.push(tester::<OneByOne<Balls>>());
    to.broadphase3.push(stepper::<3, Rebuilt<3>>());
    to.broadphase2.push(stepper::<2, Rebuilt<2>>());
    to.windows3.push(finder::<3, _, Shapes<3>>());
    to.frustum.push(finder::<3, _, Shapes<3>>());
    to.windows2.push(finder::<2, _, Shapes<2>>());
}

struct Balls;

impl Test for Balls {
    const NAME: &'static str = "bvh";
    type Box = Aabb<f32, 3>;
    type Ball = ball::Ball<f32, 3>;

    fn cuboid(cuboid: &Bounds<3>) -> Self::Box {
        Aabb::with_bounds(Point3::from(cuboid.min), Point3::from(cuboid.max))
    }

    fn ball(ball: &Ball) -> Self::Ball {
        ball::Ball::new(Point3::from(ball.center), ball.radius)
    }

    fn meet(cuboid: &Self::Box, ball: &Self::Ball) -> bool {
        ball.intersects_aabb(cuboid)
    }
}

struct PointItem<S: Scalar, const D: usize> {
    point: Point<S, D>,
    id: u32,
    node: usize,
}

struct Tree<S: Scalar + Copy, const D: usize>(Bvh<S, D>, Vec<PointItem<S, D>>)
where
    S: BHValue;

macro_rules! points {
    ($s:ty, $d:literal) => {
        impl Bounded<$s, $d> for PointItem<$s, $d> {
            fn aabb(&self) -> Aabb<$s, $d> {
                Aabb::with_bounds(self.point, self.point)
            }
        }

        impl BHShape<$s, $d> for PointItem<$s, $d> {
            fn set_bh_node_index(&mut self, node: usize) {
                self.node = node;
            }

            fn bh_node_index(&self) -> usize {
                self.node
            }
        }

        impl PointDistance<$s, $d> for PointItem<$s, $d> {
            fn distance_squared(&self, from: Point<$s, $d>) -> $s {
                (self.point - from).norm_squared()
            }
        }

        impl Index<$s, $d> for Tree<$s, $d> {
            const NAME: &'static str = "bvh";

            fn build(points: &[[$s; $d]], _: $s) -> Self {
                let item = |(&point, id)| PointItem {
                    point: Point::from(point),
                    id,
                    node: 0,
                };
                let mut items: Vec<_> = points.iter().zip(0..).map(item).collect();
                Self(Bvh::build(&mut items), items)
            }
        }

        impl Radius<$s, $d> for Tree<$s, $d> {
            fn count(&mut self, center: &[$s; $d], radius: $s) -> usize {
                let ball = ball::Ball::new(Point::from(*center), radius);
                self.0.traverse_iterator(&ball, &self.1).count()
            }

            fn collect(&mut self, center: &[$s; $d], radius: $s, ids: &mut Vec<u32>) {
                let ball = ball::Ball::new(Point::from(*center), radius);
                let found = self.0.traverse_iterator(&ball, &self.1);
                ids.extend(found.map(|item| item.id));
            }
        }

        impl Nearest<$s, $d> for Tree<$s, $d> {
            fn nearest(&mut self, center: &[$s; $d]) -> u32 {
                let nearest = self.0.nearest_to(Point::from(*center), &self.1);
                nearest.expect("there are points").0.id
            }
        }
    };
}

points!(f32, 2);
points!(f32, 3);
points!(f64, 3);
