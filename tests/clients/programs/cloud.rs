//! Point cloud: statistical outlier removal, DBSCAN (a method of trees), normals.
use orthant::glam::Vec3;
use orthant::{Nearest, Octree, SpatialIndex};

/// Returns the indices of the points that are not much farther from their `k` nearest than is usual.
fn inliers(points: &[Vec3], k: usize, deviations: f32) -> Vec<usize> {
    let tree = Octree::new(points);
    let mean_distance = |&point: &Vec3| {
        let near = tree.nearest_n(point, k + 1); // the point itself comes first
        near.iter().map(Nearest::distance).sum::<f32>() / k as f32
    };
    let means: Vec<f32> = points.iter().map(mean_distance).collect();
    let n = means.len() as f32;
    let mean = means.iter().sum::<f32>() / n;
    let variance = means.iter().map(|m| (m - mean).powi(2)).sum::<f32>() / n;
    let limit = mean + deviations * variance.sqrt();
    (0..points.len()).filter(|&i| means[i] <= limit).collect()
}

/// Returns the normal at each point, from its `k` nearest, turned towards the scanner.
fn normals(tree: &Octree, points: &[Vec3], k: usize, scanner: Vec3) -> Vec<Vec3> {
    let normal = |&point: &Vec3| {
        let near: Vec<Vec3> = tree
            .nearest_n(point, k)
            .iter()
            .map(|near| points[near.item])
            .collect();
        let normal = least_axis(&near);
        if normal.dot(scanner - point) < 0.0 {
            -normal
        } else {
            normal
        }
    };
    points.iter().map(normal).collect()
}

/// Returns the eigenvector of the least eigenvalue of the covariance, by Jacobi rotations.
fn least_axis(points: &[Vec3]) -> Vec3 {
    let center = points.iter().sum::<Vec3>() / points.len() as f32;
    let mut a = [[0.0_f64; 3]; 3];
    for d in points.iter().map(|&p| (p - center).as_dvec3().to_array()) {
        for (i, row) in a.iter_mut().enumerate() {
            for (j, entry) in row.iter_mut().enumerate() {
                *entry += d[i] * d[j];
            }
        }
    }
    let mut v = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _sweep in 0..10 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if a[p][q] == 0.0 {
                continue;
            }
            let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            for row in a.iter_mut().chain(&mut v) {
                (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
            }
            let (at_p, at_q) = (a[p], a[q]);
            a[p] = [0, 1, 2].map(|k| c * at_p[k] - s * at_q[k]);
            a[q] = [0, 1, 2].map(|k| s * at_p[k] + c * at_q[k]);
        }
    }
    let least = (0..3)
        .min_by(|&i, &j| a[i][i].total_cmp(&a[j][j]))
        .unwrap_or(0);
    Vec3::from_array(v.map(|row| row[least] as f32)).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    fn plain_nearest(points: &[Vec3], at: Vec3, k: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..points.len()).collect();
        all.sort_by(|&i, &j| {
            let [a, b] = [i, j].map(|i| points[i].distance_squared(at));
            a.total_cmp(&b).then(i.cmp(&j))
        });
        all.truncate(k);
        all
    }

    /// Returns the cluster of each point; `None` is noise.
    fn plain_dbscan(near: &[Vec<usize>], least: usize) -> Vec<Option<usize>> {
        let mut cluster = vec![None; near.len()];
        let mut clusters = 0;
        for start in 0..near.len() {
            if cluster[start].is_some() || near[start].len() < least {
                continue;
            }
            cluster[start] = Some(clusters);
            let mut waiting = vec![start];
            while let Some(core) = waiting.pop() {
                for &other in &near[core] {
                    if cluster[other].is_none() {
                        cluster[other] = Some(clusters);
                        if near[other].len() >= least {
                            waiting.push(other);
                        }
                    }
                }
            }
            clusters += 1;
        }
        cluster
    }

    #[test]
    fn all_answers_are_those_of_plain_loops() {
        let mut random = Random::new(3);
        // The scene has two balls scanned from outside, and dust.
        let centers = [Vec3::ZERO, Vec3::X * 5.0];
        let mut points: Vec<Vec3> = (0..1500)
            .map(|i| {
                centers[i % 2] + random.in_cube(-1.0, 1.0).normalize() * random.range(1.0, 1.01)
            })
            .collect();
        points.extend((0..40).map(|_| random.in_cube(-20.0, 20.0)));

        let kept = inliers(&points, 8, 1.0);
        let means: Vec<f32> = points
            .iter()
            .map(|&p| {
                plain_nearest(&points, p, 9)
                    .iter()
                    .map(|&j| points[j].distance_squared(p).sqrt())
                    .sum::<f32>()
                    / 8.0
            })
            .collect();
        let n = means.len() as f32;
        let mean = means.iter().sum::<f32>() / n;
        let limit = mean + (means.iter().map(|m| (m - mean).powi(2)).sum::<f32>() / n).sqrt();
        assert_eq!(
            kept,
            (0..points.len())
                .filter(|&i| means[i] <= limit)
                .collect::<Vec<_>>()
        );
        assert!(
            kept.iter().filter(|&&i| i < 1500).count() == 1500 && kept.len() < 1510,
            "{}",
            kept.len()
        );

        let points: Vec<Vec3> = kept.iter().map(|&i| points[i]).collect();
        let tree = Octree::new(&points);
        let mut near = Vec::new();
        for &point in &points {
            let is_near = |&j: &usize| points[j].distance_squared(point) <= 0.4 * 0.4;
            near.push((0..points.len()).filter(is_near).collect::<Vec<_>>());
            let nearest = tree.nearest_n(point, 12).into_iter().map(|near| near.item);
            assert!(nearest.eq(plain_nearest(&points, point, 12)));
        }
        for least in [3, 5, 10, 14] {
            let groups = tree.dbscan(0.4, least);
            let labels: Vec<Option<usize>> = (0..points.len()).map(|i| groups.label(i)).collect();
            assert_eq!(labels, plain_dbscan(&near, least));
        }
        let groups = tree.dbscan(0.4, 5);
        let cluster: Vec<Option<usize>> = (0..points.len()).map(|i| groups.label(i)).collect();
        for (i, &cluster) in cluster.iter().enumerate().take(1500) {
            assert_eq!(cluster, Some(i % 2));
        }
        assert!(
            cluster[1500..]
                .iter()
                .all(|cluster| cluster.is_none_or(|c| c < 2))
        );

        let normals = normals(&tree, &points, 12, Vec3::new(2.5, 0.0, 50.0));
        let ups = (0..1500).filter(|&i| points[i].z > 0.3).collect::<Vec<_>>();
        for &i in &ups {
            assert!(
                normals[i].dot(points[i] - centers[i % 2]) > 0.9,
                "{i} {} {}",
                normals[i],
                points[i]
            );
        }
        assert!(ups.len() > 400);
    }
}
