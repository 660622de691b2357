use ::rstar::primitives::GeomWithData;
use ::rstar::{AABB, Point, PointDistance, RTree, RTreeObject};

use crate::contestant::{Index, Nearest, NearestN, Radius};
use crate::jobs::loose::Changing;
use crate::jobs::predicate::Ball;

pub(crate) struct Tree<P: Point>(RTree<GeomWithData<P, u32>>);

macro_rules! contestant {
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

contestant!(f32, 2);
contestant!(f32, 3);
contestant!(f64, 3);

/// A point or ball of a changing tree.
pub(crate) trait Item:
    PointDistance<Envelope = AABB<[f32; 3]>> + PartialEq + 'static
{
    fn of(id: u32, ball: &Ball) -> Self;

    fn id(&self) -> u32;
}

pub(crate) type At = GeomWithData<[f32; 3], u32>;

impl Item for At {
    fn of(id: u32, ball: &Ball) -> Self {
        Self::new(ball.center, id)
    }

    fn id(&self) -> u32 {
        self.data
    }
}

#[derive(PartialEq)]
pub(crate) struct Round {
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

/// Put together by insertions.
pub(crate) struct Changed<T: Item>(RTree<T>);

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
