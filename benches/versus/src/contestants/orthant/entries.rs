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
use crate::contestant::at_rest::finder;
use crate::contestant::rebuilt::{counter, lister};
use crate::contestant::{batch, nearest, nearest_batch, nearest_n, radius};
use crate::contestants::Register;
use crate::jobs::casts::caster;
use crate::jobs::loose::changer;
use crate::jobs::nearest::SEVERAL;
use crate::jobs::pairs::pairs;
use crate::jobs::predicate::tester;
use crate::jobs::voxels::voxelizer;
use crate::stepper::stepper;

pub(crate) fn enter(to: &mut Register) {
    to.radius3.push(radius::<_, 3, Tree<Vec3>>());
    to.radius3_f64.push(radius::<_, 3, Tree<DVec3>>());
    to.radius2.push(radius::<_, 2, Tree<Vec2>>());
    to.batch3.push(batch::<_, 3, All<Vec3>>());
    to.batch2.push(batch::<_, 2, All<Vec2>>());
    to.nearest3.push(nearest::<_, 3, Tree<Vec3>>());
    to.nearest_n3.push(nearest_n::<_, 3, Tree<Vec3>, SEVERAL>());
    to.nearest2.push(nearest::<_, 2, Tree<Vec2>>());
    to.nearest_n2.push(nearest_n::<_, 2, Tree<Vec2>, SEVERAL>());
    to.changing_points.push(changer::<Loose<Vec3>>());
    to.changing_balls.push(changer::<Loose<Sphere<Vec3>>>());
    to.predicate.push(tester::<InRows>());
    to.broadphase3
        .extend([stepper::<3, Listed<Vec3>>(), stepper::<3, Proxies<Vec3>>()]);
    to.broadphase2
        .extend([stepper::<2, Listed<Vec2>>(), stepper::<2, Proxies<Vec2>>()]);
    to.casts.push(caster::<Proxies<Vec3>>());
    to.windows3.push(finder::<3, _, boxes::Tree<Vec3>>());
    to.windows2.push(finder::<2, _, boxes::Tree<Vec2>>());
    to.frustum.push(finder::<3, _, boxes::Tree<Vec3>>());
    to.lists3
        .push(lister::<_, 3, Cells<Vec3>>(NAME).of_kind(KIND));
    to.lists3_f64
        .push(lister::<_, 3, Cells<DVec3>>(NAME).of_kind(KIND));
    to.lists2
        .push(lister::<_, 2, Cells<Vec2>>(NAME).of_kind(KIND));
    to.periodic3
        .push(lister::<_, 3, InUnitCube>(NAME).of_kind(KIND));
    to.counts3
        .push(counter::<_, 3, Cells<Vec3>>(NAME).of_kind(KIND));
    to.voxels.push(voxelizer::<voxels::Grid>());
    to.meshes.push(voxelizer::<voxels::Grid>());
    to.nearest_of_all3
        .push(nearest_batch::<_, 3, Batch<[f32; 3], true>>());
    to.nearest_of_all2
        .push(nearest_batch::<_, 2, Batch<[f32; 2], true>>());
    to.nearest_batch3
        .push(nearest_batch::<_, 3, Batch<[f32; 3], false>>());
    to.nearest_batch2
        .push(nearest_batch::<_, 2, Batch<[f32; 2], false>>());
    to.groups3.extend(groupers());
    to.groups2.extend(groupers());
    to.pairs3
        .extend([pairs::<3, Two<_>>(), pairs::<3, OneByOne<_>>()]);
    to.pairs2
        .extend([pairs::<2, Two<_>>(), pairs::<2, OneByOne<_>>()]);
    to.open3.extend(open());
    to.open2.extend(open());
    to.unions.extend(unions());
}
