//! The neighbors, found point by point and image by image.

use orthant::{InstructionSet, Linear, Periodic, Scalar, Sphere, Vector, Voxel};

/// A pair, the lower index first, and the displacement between.
pub(crate) type Pair<V> = (usize, usize, V);

pub(crate) fn length_sq<V: Vector>(v: V) -> V::Scalar {
    let mut sum = v.axis(0) * v.axis(0);
    for a in 1..V::DIM {
        sum = sum + v.axis(a) * v.axis(a);
    }
    sum
}

fn minus<V: Vector>(a: V, b: V) -> V {
    V::from_fn(|axis| a.axis(axis) - b.axis(axis))
}

fn plus<V: Vector>(a: V, b: V) -> V {
    V::from_fn(|axis| a.axis(axis) + b.axis(axis))
}

/// Returns all images within `many` boxes on each side.
pub(crate) fn images<V: Vector>(periodic: &Periodic<V>, many: i32) -> Vec<V::Voxel> {
    let mut all = vec![[0; 4]];
    for a in (0..V::DIM).filter(|&a| periodic.lengths().axis(a) > V::Scalar::ZERO) {
        let each = |image: [i32; 4]| {
            (-many..=many).map(move |k| {
                let mut image = image;
                image[a] = k;
                image
            })
        };
        all = all.into_iter().flat_map(each).collect();
    }
    let voxel = |image: [i32; 4]| V::Voxel::from_fn(|a| image[a]);
    all.into_iter().map(voxel).collect()
}

/// Returns how many boxes away a radius may reach from points in the box.
fn boxes<V: Vector>(periodic: &Periodic<V>, radius: V::Scalar) -> i32 {
    let heights = (0..V::DIM).map(|a| periodic.lengths().axis(a).into());
    let least = heights.filter(|&h| h > 0.0).fold(f64::INFINITY, f64::min);
    let radius: f64 = radius.into();
    (radius / least).ceil() as i32 + 1
}

/// Returns all pairs within a radius, in the order of their indices and images.
pub(crate) fn pairs<V: Vector>(
    points: &[V],
    radius: V::Scalar,
    periodic: Option<&Periodic<V>>,
) -> Vec<Pair<V>> {
    let limit = radius * radius;
    let mut found = Vec::new();
    let Some(periodic) = periodic else {
        for (i, &p) in points.iter().enumerate() {
            for (j, &q) in points.iter().enumerate().skip(i + 1) {
                let displacement = minus(q, p);
                if length_sq(displacement) <= limit {
                    found.push((i, j, displacement));
                }
            }
        }
        return found;
    };
    let points: Vec<V> = points.iter().map(|&p| periodic.wrap(p)).collect();
    let images = images(periodic, boxes(periodic, radius));
    for (i, &p) in points.iter().enumerate() {
        for (j, &q) in points.iter().enumerate().skip(i) {
            for &image in &images {
                let last = (0..V::DIM).rev().map(|a| image.axis(a)).find(|&k| k != 0);
                if i == j && last.is_none_or(|k| k < 0) {
                    continue;
                }
                let displacement = plus(minus(q, p), periodic.offset(image));
                if length_sq(displacement) <= limit {
                    found.push((i, j, displacement));
                }
            }
        }
    }
    found
}

/// Returns the pairs within the box as the scan finds them: a ball about the point of the lower index overlaps the other point.
pub(crate) fn pairs_of_scan<V: Vector>(
    points: &[V],
    radius: V::Scalar,
    periodic: &Periodic<V>,
) -> usize {
    let points: Vec<V> = points.iter().map(|&p| periodic.wrap(p)).collect();
    let scan = Linear::new(&points);
    let near = |(i, &p): (usize, &V)| {
        let ball = Sphere::new(p, radius);
        let near = periodic.query(&scan, ball).expect("few images");
        near.filter(|&(j, image)| {
            let last = (0..V::DIM).rev().map(|a| image.axis(a)).find(|&k| k != 0);
            j > i || j == i && last.is_some_and(|k| k > 0)
        })
        .count()
    };
    points.iter().enumerate().map(near).sum()
}

/// Returns the neighbors of each point, itself included.
pub(crate) fn lists<V: Vector>(points: usize, pairs: &[Pair<V>]) -> Vec<Vec<u32>> {
    let mut lists: Vec<Vec<u32>> = (0..points as u32).map(|i| vec![i]).collect();
    for &(i, j, _) in pairs {
        lists[i].push(j as u32);
        lists[j].push(i as u32);
    }
    lists.iter_mut().for_each(|list| list.sort_unstable());
    lists
}

/// Returns the pairs in a form that can be compared, with displacements as bits.
pub(crate) fn keys<V: Vector>(pairs: &[Pair<V>]) -> Vec<(usize, usize, Vec<u64>)> {
    let bits = |v: V| {
        (0..V::DIM)
            .map(|a| Into::<f64>::into(v.axis(a)).to_bits())
            .collect()
    };
    let mut keys: Vec<_> = pairs.iter().map(|&(i, j, v)| (i, j, bits(v))).collect();
    keys.sort_unstable();
    keys
}

/// Counts the pairs in each bin of distances.
pub(crate) fn bins<V: Vector>(pairs: &[Pair<V>], ends: &[V::Scalar]) -> Vec<u64> {
    let mut counts = vec![0; ends.len()];
    for &(_, _, v) in pairs {
        if let Some(bin) = ends.iter().position(|&end| length_sq(v) <= end * end) {
            counts[bin] += 1;
        }
    }
    counts
}

pub(crate) fn sets() -> Vec<InstructionSet> {
    InstructionSet::available().collect()
}
