//! Panics name the line of the caller, not one of the crate.

use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::{Arc, Mutex};

use orthant::glam::{IVec3, Mat2, Mat4, Quat, Vec2, Vec3};
use orthant::{
    Aabb, BitGrid, Bounded, Brick, BrickSet, Broadphase, CellLevels, CellList, Ellipsoid, Filter,
    Frustum, Handle, Hexahedron, Linear, LooseOctree, Manhattan, Motion, Moving, NormBall, Octree,
    Overlaps, Periodic, Plane, Quadrilateral, Ray, Reach, Region, Relation, Rigid, Rule, Shell,
    Sphere, SphereTree, Vector, Voxel, VoxelGrid, Voxelize, Weighted,
};

const NAN: Vec3 = Vec3::NAN;

/// Lists calls that panic, with the file that each panic names.
macro_rules! blamed {
    ($($call:expr;)*) => {
        vec![$((stringify!($call), blame(|| { let _ = $call; }))),*]
    };
}

/// Returns the file that a panic names.
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

/// A region that knows no distances.
#[derive(Clone, Copy)]
struct Vague(Sphere<Vec3>);

impl Bounded for Vague {
    type Vector = Vec3;

    fn core(&self) -> Aabb<Vec3> {
        self.0.bounds()
    }
}

impl Overlaps<Aabb<Vec3>> for Vague {
    fn overlaps(&self, cell: &Aabb<Vec3>) -> bool {
        self.0.overlaps(cell)
    }
}

impl Region for Vague {
    type Vector = Vec3;

    fn relate(&self, cell: &Aabb<Vec3>) -> Relation {
        self.0.relate(cell)
    }
}

impl Voxelize for Vague {}

/// This is one test, since a panic hook is global.
#[test]
fn the_caller_is_blamed() {
    let nan = f32::NAN;
    let ball = Sphere::new(Vec3::ZERO, 1.0);
    let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    let grid = VoxelGrid::new(Vec3::ZERO, 1.0);
    let shells = grid.with_rule(Rule::Shell(1.0));
    let far = Sphere::new(Vec3::splat(1e30), 1.0);
    let mut world = Broadphase::new();
    let gone = world.insert(unit, Motion::Dynamic);
    world.remove(gone);
    let here = world.insert(unit, Motion::Dynamic);
    let wrong = NAN.bounds();
    let mut loose = LooseOctree::new();
    let left = loose.insert(Vec3::ZERO);
    let stays = loose.insert(Vec3::ONE);
    loose.remove(left);
    let mut set = BrickSet::block(IVec3::ZERO, IVec3::ONE);
    let outside = Brick {
        coordinates: IVec3::MAX,
        mask: [1; 8],
    };
    let mut bits = BitGrid::new(IVec3::ZERO, IVec3::ONE);
    let mut levels = CellLevels::new(&[Vec3::ZERO], &[1.0], Reach::Sum);
    let ring = Periodic::new(unit);
    let tree = Octree::new(&[Vec3::ZERO]);
    let cells = CellList::new(&[Vec3::ZERO], 1.0);
    let near = tree.neighbors(1.0);
    let lists = near.to_lists();
    let nearest = tree.nearest_n_of_all(1, true);

    let all = blamed! {
        Vec3::ONE.axis(3);
        [1.0_f32].axis(1);
        IVec3::ONE.axis(3);
        [1].axis(usize::MAX);
        near[1].len();
        near.list(1);
        lists[1].len();
        lists[usize::MAX].len();
        lists.list(1);
        nearest.distances_sq(1);
        nearest.list(1);
        tree.neighbors_of_indices(&[1], 1.0);
        cells.neighbors_of_indices(&[0, 1]);
        tree.weigh_neighbors(&tree, [&[1.0], &[]], &[1.0], true);
        tree.components(1.0).label(1);
        Sphere::new(Vec3::ZERO, nan);
        Sphere::new(NAN, 1.0);
        Sphere::enclosing(&[NAN]);
        Sphere::enclosing_spheres(&[Sphere::new(Vec3::MAX, 1.0), Sphere::new(Vec3::MIN, 1.0)]);
        Sphere::new(Vec3::MAX, 1e38).merged(&Sphere::new(Vec3::MIN, 1e38));
        Aabb::new(Vec3::ONE, Vec3::ZERO);
        Aabb::from_center(Vec3::ONE, -Vec3::ONE);
        Aabb::spanning(NAN, Vec3::ZERO);
        Aabb::spanning(Vec3::ZERO, NAN);
        unit.inflated(-1.0);
        Shell::new(Vec3::ZERO, 2.0, 1.0);
        Ellipsoid::new(Vec3::ZERO, Vec3::ZERO);
        Weighted::new(Vec3::ZERO);
        NormBall::new(Vec3::ZERO, -1.0, Manhattan);
        Plane::new(Vec3::ZERO, 1.0);
        Quadrilateral::oriented(Vec2::ZERO, Vec2::ZERO, [Vec2::X, Vec2::Y]);
        Quadrilateral::from_corners([Vec2::ZERO; 4]);
        Hexahedron::oriented(Vec3::ZERO, Vec3::ZERO, [Vec3::X, Vec3::Y, Vec3::Z]);
        Hexahedron::from_corners([Vec3::ZERO; 8]);
        Hexahedron::from_planes([Plane::new(Vec3::X, 1.0); 6]);
        Hexahedron::<Vec3>::from_view_projection([[0.0; 4]; 4]);
        Frustum::<Vec3>::from_view_projection([[0.0; 4]; 4]);
        Frustum::<Vec3>::from_view_projection_gl(Mat4::ZERO);
        Moving::new(ball, NAN);
        Moving::new(ball, Vec3::X).until(-1.0);
        Ray::new(Vec3::ZERO, NAN);
        Ray::new(Vec3::ZERO, Vec3::X).until(nan);
        Rigid::new(|_| Vec3::ZERO, Vec3::ZERO);
        Rigid::from_translation(NAN);
        Rigid::from_rotation_translation(Quat::from_xyzw(1.0, 1.0, 1.0, 1.0), Vec3::ZERO);
        Rigid::from_rotation_translation(Mat2::ZERO, Vec2::ZERO);
        // SphereTree::new() needs 2^32 balls.
        // These panic only where memory does not suffice for the answer:
        // Orthtree::neighbors_of()
        // Orthtree::count_neighbors()
        // BrickSet::dilated()
        // BrickSet::block()
        // BrickSet::enclosed()
        // Groups::groups()
        // MovedTree::pairs()
        // Query::append_to()
        // SpatialIndex::query_batch()
        // SpatialIndex::nearest_n_batch()
        SphereTree::from_points(&[Vec3::ZERO], nan);
        SphereTree::from_points(&[NAN], 1.0);
        Linear::new(&[NAN]);
        Octree::new(&[NAN]);
        CellList::new(&[NAN], 1.0);
        CellList::new(&[Vec3::ZERO], nan);
        CellList::from_iter([NAN], 1.0);
        CellList::new_periodic(&[NAN], 1.0, ring);
        CellLevels::new(&[NAN], &[1.0], Reach::Sum);
        CellLevels::new_periodic(&[NAN], &[1.0], Reach::Sum, ring);
        CellLevels::try_new(&[Vec3::ZERO], &[], Reach::Sum);
        CellLevels::try_new_periodic(&[Vec3::ZERO], &[], Reach::Sum, ring);
        levels.rebuild(&[Vec3::ZERO], &[]);
        Periodic::new(Aabb::new(Vec3::ZERO, Vec3::ZERO));
        Periodic::on_axes(Aabb::new(Vec3::ZERO, Vec3::ZERO), [true, false, false]);
        Periodic::spanned(Vec3::ZERO, [Vec3::X, Vec3::X, Vec3::X]);
        Periodic::spanned_along(Vec3::ZERO, [Vec3::X, Vec3::X, Vec3::X], [true; 3]);
        loose.insert(NAN);
        loose.insert_batch([NAN]);
        loose.extend([NAN]);
        LooseOctree::from_iter([NAN]);
        loose.update(left, Vec3::ZERO);
        loose.update(stays, NAN);
        loose[left];
        world.insert(wrong, Motion::Dynamic);
        world.insert_batch([(wrong, Motion::Dynamic)]);
        world.extend([(wrong, Motion::Dynamic)]);
        Broadphase::from_iter([(wrong, Motion::Dynamic)]);
        world.set_bounds(gone, unit);
        world.set_bounds(here, wrong);
        world.set_bounds_expecting(here, unit, NAN);
        world.set_swept(here, unit, NAN);
        world.set_all_bounds(|_: Handle| wrong);
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
        set.insert_region(&shells, Vague(ball));
        set.remove_region(&shells, Vague(ball));
        set.query(&shells, Vague(ball));
        set.insert_brick(&outside);
        BrickSet::from_region(&grid, far);
        BrickSet::from_regions(&grid, &[far]);
        BitGrid::new(IVec3::ONE, IVec3::ZERO);
        BitGrid::from_bricks(&set, IVec3::ONE, IVec3::ZERO);
        bits.insert_region(&shells, Vague(ball));
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

/// Every function that documents a panic has `#[track_caller]`, and is in the list above.
#[test]
fn all_that_panics_is_listed() {
    let mut files = Vec::new();
    collect(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("../../src"),
        &mut files,
    );
    let (mut documented, mut wrong) = (0, Vec::new());
    for text in files {
        // This is the type or trait whose impl or definition the function is in.
        let mut of = "";
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if line.starts_with("impl") || line.starts_with("pub trait") {
                let of_type = line.split(" for ").last().unwrap_or(line);
                let of_type = of_type.trim_start_matches("pub trait ");
                let of_type = match of_type.strip_prefix("impl<") {
                    Some(generic) => generic.split_once("> ").map_or("", |(_, name)| name),
                    None => of_type.trim_start_matches("impl "),
                };
                of = of_type.split(['<', ':', ' ']).next().unwrap_or("");
            }
            // For a constructor that is declared together with its fallible twin, the macro adds `#[track_caller]`.
            let declared = line.trim() == "or_panics! {";
            if line.trim() != "/// # Panics" && !declared {
                continue;
            }
            let mut blames = declared;
            let head = lines.by_ref().map(str::trim).find(|line| {
                blames |= line.contains("track_caller");
                !line.starts_with("///") && !line.starts_with("#[")
            });
            let head = head.unwrap_or("");
            let name = if declared {
                let (of_type, method) = head.split_once(": ").expect("`Type: method = twin`");
                of = of_type;
                method.split(['<', ' ']).next()
            } else if !head.contains("fn ") || head.contains("pub(crate)") {
                continue;
            } else {
                let name = head.split("fn ").nth(1).unwrap_or(head);
                name.split(['(', '<']).next()
            };
            let name = name.unwrap_or(head);
            documented += 1;
            // The list above may use another name of the type.
            let aliases: &[&str] = match of {
                "Orthtree" => &["Octree"],
                "ConvexSolid" => &["Hexahedron", "Frustum", "Quadrilateral"],
                "CellGrid" => &["CellList"],
                _ => &[],
            };
            let listed = include_str!("blame.rs").lines().any(|line| {
                let line = line.trim().trim_start_matches("// ");
                line.contains(&format!(".{name}("))
                    || aliases.iter().chain([&of]).any(|of| {
                        line.starts_with(&format!("{of}::{name}("))
                            || line.starts_with(&format!("{of}::<Vec3>::{name}("))
                    })
            });
            if !blames || !listed {
                wrong.push(format!("{of}: {head} blames {blames}, listed {listed}"));
            }
        }
    }
    assert!(documented > 80, "{documented}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn collect(folder: &Path, texts: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, texts);
        } else if path.extension().is_some_and(|end| end == "rs") {
            texts.push(fs::read_to_string(&path).unwrap());
        }
    }
}
