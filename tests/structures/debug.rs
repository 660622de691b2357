//! The `{:?}` form of each type says what it is, how much it holds, and where, without its columns.

use orthant::glam::Vec2;
use orthant::{
    Aabb, BitGrid, BrickSet, Broadphase, CellLevels, CellList, Ellipsoid, Frustum, Hexahedron,
    Hollow, InstructionSet, Linear, LooseQuadtree, Motion, Moving, Orthtree, Periodic, Quadtree,
    Reach, Rigid, Shell, SpatialIndex, Sphere, SphereTree, VoxelGrid, With,
};

fn many() -> Vec<Vec2> {
    (0..1000)
        .map(|i| Vec2::new((i % 10) as f32, (i / 10) as f32))
        .collect()
}

#[test]
fn structures_say_how_much_they_hold_and_where() {
    let (points, ball) = (many(), Sphere::new(Vec2::ZERO, 1.0));
    let bounds = "Some(Aabb { min: Vec2(0.0, 0.0), max: Vec2(9.0, 99.0) })";
    let tree = Quadtree::new(&points);
    assert_eq!(
        format!("{tree:?}"),
        format!("Orthtree {{ items: 1000, bounds: {bounds}, .. }}")
    );
    let named = Orthtree::new(&[With::new(ball, "no need for Debug")]);
    assert!(format!("{named:?}").starts_with("Orthtree { items: 1, "));
    let mut loose = LooseQuadtree::new();
    loose.insert_batch(points.iter().copied());
    assert_eq!(
        format!("{loose:?}"),
        format!("LooseOrthtree {{ items: 1000, bounds: {bounds}, .. }}")
    );
    let best = InstructionSet::best().name();
    assert_eq!(
        format!("{:?}", Linear::new(&points)),
        format!("Linear {{ items: 1000, instructions: {best}, .. }}")
    );
    let cells = CellList::new(&points, 1.5);
    assert_eq!(
        format!("{cells:?}"),
        "CellList { points: 1000, radius: 1.5, periodic: None, .. }"
    );
    let levels = CellLevels::new(&points, &[1.5; 1000], Reach::Sum);
    assert_eq!(
        format!("{levels:?}"),
        "CellLevels { points: 1000, reach: Sum, periodic: None, .. }"
    );
    let world: Broadphase<Vec2> = [(ball, Motion::Static), (ball, Motion::Dynamic)]
        .into_iter()
        .collect();
    assert_eq!(
        format!("{world:?}"),
        "Broadphase { bodies: 2, pairs: 0, .. }"
    );
    let body = SphereTree::new(&[ball; 9]);
    let away = body.at(Rigid::from_translation(Vec2::Y));
    let motion = "Rigid { axes: [Vec2(1.0, 0.0), Vec2(0.0, 1.0)], translation: Vec2(0.0, 1.0) }";
    let tree = "Orthtree { items: 9, bounds: Some(Aabb { min: Vec2(-1.0, -1.0), max: Vec2(1.0, 1.0) }), .. }";
    assert_eq!(format!("{body:?}"), tree);
    assert_eq!(
        format!("{away:?}"),
        format!("MovedTree {{ tree: {tree}, motion: {motion}, .. }}")
    );
    let mut bits = BitGrid::new([0, 0], [100, 100]);
    bits.insert([7, 7]);
    assert_eq!(
        format!("{bits:?}"),
        "BitGrid { start: [0, 0], end: [100, 100], voxels: 1, .. }"
    );
}

#[test]
fn lists_and_sets_show_what_is_in_them() {
    let points = [Vec2::ZERO, Vec2::X, 9.0 * Vec2::X];
    let near = "[[0, 1], [0, 1], [2]]";
    let tree = Quadtree::new(&points);
    assert_eq!(format!("{:?}", tree.neighbors(1.0).to_lists()), near);
    assert_eq!(
        format!("{:?}", CellList::new(&points, 1.0).neighbors()),
        near
    );
    let lists = tree.query_batch(&points.map(|p| Sphere::new(p, 0.5)));
    assert_eq!(format!("{lists:?}"), "[[0], [1], [2]]");
    assert_eq!(
        format!("{:?}", BrickSet::block([0, 0, 0], [2, 1, 1])),
        "{[0, 0, 0], [1, 0, 0]}"
    );
}

#[test]
fn shapes_show_what_they_were_made_of() {
    let (zero, one) = ([0.0; 2], [1.0; 2]);
    let ball = Sphere::new(zero, 1.0);
    let shown = [
        (
            format!("{ball:?}"),
            "Sphere { center: [0.0, 0.0], radius: 1.0 }",
        ),
        (
            format!("{:?}", Hollow(Aabb::new(zero, one))),
            "Hollow(Aabb { min: [0.0, 0.0], max: [1.0, 1.0] })",
        ),
        (
            format!("{:?}", Shell::new(zero, 1.0, 2.0)),
            "Shell { center: [0.0, 0.0], inner: 1.0, outer: 2.0 }",
        ),
        (
            format!("{:?}", Ellipsoid::new(zero, one)),
            "Ellipsoid { center: [0.0, 0.0], semi_axes: [1.0, 1.0] }",
        ),
        (
            format!("{:?}", Moving::new(ball, one)),
            "Moving { shape: Sphere { center: [0.0, 0.0], radius: 1.0 }, displacement: [1.0, 1.0], horizon: 1.0 }",
        ),
        (
            format!("{:?}", Periodic::spanned(zero, [[4.0, 0.0], [2.0, 4.0]])),
            "Periodic { bounds: Aabb { min: [0.0, 0.0], max: [6.0, 4.0] }, lattice: [[4.0, 0.0], [2.0, 4.0]], is_box: false }",
        ),
    ];
    for (shown, expected) in shown {
        assert_eq!(shown, expected);
    }
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let solid = Hexahedron::oriented([0.0; 3], [1.0; 3], axes);
    assert!(format!("{solid:?}").starts_with("ConvexSolid { corners: [[-1.0, -1.0, -1.0], [1.0, "));
    let seen = Frustum::<[f64; 3]>::from_view_projection([
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, -1.5, -1.0],
        [0.0, 0.0, -1.5, 0.0],
    ]);
    let seen = format!("{seen:?}");
    assert!(seen.contains("], planes: [Plane { normal: ["), "{seen}");
    assert_eq!(seen.matches("Plane").count(), 6);
}

#[test]
fn iterators_have_no_more_than_a_name() {
    let grid = VoxelGrid::new([0.0; 3], 1.0);
    let ball = Sphere::new([0.0; 3], 8.0);
    assert_eq!(format!("{:?}", grid.voxels(ball)), "Voxels { .. }");
    assert_eq!(format!("{:?}", grid.spans(ball)), "Spans { .. }");
    assert_eq!(format!("{:?}", grid.bricks(ball)), "Bricks { .. }");
    assert_eq!(format!("{:?}", grid.cells(ball)), "Cells { .. }");
    assert_eq!(
        format!("{:?}", grid.distances(ball, 1.5).unwrap()),
        "Distances { .. }"
    );
    let tree = Quadtree::new(&many());
    assert_eq!(
        format!("{:?}", tree.query(Sphere::new(Vec2::ZERO, 1.0))),
        "Query { .. }"
    );
}
