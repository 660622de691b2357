//! Points at rest, scans of shapes, and a set that changes.

use super::library::glam::{DVec3, Vec2, Vec3};
use super::library::{
    Aabb, Bounded, Handle, Linear, LooseOrthtree, NeighborLists, Orthtree, Overlaps, Sphere, Vector,
};
use super::{KIND, NAME, nearest_n};
use crate::answers::Answers;
use crate::contestant::{BatchRun, Filled, FlatLists, Index, Nearest, NearestN, Radius};
use crate::jobs::loose::Changing;
use crate::jobs::predicate::Predicate;
use crate::race::Kind;
use crate::worlds::{Ball, Bounds};
use bytemuck::cast_slice;
use std::hint::black_box;

pub(crate) struct Tree<V: Vector>(Orthtree<V>);

/// The neighbors of all points, in memory that is kept.
pub(crate) struct All<V: Vector> {
    tree: Orthtree<V>,
    near: NeighborLists,
}

macro_rules! contestant {
    ($vector:ty, $s:ty, $d:literal) => {
        impl Index<$s, $d> for Tree<$vector> {
            const NAME: &'static str = NAME;
            const KIND: Kind = KIND;

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

        impl Index<$s, $d> for All<$vector> {
            const NAME: &'static str = NAME;
            const KIND: Kind = KIND;

            fn build(points: &[[$s; $d]], radius: $s) -> Self {
                Self {
                    tree: Tree::build(points, radius).0,
                    near: NeighborLists::new(),
                }
            }
        }

        impl BatchRun<$s, $d> for All<$vector> {
            fn lists(&mut self, _: &[[$s; $d]], radius: $s, _: &mut FlatLists) -> u64 {
                self.tree.neighbors_into(radius, &mut self.near).filled();
                black_box(&self.near).total() as u64
            }

            fn answers(&mut self, points: &[[$s; $d]], radius: $s, out: &mut FlatLists) -> Answers {
                self.lists(points, radius, out);
                let mut answers = Answers::default();
                for list in self.near.iter() {
                    answers.push_ids(&list);
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
                let found = nearest_n(&self.0, (*center).into(), n);
                ids.extend(found.map(|item| item as u32));
            }
        }
    };
}

contestant!(Vec2, f32, 2);
contestant!(Vec3, f32, 3);
contestant!(DVec3, f64, 3);

/// Scans of boxes and of balls, and the same shapes as queries.
pub(crate) struct InRows {
    box_scan: Linear<Aabb<Vec3>>,
    ball_scan: Linear<Sphere<Vec3>>,
    boxes: Vec<Aabb<Vec3>>,
    balls: Vec<Sphere<Vec3>>,
}

impl Predicate for InRows {
    const NAME: &'static str = NAME;
    const KIND: Kind = KIND;

    fn build(boxes: &[Bounds<3>], balls: &[Ball]) -> Self {
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
            box_scan: Linear::new(&boxes),
            ball_scan: Linear::new(&balls),
            boxes,
            balls,
        }
    }

    fn count_boxes(&self, ball: usize) -> usize {
        self.box_scan.count(&self.balls[ball])
    }

    fn count_balls(&self, cuboid: usize) -> usize {
        self.ball_scan.count(&self.boxes[cuboid])
    }

    fn boxes(&self, ball: usize, ids: &mut Vec<u32>) {
        self.box_scan.query(&self.balls[ball]).append_to(ids);
    }

    fn balls(&self, cuboid: usize, ids: &mut Vec<u32>) {
        self.ball_scan.query(&self.boxes[cuboid]).append_to(ids);
    }
}

/// A loose tree with the handle of each id. Answers are the slots of handles, with which users index their tables.
pub(crate) struct Loose<T: Bounded> {
    tree: LooseOrthtree<T>,
    handles: Vec<Handle>,
    /// By slot.
    ids: Vec<u32>,
}

/// An item of the tree, made of a ball.
pub(crate) trait OfBall: Bounded<Vector = Vec3> + Copy + 'static {
    fn of(ball: &Ball) -> Self;
}

impl OfBall for Vec3 {
    fn of(ball: &Ball) -> Self {
        ball.center.into()
    }
}

impl OfBall for Sphere<Vec3> {
    fn of(ball: &Ball) -> Self {
        Self::new(ball.center.into(), ball.radius)
    }
}

impl<T: OfBall> Changing for Loose<T>
where
    Sphere<Vec3>: Overlaps<T>,
{
    const NAME: &'static str = NAME;
    const KIND: Kind = KIND;

    fn new() -> Self {
        Self {
            tree: LooseOrthtree::new(),
            handles: Vec::new(),
            ids: Vec::new(),
        }
    }

    fn insert(&mut self, id: u32, item: &Ball) {
        let handle = self.tree.insert(T::of(item));
        assert_eq!(id as usize, self.handles.len());
        self.handles.push(handle);
        if handle.slot() >= self.ids.len() {
            self.ids.resize(handle.slot() + 1, 0);
        }
        self.ids[handle.slot()] = id;
    }

    fn update(&mut self, id: u32, _: &Ball, to: &Ball) {
        self.tree.update(self.handles[id as usize], T::of(to));
    }

    fn remove(&mut self, id: u32, _: &Ball) {
        self.tree.remove(self.handles[id as usize]);
    }

    fn collect(&mut self, center: &[f32; 3], radius: f32, names: &mut Vec<u32>) {
        let ball = Sphere::new((*center).into(), radius);
        let found = self.tree.query(ball);
        found.for_each(|handle| names.push(handle.slot() as u32));
    }

    fn id(&self, name: u32) -> u32 {
        self.ids[name as usize]
    }
}
