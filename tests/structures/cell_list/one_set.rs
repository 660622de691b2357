//! The pairs of one set.

use orthant::glam::{DVec2, DVec3, Vec2, Vec3, Vec4};
use orthant::{Aabb, CellList, Error, NeighborLists, Periodic, Scalar, Vector};

use super::inputs::{lattice, point, scenes, uniform};
use super::truth::{self, bins, keys, pairs_of_scan, sets};

/// Compares all answers of a list, with all instruction sets.
fn check<V: Vector>(name: &str, points: &[V], radius: V::Scalar, periodic: Option<Periodic<V>>) {
    let expected = truth::pairs(points, radius, periodic.as_ref());
    let near = truth::lists(points.len(), &expected);
    let what = format!("{name}, radius {radius}, {periodic:?}");
    if let Some(periodic) = &periodic {
        assert_eq!(
            pairs_of_scan(points, radius, periodic),
            expected.len(),
            "{what}"
        );
    }
    let part = |times: f64| radius * V::Scalar::from_f64(times);
    let ends = [part(0.0), part(0.25), part(0.5), part(0.75), radius];
    // With a radius near zero, the ends of the bins would not increase.
    let ends = if part(0.25) > part(0.0) && part(0.5) > part(0.25) {
        &ends[..]
    } else {
        &ends[4..]
    };
    let mut cells = match periodic {
        Some(periodic) => CellList::new_periodic(points, radius, periodic),
        None => CellList::new(points, radius),
    };
    cells
        .validate()
        .unwrap_or_else(|error| panic!("{what}: {error}"));
    assert!(cells.bytes() <= 400 * points.len() + 1_000_000, "{what}");
    let mut seen: Option<(NeighborLists, Vec<[u32; 2]>)> = None;
    for set in sets() {
        cells = cells.with_instructions(set);
        let (mut lists, mut listed, mut each) = (NeighborLists::new(), Vec::new(), Vec::new());
        cells.neighbors_into(&mut lists).unwrap();
        assert_eq!(lists.len(), points.len());
        for (list, near) in lists.iter().zip(&near) {
            let mut list = list.to_vec();
            list.sort_unstable();
            assert_eq!(&list, near, "{what} {set}");
        }
        cells.pairs(&mut listed).unwrap();
        cells.for_each_pair(|i, j, v, distance_sq| {
            assert_eq!(distance_sq, truth::length_sq(v));
            assert_eq!(listed[each.len()], [i as u32, j as u32], "{what} {set}");
            each.push((i, j, v));
        });
        assert_eq!(listed.len(), expected.len(), "{what} {set}");
        assert_eq!(keys(&each), keys(&expected), "{what} {set}");
        assert_eq!(cells.count_pairs(), expected.len() as u64, "{what} {set}");
        assert_eq!(
            cells.pair_counts(ends),
            Ok(bins(&expected, ends)),
            "{what} {set}"
        );
        let (lists, listed) = (lists, listed);
        let first = seen.get_or_insert_with(|| (lists.clone(), listed.clone()));
        assert!(
            first == &(lists, listed),
            "{what}: another order with {set}"
        );
    }
}

fn check_scenes<V: Vector>() {
    for (name, points, radii) in scenes::<V>() {
        for radius in radii {
            let radius = V::Scalar::from_f64(radius);
            if radius > V::Scalar::ZERO {
                check(name, &points, radius, None);
            }
        }
    }
}

#[test]
fn scenes_in_the_plane() {
    check_scenes::<Vec2>();
    check_scenes::<DVec2>();
}

#[test]
fn scenes_in_space() {
    check_scenes::<Vec3>();
    check_scenes::<DVec3>();
}

#[test]
fn scenes_on_a_line_and_in_four_dimensions() {
    check_scenes::<[f32; 1]>();
    check_scenes::<Vec4>();
}

/// Checks boxes periodic on some axes, with lattices that tie and radii beyond half of the box and beyond the whole box.
fn check_boxes<V: Vector>(axes: &[V::Axes<bool>]) {
    let corners = |from: f64, length: f64| {
        Aabb::new(
            point::<V>(|_| from),
            point(|a| from + length * (1.0 + 0.25 * a as f64)),
        )
    };
    for &on in axes {
        for (from, length, step, parts) in [
            (0.0, 4.0, 1.0, &[0.1, 0.5, 1.7][..]),
            (-0.3, 0.7, 0.1, &[0.25, 0.45]),
            (1e5, 9.0, 0.3, &[0.3, 1.0]),
        ] {
            let periodic = Periodic::on_axes(corners(from, length), on);
            for points in [
                lattice::<V>(16, 20, from - length, step),
                uniform(18, from - 0.1 * length, length * 1.4),
            ] {
                for parts in parts {
                    let radius = V::Scalar::from_f64(length * parts);
                    check("box", &points, radius, Some(periodic));
                }
            }
        }
        let wide = Periodic::on_axes(corners(0.0, 1e6), on);
        let mut points: Vec<V> = lattice(30, 4, 0.0, 1.0);
        points.extend(lattice::<V>(30, 4, -4.0, 1.0));
        check("sparse box", &points, V::Scalar::from_f64(1.5), Some(wide));
    }
}

#[test]
fn boxes_in_the_plane() {
    check_boxes::<Vec2>(&[[true; 2], [false, true]]);
    check_boxes::<DVec2>(&[[true; 2], [true, false]]);
}

#[test]
fn boxes_in_space() {
    check_boxes::<Vec3>(&[[true; 3], [false, true, false]]);
    check_boxes::<DVec3>(&[[true, true, false]]);
}

#[test]
fn boxes_on_a_line() {
    check_boxes::<[f32; 1]>(&[[true]]);
}

/// Checks skewed cells, with points of their own lattices.
fn check_cells<V: Vector>(shapes: &[V::Axes<V>], along: V::Axes<bool>) {
    for &vectors in shapes {
        for from in [0.0, 1e4] {
            let cell = Periodic::spanned_along(point::<V>(|_| from), vectors, along);
            let length: f64 = cell.lengths().axis(0).into();
            for points in [
                lattice::<V>(16, 12, from - 5.0, 1.0),
                uniform(20, from - 2.0, 9.0),
            ] {
                for parts in [0.12, 0.4, 1.1] {
                    let radius = V::Scalar::from_f64(length * parts);
                    check("cell", &points, radius, Some(cell));
                }
            }
        }
    }
}

#[test]
fn skewed_cells_in_the_plane() {
    let shapes = [
        [Vec2::new(4.0, 0.0), Vec2::new(2.0, 4.0)],
        [Vec2::new(0.5, -6.0), Vec2::new(5.0, 3.0)],
    ];
    check_cells::<Vec2>(&shapes, [true; 2]);
    check_cells::<Vec2>(&shapes, [true, false]);
}

#[test]
fn skewed_cells_in_space() {
    let shapes = [
        [
            Vec3::new(6.0, 0.0, 0.0),
            Vec3::new(3.0, 5.0, 0.0),
            Vec3::new(-1.0, 2.0, 4.0),
        ],
        [Vec3::X * 5.0, Vec3::Y * 6.0, Vec3::Z * 7.0],
    ];
    check_cells::<Vec3>(&shapes, [true; 3]);
    check_cells::<Vec3>(&shapes, [true, false, true]);
    let shapes = [[
        DVec3::new(0.0, 6.0, 1.0),
        DVec3::new(5.0, 4.5, 0.0),
        DVec3::new(-1.0, 2.0, -4.0),
    ]];
    check_cells::<DVec3>(&shapes, [true; 3]);
    check_cells::<DVec3>(&shapes, [true, false, false]);
    check_cells::<DVec3>(&shapes, [true, true, false]);
}

/// A rectangular cell answers as a box.
#[test]
fn a_cell_at_right_angles_is_a_box() {
    let points = uniform::<Vec3>(60, -3.0, 15.0);
    let vectors = [Vec3::X * 5.0, Vec3::Y * 6.0, Vec3::Z * 7.0];
    let cell = Periodic::spanned(Vec3::ZERO, vectors);
    let periodic = Periodic::new(Aabb::new(Vec3::ZERO, Vec3::new(5.0, 6.0, 7.0)));
    assert_eq!(cell.vectors(), periodic.vectors());
    for radius in [0.7, 2.0, 3.4] {
        let of = |periodic| CellList::new_periodic(&points, radius, periodic).count_pairs();
        assert_eq!(of(cell), of(periodic));
    }
}

/// The lists of sorted points are in the order of the points, and a list that is reused answers as a new one.
#[test]
fn sorted_and_used_again() {
    let mut points = uniform::<Vec3>(3000, 0.0, 1.0);
    let mut cells = CellList::new(&points, 0.1);
    let (mut before, mut after, mut made) = (
        NeighborLists::new(),
        NeighborLists::new(),
        NeighborLists::new(),
    );
    cells.neighbors_into(&mut before).unwrap();
    let order = cells.reorder();
    cells.neighbors_into(&mut after).unwrap();
    for (list, &old) in after.iter().zip(&order) {
        let list: Vec<usize> = list.iter().map(|i| order[i]).collect();
        assert!(before.list(old).iter().eq(list.iter().copied()));
        assert!(!list.is_empty());
    }
    points = order.iter().map(|&i| points[i]).collect();
    for (many, moved) in [(3000, 0.01), (2500, 0.0), (0, 0.0), (1000, 0.2)] {
        points.truncate(many);
        points.iter_mut().for_each(|p| p.x += moved * p.y);
        cells.rebuild(&points).unwrap();
        cells.validate().unwrap();
        cells.neighbors_into(&mut after).unwrap();
        CellList::new(&points, 0.1)
            .neighbors_into(&mut made)
            .unwrap();
        assert_eq!(after, made);
    }
}

/// The number of threads cannot be seen.
#[test]
fn threads_do_not_matter() {
    let points = uniform::<Vec3>(40_000, 0.0, 1.0);
    let periodic = Periodic::new(Aabb::new(Vec3::ZERO, Vec3::ONE));
    for cells in [
        CellList::new(&points, 0.02),
        CellList::new_periodic(&points, 0.02, periodic),
    ] {
        let answers = |threads| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| {
                let mut cells = CellList::clone(&cells);
                cells.rebuild(&points).unwrap();
                cells.validate().unwrap();
                let (mut lists, mut of, mut pairs) =
                    (NeighborLists::new(), NeighborLists::new(), Vec::new());
                cells.neighbors_into(&mut lists).unwrap();
                cells.pairs(&mut pairs).unwrap();
                cells.neighbors_of_into(&points[..20_000], &mut of).unwrap();
                let counts = cells.pair_counts(&[0.01, 0.015, 0.02]).unwrap();
                (lists, pairs, of, cells.count_pairs(), counts)
            })
        };
        let one = answers(1);
        // Without the feature one thread does everything.
        assert!(cfg!(not(feature = "rayon")) || answers(2) == one && answers(3) == one);
        assert_eq!(one.1.len() as u64, one.3);
        assert_eq!(one.0.total(), 2 * one.1.len() + points.len());
        assert_eq!(one.4.iter().sum::<u64>(), one.3);
    }
}

#[test]
fn negative_zeros() {
    let points: Vec<Vec3> = (0..27)
        .map(|i: u32| point(|a| [-0.0, 0.0, 1.0][(i / 3u32.pow(a as u32) % 3) as usize]))
        .collect();
    check("zeros", &points, 1.0, None);
    let cell = Periodic::spanned(Vec3::ZERO, [Vec3::X * 4.0, Vec3::Y * 4.0, Vec3::Z * 4.0]);
    check("zeros in a cell", &points, 2.0, Some(cell));
}

/// Rounding on an axis that is not periodic reaches no images on another axis.
#[test]
fn far_off_where_the_box_is_open() {
    let mut points: Vec<Vec3> = uniform(20, 0.0, 1.0);
    points.extend([Vec3::new(0.5, 1e30, 0.5), Vec3::new(0.5, 0.5, -1e12)]);
    let periodic = Periodic::on_axes(Aabb::new(Vec3::ZERO, Vec3::ONE), [true, false, false]);
    check("far off", &points, 0.3, Some(periodic));
}

#[test]
fn far_off_a_skewed_cell() {
    let cell = Periodic::spanned(DVec2::ONE, [DVec2::new(3.0, 1.0), DVec2::new(-1.0, 4.0)]);
    let mut points: Vec<DVec2> = uniform(9, -3.0, 9.0);
    let far = [1e9, -1e10, 1e30, -f64::MAX];
    points.extend(far.map(|far| DVec2::new(far, far)));
    points.extend(far.map(|far| DVec2::new(far, -far)));
    points.push(DVec2::new(1e12, 2.0));
    let [one, other] = cell.vectors();
    for &point in &points {
        let from = cell.wrap(point) - DVec2::ONE;
        let times = [from.perp_dot(other), one.perp_dot(from)].map(|x| x / one.perp_dot(other));
        assert!(
            times.iter().all(|x| (-1e-9..=1.0 + 1e-9).contains(x)),
            "{point}"
        );
    }
    check("far off", &points, 1.5, Some(cell));
    // Along an open vector, points so far off that rounding reaches a hundred images are refused.
    let wire = Periodic::spanned_along(DVec2::ONE, [one, other], [false, true]);
    let mut near = points[..9].to_vec();
    near.push(DVec2::new(300.0, -200.0));
    check("off a wire", &near, 1.5, Some(wire));
    let cells = CellList::new_periodic(&points[..11], 1.5, wire);
    let expected = truth::pairs(&points[..11], 1.5, Some(&wire));
    assert_eq!(cells.count_pairs(), expected.len() as u64);
    for far in [1e30, -1e25] {
        let points = [DVec2::ZERO, DVec2::new(far, far)];
        let refused = CellList::try_new_periodic(&points, 1.5, wire).map(|_| ());
        assert!(matches!(refused, Err(Error::RadiusOverBox { axis: 1, .. })));
    }
}
