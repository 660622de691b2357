//! What kiddo has for periodic boxes, and for counting pairs.

use ::kiddo::{Eytzinger, FlatVec, KdTree, SquaredEuclidean};

use super::CountRun;
use crate::answers::Answers;
use crate::contestant::{BatchRun, Room};

type Tree = KdTree<f32, u32, Eytzinger, FlatVec<f32, u32, 3, 32>, 3, 32>;

fn build(points: &[[f32; 3]]) -> Tree {
    Tree::new_from_slice(points).expect("kiddo takes these points")
}

/// Its periodic queries, one after the other, in the unit cube.
pub(super) struct Periodic;

impl BatchRun<f32, 3> for Periodic {
    fn lists(&mut self, points: &[[f32; 3]], radius: f32, room: &mut Room) -> u64 {
        let tree = build(points);
        room.offsets.clear();
        room.ids.clear();
        room.offsets.push(0);
        for point in points {
            let found = tree
                .query(point)
                .periodic_boundary_condition(&[1.0; 3])
                .within::<SquaredEuclidean<f32>>(radius * radius)
                .unsorted()
                .without_distances()
                .execute();
            room.ids.extend(found.iter().map(|found| found.item));
            room.offsets.push(room.ids.len());
        }
        room.ids.len() as u64
    }

    fn answers(&mut self, points: &[[f32; 3]], radius: f32, room: &mut Room) -> Answers {
        self.lists(points, radius, room);
        room.answers()
    }
}

/// Its join of two trees, which have to be two.
pub(super) struct JoinCount;

impl CountRun<f32, 3> for JoinCount {
    fn count(&mut self, points: &[[f32; 3]], radius: f32) -> u64 {
        let (left, right) = (build(points), build(points));
        left.query_tree(&right)
            .within::<SquaredEuclidean<f32>>(radius * radius)
            .without_distances()
            .count() as u64
    }
}
