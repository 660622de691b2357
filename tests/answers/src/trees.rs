//! Hashes queries of every structure: by regions of every kind, for the nearest, and by rays.

use alloc::vec::Vec;

use orthant::{
    Aabb, Broadphase, CellLevels, CellList, Chebyshev, Distance, DistanceBy, Ellipsoid, Frustum,
    Hexahedron, Hollow, Key, LooseOrthtree, Manhattan, Motion, Mover, Moving, NormBall, Orthtree,
    Overlaps, Reach, Region, Shell, SpatialIndex, Sphere, Vector, Weighted,
};

use crate::places::{Numbers, balls, boxes, number, points};
use crate::{Hash, Said};

const MANY: usize = 1200;

pub(crate) fn all<V: Vector>(said: &mut Said, name: &str) {
    let radius = number::<V::Scalar>(0.06);
    let places = points::<V>(MANY, 1);
    let set = said.instructions;
    ask(
        said,
        name,
        "tree of points",
        &Orthtree::new(&places).with_instructions(set),
    );
    let mut loose: LooseOrthtree<V> = places[..MANY / 2].iter().copied().collect();
    for &place in &places[MANY / 2..] {
        loose.insert(place);
    }
    ask(said, name, "loose tree of points", &loose);
    ask(
        said,
        name,
        "cells",
        &CellList::new(&places, radius).with_instructions(set),
    );
    let mut numbers = Numbers::new(9);
    let radii: Vec<V::Scalar> = places
        .iter()
        .map(|_| numbers.unit::<V::Scalar>() * radius)
        .collect();
    ask(
        said,
        name,
        "levels of cells",
        &CellLevels::new(&places, &radii, Reach::Sum).with_instructions(set),
    );

    let cuboids = boxes::<V>(MANY, 2);
    ask(
        said,
        name,
        "tree of boxes",
        &Orthtree::new(&cuboids).with_instructions(set),
    );
    let skins: Vec<Hollow<Aabb<V>>> = cuboids.iter().copied().map(Hollow).collect();
    ask_by_regions(
        said,
        name,
        "tree of hollow boxes",
        &Orthtree::new(&skins).with_instructions(set),
    );
    ask(
        said,
        name,
        "tree of balls",
        &Orthtree::new(&balls::<V>(MANY, 3)).with_instructions(set),
    );
    let mut world = Broadphase::new();
    for ball in balls::<V>(MANY, 3) {
        world.insert(ball, Motion::Dynamic);
    }
    world.update();
    ask(said, name, "world of balls", &world);
}

/// Hashes queries by solids of few planes, in space.
pub(crate) fn solids(said: &mut Said) {
    let axes = [[0.6, 0.8, 0.0], [-0.8, 0.6, 0.0], [0.0, 0.0, 1.0]];
    let solid = Hexahedron::<[f32; 3]>::oriented([0.5; 3], [0.3, 0.1, 0.2], axes);
    let camera = [
        [1., 0., 0., 0.],
        [0., 1., 0., 0.],
        [0., 0., 0., -1.],
        [0., 0., 0.05, 0.],
    ];
    let seen = Frustum::<[f32; 3]>::from_view_projection(camera);
    let set = said.instructions;
    let tree = Orthtree::new(&boxes::<[f32; 3]>(MANY, 2)).with_instructions(set);
    let mut hash = Hash::new();
    of_query(&mut hash, &tree, &solid);
    of_query(&mut hash, &tree, &Hollow(solid.clone()));
    of_query(&mut hash, &tree, &seen);
    said.say("f32x3", "boxes in solids", hash);
    let points = Orthtree::new(&points::<[f32; 3]>(MANY, 1)).with_instructions(set);
    let mut hash = Hash::new();
    of_query(&mut hash, &points, &solid);
    of_query(&mut hash, &points, &seen);
    said.say("f32x3", "points in solids", hash);
}

fn of_query<I, R>(hash: &mut Hash, index: &I, region: &R)
where
    I: SpatialIndex,
    R: Region<Vector = I::Vector> + Overlaps<I::Item>,
{
    for key in index.query(region) {
        hash.index(key.slot());
    }
    hash.index(index.count(region));
    hash.end();
}

/// Hashes the queries that items of every type support.
fn ask_by_regions<V, I>(said: &mut Said, name: &str, structure: &str, index: &I)
where
    V: Vector,
    I: SpatialIndex<Vector = V>,
    Sphere<V>: Overlaps<I::Item>,
    Hollow<Sphere<V>>: Overlaps<I::Item>,
    Shell<V>: Overlaps<I::Item>,
    Ellipsoid<V>: Overlaps<I::Item>,
    Hollow<Ellipsoid<V>>: Overlaps<I::Item>,
    Aabb<V>: Overlaps<I::Item>,
    Hollow<Aabb<V>>: Overlaps<I::Item>,
    NormBall<V, Manhattan>: Overlaps<I::Item>,
    NormBall<V, Weighted<V>>: Overlaps<I::Item>,
{
    let mut numbers = Numbers::new(4);
    let mut round = [Hash::new(); 5];
    let mut boxed = [Hash::new(); 2];
    let mut normed = [Hash::new(); 2];
    for _ in 0..24 {
        let at: V = numbers.place();
        let size = numbers.unit::<V::Scalar>() * number(0.3);
        let half = size * number(0.5);
        let egg = Ellipsoid::new(
            at,
            V::from_fn(|a| {
                if a == 0 {
                    half + number(0.01)
                } else {
                    size + number(0.01)
                }
            }),
        );
        let cuboid = Aabb::new(at, V::from_fn(|a| at.axis(a) + size));
        of_query(&mut round[0], index, &Sphere::new(at, size));
        of_query(&mut round[1], index, &Hollow(Sphere::new(at, size)));
        of_query(&mut round[2], index, &Shell::new(at, half, size));
        of_query(&mut round[3], index, &egg);
        of_query(&mut round[4], index, &Hollow(egg));
        of_query(&mut boxed[0], index, &cuboid);
        of_query(&mut boxed[1], index, &Hollow(cuboid));
        of_query(&mut normed[0], index, &NormBall::new(at, size, Manhattan));
        let weights = V::from_fn(|a| number(1.0 + a as f64));
        of_query(
            &mut normed[1],
            index,
            &NormBall::new(at, size, Weighted::new(weights)),
        );
    }
    let names = [
        "ball",
        "sphere",
        "shell",
        "ellipsoid",
        "ellipsoid's surface",
    ];
    let names =
        names
            .into_iter()
            .chain(["box", "box's surface", "Manhattan ball", "weighted ball"]);
    for (region, hash) in names.zip(round.into_iter().chain(boxed).chain(normed)) {
        said.say(name, &alloc::format!("{structure}, {region}"), hash);
    }
}

fn ask<V, I>(said: &mut Said, name: &str, structure: &str, index: &I)
where
    V: Vector,
    I: SpatialIndex<Vector = V>,
    I::Item: Distance<Vector = V> + DistanceBy<Chebyshev>,
    Sphere<V>: Overlaps<I::Item>,
    Hollow<Sphere<V>>: Overlaps<I::Item>,
    Shell<V>: Overlaps<I::Item>,
    Ellipsoid<V>: Overlaps<I::Item>,
    Hollow<Ellipsoid<V>>: Overlaps<I::Item>,
    Aabb<V>: Overlaps<I::Item>,
    Hollow<Aabb<V>>: Overlaps<I::Item>,
    NormBall<V, Manhattan>: Overlaps<I::Item>,
    NormBall<V, Weighted<V>>: Overlaps<I::Item>,
    Moving<Sphere<V>>: Mover<I::Item>,
{
    ask_by_regions(said, name, structure, index);
    let mut numbers = Numbers::new(5);
    let (mut near, mut by_norm, mut hit) = (Hash::new(), Hash::new(), Hash::new());
    for i in 0..24_usize {
        let at: V = numbers.place();
        for found in index.nearest_n(at, 1 + i % 12) {
            near.index(found.item.slot());
            near.number(found.distance_sq);
        }
        near.end();
        for found in index.by_norm(Chebyshev).nearest_n(at, 1 + i % 12) {
            by_norm.index(found.item.slot());
        }
        by_norm.end();
        let to: V = numbers.place();
        let way = V::from_fn(|a| to.axis(a) - at.axis(a));
        let radius = numbers.unit::<V::Scalar>() * number(0.02);
        for found in index.sweep_all(Moving::new(Sphere::new(at, radius), way)) {
            hit.index(found.item.slot());
            hit.number(found.impact.first);
        }
        hit.end();
    }
    said.say(name, &alloc::format!("{structure}, nearest"), near);
    said.say(
        name,
        &alloc::format!("{structure}, nearest by Chebyshev"),
        by_norm,
    );
    said.say(name, &alloc::format!("{structure}, moving ball"), hit);
}
