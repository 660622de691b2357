//! bvh: bounding volume hierarchies of points and of boxes.

use ::bvh::aabb::{Aabb, Bounded, IntersectsAabb};
use ::bvh::ball;
use ::bvh::bounding_hierarchy::{BHShape, BHValue};
use ::bvh::bvh::Bvh;
use ::bvh::point_query::PointDistance;
use glam::Vec3A;
use nalgebra::{Point, Point3, Scalar};

use super::Register;
use crate::contestant::at_rest::{AtRest, Find, finder};
use crate::contestant::one_by_one::{OneByOne, Test};
use crate::contestant::{Index, Nearest, Radius, nearest, radius};
use crate::jobs::frustum::View;
use crate::jobs::predicate::tester;
use crate::stepper::{KeptPairs, Pair, Stepper, stepper};
use crate::worlds::{Ball, Bounds};

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

struct BoxItem<const D: usize> {
    bounds: Aabb<f32, D>,
    id: u32,
    node: usize,
}

/// A hierarchy that is rebuilt in each step. bvh's own `update_shapes` would remove and insert one box after the other.
struct Rebuilt<const D: usize> {
    items: Vec<BoxItem<D>>,
    kept: KeptPairs,
}

fn items<const D: usize>(boxes: &[Bounds<D>]) -> Vec<BoxItem<D>> {
    let item = |(id, bounds)| BoxItem {
        bounds: cuboid(bounds),
        id,
        node: 0,
    };
    (0..).zip(boxes).map(item).collect()
}

fn cuboid<const D: usize>(bounds: &Bounds<D>) -> Aabb<f32, D> {
    Aabb::with_bounds(Point::from(bounds.min), Point::from(bounds.max))
}

/// Boxes at rest, queried by boxes.
struct Shapes<const D: usize> {
    bvh: Bvh<f32, D>,
    items: Vec<BoxItem<D>>,
}

macro_rules! boxes {
    ($d:literal) => {
        impl Bounded<f32, $d> for BoxItem<$d> {
            fn aabb(&self) -> Aabb<f32, $d> {
                self.bounds
            }
        }

        impl BHShape<f32, $d> for BoxItem<$d> {
            fn set_bh_node_index(&mut self, node: usize) {
                self.node = node;
            }

            fn bh_node_index(&self) -> usize {
                self.node
            }
        }

        impl Stepper<$d> for Rebuilt<$d> {
            const NAME: &'static str = "bvh rebuilt";
            const STARTS_AFRESH: bool = true;
            const MOST_BOXES: usize = 100_000;

            fn new(boxes: &[Bounds<$d>]) -> Self {
                Self {
                    items: items(boxes),
                    kept: KeptPairs::default(),
                }
            }

            fn step(&mut self, boxes: &[Bounds<$d>], moved: &[u32], pairs: &mut Vec<Pair>) {
                for (item, bounds) in self.items.iter_mut().zip(boxes) {
                    item.bounds = cuboid(bounds);
                }
                let bvh = Bvh::build(&mut self.items);
                let items = &self.items;
                self.kept
                    .step(boxes.len(), moved, pairs, |id, keep, pairs| {
                        for item in bvh.traverse_iterator(&items[id as usize].bounds, items) {
                            keep.offer(item.id, pairs);
                        }
                    });
            }
        }

        impl AtRest<$d> for Shapes<$d> {
            const NAME: &'static str = "bvh";

            fn build(boxes: &[Bounds<$d>]) -> Self {
                let mut items = items(boxes);
                Self {
                    bvh: Bvh::build(&mut items),
                    items,
                }
            }
        }

        impl Find<$d, Bounds<$d>> for Shapes<$d> {
            fn find(&mut self, window: &Bounds<$d>, ids: &mut Vec<u32>) {
                let window = cuboid(window);
                let found = self.bvh.traverse_iterator(&window, &self.items);
                let met = found.filter(|item| item.bounds.intersects_aabb(&window));
                ids.extend(met.map(|item| item.id));
            }
        }
    };
}

boxes!(2);
boxes!(3);

impl IntersectsAabb<f32, 3> for View {
    fn intersects_aabb(&self, bounds: &Aabb<f32, 3>) -> bool {
        let vector = |p: &Point3<f32>| Vec3A::new(p.x, p.y, p.z);
        self.sees(vector(&bounds.min), vector(&bounds.max))
    }
}

impl Find<3, View> for Shapes<3> {
    fn find(&mut self, view: &View, ids: &mut Vec<u32>) {
        let found = self.bvh.traverse_iterator(view, &self.items);
        ids.extend(found.map(|item| item.id));
    }
}
