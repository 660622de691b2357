//! Runs every line of the guide's table of bad input, and compares its result with the table.

use std::fmt::Display;
use std::panic::{self, AssertUnwindSafe, Location};

use orthant::{
    Aabb, Bounded, BrickSet, Broadphase, CellLevels, CellList, Hollow, Linear, LooseOrthtree,
    Motion, Orthtree, Periodic, Reach, Sphere, SphereTree, VoxelGrid,
};

const POINTS: [[f32; 2]; 3] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]];

fn with(bad: f32) -> [[f32; 2]; 3] {
    [POINTS[0], [1.0, bad], POINTS[2]]
}

/// Returns the result of a fallible call, as the guide shows it.
fn error<T, E: Display>(result: Result<T, E>) -> String {
    match result {
        Ok(_) => "accepted".to_owned(),
        Err(error) => format!("error: {error}"),
    }
}

/// Returns the message with which a call panics.
fn panics<T>(call: impl FnOnce() -> T) -> String {
    match panic::catch_unwind(AssertUnwindSafe(call)) {
        Ok(_) => "accepted".to_owned(),
        Err(why) => {
            let says = why.downcast_ref::<String>().expect("a message");
            let lines: Vec<&str> = says.lines().map(str::trim).collect();
            format!("panic: {}", lines.join(", "))
        }
    }
}

struct Table(Vec<String>);

impl Table {
    #[track_caller]
    fn row(&mut self, structure: &str, given: &str, happens: impl Display) {
        let happens = happens.to_string();
        assert_ne!(happens, "accepted", "{}", Location::caller());
        self.0
            .push(format!("| {structure} | {given} | {happens} |"));
    }
}

#[test]
fn bad_input_is_refused_as_the_guide_says() {
    let mut table = Table(Vec::new());
    trees(&mut table);
    cells(&mut table);
    worlds(&mut table);
    voxels(&mut table);
    let guide = include_str!("../../docs/guide/precision.md");
    let told: Vec<&str> = guide
        .lines()
        .skip_while(|line| !line.starts_with("| structure"))
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .collect();
    assert_eq!(
        told,
        table.0,
        "the guide is to say\n{}\n",
        table.0.join("\n")
    );
}

fn trees(table: &mut Table) {
    table.row(
        "`Orthtree`, `Linear`",
        "a coordinate that is NaN or infinite",
        error(Orthtree::try_new(&with(f32::NAN))),
    );
    assert_eq!(
        error(Linear::try_new(&with(f32::NAN))),
        error(Orthtree::try_new(&with(f32::NAN)))
    );
    let mut tree = Orthtree::new(&POINTS);
    let refused = error(tree.rebuild(&with(f32::INFINITY)));
    table.row(
        "",
        "the same to `rebuild`, which leaves the tree as it was",
        refused,
    );
    assert_eq!(tree.items(), POINTS);
    table.row(
        "",
        "no items",
        format!(
            "an empty tree, {} found",
            Orthtree::<[f32; 2]>::new(&[]).count(Sphere::new([0.0; 2], 9.0))
        ),
    );
    let huge = [[f32::MAX; 2], [-f32::MAX; 2]];
    let far = Sphere::new([0.0; 2], f32::MAX);
    table.row(
        "",
        "the largest numbers",
        format!(
            "answered as by the scan, {} of 2 found",
            Orthtree::new(&huge).count(far)
        ),
    );
    let bytes = tree.to_bytes();
    table.row(
        "",
        "saved bytes that are cut",
        error(Orthtree::<[f32; 2]>::from_bytes(&bytes[..bytes.len() - 1])),
    );
    table.row(
        "",
        "saved bytes of other items",
        error(Orthtree::<[f32; 3]>::from_bytes(&bytes)),
    );

    let mut loose = LooseOrthtree::new();
    let first = loose.insert(POINTS[0]);
    table.row(
        "`LooseOrthtree`",
        "`try_insert` of a coordinate that is NaN",
        error(loose.try_insert([0.0, f32::NAN])),
    );
    table.row(
        "",
        "`update` with one, which leaves the item",
        panics(|| loose.update(first, [f32::NAN, 0.0])),
    );
    table.row(
        "",
        "the same to `try_update`",
        error(loose.try_update(first, [f32::NAN, 0.0])),
    );
    assert_eq!(loose[first], POINTS[0]);
    table.row(
        "",
        "a batch with one, of which nothing is inserted",
        error(loose.try_insert_batch(with(f32::NAN))),
    );
    assert_eq!(loose.len(), 1);
    loose.remove(first);
    table.row(
        "",
        "`update` of what was removed",
        panics(|| loose.update(first, [0.0; 2])),
    );
    table.row(
        "",
        "`remove` of what was removed",
        format!("`{:?}`", loose.remove(first)),
    );

    table.row(
        "`SphereTree`",
        "a ball whose radius is negative",
        error(Sphere::try_new([0.0; 3], -1.0)),
    );
    table.row(
        "",
        "no balls",
        format!(
            "an empty tree, {} found",
            SphereTree::<[f32; 3]>::new(&[])
                .lies()
                .count(Sphere::new([0.0; 3], 1.0))
        ),
    );
}

fn cells(table: &mut Table) {
    table.row(
        "`CellList`, `CellLevels`",
        "a coordinate that is NaN",
        error(CellList::try_new(&with(f32::NAN), 1.0)),
    );
    table.row(
        "",
        "a radius that is zero",
        error(CellList::try_new(&POINTS, 0.0)),
    );
    table.row(
        "",
        "a radius that is NaN",
        error(CellList::try_new(&POINTS, f32::NAN)),
    );
    let room = Periodic::new(Aabb::new([0.0; 2], [1.0; 2]));
    table.row(
        "",
        "a radius of 200 periodic boxes",
        error(CellList::try_new_periodic(&POINTS, 200.0, room)),
    );
    table.row(
        "",
        "bins that do not increase",
        error(CellList::new(&POINTS, 1.0).pair_counts(&[0.5, 0.25])),
    );
    table.row(
        "`CellLevels`",
        "a radius of a point that is negative",
        error(CellLevels::try_new(&POINTS, &[0.1, -1.0, 0.1], Reach::Sum)),
    );
    table.row(
        "",
        "fewer radii than points",
        panics(|| CellLevels::new(&POINTS, &[0.1], Reach::Sum)),
    );
    table.row(
        "`Periodic`",
        "a box without an extent",
        error(Periodic::try_new(Aabb::new([0.0; 2], [1.0, 0.0]))),
    );
    let far = Sphere::new([0.5; 2], 300.0);
    table.row(
        "",
        "a region of 300 boxes",
        error(room.count(&Orthtree::new(&POINTS), far)),
    );
}

fn worlds(table: &mut Table) {
    let mut world = Broadphase::new();
    let ball = Sphere::new([0.0_f32; 2], 1.0);
    let body = world.insert(ball, Motion::Dynamic);
    table.row(
        "`Broadphase`",
        "a box that is inverted",
        error(Aabb::try_new([1.0, 0.0], [0.0_f32, 1.0])),
    );
    table.row(
        "",
        "a path that is NaN, which leaves the body",
        panics(|| world.set_swept(body, ball, [f32::NAN, 0.0])),
    );
    table.row(
        "",
        "the same to `try_set_swept`",
        error(world.try_set_swept(body, ball, [f32::NAN, 0.0])),
    );
    table.row(
        "",
        "`try_set_bounds` to a box of NaN, which leaves the body",
        error(world.try_set_bounds(body, [0.0, f32::NAN].bounds())),
    );
    assert_eq!(
        (world.volume(body), world.path(body)),
        (Some(ball.into()), Some([0.0; 2]))
    );
    table.row(
        "",
        "a margin that is negative",
        error(Broadphase::<[f32; 2]>::new().try_with_margin(-1.0)),
    );
    world.remove(body);
    table.row(
        "",
        "`set_bounds` of what was removed",
        panics(|| world.set_bounds(body, ball)),
    );
    table.row(
        "",
        "the same to `try_set_bounds`",
        error(world.try_set_bounds(body, ball)),
    );
    table.row(
        "",
        "`volume` or `remove` of what was removed",
        format!("`{:?}`", world.volume(body).or(world.remove(body))),
    );
}

fn voxels(table: &mut Table) {
    table.row(
        "`VoxelGrid`",
        "voxels of size zero",
        error(VoxelGrid::try_new([0.0_f32; 3], 0.0)),
    );
    let grid = VoxelGrid::new([0.0_f32; 3], 1.0);
    let planet = Hollow(Sphere::new([0.0; 3], 3e9));
    table.row(
        "",
        "a region beyond 32-bit indices, to `check`",
        error(grid.check(&planet)),
    );
    table.row("", "the same to `count`", panics(|| grid.count(planet)));
    table.row(
        "",
        "a window without voxels",
        error(grid.try_within([0; 3], [4, 0, 4])),
    );
    table.row(
        "`BrickSet`",
        "a ball of a million voxels' radius",
        error(BrickSet::try_from_regions(
            &grid,
            &[Sphere::new([0.0; 3], 1e6)],
        )),
    );
}
