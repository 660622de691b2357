//! The exact test vectors of `tests/data/hexahedra.json`: 270 spheres against convex solids of six
//! planes, with answers from rational arithmetic.
//!
//! Corners, centers and radii are exact in `f32`, except for those of the general hexahedra. The margin of a vector is the slack of its answers:
//! if it is below the rounding of the corners, the answer is not tested. If it is 0 the sphere touches, and touching counts.

use orthant::glam::{DVec3, Vec3, Vec3A};
use orthant::{
    Bounded, Contains, Ellipsoid, Hexahedron, Hollow, Overlaps, Plane, Scalar, Side, Space, Sphere,
    Vector,
};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use serde::Deserialize;

#[derive(Deserialize)]
struct File {
    vectors: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    id: u32,
    c: [f64; 3],
    r: f64,
    corners: Option<[[f64; 3]; 8]>,
    planes: Vec<HalfSpace>,
    expect: Expect,
    signed_distance: String,
    margin: f64,
    margin_dmax: f64,
    scale: f64,
    #[serde(default)]
    corners_rounded_to_f64: bool,
    obb: Option<Oriented>,
}

#[derive(Deserialize)]
struct HalfSpace {
    n_exact: [String; 3],
    k_exact: String,
    n: [f64; 3],
    d: f64,
}

#[derive(Deserialize)]
struct Oriented {
    center: [f64; 3],
    half_axis_vectors: [[f64; 3]; 3],
}

#[derive(Deserialize)]
struct Expect {
    cls: String,
    center_inside: bool,
    solid_solid: bool,
    hollow_box_solid_sphere: bool,
    solid_box_hollow_sphere: bool,
    hollow_hollow: bool,
    box_in_sphere: bool,
    sphere_in_box: bool,
}

fn vector<V: Vector + Space>(values: [f64; 3]) -> V {
    V::from_fn(|a| Scalar::from_f64(values[a]))
}

/// Returns a number that may be a fraction.
fn number(text: &str) -> f64 {
    let (a, b) = text.split_once('/').unwrap_or((text, "1"));
    a.parse::<f64>().unwrap() / b.parse::<f64>().unwrap()
}

/// Returns the solid in every form that the vector gives, with the relative error of its input.
fn forms<V: Vector + Space>(case: &Case, ulp: f64) -> Vec<(&'static str, Hexahedron<V>, f64)> {
    let planes = || -> [&HalfSpace; 6] { std::array::from_fn(|i| &case.planes[i]) };
    let exact = planes().map(|p| {
        let normal = std::array::from_fn(|a| number(&p.n_exact[a]));
        Plane::new(vector::<V>(normal), Scalar::from_f64(number(&p.k_exact)))
    });
    let unit = planes().map(|p| Plane::new(vector::<V>(p.n), Scalar::from_f64(p.d)));
    let mut forms = vec![
        ("exact planes", Hexahedron::from_planes(exact), 0.0),
        ("unit planes", Hexahedron::from_planes(unit), 64.0 * ulp),
    ];
    if let Some(corners) = case.corners {
        let error = if case.corners_rounded_to_f64 {
            16.0 * ulp
        } else {
            0.0
        };
        let solid = Hexahedron::from_corners(corners.map(vector::<V>));
        forms.push(("corners", solid, error));
    }
    if let Some(obb) = &case.obb {
        let axes = obb.half_axis_vectors.map(vector::<V>);
        let solid = Hexahedron::oriented(vector(obb.center), V::splat(Scalar::ONE), axes);
        forms.push(("axes", solid, 0.0));
    }
    forms
}

fn check<V: Vector + Space>(case: &Case, ulp: f64) -> usize {
    let center: V = vector(case.c);
    let ball = Sphere::new(center, Scalar::from_f64(case.r));
    let expect = &case.expect;
    let side = match &*expect.cls {
        "inside" => Side::Inside,
        "outside" => Side::Outside,
        "intersecting" => Side::Intersecting,
        other => panic!("{other}"),
    };
    let mut ties = 0;
    for (form, solid, error) in forms::<V>(case, ulp) {
        let name = format!("vector {} from {form}", case.id);
        let expected: f64 = case.signed_distance.parse().unwrap();
        // The result itself is rounded, and rounded inputs moved the solid.
        let allowed = expected.abs() * ulp + case.scale * (error + 4.0 * f64::EPSILON);
        let found: f64 = solid.signed_distance(center).into();
        assert!(
            (found - expected).abs() <= allowed,
            "{name}: {found} for {expected}"
        );
        let foot = solid.closest_surface_point(center);
        let step: Vec<f64> = (0..3).map(|a| foot.axis(a).into() - case.c[a]).collect();
        let length = step.iter().map(|x| x * x).sum::<f64>().sqrt();
        let near = case.scale * (8.0 * ulp + error);
        assert!((length - expected.abs()).abs() <= near, "{name}: {foot:?}");
        if expected.abs() > near {
            assert_eq!(solid.contains(&center), expect.center_inside, "{name}");
            let closest = solid.closest_point(center);
            assert_eq!(closest == center, expect.center_inside, "{name}");
        }

        let rounding = case.scale * error;
        if case.margin >= rounding {
            ties += usize::from(case.margin == 0.0);
            assert_eq!(solid.classify(&ball), side, "{name}");
            assert_eq!(solid.overlaps(&ball), expect.solid_solid, "{name}");
            assert_eq!(solid.contains(&ball), expect.sphere_in_box, "{name}");
            assert!(solid.may_overlap(&ball) || !expect.solid_solid, "{name}");
            let hollow = Hollow(solid.clone()).overlaps(&ball);
            assert_eq!(hollow, expect.hollow_box_solid_sphere, "{name}");
        }
        if case.margin_dmax >= rounding {
            assert_eq!(ball.contains(&solid), expect.box_in_sphere, "{name}");
        }
        if case.margin.min(case.margin_dmax) >= rounding {
            let skin = Hollow(ball);
            assert_eq!(
                solid.overlaps(&skin),
                expect.solid_box_hollow_sphere,
                "{name}"
            );
            let both = Hollow(solid).overlaps(&skin);
            assert_eq!(both, expect.hollow_hollow, "{name}");
        }
    }
    ties
}

fn cases() -> Vec<Case> {
    let file: File = serde_json::from_str(include_str!("../data/hexahedra.json")).unwrap();
    assert_eq!(file.vectors.len(), 270);
    file.vectors
}

#[test]
fn in_single_precision() {
    for case in cases() {
        check::<Vec3>(&case, f32::EPSILON.into());
        check::<Vec3A>(&case, f32::EPSILON.into());
        check::<[f32; 3]>(&case, f32::EPSILON.into());
    }
}

#[test]
fn in_double_precision() {
    let mut ties = 0;
    for case in cases() {
        ties += check::<DVec3>(&case, f64::EPSILON);
        check::<[f64; 3]>(&case, f64::EPSILON);
    }
    assert!(ties >= 13, "{ties} forms of a solid were touched exactly");
}

/// Returns the distance of `p` from the nearest of the points `s u + t v` about a corner, for `s` and `t` from 0 to 1.
fn on_parallelogram(corner: DVec3, u: DVec3, v: DVec3, p: DVec3) -> f64 {
    let d = p - corner;
    let (uu, uv, vv) = (u.dot(u), u.dot(v), v.dot(v));
    let (du, dv) = (d.dot(u), d.dot(v));
    let determinant = uu * vv - uv * uv;
    let (s, t) = (
        (du * vv - dv * uv) / determinant,
        (dv * uu - du * uv) / determinant,
    );
    let at = |s: f64, t: f64| (u * s + v * t).distance(d);
    if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
        return at(s, t);
    }
    let along = |fixed: f64, d: f64, square: f64| ((d - fixed * uv) / square).clamp(0.0, 1.0);
    let sides = [0.0, 1.0].map(|x| at(x, along(x, dv, vv)).min(at(along(x, du, uu), x)));
    sides[0].min(sides[1])
}

/// The solids lean so far that the nearest edge may belong to a face that faces away.
#[test]
fn nearest_points_of_leaning_solids() {
    let random = &mut SmallRng::seed_from_u64(31);
    for _ in 0..300 {
        let mut vector =
            |width: f64| DVec3::from_array([(); 3].map(|()| random.random_range(-width..width)));
        let (corner, u) = (vector(1.0), vector(1.0));
        // These are two more edges that are nearly parallel to it.
        let (v, w) = (u + vector(0.5), u + vector(0.5));
        if u.cross(v).dot(w).abs() < 1e-3 {
            continue;
        }
        let corners = [0, 1, 2, 3, 4, 5, 6, 7].map(|i: u32| {
            let bit = |a: u32| f64::from(i >> a & 1);
            corner + u * bit(0) + v * bit(1) + w * bit(2)
        });
        let solid = Hexahedron::from_corners(corners);
        for _ in 0..40 {
            let p = vector(4.0);
            if solid.contains(&p) {
                continue;
            }
            let faces = [(u, v, w), (v, w, u), (w, u, v)].map(|(a, b, c)| {
                on_parallelogram(corner, a, b, p).min(on_parallelogram(corner + c, a, b, p))
            });
            let expected = faces.into_iter().fold(f64::INFINITY, f64::min);
            let found = solid.closest_point(p).distance(p);
            assert!(
                (found - expected).abs() < 1e-9,
                "{corners:?} {p}: {found} {expected}"
            );
        }
    }
}

/// A cube stands on an edge within an ellipsoid, although its bounding box is not within: it meets the surface only if a corner reaches it.
#[test]
fn a_cube_on_its_edge_within_an_ellipsoid() {
    let egg = Ellipsoid::new(DVec3::ZERO, DVec3::new(2.0, 3.0, 4.0));
    let diagonal = 0.5_f64.sqrt();
    let axes = [
        DVec3::new(diagonal, diagonal, 0.0),
        DVec3::new(-diagonal, diagonal, 0.0),
        DVec3::Z,
    ];
    for (half, reaches) in [(1.3, false), (1.4, true)] {
        let cube = Hexahedron::oriented(DVec3::ZERO, DVec3::splat(half), axes);
        assert!(egg.overlaps(&cube) && !egg.contains(&cube.bounds()));
        assert_eq!(Hollow(egg).overlaps(&cube), reaches, "{half}");
    }
}
