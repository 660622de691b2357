//! Quadrilaterals against plain formulas in whole numbers.

use orthant::{
    Aabb, Bounded, Contains, Hollow, Overlaps, Quadrilateral, ShapeError, Sphere, VoxelGrid,
};
use proptest::prelude::*;

use crate::cases::cases;

type P = [i64; 2];

fn cross([ax, ay]: P, [bx, by]: P) -> i64 {
    ax * by - ay * bx
}

fn sub(a: P, b: P) -> P {
    [a[0] - b[0], a[1] - b[1]]
}

fn dot(a: P, b: P) -> i64 {
    a[0] * b[0] + a[1] * b[1]
}

/// Returns the corners counterclockwise, or nothing if they are not convex.
fn convex(mut corners: [P; 4]) -> Option<[P; 4]> {
    let turn = |corners: &[P; 4], i: usize| {
        let [a, b, c] = [i, (i + 1) % 4, (i + 2) % 4].map(|i| corners[i]);
        cross(sub(b, a), sub(c, b))
    };
    if turn(&corners, 0) < 0 {
        corners.reverse();
    }
    // The outline turns left four times; an outline that turns twice around has at least five corners.
    (0..4).all(|i| turn(&corners, i) > 0).then_some(corners)
}

fn sides(corners: &[P; 4]) -> [(P, P); 4] {
    [0, 1, 2, 3].map(|i| (corners[i], corners[(i + 1) % 4]))
}

/// Returns twice the least area of a triangle of a side and `p`: positive inside.
fn depth(corners: &[P; 4], p: P) -> i64 {
    let areas = sides(corners).map(|(a, b)| cross(sub(b, a), sub(p, a)));
    *areas.iter().min().unwrap()
}

/// True if the outline comes within a distance, a whole number, of a point.
fn is_near(corners: &[P; 4], p: P, r: i64) -> bool {
    sides(corners).iter().any(|&(a, b)| {
        let (ab, ap) = (sub(b, a), sub(p, a));
        let (t, length) = (dot(ab, ap), dot(ab, ab));
        if t <= 0 {
            dot(ap, ap) <= r * r
        } else if t >= length {
            dot(sub(p, b), sub(p, b)) <= r * r
        } else {
            cross(ab, ap).pow(2) <= r * r * length
        }
    })
}

/// True if two convex outlines have a point in common, interiors included.
fn overlap(a: &[P; 4], b: &[P; 4]) -> bool {
    let separates = |own: &[P; 4], other: &[P; 4]| {
        sides(own).iter().any(|&(from, to)| {
            let outside = |&p: &P| cross(sub(to, from), sub(p, from)) < 0;
            from != to && other.iter().all(outside)
        })
    };
    !separates(a, b) && !separates(b, a)
}

fn f([x, y]: P) -> [f64; 2] {
    [x as f64, y as f64]
}

#[test]
fn whole_numbers_are_exact() {
    let place = || [-9..=9i64, -9..=9i64];
    let input = (
        [place(), place(), place(), place()],
        place(),
        [0..7i64, 0..7i64],
        0..8i64,
    );
    let shapes = std::cell::Cell::new(0);
    proptest!(cases(2000, 40_000), |((corners, p, size, r) in input)| {
        let given = corners;
        let Some(corners) = convex(corners) else {
            let made = Quadrilateral::try_from_corners(given.map(f));
            prop_assert!(made.is_err(), "{given:?}");
            return Ok(());
        };
        shapes.set(shapes.get() + 1);
        let shape = Quadrilateral::from_corners(given.map(f));
        let inside = depth(&corners, p);
        prop_assert_eq!(shape.contains(&f(p)), inside >= 0);
        prop_assert_eq!(shape.contains_strictly(&f(p)), inside > 0);
        prop_assert_eq!(Hollow(shape.clone()).overlaps(&f(p)), inside == 0);

        let near = is_near(&corners, p, r);
        let ball = Sphere::new(f(p), r as f64);
        prop_assert_eq!(shape.overlaps(&ball), inside >= 0 || near);
        prop_assert_eq!(Hollow(shape.clone()).overlaps(&ball), near);
        prop_assert_eq!(shape.contains_strictly(&ball), inside > 0 && !near);
        let farthest = corners.iter().map(|&c| dot(sub(c, p), sub(c, p))).max().unwrap();
        prop_assert_eq!(ball.contains(&shape), farthest <= r * r);
        let rim = (inside >= 0 || near) && farthest >= r * r;
        prop_assert_eq!(shape.overlaps(&Hollow(ball)), rim);

        let [w, h] = size;
        let rect = [p, [p[0] + w, p[1]], [p[0] + w, p[1] + h], [p[0], p[1] + h]];
        let cell = Aabb::new(f(rect[0]), f(rect[2]));
        let meets = overlap(&corners, &rect);
        prop_assert_eq!(shape.overlaps(&cell), meets);
        let holds = rect.iter().all(|&c| depth(&corners, c) >= 0);
        prop_assert_eq!(shape.contains(&cell), holds);
        let within = rect.iter().all(|&c| depth(&corners, c) > 0);
        prop_assert_eq!(Hollow(shape.clone()).overlaps(&cell), meets && !within);
        let strictly = |c: &P| (p[0] < c[0] && c[0] < p[0] + w) && (p[1] < c[1] && c[1] < p[1] + h);
        let surrounds = corners.iter().all(strictly);
        prop_assert_eq!(shape.overlaps(&Hollow(cell)), meets && !surrounds);
        prop_assert_eq!(Hollow(shape.clone()).overlaps(&Hollow(cell)), meets && !surrounds && !within);
        prop_assert_eq!(shape.bounds().min(), f([0, 1].map(|a| corners.map(|c| c[a]).into_iter().min().unwrap())));
    });
    assert!(shapes.get() > 100, "{shapes:?}");
}

#[test]
fn voxels_are_those_of_every_cell() {
    let grid = VoxelGrid::new([0.0; 2], 1.0);
    let corners: [P; 4] = [[-4, -1], [3, -3], [5, 2], [-1, 4]];
    let shape = Quadrilateral::from_corners(corners.map(f));
    for hollow in [false, true] {
        let expected = |x: i64, y: i64| {
            let rect = [[x, y], [x + 1, y], [x + 1, y + 1], [x, y + 1]];
            let within = rect.iter().all(|&c| depth(&corners, c) > 0);
            overlap(&corners, &rect) && !(hollow && within)
        };
        let cells = (-8..8).flat_map(|y| (-8..8).map(move |x| (x, y)));
        let expected = cells.filter(|&(x, y)| expected(x, y)).count() as u64;
        let count = if hollow {
            grid.count(Hollow(shape.clone()))
        } else {
            grid.count(shape.clone())
        };
        assert_eq!(count, expected);
    }
}

#[test]
fn what_is_no_quadrilateral_is_refused() {
    let message = |corners: [[f64; 2]; 4]| {
        Quadrilateral::try_from_corners(corners)
            .unwrap_err()
            .to_string()
    };
    let nan = f64::NAN;
    assert_eq!(
        message([[0.0, 0.0], [1.0, nan], [1.0, 1.0], [0.0, 1.0]]),
        "corner 1 is NaN on axis 1, not a finite number"
    );
    let flat = Quadrilateral::try_from_corners([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [0.0, 1.0]]);
    assert_eq!(flat, Err(ShapeError::FlatFace { face: 0 }));
    let inward = Quadrilateral::try_from_corners([[0.0, 0.0], [4.0, 0.0], [1.0, 1.0], [0.0, 4.0]]);
    assert_eq!(inward, Err(ShapeError::NotConvex { corner: 2, face: 1 }));
    let crossed = Quadrilateral::try_from_corners([[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]);
    assert!(matches!(crossed, Err(ShapeError::NotConvex { .. })));
    let unit = [[1.0, 0.0], [0.0, 1.0]];
    let thin = Quadrilateral::try_oriented([0.0f64; 2], [1.0, 0.0], unit);
    assert_eq!(
        thin,
        Err(ShapeError::HalfExtentNotPositive {
            axis: 1,
            value: 0.0
        })
    );
    assert!(Quadrilateral::try_oriented([0.0f64; 2], [1.0, 1.0], [[1.0, 2.0]; 2]).is_err());
    assert!(
        Quadrilateral::try_oriented([1e30f32; 2], [1.0, 1.0], [[1.0, 0.0], [0.0, 1.0]]).is_err()
    );
}
