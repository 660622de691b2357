//! Compares solids of six half-spaces with a linear program in integers: whether they bound anything, and which boxes they meet. `balls`
//! compares distances, in rational numbers.
//!
//! A non-empty closed system that contains no line has a corner where three of its planes meet, so all corners are tried.

mod balls;

use orthant::{Aabb, Frustum, Hexahedron, Overlaps, Plane, Region, Relation, ShapeError};
use rand::{RngExt, SeedableRng, rngs::StdRng};

type Point = [f64; 3];
type HalfSpace = (Point, f64);
type Row = ([i64; 3], i64);

fn cross(a: [i64; 3], b: [i64; 3]) -> [i64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn dot(a: [i64; 3], b: [i64; 3]) -> i64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Returns true if some point satisfies all rows: then a corner does.
fn feasible(rows: &[Row]) -> bool {
    (0..rows.len()).any(|i| {
        (0..i).any(|j| {
            let ij = cross(rows[i].0, rows[j].0);
            (0..j).any(|k| {
                let ((a, p), (b, q), (c, r)) = (rows[i], rows[j], rows[k]);
                let det = dot(ij, c);
                let (bc, ca) = (cross(b, c), cross(c, a));
                let corner = [0, 1, 2].map(|x| p * bc[x] + q * ca[x] + r * ij[x]);
                // `corner` is the corner times the determinant.
                let within = |&(n, k): &Row| (dot(n, corner) - k * det) * det.signum() <= 0;
                det != 0 && rows.iter().all(within)
            })
        })
    })
}

const SCALE: f64 = 1e6;

/// Returns true if all half-spaces and a box have a point in common. Each half-space is moved outwards by `moved` millionths.
fn shares(planes: &[HalfSpace], lo: Point, hi: Point, moved: i64) -> bool {
    let rows = planes
        .iter()
        .map(|(n, k)| (n.map(|x| x as i64), (k * SCALE) as i64 + moved));
    let mut rows: Vec<Row> = rows.collect();
    for a in 0..3 {
        let unit = |sign: i64| std::array::from_fn(|i| if i == a { sign } else { 0 });
        rows.push((unit(-1), (-lo[a] * SCALE) as i64));
        rows.push((unit(1), (hi[a] * SCALE) as i64));
    }
    feasible(&rows)
}

fn interior(planes: &[HalfSpace]) -> bool {
    shares(planes, [-1e3; 3], [1e3; 3], -1)
}

/// Returns true if the intersection of half-spaces, which is not empty, is unbounded: then some direction leads out of none of them.
fn endless(planes: &[HalfSpace]) -> bool {
    let cone: Vec<HalfSpace> = planes.iter().map(|&(n, _)| (n, 0.0)).collect();
    (0..6).any(|way| {
        let (mut lo, mut hi) = ([-1.0; 3], [1.0; 3]);
        let end = if way % 2 == 0 { -1.0 } else { 1.0 };
        (lo[way / 2], hi[way / 2]) = (end, end);
        shares(&cone, lo, hi, 0)
    })
}

fn integers(rng: &mut StdRng, most: i32) -> Point {
    std::array::from_fn(|_| f64::from(rng.random_range(-most..=most)))
}

fn half_spaces(rng: &mut StdRng) -> [HalfSpace; 6] {
    let cube = rng.random_bool(0.5);
    std::array::from_fn(|face| {
        let mut n = integers(rng, 2);
        if cube {
            // Keep the planes about a cube: most sets of random planes are unbounded.
            n[face / 2] += if face % 2 == 0 { -3.0 } else { 3.0 };
        }
        if n == [0.0; 3] {
            n[face / 2] = 1.0;
        }
        (n, f64::from(rng.random_range(-2..=12)))
    })
}

fn boxes(rng: &mut StdRng, count: usize) -> Vec<(Point, Point)> {
    let one = |_| {
        let lo = integers(rng, 8).map(|x| x * 0.5);
        let size: Point = std::array::from_fn(|_| f64::from(rng.random_range(0..=5)) * 0.5);
        (lo, [0, 1, 2].map(|a| lo[a] + size[a]))
    };
    (0..count).map(one).collect()
}

/// Returns how often the plane test and the bounds alone would have been wrong, and for how many boxes.
fn compare<R>(solid: &R, planes: &[HalfSpace], boxes: &[(Point, Point)]) -> (usize, usize)
where
    R: Region<Vector = Point> + Overlaps<Aabb<Point>>,
{
    let (mut saved, mut asked) = (0, 0);
    for &(lo, hi) in boxes {
        let expected = shares(planes, lo, hi, -1);
        // Rounded corners may decide a touch either way.
        if expected != shares(planes, lo, hi, 1) {
            continue;
        }
        let cell = Aabb::new(lo, hi);
        assert_eq!(solid.overlaps(&cell), expected, "{planes:?} {cell:?}");
        match solid.relate(&cell) {
            Relation::Outside => assert!(!expected),
            Relation::Inside => assert!(expected),
            Relation::Straddles => saved += usize::from(!expected),
        }
        asked += 1;
    }
    (saved, asked)
}

#[test]
fn six_half_spaces_are_what_a_linear_program_in_integers_says() {
    let mut rng = StdRng::seed_from_u64(6);
    let (mut solids, mut empty, mut open) = (0, 0, 0);
    let (mut saved, mut asked) = (0, 0);
    for _ in 0..4000 {
        let planes = half_spaces(&mut rng);
        let made = Hexahedron::try_from_planes(planes.map(|(n, k)| Plane::new(n, k)));
        let some = interior(&planes);
        match made {
            Err(ShapeError::Empty { plane }) => {
                // The planes up to this one enclose nothing, and those before it do.
                assert!(!interior(&planes[..=plane]), "{planes:?}");
                assert!(interior(&planes[..plane]), "{planes:?}");
                empty += 1;
            }
            Err(ShapeError::Unbounded { .. }) => {
                assert!(some && endless(&planes), "{planes:?}");
                open += 1;
            }
            Ok(solid) => {
                assert!(some && !endless(&planes), "{planes:?}");
                let counts = compare(&solid, &planes, &boxes(&mut rng, 20));
                (saved, asked) = (saved + counts.0, asked + counts.1);
                solids += 1;
            }
            Err(error) => panic!("{planes:?}: {error}"),
        }
    }
    println!("{solids} solids, {empty} empty, {open} open; edges told {saved} of {asked} boxes");
    assert!(solids > 500 && empty > 50 && open > 500);
    assert!(saved > 50 && asked > 5000);
}

#[test]
fn oriented_boxes_meet_what_a_linear_program_in_integers_says() {
    let mut rng = StdRng::seed_from_u64(7);
    let (mut saved, mut asked) = (0, 0);
    for _ in 0..2000 {
        // The columns of a rotation come from an integer quaternion, times its squared length.
        let [w, x, y, z]: [f64; 4] = std::array::from_fn(|_| f64::from(rng.random_range(-2..=2)));
        let length = w * w + x * x + y * y + z * z;
        if length == 0.0 {
            continue;
        }
        let axes = [
            [
                w * w + x * x - y * y - z * z,
                2.0 * (x * y + w * z),
                2.0 * (x * z - w * y),
            ],
            [
                2.0 * (x * y - w * z),
                w * w - x * x + y * y - z * z,
                2.0 * (y * z + w * x),
            ],
            [
                2.0 * (x * z + w * y),
                2.0 * (y * z - w * x),
                w * w - x * x - y * y + z * z,
            ],
        ];
        let center = integers(&mut rng, 3);
        let half: Point = std::array::from_fn(|_| f64::from(rng.random_range(1..=6)) * 0.5);
        let planes: [HalfSpace; 6] = std::array::from_fn(|face| {
            let sign = if face % 2 == 0 { -1.0 } else { 1.0 };
            let n = axes[face / 2].map(|x| x * sign);
            let at = n[0] * center[0] + n[1] * center[1] + n[2] * center[2];
            (n, at + half[face / 2] * length)
        });
        let solid = Hexahedron::oriented(center, half, axes.map(|axis| axis.map(|x| x / length)));
        let counts = compare(&solid, &planes, &boxes(&mut rng, 20));
        (saved, asked) = (saved + counts.0, asked + counts.1);
    }
    println!("edges told {saved} of {asked} boxes");
    assert!(saved > 100 && asked > 10_000);
}

#[test]
fn endless_frustums_meet_what_a_linear_program_in_integers_says() {
    let mut rng = StdRng::seed_from_u64(8);
    let (mut saved, mut asked) = (0, 0);
    for _ in 0..1000 {
        // These are the rows x, y and w of a camera, and the near plane w >= 1.
        let rows = [0, 1, 2].map(|_| (integers(&mut rng, 2), f64::from(rng.random_range(-3..=3))));
        let [x, y, w] = rows;
        let columns: [[f64; 4]; 4] = std::array::from_fn(|c| match c {
            3 => [x.1, y.1, 1.0, w.1],
            _ => [x.0[c], y.0[c], 0.0, w.0[c]],
        });
        let sides = [(x, 1.0), (x, -1.0), (y, 1.0), (y, -1.0)];
        let mut planes: Vec<HalfSpace> = sides
            .iter()
            .map(|&((n, k), sign)| {
                (
                    std::array::from_fn(|a| -(w.0[a] + sign * n[a])),
                    w.1 + sign * k,
                )
            })
            .collect();
        planes.push((w.0.map(|x| -x), w.1 - 1.0));
        let Ok(frustum) = Frustum::try_from_view_projection(columns) else {
            continue;
        };
        assert!(frustum.is_unbounded() && endless(&planes));
        let counts = compare(&frustum, &planes, &boxes(&mut rng, 20));
        (saved, asked) = (saved + counts.0, asked + counts.1);
    }
    println!("edges told {saved} of {asked} boxes");
    assert!(saved > 50 && asked > 5000);
}
