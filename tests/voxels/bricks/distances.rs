//! Compares signed distances in a band with those of every single voxel.

use orthant::glam::{DVec3, IVec3, Vec2, Vec3};
use orthant::{
    Aabb, Error, Field, Hexahedron, Hollow, Moving, Shell, SignedDistance, Sphere, Vector,
    VoxelGrid,
};

/// Returns the center of a voxel of a grid with edge 1 at the origin.
fn center<V: Vector>(voxel: [i32; 3]) -> V {
    V::from_fn(|a| orthant::Scalar::from_f64(f64::from(voxel[a]) + 0.5))
}

fn check(
    shape: impl SignedDistance<Vector = DVec3>,
    half_width: f64,
    exact: impl Fn(DVec3) -> f64,
) {
    let grid = VoxelGrid::new(DVec3::ZERO, 1.0);
    let found: Vec<_> = grid.distances(shape, half_width).unwrap().collect();
    let mut expected = Vec::new();
    for z in -25..25 {
        for y in -25..25 {
            for x in -25..25 {
                let distance = exact(center([x, y, z]));
                if distance.abs() < half_width {
                    expected.push(([x, y, z], distance as f32));
                }
            }
        }
    }
    assert!(!expected.is_empty());
    let found: Vec<_> = found
        .into_iter()
        .map(|(voxel, d)| (voxel.to_array(), d))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn bands_are_those_of_the_analytic_distances() {
    let (c, r) = (DVec3::new(0.3, -1.7, 2.5), 9.25);
    let apart = |p: DVec3| {
        let d = p - c;
        (d.x * d.x + d.y * d.y + d.z * d.z).sqrt()
    };
    for half_width in [0.0625, 0.5, 3.0] {
        check(Sphere::new(c, r), half_width, |p| apart(p) - r);
        check(Hollow(Sphere::new(c, r)), half_width, |p| {
            (apart(p) - r).abs()
        });
        check(Shell::new(c, 4.0, r), half_width, |p| {
            (apart(p) - r).max(4.0 - apart(p))
        });
        let (low, high) = (DVec3::new(-5.5, -3.25, 0.0), DVec3::new(4.75, 8.5, 11.0));
        let of_box = |p: DVec3| {
            let beyond = (low - p).max(p - high);
            let out = beyond.max(DVec3::ZERO);
            let squares = out.x * out.x + out.y * out.y + out.z * out.z;
            squares.sqrt() + beyond.max_element().min(0.0)
        };
        check(Aabb::new(low, high), half_width, of_box);
        let half = (high - low) * 0.5;
        let solid = Hexahedron::oriented(low + half, half, DVec3::AXES);
        check(solid.clone(), half_width, of_box);
        check(Hollow(solid), half_width, |p| of_box(p).abs());
        let way = DVec3::new(6.5, -3.0, 8.25);
        check(Moving::new(Sphere::new(low, 4.5), way), half_width, |p| {
            let from = p - low;
            let dot = |a: DVec3, b: DVec3| a.x * b.x + a.y * b.y + a.z * b.z;
            let on_line = low + (dot(from, way) / dot(way, way)).clamp(0.0, 1.0) * way;
            dot(p - on_line, p - on_line).sqrt() - 4.5
        });
        let torus = |p: DVec3| (p.x.hypot(p.y) - 12.0).hypot(p.z) - 3.0;
        check(
            Field(Aabb::new(DVec3::splat(-15.0), DVec3::splat(15.0)), torus),
            half_width,
            torus,
        );
    }
}

#[test]
fn a_band_in_the_plane_far_from_the_origin() {
    let far = 1e6;
    let grid = VoxelGrid::new(Vec2::ZERO, 0.5);
    let ball = Sphere::new(Vec2::splat(far), 7.0);
    let found: Vec<_> = grid.distances(ball, 1.0).unwrap().collect();
    let first = 2 * far as i32;
    let mut expected = Vec::new();
    for y in first - 40..first + 40 {
        for x in first - 40..first + 40 {
            let p = Vec2::new(x as f32 + 0.5, y as f32 + 0.5) * 0.5;
            let distance = ball.signed_distance(p);
            if distance.abs() < 1.0 {
                expected.push(([x, y], distance));
            }
        }
    }
    assert_eq!(
        found
            .into_iter()
            .map(|(v, d)| (v.to_array(), d))
            .collect::<Vec<_>>(),
        expected
    );
}

#[test]
fn bands_that_cannot_be_are_refused() {
    let grid = VoxelGrid::new([0.0f64; 3], 1.0);
    let ball = Sphere::new([0.0; 3], 1.0);
    for width in [-1.0, f64::NAN, f64::INFINITY] {
        let refused = grid.distances(ball, width).map(drop);
        assert!(matches!(
            refused,
            Err(Error::Distance {
                part: "half width",
                ..
            })
        ));
    }
    assert!(matches!(
        grid.distances(ball, 1e10).map(drop),
        Err(Error::OutOfRange { .. })
    ));
    assert_eq!(grid.distances(ball, 0.0).unwrap().count(), 0);
}

/// Distances are rounded to whole voxels or more, though all coordinates in the window are small.
#[test]
fn bands_of_large_balls_in_small_windows() {
    let mut sum = 0;
    for (at, half_width) in [
        ([-3e7, -3e7, -3e7], 0.5),
        ([5e7, 4e7, -5e7], 1.0),
        ([1e8, -1e8, 3.0], 1.0),
    ] {
        let c = Vec3::from_array(at);
        let ball = Sphere::new(c, c.length());
        let grid = VoxelGrid::new(Vec3::ZERO, 1.0);
        let window = grid.within(IVec3::splat(-20), IVec3::splat(20));
        let found: Vec<_> = window.distances(ball, half_width).unwrap().collect();
        let mut expected = Vec::new();
        for z in -20..20 {
            for y in -20..20 {
                for x in -20..20 {
                    let distance = ball.signed_distance(center([x, y, z]));
                    if distance.abs() < half_width {
                        expected.push((IVec3::new(x, y, z), distance));
                    }
                }
            }
        }
        assert_eq!(found, expected, "{ball:?}");
        sum += found.len();
    }
    assert!(sum > 1000);
}
