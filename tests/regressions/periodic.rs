//! Bugs of periodic boxes.

use orthant::glam::{DVec2, DVec3, IVec2, IVec3, Vec2, Vec3};
use orthant::{
    Aabb, CellLevels, CellList, Ellipsoid, Error, Hollow, Linear, Manhattan, NormBall, Octree,
    Orthtree, Overlaps, Periodic, Reach, Region, Scalar, Sphere, Translate, Vector,
};

/// The points .1 and .9 of a ring of length 1 are .2 apart. By rounding, only one of them was in the list of the other.
#[test]
fn two_points_of_a_ring_are_each_in_the_list_of_the_other() {
    let ring = Periodic::new(Aabb::new([0.0], [1.0]));
    let points = [[0.1], [0.9]];
    let radius = 0.2;
    // As floats, .1 - .9 + 1 is exactly less than .2, and rounds to .19999999999999996.
    let apart = ring.displacement(points[1], points[0]);
    assert_eq!(apart, [(0.1 - 0.9) + 1.0]);
    assert_eq!(ring.displacement(points[0], points[1]), [-apart[0]]);

    let tree = Orthtree::new(&points);
    let scan = Linear::new(&points);
    for point in points {
        let ball = Sphere::new(point, radius);
        assert_eq!(ring.count(&tree, ball), Ok(2));
        assert_eq!(ring.count(&scan, ball), Ok(2));
    }
    let cells = CellList::new_periodic(&points, radius, ring);
    assert_eq!(cells.count_pairs(), 1);
    let lists = cells.neighbors_of(&points).unwrap();
    assert_eq!((lists[0].len(), lists[1].len()), (2, 2));
    let levels = CellLevels::new_periodic(&points, &[radius, radius], Reach::Larger, ring);
    assert_eq!(levels.count_pairs(), 1);
    assert_eq!(ring.components(&tree, radius).unwrap().len(), 1);
}

/// Counts up to one radius depended on the other radii of the call.
#[test]
fn a_count_does_not_depend_on_other_radii() {
    let ring = Periodic::new(Aabb::new([0.0], [1.0]));
    let cells = CellList::new_periodic(&[[0.1], [0.9]], 1.0, ring);
    assert_eq!(cells.pair_counts(&[0.2]).unwrap()[0], 1);
    assert_eq!(cells.pair_counts(&[0.2, 1.0]).unwrap()[0], 1);
}

/// The nearest image of a point was measured from a moved center, and its distance disagreed with the query.
#[test]
fn the_nearest_image_lies_in_the_ball_that_reaches_it() {
    let cube = Periodic::new(Aabb::new(Vec3::ZERO, Vec3::ONE));
    let points: Vec<Vec3> = (0..50)
        .map(|i| {
            Vec3::new(
                i as f32 * 0.377 % 1.0,
                i as f32 * 0.191 % 1.0,
                i as f32 * 0.733 % 1.0,
            )
        })
        .collect();
    let tree = Octree::new(&points);
    for &point in &points {
        let near = cube.nearest_n(&tree, point, 20).unwrap();
        for near in near {
            let (item, image) = near.item;
            let back = IVec3::ZERO - image;
            let mine = cube.nearest_n(&tree, points[item], 1000).unwrap();
            let me = points.iter().position(|&p| p == point).unwrap();
            let seen = mine.iter().find(|near| near.item == (me, back)).unwrap();
            assert_eq!(seen.distance_sq, near.distance_sq);
        }
    }
    assert_eq!(tree.len(), 50);
}

/// The displacements over half a box were equal both ways, not opposite.
#[test]
fn the_way_back_over_half_a_box_is_the_opposite() {
    let square = Periodic::new(Aabb::new(DVec2::ZERO, DVec2::splat(10.0)));
    let leaning = Periodic::spanned(DVec2::ZERO, [DVec2::new(10.0, 0.0), DVec2::new(5.0, 10.0)]);
    for cell in [square, leaning] {
        let (a, b) = (DVec2::new(1.0, 2.0), DVec2::new(6.0, 7.0));
        assert_eq!(cell.displacement(a, b), -cell.displacement(b, a));
    }
}

/// Along an open vector, more cells of a tiny radius fit than there are indices, and the last cell held a point that lay far behind it.
#[test]
fn a_point_far_along_an_open_vector_lies_in_its_cell() {
    let vectors = [[0.05, 0.0], [0.0, 0.05]];
    let wire = Periodic::spanned_along([-0.6, -0.6], vectors, [false, true]);
    let points = [[-0.5, -0.6], [-0.6, -0.6]];
    let cells = CellList::new_periodic(&points, f64::from_bits(1), wire);
    assert_eq!(cells.validate(), Ok(()));
    assert_eq!(cells.count_pairs(), 0);
    for point in points {
        assert_eq!(cells.count(Sphere::new(point, 0.0)), 1);
    }
}

/// Counts the images of the points within a radius of the points, themselves included, over all images that may be near.
fn near_in_all_images<V: Vector>(points: &[V], radius: V::Scalar, cell: &Periodic<V>) -> usize {
    let (vectors, heights) = (cell.vectors(), cell.lengths());
    let mut images = vec![[0; 4]];
    for axis in (0..V::DIM).filter(|&a| heights.axis(a) > V::Scalar::ZERO) {
        let length = |v: &V| (0..V::DIM).map(|a| v.axis(a).into().abs()).sum::<f64>();
        let sizes: f64 = points.iter().chain(vectors.as_ref()).map(length).sum();
        let reach = radius.into() + sizes * V::Scalar::EPSILON.into();
        let most = (reach / heights.axis(axis).into()).ceil() as i32 + 2;
        let each = |image: [i32; 4]| {
            (-most..=most)
                .map(move |k| std::array::from_fn(|a| if a == axis { k } else { image[a] }))
        };
        images = images.into_iter().flat_map(each).collect();
    }
    let offsets: Vec<V> = images
        .into_iter()
        .map(|image: [i32; 4]| cell.offset(orthant::Voxel::from_fn(|a| image[a])))
        .collect();
    let mut near = 0;
    for (&p, &q) in points
        .iter()
        .flat_map(|p| points.iter().map(move |q| (p, q)))
    {
        for offset in &offsets {
            let apart = |a: usize| (q.axis(a) - p.axis(a)) + offset.axis(a);
            let squares = (0..V::DIM).map(|a| apart(a) * apart(a));
            let distance_sq = squares.reduce(|sum, square| sum + square).expect("an axis");
            near += usize::from(distance_sq <= radius * radius);
        }
    }
    near
}

/// Checks points far along the open vectors of a cell, which are rounded by more than a cell's length.
fn check_far_points<V: Vector>(edges: &[[f64; 3]], along: &[bool]) {
    let vector = |v: [f64; 3]| V::from_fn(|a| V::Scalar::from_f64(v[a]));
    let mut vectors = V::axes(vector([0.0; 3]));
    let mut periodic = V::axes(true);
    for axis in 0..V::DIM {
        vectors.as_mut()[axis] = vector(edges[axis]);
        periodic.as_mut()[axis] = along[axis];
    }
    let mut made = 0;
    for origin in [[0.0; 3], [0.3, -77.7, 1000.1]] {
        let cell = Periodic::spanned_along(vector(origin), vectors, periodic);
        let far = [0.0, 1.0, 1e3, 3e5, 1e7, 2e9, 1e12, 1e14];
        for far in far
            .into_iter()
            .filter(|far| far * V::Scalar::EPSILON.into() < 0.05)
        {
            let points: Vec<V> = (0..14)
                .map(|i| {
                    let i = f64::from(i);
                    let place = [0.13 * i, 0.57 * i % 1.7, 0.31 * i % 0.7];
                    let way = [0.7 * far, -0.4 * far, 0.2 * far];
                    let times = (i / 3.0).floor() - 2.0;
                    vector(std::array::from_fn(|a| {
                        origin[a] + place[a] + times * way[a]
                    }))
                })
                .map(|point| cell.wrap(point))
                .collect();
            for radius in [1e-30, 1e-9, 1e-3, 0.11, 0.6].map(V::Scalar::from_f64) {
                let Ok(cells) = CellList::try_new_periodic(&points, radius, cell) else {
                    continue;
                };
                made += 1;
                let what = format!("{radius} {cell:?} {points:?}");
                assert_eq!(cells.validate(), Ok(()), "{what}");
                let scan = Linear::new(&points);
                for &point in &points {
                    let ball = Sphere::new(point, radius);
                    assert_eq!(cells.count(ball), scan.count(ball), "{what}");
                }
                let near = near_in_all_images(&points, radius, &cell);
                let pairs = cells.count_pairs() as usize;
                assert_eq!(2 * pairs + points.len(), near, "{what}");
            }
        }
    }
    assert!(made >= 20, "{made}");
}

#[test]
fn points_far_along_open_vectors_of_leaning_cells() {
    let plane = [[1.0, 0.7, 0.0], [0.9, 0.65, 0.0]];
    check_far_points::<Vec2>(&plane, &[true, false]);
    check_far_points::<DVec2>(&plane, &[false, true]);
    let space = [[1.0, 0.2, 0.1], [7.0, 1.1, 0.3], [0.1, -3.0, 0.9]];
    for along in [
        [true, true, false],
        [false, true, true],
        [true, false, false],
    ] {
        check_far_points::<Vec3>(&space, &along);
        check_far_points::<DVec3>(&space, &along);
    }
    let flat = [[1.0, 0.0, 0.0], [1e4, 1.0, 0.0], [0.0, 0.0, 1.0]];
    check_far_points::<DVec3>(&flat, &[true, true, false]);
}

/// In cells whose vectors lean over each other, millions of images were compared for each point, and then the answer was refused.
#[test]
fn the_nearest_in_a_cell_that_leans_very_much() {
    const LEAN: f64 = 20.0;
    let leaning = [
        DVec3::X,
        DVec3::new(LEAN, 1.0, 0.0),
        DVec3::new(LEAN, LEAN, 1.0),
    ];
    // This cube spans the same lattice.
    let cube = Periodic::new(Aabb::new(DVec3::ZERO, DVec3::ONE));
    let [a, b, c] = leaning;
    for vectors in [[a, b, c], [c, a, b], [b, c, a]] {
        let cell = Periodic::spanned(DVec3::ZERO, vectors);
        let points: Vec<DVec3> = (0..8)
            .map(|i| DVec3::new(f64::from(i * 3 % 8), f64::from(i * 5 % 7), f64::from(i)) / 8.0)
            .collect();
        let wrapped: Vec<DVec3> = points.iter().map(|&point| cell.wrap(point)).collect();
        let (tree, scan) = (orthant::DOctree::new(&wrapped), Linear::new(&points));
        for &point in &points {
            let distances = |near: Vec<orthant::Nearest<(usize, IVec3), f64>>| -> Vec<f64> {
                near.iter().map(|near| near.distance_sq).collect()
            };
            let near = cell.nearest_n(&tree, cell.wrap(point), 9).unwrap();
            for near in &near {
                let (item, image) = near.item;
                let there = (wrapped[item] - cell.wrap(point)) + cell.offset(image);
                assert_eq!(there.length_squared(), near.distance_sq);
            }
            let expected = cube.nearest_n(&scan, point, 9).unwrap();
            assert_eq!(distances(near), distances(expected));
            let ball = Sphere::new(cell.wrap(point), 0.007);
            assert_eq!(cell.count(&tree, ball), Ok(1));
        }
    }
}

/// In a cell whose vectors lean over each other, all cells of a list were searched if the radius was longer than a height of the cell.
#[test]
fn pairs_in_a_cell_that_leans_very_much() {
    const LEAN: f64 = 6.0;
    let leaning = [
        DVec3::X,
        DVec3::new(LEAN, 1.0, 0.0),
        DVec3::new(LEAN, LEAN, 1.0),
    ];
    let [a, b, c] = leaning;
    // This is the lattice of a cube, so distances are equal to the bit.
    let cube = Periodic::new(Aabb::new(DVec3::ZERO, DVec3::ONE));
    let points: Vec<DVec3> = (0..5)
        .map(|i| DVec3::new(f64::from(i * 3 % 8), f64::from(i * 5 % 7), f64::from(i)) / 8.0)
        .collect();
    for vectors in [[a, b, c], [c, a, b], [b, c, a]] {
        let cell = Periodic::spanned(DVec3::ZERO, vectors);
        for radius in [0.2, 1.0, 2.5] {
            let cells = CellList::new_periodic(&points, radius, cell);
            let expected = CellList::new_periodic(&points, radius, cube);
            assert_eq!(cells.count_pairs(), expected.count_pairs(), "{radius}");
            let (lists, expected) = (cells.neighbors(), expected.neighbors());
            let lens: Vec<usize> = lists.iter().map(|list| list.len()).collect();
            assert!(expected.iter().map(|list| list.len()).eq(lens), "{radius}");
        }
    }
}

/// Four shifts, each rounded, were not enough for points far from a cell that is a hundred thousand times as long as thick.
#[test]
fn points_are_wrapped_into_a_cell_that_is_very_thin() {
    let cell = Periodic::spanned([0.0f32; 2], [[1.0, 0.0], [1e5, 0.2]]);
    for i in 0..2000_u16 {
        let at = |times: u32, by: u32| (u32::from(i) * times % by) as f32 / by as f32 - 0.5;
        let wrapped = cell.wrap([at(37, 1001) * 1e6, at(53, 997) * 3e4]);
        let [x, y] = wrapped.map(f64::from);
        let second = y / f64::from(0.2f32);
        // Coordinates of 100 000 are rounded to a hundredth.
        for times in [x - second * 1e5, second] {
            assert!((-0.1..1.1).contains(&times), "{i}: {wrapped:?}");
        }
    }
}

/// Points lay far apart along an open vector that leans. The box around them reached as many images as it is long, and each of these was
/// searched.
#[test]
fn points_far_along_an_open_vector_that_leans() {
    let along = [DVec2::new(1.0, 1.0), DVec2::ZERO];
    let wire = Periodic::spanned_along(DVec2::ZERO, along, [true, false]);
    let points: Vec<DVec2> = (0..40)
        .map(|i| DVec2::new(-1.0, 1.0) * f64::from(i) * 1e7 + DVec2::splat(0.25))
        .collect();
    let (tree, scan) = (orthant::DQuadtree::new(&points), Linear::new(&points));
    for (i, &point) in points.iter().enumerate() {
        let ball = Sphere::new(point, 1.5);
        let found: Vec<_> = wire.query(&tree, ball).unwrap().collect();
        let images: Vec<_> = found.iter().map(|&(item, k)| (item, k.x)).collect();
        assert_eq!(images, [(i, -1), (i, 0), (i, 1)]);
        assert_eq!(wire.count(&tree, ball), Ok(3));
        assert!(wire.query(&scan, ball).unwrap().eq(found));
    }
}

/// In leaning cells, a displacement was not the shortest if it was nearly a sum of vectors, or if multiples of the vectors were rounded.
#[test]
fn displacements_in_leaning_cells_are_the_shortest() {
    let cases = [
        ([[1.0, 6.0], [4004.0, 23999.0]], [-9.0, 11.0], [-1.0, 9.0]),
        ([[-27002.0, 3010.0], [9.0, -1.0]], [3.0, -12.0], [-1.0, 8.0]),
        ([[-2.0, 4.0], [-2000.0, 4013.0]], [7.0, -10.0], [5.0, 7.0]),
    ];
    for (vectors, from, to) in cases {
        let cell = Periodic::spanned([0.0_f64; 2], vectors);
        assert_eq!(cell.displacement(from, to), [0.0, 0.0]);
        assert_eq!(cell.displacement(to, from), [0.0, 0.0]);
    }
    let singles = [
        ([[-2999.5, 32999.1], [-0.1, 1.1]], [-1.2, 0.0], [0.1, -0.5]),
        (
            [[98.1, 383.4], [30.7, 119.8]],
            [1.2, 0.2],
            [-9999.6, 10000.4],
        ),
    ];
    for (vectors, from, to) in singles {
        let cell = Periodic::spanned([0.0_f32; 2], vectors);
        let way = cell.displacement(from, to);
        let nearest = cell.nearest(&Linear::new(&[to]), from).unwrap().unwrap();
        let way_sq = way[0] * way[0] + way[1] * way[1];
        assert!(way_sq <= nearest.distance_sq, "{way:?} {nearest:?}");
    }
}

/// The images of a region that is moved for items with radii were listed as if the move were not rounded.
#[test]
fn moved_regions_far_from_the_origin_lose_no_image() {
    fn check<R>(length: f32, item: Sphere<Vec2>, region: R)
    where
        R: Translate + Region<Vector = Vec2> + Overlaps<Sphere<Vec2>>,
    {
        let bounds = Aabb::new(Vec2::ZERO, Vec2::splat(length));
        let ring = Periodic::on_axes(bounds, [true, false]);
        let meets = |k: &i32| {
            let image = ring.in_image::<Sphere<Vec2>, _>(&region, IVec2::new(*k, 0));
            image.is_some_and(|image| image.overlaps(&item))
        };
        let wanted: Vec<_> = (-30..30)
            .filter(meets)
            .map(|k| (0, IVec2::new(k, 0)))
            .collect();
        let found: Vec<_> = ring.query(&Linear::new(&[item]), region).unwrap().collect();
        assert_eq!(found, wanted);
        assert!(!wanted.is_empty());
    }
    let item = Sphere::new(Vec2::new(6000006.0, 0.0), 0.5);
    check(
        1.4,
        item,
        Ellipsoid::new(Vec2::new(6000003.0, 0.0), Vec2::ONE),
    );
    let item = Sphere::new(Vec2::new(4000009.0, 0.0), 0.75);
    check(
        0.6,
        item,
        NormBall::new(Vec2::new(4000007.3, 0.0), 1.0, Manhattan),
    );
}

/// Where distances are rounded by the size of offsets, images were skipped, or the search ended too early.
#[test]
fn the_nearest_images_far_from_the_origin_are_found() {
    let cell = Periodic::spanned([-0.1_f32], [[0.5]]);
    let scan = Linear::new(&[Sphere::new([0.6_f32], 0.5)]);
    let near = cell.nearest_n_within(&scan, [-99999.9], 1, 0.0).unwrap();
    assert_eq!(near[0].item, (0, [-200002]));

    let point = |x: f32| Hollow(Aabb::new(Vec2::new(x, 0.0), Vec2::new(x, 0.0)));
    let bounds = Aabb::new(Vec2::ZERO, Vec2::splat(0.7));
    let ring = Periodic::on_axes(bounds, [true, false]);
    let scan = Linear::new(&[point(8000002.5)]);
    let near = ring.nearest(&scan, Vec2::new(8000008.5, 0.0)).unwrap();
    assert_eq!(near.unwrap().item, (0, IVec2::new(8, 0)));
}

/// A difference that overflows was taken for image 0.
#[test]
fn differences_that_overflow_have_no_image() {
    let leaning = Periodic::spanned([0.0_f32; 2], [[1.0, 0.0], [1.0, 1.0]]);
    let way = leaning.displacement([-3e38; 2], [3e38; 2]);
    assert!(way.iter().all(|x| x.abs() <= 1.0), "{way:?}");
    let leaning = Periodic::spanned([0.0_f64; 2], [[1.0, 0.0], [1.0, 1.0]]);
    assert_eq!(leaning.image_near([-1e308; 2], [1e308; 2]), None);
}

/// Lengths whose squares or inverses leave the finite numbers lost images silently.
#[test]
fn images_beyond_the_numbers_are_refused() {
    let wide = Periodic::new(Aabb::new([0.0_f32], [1e19]));
    let all = wide.count(&Linear::new(&[[0.0]]), Sphere::new([0.0], 1e20));
    assert!(matches!(all, Err(Error::TooManyImages { .. })), "{all:?}");
    assert!(Periodic::try_new(Aabb::new([0.0], [1e-310])).is_err());
    let huge = Periodic::spanned([0.0; 2], [[1e200, 0.0], [1e200, 1e200]]);
    assert!(huge.lengths().iter().all(|x| x.is_finite() && *x > 0.0));
}

/// If two items were far apart, a query went through all images between them.
#[test]
fn two_items_far_apart_are_asked_one_by_one() {
    let cube = Periodic::new(Aabb::new(Vec3::ZERO, Vec3::ONE));
    let points = [Vec3::ZERO, Vec3::splat(2000.25)];
    let scan = Linear::new(&points);
    let apart = cube.count(&scan, Sphere::new(Vec3::ZERO, 3.0)).unwrap();
    let one_by_one = points.map(|point| {
        cube.count(&Linear::new(&[point]), Sphere::new(Vec3::ZERO, 3.0))
            .unwrap()
    });
    assert_eq!(apart, one_by_one[0] + one_by_one[1]);
}

/// A box was moved into each image to find its hint. Where a moved corner overflowed, the image was lost, although the differences to items
/// are finite.
#[test]
fn images_whose_moved_box_overflows_are_found() {
    let periodic = Periodic::new(Aabb::new(Vec2::ZERO, Vec2::splat(1e38)));
    let points = [Vec2::splat(0.5e38)];
    let region = Aabb::new(Vec2::splat(-2.3e38), Vec2::splat(2.3e38));
    // The images -2 to 1 on each axis.
    assert_eq!(periodic.count(&Linear::new(&points), region), Ok(16));
    assert_eq!(periodic.count(&Orthtree::new(&points), region), Ok(16));
}

/// In a long, thin box the nearest images lie in a block of many images, of which too few were tried.
#[test]
fn the_nearest_images_in_a_long_thin_box() {
    let thin = Periodic::new(Aabb::new(Vec2::ZERO, Vec2::new(1.0, 1000.0)));
    let scan = Linear::new(&[Vec2::splat(0.5)]);
    let near = thin.nearest_n(&scan, Vec2::splat(0.5), 55).unwrap();
    assert_eq!(near.len(), 55);
    assert!(near.iter().all(|near| near.item.1.y == 0));
    assert_eq!(near[54].distance_sq, 27.0 * 27.0);
    // Many images of one item are sorted only now and then.
    let cube = Periodic::new(Aabb::new(Vec3::ZERO, Vec3::ONE));
    let scan = Linear::new(&[Vec3::splat(0.5)]);
    let near = cube.nearest_n(&scan, Vec3::splat(0.5), 30_000).unwrap();
    assert_eq!(near.len(), 30_000);
    assert!(near.is_sorted_by(|a, b| a.distance_sq <= b.distance_sq));
}
