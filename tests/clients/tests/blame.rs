//! What panics blames the line of the caller, not one of the crate.

use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Mutex};

use orthant::glam::{IVec3, Vec3};
use orthant::{
    Aabb, BitGrid, BrickSet, Broadphase, CellLevels, CellList, Ellipsoid, Filter, Frustum,
    Hexahedron, Linear, LooseOctree, Motion, Moving, Octree, Periodic, Plane, Reach, Rigid, Rule,
    Shell, Sphere, SphereTree, VoxelGrid, rows::Rows,
};

const NAN: Vec3 = Vec3::NAN;

/// Where each of these panics.
macro_rules! blamed {
    ($($call:expr;)*) => {
        vec![$((stringify!($call), blame(|| { let _ = $call; }))),*]
    };
}

/// The file that a panic names.
fn blame(call: impl FnOnce()) -> Option<String> {
    let place = Arc::new(Mutex::new(None));
    let to = Arc::clone(&place);
    panic::set_hook(Box::new(move |info| {
        *to.lock().unwrap() = info.location().map(|location| location.file().to_owned());
    }));
    let result = panic::catch_unwind(AssertUnwindSafe(call));
    drop(panic::take_hook());
    result.err()?;
    let place = place.lock().unwrap();
    place.clone()
}

/// One test, since a panic hook is of the whole program.
#[test]
fn the_caller_is_blamed() {
    let nan = f32::NAN;
    let ball = Sphere::new(Vec3::ZERO, 1.0);
    let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    let grid = VoxelGrid::new(Vec3::ZERO, 1.0);
    let far = Sphere::new(Vec3::splat(1e30), 1.0);
    let mut world = Broadphase::new();
    let gone = world.insert(unit, Motion::Dynamic);
    world.remove(gone);
    let here = world.insert(unit, Motion::Dynamic);
    let mut loose = LooseOctree::new();
    let left = loose.insert(Vec3::ZERO);
    let stays = loose.insert(Vec3::ONE);
    loose.remove(left);
    let mut set = BrickSet::new();
    let bits = BitGrid::new(IVec3::ZERO, IVec3::ONE);
    let mut levels = CellLevels::new(&[Vec3::ZERO], &[1.0], Reach::Sum);

    let near = Octree::new(&[Vec3::ZERO]).neighbors(1.0);
    let lists = near.to_lists();

    let all = blamed! {
        near[1].len();
        near.list(1);
        lists[1].len();
        lists.list(1);
        Sphere::new(Vec3::ZERO, nan);
        Sphere::new(NAN, 1.0);
        Sphere::enclosing(&[NAN]);
        Sphere::new(Vec3::MAX, 1e38).merged(&Sphere::new(Vec3::MIN, 1e38));
        Aabb::new(Vec3::ONE, Vec3::ZERO);
        Aabb::spanning(NAN, Vec3::ZERO);
        Aabb::spanning(Vec3::ZERO, NAN);
        Shell::new(Vec3::ZERO, 2.0, 1.0);
        Ellipsoid::new(Vec3::ZERO, Vec3::ZERO);
        Plane::new(Vec3::ZERO, 1.0);
        Hexahedron::oriented(Vec3::ZERO, Vec3::ZERO, [Vec3::X, Vec3::Y, Vec3::Z]);
        Hexahedron::from_corners([Vec3::ZERO; 8]);
        Hexahedron::from_planes([Plane::new(Vec3::X, 1.0); 6]);
        Hexahedron::<Vec3>::from_view_projection([[0.0; 4]; 4]);
        Frustum::<Vec3>::from_view_projection([[0.0; 4]; 4]);
        Moving::new(ball, NAN);
        Moving::new(ball, Vec3::X).until(-1.0);
        Rigid::new(|_| Vec3::ZERO, Vec3::ZERO);
        Rigid::from_translation(NAN);
        SphereTree::from_points(&[Vec3::ZERO], nan);
        SphereTree::from_points(&[NAN], 1.0);
        Linear::new(&[NAN]);
        Octree::new(&[NAN]);
        CellList::new(&[NAN], 1.0);
        CellList::new(&[Vec3::ZERO], nan);
        CellLevels::new(&[NAN], &[1.0], Reach::Sum);
        CellLevels::try_new(&[Vec3::ZERO], &[], Reach::Sum);
        levels.rebuild(&[Vec3::ZERO], &[]);
        Periodic::new(Aabb::new(Vec3::ZERO, Vec3::ZERO));
        Periodic::spanned(Vec3::ZERO, [Vec3::X, Vec3::X, Vec3::X]);
        Rows::new(&[NAN]);
        loose.insert(NAN);
        loose.update(left, Vec3::ZERO);
        loose.update(stays, NAN);
        loose[left];
        world.insert(Aabb::new(NAN, NAN), Motion::Dynamic);
        world.set_bounds(gone, unit);
        world.set_swept(here, unit, NAN);
        world.set_motion(gone, Motion::Static);
        world.set_filter(gone, Filter::default());
        world.set_user(gone, 1);
        world.sleep(gone);
        world.wake(gone);
        Broadphase::<Vec3>::new().with_margin(nan);
        Broadphase::<Vec3>::new().with_prediction(nan);
        VoxelGrid::new(Vec3::ZERO, 0.0);
        VoxelGrid::new(Vec3::ZERO, 1.0).with_rule(Rule::Shell(nan));
        VoxelGrid::new(Vec3::ZERO, 1.0).within(IVec3::ONE, IVec3::ZERO);
        grid.voxels(far);
        grid.spans(far);
        grid.bricks(far);
        grid.cells(far);
        grid.count(far);
        set.insert_region(&grid, far);
        BrickSet::from_region(&grid, far);
        BrickSet::from_regions(&grid, &[far]);
        BitGrid::new(IVec3::ONE, IVec3::ZERO);
        bits.extent(3);
    };
    let mut wrong = Vec::new();
    for (call, file) in &all {
        if file
            .as_deref()
            .is_none_or(|file| !file.ends_with("blame.rs"))
        {
            wrong.push(format!("{call}: {file:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
