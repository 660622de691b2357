//! Who takes part; a file for each crate, and here the registers.

/// The entries of what orthant was before: none without the feature.
macro_rules! before {
    ($($entry:expr),*) => {{
        #[cfg(feature = "before")]
        let entries = vec![$($entry),*];
        #[cfg(not(feature = "before"))]
        let entries = Vec::new();
        entries
    }};
}

#[cfg(feature = "before")]
mod before;
mod bevy;
pub(crate) mod broadphase;
mod bvh;
pub(crate) mod casts;
mod geo_index;
mod kiddo;
pub(crate) mod lists;
mod neighbourhood;
mod obvhs;
mod orthant;
mod pairs;
mod parry;
mod plain;
mod rstar;
mod scan;
mod sif_kdtree;
mod static_aabb2d;
pub(crate) mod voxels;
pub(crate) mod windows;
mod zelll;

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use ::orthant::Sphere;
use ::orthant::glam::{DVec3, Vec2, Vec3};

use crate::contestant::{
    BatchContestant, Loop, NearestContestant, RadiusContestant, batch, nearest, nearest_n, radius,
};
use crate::jobs::loose::{Changer, changer};
use crate::jobs::nearest::SEVERAL;
use crate::jobs::predicate::{self, Tester};

/// Whether nobody takes part but orthant and what it was before, in all registers.
static PEERS_SIT_OUT: AtomicBool = AtomicBool::new(false);

#[cfg(feature = "before")]
pub(crate) fn let_peers_sit_out() {
    PEERS_SIT_OUT.store(true, Relaxed);
}

pub(crate) fn peers_sit_out() -> bool {
    PEERS_SIT_OUT.load(Relaxed)
}

/// Who takes turns, in that order. Ours, which come first, and what they were before are spread among
/// the peers, so that none of them finds what another has left in the cache.
fn field<T>(ours: Vec<T>, before: Vec<T>, mut peers: Vec<T>) -> Vec<T> {
    if peers_sit_out() {
        peers.clear();
    }
    let spread = ours.len() + before.len();
    let all = spread + peers.len();
    for (i, entry) in ours.into_iter().chain(before).enumerate() {
        peers.insert(i * all / spread, entry);
    }
    peers
}

pub(crate) fn radius3() -> Vec<RadiusContestant<f32, 3>> {
    field(
        vec![radius::<_, 3, orthant::Tree<Vec3>>()],
        before![radius::<_, 3, before::points::Tree<before::Vec3>>()],
        vec![
            radius::<_, 3, kiddo::Immutable<f32, 3>>(),
            radius::<_, 3, kiddo::Flat<f32, 3>>(),
            radius::<_, 3, kiddo::Mutable<f32, 3>>(),
            radius::<_, 3, rstar::Tree<[f32; 3]>>(),
            radius::<_, 3, sif_kdtree::Tree<f32, 3>>(),
            radius::<_, 3, parry::Tree>(),
            radius::<_, 3, bvh::Tree<f32, 3>>(),
            radius::<_, 3, obvhs::Tree>(),
            radius::<_, 3, zelll::Cells<f32, 3>>(),
            radius::<_, 3, neighbourhood::Tree3>(),
            radius::<_, 3, scan::Scan<f32, 3>>(),
        ],
    )
}

pub(crate) fn radius3_f64() -> Vec<RadiusContestant<f64, 3>> {
    field(
        vec![radius::<_, 3, orthant::Tree<DVec3>>()],
        before![radius::<_, 3, before::points::Tree<before::DVec3>>()],
        vec![
            radius::<_, 3, kiddo::Immutable<f64, 3>>(),
            radius::<_, 3, kiddo::Flat<f64, 3>>(),
            radius::<_, 3, kiddo::Mutable<f64, 3>>(),
            radius::<_, 3, rstar::Tree<[f64; 3]>>(),
            radius::<_, 3, sif_kdtree::Tree<f64, 3>>(),
            radius::<_, 3, bvh::Tree<f64, 3>>(),
            radius::<_, 3, zelll::Cells<f64, 3>>(),
            radius::<_, 3, neighbourhood::TreeF64>(),
            radius::<_, 3, scan::Scan<f64, 3>>(),
        ],
    )
}

pub(crate) fn radius2() -> Vec<RadiusContestant<f32, 2>> {
    field(
        vec![radius::<_, 2, orthant::Tree<Vec2>>()],
        before![radius::<_, 2, before::points::Tree<before::Vec2>>()],
        vec![
            radius::<_, 2, kiddo::Immutable<f32, 2>>(),
            radius::<_, 2, kiddo::Flat<f32, 2>>(),
            radius::<_, 2, kiddo::Mutable<f32, 2>>(),
            radius::<_, 2, rstar::Tree<[f32; 2]>>(),
            radius::<_, 2, sif_kdtree::Tree<f32, 2>>(),
            radius::<_, 2, bvh::Tree<f32, 2>>(),
            radius::<_, 2, static_aabb2d::Tree>(),
            radius::<_, 2, geo_index::Kd>(),
            radius::<_, 2, zelll::Cells<f32, 2>>(),
            radius::<_, 2, neighbourhood::Tree2>(),
            radius::<_, 2, scan::Scan<f32, 2>>(),
        ],
    )
}

/// Those that are several times slower one question at a time are left out.
pub(crate) fn batch3() -> Vec<BatchContestant<f32, 3>> {
    field(
        vec![batch::<_, 3, orthant::All<Vec3>>()],
        before![batch::<_, 3, before::points::All<before::Vec3>>()],
        vec![
            batch::<_, 3, Loop<kiddo::Immutable<f32, 3>>>(),
            batch::<_, 3, Loop<kiddo::Flat<f32, 3>>>(),
            batch::<_, 3, kiddo::Batch<3>>(),
            batch::<_, 3, kiddo::Join<3>>(),
            batch::<_, 3, Loop<sif_kdtree::Tree<f32, 3>>>(),
            batch::<_, 3, Loop<zelll::Cells<f32, 3>>>(),
        ],
    )
}

pub(crate) fn batch2() -> Vec<BatchContestant<f32, 2>> {
    field(
        vec![batch::<_, 2, orthant::All<Vec2>>()],
        before![batch::<_, 2, before::points::All<before::Vec2>>()],
        vec![
            batch::<_, 2, Loop<kiddo::Immutable<f32, 2>>>(),
            batch::<_, 2, Loop<kiddo::Flat<f32, 2>>>(),
            batch::<_, 2, kiddo::Batch<2>>(),
            batch::<_, 2, kiddo::Join<2>>(),
            batch::<_, 2, Loop<sif_kdtree::Tree<f32, 2>>>(),
            batch::<_, 2, Loop<static_aabb2d::Tree>>(),
            batch::<_, 2, Loop<zelll::Cells<f32, 2>>>(),
        ],
    )
}

pub(crate) fn nearest3() -> Vec<NearestContestant<f32, 3>> {
    field(
        vec![nearest::<_, 3, orthant::Tree<Vec3>>()],
        before![nearest::<_, 3, before::points::Tree<before::Vec3>>()],
        vec![
            nearest::<_, 3, kiddo::Immutable<f32, 3>>(),
            nearest::<_, 3, kiddo::Flat<f32, 3>>(),
            nearest::<_, 3, kiddo::Mutable<f32, 3>>(),
            nearest::<_, 3, rstar::Tree<[f32; 3]>>(),
            nearest::<_, 3, sif_kdtree::Tree<f32, 3>>(),
            nearest::<_, 3, parry::TreeWithPoints>(),
            nearest::<_, 3, bvh::Tree<f32, 3>>(),
        ],
    )
}

pub(crate) fn nearest_n3() -> Vec<NearestContestant<f32, 3>> {
    field(
        vec![nearest_n::<_, 3, orthant::Tree<Vec3>, SEVERAL>()],
        before![nearest_n::<_, 3, before::points::Tree<before::Vec3>, SEVERAL>()],
        vec![
            nearest_n::<_, 3, kiddo::Immutable<f32, 3>, SEVERAL>(),
            nearest_n::<_, 3, kiddo::Flat<f32, 3>, SEVERAL>(),
            nearest_n::<_, 3, kiddo::Mutable<f32, 3>, SEVERAL>(),
            nearest_n::<_, 3, rstar::Tree<[f32; 3]>, SEVERAL>(),
        ],
    )
}

pub(crate) fn nearest2() -> Vec<NearestContestant<f32, 2>> {
    field(
        vec![nearest::<_, 2, orthant::Tree<Vec2>>()],
        before![nearest::<_, 2, before::points::Tree<before::Vec2>>()],
        vec![
            nearest::<_, 2, kiddo::Immutable<f32, 2>>(),
            nearest::<_, 2, kiddo::Flat<f32, 2>>(),
            nearest::<_, 2, kiddo::Mutable<f32, 2>>(),
            nearest::<_, 2, rstar::Tree<[f32; 2]>>(),
            nearest::<_, 2, sif_kdtree::Tree<f32, 2>>(),
            nearest::<_, 2, bvh::Tree<f32, 2>>(),
            nearest::<_, 2, static_aabb2d::Tree>(),
            nearest::<_, 2, geo_index::Rectangles>(),
        ],
    )
}

pub(crate) fn nearest_n2() -> Vec<NearestContestant<f32, 2>> {
    field(
        vec![nearest_n::<_, 2, orthant::Tree<Vec2>, SEVERAL>()],
        before![nearest_n::<_, 2, before::points::Tree<before::Vec2>, SEVERAL>()],
        vec![
            nearest_n::<_, 2, kiddo::Immutable<f32, 2>, SEVERAL>(),
            nearest_n::<_, 2, kiddo::Flat<f32, 2>, SEVERAL>(),
            nearest_n::<_, 2, kiddo::Mutable<f32, 2>, SEVERAL>(),
            nearest_n::<_, 2, rstar::Tree<[f32; 2]>, SEVERAL>(),
            nearest_n::<_, 2, static_aabb2d::Tree, SEVERAL>(),
            nearest_n::<_, 2, geo_index::Rectangles, SEVERAL>(),
        ],
    )
}

pub(crate) fn changing_points() -> Vec<Changer> {
    field(
        vec![changer::<orthant::Loose<Vec3>>()],
        before![changer::<before::points::Loose<before::Vec3>>()],
        vec![
            changer::<kiddo::Changed>(),
            changer::<rstar::Changed<rstar::At>>(),
            changer::<parry::Refit>(),
            changer::<parry::Reinserted>(),
        ],
    )
}

/// kiddo holds points only.
pub(crate) fn changing_balls() -> Vec<Changer> {
    field(
        vec![changer::<orthant::Loose<Sphere<Vec3>>>()],
        before![changer::<before::points::Loose<before::Sphere<before::Vec3>>>()],
        vec![
            changer::<rstar::Changed<rstar::Round>>(),
            changer::<parry::Refit>(),
            changer::<parry::Reinserted>(),
        ],
    )
}

pub(crate) fn predicate() -> Vec<Tester> {
    field(
        vec![predicate::tester::<orthant::InRows>()],
        before![predicate::tester::<before::points::InRows>()],
        vec![
            predicate::tester::<pairs::Pairs<bevy::Volumes>>(),
            predicate::tester::<pairs::Pairs<bvh::Balls>>(),
            predicate::tester::<pairs::Pairs<parry::Distance>>(),
            predicate::tester::<pairs::Pairs<parry::Shapes>>(),
            predicate::tester::<plain::Columns>(),
        ],
    )
}
