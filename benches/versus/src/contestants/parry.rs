//! parry: its tree of boxes, its tests of shapes and its voxelization of meshes. This file has the trees of points.

mod boxes;
mod casts;
mod changed;
mod fat;
mod mesh;
mod shapes;
mod walk;

use parry3d::bounding_volume::Aabb;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhNode};

use super::Register;
use crate::contestant::at_rest::finder;
use crate::contestant::ghosts::Ghosts;
use crate::contestant::one_by_one::OneByOne;
use crate::contestant::rebuilt::{BothWays, SMALL, counter, lister, rebuilt, rebuilt_counter};
use crate::contestant::{Index, Loop, Nearest, Radius, nearest, radius};
use crate::jobs::casts::caster;
use crate::jobs::loose::changer;
use crate::jobs::predicate::tester;
use crate::jobs::voxels::voxelizer;
use crate::stepper::stepper;
use changed::{Refit, Reinserted};
use mesh::Mesh;
use shapes::{Distance, Shapes};
use walk::Walk;

pub(super) fn enter(to: &mut Register) {
    to.radius3.push(radius::<_, 3, Tree>());
    to.nearest3.push(nearest::<_, 3, TreeWithPoints>());
    to.changing_points
        .extend([changer::<Refit>(), changer::<Reinserted>()]);
    to.changing_balls
        .extend([changer::<Refit>(), changer::<Reinserted>()]);
    to.frustum.push(finder::<3, _, Bvh>());
    to.predicate
        .extend([tester::<OneByOne<Distance>>(), tester::<OneByOne<Shapes>>()]);
    to.broadphase3.extend([
        stepper::<3, boxes::three::Refit>(),
        stepper::<3, fat::three::Fat>(),
    ]);
    to.broadphase2.extend([
        stepper::<2, boxes::two::Refit>(),
        stepper::<2, fat::two::Fat>(),
    ]);
    to.casts
        .extend([caster::<casts::Fresh>(), caster::<casts::Stepped>()]);
    to.windows3
        .push(finder::<3, _, parry3d::partitioning::Bvh>());
    to.windows2
        .push(finder::<2, _, parry2d::partitioning::Bvh>());
    to.lists3.extend([
        lister::<_, 3, BothWays<Walk>>("parry3d walk"),
        rebuilt::<_, 3, Loop<Tree>>().up_to(SMALL),
    ]);
    to.periodic3
        .push(lister::<_, 3, Ghosts<Tree>>("parry3d, ghosts").up_to(SMALL));
    to.counts3.extend([
        counter::<_, 3, Walk>("parry3d walk"),
        rebuilt_counter::<_, 3, Tree>().up_to(SMALL),
    ]);
    to.meshes.push(voxelizer::<Mesh>());
}

fn vector(v: [f32; 3]) -> Vector {
    Vector::new(v[0], v[1], v[2])
}

struct Tree(Bvh);

impl Index<f32, 3> for Tree {
    const NAME: &'static str = "parry3d";

    fn build(points: &[[f32; 3]], _: f32) -> Self {
        let leaf = |(id, &point)| (id, Aabb::new(vector(point), vector(point)));
        let leaves = points.iter().enumerate().map(leaf);
        Self(Bvh::from_iter(BvhBuildStrategy::Binned, leaves))
    }
}

fn node_distance_sq(node: &BvhNode, center: Vector) -> f32 {
    let zero = Vector::splat(0.0);
    let apart = (node.mins() - center).max(zero).max(center - node.maxs());
    apart.length_squared()
}

impl Tree {
    fn within(&self, center: &[f32; 3], radius: f32) -> impl Iterator<Item = u32> {
        let (center, limit) = (vector(*center), radius * radius);
        self.0
            .leaves(move |node| node_distance_sq(node, center) <= limit)
    }
}

impl Radius<f32, 3> for Tree {
    fn count(&mut self, center: &[f32; 3], radius: f32) -> usize {
        self.within(center, radius).count()
    }

    fn collect(&mut self, center: &[f32; 3], radius: f32, ids: &mut Vec<u32>) {
        ids.extend(self.within(center, radius));
    }
}

/// A tree with its points, which the search for the nearest reads.
struct TreeWithPoints(Bvh, Vec<Vector>);

impl Index<f32, 3> for TreeWithPoints {
    const NAME: &'static str = "parry3d";

    fn build(points: &[[f32; 3]], radius: f32) -> Self {
        let tree = Tree::build(points, radius);
        Self(tree.0, points.iter().map(|&p| vector(p)).collect())
    }
}

impl Nearest<f32, 3> for TreeWithPoints {
    fn nearest(&mut self, center: &[f32; 3]) -> u32 {
        let center = vector(*center);
        let best = self.0.find_best(
            f32::MAX,
            |node, _| node_distance_sq(node, center),
            |leaf, _| Some(self.1[leaf as usize].distance_squared(center)),
        );
        best.expect("there are points").0
    }
}
