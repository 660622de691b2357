//! Compares balls and solids with the nearest point in rational numbers: among the feet of the ball's center on faces, edges and corners, the
//! nearest that lies in the solid.

use num_rational::Ratio;
use orthant::{Contains, Hexahedron, Hollow, Overlaps, Plane, Scalar, Side, Sphere};
use rand::{RngExt, SeedableRng, rngs::StdRng};

use crate::{HalfSpace, half_spaces};

type Number = Ratio<i128>;
type Place = [Number; 3];

/// The distance from a touch within which rounding may decide either way.
const TOUCH: f64 = 1e-9;

fn rational(x: f64) -> Number {
    // Only halves occur.
    Ratio::new((x * 2.0) as i128, 2)
}

fn float(x: Number) -> f64 {
    *x.numer() as f64 / *x.denom() as f64
}

fn dot(a: Place, b: Place) -> Number {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn det(m: [Place; 3]) -> Number {
    let minor = |i: usize, j: usize| m[1][i] * m[2][j] - m[1][j] * m[2][i];
    m[0][0] * minor(1, 2) - m[0][1] * minor(0, 2) + m[0][2] * minor(0, 1)
}

/// Returns the point of up to three planes that is nearest to `c`, if the planes have a point in common.
fn foot(planes: &[(Place, Number)], c: Place) -> Option<Place> {
    let (zero, one) = (Number::from(0), Number::from(1));
    // The matrix holds products of the normals, filled up to three rows; `beyond` is how far the center lies beyond each plane.
    let mut products = [[zero; 3]; 3];
    let mut beyond = [zero; 3];
    for (i, row) in products.iter_mut().enumerate() {
        let Some((n, k)) = planes.get(i) else {
            row[i] = one;
            continue;
        };
        for (j, (m, _)) in planes.iter().enumerate() {
            row[j] = dot(*n, *m);
        }
        beyond[i] = dot(*n, c) - k;
    }
    let whole = det(products);
    if whole == zero {
        return None;
    }
    let mut foot = c;
    for (i, (n, _)) in planes.iter().enumerate() {
        let mut replaced = products;
        for (row, beyond) in replaced.iter_mut().zip(beyond) {
            row[i] = beyond;
        }
        let step = det(replaced) / whole;
        foot = [0, 1, 2].map(|a| foot[a] - step * n[a]);
    }
    Some(foot)
}

/// Returns the nearest point of the solid and its squared distance; for a center inside, the center and 0.
fn nearest(planes: &[(Place, Number); 6], c: Place) -> (Place, Number) {
    let holds = |p: Place| planes.iter().all(|(n, k)| dot(*n, p) <= *k);
    let mut feet = vec![c];
    for i in 0..6 {
        feet.extend(foot(&[planes[i]], c));
        for j in 0..i {
            feet.extend(foot(&[planes[i], planes[j]], c));
            for k in 0..j {
                feet.extend(foot(&[planes[i], planes[j], planes[k]], c));
            }
        }
    }
    let within = feet.into_iter().filter(|&p| holds(p));
    let distances = within.map(|p| {
        let apart = [0, 1, 2].map(|a| p[a] - c[a]);
        (p, dot(apart, apart))
    });
    distances
        .min_by_key(|&(_, square)| square)
        .expect("a corner")
}

/// Returns the squared distance from a point within the solid to its surface.
fn depth_sq(planes: &[(Place, Number); 6], c: Place) -> Number {
    let squares = planes.iter().map(|(n, k)| {
        let behind = k - dot(*n, c);
        behind * behind / dot(*n, *n)
    });
    squares.min().expect("a plane")
}

/// Compares the answers about one ball in both scalars. Returns the side on which the ball lies, unless it touches.
fn compare(
    planes: &[HalfSpace; 6],
    solid: &Hexahedron<[f64; 3]>,
    c: [f64; 3],
    r: f64,
) -> Option<Side> {
    let exact = planes.map(|(n, k)| (n.map(rational), rational(k)));
    let (near, outside) = nearest(&exact, c.map(rational));
    let is_within = outside == Number::from(0);
    let surface = if is_within {
        depth_sq(&exact, c.map(rational))
    } else {
        outside
    };

    let distance = float(surface).sqrt() * if is_within { -1.0 } else { 1.0 };
    let ours = solid.signed_distance(c);
    assert!(
        (ours - distance).abs() < TOUCH,
        "{planes:?} {c:?}: {ours}, not {distance}"
    );
    let (p, near) = (solid.closest_point(c), near.map(float));
    let off = (0..3).map(|a| (p[a] - near[a]).abs()).fold(0.0, f64::max);
    assert!(off < TOUCH, "{planes:?} {c:?}: {p:?}, not {near:?}");

    if (distance.abs() - r).abs() < TOUCH || distance.abs() < TOUCH {
        return None;
    }
    let reaches = surface <= rational(r) * rational(r);
    let side = match (is_within, reaches) {
        (_, true) => Side::Intersecting,
        (true, false) => Side::Inside,
        (false, false) => Side::Outside,
    };
    let ball = Sphere::new(c, r);
    assert_eq!(solid.classify(&ball), side, "{planes:?} {ball:?}");
    assert_eq!(
        solid.overlaps(&ball),
        is_within || reaches,
        "{planes:?} {ball:?}"
    );
    assert_eq!(
        Hollow(solid.clone()).overlaps(&ball),
        reaches,
        "{planes:?} {ball:?}"
    );
    assert_eq!(solid.contains(&c), is_within, "{planes:?} {c:?}");
    assert!(solid.may_overlap(&ball) || !(is_within || reaches));

    let single = planes.map(|(n, k)| Plane::new(n.map(|x| x as f32), k as f32));
    let single = Hexahedron::from_planes(single);
    let ball = Sphere::new(c.map(|x| x as f32), r as f32);
    assert_eq!(single.classify(&ball), side, "{planes:?} {ball:?}");
    Some(side)
}

#[test]
fn balls_lie_to_solids_as_in_rational_numbers() {
    let mut rng = StdRng::seed_from_u64(9);
    let mut solids = 0;
    let mut told = [0; 3];
    while solids < 400 {
        let planes = half_spaces(&mut rng);
        let Ok(solid) = Hexahedron::try_from_planes(planes.map(|(n, k)| Plane::new(n, k))) else {
            continue;
        };
        solids += 1;
        for _ in 0..10 {
            let mut number =
                |least: i32, most: i32| f64::from(rng.random_range(least..=most)) * 0.5;
            let c = [number(-6, 6), number(-6, 6), number(-6, 6)];
            match compare(&planes, &solid, c, number(0, 4)) {
                Some(Side::Inside) => told[0] += 1,
                Some(Side::Intersecting) => told[1] += 1,
                Some(Side::Outside) => told[2] += 1,
                None => {}
            }
            // A ball whose radius is the distance just touches.
            let distance = Scalar::abs(solid.signed_distance(c));
            assert!(solid.overlaps(&Sphere::new(c, distance * (1.0 + TOUCH))));
        }
    }
    println!("{told:?} balls inside, across and outside");
    assert!(told.iter().all(|&balls| balls > 100), "{told:?}");
}
