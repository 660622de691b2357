//! Compares components and clusters with plain models that test all pairs.

use orthant::glam::{DVec2, DVec3, Vec2, Vec3};
use orthant::{
    Aabb, CellList, Error, Groups, InstructionSet, Linear, Orthtree, Overlaps, Periodic, Scalar,
    Sphere, Vector, Voxel,
};
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

/// The neighbors of each point; one is listed once for each of its images that is near.
type Near = Vec<Vec<usize>>;

/// Returns the points within a radius of each point, itself included.
fn near<V: Vector>(points: &[V], radius: V::Scalar) -> Near {
    let reaches = radius >= V::Scalar::ZERO && radius.is_finite();
    let of = |p: &V| {
        if !reaches {
            let all = if radius >= V::Scalar::ZERO {
                points.len()
            } else {
                0
            };
            return (0..all).collect();
        }
        let ball = Sphere::new(*p, radius);
        let near = (0..points.len()).filter(|&j| ball.overlaps(&points[j]));
        near.collect()
    };
    points.iter().map(of).collect()
}

/// Returns the neighbors with the images of a periodic box. Pairs are those that the point of the lower index finds; images of a point itself
/// are those towards the upper end, each counted twice.
fn near_in_images<V: Vector>(points: &[V], radius: V::Scalar, periodic: &Periodic<V>) -> Near {
    let scan = Linear::new(points);
    let mut near: Near = (0..points.len()).map(|i| vec![i]).collect();
    for (i, &p) in points.iter().enumerate() {
        for (j, image) in periodic.query(&scan, Sphere::new(p, radius)).unwrap() {
            let last = (0..V::DIM).rev().map(|a| image.axis(a)).find(|&k| k != 0);
            if i < j || i == j && last.is_some_and(|k| k > 0) {
                near[i].push(j);
                near[j].push(i);
            }
        }
    }
    near
}

/// Follows scikit-learn's algorithm: from point to point, and from each core point to all points that it reaches.
fn model(near: &Near, least: usize) -> Vec<u32> {
    let mut labels = vec![Groups::NOISE; near.len()];
    let mut count = 0;
    for seed in 0..near.len() {
        if labels[seed] != Groups::NOISE || near[seed].len() < least {
            continue;
        }
        let mut waiting = vec![seed];
        labels[seed] = count;
        while let Some(point) = waiting.pop() {
            if near[point].len() >= least {
                for &other in &near[point] {
                    if labels[other] == Groups::NOISE {
                        labels[other] = count;
                        waiting.push(other);
                    }
                }
            }
        }
        count += 1;
    }
    labels
}

fn check_labels(groups: &Groups, labels: &[u32], what: &str) {
    assert_eq!(groups.labels(), labels, "{what}");
    let lists = groups.groups();
    assert_eq!(lists.len(), groups.len(), "{what}");
    for (group, list) in lists.iter().enumerate() {
        assert!(!list.is_empty() && list.is_sorted());
        assert!(list.iter().all(|item| groups.label(item) == Some(group)));
    }
    let noise = labels.iter().filter(|&&label| label == Groups::NOISE);
    assert_eq!(lists.items().len() + noise.count(), labels.len());
}

/// Returns all instruction sets, or only the best in debug builds unless `all` is set.
fn sets(all: bool) -> impl Iterator<Item = InstructionSet> {
    let all = all || !cfg!(debug_assertions);
    InstructionSet::available().filter(move |&set| all || set == InstructionSet::best())
}

fn check<V: Vector>(points: &[V], radius: f64, what: &str) {
    let radius = V::Scalar::from_f64(radius);
    let near = near(points, radius);
    let tree = Orthtree::new(points);
    for least in [0, 1, 2, 4, 10, 30, points.len(), usize::MAX] {
        let labels = model(&near, least);
        for set in sets(matches!(least, 0 | 4 | 10)) {
            let tree = tree.clone().with_instructions(set);
            let what = format!("{what}, radius {radius:?}, {least} points, {set:?}");
            check_labels(&tree.dbscan(radius, least), &labels, &what);
            if least == 0 {
                check_labels(&tree.components(radius), &labels, &what);
            }
        }
    }
}

/// Makes points in clusters of several sizes and densities, among noise.
fn clustered<V: Vector>(many: usize, seed: u64) -> Vec<V> {
    let mut random = SmallRng::seed_from_u64(seed);
    let point = |i: usize| {
        let (center, spread) = [(0.0, 1.0), (7.0, 0.3), (20.0, 4.0), (50.0, 60.0)][i % 4];
        V::from_fn(|_| V::Scalar::from_f64(center + spread * random.random_range(-1.0..1.0f64)))
    };
    (0..many).map(point).collect()
}

/// Makes points on a lattice, about `each` points at each place.
fn lattice<V: Vector>(many: usize, each: f64, step: f64) -> Vec<V> {
    let mut random = SmallRng::seed_from_u64(many as u64);
    let wide = ((many as f64 / each).powf(1.0 / V::DIM as f64).ceil() as i32).max(1);
    let point =
        |_| V::from_fn(|_| V::Scalar::from_f64(f64::from(random.random_range(0..wide)) * step));
    (0..many).map(point).collect()
}

fn scenes<V: Vector>() {
    for radius in [0.05, 0.3, 1.0, 3.0, 30.0, 1e3] {
        check::<V>(&clustered(700, 3), radius, "clustered");
    }
    // Many distances equal the radius, and places are sparse or dense.
    for each in [0.5, 2.0, 20.0] {
        for radius in [0.0, 1.0, 2.0] {
            check::<V>(&lattice(600, each, 1.0), radius, "lattice");
        }
        check::<V>(&lattice(600, each, 0.1), 0.1, "lattice of tenths");
        check::<V>(&lattice(600, each, 0.1), 0.3, "lattice of tenths");
    }
    let far = lattice::<V>(500, 1.0, 1.0);
    let far: Vec<V> = far
        .iter()
        .map(|p| V::from_fn(|a| p.axis(a) + V::Scalar::from_f64(1e6)))
        .collect();
    check(&far, 1.0, "far off");
    let coincident = vec![V::from_fn(|_| V::Scalar::from_f64(0.1)); 300];
    for radius in [0.0, 1.0] {
        check(&coincident, radius, "coincident");
    }
    for many in [0, 1, 2, 16, 17, 65] {
        check::<V>(&lattice(many, 1.0, 1.0), 1.0, "few");
    }
    for radius in [-1.0, f64::NAN, f64::INFINITY, 1e30] {
        check::<V>(&lattice(100, 1.0, 1.0), radius, "no radius");
    }
    // Squares of this radius vanish.
    let tiny = V::Scalar::MIN_POSITIVE.into();
    check::<V>(&lattice(200, 1.0, tiny), 0.0, "subnormal");
}

#[test]
fn in_the_plane() {
    scenes::<Vec2>();
    scenes::<DVec2>();
}

#[test]
fn in_space() {
    scenes::<Vec3>();
    scenes::<DVec3>();
}

#[test]
fn in_other_dimensions() {
    scenes::<[f32; 1]>();
    scenes::<[f64; 4]>();
}

#[test]
fn thousands_coincide() {
    let mut points = vec![[0.5f32, 0.5]; 20_000];
    points.extend((0..5000).map(|i| [i as f32, 9.0]));
    let tree = Orthtree::new(&points);
    let groups = tree.dbscan(1.0, 20_000);
    assert_eq!(
        (groups.len(), groups.label(19_999), groups.label(20_000)),
        (1, Some(0), None)
    );
    assert_eq!(tree.components(1.0).len(), 2);
    assert_eq!(tree.components(0.0).len(), 5001);
    assert!(tree.dbscan(1.0, 20_001).is_empty());
}

/// In rings within rings and in a long spiral, distant parts are joined only at the end.
#[test]
fn rings_and_chains() {
    let at = |radius: f64, turn: f64| [radius * turn.cos(), radius * turn.sin()];
    let mut points = Vec::new();
    for ring in 1..6 {
        let many = ring * 130;
        points.extend((0..many).map(|i| {
            at(
                f64::from(ring),
                f64::from(i) / f64::from(many) * std::f64::consts::TAU,
            )
        }));
    }
    points.extend((0..800).map(|i| at(8.0 + f64::from(i) * 0.002, f64::from(i) * 0.02)));
    for radius in [0.049, 0.1, 0.2, 0.6, 1.0] {
        check(&points, radius, "rings");
    }
    assert_eq!(Orthtree::new(&points).components(0.2).len(), 6);
}

fn check_box<V: Vector>(points: &[V], radii: &[f64], periodic: &Periodic<V>) {
    let tree = Orthtree::new(points);
    for &radius in radii {
        let radius = V::Scalar::from_f64(radius);
        let near = near_in_images(points, radius, periodic);
        for least in [0, 1, 2, 3, 9, 40] {
            let labels = model(&near, least);
            for set in sets(matches!(least, 0 | 3 | 9)) {
                let tree = tree.clone().with_instructions(set);
                let what = format!("{periodic:?}, radius {radius:?}, {least} points, {set:?}");
                let groups = periodic.dbscan(&tree, radius, least).unwrap();
                check_labels(&groups, &labels, &what);
                if least == 0 {
                    let components = periodic.components(&tree, radius).unwrap();
                    check_labels(&components, &labels, &what);
                }
            }
        }
    }
}

#[test]
fn in_periodic_boxes() {
    fn all<V: Vector>() {
        let bounds = |from: f64, to: f64| {
            let corner = |x: f64| V::from_fn(|_| V::Scalar::from_f64(x));
            Aabb::new(corner(from), corner(to))
        };
        let points = lattice::<V>(400, 1.0, 1.0);
        let wide = points.iter().map(|p| p.axis(0).into()).fold(0.0, f64::max) + 1.0;
        check_box(
            &points,
            &[0.0, 1.0, 2.0, wide],
            &Periodic::new(bounds(0.0, wide)),
        );
        check_box(&points, &[1.0], &Periodic::new(bounds(-3.0, 3.0)));
        let mut axes = V::axes(true);
        axes.as_mut()[1] = false;
        check_box(
            &points,
            &[1.0, 1.5],
            &Periodic::on_axes(bounds(0.0, wide + 0.1), axes),
        );
        // Moving the points far away, by tenths, rounds them.
        let off = V::Scalar::from_f64(1e4);
        let far = lattice::<V>(300, 1.0, 0.1);
        let far: Vec<V> = far
            .iter()
            .map(|p| V::from_fn(|a| p.axis(a) + off))
            .collect();
        check_box(&far, &[0.1, 0.2], &Periodic::new(bounds(1e4, 1e4 + 2.3)));
        check_box(
            &clustered(400, 8),
            &[0.3, 2.0],
            &Periodic::new(bounds(-10.0, 60.0)),
        );
    }
    all::<Vec2>();
    all::<Vec3>();
    all::<DVec3>();
}

/// Pairs of points, each in a row of its own, are so near the radius that it matters which of a pair is moved to the other's image.
#[test]
fn pairs_across_an_end_that_are_rounded_apart() {
    fn of<V: Vector>() {
        let random = &mut SmallRng::seed_from_u64(4);
        let epsilon: f64 = V::Scalar::EPSILON.into();
        let mut points = Vec::new();
        for row in 0..300 {
            // The low end is a fraction of the spacing of floats beside 1, the high end varies by some spacings.
            let low = f64::from(random.random_range(0..64)) * epsilon / 32.0;
            let high = 0.9 + f64::from(random.random_range(-2..3)) * epsilon;
            for x in [low, high] {
                points.push(V::from_fn(|axis| {
                    V::Scalar::from_f64(if axis == 0 { x } else { f64::from(row) })
                }));
            }
        }
        points.shuffle(random);
        let corner = |x, y| V::from_fn(|axis| V::Scalar::from_f64(if axis == 0 { x } else { y }));
        let mut axes = V::axes(false);
        axes.as_mut()[0] = true;
        let bounds = Aabb::new(corner(0.0, -1.0), corner(1.0, 301.0));
        let radii = [-1.0, -0.5, 0.0, 0.5, 1.0].map(|by| 0.1 + by * epsilon);
        check_box(&points, &radii, &Periodic::on_axes(bounds, axes));
    }
    of::<Vec2>();
    of::<DVec3>();
}

#[test]
fn in_skewed_cells() {
    let vectors = [[7.0f32, 0.0, 0.0], [2.0, 6.0, 0.0], [-3.0, 1.0, 8.0]];
    let periodic = Periodic::spanned([0.0; 3], vectors);
    let points = lattice::<[f32; 3]>(300, 1.0, 1.0);
    check_box(&points, &[1.0, 2.5], &periodic);
    let surface = Periodic::spanned_along([0.0; 3], vectors, [true, false, true]);
    check_box(&points, &[1.0, 2.5], &surface);
}

#[test]
fn those_of_a_cell_list() {
    let periodic = Periodic::new(Aabb::new(Vec3::ZERO, Vec3::splat(10.0)));
    let points: Vec<Vec3> = clustered::<Vec3>(900, 5)
        .iter()
        .map(|&p| periodic.wrap(p))
        .collect();
    for radius in [0.4, 1.0, 6.0] {
        let cells = CellList::new_periodic(&points, radius, periodic);
        let near: Near = cells
            .neighbors()
            .iter()
            .map(|list| list.iter().collect())
            .collect();
        let tree = Orthtree::new(&points);
        for least in [0, 5] {
            let groups = periodic.dbscan(&tree, radius, least).unwrap();
            check_labels(&groups, &model(&near, least), "a cell list");
        }
    }
}

#[test]
fn bad_radii_in_a_box() {
    let tree = Orthtree::new(&[[0.0f32], [1.0]]);
    let periodic = Periodic::new(Aabb::new([0.0], [2.0]));
    for radius in [300.0, f32::INFINITY, f32::MAX] {
        let refused = Err(Error::TooManyImages { region: 0, axis: 0 });
        assert_eq!(periodic.components(&tree, radius), refused);
    }
    assert_eq!(periodic.components(&tree, -1.0).unwrap().labels(), [0, 1]);
    assert!(periodic.dbscan(&tree, f32::NAN, 1).unwrap().is_empty());
    assert!(
        periodic
            .components(&Orthtree::new(&[]), 1.0)
            .unwrap()
            .is_empty()
    );
}

#[test]
fn threads_do_not_show() {
    let points = clustered::<Vec3>(20_000, 9);
    let tree = Orthtree::new(&points);
    let ask = || (tree.dbscan(0.5, 5), tree.components(0.2));
    let expected = ask();
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        assert_eq!(pool.build().unwrap().install(ask), expected);
    }
}
