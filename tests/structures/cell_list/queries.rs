//! Queries of a cell list by balls of all sizes, with all instruction sets.

use core::ops::ControlFlow;

use orthant::glam::{DVec2, Vec3};
use orthant::{
    Aabb, Bounded, CellList, Hollow, Linear, Overlaps, Periodic, Region, Scalar, SpatialIndex,
    Sphere, Vector,
};

use super::inputs::{scenes, uniform};
use super::truth::sets;

/// Compares all forms of one answer with the scan.
fn ask<V: Vector, R>(cells: &CellList<V>, scan: &Linear<V>, region: R, what: &str)
where
    R: Region<Vector = V> + Overlaps<V> + Copy + Sync,
{
    let expected: Vec<usize> = scan.query(region).collect();
    let mut one_by_one: Vec<usize> = Vec::new();
    let mut query = cells.query(region);
    one_by_one.extend(query.by_ref().take(3));
    query.for_each(|index| one_by_one.push(index));
    let mut visited = Vec::new();
    let _ = cells.visit(region, |index| {
        visited.push(index);
        ControlFlow::<()>::Continue(())
    });
    assert_eq!(visited, one_by_one, "{what}");
    let all: Vec<u32> = visited.iter().map(|&index| index as u32).collect();
    assert_eq!(cells.query_batch(&[region])[0], all, "{what}");
    let mut query = cells.query(region);
    let first = query.next();
    assert_eq!(first, visited.first().copied(), "{what}");
    let left = expected.len().saturating_sub(1);
    assert_eq!(query.count(), left, "{what}");
    assert_eq!(cells.count(region), expected.len(), "{what}");
    let broken = cells.visit(region, ControlFlow::Break);
    let first = first.map_or(ControlFlow::Continue(()), ControlFlow::Break);
    assert_eq!(broken, first, "{what}");
    visited.sort_unstable();
    assert_eq!(visited, expected, "{what}");
}

fn check<V: Vector>() {
    for (name, points, radii) in scenes::<V>() {
        let scan = Linear::new(&points);
        for radius in radii.into_iter().map(V::Scalar::from_f64) {
            if radius <= V::Scalar::ZERO {
                continue;
            }
            let mut cells = CellList::new(&points, radius);
            for set in sets() {
                cells = cells.with_instructions(set);
                for times in [0.0, 0.3, 1.0, 2.5, 9.0] {
                    let ball = |&center: &V| {
                        Sphere::try_new(center, radius * V::Scalar::from_f64(times)).ok()
                    };
                    for ball in points.iter().step_by(7).filter_map(ball) {
                        let what = format!("{name}, cells of {radius}, {ball:?}, {set}");
                        ask(&cells, &scan, ball, &what);
                        ask(&cells, &scan, Hollow(ball), &what);
                        ask(&cells, &scan, ball.bounds(), &what);
                    }
                }
            }
        }
    }
}

#[test]
fn balls_of_all_sizes() {
    check::<Vec3>();
    check::<DVec2>();
}

/// One run has more items than a search collects at a time, and balls lie outside.
#[test]
fn many_in_a_cell_and_balls_outside() {
    let points = uniform::<Vec3>(3000, 0.0, 1.0);
    let scan = Linear::new(&points);
    let periodic = Periodic::new(Aabb::new(Vec3::ZERO, Vec3::ONE));
    for cells in [
        CellList::new(&points, 2.0),
        CellList::new(&points, 0.2),
        CellList::new_periodic(&points, 0.2, periodic),
    ] {
        for (center, radius) in [(0.5, 0.4), (0.5, 3.0), (-1.0, 0.5), (1.1, 0.3), (7.0, 1e30)] {
            let ball = Sphere::new(Vec3::splat(center), radius);
            ask(&cells, &scan, ball, &format!("{ball:?}"));
        }
    }
}

/// Blocks of many cells lie inside a region, in grids that store all cells and in grids that store only occupied ones.
#[test]
fn regions_that_hold_blocks_of_cells() {
    let dense = uniform::<Vec3>(6000, 0.0, 1.0);
    let mut sparse = uniform::<Vec3>(3000, 0.0, 1.0);
    sparse.extend(uniform::<Vec3>(20, -3e4, 6e4));
    for points in [dense, sparse] {
        let scan = Linear::new(&points);
        let cells = CellList::new(&points, 0.05);
        for (center, radius) in [
            (0.5, 0.45),
            (0.4, 0.7),
            (0.0, 0.8),
            (0.5, 0.9),
            (1e4, 1.7e4),
        ] {
            let ball = Sphere::new(Vec3::new(center, center, 0.6 * center), radius);
            ask(&cells, &scan, ball, &format!("{ball:?}"));
            let cuboid = ball.bounds();
            ask(&cells, &scan, cuboid, &format!("{cuboid:?}"));
            ask(&cells, &scan, Hollow(ball), &format!("hollow {ball:?}"));
        }
    }
}
