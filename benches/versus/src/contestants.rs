//! The contestants of all jobs. Each crate has a file, whose `enter` adds the crate's contestants
//! to the register.
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

/// The contestants of all crates but orthant, and the handwritten ones.
static PEERS: [fn(&mut Register); 18] = [
    bevy::enter,
    boxdd::enter,
    broccoli::enter,
    bvh::enter,
    by_hand::enter,
    geo_index::enter,
    kiddo::enter,
    linfa::enter,
    neighbourhood::enter,
    obvhs::enter,
    parry::enter,
    petal::enter,
    rapier::enter,
    rstar::enter,
    sif_kdtree::enter,
    splashsurf::enter,
    static_aabb2d::enter,
    zelll::enter,
];

/// The contestants of each job.
#[derive(Default)]
pub(crate) struct Register {
    /// Points within a radius.
    pub(crate) radius3: Vec<RadiusContestant<f32, 3>>,
    pub(crate) radius3_f64: Vec<RadiusContestant<f64, 3>>,
    pub(crate) radius2: Vec<RadiusContestant<f32, 2>>,
    /// All points within a radius of every point. Crates whose single queries are several times slower are left out.
    pub(crate) batch3: Vec<BatchContestant<f32, 3>>,
    pub(crate) batch2: Vec<BatchContestant<f32, 2>>,
    /// The nearest point, and the eight nearest.
    pub(crate) nearest3: Vec<NearestContestant<f32, 3>>,
    pub(crate) nearest_n3: Vec<NearestContestant<f32, 3>>,
    pub(crate) nearest2: Vec<NearestContestant<f32, 2>>,
    pub(crate) nearest_n2: Vec<NearestContestant<f32, 2>>,
    /// The eight nearest to each point of the set in one call, and to each of other points.
    pub(crate) nearest_of_all3: Vec<NearestContestant<f32, 3>>,
    pub(crate) nearest_of_all2: Vec<NearestContestant<f32, 2>>,
    pub(crate) nearest_batch3: Vec<NearestContestant<f32, 3>>,
    pub(crate) nearest_batch2: Vec<NearestContestant<f32, 2>>,
    /// Items that come, move and go.
    pub(crate) changing_points: Vec<Changer>,
    pub(crate) changing_balls: Vec<Changer>,
    /// Boxes against balls.
    pub(crate) predicate: Vec<Tester>,
    /// Steps of moving boxes.
    pub(crate) broadphase3: Vec<StepContestant<3>>,
    pub(crate) broadphase2: Vec<StepContestant<2>>,
    /// Moving boxes, queried by rays, moving spheres and boxes.
    pub(crate) casts: Vec<Caster>,
    /// Boxes at rest, queried by boxes.
    pub(crate) windows3: Vec<Finder<3, Bounds<3>>>,
    pub(crate) windows2: Vec<Finder<2, Bounds<2>>>,
    /// Boxes at rest, queried by frusta.
    pub(crate) frustum: Vec<Finder<3, View>>,
    /// The neighbors of all points, found anew in each step.
    pub(crate) lists3: Vec<BatchContestant<f32, 3>>,
    pub(crate) lists3_f64: Vec<BatchContestant<f64, 3>>,
    pub(crate) lists2: Vec<BatchContestant<f32, 2>>,
    /// Neighbors in the periodic unit cube. Crates without periodic boxes get the images of all points near its faces as
    /// further points.
    pub(crate) periodic3: Vec<BatchContestant<f32, 3>>,
    /// Counts of neighbors without lists.
    pub(crate) counts3: Vec<CountContestant<f32, 3>>,
    /// Connected components and clusters.
    pub(crate) groups3: Vec<GroupContestant<3>>,
    pub(crate) groups2: Vec<GroupContestant<2>>,
    /// Queries between two sets of points.
    pub(crate) pairs3: Vec<PairsContestant<3>>,
    pub(crate) pairs2: Vec<PairsContestant<2>>,
    /// The first answer of a tree that is opened from bytes, or built from points.
    pub(crate) open3: Vec<OpenContestant<3>>,
    pub(crate) open2: Vec<OpenContestant<2>>,
    /// The voxels that a sphere's surface meets.
    pub(crate) voxels: Vec<VoxelContestant>,
    /// The voxels of a ball's mesh.
    pub(crate) meshes: Vec<VoxelContestant>,
    /// The voxels of many balls.
    pub(crate) unions: Vec<Uniter>,
}

/// True if only the present and the earlier commit of orthant take part, in all jobs.
static PEERS_SIT_OUT: AtomicBool = AtomicBool::new(false);

#[cfg(feature = "before")]
pub(crate) fn let_peers_sit_out() {
    PEERS_SIT_OUT.store(true, Relaxed);
}

pub(crate) fn peers_sit_out() -> bool {
    PEERS_SIT_OUT.load(Relaxed)
}

/// The contestants of a job, in the order of their turns. The entries of this crate, and of an earlier commit of it, are
/// spread among the peers, so that none of them finds in the cache what another has left there.
pub(crate) fn register<T>(entries_of: impl Fn(Register) -> Vec<T>) -> Vec<T> {
    let of = |enter: fn(&mut Register)| {
        let mut register = Register::default();
        enter(&mut register);
        entries_of(register)
    };
    let mut ours = of(orthant::enter);
    #[cfg(feature = "before")]
    ours.extend(of(before::enter));
    let peers = PEERS.into_iter().filter(|_| !peers_sit_out());
    let mut all: Vec<T> = peers.flat_map(of).collect();
    let (spread, entries) = (ours.len(), ours.len() + all.len());
    for (i, entry) in ours.drain(..).enumerate() {
        all.insert(i * entries / spread, entry);
    }
    all
}
