//! This crate. The folder beside this file is compiled a second time for the commit before; the
//! differences between the two are here and in `before.rs`.

mod batch;
pub(crate) mod boxes;
mod calls;
mod entries;
mod lists;
mod opened;
mod pairs;
mod points;
mod voxels;

use ::orthant as library;
use ::orthant::glam::Vec3;
use ::orthant::{Aabb, BrickSet, CellList, Frustum, Overlaps, Sphere, VoxelGrid};

use crate::jobs::frustum::View;
use crate::jobs::groups::{Group, GroupContestant, by_queries, grouper};
use crate::jobs::voxels::{Union, Uniter, uniter};
use crate::race::Kind;
use crate::worlds::{Ball, Bounds};
use batch::{nearest_batch2, nearest_batch3, nearest_of_all2, nearest_of_all3};
use calls::{Groups, first_of_ball, first_on_ray, nearest_n, set_bounds};
pub(super) use entries::Entries;
use opened::{open2, open3};
use pairs::{pairs2, pairs3};
use voxels::AtOnce;

const NAME: &str = "orthant";
const AT_ONCE: &str = "orthant at once";
const KIND: Kind = Kind::Own;

fn groups3() -> Vec<GroupContestant<3>> {
    vec![
        grouper::<3, Groups>(NAME, KIND),
        grouper::<3, ByPairs>("orthant by pairs", Kind::Reference),
    ]
}

fn groups2() -> Vec<GroupContestant<2>> {
    vec![
        grouper::<2, Groups>(NAME, KIND),
        grouper::<2, ByPairs>("orthant by pairs", Kind::Reference),
    ]
}

/// Groups by a handwritten search over the lists of all neighbors.
#[derive(Default)]
struct ByPairs;

macro_rules! by_pairs {
    ($d:literal) => {
        impl Group<$d> for ByPairs {
            fn labels(&mut self, points: &[[f32; $d]], radius: f32, least: usize) -> Vec<u32> {
                let lists = CellList::new(points, radius).neighbors();
                by_queries(points.len(), least, |point, near| {
                    near.extend_from_slice(&lists[point as usize]);
                })
            }
        }
    };
}

by_pairs!(2);
by_pairs!(3);

/// Which boxes overlap a frustum, by the predicate alone.
pub(crate) fn overlap_frustum(view: &View, boxes: &[Bounds<3>]) -> Vec<bool> {
    let frustum = Frustum::<Vec3>::from_view_projection(view.matrix);
    let cuboid = |bounds: &Bounds<3>| Aabb::new(bounds.min.into(), bounds.max.into());
    let overlap = boxes.iter().map(|bounds| frustum.overlaps(&cuboid(bounds)));
    overlap.collect()
}

fn unions() -> Vec<Uniter> {
    vec![uniter::<AtOnce>(), uniter::<OneByOne>()]
}

/// Inserts one ball after the other. The union of all at once is compared with this set.
struct OneByOne(AtOnce);

impl Union for OneByOne {
    const NAME: &'static str = "orthant one by one";
    const KIND: Kind = Kind::Reference;
    type Balls = Vec<Sphere<Vec3>>;

    fn ready(balls: &[Ball]) -> Self::Balls {
        AtOnce::ready(balls)
    }

    fn unite(balls: &Self::Balls) -> Self {
        let grid = VoxelGrid::new(Vec3::ZERO, 1.0);
        let mut set = BrickSet::new();
        balls
            .iter()
            .for_each(|&ball| set.insert_region(&grid, ball));
        Self(AtOnce(set))
    }

    fn voxels(&self) -> impl Iterator<Item = [i32; 3]> {
        self.0.voxels()
    }
}
