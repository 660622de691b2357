//! The crate as it was at the commit that `benches/before` names, by the files of the contestant `orthant`.
//! What it named otherwise then is named here. To race against another commit, name that one.

#![allow(
    clippy::duplicate_mod,
    reason = "the same files, compiled over two crates"
)]

#[path = "orthant/boxes.rs"]
mod boxes;
#[path = "orthant/entries.rs"]
mod entries;
#[path = "orthant/lists.rs"]
mod lists;
#[path = "orthant/points.rs"]
mod points;
#[path = "orthant/voxels.rs"]
mod voxels;

use ::orthant_before::glam::Vec3;
use ::orthant_before::{Aabb, Broadphase, Handle, Orthtree, Sphere, Vector};

use crate::contestant::NearestContestant;
use crate::jobs::frustum::Culler;
use crate::jobs::groups::GroupContestant;
use crate::jobs::open::OpenContestant;
use crate::jobs::pairs::PairsContestant;
use crate::jobs::voxels::{Uniter, uniter};
use crate::race::Kind;
pub(super) use entries::Entries;

const NAME: &str = "before";
const AT_ONCE: &str = NAME;
const KIND: Kind = Kind::Before;

/// Its names of today.
mod library {
    pub(super) use ::orthant_before::{
        Aabb, Bounded, Brick, BrickSet, Broadphase, CellList, Event, Handle, Hollow, LooseOrthtree,
        Motion, Neighbors as NeighborLists, Orthtree, Overlaps, Periodic, Span, Sphere, Vector,
        VoxelGrid, glam, rows,
    };
}

fn nearest_n<V: Vector>(tree: &Orthtree<V>, place: V, n: usize) -> impl Iterator<Item = usize> {
    tree.nearest_n(place, n).into_iter().map(|near| near.item)
}

fn pairs3() -> Vec<PairsContestant<3>> {
    Vec::new()
}

fn pairs2() -> Vec<PairsContestant<2>> {
    Vec::new()
}

fn open3() -> Vec<OpenContestant<3>> {
    Vec::new()
}

fn open2() -> Vec<OpenContestant<2>> {
    Vec::new()
}

fn nearest_of_all3() -> Vec<NearestContestant<f32, 3>> {
    Vec::new()
}

fn nearest_of_all2() -> Vec<NearestContestant<f32, 2>> {
    Vec::new()
}

fn nearest_batch3() -> Vec<NearestContestant<f32, 3>> {
    Vec::new()
}

fn nearest_batch2() -> Vec<NearestContestant<f32, 2>> {
    Vec::new()
}

/// Frusta were made of other matrices.
fn cullers() -> Vec<Culler> {
    Vec::new()
}

/// It could not.
fn groups3() -> Vec<GroupContestant<3>> {
    Vec::new()
}

fn groups2() -> Vec<GroupContestant<2>> {
    Vec::new()
}

fn set_bounds<V: Vector>(world: &mut Broadphase<V>, handle: Handle, bounds: Aabb<V>) {
    world.set_bounds(handle, bounds, V::splat(V::Scalar::default()));
}

fn first_on_ray(world: &Broadphase<Vec3>, from: Vec3, by: Vec3) -> Option<Handle> {
    Some(world.first_on_ray(from, by, 1.0)?.0)
}

fn first_of_ball(world: &Broadphase<Vec3>, ball: Sphere<Vec3>, by: Vec3) -> Option<Handle> {
    let mut first = None;
    world.cast_sphere(ball, by, 1.0, |handle, _| {
        first = Some(handle);
        -1.0 // no other
    });
    first
}

fn unions() -> Vec<Uniter> {
    vec![uniter::<voxels::AtOnce>()]
}
