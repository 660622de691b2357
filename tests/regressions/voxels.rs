//! Bugs in the running time of voxels, which must follow the size of the answer.

use orthant::{
    Aabb, Complement, Difference, Ellipsoid, Hexahedron, Hollow, Intersection, Moving,
    Quadrilateral, Region, Rule, Scalar, Shell, Sphere, Union, Vector, Voxel, VoxelGrid, Voxelize,
    glam::{DVec2, DVec3, Vec2},
};

/// The steps allowed for each span, and for each row with spans: the halvings on the way to the span and around its ends, and the rows in which
/// a surface is searched at once.
const STEPS: u64 = 40_000;

/// The most spans that are checked: columns of all indices have billions.
const MOST_SPANS: u64 = 500;

/// Returns the numbers of spans and of voxels, and checks that few blocks and rows were searched on the way to each span.
fn listed<V, R>(grid: &VoxelGrid<V>, region: R) -> (u64, u64)
where
    V: Vector,
    R: Voxelize + Region<Vector = V>,
{
    let mut spans = grid.spans(region);
    let (mut count, mut voxels) = (0, 0);
    loop {
        let span = spans.next().filter(|_| count < MOST_SPANS);
        assert!(
            spans.steps() < STEPS * (count + 1),
            "{} steps for {count} spans in {grid:?}",
            spans.steps()
        );
        let Some(span) = span else {
            return (count, voxels);
        };
        (count, voxels) = (count + 1, voxels + u64::from(span.len()));
    }
}

#[test]
fn a_shell_far_away_on_one_axis_costs_its_rows_on_the_other() {
    let at = Vec2::new(1e20, 0.0);
    let grid = VoxelGrid::new(at, 1.0).with_rule(Rule::Shell(0.5));
    let grid = grid.within([0, -(1 << 22)].into(), [5, 5].into());
    assert_eq!(grid.count(Sphere::new(at, 1.0)), 20);
    assert_eq!(listed(&grid, Sphere::new(at, 1.0)), (4, 20));
}

#[test]
fn a_shell_thicker_than_the_grid_costs_its_rows() {
    let grid = VoxelGrid::new(DVec2::ZERO, 1.0).with_rule(Rule::Shell(9e9));
    let grid = grid.within([-(1 << 22), 0].into(), [5, 5].into());
    assert_eq!(grid.spans(Sphere::new(DVec2::ZERO, 1.0)).count(), 5);
    let all = 5 * ((1 << 22) + 5);
    assert_eq!(listed(&grid, Sphere::new(DVec2::ZERO, 1.0)), (5, all));
}

const RULES: [Rule<f64>; 8] = [
    Rule::Closed,
    Rule::HalfOpen,
    Rule::CenterInside,
    Rule::Thin,
    Rule::Shell(0.5),
    Rule::Shell(9e9),
    Rule::NarrowBand(0.75),
    Rule::NarrowBand(4e9),
];

/// Returns a window of a few indices on all axes but `long`, and of `length` indices on that axis; `1 << 32` are all there are.
fn window<V: Vector>(long: usize, length: i64) -> VoxelGrid<V> {
    let half = (length / 2).min(i32::MAX.into());
    let start = |a| if a == long { -half } else { -2 };
    let end = |a| if a == long { half } else { 3 };
    let at = |on: &dyn Fn(usize) -> i64| <V::Voxel as Voxel>::from_fn(|a| on(a) as i32);
    let origin = V::splat(Scalar::from_f64(0.0));
    VoxelGrid::new(origin, Scalar::from_f64(1.0)).within(at(&start), at(&end))
}

/// The lengths of windows along each axis, short ones first, so that a time that grows with the window fails early.
const LENGTHS: [i64; 3] = [1 << 14, 1 << 22, 1 << 32];

/// Lists the spans of a region and of its surface in windows along `axes`. `make` makes the region for a row along an axis.
fn check<V, R>(axes: &[usize], make: impl Fn(usize) -> R)
where
    V: Vector<Scalar = f64>,
    R: Voxelize + Region<Vector = V> + Clone,
    Hollow<R>: Voxelize + Region<Vector = V>,
{
    check_one(axes, &make);
    check_one(axes, |a| Hollow(make(a)));
}

fn check_one<V, R>(axes: &[usize], make: impl Fn(usize) -> R)
where
    V: Vector<Scalar = f64>,
    R: Voxelize + Region<Vector = V> + Clone,
{
    for &axis in axes {
        for length in LENGTHS {
            for rule in RULES {
                let grid = window::<V>(axis, length).with_rule(rule);
                listed(&grid, make(axis));
            }
        }
    }
}

/// Turns a vector from axis 0 to another axis.
fn turned<V: Vector<Scalar = f64>>(axis: usize, on: [f64; 3]) -> V {
    V::from_fn(|a| match a {
        _ if a == axis => on[0],
        0 => on[axis],
        _ => on[a],
    })
}

fn round_shapes<V: Vector<Scalar = f64>>(axes: &[usize]) {
    let ball = |axis, x, y, r| Sphere::new(turned::<V>(axis, [x, y, 0.1]), r);
    // The balls are tiny, far away, beyond all indices, or as large as indices allow.
    for (x, y, r) in [
        (0.3, 0.1, 1.5),
        (1e20, 0.1, 1.5),
        (0.3, -1e12, 1e12 + 0.25),
        (0.3, -1e9, 1e9),
        (0.3, -0.4, 1e9),
    ] {
        check::<V, _>(axes, |axis| ball(axis, x, y, r));
        check_one::<V, _>(axes, |axis| {
            Shell::new(ball(axis, x, y, r).center(), 0.9 * r, r)
        });
    }
    for semi_axes in [[2.5, 1.5, 1.25], [5e12, 1.5, 2.5], [1e12, 2e12, 1e12]] {
        check::<V, _>(axes, |axis| {
            let center = turned::<V>(axis, [0.3, 0.1, 0.2]);
            Ellipsoid::new(center, turned(axis, semi_axes))
        });
    }
}

fn boxes<V: Vector<Scalar = f64>>(axes: &[usize]) {
    for (from, to) in [
        ([-0.4, 0.0, 0.0], [2.0, 1.5, 2.0]),
        ([-5e9, 0.0, 0.0], [5e9, 1.5, 2.0]),
        ([-1e9, 0.0, 0.0], [1e9, 1.5, 2.0]),
        ([-1e9; 3], [1e9; 3]),
        ([-1e12; 3], [1e12, 0.5, 0.5]),
        ([1e20, 0.0, 0.0], [2e20, 1.5, 2.0]),
    ] {
        check::<V, _>(axes, |axis| Aabb::new(turned(axis, from), turned(axis, to)));
    }
}

fn capsules<V: Vector<Scalar = f64>>(axes: &[usize]) {
    for (from, radius, by) in [
        ([0.3, 0.3, 0.2], 1.25, [1.0, 2.0, 0.0]),
        ([-5e8, 0.3, 0.2], 1.25, [1e9, 0.0, 0.0]),
        ([-5e8, -3.0, 0.2], 1.25, [1e9, 5.0, 1.0]),
        ([-5e8, -4e8, 0.2], 1.25, [1e9, 8e8, 0.0]),
        ([-5e8, 0.2, 0.2], 1e9, [1e9, 3.0, 0.0]),
        ([-5e8, -1e9, 0.2], 1e9 + 0.3, [1e9, 0.0, 0.0]),
        ([1e20, 0.2, 0.2], 1.0, [1e20, 0.0, 0.0]),
    ] {
        check::<V, _>(axes, |axis| {
            Moving::new(Sphere::new(turned(axis, from), radius), turned(axis, by))
        });
    }
}

fn combined<V: Vector<Scalar = f64>>(axes: &[usize]) {
    let ball = |axis| Sphere::new(turned::<V>(axis, [0.3, 0.1, 0.2]), 1.5);
    let beam = |axis| {
        Aabb::new(
            turned::<V>(axis, [-5e9, 0.0, 0.0]),
            turned(axis, [5e9, 1.5, 1.25]),
        )
    };
    let rod = |axis| {
        let way = turned(axis, [1e9, 0.0, 0.0]);
        Moving::new(Sphere::new(turned::<V>(axis, [-5e8, 0.3, 0.2]), 1.25), way)
    };
    let large = |axis| Sphere::new(turned::<V>(axis, [0.3, 0.1, 0.2]), 1e8);
    check_one::<V, _>(axes, |axis| Union(rod(axis), Hollow(ball(axis))));
    check_one::<V, _>(axes, |axis| Intersection(Hollow(beam(axis)), large(axis)));
    check_one::<V, _>(axes, |axis| Difference(beam(axis), ball(axis)));
    check_one::<V, _>(axes, |axis| Complement(rod(axis)));
}

#[test]
fn windows_of_all_indices_in_the_plane_cost_what_is_in_them() {
    round_shapes::<DVec2>(&[0, 1]);
    boxes::<DVec2>(&[0, 1]);
    capsules::<DVec2>(&[0, 1]);
    combined::<DVec2>(&[0, 1]);
    for half in [[1.0, 2.0], [1e9, 1.3], [1e9, 1e9], [1e12, 1e12]] {
        for (x, y) in [(1.0, 0.0), (1.0, 4e-9), (0.8, 0.6)] {
            check(&[0, 1], |axis| {
                let turn = |x, y| turned::<DVec2>(axis, [x, y, 0.0]);
                let axes = [turn(x, y), turn(-y, x)];
                Quadrilateral::oriented(turn(0.2, 0.33), turn(half[0], half[1]).abs(), axes)
            });
        }
    }
}

#[test]
fn windows_of_all_indices_in_space_cost_what_is_in_them() {
    round_shapes::<DVec3>(&[0, 2]);
    boxes::<DVec3>(&[0, 2]);
    capsules::<DVec3>(&[0]);
    combined::<DVec3>(&[0, 2]);
}

#[test]
fn windows_of_all_indices_around_leaning_solids_cost_what_is_in_them() {
    let straight = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let about_rows = [[1.0, 0.0, 0.0], [0.0, 0.6, 0.8], [0.0, -0.8, 0.6]];
    let across_rows = [[0.8, 0.6, 0.0], [-0.6, 0.8, 0.0], [0.0, 0.0, 1.0]];
    for half in [[1.0, 2.0, 1.3], [1e9, 1.3, 2.3], [1e9, 1e9, 1.3], [1e12; 3]] {
        for axes in [straight, about_rows, across_rows] {
            check(&[0, 1, 2], |axis| {
                let turn = |on| turned::<DVec3>(axis, on);
                let center = turn([0.2, 0.23, 0.4]);
                Hexahedron::oriented(center, turn(half), axes.map(turn))
            });
        }
    }
}
