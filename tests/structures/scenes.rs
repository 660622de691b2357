//! Compares every structure with the scan on sets that make trees degenerate, large enough for many levels.

use orthant::glam::{DVec3, Vec2, Vec3};
use orthant::{
    Aabb, Broadphase, CellList, Handle, Hollow, Linear, LooseOrthtree, Motion, Orthtree, Scalar,
    SpatialIndex, Sphere, Vector,
};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

const POINTS: usize = 4000;

fn check<V: Vector>(points: &[V], seed: u64) {
    let mut random = SmallRng::seed_from_u64(seed);
    let scan = Linear::new(points);
    let tree = Orthtree::new(points);
    tree.validate().unwrap();
    let mut loose = LooseOrthtree::new();
    for &p in points {
        loose.insert(p);
    }
    loose.validate().unwrap();
    let mut world = Broadphase::new();
    // Boxes are static, since coincident dynamic boxes would be too many pairs.
    world.insert_batch(points.iter().map(|&p| (Aabb::new(p, p), Motion::Static)));
    world.update();
    world.validate().unwrap();
    for _ in 0..20 {
        let a = points[random.random_range(0..points.len())];
        let b = points[random.random_range(0..points.len())];
        let apart: f64 = Linear::new(&[a]).nearest(b).unwrap().distance().into();
        for scale in [0.0, 0.01, 1.0] {
            let radius: V::Scalar = Scalar::from_f64(apart * scale);
            let size = radius.larger(Scalar::from_f64(1e-3));
            let cells = CellList::new(points, size);
            let ball = Sphere::new(a, radius);
            let expected: Vec<usize> = scan.query(ball).collect();
            assert!(!expected.is_empty());
            let mut found: Vec<usize> = tree.query(ball).collect();
            found.sort_unstable();
            assert_eq!(found, expected);
            assert_eq!(tree.count(ball), expected.len());
            let mut found: Vec<usize> = loose.query(ball).map(Handle::slot).collect();
            found.sort_unstable();
            assert_eq!(found, expected);
            let mut found: Vec<usize> = world.query(ball).map(Handle::slot).collect();
            found.sort_unstable();
            assert_eq!(found, expected);
            let mut found: Vec<usize> = cells.query(ball).collect();
            found.sort_unstable();
            assert_eq!(found, expected);
            let skin = Hollow(ball);
            assert_eq!(tree.count(skin), scan.count(skin));
            assert_eq!(cells.count(skin), scan.count(skin));
        }
        assert_eq!(tree.nearest_n(b, 9), scan.nearest_n(b, 9));
        let found = world.nearest_n(b, 9);
        let found = found.iter().map(|n| (n.item.slot(), n.distance_sq));
        let expected = scan.nearest_n(b, 9);
        assert!(found.eq(expected.iter().map(|n| (n.item, n.distance_sq))));
        let cells = CellList::new(points, Scalar::from_f64(1.0));
        assert_eq!(cells.nearest_n(b, 9), scan.nearest_n(b, 9));
    }
}

/// Checks a scene in single and double precision.
fn scene(seed: u64, mut point: impl FnMut(&mut SmallRng) -> [f64; 3]) {
    let mut random = SmallRng::seed_from_u64(seed);
    let points: Vec<DVec3> = (0..POINTS).map(|_| point(&mut random).into()).collect();
    check(&points, seed);
    let single: Vec<Vec3> = points.iter().map(|p| p.as_vec3()).collect();
    check(&single, seed);
    let flat: Vec<Vec2> = single.iter().map(|p| p.truncate()).collect();
    check(&flat, seed);
}

#[test]
fn uniform() {
    scene(1, |random| std::array::from_fn(|_| random.random()));
}

#[test]
fn few_distinct() {
    scene(2, |random| {
        [f64::from(random.random_range(0..5)), 0.5, 0.25]
    });
}

#[test]
fn a_line() {
    scene(3, |random| [random.random(); 3]);
}

#[test]
fn a_plane() {
    scene(4, |random| [random.random(), random.random(), 7.0]);
}

#[test]
fn a_lattice() {
    scene(5, |random| {
        std::array::from_fn(|_| f64::from(random.random_range(0..12)))
    });
}

/// The coordinates of each point are a fraction of those before, so codes are exhausted many times over.
#[test]
fn exponentially_clustered() {
    let mut size = 1.0;
    scene(6, |random| {
        size *= 0.985;
        std::array::from_fn(|_| size * random.random::<f64>())
    });
}

/// Most points lie in one spot, far from a few others.
#[test]
fn outliers() {
    scene(7, |random| {
        let far = if random.random_bool(0.01) { 1e7 } else { 1e-3 };
        std::array::from_fn(|_| far * (random.random::<f64>() - 0.5))
    });
}
