//! The contestants of all jobs. Each crate has a file, whose `Entries` says what the crate
//! enters for each job.
//!
//! To remove a peer, remove its file and its name here; to add one, add both.

#[cfg(feature = "before")]
mod before;
mod bevy;
mod boxdd;
mod broccoli;
mod bvh;
mod by_hand;
mod geo_index;
mod kiddo;
mod linfa;
mod neighbourhood;
mod obvhs;
pub(crate) mod orthant;
mod parry;
mod petal;
mod rapier;
mod rstar;
mod sif_kdtree;
mod splashsurf;
mod static_aabb2d;
mod zelll;

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::contestant::at_rest::Finder;
use crate::contestant::rebuilt::CountContestant;
use crate::contestant::{BatchContestant, NearestContestant, RadiusContestant};
use crate::jobs::casts::Caster;
use crate::jobs::frustum::View;
use crate::jobs::groups::GroupContestant;
use crate::jobs::loose::Changer;
use crate::jobs::open::OpenContestant;
use crate::jobs::pairs::PairsContestant;
use crate::jobs::predicate::Tester;
use crate::jobs::voxels::{Uniter, VoxelContestant};
use crate::stepper::StepContestant;
use crate::worlds::Bounds;

/// All crates but orthant, which also stands for the commit before.
static PEERS: [&dyn Crate; 18] = [
    &bevy::Entries,
    &boxdd::Entries,
    &broccoli::Entries,
    &bvh::Entries,
    &by_hand::Entries,
    &geo_index::Entries,
    &kiddo::Entries,
    &linfa::Entries,
    &neighbourhood::Entries,
    &obvhs::Entries,
    &parry::Entries,
    &petal::Entries,
    &rapier::Entries,
    &rstar::Entries,
    &sif_kdtree::Entries,
    &splashsurf::Entries,
    &static_aabb2d::Entries,
    &zelll::Entries,
];

macro_rules! jobs {
    ($($(#[$doc:meta])* $job:ident: $entry:ty,)*) => {
        /// The contestants that a crate enters for each job; none by default.
        pub(crate) trait Crate: Sync {
            $(
                $(#[$doc])*
                fn $job(&self) -> Vec<$entry> {
                    Vec::new()
                }
            )*
        }
    };
}

jobs! {
    /// Points within a radius.
    radius3: RadiusContestant<f32, 3>,
    radius3_f64: RadiusContestant<f64, 3>,
    radius2: RadiusContestant<f32, 2>,
    /// All points within a radius of every point. Crates whose single queries are several times slower are left out.
    batch3: BatchContestant<f32, 3>,
    batch2: BatchContestant<f32, 2>,
    /// The nearest point, and the eight nearest.
    nearest3: NearestContestant<f32, 3>,
    nearest_n3: NearestContestant<f32, 3>,
    nearest2: NearestContestant<f32, 2>,
    nearest_n2: NearestContestant<f32, 2>,
    /// The eight nearest of all points in one call, and of other points.
    nearest_of_all3: NearestContestant<f32, 3>,
    nearest_of_all2: NearestContestant<f32, 2>,
    nearest_batch3: NearestContestant<f32, 3>,
    nearest_batch2: NearestContestant<f32, 2>,
    /// Items that come, move and go.
    changing_points: Changer,
    changing_balls: Changer,
    /// Boxes against balls.
    predicate: Tester,
    /// Steps of moving boxes.
    broadphase3: StepContestant<3>,
    broadphase2: StepContestant<2>,
    /// Moving boxes, queried by rays, moving spheres and boxes.
    casts: Caster,
    /// Boxes at rest, queried by boxes.
    windows3: Finder<3, Bounds<3>>,
    windows2: Finder<2, Bounds<2>>,
    /// Boxes at rest, queried by frusta.
    frustum: Finder<3, View>,
    /// The neighbors of all points, found anew in each step.
    lists3: BatchContestant<f32, 3>,
    lists3_f64: BatchContestant<f64, 3>,
    lists2: BatchContestant<f32, 2>,
    /// Neighbors in the periodic unit cube. Crates without periodic boxes get the images of all points near its faces as
    /// further points.
    periodic3: BatchContestant<f32, 3>,
    /// Counts of neighbors without lists.
    counts3: CountContestant<f32, 3>,
    /// Connected components and clusters.
    groups3: GroupContestant<3>,
    groups2: GroupContestant<2>,
    /// Queries between two sets of points.
    pairs3: PairsContestant<3>,
    pairs2: PairsContestant<2>,
    /// The way from bytes, or from points, to the first answer.
    open3: OpenContestant<3>,
    open2: OpenContestant<2>,
    /// The voxels that a sphere's surface meets.
    voxels: VoxelContestant,
    /// The voxels of a ball's mesh.
    meshes: VoxelContestant,
    /// The voxels of many balls.
    unions: Uniter,
}

/// True if only orthant and the commit before take part, in all jobs.
static PEERS_SIT_OUT: AtomicBool = AtomicBool::new(false);

#[cfg(feature = "before")]
pub(crate) fn let_peers_sit_out() {
    PEERS_SIT_OUT.store(true, Relaxed);
}

pub(crate) fn peers_sit_out() -> bool {
    PEERS_SIT_OUT.load(Relaxed)
}

/// The contestants of a job, in the order of their turns. Ours come first. They and those of the commit before are spread
/// among the peers, so that none finds what another has left in the cache.
pub(crate) fn register<T>(entries_of: impl Fn(&dyn Crate) -> Vec<T>) -> Vec<T> {
    let mut ours = entries_of(&orthant::Entries);
    #[cfg(feature = "before")]
    ours.extend(entries_of(&before::Entries));
    let peers = PEERS.iter().filter(|_| !peers_sit_out());
    let mut all: Vec<T> = peers.flat_map(|&peer| entries_of(peer)).collect();
    let (spread, entries) = (ours.len(), ours.len() + all.len());
    for (i, entry) in ours.drain(..).enumerate() {
        all.insert(i * entries / spread, entry);
    }
    all
}
