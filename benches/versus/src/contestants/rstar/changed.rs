//! Points and balls that change.

use crate::jobs::loose::Changing;
use crate::worlds::Ball;
use ::rstar::primitives::GeomWithData;
use ::rstar::{AABB, PointDistance, RTree, RTreeObject};

/// A point or ball of a changing tree.
pub(super) trait Item:
    PointDistance<Envelope = AABB<[f32; 3]>> + PartialEq + 'static
{
    fn of(id: u32, ball: &Ball) -> Self;

    fn id(&self) -> u32;
}

pub(super) type At = GeomWithData<[f32; 3], u32>;

impl Item for At {
    fn of(id: u32, ball: &Ball) -> Self {
        Self::new(ball.center, id)
    }

    fn id(&self) -> u32 {
        self.data
    }
}

#[derive(PartialEq)]
pub(super) struct Round {
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
pub(super) struct Changed<T: Item>(RTree<T>);

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
