//! The contestants of this crate for each job, today's and those of the commit before.

use super::batch::Batch;
use super::boxes::{self, Listed, Proxies};
use super::library::Sphere;
use super::library::glam::{DVec3, Vec2, Vec3};
use super::lists::{Cells, InUnitCube};
use super::opened::open;
use super::pairs::{OneByOne, Two};
use super::points::{All, InRows, Loose, Tree};
use super::{KIND, NAME, groupers, unions, voxels};
use crate::contestant::at_rest::{Finder, finder};
use crate::contestant::rebuilt::{CountContestant, counter, lister};
use crate::contestant::{
    BatchContestant, NearestContestant, RadiusContestant, batch, nearest, nearest_batch, nearest_n,
    radius,
};
use crate::contestants::Crate;
use crate::jobs::casts::{Caster, caster};
use crate::jobs::frustum::View;
use crate::jobs::groups::GroupContestant;
use crate::jobs::loose::{Changer, changer};
use crate::jobs::nearest::SEVERAL;
use crate::jobs::open::OpenContestant;
use crate::jobs::pairs::{PairsContestant, pairs};
use crate::jobs::predicate::{Tester, tester};
use crate::jobs::voxels::{Uniter, VoxelContestant, voxelizer};
use crate::stepper::{StepContestant, stepper};
use crate::worlds::Bounds;

pub(crate) struct Entries;

impl Crate for Entries {
    fn radius3(&self) -> Vec<RadiusContestant<f32, 3>> {
        vec![radius::<_, 3, Tree<Vec3>>()]
    }

    fn radius3_f64(&self) -> Vec<RadiusContestant<f64, 3>> {
        vec![radius::<_, 3, Tree<DVec3>>()]
    }

    fn radius2(&self) -> Vec<RadiusContestant<f32, 2>> {
        vec![radius::<_, 2, Tree<Vec2>>()]
    }

    fn batch3(&self) -> Vec<BatchContestant<f32, 3>> {
        vec![batch::<_, 3, All<Vec3>>()]
    }

    fn batch2(&self) -> Vec<BatchContestant<f32, 2>> {
        vec![batch::<_, 2, All<Vec2>>()]
    }

    fn nearest3(&self) -> Vec<NearestContestant<f32, 3>> {
        vec![nearest::<_, 3, Tree<Vec3>>()]
    }

    fn nearest_n3(&self) -> Vec<NearestContestant<f32, 3>> {
        vec![nearest_n::<_, 3, Tree<Vec3>, SEVERAL>()]
    }

    fn nearest2(&self) -> Vec<NearestContestant<f32, 2>> {
        vec![nearest::<_, 2, Tree<Vec2>>()]
    }

    fn nearest_n2(&self) -> Vec<NearestContestant<f32, 2>> {
        vec![nearest_n::<_, 2, Tree<Vec2>, SEVERAL>()]
    }

    fn changing_points(&self) -> Vec<Changer> {
        vec![changer::<Loose<Vec3>>()]
    }

    fn changing_balls(&self) -> Vec<Changer> {
        vec![changer::<Loose<Sphere<Vec3>>>()]
    }

    fn predicate(&self) -> Vec<Tester> {
        vec![tester::<InRows>()]
    }

    fn broadphase3(&self) -> Vec<StepContestant<3>> {
        vec![stepper::<3, Listed<Vec3>>(), stepper::<3, Proxies<Vec3>>()]
    }

    fn broadphase2(&self) -> Vec<StepContestant<2>> {
        vec![stepper::<2, Listed<Vec2>>(), stepper::<2, Proxies<Vec2>>()]
    }

    fn casts(&self) -> Vec<Caster> {
        vec![caster::<Proxies<Vec3>>()]
    }

    fn windows3(&self) -> Vec<Finder<3, Bounds<3>>> {
        vec![finder::<3, _, boxes::Tree<Vec3>>()]
    }

    fn windows2(&self) -> Vec<Finder<2, Bounds<2>>> {
        vec![finder::<2, _, boxes::Tree<Vec2>>()]
    }

    fn frustum(&self) -> Vec<Finder<3, View>> {
        vec![finder::<3, _, boxes::Tree<Vec3>>()]
    }

    fn lists3(&self) -> Vec<BatchContestant<f32, 3>> {
        vec![lister::<_, 3, Cells<Vec3>>(NAME).of_kind(KIND)]
    }

    fn lists3_f64(&self) -> Vec<BatchContestant<f64, 3>> {
        vec![lister::<_, 3, Cells<DVec3>>(NAME).of_kind(KIND)]
    }

    fn lists2(&self) -> Vec<BatchContestant<f32, 2>> {
        vec![lister::<_, 2, Cells<Vec2>>(NAME).of_kind(KIND)]
    }

    fn periodic3(&self) -> Vec<BatchContestant<f32, 3>> {
        vec![lister::<_, 3, InUnitCube>(NAME).of_kind(KIND)]
    }

    fn counts3(&self) -> Vec<CountContestant<f32, 3>> {
        vec![counter::<_, 3, Cells<Vec3>>(NAME).of_kind(KIND)]
    }

    fn voxels(&self) -> Vec<VoxelContestant> {
        vec![voxelizer::<voxels::Grid>()]
    }

    fn meshes(&self) -> Vec<VoxelContestant> {
        self.voxels()
    }

    fn nearest_of_all3(&self) -> Vec<NearestContestant<f32, 3>> {
        vec![nearest_batch::<_, 3, Batch<[f32; 3], true>>()]
    }

    fn nearest_of_all2(&self) -> Vec<NearestContestant<f32, 2>> {
        vec![nearest_batch::<_, 2, Batch<[f32; 2], true>>()]
    }

    fn nearest_batch3(&self) -> Vec<NearestContestant<f32, 3>> {
        vec![nearest_batch::<_, 3, Batch<[f32; 3], false>>()]
    }

    fn nearest_batch2(&self) -> Vec<NearestContestant<f32, 2>> {
        vec![nearest_batch::<_, 2, Batch<[f32; 2], false>>()]
    }

    fn groups3(&self) -> Vec<GroupContestant<3>> {
        groupers()
    }

    fn groups2(&self) -> Vec<GroupContestant<2>> {
        groupers()
    }

    fn pairs3(&self) -> Vec<PairsContestant<3>> {
        vec![pairs::<3, Two<_>>(), pairs::<3, OneByOne<_>>()]
    }

    fn pairs2(&self) -> Vec<PairsContestant<2>> {
        vec![pairs::<2, Two<_>>(), pairs::<2, OneByOne<_>>()]
    }

    fn open3(&self) -> Vec<OpenContestant<3>> {
        open()
    }

    fn open2(&self) -> Vec<OpenContestant<2>> {
        open()
    }

    fn unions(&self) -> Vec<Uniter> {
        unions()
    }
}
