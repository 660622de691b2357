//! Compares shells, narrow bands and thin surfaces with counts and hashes of exact integer arithmetic.

use orthant::{
    Hollow, Rule, Scalar, Sphere, Vector, VoxelGrid,
    glam::{DVec2, DVec3, Vec3},
};

use crate::oracle::{hash, read, sixteenths};

/// The largest number of voxels that is hashed; more take seconds.
const MOST: u64 = 4_000;

fn bands<V: Vector>() -> usize {
    let data = read("oracle_band.json");
    let rows = data["rows"].as_array().unwrap().iter();
    let mut asked = 0;
    for row in rows.filter(|row| row["dim"] == V::DIM) {
        let number = |key: &str| V::Scalar::from_f64(row[key].as_f64().unwrap());
        let skin = Hollow(Sphere::new(sixteenths(row, "center_times_16"), number("r")));
        // Voxel centers lie at the integers.
        let corner = V::splat(V::Scalar::from_f64(-0.5));
        let grid = VoxelGrid::new(corner, V::Scalar::ONE).with_rule(Rule::NarrowBand(number("w")));
        let count = row["strict"].as_u64().unwrap();
        assert_eq!(grid.count(skin), count, "{row}");
        if count <= MOST {
            assert_eq!(
                hash(grid.voxels(skin)),
                row["hash_strict"].as_str().unwrap(),
                "{row}"
            );
        }
        asked += 1;
    }
    asked
}

#[test]
fn narrow_bands() {
    assert_eq!(bands::<DVec2>() + bands::<DVec3>(), 1067);
    assert!(bands::<Vec3>() > 100);
}

fn thicknesses<V: Vector>() {
    let data = read("oracle_thickness3d.json");
    let rows = data["rows"].as_array().unwrap();
    let closed = VoxelGrid::new(V::splat(V::Scalar::ZERO), V::Scalar::ONE);
    for row in rows {
        let radius = V::Scalar::from_f64(row["r"].as_f64().unwrap());
        let skin = Hollow(Sphere::<V>::new(sixteenths(row, "center_times_16"), radius));
        let thin = closed.with_rule(Rule::Thin);
        let count = row["naive6"].as_u64().unwrap();
        assert_eq!(thin.count(skin), count, "{row}");
        if count <= MOST {
            assert_eq!(
                hash(thin.voxels(skin)),
                row["hash_naive6"].as_str().unwrap(),
                "{row}"
            );
        }
        for (thickness, count) in row["shell"].as_object().unwrap() {
            let thickness = V::Scalar::from_f64(thickness.parse().unwrap());
            let shell = closed.with_rule(Rule::Shell(thickness));
            assert_eq!(shell.count(skin), count.as_u64().unwrap(), "{row}");
        }
    }
    assert_eq!(rows.len(), 120);
}

#[test]
fn shells_and_thin_surfaces() {
    thicknesses::<DVec3>();
    thicknesses::<Vec3>();
}
