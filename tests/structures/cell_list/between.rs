//! The pairs of two sets.

use orthant::glam::{DVec3, Vec3};
use orthant::{Aabb, CellList, NeighborLists, Periodic, Scalar, Vector};

use super::inputs::{lattice, point, scenes, uniform};
use super::truth::{images, length_sq, sets};

fn check<V: Vector>(points: &[V], others: &[V], radius: V::Scalar, periodic: Option<Periodic<V>>) {
    let limit = radius * radius;
    let minus = |a: V, b: V| V::from_fn(|axis| a.axis(axis) - b.axis(axis));
    let mut expected = Vec::new();
    let wrap = |p: V| periodic.map_or(p, |periodic| periodic.wrap(p));
    let all = periodic.map(|periodic| images(&periodic, 4));
    for (j, &q) in others.iter().enumerate() {
        let offsets = match (&periodic, &all) {
            (Some(periodic), Some(all)) => all.iter().map(|&k| periodic.offset(k)).collect(),
            _ => vec![V::splat(V::Scalar::ZERO)],
        };
        for (i, &p) in points.iter().enumerate() {
            for &offset in &offsets {
                let displacement = minus(minus(wrap(q), wrap(p)), offset);
                if length_sq(displacement) <= limit {
                    expected.push((i, j, displacement));
                }
            }
        }
    }
    let mut cells = match periodic {
        Some(periodic) => CellList::new_periodic(points, radius, periodic),
        None => CellList::new(points, radius),
    };
    for set in sets() {
        cells = cells.with_instructions(set);
        let what = format!("radius {radius}, {periodic:?}, {set}");
        let mut lists = NeighborLists::new();
        cells.neighbors_of_into(others, &mut lists).unwrap();
        assert_eq!(lists.len(), others.len());
        for (j, list) in lists.iter().enumerate() {
            let near = expected.iter().filter(|pair| pair.1 == j);
            let near: Vec<u32> = near.map(|pair| pair.0 as u32).collect();
            let mut list = list.to_vec();
            list.sort_unstable();
            assert_eq!(list, near, "{what}");
        }
        let mut each = Vec::new();
        let push = |i, j, v, distance_sq| {
            assert_eq!(distance_sq, length_sq(v));
            each.push((i, j, v));
        };
        cells.for_each_pair_with(others, push).unwrap();
        assert_eq!(
            super::truth::keys(&each),
            super::truth::keys(&expected),
            "{what}"
        );
        assert_eq!(
            cells.count_pairs_with(others),
            Ok(expected.len() as u64),
            "{what}"
        );
        let ends = [radius * V::Scalar::from_f64(0.5), radius];
        let counts = super::truth::bins(&expected, &ends);
        assert_eq!(cells.pair_counts_with(others, &ends), Ok(counts), "{what}");
    }
}

fn check_scenes<V: Vector>() {
    let others = [
        lattice::<V>(40, 8, -1.0, 0.5),
        uniform(20, -0.5, 2.0),
        vec![
            point(|_| 1e9),
            point(|_| -1e9),
            point(|_| 1e7),
            point(|_| 0.5),
        ],
        Vec::new(),
    ];
    for (_, points, radii) in scenes::<V>() {
        for others in &others {
            for &radius in &radii {
                let radius = V::Scalar::from_f64(radius);
                // If squares of halves vanished, the comparison would say little.
                if radius > V::Scalar::from_f64(1e-20) {
                    check(&points, others, radius, None);
                }
            }
        }
    }
}

#[test]
fn scenes_of_two_sets() {
    check_scenes::<Vec3>();
}

#[test]
fn boxes_of_two_sets() {
    let vectors = [
        DVec3::new(5.0, 0.0, 0.0),
        DVec3::new(2.0, 4.0, 0.0),
        DVec3::new(1.0, -1.0, 4.5),
    ];
    let bounds = Aabb::new(DVec3::ZERO, DVec3::new(4.0, 4.0, 5.0));
    for periodic in [
        Periodic::new(bounds),
        Periodic::on_axes(bounds, [true, false, false]),
        Periodic::spanned(DVec3::ZERO, vectors),
        Periodic::spanned_along(DVec3::ONE, vectors, [false, true, true]),
    ] {
        for radius in [0.5, 1.0, 2.5, 6.0] {
            let points = lattice(20, 9, -2.0, 1.0);
            check(&points, &uniform(15, -3.0, 9.0), radius, Some(periodic));
            check(&points, &lattice(15, 9, -3.0, 1.0), radius, Some(periodic));
        }
    }
}
