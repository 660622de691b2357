//! Periodic boxes: the answer does not depend on who asks.

use orthant::glam::{DVec2, IVec3, Vec3};
use orthant::{Aabb, CellLevels, CellList, Linear, Octree, Orthtree, Periodic, Reach, Sphere};

/// The points .1 and .9 of a ring of length 1 are .2 apart, and rounding made a list of one of the two.
#[test]
fn two_points_of_a_ring_are_each_in_the_list_of_the_other() {
    let ring = Periodic::new(Aabb::new([0.0], [1.0]));
    let points = [[0.1], [0.9]];
    let radius = 0.2;
    // Exactly, .1 - .9 + 1 is less than .2 as floats are; rounded it is .19999999999999996.
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

/// Counts up to one radius depended on the other radii that were asked with it.
#[test]
fn a_count_does_not_depend_on_other_radii() {
    let ring = Periodic::new(Aabb::new([0.0], [1.0]));
    let cells = CellList::new_periodic(&[[0.1], [0.9]], 1.0, ring);
    assert_eq!(cells.pair_counts(&[0.2]).unwrap()[0], 1);
    assert_eq!(cells.pair_counts(&[0.2, 1.0]).unwrap()[0], 1);
}

/// The nearest image of a point was measured from a moved center, whose distance disagreed with the query.
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

/// A displacement of half a box came out the same both ways.
#[test]
fn the_way_back_over_half_a_box_is_the_opposite() {
    let square = Periodic::new(Aabb::new(DVec2::ZERO, DVec2::splat(10.0)));
    let leaning = Periodic::spanned(DVec2::ZERO, [DVec2::new(10.0, 0.0), DVec2::new(5.0, 10.0)]);
    for cell in [square, leaning] {
        let (a, b) = (DVec2::new(1.0, 2.0), DVec2::new(6.0, 7.0));
        assert_eq!(cell.displacement(a, b), -cell.displacement(b, a));
    }
}
