//! The printed test reports that a sphere meets a solid if the plane of some face cuts it in a disc that reaches the face, as far as each of the
//! four neighboring planes can tell.

use orthant::{Hexahedron, Overlaps, Plane, Scalar, Side, Sphere};
use serde::Deserialize;

use super::Erratum;

/// The ball that each erratum lists beside its solid.
#[derive(Deserialize)]
struct Ball {
    c: [f64; 3],
    r: f64,
}

/// The lower and the upper face of each axis, as unit normal and offset.
type Faces<S> = [([S; 3], S); 6];

/// Returns the printed decision, in the arithmetic of the scalar.
fn printed<S: Scalar>(faces: &Faces<S>, c: [S; 3], r: S) -> bool {
    let height = |(n, k): ([S; 3], S), p: [S; 3]| n[0] * p[0] + n[1] * p[1] + n[2] * p[2] - k;
    (0..6).any(|face| {
        let d = height(faces[face], c);
        let foot: [S; 3] = std::array::from_fn(|a| c[a] - faces[face].0[a] * d);
        let disc = (r * r - d * d).larger(S::ZERO).sqrt();
        // The opposite plane is left out, as printed.
        let beside = |i: usize| i / 2 == face / 2 || height(faces[i], foot) <= disc;
        d.abs() <= r && (0..6).all(beside)
    })
}

fn cube<S: Scalar>() -> Faces<S> {
    std::array::from_fn(|face| {
        let sign = if face % 2 == 0 {
            S::ZERO - S::ONE
        } else {
            S::ONE
        };
        let normal = std::array::from_fn(|a| if a == face / 2 { sign } else { S::ZERO });
        (normal, S::ONE)
    })
}

/// Returns a frustum of 90 degrees, from z = 1 to z = 3.
fn frustum() -> Faces<f64> {
    let s = 0.5f64.sqrt();
    [
        ([-s, 0.0, -s], 0.0),
        ([s, 0.0, -s], 0.0),
        ([0.0, -s, -s], 0.0),
        ([0.0, s, -s], 0.0),
        ([0.0, 0.0, -1.0], -1.0),
        ([0.0, 0.0, 1.0], 3.0),
    ]
}

fn frustum_corners() -> Hexahedron<[f64; 3]> {
    Hexahedron::from_corners(std::array::from_fn(|i| {
        let half = if i & 4 == 0 { 1.0 } else { 3.0 };
        let side = |bit| if i & bit == 0 { -half } else { half };
        [side(1), side(2), half]
    }))
}

/// Returns `x >= -1`, `x <= 100`, `|y| <= 1`, `|z| <= 1 - x`.
fn wedge() -> Faces<f64> {
    let s = 0.5f64.sqrt();
    [
        ([-1.0, 0.0, 0.0], 1.0),
        ([1.0, 0.0, 0.0], 100.0),
        ([0.0, -1.0, 0.0], 1.0),
        ([0.0, 1.0, 0.0], 1.0),
        ([s, 0.0, -s], s),
        ([s, 0.0, s], s),
    ]
}

fn solid(faces: Faces<f64>) -> Hexahedron<[f64; 3]> {
    Hexahedron::from_planes(faces.map(|(normal, k)| Plane::new(normal, k)))
}

/// Checks that the printed test reports a hit, and that ours reports none in both scalars and knows the distance.
fn false_hit(id: &str, faces: Faces<f64>, solids: &[Hexahedron<[f64; 3]>]) {
    let erratum = Erratum::find(id);
    let (Ball { c, r }, dist2) = (erratum.input(), erratum.number("dist2"));
    assert!(erratum.says("printed") && !erratum.says("correct"));
    assert!(printed(&faces, c, r));
    let single = faces.map(|(n, k)| (n.map(|x| x as f32), k as f32));
    assert!(printed(&single, c.map(|x| x as f32), r as f32));
    let ball = Sphere::new(c, r);
    for solid in solids {
        assert!(!solid.overlaps(&ball));
        assert_eq!(solid.classify(&ball), Side::Outside);
        let distance = solid.signed_distance(c);
        assert!(
            (distance * distance - dist2).abs() <= 1e-14 * dist2,
            "{distance}"
        );
        assert!(dist2 > erratum.number("r2") && erratum.number("r2") == r * r);
        // The distance is no more than the ball needs.
        assert!(solid.overlaps(&Sphere::new(c, Scalar::next_up(distance))));
    }
    let planes = single.map(|(normal, k)| Plane::new(normal, k));
    assert!(!Hexahedron::from_planes(planes).overlaps(&Sphere::new(c.map(|x| x as f32), r as f32)));
}

#[test]
fn h1_a_disc_that_reaches_two_neighbours_need_not_reach_their_corner() {
    false_hit("H1", cube(), &[solid(cube())]);
}

#[test]
fn h1b_the_same_with_room_to_spare() {
    false_hit("H1b", cube(), &[solid(cube())]);
}

#[test]
fn h2_the_disc_is_farther_from_an_edge_than_from_a_slanted_neighbour() {
    false_hit("H2", frustum(), &[solid(frustum()), frustum_corners()]);
}

#[test]
fn h2b_and_from_a_corner() {
    false_hit("H2b", frustum(), &[solid(frustum()), frustum_corners()]);
}

#[test]
fn h3_the_opposite_plane_may_be_the_one_that_ends_a_face() {
    false_hit("H3", wedge(), &[solid(wedge())]);
}

#[test]
fn h4_the_root_of_a_difference_misses_a_touch() {
    let erratum = Erratum::find("H4");
    let Ball { c, r } = erratum.input();
    assert!(!erratum.says("printed_f32") && erratum.says("correct"));
    // The squared distance from the edge y = z = 1 is exactly r².
    let (y, z) = (c[1] - 1.0, c[2] - 1.0);
    assert_eq!(y * y + z * z, r * r);
    assert_eq!(erratum.number("dist2"), r * r);
    assert_eq!(erratum.number("r2"), r * r);
    // All numbers are floats of single precision.
    assert!(c.iter().chain([&r]).all(|&x| f64::from(x as f32) == x));
    let (c, r) = (c.map(|x| x as f32), r as f32);
    assert!(!printed(&cube(), c, r));
    let faces = cube().map(|(normal, k)| Plane::new(normal, k));
    let ours = Hexahedron::from_planes(faces);
    let ball = Sphere::new(c, r);
    assert!(ours.overlaps(&ball));
    assert_eq!(ours.classify(&ball), Side::Intersecting);
}
