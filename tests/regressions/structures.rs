//! Bugs of shapes, trees and worlds.

use orthant::glam::{DVec3, Vec3};
use orthant::{
    Aabb, Broadphase, CellList, Contains, Ellipsoid, Frustum, Hexahedron, Hollow, InstructionSet,
    Linear, LooseOctree, LooseOrthtree, Manhattan, Motion, Moving, Orthtree, Overlaps, Periodic,
    Plane, Rule, ShapeError, Side, SpatialIndex, Sphere, SphereTree, Sweep, VoxelGrid,
};

/// A leaf whose cell could no longer be halved got one more child of the same cell at each insertion.
#[test]
fn a_cell_between_adjacent_floats_does_not_grow_a_chain() {
    let (a, b) = (1.0f32, 1.0f32.next_up());
    let mut tree = LooseOrthtree::new();
    let place = |i: usize| [if i.is_multiple_of(2) { b } else { a }];
    let mut handles: Vec<_> = (0..32).map(|i| tree.insert(place(i))).collect();
    let before = tree.bytes();
    for turn in 0..4000 {
        let i = turn % handles.len();
        let point = tree.remove(handles[i]).unwrap();
        handles[i] = tree.insert(point);
    }
    tree.validate().unwrap();
    assert!(
        tree.bytes() <= 2 * before,
        "{} > 2 * {before}",
        tree.bytes()
    );
}

/// If one half of a cell was the cell itself, later items went into a child as wide as its
/// parent.
#[test]
fn a_half_that_is_the_whole_gets_no_child() {
    #[rustfmt::skip]
    let places = [
        4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 65, 15, -1,
        4, 67, -4, 1, -98, 4, 15, 5, -38, 4, 4, -1, -32, 4, -3, -5, 3, -2, -1, 0, -4, 79,
        -2, -3, -2, 4, 2, -1, 3, -3, 60, -3, 2, -2, 5, 1, 2, -4, -6, 2, 6, -2, 2, 1,
        -5, -4, 2, -5, 2, -5, 3, 3, 2, 4, -1, 1, 0, 2, -5, 2, -1, -3, 3, 4, 1, 0,
        -1, 5, -3, -5, -63, -4, 4, 5, -2, -51, 2, -2, 5, -3, -6,
    ];
    let mut tree = LooseOrthtree::new();
    for place in places.into_iter().rev() {
        tree.insert([(-1e7 + 0.7 * f64::from(place)) as f32]);
        tree.validate().unwrap();
    }
    assert_eq!(tree.count(Sphere::new([-1e7], 1e3)), places.len());
}

/// A full leaf that cannot be divided was searched anew at every change of its length between 2ᵏ - 1 and 2ᵏ: 146 µs an update. A million such
/// updates would take minutes.
#[test]
fn an_indivisible_leaf_is_not_looked_through_at_each_update() {
    let mut tree = LooseOrthtree::new();
    let handles: Vec<_> = (0..65_536).map(|_| tree.insert([1.0f32, 2.0])).collect();
    for turn in 0..1_000_000 {
        tree.update(handles[turn % handles.len()], [1.0, 2.0]);
    }
    let wide = Aabb::new(Vec3::splat(-1.0), Vec3::splat(1.0));
    let mut boxes = LooseOrthtree::new();
    let mut handles: Vec<_> = (0..16_384).map(|_| boxes.insert(wide)).collect();
    for turn in 0..100_000 {
        let i = turn % handles.len();
        boxes.remove(handles[i]);
        handles[i] = boxes.insert(wide);
    }
    boxes.validate().unwrap();
    assert_eq!((tree.len(), boxes.len()), (65_536, 16_384));
}

/// The items of a full leaf may have moved far beyond its cell while they stayed in its box. The cell was cut there all the same, so that one
/// half was larger than the whole, and overlapped its neighbors.
#[test]
fn a_cell_is_not_cut_beyond_its_end() {
    let unit = |x: f32| Aabb::new([x], [x + 0.5]);
    let mut tree = LooseOrthtree::new();
    let large = Aabb::new([-1000.0_f32], [1000.0]);
    let small = (1..64u8).map(|i| unit(f32::from(i)));
    let handles = tree.insert_batch(core::iter::once(large).chain(small));
    for i in 1..32u8 {
        tree.update(handles[usize::from(i)], unit(500.0 + f32::from(i)));
    }
    for i in 0..48u8 {
        tree.insert(unit(-1.0 - 0.01 * f32::from(i)));
    }
    for _ in 0..20 {
        tree.extend((0..100).map(|_| unit(40.0)));
        tree.validate().unwrap();
    }
    assert_eq!(tree.count(unit(40.0)), 2002);
}

/// A leaf that had become empty offered its former first item, at an infinite distance.
#[test]
fn an_empty_leaf_offers_nothing() {
    let mut tree = LooseOrthtree::new();
    let points = (0..26u8).map(|i| [f32::from(i), 0.0, 0.0]);
    let handles: Vec<_> = points.map(|point| tree.insert(point)).collect();
    for &handle in &handles[..16] {
        tree.remove(handle);
    }
    for n in [1, 10, 11, 32, 33, 40] {
        let near = tree.nearest_n([0.0; 3], n);
        assert_eq!(near.len(), n.min(10));
        let near = tree.by_norm(Manhattan).nearest_n([0.0; 3], n);
        assert_eq!(near.len(), n.min(10));
    }
}

/// In one dimension the code of the greatest point overflowed, so that it lay beside the least.
#[test]
fn the_greatest_point_of_a_line_is_not_the_least() {
    let points: Vec<[f64; 1]> = (0..1000).map(|i| [f64::from(i % 2)]).collect();
    let tree = Orthtree::new(&points);
    tree.validate().unwrap();
    let order: Vec<usize> = tree.query(Sphere::new([0.5], 1.0)).collect();
    let is_mixed = |leaf: &&[usize]| leaf.iter().any(|&i| points[i] != points[leaf[0]]);
    let mixed = order.chunks(16).filter(is_mixed).count();
    assert_eq!(
        (order.len(), mixed),
        (1000, 1),
        "only one leaf has points of both places"
    );
}

/// One remaining item kept the memory of a million allocated.
#[test]
fn memory_returns_while_something_is_left() {
    let mut tree = LooseOctree::<Sphere<Vec3>>::new();
    let ball = |i: u32| Sphere::new(Vec3::new((i % 100) as f32, (i / 100) as f32, 0.0), 0.5);
    let handles: Vec<_> = (0..20_000).map(|i| tree.insert(ball(i))).collect();
    let full = tree.bytes();
    for &handle in handles[1..].iter().rev() {
        tree.remove(handle);
    }
    tree.validate().unwrap();
    assert!(tree.bytes() < full / 4, "{} of {full}", tree.bytes());
    assert_eq!(tree.query(ball(0)).next(), Some(handles[0]));
    assert_eq!(tree[handles[0]], ball(0));
}

/// The list of changed bodies kept every handle that was ever inserted, until the next update.
#[test]
fn a_world_that_is_never_updated_does_not_leak_pairs() {
    let mut world = Broadphase::new();
    let unit = Aabb::new([0.0, 0.0], [1.0, 1.0]);
    let first = world.insert(unit, Motion::Dynamic);
    let mut last = first;
    for _ in 0..10_000 {
        let next = world.insert(unit, Motion::Dynamic);
        if last != first {
            world.remove(last);
        }
        last = next;
    }
    world.update();
    assert!(world.pairs().eq([(first.min(last), first.max(last))]));
    world.validate().unwrap();
}

/// The box of a point that is not finite was accepted by a grid, as the lowest voxel.
#[test]
fn the_box_of_a_point_that_is_nowhere_is_refused() {
    use orthant::Bounded;
    let nowhere = [f32::NAN; 2].bounds();
    assert!(VoxelGrid::new([0.0, 0.0], 1.0).check(&nowhere).is_err());
    let mut world = Broadphase::new();
    assert!(world.try_insert(nowhere, Motion::Static).is_err());
    assert!(world.is_empty());
}

/// A point at the largest number counted as outside of a range that reached over it.
#[test]
fn the_largest_number_has_a_voxel() {
    let grid = VoxelGrid::new([0.0f32], 1e36);
    assert_eq!(grid.voxel_of([f32::MAX]), Ok([340]));
    assert!(VoxelGrid::new([0.0f32], 1e28).voxel_of([f32::MAX]).is_err());
}

/// The distance from a thin ellipsoid may change by more than two points are apart, so a block is not within the band because its center is.
#[test]
fn a_block_across_a_thin_ellipsoid_is_not_all_of_its_band() {
    let grid = VoxelGrid::new([0.0f32, 0.0], 0.25).with_rule(Rule::NarrowBand(0.5625));
    let grid = grid.within([-3, -9], [2, -4]);
    assert_eq!(grid.count(Ellipsoid::new([0.0, 0.0], [0.25, 2.25])), 23);
}

/// The center of a tiny box was rounded out of it.
#[test]
fn a_centre_lies_in_its_box() {
    let q = f32::from_bits(3);
    assert_eq!(Aabb::new([q], [q]).center(), [q]);
}

/// The distance of an ellipsoid, found by halving, was a rounding error too large at an exact touch.
#[test]
fn a_ball_that_touches_the_tip_of_an_ellipsoid_overlaps_it() {
    let egg = Ellipsoid::new([1.0, 0.0, 0.0], [4.0, 2.0, 1.0]);
    assert!(egg.overlaps(&Sphere::new([8.0, 0.0, 0.0], 3.0)));
}

/// If squares underflow, the radius grew from each float to the next, which would have taken centuries.
#[test]
fn points_whose_squares_vanish_have_a_ball() {
    let points = [
        [9.76e-161, 4.04e-161, -6.43e-162],
        [-9.2e-161, -9.41e-161, 5.7e-162],
        [4.91e-161, 7.31e-162, 6.06e-161],
        [-6.4e-162, 9.4e-161, 8.67e-161],
        [4.25e-161, 1.53e-163, -7.9e-161],
    ];
    let ball = Sphere::enclosing(&points).unwrap();
    assert!(points.iter().all(|p| ball.contains(p)));
    assert!(ball.radius() < 2e-160, "{ball:?}");
}

/// Returns a reverse-z camera that sees from `near` to `far`, turned by a rational rotation in sevenths.
fn camera(near: f64, far: f64) -> [[f64; 4]; 4] {
    let depth = near / (far - near);
    let columns = [[2.0, 3.0, 6.0], [3.0, -6.0, 2.0], [6.0, 2.0, -3.0]];
    let [a, b, c] = columns.map(|[x, y, z]| [x / 7.0, y / 7.0, depth * z / 7.0, -z / 7.0]);
    [a, b, c, [0.0, 0.0, depth * far, 0.0]]
}

/// The corners of the near plane are closer together than the far ones are precise, and were merged into one.
#[test]
fn a_camera_that_sees_far_keeps_its_near_corners() {
    let seen = Hexahedron::<DVec3>::from_view_projection(camera(0.125, 1e12));
    assert_eq!(seen.corners().len(), 8);
    let inside = DVec3::new(-0.0279, -0.0873, 0.1894);
    assert!(seen.contains(&inside));
    let cell = Aabb::spanning(inside, inside + DVec3::new(1.0, 1.0, -1.0));
    assert!(seen.overlaps(&cell));
    assert!(Frustum::<DVec3>::from_view_projection(camera(0.125, 1e12)).overlaps(&cell));
}

/// A needle and a slab so thin that their corners coincide became solids of two and three corners.
#[test]
fn what_is_thinner_than_rounding_is_no_solid() {
    let of = |normals: [[f64; 3]; 6], offsets: [f64; 6]| {
        let planes = [0, 1, 2, 3, 4, 5].map(|i| Plane::new(DVec3::from(normals[i]), offsets[i]));
        Hexahedron::try_from_planes(planes)
    };
    let (x, y, z) = ([1., 0., 0.], [0., 1., 0.], [0., 0., 1.]);
    let back = |n: [f64; 3]| n.map(|x| -x);
    let needle = |thin: f64| {
        let ends = [2., -1., 1. + thin, -1., 1. + thin, -1.];
        of([x, back(x), y, back(y), z, back(z)], ends)
    };
    let slab = |thin: f64| {
        let ends = [3., -1., -1., 1. + thin, -1., 9.];
        of([[1., 1., 0.], back(x), back(y), z, back(z), z], ends)
    };
    for thin in [1e-13, 1e-12] {
        assert!(matches!(needle(thin), Err(ShapeError::Empty { .. })));
        assert!(matches!(slab(thin), Err(ShapeError::Empty { .. })));
    }
    for thin in [1e-11, 1e-8, 1.0] {
        assert_eq!(needle(thin).unwrap().corners().len(), 8);
        assert_eq!(slab(thin).unwrap().corners().len(), 6);
    }
}

/// The distance from an edge was measured from its far end.
#[test]
fn beside_a_long_edge_distances_are_as_precise_as_beside_a_short_one() {
    let seen = Hexahedron::<DVec3>::from_view_projection(camera(0.125, 1e13));
    // The points lie twice as far to the side, and up or down, as the camera sees at their depth.
    for p in [[4, -8, 19], [-4, -20, -5], [-8, 16, 11], [-16, 4, -13]] {
        let p = DVec3::from_array(p.map(f64::from)) / 7.0;
        let off = seen.signed_distance(p) - (2.0f64 / 3.0).sqrt();
        assert!(off.abs() < 1e-14, "{off:e} at {p}");
    }
}

/// The corner of a turned cube is rounded, and the planes through the others meet a little beyond it. A point between was strictly in the solid,
/// but not in the solid.
#[test]
fn what_lies_strictly_in_a_solid_lies_in_it() {
    let solid = Hexahedron::from_corners([
        [10.0f32, 10.0, 10.0],
        [9.870397, 10.990696, 10.041534],
        [10.217037, 9.987472, 10.976083],
        [10.087435, 10.978167, 11.017617],
        [10.967522, 10.135518, 9.786606],
        [10.837918, 11.126213, 9.82814],
        [11.184559, 10.12299, 10.762689],
        [11.0549555, 11.113686, 10.804223],
    ]);
    let beyond = [10.837918, 11.126214, 9.828141];
    assert!(!solid.contains(&beyond));
    assert!(!solid.contains_strictly(&beyond));
    assert!(!Hollow(solid.clone()).overlaps(&beyond));
    assert!(solid.signed_distance(beyond) > 0.0);
    let point = Sphere::new(beyond, 0.0);
    assert!(!solid.contains(&point) && !solid.overlaps(&point));
    assert_eq!(solid.classify(&point), Side::Outside);
}

/// Determinants overflowed or vanished, so that axes and matrices that are only very long or short were refused as singular.
#[test]
fn the_length_of_axes_makes_no_matrix_singular() {
    for unit in [1e-200, 1e-110, 1.0, 1e110, 1e200] {
        let half = DVec3::splat(1.0 / unit);
        let axes = DVec3::AXES.map(|axis| axis * unit);
        let cube = Hexahedron::oriented(DVec3::ZERO, half, axes);
        assert!(cube.contains(&DVec3::splat(0.99)) && !cube.contains(&DVec3::splat(1.01)));
        let matrix = camera(1.0, 3.0).map(|column| column.map(|x| x * unit));
        let seen = Hexahedron::<DVec3>::from_view_projection(matrix);
        let ahead = DVec3::new(-6.0, -2.0, 3.0) / 7.0;
        assert!(seen.contains(&(ahead * 2.0)) && !seen.contains(&(ahead * 4.0)));
    }
}

/// A box that moves forever touched at an infinite time, nowhere, while a ball did not.
#[test]
fn a_touch_beyond_all_times_is_none() {
    let by = [1e-30f32, 0.0];
    let cell = Moving::new(Aabb::new([0.0, 0.0], [1.0, 1.0]), by).until(f32::INFINITY);
    let ball = Moving::new(Sphere::new([0.0, 0.0], 1.0), by).until(f32::INFINITY);
    for far in [[1e10, 0.5], [3e38, 0.0]] {
        assert_eq!(cell.sweep(&far), None);
        assert_eq!(cell.sweep(&Aabb::new(far, far)), None);
        assert_eq!(ball.sweep(&far), None);
    }
}

/// The difference of the largest numbers is infinite, so the touch had no direction.
#[test]
fn a_touch_has_a_direction_however_far_apart() {
    let ball = Moving::new(Sphere::new([-3e38f32, 0.0], 1e20), [1.0, 0.0]);
    // The squares are infinite, like that of the radius.
    let impact = ball.sweep(&[3e38, 0.0]).unwrap();
    assert_eq!((impact.first, impact.normal), (0.0, [-1.0, 0.0]));
    assert_eq!(impact.point, [3e38, 0.0]);
}

/// The position of a touch left the finite numbers together with the path.
#[test]
fn boxes_touch_at_a_place_of_the_target() {
    let mover = Aabb::new([0.0f32, -3e38], [1.0, 1e38]);
    let target = Aabb::new([3.0, 2.9e38], [4.0, 3.1e38]);
    let moving = Moving::new(mover, [1.0, 3e38]).until(2.0);
    let impact = moving.sweep(&target).unwrap();
    assert!(target.contains(&impact.point), "{impact:?}");
}

/// Counting the rest of an iterator never ended if the iterator had stopped in a node that lies inside the ball.
#[test]
fn what_is_left_of_a_node_inside_is_counted() {
    let points: Vec<[f32; 1]> = (0..20_000).map(|i| [i as f32]).collect();
    let tree = Orthtree::new(&points);
    let mut found = tree.query(Sphere::new([0.0], 1e6));
    assert!(found.next().is_some());
    assert_eq!(found.count(), points.len() - 1);
}

/// The cells of a tree with an edge below about 1e-295 could not be numbered: each new code separated one point from all others, and the build
/// overflowed the stack.
#[test]
fn a_tree_of_adjacent_subnormals_is_built() {
    let points: Vec<[f64; 1]> = (0..20_000).map(|i| [f64::from_bits(2 * i)]).collect();
    let tree = Orthtree::new(&points);
    tree.validate().unwrap();
    let ball = Sphere::new(points[7], 0.0);
    assert_eq!(tree.count(ball), Linear::new(&points).count(ball));
    let planes: Vec<[f64; 2]> = points.iter().map(|p| [p[0], 5e-324]).collect();
    Orthtree::new(&planes).validate().unwrap();
}

/// If more neighbors than a node holds were removed or fell asleep while the order was renewed, the next one got a slot in a node that did not
/// exist, which panicked.
#[test]
fn many_neighbours_may_go_while_the_order_is_renewed() {
    let unit = |x: u16| Aabb::new([f32::from(x)], [f32::from(x) + 1.0]);
    let mut world = Broadphase::new();
    let row = world.insert_batch((0..1000).map(|x| (unit(x), Motion::Dynamic)));
    world.update();
    world.insert(unit(1000), Motion::Dynamic);
    world.update();
    world.optimize(2000); // reads the positions of all bodies
    for &handle in &row[..300] {
        world.remove(handle);
    }
    for &handle in &row[300..600] {
        world.sleep(handle);
    }
    world.optimize(2000);
    world.validate().unwrap();
    world.update();
    world.validate().unwrap();
    assert_eq!(world.pairs().len(), 700);
}

/// Each pair of a removed body was looked up in the list of all pairs, which took the number of pairs times that of bodies; reading a world does
/// this too.
#[test]
fn a_world_of_which_half_was_removed_is_checked_in_time() {
    let unit = |x: u32| Aabb::new([f64::from(x)], [f64::from(x) + 3.0]);
    let mut world = Broadphase::new();
    let row = world.insert_batch((0..200_000).map(|x| (unit(x), Motion::Dynamic)));
    world.update();
    for &handle in row.iter().step_by(2) {
        world.remove(handle);
    }
    world.validate().unwrap();
    assert_eq!(world.pairs().len(), 599_994);
    assert_eq!(world.update().len(), 499_995);
    world.validate().unwrap();
}

/// If squared distances overflow, a limit became infinity minus infinity, which is NaN, and a limit of NaN never grew.
#[test]
fn points_infinitely_far_apart_have_their_nearest() {
    let points = [0.0, 1.41e19, 1e20, 2e20, 3e20, 3.3e20].map(|x| [x, 0.0, 0.0f32]);
    let near = Orthtree::new(&points).nearest_n_of_all(1, false);
    assert_eq!(near.items().items(), [1, 0, 0, 0, 0, 0]);
    assert_eq!(near.distances_sq(0), [1.41e19f32 * 1.41e19]);
    assert_eq!(near.distances_sq(5), [f32::INFINITY]);
}

/// A node inside a region lost its own balls, and those below it, if balls may have left the finite numbers. The fuzz target `queries` found it.
#[test]
fn a_body_that_may_leave_the_numbers_keeps_its_balls() {
    let balls: Vec<_> = (0..20)
        .map(|i| Sphere::new([1e38f32, i as f32 * 1e36, 0.0], 1e36))
        .collect();
    let tree = SphereTree::new(&balls);
    let everything = Sphere::new([0.0; 3], f32::MAX);
    let mut found: Vec<usize> = tree.lies().query(everything).collect();
    found.sort_unstable();
    assert!(found.into_iter().eq(0..20));
    assert_eq!(tree.lies().count(everything), 20);
}

/// If a position and a radius are infinitely many cells long, the ends of the cells were NaN. The fuzz target `queries` found it.
#[test]
fn tiny_cells_are_asked_by_a_ball_whose_square_is_infinite() {
    let points = [[-1e160, 3e160], [5e159, -2e160], [6e160, -5e160]];
    let far = Sphere::new([-6e160, -6e160], 1e160);
    assert!(points.iter().all(|point| far.overlaps(point)));
    for radius in [5e-324, 1e-300, 1.0, 1e160] {
        let cells = CellList::new(&points, radius);
        for instructions in InstructionSet::available() {
            let cells = cells.clone().with_instructions(instructions);
            assert_eq!(cells.query(far).count(), 3);
            assert_eq!(cells.count(far), 3);
        }
    }
}

/// Products of edges and corners were infinite, and separated a solid from a box that it meets. The fuzz target `loose` found it.
#[test]
fn the_edges_of_a_huge_solid_part_it_from_no_box_that_it_meets() {
    let planes = [
        ([1.0, 0.0, 0.0], 4e160),
        ([-1.0, 0.0, 0.0], 1e160),
        ([2.0, 0.1, 2.0], 4e160),
        ([0.0, -1.0, 0.0], 6e160),
        ([0.0, 0.0, 1.0], 5e160),
        ([0.0, 0.0, -1.0], 2e160),
    ];
    let solid = Hexahedron::from_planes(planes.map(|(normal, k)| Plane::new(normal, k)));
    let boxes = [
        ([-2e160, 5e160, -2e160], [-5e159, 6.5e160, 0.0]),
        ([-1e160, 5e160, -3e160], [-1e160, 7.5e160, -1e160]),
        ([1e160, -1e160, 1e160], [3.5e160, 1e160, 2.5e160]),
    ]
    .map(|(min, max)| Aabb::new(min, max));
    assert!(boxes.iter().all(|cell| solid.overlaps(cell)));
    assert_eq!(Orthtree::new(&boxes).count(&solid), 3);
}

/// In a cell hundreds of times as long as thick, rounding leaves points outside the cell. They lay outside the bounds by which blocks of cells
/// are pruned. The fuzz target `cells` found it.
#[test]
fn thin_skewed_cells_hold_their_points() {
    let periodic = Periodic::spanned([-0.6f32, -0.6], [[0.05, -0.05], [-0.65, 0.7]]);
    let points = [
        [-0.6, -0.6],
        [-0.6, 0.1],
        [3.7, 0.2],
        [0.3, -7.1],
        [1e3, 2e3],
    ];
    let cells = CellList::new_periodic(&points, 1e-45, periodic);
    cells.validate().expect("each point in its cell");
    for (i, &point) in points.iter().enumerate() {
        let place = Sphere::new(periodic.wrap(point), 0.0);
        assert!(cells.query(place).any(|found| found == i), "point {i}");
    }
}

/// Searches node by node returned the items of the pending leaf last, and searches by lanes returned them first. So a query by an ellipsoid,
/// which only some machines compare by lanes, had another order on others.
#[test]
fn loose_trees_have_one_order_on_all_machines() {
    let mut tree = LooseOrthtree::new();
    for i in 0..100u32 {
        tree.insert([(i * 37 % 101) as f32, (i * 53 % 97) as f32]);
    }
    let egg = Ellipsoid::new([50.0, 50.0], [30.0, 40.0]);
    let by_lanes: Vec<_> = tree.query(egg).collect();
    assert!(by_lanes.len() > 20);
    for set in InstructionSet::available() {
        tree = tree.with_instructions(set);
        assert!(tree.query(egg).eq(by_lanes.iter().copied()), "{set}");
    }
}
