//! Compares counts and hashes with those of exact integer arithmetic.

use orthant::{
    Aabb, Contains, Ellipsoid, Hollow, Region, Rule, Scalar, Sphere, Vector, Voxel, VoxelGrid,
    Voxelize,
    glam::{DVec2, DVec3, Vec2, Vec3},
};
use serde_json::Value;

pub(crate) fn read(name: &str) -> Value {
    let path = format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Returns a vector that is given in sixteenths.
pub(crate) fn sixteenths<V: Vector>(row: &Value, key: &str) -> V {
    V::from_fn(|a| V::Scalar::from_f64(row[key][a].as_f64().unwrap() / 16.0))
}

pub(crate) fn hash<X: Voxel>(voxels: impl Iterator<Item = X>) -> String {
    let sum = voxels.fold(0u64, |sum, voxel| {
        let key = (0..X::DIM).fold(0, |key, a| {
            key | ((i64::from(voxel.axis(a)) + (1 << 20)) as u64) << (21 * a)
        });
        let z = key.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        sum.wrapping_add(z ^ (z >> 31))
    });
    format!("{sum:016x}")
}

/// Returns the differences between a recorded row and the answers for a shape.
fn differences<V, S>(row: &Value, shape: S) -> Vec<&'static str>
where
    V: Vector,
    S: Voxelize + Region<Vector = V> + Contains<Aabb<V>> + Copy,
    Hollow<S>: Voxelize + Region<Vector = V>,
{
    let closed = VoxelGrid::new(V::splat(V::Scalar::ZERO), V::Scalar::ONE);
    let half_open = closed.with_rule(Rule::HalfOpen);
    let skin = || Hollow(shape);
    let rows = |grid: &VoxelGrid<V>| {
        let mut rows: Vec<_> = grid.spans(skin()).map(|s| s.first().with(0, 0)).collect();
        rows.dedup();
        rows.len() as u64
    };
    let inside = |strict| {
        let within = |cell: &Aabb<V>| match strict {
            true => shape.contains_strictly(cell),
            false => shape.contains(cell),
        };
        let voxels = closed.voxels(shape);
        voxels.filter(|&v| within(&closed.voxel_bounds(v))).count() as u64
    };
    let figures = [
        ("closed", closed.count(skin())),
        ("half_open", half_open.count(skin())),
        ("solid_closed", closed.count(shape)),
        ("solid_half_open", half_open.count(shape)),
        ("x_spans_closed", closed.spans(skin()).count() as u64),
        ("x_rows_closed", rows(&closed)),
        ("x_spans_half_open", half_open.spans(skin()).count() as u64),
        ("inside_closed", inside(false)),
        ("inside_strict", inside(true)),
    ];
    let hashes = [
        ("hash_closed", hash(closed.voxels(skin()))),
        ("hash_half_open", hash(half_open.voxels(skin()))),
    ];
    let figures = figures.map(|(key, n)| (key, Value::from(n)));
    let hashes = hashes.map(|(key, h)| (key, Value::from(h)));
    let recorded = |key| row.get(key).is_some();
    let all = figures.into_iter().chain(hashes);
    all.filter(|(key, value)| recorded(*key) && row[*key] != *value)
        .map(|(key, _)| key)
        .collect()
}

fn spheres<V: Vector>(name: &str) {
    let data = read(name);
    let mut rows = 0;
    for (alignment, group) in data["alignments"].as_object().unwrap() {
        let center: V = sixteenths(group, "center_times_16");
        for row in group["rows"].as_array().unwrap() {
            let radius = V::Scalar::from_f64(row["r"].as_f64().unwrap());
            let none: [&str; 0] = [];
            let different = differences(row, Sphere::new(center, radius));
            assert_eq!(different, none, "{alignment}, radius {radius}");
            rows += 1;
        }
    }
    assert_eq!(rows, 98);
}

#[test]
fn circles_in_f64() {
    spheres::<DVec2>("oracle_circle2d.json");
}

#[test]
fn circles_in_f32() {
    spheres::<Vec2>("oracle_circle2d.json");
}

#[test]
fn spheres_in_f64() {
    spheres::<DVec3>("oracle_sphere3d.json");
}

#[test]
fn spheres_in_f32() {
    spheres::<Vec3>("oracle_sphere3d.json");
}

/// Returns the rows of a dimension that plain arithmetic does not reproduce.
fn wrong_ellipsoids<V: Vector>() -> Vec<(usize, Vec<&'static str>)> {
    let data = read("oracle_ellipsoid.json");
    let rows = data["rows"].as_array().unwrap().iter().enumerate();
    rows.filter(|(_, row)| row["dim"] == V::DIM)
        .map(|(i, row)| {
            let center: V = sixteenths(row, "center_times_16");
            let semi_axes = sixteenths(row, "semi_axes_times_16");
            (i, differences(row, Ellipsoid::new(center, semi_axes)))
        })
        .filter(|(_, different)| !different.is_empty())
        .collect()
}

#[test]
fn ellipsoids_in_f64() {
    assert_eq!(wrong_ellipsoids::<DVec2>(), []);
    assert_eq!(wrong_ellipsoids::<DVec3>(), []);
}

#[test]
fn ellipsoids_in_f32() {
    assert_eq!(wrong_ellipsoids::<Vec2>(), []);
    assert_eq!(wrong_ellipsoids::<Vec3>(), []);
}

fn boxes<V: Vector>(expected: usize) {
    let data = read("oracle_hollow_box.json");
    let rows = data["rows"].as_array().unwrap().iter();
    let mut asked = 0;
    for row in rows.filter(|row| row["dim"] == V::DIM) {
        let (min, max): (V, V) = (
            sixteenths(row, "lo_times_16"),
            sixteenths(row, "hi_times_16"),
        );
        let none: [&str; 0] = [];
        assert_eq!(differences(row, Aabb::new(min, max)), none, "{row}");
        asked += 1;
    }
    assert_eq!(asked, expected);
}

#[test]
fn boxes_in_f64() {
    boxes::<[f64; 1]>(0);
    boxes::<DVec2>(40);
    boxes::<DVec3>(40);
}

#[test]
fn boxes_in_f32() {
    boxes::<Vec2>(40);
    boxes::<Vec3>(40);
}

#[test]
fn a_large_sphere_has_about_as_many_voxels_as_the_formula_says() {
    let grid = VoxelGrid::new(DVec3::ZERO, 1.0);
    let mean = |radius: f64| {
        let centers = [[0.31, 0.77, 0.13], [0.5, 0.05, 0.9], [0.02, 0.41, 0.66]];
        let count = |c| grid.count(Hollow(Sphere::new(DVec3::from(c), radius)));
        centers.map(count).iter().sum::<u64>() as f64 / 3.0
    };
    for radius in [20.0, 100.3, 200.0] {
        let pi = std::f64::consts::PI;
        let expected = 6.0 * pi * radius * radius + 2.0 - pi / 4.0;
        let error = (mean(radius) / expected - 1.0).abs();
        assert!(error < 0.1 / radius, "{error} at {radius}");
    }
}
