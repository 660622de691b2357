//! rstar: R*-trees of points, of changing points and balls, and of boxes.

use std::ops::ControlFlow;

use ::rstar::primitives::{GeomWithData, Rectangle};
use ::rstar::{AABB, Point, PointDistance, RTree, RTreeObject};

use super::Register;
use crate::contestant::at_rest::{AtRest, Find, finder};
use crate::contestant::ghosts::Ghosts;
use crate::contestant::rebuilt::{SMALL, lister, rebuilt, rebuilt_counter};
use crate::contestant::{Index, Loop, Nearest, NearestN, Radius, nearest, nearest_n, radius};
use crate::jobs::loose::{Changing, changer};
use crate::jobs::nearest::SEVERAL;
use crate::stepper::{KeptPairs, Pair, Stepper, stepper};
use crate::worlds::{Ball, Bounds};

pub(super) fn enter(to: &mut Register) {
    to.radius3.push(radius::<_, 3, Tree<[f32; 3]>>());
    to.radius3_f64.push(radius::<_, 3, Tree<[f64; 3]>>());
    to.radius2.push(radius::<_, 2, Tree<[f32; 2]>>());
    to.nearest3.push(nearest::<_, 3, Tree<[f32; 3]>>());
    to.nearest_n3
        .push(nearest_n::<_, 3, Tree<[f32; 3]>, SEVERAL>());
    to.nearest2.push(nearest::<_, 2, Tree<[f32; 2]>>());
    to.nearest_n2
        .push(nearest_n::<_, 2, Tree<[f32; 2]>, SEVERAL>());
    to.changing_points.push(changer::<Changed<At>>());
    to.changing_balls.push(changer::<Changed<Round>>());
    to.broadphase3.push(stepper::<3, Rebuilt>());
    to.broadphase2.push(stepper::<2, Rebuilt>());
    to.windows3.push(finder::<3, _, Rectangles<3>>());
    to.windows2.push(finder::<2, _, Rectangles<2>>());
    to.lists3
        .push(rebuilt::<_, 3, Loop<Tree<[f32; 3]>>>().up_to(SMALL));
    to.lists3_f64
        .push(rebuilt::<_, 3, Loop<Tree<[f64; 3]>>>().up_to(SMALL));
    to.lists2
        .push(rebuilt::<_, 2, Loop<Tree<[f32; 2]>>>().up_to(SMALL));
    to.periodic3
        .push(lister::<_, 3, Ghosts<Tree<[f32; 3]>>>("rstar, ghosts").up_to(SMALL));
    to.counts3
        .push(rebuilt_counter::<_, 3, Tree<[f32; 3]>>().up_to(SMALL));
}

struct Tree<P: Point>(RTree<GeomWithData<P, u32>>);

macro_rules! points {
    ($s:ty, $d:literal) => {
        impl Index<$s, $d> for Tree<[$s; $d]> {
            const NAME: &'static str = "rstar";

            fn build(points: &[[$s; $d]], _: $s) -> Self {
                let item = |(&point, id)| GeomWithData::new(point, id);
                Self(RTree::bulk_load(points.iter().zip(0..).map(item).collect()))
            }
        }

        impl Radius<$s, $d> for Tree<[$s; $d]> {
            fn count(&mut self, center: &[$s; $d], radius: $s) -> usize {
                let found = self.0.locate_within_distance(*center, radius * radius);
                found.count()
            }

            fn collect(&mut self, center: &[$s; $d], radius: $s, ids: &mut Vec<u32>) {
                let found = self.0.locate_within_distance(*center, radius * radius);
                ids.extend(found.map(|item| item.data));
            }
        }

        impl Nearest<$s, $d> for Tree<[$s; $d]> {
            fn nearest(&mut self, center: &[$s; $d]) -> u32 {
                let nearest = self.0.nearest_neighbor(*center);
                nearest.expect("there are points").data
            }
        }

        impl NearestN<$s, $d> for Tree<[$s; $d]> {
            fn nearest_n(&mut self, center: &[$s; $d], n: usize, ids: &mut Vec<u32>) {
                let found = self.0.nearest_neighbor_iter(*center).take(n);
                ids.extend(found.map(|item| item.data));
            }
        }
    };
}

points!(f32, 2);
points!(f32, 3);
points!(f64, 3);

/// A point or ball of a changing tree.
trait Item: PointDistance<Envelope = AABB<[f32; 3]>> + PartialEq + 'static {
    fn of(id: u32, ball: &Ball) -> Self;

    fn id(&self) -> u32;
}

type At = GeomWithData<[f32; 3], u32>;

impl Item for At {
    fn of(id: u32, ball: &Ball) -> Self {
        Self::new(ball.center, id)
    }

    fn id(&self) -> u32 {
        self.data
    }
}

#[derive(PartialEq)]
struct Round {
    ball: Ball,
    id: u32,
}

impl RTreeObject for Round {
    type Envelope = AABB<[f32; 3]>;

    fn envelope(&self) -> AABB<[f32; 3]> {
        let Ball { center, radius } = self.ball;
        AABB::from_corners(center.map(|x| x - radius), center.map(|x| x + radius))
    }
}

impl PointDistance for Round {
    fn distance_2(&self, point: &[f32; 3]) -> f32 {
        let apart = self.ball.center.distance_2(point).sqrt() - self.ball.radius;
        apart.max(0.0) * apart.max(0.0)
    }
}

impl Item for Round {
    fn of(id: u32, ball: &Ball) -> Self {
        Self { ball: *ball, id }
    }

    fn id(&self) -> u32 {
        self.id
    }
}

/// A tree that is filled by single insertions.
struct Changed<T: Item>(RTree<T>);

impl<T: Item> Changing for Changed<T> {
    const NAME: &'static str = "rstar";

    fn new() -> Self {
        Self(RTree::new())
    }

    fn insert(&mut self, id: u32, item: &Ball) {
        self.0.insert(T::of(id, item));
    }

    fn update(&mut self, id: u32, from: &Ball, to: &Ball) {
        self.remove(id, from);
        self.insert(id, to);
    }

    fn remove(&mut self, id: u32, item: &Ball) {
        let removed = self.0.remove(&T::of(id, item));
        assert!(removed.is_some(), "rstar has the item");
    }

    fn collect(&mut self, center: &[f32; 3], radius: f32, names: &mut Vec<u32>) {
        let found = self.0.locate_within_distance(*center, radius * radius);
        names.extend(found.map(Item::id));
    }
}

/// A tree of moving boxes, rebuilt in each step.
struct Rebuilt(KeptPairs);

/// Boxes at rest, queried by boxes.
struct Rectangles<const D: usize>(RTree<GeomWithData<Rectangle<[f32; D]>, u32>>)
where
    [f32; D]: Point;

macro_rules! boxes {
    ($d:literal) => {
        impl Stepper<$d> for Rebuilt {
            const NAME: &'static str = "rstar rebuilt";
            const STARTS_AFRESH: bool = true;
            const MOST_BOXES: usize = 100_000;

            fn new(_: &[Bounds<$d>]) -> Self {
                Self(KeptPairs::default())
            }

            fn step(&mut self, boxes: &[Bounds<$d>], moved: &[u32], pairs: &mut Vec<Pair>) {
                let item = |(bounds, id): (&Bounds<$d>, u32)| {
                    GeomWithData::new(Rectangle::from_corners(bounds.min, bounds.max), id)
                };
                let tree = RTree::bulk_load(boxes.iter().zip(0..).map(item).collect());
                self.0.step(boxes.len(), moved, pairs, |id, keep, pairs| {
                    let bounds = &boxes[id as usize];
                    let asked = AABB::from_corners(bounds.min, bounds.max);
                    let all = tree.locate_in_envelope_intersecting_int(asked, |item| {
                        keep.offer(item.data, pairs);
                        ControlFlow::<()>::Continue(())
                    });
                    debug_assert!(all.is_continue());
                });
            }
        }

        impl AtRest<$d> for Rectangles<$d> {
            const NAME: &'static str = "rstar";

            fn build(boxes: &[Bounds<$d>]) -> Self {
                let item = |(bounds, id): (&Bounds<$d>, u32)| {
                    GeomWithData::new(Rectangle::from_corners(bounds.min, bounds.max), id)
                };
                Self(RTree::bulk_load(boxes.iter().zip(0..).map(item).collect()))
            }
        }

        impl Find<$d, Bounds<$d>> for Rectangles<$d> {
            fn find(&mut self, window: &Bounds<$d>, ids: &mut Vec<u32>) {
                let window = AABB::from_corners(window.min, window.max);
                let all = self.0.locate_in_envelope_intersecting_int(window, |item| {
                    ids.push(item.data);
                    ControlFlow::<()>::Continue(())
                });
                debug_assert!(all.is_continue());
            }
        }
    };
}

boxes!(2);
boxes!(3);
