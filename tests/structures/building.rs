//! Building an `Orthtree` gives the same tree on any number of threads and with any instruction set, in new memory or in that of an old tree,
//! for any distribution of points.

use std::fmt::{Debug, Write};
use std::hash::{DefaultHasher, Hasher};

use orthant::glam::{DVec2, Vec2, Vec3};
use orthant::{Aabb, Bounded, Error, InstructionSet, Linear, LooseOrthtree, Orthtree, Sphere};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// A number of points that is sorted in parts and divided among threads.
const MANY: usize = 140_000;

fn random() -> SmallRng {
    SmallRng::seed_from_u64(4)
}

/// Makes points, half of them in a small part of the whole.
fn clustered(many: usize) -> Vec<Vec3> {
    let random = &mut random();
    let mut point = |i: usize| {
        let scale = if i.is_multiple_of(2) { 1.0 } else { 0.001 };
        Vec3::from_array(std::array::from_fn(|_| scale * random.random::<f32>()))
    };
    (0..many).map(&mut point).collect()
}

/// Hashes all that a tree consists of.
fn digest(tree: &impl Debug) -> u64 {
    struct Digest(DefaultHasher);
    impl Write for Digest {
        fn write_str(&mut self, part: &str) -> std::fmt::Result {
            self.0.write(part.as_bytes());
            Ok(())
        }
    }
    let mut digest = Digest(DefaultHasher::new());
    write!(digest, "{tree:?}").unwrap();
    digest.0.finish()
}

fn same_on_any_threads<T: Bounded + Clone + Debug + Send + Sync>(items: &[T]) {
    let expected = Orthtree::new(items);
    expected.validate().unwrap();
    // Without the feature one thread does everything.
    let most = if cfg!(feature = "rayon") { 4 } else { 0 };
    for threads in 1..=most {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let build = || Orthtree::new(items);
        let tree = pool.build().unwrap().install(build);
        assert_eq!(digest(&tree), digest(&expected), "{threads} threads");
    }
    for set in InstructionSet::available() {
        let mut tree = Orthtree::new(&[]).with_instructions(set);
        tree.rebuild(items).unwrap();
        let tree = tree.with_instructions(InstructionSet::best());
        assert_eq!(digest(&tree), digest(&expected), "{set}");
    }
}

#[test]
fn points_on_any_threads() {
    same_on_any_threads(&clustered(MANY));
}

#[test]
fn points_of_the_plane_on_any_threads() {
    let points = clustered(MANY).into_iter().map(|p| p.truncate().as_dvec2());
    same_on_any_threads(&points.collect::<Vec<DVec2>>());
}

#[test]
fn boxes_on_any_threads() {
    let boxes = clustered(20_000).into_iter().map(|p| Aabb::new(p, p * 1.5));
    same_on_any_threads(&boxes.collect::<Vec<_>>());
}

#[test]
fn spheres_on_any_threads() {
    let spheres = clustered(20_000).into_iter().map(|p| Sphere::new(p, p.x));
    same_on_any_threads(&spheres.collect::<Vec<_>>());
}

#[test]
fn rebuilt_is_built() {
    let points = clustered(5000);
    let mut tree = Orthtree::new(&points);
    let bytes = tree.bytes();
    let turned: Vec<Vec3> = points.iter().rev().copied().collect();
    tree.rebuild(&turned).unwrap();
    assert_eq!(digest(&tree), digest(&Orthtree::new(&turned)));
    assert_eq!(tree.bytes(), bytes);
    for fewer in [1000, 64, 1, 0] {
        tree.rebuild(&points[..fewer]).unwrap();
        tree.validate().unwrap();
        assert_eq!(digest(&tree), digest(&Orthtree::new(&points[..fewer])));
        assert_eq!(tree.bytes(), bytes);
    }
    tree.rebuild(&points).unwrap();
    assert_eq!(digest(&tree), digest(&Orthtree::new(&points)));
    assert_eq!(tree.bytes(), bytes);
}

#[test]
fn a_refused_rebuild_changes_nothing() {
    let points = clustered(MANY);
    let mut tree = Orthtree::new(&points[..500]);
    let before = digest(&tree);
    for bad in [0, 17, 70_000, MANY - 1] {
        let mut points = points.clone();
        points[bad].y = f32::NAN;
        points[MANY - 1].z = f32::INFINITY;
        let refused = tree.rebuild(&points).unwrap_err();
        assert!(matches!(refused, Error::Item { index, .. } if index == bad));
        assert_eq!(digest(&tree), before);
    }
}

#[test]
fn points_take_few_bytes() {
    let points = clustered(100_000);
    for many in [1000, 2000, 4000, 10_000, 33_000, 64_000, 70_000, 100_000] {
        let tree = Orthtree::new(&points[..many]);
        let bytes = tree.bytes() as f64 / many as f64;
        assert!(bytes <= 20.0, "{bytes} bytes a point of {many}");
    }
}

/// Checks counts at some of the points and at 0.
fn counts_right(points: &[Vec3]) {
    let tree = Orthtree::new(points);
    tree.validate().unwrap();
    let scan = Linear::new(points);
    let centers = points.iter().step_by(points.len() / 3).copied();
    for center in centers.chain([Vec3::ZERO]) {
        for radius in [0.0, 1e-30, 1e-9, 0.01, 0.3] {
            let ball = Sphere::new(center, radius);
            assert_eq!(tree.count(ball), scan.count(ball), "{ball:?}");
        }
    }
}

/// Makes points from their index and random coordinates, in a number that takes several requantizations.
fn scene(mut point: impl FnMut(usize, Vec3, f32) -> Vec3) -> Vec<Vec3> {
    let random = &mut random();
    let mut next = |i| point(i, Vec3::from_array(random.random()), random.random());
    (0..100_000).map(&mut next).collect()
}

#[test]
fn identical_points() {
    counts_right(&scene(|_, _, _| Vec3::splat(0.3)));
}

#[test]
fn few_distinct_points() {
    counts_right(&scene(|_, at, _| (3.0 * at).floor() / 3.0));
}

#[test]
fn points_on_a_line() {
    counts_right(&scene(|_, at, _| at.with_y(0.25).with_z(0.25)));
}

#[test]
fn points_on_a_plane() {
    counts_right(&scene(|_, at, _| at.with_z(0.25)));
}

#[test]
fn points_of_a_lattice() {
    counts_right(&scene(|i, _, _| {
        let cell = [i % 47, i / 47 % 47, i / (47 * 47)];
        Vec3::from_array(cell.map(|at| at as f32 / 64.0))
    }));
}

/// Each shell has as many points as the next, which is twice as wide, down to where `f32` loses digits.
#[test]
fn points_closer_and_closer() {
    counts_right(&scene(|_, at, more| (at - 0.5) * (-130.0 * more).exp2()));
    counts_right(&scene(|_, at, more| {
        Vec3::ONE + (at - 0.5) * (-30.0 * more).exp2()
    }));
    counts_right(&scene(|_, at, _| (-60.0 * at).exp2()));
}

/// All points but one lie in one cell, about 0 or elsewhere.
#[test]
fn a_point_far_away() {
    for far in [1e9, 1e30, f32::MAX] {
        let far = Vec3::splat(far);
        counts_right(&scene(|i, at, _| if i == 7 { far } else { at }));
        counts_right(&scene(|i, at, _| if i == 7 { -far } else { at - 0.5 }));
    }
}

#[test]
fn doubles_closer_than_codes() {
    let random = &mut random();
    let mut point = || {
        let scale = (-900.0 * random.random::<f64>()).exp2();
        DVec2::new(1.0 + 1e-9 * random.random::<f64>(), scale)
    };
    let points: Vec<DVec2> = (0..20_000).map(|_| point()).collect();
    let tree = Orthtree::new(&points);
    tree.validate().unwrap();
    let scan = Linear::new(&points);
    for &center in points.iter().step_by(5000) {
        let ball = Sphere::new(center, 3e-10);
        assert_eq!(tree.count(ball), scan.count(ball));
    }
}

#[test]
fn bounds_are_tight() {
    let points = clustered(3000);
    let (low, high) = (points.iter().copied(), points.iter().copied());
    let low = low.reduce(Vec3::min).unwrap();
    let high = high.reduce(Vec3::max).unwrap();
    let tree = Orthtree::new(&points);
    assert_eq!(tree.bounds(), Some(Aabb::new(low, high)));
    let plane: Vec<Vec2> = points.iter().map(|p| p.truncate()).collect();
    let tree = Orthtree::new(&plane);
    assert_eq!(
        tree.bounds(),
        Some(Aabb::new(low.truncate(), high.truncate()))
    );
}

/// A user's item, which may report any core and radius.
#[derive(Clone, Copy)]
struct Blob(f32);

impl Bounded for Blob {
    type Vector = Vec2;

    const HAS_RADIUS: bool = true;

    fn core(&self) -> Aabb<Vec2> {
        Aabb::new(Vec2::ZERO, Vec2::ONE)
    }

    fn radius(&self) -> f32 {
        self.0
    }
}

#[test]
fn radii_that_are_none_are_refused() {
    for radius in [-1.0, -f32::MIN_POSITIVE, f32::INFINITY, f32::NAN] {
        let blobs = [Blob(0.0), Blob(f32::MAX), Blob(radius)];
        assert!(Orthtree::try_new(&blobs[..2]).is_ok());
        let Err(error) = Orthtree::try_new(&blobs) else {
            panic!("a radius of {radius}");
        };
        assert!(error.to_string().starts_with("item 2: "), "{error}");
        let mut loose = LooseOrthtree::new();
        assert!(loose.try_insert(blobs[1]).is_ok());
        assert!(loose.try_insert(blobs[2]).is_err(), "{radius}");
        assert_eq!(loose.len(), 1);
    }
}
