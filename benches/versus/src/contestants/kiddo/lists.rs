//! The neighbors of all points, in trees that are rebuilt in each step.

use super::tree::flat_tree;
use crate::contestant::rebuilt::CountRun;
use crate::contestant::{BatchRun, FlatLists};
use ::kiddo::SquaredEuclidean;

/// kiddo's periodic queries in the unit cube, one for each point.
#[derive(Default)]
pub(super) struct Periodic;

impl BatchRun<f32, 3> for Periodic {
    fn lists(&mut self, points: &[[f32; 3]], radius: f32, out: &mut FlatLists) -> u64 {
        let tree = flat_tree(points);
        out.offsets.clear();
        out.ids.clear();
        out.offsets.push(0);
        for point in points {
            let found = tree
                .query(point)
                .periodic_boundary_condition(&[1.0; 3])
                .within::<SquaredEuclidean<f32>>(radius * radius)
                .unsorted()
                .without_distances()
                .execute();
            out.ids.extend(found.iter().map(|found| found.item));
            out.offsets.push(out.ids.len());
        }
        out.ids.len() as u64
    }
}

/// The number of pairs of kiddo's join.
#[derive(Default)]
pub(super) struct JoinCount;

impl CountRun<f32, 3> for JoinCount {
    fn count(&mut self, points: &[[f32; 3]], radius: f32) -> u64 {
        let (left, right) = (flat_tree(points), flat_tree(points));
        left.query_tree(&right)
            .within::<SquaredEuclidean<f32>>(radius * radius)
            .without_distances()
            .count() as u64
    }
}
