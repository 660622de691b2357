//! parry: its tree, its tests of shapes and its voxels of meshes. Points, changing sets,
//! neighbor lists and voxels are here, boxes in `parry/boxes.rs`.

mod boxes;

use parry3d::bounding_volume::{Aabb, BoundingSphere};
use parry3d::math::{Pose, Vector};
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhNode, BvhWorkspace};
use parry3d::query::{PointQuery, intersection_test};
use parry3d::shape;
use parry3d::transformation::voxelization::{FillMode, VoxelSet};

use super::Register;
use crate::contestant::at_rest::finder;
use crate::contestant::ghosts::Ghosts;
use crate::contestant::one_by_one::{OneByOne, Test};
use crate::contestant::rebuilt::{
    BothWays, CountRun, PairRun, SMALL, counter, lister, rebuilt, rebuilt_counter,
};
use crate::contestant::{Index, Loop, Nearest, Radius, nearest, radius};
use crate::jobs::casts::caster;
use crate::jobs::loose::{Changing, changer};
use crate::jobs::predicate::tester;
use crate::jobs::voxels::{Voxelizer, voxelizer};
use crate::stepper::stepper;
use crate::truth::distance_sq;
use crate::worlds::{Ball, Bounds};

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
        stepper::<3, boxes::three::Fat>(),
    ]);
    to.broadphase2.extend([
        stepper::<2, boxes::two::Refit>(),
        stepper::<2, boxes::two::Fat>(),
    ]);
    to.casts
        .extend([caster::<boxes::Fresh>(), caster::<boxes::Stepped>()]);
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

/// Compares the distance of the center from the box with the radius, which is parry's fastest test.
struct Distance;

impl Test for Distance {
    const NAME: &'static str = "parry3d";
    type Box = Aabb;
    type Ball = BoundingSphere;

    fn cuboid(cuboid: &Bounds<3>) -> Aabb {
        Aabb::new(vector(cuboid.min), vector(cuboid.max))
    }

    fn ball(ball: &Ball) -> BoundingSphere {
        BoundingSphere::new(vector(ball.center), ball.radius)
    }

    fn meet(cuboid: &Aabb, ball: &BoundingSphere) -> bool {
        cuboid.distance_to_local_point(ball.center, true) <= ball.radius
    }
}

/// The general test of two shapes with poses.
struct Shapes;

impl Test for Shapes {
    const NAME: &'static str = "parry3d shapes";
    type Box = (Pose, shape::Cuboid);
    type Ball = (Pose, shape::Ball);

    fn cuboid(cuboid: &Bounds<3>) -> Self::Box {
        let bounds = Distance::cuboid(cuboid);
        (
            Pose::from_translation(bounds.center()),
            shape::Cuboid::new(bounds.half_extents()),
        )
    }

    fn ball(ball: &Ball) -> Self::Ball {
        (
            Pose::from_translation(vector(ball.center)),
            shape::Ball::new(ball.radius),
        )
    }

    fn meet(cuboid: &Self::Box, ball: &Self::Ball) -> bool {
        intersection_test(&cuboid.0, &cuboid.1, &ball.0, &ball.1)
            .expect("cuboids and balls are supported")
            .intersecting
    }
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

/// A tree that is filled by single insertions, and its items, since the tree has only their boxes.
struct Changed {
    tree: Bvh,
    workspace: BvhWorkspace,
    items: Vec<Ball>,
}

fn bounds(item: &Ball) -> Aabb {
    let radius = Vector::splat(item.radius);
    let center = vector(item.center);
    Aabb::new(center - radius, center + radius)
}

impl Changed {
    fn new() -> Self {
        Self {
            tree: Bvh::new(),
            workspace: BvhWorkspace::default(),
            items: Vec::new(),
        }
    }

    fn insert(&mut self, id: u32, item: &Ball) {
        assert_eq!(id as usize, self.items.len());
        self.items.push(*item);
        self.tree.insert(bounds(item), id);
    }

    fn collect(&self, center: &[f32; 3], radius: f32, names: &mut Vec<u32>) {
        let (center, limit) = (vector(*center), radius * radius);
        let near = self
            .tree
            .leaves(|node| node_distance_sq(node, center) <= limit);
        let meets = |id: &u32| {
            let item = &self.items[*id as usize];
            let reach = radius + item.radius;
            vector(item.center).distance_squared(center) <= reach * reach
        };
        names.extend(near.filter(meets));
    }
}

macro_rules! changing {
    ($name:ident, $label:literal, $(#[$doc:meta])* update = |$this:ident, $id:ident, $to:ident| $update:expr, $($more:tt)*) => {
        $(#[$doc])*
        struct $name(Changed);

        impl Changing for $name {
            const NAME: &'static str = $label;

            fn new() -> Self {
                Self(Changed::new())
            }

            fn insert(&mut self, id: u32, item: &Ball) {
                self.0.insert(id, item);
            }

            fn update(&mut self, $id: u32, _: &Ball, $to: &Ball) {
                let $this = &mut self.0;
                $this.items[$id as usize] = *$to;
                $update;
            }

            fn remove(&mut self, id: u32, _: &Ball) {
                self.0.tree.remove(id);
            }

            fn collect(&mut self, center: &[f32; 3], radius: f32, names: &mut Vec<u32>) {
                self.0.collect(center, radius, names);
            }

            $($more)*
        }
    };
}

changing!(
    Refit,
    "parry3d refit",
    /// Updates boxes in place. When all have moved, the tree is refitted, as in rapier.
    update = |this, id, to| this.tree.insert(bounds(to), id),
    fn step(&mut self, _: &[Ball], to: &[Ball]) {
        let Changed { tree, workspace, items } = &mut self.0;
        items.copy_from_slice(to);
        for (id, item) in to.iter().enumerate() {
            tree.insert_or_update_partially(bounds(item), id as u32, 0.0);
        }
        tree.optimize_incremental(workspace);
        tree.refit(workspace);
    }

    /// Rebuilds the tree, since updates in place would make it useless.
    fn jump(&mut self, order: &[u32], _: &[Ball], to: &[Ball]) {
        let Changed { tree, workspace, items } = &mut self.0;
        for &id in order {
            let item = to[id as usize];
            items[id as usize] = item;
            tree.insert_or_update_partially(bounds(&item), id, 0.0);
        }
        tree.rebuild(workspace, BvhBuildStrategy::Binned);
    }
);

changing!(
    Reinserted,
    "parry3d reinsert",
    /// Removes boxes and inserts them again.
    update = |this, id, to| {
        this.tree
            .reinsert_or_update_with_change_detection(bounds(to), id, 0.0)
    },
);

/// A walk of a tree of cubes, as wide as the radius, against itself, and a test of the distance.
#[derive(Default)]
struct Walk {
    workspace: BvhWorkspace,
    pairs: Vec<[u32; 2]>,
}

impl Walk {
    fn for_each(&mut self, points: &[[f32; 3]], radius: f32, mut f: impl FnMut(u32, u32)) {
        // A little more than half, so that rounding loses no pair.
        let half = Vector::splat(0.500_001 * radius);
        let leaf = |(id, p): (usize, &[f32; 3])| {
            let at = Vector::new(p[0], p[1], p[2]);
            (id, Aabb::new(at - half, at + half))
        };
        let tree = Bvh::from_iter(
            BvhBuildStrategy::Binned,
            points.iter().enumerate().map(leaf),
        );
        let limit = radius * radius;
        tree.traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut |a, b| {
            if distance_sq(&points[a as usize], &points[b as usize]) <= limit {
                f(a, b);
            }
        });
    }
}

impl PairRun<f32, 3> for Walk {
    fn pairs(&mut self, points: &[[f32; 3]], radius: f32) -> &[[u32; 2]] {
        let mut pairs = std::mem::take(&mut self.pairs);
        pairs.clear();
        self.for_each(points, radius, |a, b| pairs.push([a, b]));
        self.pairs = pairs;
        &self.pairs
    }
}

impl CountRun<f32, 3> for Walk {
    fn count(&mut self, points: &[[f32; 3]], radius: f32) -> u64 {
        let mut count = 0;
        self.for_each(points, radius, |_, _| count += 1);
        2 * count + points.len() as u64
    }
}

/// parry's voxels of a mesh. The mesh of the ball has edges of about a voxel and a half; making it is not timed.
/// Its voxels are only nearly those of the sphere.
struct Mesh {
    points: Vec<Vector>,
    triangles: Vec<[u32; 3]>,
}

impl Voxelizer for Mesh {
    const NAME: &'static str = "parry3d mesh";
    type Voxel = [i32; 3];
    type Span = ();
    type Brick = ();

    fn ready(ball: Ball) -> Self {
        let [x, y, z] = ball.center;
        let around = ((std::f32::consts::TAU * ball.radius / 1.5) as u32).max(32);
        let (mut points, triangles) = shape::Ball::new(ball.radius).to_trimesh(around, around / 2);
        points.iter_mut().for_each(|p| *p += Vector::new(x, y, z));
        Self { points, triangles }
    }

    fn voxels(&self, voxels: &mut Vec<[i32; 3]>) {
        let fill = FillMode::SurfaceOnly;
        let set = VoxelSet::with_voxel_size(&self.points, &self.triangles, 1.0, fill, false);
        let coordinates = set.voxels().iter().map(|voxel| voxel.coords);
        voxels.extend(coordinates.map(|at| [at.x, at.y, at.z]));
    }

    /// Voxel 0 has its middle at the least coordinates.
    fn origin(&self) -> [f32; 3] {
        let least = self.points.iter().copied().reduce(Vector::min);
        let least = least.unwrap_or_default() - 0.5;
        [least.x, least.y, least.z]
    }

    fn index(voxel: &[i32; 3]) -> [i32; 3] {
        *voxel
    }
}
