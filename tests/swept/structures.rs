//! Every structure answers bit for bit what the scan answers, and the scan what each item answers.

use orthant::glam::{DVec2, DVec3, Vec2, Vec3};
use orthant::{
    Aabb, Bounded, Broadphase, CellList, Handle, Hit, Linear, LooseOrthtree, Motion, Moving,
    Orthtree, Overlaps, Region, Scalar, Sphere, Sweep, Vector, Volume,
};
use proptest::prelude::*;

use super::config;

/// A place, a size and a displacement, in steps.
type Raw = ([i8; 3], [u8; 3], [i8; 3]);

/// An item, or what moves.
trait Make<V: Vector>: Bounded<Vector = V> + Clone + Sync + std::fmt::Debug {
    fn make(raw: &Raw, step: f64) -> Self;
}

fn place<V: Vector>(raw: &Raw, step: f64) -> V {
    V::from_fn(|a| Scalar::from_f64(f64::from(raw.0[a]) * step))
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

/// Exact steps, inexact ones, and those whose squares underflow or overflow in single precision.
const STEPS: [f64; 5] = [1.0, 0.1, 7.3, 1e-24, 1e20];
const HORIZONS: [f64; 5] = [1.0, 0.0, 0.3, 7.0, f64::INFINITY];

fn by_slot<V: Vector>(hit: Hit<Handle, V>) -> Hit<usize, V> {
    Hit {
        item: hit.item.slot(),
        impact: hit.impact,
    }
}

fn sorted(keys: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut keys: Vec<_> = keys.collect();
    keys.sort_unstable();
    keys
}

/// Compares one structure with what was expected.
macro_rules! agrees {
    ($structure:expr, $moving:ident, $hits:ident, $hit:expr, $key:expr) => {
        let structure = $structure;
        prop_assert_eq!(
            structure.sweep($moving.clone()).map($hit),
            $hits.first().copied()
        );
        let all: Vec<_> = structure
            .sweep_all($moving.clone())
            .into_iter()
            .map($hit)
            .collect();
        prop_assert_eq!(&all, &$hits);
        let keys = sorted(structure.query(&$moving).map($key));
        prop_assert_eq!(keys, sorted($hits.iter().map(|hit| hit.item)));
        prop_assert_eq!(structure.count(&$moving), $hits.len());
    };
}

/// Builds the structures that hold any item, and runs `$more` for those that do not.
macro_rules! check {
    ($name:ident, $v:ty, $item:ty, $mover:ty, |$items:ident, $moving:ident, $hits:ident, $step:ident| $more:block) => {
        #[test]
        fn $name() {
            let input = (
                raws(),
                proptest::collection::vec((raw(), proptest::sample::select(&HORIZONS[..])), 1..6),
                proptest::sample::select(&STEPS[..]),
            );
            proptest!(config(800), |((raws, movers, $step) in input)| {
                let $items: Vec<$item> = raws.iter().map(|raw| Make::make(raw, $step)).collect();
                let $items = &$items[..];
                let linear = Linear::new($items);
                let tree = Orthtree::new($items);
                let mut loose = LooseOrthtree::new();
                for item in $items {
                    loose.insert(item.clone());
                }
                for (raw, horizon) in &movers {
                    let by = <$v>::from_fn(|a| Scalar::from_f64(f64::from(raw.2[a]) * $step));
                    let shape: $mover = Make::make(raw, $step);
                    let $moving = Moving::new(shape, by).until(Scalar::from_f64(*horizon));
                    let mut $hits = Vec::new();
                    for (item, target) in $items.iter().enumerate() {
                        let impact = $moving.sweep(target);
                        prop_assert_eq!($moving.overlaps(target), impact.is_some());
                        let times = impact.map(|impact| (impact.first, impact.last));
                        prop_assert_eq!($moving.times(target), times);
                        if shape.overlaps(target) {
                            prop_assert_eq!(times.map(|times| times.0), Some(Scalar::ZERO));
                        }
                        if let Some((first, last)) = times {
                            prop_assert!(0.0 <= first && first <= last);
                            prop_assert!(last <= $moving.horizon());
                        }
                        $hits.extend(impact.map(|impact| Hit { item, impact }));
                    }
                    $hits.sort_by(|a, b| {
                        a.impact.first.partial_cmp(&b.impact.first).unwrap().then(a.item.cmp(&b.item))
                    });
                    agrees!(&linear, $moving, $hits, |hit| hit, |key| key);
                    agrees!(&tree, $moving, $hits, |hit| hit, |key| key);
                    agrees!(&loose, $moving, $hits, by_slot, Handle::slot);
                    $more
                }
            });
        }
    };
}

macro_rules! in_space {
    ($($name:ident: $v:ty,)*) => {$(
        mod $name {
            use super::*;

            check!(ball_and_points, $v, $v, Sphere<$v>, |items, moving, hits, step| {
                agrees!(CellList::new(items, Scalar::from_f64(step * 2.0)), moving, hits, |hit| hit, |key| key);
            });
            check!(ball_and_boxes, $v, Aabb<$v>, Sphere<$v>, |_items, moving, hits, _step| {});
            check!(ball_and_bodies, $v, Volume<$v>, Sphere<$v>, |items, moving, hits, _step| {
                agrees!(&world(items), moving, hits, by_slot, Handle::slot);
            });
            check!(ball_and_balls, $v, Sphere<$v>, Sphere<$v>, |_items, moving, hits, _step| {});
            check!(box_and_points, $v, $v, Aabb<$v>, |items, moving, hits, step| {
                agrees!(CellList::new(items, Scalar::from_f64(step * 2.0)), moving, hits, |hit| hit, |key| key);
            });
            check!(box_and_boxes, $v, Aabb<$v>, Aabb<$v>, |_items, moving, hits, _step| {});
            check!(box_and_bodies, $v, Volume<$v>, Aabb<$v>, |items, moving, hits, _step| {
                agrees!(&world(items), moving, hits, by_slot, Handle::slot);
            });
            check!(box_and_balls, $v, Sphere<$v>, Aabb<$v>, |_items, moving, hits, _step| {});
        }
    )*};
}

in_space! {
    vec2: Vec2,
    vec3: Vec3,
    dvec2: DVec2,
    dvec3: DVec3,
}

/// The path goes on behind the first hit, and what lies there is not asked.
#[test]
fn first_touch_leaves_most_of_the_path_alone() {
    use std::sync::atomic::{AtomicUsize, Ordering};

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
            ASKED.fetch_add(1, Ordering::Relaxed);
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
    assert!(ASKED.swap(0, Ordering::Relaxed) < 100);
    assert!(tree.sweep_all(moving).len() > 150);
}
