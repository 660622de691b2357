//! linfa-clustering: DBSCAN with a radius query of a k-d tree for each point.

use ::linfa::ParamGuard;
use ::linfa::traits::Transformer;
use ::linfa_clustering::Dbscan;
use ::linfa_nn::CommonNearestNeighbour;
use ::linfa_nn::distance::L2Dist;
use ::ndarray_of_linfa::ArrayView2;

use super::Register;
use crate::jobs::groups::{NOISE, grouper};
use crate::race::Kind;

pub(super) fn enter(to: &mut Register) {
    to.groups3
        .push(grouper("linfa", Kind::Peer, labels).from(2).up_to(50));
    to.groups2
        .push(grouper("linfa", Kind::Peer, labels).from(2).up_to(50));
}

fn labels<const D: usize>(points: &[[f32; D]], radius: f32, least: usize) -> Vec<u32> {
    let rows = ArrayView2::from_shape((points.len(), D), points.as_flattened());
    let rows = rows.expect("points are rows");
    let dbscan = Dbscan::params_with(least, L2Dist, CommonNearestNeighbour::KdTree);
    let dbscan = dbscan.tolerance(radius).check();
    let labels = dbscan.expect("a radius and a number").transform(&rows);
    let label = |label: &Option<usize>| label.map_or(NOISE, |label| label as u32);
    labels.iter().map(label).collect()
}
