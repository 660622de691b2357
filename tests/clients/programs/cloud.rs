//! A point cloud: outliers are taken out, the rest is clustered, and each point gets a normal.

use orthant::glam::{Mat3, Vec3};
use orthant::{Nearest, NeighborLists, Octree, SpatialIndex};

use crate::random;

/// Keeps the points whose mean distance to their `k` nearest others is at most `factor` deviations above
/// the mean of all (statistical outlier removal).
fn without_outliers(points: &[Vec3], k: usize, factor: f32) -> Vec<Vec3> {
    let tree = Octree::new(points);
    let mean = |&point: &Vec3| {
        let near = tree.nearest_n(point, k + 1); // the point itself is the first
        near.iter().map(Nearest::distance).sum::<f32>() / k as f32
    };
    let means: Vec<f32> = points.iter().map(mean).collect();
    let count = means.len() as f32;
    let average = means.iter().sum::<f32>() / count;
    let variance = means.iter().map(|m| (m - average).powi(2)).sum::<f32>() / count;
    let limit = average + factor * variance.sqrt();
    let kept = points
        .iter()
        .zip(&means)
        .filter(|(_, mean)| **mean <= limit);
    kept.map(|(point, _)| *point).collect()
}

/// DBSCAN (M. Ester et al., 1996): the cluster of each point, none for noise.
fn clusters(points: &[Vec3], radius: f32, least: usize) -> Vec<Option<usize>> {
    let near: NeighborLists = Octree::new(points).neighbors(radius);
    let is_core = |i: usize| near[i].len() >= least;
    let mut cluster = vec![None; points.len()];
    let mut count = 0;
    for start in 0..points.len() {
        if cluster[start].is_some() || !is_core(start) {
            continue;
        }
        let mut open = vec![start];
        while let Some(i) = open.pop() {
            if cluster[i].is_none() {
                cluster[i] = Some(count);
                if is_core(i) {
                    open.extend(near.list(i));
                }
            }
        }
        count += 1;
    }
    cluster
}

/// The direction in which the `k` nearest points spread least.
fn normals(points: &[Vec3], k: usize) -> Vec<Vec3> {
    let tree = Octree::new(points);
    let normal = |&point: &Vec3| {
        let near: Vec<Vec3> = tree
            .nearest_n(point, k)
            .iter()
            .map(|near| points[near.item])
            .collect();
        let center = near.iter().sum::<Vec3>() / near.len() as f32;
        let outer = |d: Vec3| Mat3::from_cols(d * d.x, d * d.y, d * d.z);
        let spread = near.iter().map(|&p| outer(p - center));
        let spread = spread.fold(Mat3::from_diagonal(Vec3::splat(1e-6)), |a, b| a + b);
        // The inverse has the same axes, and that of the least spread is its longest.
        let inverse = spread.inverse();
        let start = Vec3::new(0.5, 0.6, 0.7);
        (0..30).fold(start, |axis, _| (inverse * axis).normalize())
    };
    points.iter().map(normal).collect()
}

#[test]
fn a_wall_a_ball_and_dust() {
    let mut random = random(3);
    let mut vector = || Vec3::new(random(), random(), random());
    let wall = (0..900).map(|i| Vec3::new((i % 30) as f32, (i / 30) as f32, 0.0) * 0.1);
    let mut points: Vec<Vec3> = wall
        .map(|p| p + vector().with_x(0.0).with_y(0.0) * 0.01)
        .collect();
    let ball = (0..500).map(|_| Vec3::new(10.0, 0.0, 5.0) + (vector() - 0.5).normalize());
    points.extend(ball);
    let dust = [
        Vec3::splat(30.0),
        Vec3::new(-20.0, 4.0, 0.0),
        Vec3::Y * 40.0,
    ];
    points.extend(dust);

    let clean = without_outliers(&points, 8, 3.0);
    assert_eq!(clean, points[..1400]);

    let found = clusters(&points, 0.35, 5);
    assert!(found[..900].iter().all(|&c| c == Some(0)));
    assert!(found[900..1400].iter().all(|&c| c == Some(1)));
    assert!(found[1400..].iter().all(Option::is_none));

    let normals = normals(&clean, 12);
    assert!(normals[..900].iter().all(|normal| normal.z.abs() > 0.95));
    let outward = |i: &usize| {
        (clean[*i] - Vec3::new(10.0, 0.0, 5.0))
            .dot(normals[*i])
            .abs()
            > 0.9
    };
    let right = (900..1400).filter(outward).count();
    assert!(right > 480, "{right}");
}

#[test]
fn clusters_are_those_of_comparing_all() {
    let mut random = random(4);
    let points: Vec<Vec3> = (0..400)
        .map(|_| Vec3::new(random(), random(), 0.1 * random()) * 10.0)
        .collect();
    let near = |i: usize| {
        let points = &points;
        (0..points.len()).filter(move |&j| (points[i] - points[j]).length_squared() <= 0.25)
    };
    let core: Vec<bool> = (0..400).map(|i| near(i).count() >= 4).collect();
    let found = clusters(&points, 0.5, 4);
    for i in 0..400 {
        assert_eq!(found[i].is_some(), core[i] || near(i).any(|j| core[j]));
        assert!(near(i).all(|j| !core[i] || !core[j] || found[i] == found[j]));
    }
    assert!(found.iter().flatten().max().is_some_and(|&most| most > 3));
}
