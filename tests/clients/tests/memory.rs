//! Compares the memory that structures report with the bytes that were allocated for them.

use std::alloc::System;
use std::mem::size_of;

use orthant::{
    Aabb, BrickSet, Broadphase, CellList, Hollow, LooseOrthtree, Motion, Orthtree, Sphere,
    VoxelGrid,
};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Makes a structure, and compares the memory that it reports with the bytes that stay allocated.
fn check<T>(what: &str, make: impl FnOnce() -> T, bytes: impl Fn(&T) -> usize) {
    let region = Region::new(ALLOCATOR);
    let made = make();
    let stats = region.change();
    let grown = stats.bytes_allocated as isize - stats.bytes_deallocated as isize;
    let held = grown as f64 + size_of::<T>() as f64;
    let said = bytes(&made) as f64;
    assert!(
        (said - held).abs() <= 0.02 * held + 256.0,
        "{what} says {said} bytes, and holds {held}"
    );
    assert!(said > 1000.0, "{what} holds nothing");
}

/// This is one test, since no other test may allocate meanwhile.
#[test]
fn structures_say_what_they_hold() {
    // With the feature `rayon` of orthant, the pool starts its threads at the first use.
    rayon::broadcast(|_| ());
    let mut random = SmallRng::seed_from_u64(1);
    let points: Vec<[f32; 3]> = (0..3000).map(|_| [0; 3].map(|_| random.random())).collect();
    let boxes: Vec<_> = points
        .iter()
        .map(|&p| Aabb::new(p, p.map(|x| x + 0.1)))
        .collect();
    let balls: Vec<_> = points.iter().map(|&p| Sphere::new(p, 0.05)).collect();

    check(
        "a tree of points",
        || Orthtree::new(&points),
        Orthtree::bytes,
    );
    check("a tree of boxes", || Orthtree::new(&boxes), Orthtree::bytes);
    check("a tree of balls", || Orthtree::new(&balls), Orthtree::bytes);
    check("cells", || CellList::new(&points, 0.1), CellList::bytes);
    let loose = || -> LooseOrthtree<_> { boxes.iter().copied().collect() };
    check("a loose tree", loose, LooseOrthtree::bytes);
    let world = || {
        let mut world: Broadphase<[f32; 3]> = Broadphase::new().with_margin(0.01);
        for (i, (&cuboid, &ball)) in boxes.iter().zip(&balls).enumerate() {
            let motion = [Motion::Dynamic, Motion::Static][i % 2];
            world.insert(cuboid, motion);
            world.insert(ball, motion);
        }
        for _ in 0..3 {
            world.update();
            let some: Vec<_> = world.iter().take(700).collect();
            for (i, &(body, volume)) in some.iter().enumerate() {
                if i < 100 {
                    world.remove(body);
                } else {
                    world.set_bounds(body, volume);
                }
            }
        }
        world.update();
        world
    };
    check("a world", world, Broadphase::bytes);
    let grid = VoxelGrid::new([0.0f32; 3], 0.01);
    let skin = Hollow(Sphere::new([0.5; 3], 0.5));
    check(
        "a set of voxels",
        || BrickSet::from_region(&grid, skin),
        BrickSet::bytes,
    );
}
