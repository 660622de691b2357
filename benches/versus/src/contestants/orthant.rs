//! This crate. The folder beside this file is compiled a second time with an earlier commit of
//! the crate; the differences between the two are here and in `before.rs`.

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
use ::orthant::{Aabb, BrickSet, CellList, Frustum, Overlaps, Sphere, Vector, VoxelGrid};

use crate::jobs::frustum::View;
use crate::jobs::groups::{GroupContestant, by_queries, grouper};
use crate::jobs::voxels::{Union, Uniter, uniter};
use crate::race::Kind;
use crate::worlds::{Ball, Bounds};
use calls::{first_of_ball, first_on_ray, groups, nearest_n, set_bounds};
pub(super) use entries::enter;
use voxels::AtOnce;

const NAME: &str = "orthant";
const AT_ONCE: &str = "orthant at once";
const KIND: Kind = Kind::Own;

fn groupers<const D: usize>() -> Vec<GroupContestant<D>>
where
    [f32; D]: Vector<Scalar = f32>,
{
    vec![
        grouper(NAME, KIND, groups),
        grouper("orthant by pairs", Kind::Reference, groups_by_pairs),
    ]
}

/// Groups by a handwritten search over the lists of all neighbors.
fn groups_by_pairs<const D: usize>(points: &[[f32; D]], radius: f32, least: usize) -> Vec<u32>
where
    [f32; D]: Vector<Scalar = f32>,
{
    let lists = CellList::new(points, radius).neighbors();
    by_queries(points.len(), least, |point, near| {
        near.extend_from_slice(&lists[point as usize]);
    })
}

/// Returns for each box whether it overlaps a frustum, by the predicate alone.
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
