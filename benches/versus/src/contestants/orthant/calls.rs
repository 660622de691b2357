//! Calls that differ from one version of the crate to another.

use super::library::glam::Vec3;
use super::library::{
    Aabb, Broadphase, Handle, Moving, Orthtree, Ray, SpatialIndex, Sphere, Vector,
};

pub(super) fn nearest_n<V: Vector>(
    tree: &Orthtree<V>,
    place: V,
    n: usize,
) -> impl Iterator<Item = usize> {
    let found = SpatialIndex::nearest_n(tree, place, n).into_iter();
    found.map(|near| near.item)
}

pub(super) fn groups<const D: usize>(points: &[[f32; D]], radius: f32, least: usize) -> Vec<u32>
where
    [f32; D]: Vector<Scalar = f32>,
{
    let tree = Orthtree::new(points);
    let groups = if least == 1 {
        tree.components(radius)
    } else {
        tree.dbscan(radius, least)
    };
    groups.labels().to_vec()
}

pub(super) fn set_bounds<V: Vector>(world: &mut Broadphase<V>, handle: Handle, bounds: Aabb<V>) {
    world.set_bounds(handle, bounds);
}

pub(super) fn first_on_ray(world: &Broadphase<Vec3>, from: Vec3, by: Vec3) -> Option<Handle> {
    Some(world.first_on_ray(Ray::new(from, by).until(1.0))?.0)
}

pub(super) fn first_of_ball(
    world: &Broadphase<Vec3>,
    ball: Sphere<Vec3>,
    by: Vec3,
) -> Option<Handle> {
    let mut first = None;
    world.visit_sweep(Moving::new(ball, by), |handle, _| {
        first = Some(handle);
        -1.0 // no other
    });
    first
}
