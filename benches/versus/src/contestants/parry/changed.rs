//! Sets that change.

use super::{node_distance_sq, vector};
use crate::jobs::loose::Changing;
use crate::worlds::Ball;
use parry3d::bounding_volume::Aabb;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};

/// A tree that is filled by single insertions, and its items, since the tree has only their boxes.
pub(super) struct Changed {
    tree: Bvh,
    workspace: BvhWorkspace,
    items: Vec<Ball>,
}

pub(super) fn bounds(item: &Ball) -> Aabb {
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
        pub(super) struct $name(Changed);

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
