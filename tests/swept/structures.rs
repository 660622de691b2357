//! Every structure answers bit for bit as the scan, and the scan as each item.

use std::cmp::Ordering;

use orthant::glam::{DVec2, DVec3, Vec2, Vec3};
use orthant::{
    Aabb, Bounded, Broadphase, CellLevels, CellList, Handle, Hexahedron, Hit, Hollow, Impact,
    Linear, LooseOrthtree, Motion, Mover, Moving, Orthtree, Overlaps, Quadrilateral, Ray, Reach,
    Region, Scalar, Space, SpatialIndex, Sphere, SphereTree, Sweep, Vector, Volume,
};
use proptest::prelude::*;

use crate::cases::cases;
use crate::lattice;

/// A position, a size and a displacement, in steps.
type Raw = ([i8; 3], [u8; 3], [i8; 3]);

/// An item, or a moving shape.
trait Make<V: Vector>: Bounded<Vector = V> + Clone + Sync + std::fmt::Debug {
    fn make(raw: &Raw, step: f64) -> Self;
}

fn place<V: Vector>(raw: &Raw, step: f64) -> V {
    lattice::place(&raw.0, 0.0, step)
}

fn size<V: Vector>(raw: &Raw, step: f64, a: usize) -> V::Scalar {
    Scalar::from_f64(f64::from(raw.1[a]) * step)
}

impl<V: Vector> Make<V> for V {
    fn make(raw: &Raw, step: f64) -> V {
        place(raw, step)
    }
}

impl<V: Vector> Make<V> for Aabb<V> {
    fn make(raw: &Raw, step: f64) -> Self {
        let min: V = place(raw, step);
        Aabb::new(min, V::from_fn(|a| min.axis(a) + size::<V>(raw, step, a)))
    }
}

impl<V: Vector> Make<V> for Sphere<V> {
    fn make(raw: &Raw, step: f64) -> Self {
        Sphere::new(place(raw, step), size::<V>(raw, step, 0))
    }
}

impl<V: Vector> Make<V> for Hollow<Aabb<V>> {
    fn make(raw: &Raw, step: f64) -> Self {
        Hollow(Make::make(raw, step))
    }
}

fn half<V: Vector>(raw: &Raw, step: f64) -> V {
    V::from_fn(|a| Scalar::from_f64(f64::from(raw.1[a].max(1)) * step * 0.25))
}

fn axis<V: Vector>(of: [f64; 3]) -> V {
    V::from_fn(|a| Scalar::from_f64(of[a]))
}

/// Makes a turned or an axis-aligned box.
fn turned<V: Vector + Space>(raw: &Raw, step: f64) -> Hexahedron<V> {
    let axes = match raw.1[0] % 2 {
        0 => [[2.0, 2.0, 1.0], [-2.0, 1.0, 2.0], [1.0, -2.0, 2.0]],
        _ => [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]],
    };
    Hexahedron::oriented(place(raw, step), half(raw, step), axes.map(axis))
}

impl Make<Vec3> for Hexahedron<Vec3> {
    fn make(raw: &Raw, step: f64) -> Self {
        turned(raw, step)
    }
}

impl Make<DVec3> for Hexahedron<DVec3> {
    fn make(raw: &Raw, step: f64) -> Self {
        turned(raw, step)
    }
}

impl Make<Vec2> for Quadrilateral<Vec2> {
    fn make(raw: &Raw, step: f64) -> Self {
        let axes = match raw.1[0] % 2 {
            0 => [[3.0, 4.0, 0.0], [-4.0, 3.0, 0.0]],
            _ => [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0]],
        };
        Quadrilateral::oriented(place(raw, step), half(raw, step), axes.map(axis))
    }
}

impl<V: Vector> Make<V> for Volume<V> {
    fn make(raw: &Raw, step: f64) -> Self {
        if raw.1[2].is_multiple_of(2) {
            <Aabb<V> as Make<V>>::make(raw, step).into()
        } else {
            <Sphere<V> as Make<V>>::make(raw, step).into()
        }
    }
}

fn world<V: Vector>(items: &[Volume<V>]) -> Broadphase<V> {
    let mut world = Broadphase::new();
    for &item in items {
        world.insert(item, Motion::Dynamic);
    }
    world
}

fn raw() -> impl Strategy<Value = Raw> {
    let near = proptest::array::uniform3(-6i8..=6);
    let far = proptest::array::uniform3(-60i8..=60);
    let places = prop_oneof![6 => near.clone(), 1 => far.clone()];
    let paths = prop_oneof![3 => near, 2 => far, 1 => Just([0; 3])];
    (places, proptest::array::uniform3(0u8..=4), paths)
}

fn raws() -> impl Strategy<Value = Vec<Raw>> {
    let many = proptest::collection::vec(raw(), 100..400);
    prop_oneof![6 => proptest::collection::vec(raw(), 0..60), 1 => many]
}

/// The steps: exact ones, inexact ones, and those whose squares underflow or overflow in single precision.
const STEPS: [f64; 5] = [1.0, 0.1, 7.3, 1e-24, 1e20];
const HORIZONS: [f64; 5] = [1.0, 0.0, 0.3, 7.0, f64::INFINITY];

fn by_slot<V: Vector>(hit: Hit<Handle, V>) -> Hit<usize, V> {
    Hit {
        item: hit.item.slot(),
        impact: hit.impact,
    }
}

/// The answers of a structure about a moving shape, with the structure's own keys.
struct Said<K, V: Vector> {
    first: Option<Hit<K, V>>,
    all: Vec<Hit<K, V>>,
    query: Vec<K>,
    count: usize,
}

/// Queries a structure. It is compiled for each structure, item and shape, so it is short.
macro_rules! said {
    ($structure:expr, $moving:ident) => {{
        let structure = $structure;
        let mut query = Vec::new();
        for key in structure.query($moving) {
            query.push(key);
        }
        Said {
            first: structure.sweep($moving.clone()),
            all: structure.sweep_all($moving.clone()),
            query,
            count: structure.count($moving),
        }
    }};
}

impl<K: Copy, V: Vector> Said<K, V> {
    /// Compares answers with the expected ones.
    fn agrees(
        self,
        hit: fn(Hit<K, V>) -> Hit<usize, V>,
        key: fn(K) -> usize,
        expected: &[Hit<usize, V>],
    ) {
        assert_eq!(self.first.map(hit), expected.first().copied());
        let all: Vec<_> = self.all.into_iter().map(hit).collect();
        assert_eq!(all, expected);
        let mut keys: Vec<_> = self.query.into_iter().map(key).collect();
        keys.sort_unstable();
        let mut expected: Vec<_> = expected.iter().map(|hit| hit.item).collect();
        expected.sort_unstable();
        assert_eq!(keys, expected);
        assert_eq!(self.count, keys.len());
    }
}

/// A law about items, moving shapes with their horizons, and the length of a step.
type Law<'a> = &'a dyn Fn(&[Raw], &[(Raw, f64)], f64);

/// Runs a law. It does not depend on the types of the law, so it is compiled once.
fn run_cases(law: Law) {
    let input = (
        raws(),
        proptest::collection::vec((raw(), proptest::sample::select(&HORIZONS[..])), 1..6),
        proptest::sample::select(&STEPS[..]),
    );
    proptest!(cases(50, 800), |((items, movers, step) in input)| {
        law(&items, &movers, step);
    });
}

/// A moving shape, or a ray.
trait Sent<V: Vector, T: Bounded<Vector = V>>: Mover<T> + Clone {
    fn new(raw: &Raw, step: f64, by: V, horizon: V::Scalar) -> Self;

    fn horizon(&self) -> V::Scalar;

    /// Returns true if it touches the target from the start.
    fn touches(&self, target: &T) -> bool;
}

impl<V, T, M> Sent<V, T> for Moving<M>
where
    V: Vector,
    T: Bounded<Vector = V>,
    M: Make<V> + Region<Vector = V> + Overlaps<T>,
    Moving<M>: Mover<T>,
{
    fn new(raw: &Raw, step: f64, by: V, horizon: V::Scalar) -> Self {
        Moving::new(M::make(raw, step), by).until(horizon)
    }

    fn horizon(&self) -> V::Scalar {
        self.horizon()
    }

    fn touches(&self, target: &T) -> bool {
        self.shape().overlaps(target)
    }
}

impl<V: Vector, T: Bounded<Vector = V>> Sent<V, T> for Ray<V>
where
    Ray<V>: Mover<T>,
    Aabb<V>: Overlaps<T>,
{
    fn new(raw: &Raw, step: f64, by: V, horizon: V::Scalar) -> Self {
        Ray::new(place(raw, step), by).until(horizon)
    }

    fn horizon(&self) -> V::Scalar {
        self.horizon()
    }

    fn touches(&self, target: &T) -> bool {
        Aabb::new(self.origin(), self.origin()).overlaps(target)
    }
}

/// Returns the hits of all items, one by one, in the order of first touch.
fn hits<V, T, M>(items: &[T], moving: &M) -> Vec<Hit<usize, V>>
where
    V: Vector,
    T: Make<V>,
    M: Sent<V, T>,
{
    let mut hits = Vec::new();
    for (item, target) in items.iter().enumerate() {
        let impact = moving.sweep(target);
        let times = moving.times(target);
        let overlaps = moving.overlaps(target);
        let at_start = moving.touches(target);
        if let Some(impact) = touches(moving.horizon(), impact, times, overlaps, at_start) {
            hits.push(Hit { item, impact });
        }
    }
    hits.sort_by(by_first_touch);
    hits
}

fn by_first_touch<V: Vector>(a: &Hit<usize, V>, b: &Hit<usize, V>) -> Ordering {
    let (first, second) = (a.impact.first, b.impact.first);
    first
        .partial_cmp(&second)
        .unwrap()
        .then(a.item.cmp(&b.item))
}

/// Checks that all forms of the answer of one item agree.
fn touches<V: Vector>(
    horizon: V::Scalar,
    impact: Option<Impact<V>>,
    times: Option<(V::Scalar, V::Scalar)>,
    overlaps: bool,
    at_start: bool,
) -> Option<Impact<V>> {
    assert_eq!(overlaps, impact.is_some());
    assert_eq!(times, impact.map(|impact| (impact.first, impact.last)));
    if at_start {
        assert_eq!(times.map(|times| times.0), Some(Scalar::ZERO));
    }
    if let Some((first, last)) = times {
        assert!(V::Scalar::ZERO <= first && first <= last);
        assert!(last <= horizon);
    }
    impact
}

/// Queries one more structure, and compares its hits with the expected ones.
type AskAnother<V, T, M> = fn(&[T], f64, &M, &[Hit<usize, V>]);

/// Queries the structures that hold any item, and one that holds only some.
fn check<V, T, M>(ask_another: AskAnother<V, T, M>)
where
    V: Vector,
    T: Make<V>,
    M: Sent<V, T>,
{
    run_cases(&|raws, movers, step| {
        let items = &make_all::<V, T>(raws, step)[..];
        let linear = Linear::new(items);
        let tree = Orthtree::new(items);
        let mut loose = LooseOrthtree::new();
        for item in items {
            loose.insert(item.clone());
        }
        for (raw, horizon) in movers {
            let by = V::from_fn(|a| Scalar::from_f64(f64::from(raw.2[a]) * step));
            let moving = &M::new(raw, step, by, Scalar::from_f64(*horizon));
            let hits = hits::<V, T, M>(items, moving);
            said!(&linear, moving).agrees(|hit| hit, |key| key, &hits);
            said!(&tree, moving).agrees(|hit| hit, |key| key, &hits);
            said!(&loose, moving).agrees(by_slot, Handle::slot, &hits);
            ask_another(items, step, moving, &hits);
        }
    });
}

fn make_all<V: Vector, T: Make<V>>(raws: &[Raw], step: f64) -> Vec<T> {
    raws.iter().map(|raw| T::make(raw, step)).collect()
}

macro_rules! in_space {
    ($($name:ident: $v:ty,)*) => {$(
        mod $name {
            use super::*;

            in_space!(@cells $v, ball_and_points, Moving<Sphere<$v>>);
            in_space!(@any $v, ball_and_boxes, Aabb<$v>, Moving<Sphere<$v>>);
            in_space!(@any $v, ball_and_hollow_boxes, Hollow<Aabb<$v>>, Moving<Sphere<$v>>);
            in_space!(@world $v, ball_and_bodies, Moving<Sphere<$v>>);
            in_space!(@body $v, ball_and_balls, Moving<Sphere<$v>>);
            in_space!(@cells $v, box_and_points, Moving<Aabb<$v>>);
            in_space!(@any $v, box_and_boxes, Aabb<$v>, Moving<Aabb<$v>>);
            in_space!(@world $v, box_and_bodies, Moving<Aabb<$v>>);
            in_space!(@body $v, box_and_balls, Moving<Aabb<$v>>);
            in_space!(@cells $v, ray_and_points, Ray<$v>);
            in_space!(@any $v, ray_and_boxes, Aabb<$v>, Ray<$v>);
            in_space!(@world $v, ray_and_bodies, Ray<$v>);
            in_space!(@body $v, ray_and_balls, Ray<$v>);
        }
    )*};
    (@any $v:ty, $name:ident, $item:ty, $mover:ty) => {
        #[test]
        fn $name() {
            check::<$v, $item, $mover>(|_, _, _, _| {});
        }
    };
    (@cells $v:ty, $name:ident, $mover:ty) => {
        #[test]
        fn $name() {
            check::<$v, $v, $mover>(|items, step, moving, hits| {
                let cells = CellList::new(items, Scalar::from_f64(step * 2.0));
                said!(&cells, moving).agrees(|hit| hit, |key| key, hits);
                let radii = (0..items.len()).map(|i| Scalar::from_f64(step * (i % 5) as f64));
                let levels = CellLevels::new(items, &radii.collect::<Vec<_>>(), Reach::Sum);
                levels.validate().unwrap();
                said!(&levels, moving).agrees(|hit| hit, |key| key, hits);
            });
        }
    };
    (@body $v:ty, $name:ident, $mover:ty) => {
        #[test]
        fn $name() {
            check::<$v, Sphere<$v>, $mover>(|items, _, moving, hits| {
                let body = SphereTree::new(items);
                said!(&body, moving).agrees(|hit| hit, |key| key, hits);
            });
        }
    };
    (@world $v:ty, $name:ident, $mover:ty) => {
        #[test]
        fn $name() {
            check::<$v, Volume<$v>, $mover>(|items, _, moving, hits| {
                said!(&world(items), moving).agrees(by_slot, Handle::slot, hits);
            });
        }
    };
}

in_space! {
    vec2: Vec2,
    vec3: Vec3,
    dvec2: DVec2,
    dvec3: DVec3,
}

in_space!(@any Vec2, ray_and_quadrilaterals, Quadrilateral<Vec2>, Ray<Vec2>);
in_space!(@any Vec3, ray_and_hexahedra, Hexahedron<Vec3>, Ray<Vec3>);
in_space!(@any DVec3, ray_and_hexahedra_of_doubles, Hexahedron<DVec3>, Ray<DVec3>);

/// A query for the first touch does not test items behind the first hit.
#[test]
fn first_touch_leaves_most_of_the_path_alone() {
    use std::sync::atomic::{self, AtomicUsize};

    static ASKED: AtomicUsize = AtomicUsize::new(0);

    #[derive(Clone)]
    struct Counted(Vec2);
    impl Bounded for Counted {
        type Vector = Vec2;
        fn core(&self) -> Aabb<Vec2> {
            self.0.core()
        }
    }
    impl Overlaps<Counted> for Ball {
        fn overlaps(&self, item: &Counted) -> bool {
            self.0.overlaps(&item.0)
        }
    }
    #[derive(Clone)]
    struct Ball(Sphere<Vec2>);
    impl Bounded for Ball {
        type Vector = Vec2;
        fn core(&self) -> Aabb<Vec2> {
            self.0.bounds()
        }
    }
    impl Region for Ball {
        type Vector = Vec2;
        fn relate(&self, cell: &Aabb<Vec2>) -> orthant::Relation {
            self.0.relate(cell)
        }
    }
    impl Sweep<Counted> for Moving<Ball> {
        type Vector = Vec2;
        fn times(&self, item: &Counted) -> Option<(f32, f32)> {
            ASKED.fetch_add(1, atomic::Ordering::Relaxed);
            Moving::new(self.shape().0, self.displacement()).times(&item.0)
        }
        fn sweep(&self, item: &Counted) -> Option<orthant::Impact<Vec2>> {
            Moving::new(self.shape().0, self.displacement()).sweep(&item.0)
        }
    }

    let points: Vec<_> = (0..10_000)
        .map(|i| Counted(Vec2::new((i % 100) as f32, (i / 100) as f32)))
        .collect();
    let tree = Orthtree::new(&points);
    let ball = Ball(Sphere::new(Vec2::new(-5.0, 50.0), 1.0));
    let moving = Moving::new(ball, Vec2::new(200.0, 3.0));
    let hit = tree.sweep(moving.clone()).unwrap();
    assert_eq!(hit.item, 5000);
    assert!(ASKED.swap(0, atomic::Ordering::Relaxed) < 100);
    assert!(tree.sweep_all(moving).len() > 150);
}
