use parry3d::bounding_volume::{Aabb, BoundingSphere};
use parry3d::math::{Pose, Vector};
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhNode, BvhWorkspace};
use parry3d::query::{PointQuery, intersection_test};
use parry3d::shape;

use super::pairs::Test;
use crate::contestant::{Index, Nearest, Radius};
use crate::jobs::loose::Changing;
use crate::jobs::predicate::{Ball, Cuboid};

fn vector(v: [f32; 3]) -> Vector {
    Vector::new(v[0], v[1], v[2])
}

/// The distance of the center from the box, compared with the radius: its fastest.
pub(crate) struct Distance;

impl Test for Distance {
    const NAME: &'static str = "parry3d";
    type Box = Aabb;
    type Ball = BoundingSphere;

    fn cuboid(cuboid: &Cuboid) -> Aabb {
        Aabb::new(vector(cuboid.min), vector(cuboid.max))
    }

    fn ball(ball: &Ball) -> BoundingSphere {
        BoundingSphere::new(vector(ball.center), ball.radius)
    }

    fn meet(cuboid: &Aabb, ball: &BoundingSphere) -> bool {
        cuboid.distance_to_local_point(ball.center, true) <= ball.radius
    }
}

/// The test of shapes in their places.
pub(crate) struct Shapes;

impl Test for Shapes {
    const NAME: &'static str = "parry3d shapes";
    type Box = (Pose, shape::Cuboid);
    type Ball = (Pose, shape::Ball);

    fn cuboid(cuboid: &Cuboid) -> Self::Box {
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

pub(crate) struct Tree(Bvh);

impl Index<f32, 3> for Tree {
    const NAME: &'static str = "parry3d";

    fn build(points: &[[f32; 3]], _: f32) -> Self {
        let leaf = |(id, &point)| (id, Aabb::new(vector(point), vector(point)));
        let leaves = points.iter().enumerate().map(leaf);
        Self(Bvh::from_iter(BvhBuildStrategy::Binned, leaves))
    }
}

fn distance_sq(node: &BvhNode, center: Vector) -> f32 {
    let zero = Vector::splat(0.0);
    let apart = (node.mins() - center).max(zero).max(center - node.maxs());
    apart.length_squared()
}

impl Tree {
    fn within(&self, center: &[f32; 3], radius: f32) -> impl Iterator<Item = u32> {
        let (center, limit) = (vector(*center), radius * radius);
        self.0
            .leaves(move |node| distance_sq(node, center) <= limit)
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

/// With the points beside it, which the search asks for.
pub(crate) struct TreeWithPoints(Bvh, Vec<Vector>);

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
            |node, _| distance_sq(node, center),
            |leaf, _| Some(self.1[leaf as usize].distance_squared(center)),
        );
        best.expect("there are points").0
    }
}

/// Put together by insertions, with the items beside it: it holds their boxes.
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
        let near = self.tree.leaves(|node| distance_sq(node, center) <= limit);
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
        pub(crate) struct $name(Changed);

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
    /// Boxes grow where they are; when all have moved it is refitted, as rapier does it.
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

    /// In their places the tree would be of no more use.
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
    /// Boxes are taken out and put in again.
    update = |this, id, to| {
        this.tree
            .reinsert_or_update_with_change_detection(bounds(to), id, 0.0)
    },
);
