//! petal-clustering: DBSCAN with a ball tree. It can list the neighbors on several threads; the race allows it one.

use ::ndarray::ArrayView2;
use ::petal_clustering::{Dbscan, Fit};
use ::petal_neighbors::distance::Euclidean;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::Register;
use crate::jobs::groups::{NOISE, grouper};
use crate::race::Kind;

pub(super) fn enter(to: &mut Register) {
    to.groups3
        .push(grouper("petal", Kind::Peer, labels).up_to(50));
    to.groups2
        .push(grouper("petal", Kind::Peer, labels).up_to(50));
}

thread_local! {
    /// A pool of the timed thread alone. It is kept because a thread cannot leave its pool.
    static ALONE: ThreadPool = ThreadPoolBuilder::new()
        .num_threads(1)
        .use_current_thread()
        .build()
        .expect("a pool of this thread");
}

fn labels<const D: usize>(points: &[[f32; D]], radius: f32, least: usize) -> Vec<u32> {
    let rows = ArrayView2::from_shape((points.len(), D), points.as_flattened());
    let rows = rows.expect("points are rows");
    let mut dbscan = Dbscan::new(radius, least, Euclidean::default());
    let (clusters, _) = ALONE.with(|alone| alone.install(|| dbscan.fit(&rows, None)));
    let mut labels = vec![NOISE; points.len()];
    for (cluster, members) in clusters {
        for point in members {
            labels[point] = cluster as u32;
        }
    }
    labels
}
