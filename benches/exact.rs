//! Times the exact predicates against the plain ones, on random input.
//!
//! `pairs` tests each shape against a partner; `one to many` tests one shape against a whole array. Compilers vectorize both loops if the
//! predicate is plain and simple.
//!
//! Rounds alternate, so that a busy machine favors neither. Each loop is compiled at several places in the code, since its position within cache
//! lines costs up to two cycles a test. The least time of each counts.

use std::env::args;
use std::hint::black_box;
use std::time::{Duration, Instant};

use orthant::exact::Exact;
use orthant::glam::{DVec2, DVec3, Vec2, Vec3};
use orthant::{Aabb, Contains, Ellipsoid, Hollow, Overlaps, Scalar, Sphere, Vector};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

/// The number of items.
const MANY: usize = 1024;
/// The number of shapes or rows of shapes that take turns, so that the branch predictor cannot learn them.
const TURNS: usize = 16;

/// Returns the least time of each contestant.
fn race(
    rounds: usize,
    plain: [&dyn Fn() -> usize; 4],
    exact: [&dyn Fn() -> usize; 4],
) -> [Duration; 2] {
    let mut least = [Duration::MAX; 2];
    for _ in 0..rounds {
        for place in 0..4 {
            for (least, count) in least.iter_mut().zip([plain[place], exact[place]]) {
                let start = Instant::now();
                black_box(count());
                *least = start.elapsed().min(*least);
            }
        }
    }
    least
}

/// Shifts the code that follows.
#[inline(always)]
fn at_place<const PLACE: usize>() {
    for _ in 0..PLACE {
        black_box(PLACE);
    }
}

#[inline(never)]
fn pairs<const PLACE: usize, S, T>(
    shapes: &[S],
    items: &[T],
    is_hit: impl Fn(&S, &T) -> bool,
) -> usize {
    at_place::<PLACE>();
    let both = shapes.iter().zip(items);
    both.map(|(shape, item)| usize::from(is_hit(shape, item)))
        .sum()
}

#[inline(never)]
fn one_to_many<const PLACE: usize, S, T>(
    shape: &S,
    items: &[T],
    is_hit: impl Fn(&S, &T) -> bool,
) -> usize {
    at_place::<PLACE>();
    items
        .iter()
        .map(|item| usize::from(is_hit(shape, item)))
        .sum()
}

/// Runs all turns, at each of the places.
macro_rules! places {
    (|$turn:ident, $place:ident| $count:expr) => {
        [
            &|| {
                turns(|$turn| {
                    const $place: usize = 0;
                    $count
                })
            },
            &|| {
                turns(|$turn| {
                    const $place: usize = 1;
                    $count
                })
            },
            &|| {
                turns(|$turn| {
                    const $place: usize = 2;
                    $count
                })
            },
            &|| {
                turns(|$turn| {
                    const $place: usize = 3;
                    $count
                })
            },
        ]
    };
}

fn turns(count: impl Fn(usize) -> usize) -> usize {
    (0..TURNS).map(count).sum()
}

/// Prints one table row after the other.
struct Table {
    vector: &'static str,
    rounds: usize,
    /// The largest ratio in each column.
    worst: [f64; 2],
}

impl Table {
    fn row<S, T>(
        &mut self,
        name: &str,
        (shapes, items): (&[S], &[T]),
        plain: impl Fn(&S, &T) -> bool,
        exact: impl Fn(&S, &T) -> bool,
    ) {
        let row = |turn: usize| &shapes[turn..turn + MANY];
        let hits = pairs::<0, _, _>(row(0), items, &plain);
        // Rounding may decide near ties.
        let differences = pairs::<0, _, _>(row(0), items, |s, t| plain(s, t) != exact(s, t));
        assert!(differences <= MANY / 100, "{name}: {differences}");
        let times = [
            race(
                self.rounds,
                places!(|turn, PLACE| pairs::<PLACE, _, _>(row(turn), items, &plain)),
                places!(|turn, PLACE| pairs::<PLACE, _, _>(row(turn), items, &exact)),
            ),
            race(
                self.rounds,
                places!(|turn, PLACE| one_to_many::<PLACE, _, _>(&shapes[turn], items, &plain)),
                places!(|turn, PLACE| one_to_many::<PLACE, _, _>(&shapes[turn], items, &exact)),
            ),
        ];
        print!("{:6} {name:34}", self.vector);
        for (column, times) in times.into_iter().enumerate() {
            let [plain, exact] = times.map(|t| t.as_secs_f64() * 1e9 / (TURNS * MANY) as f64);
            let ratio = exact / plain;
            self.worst[column] = self.worst[column].max(ratio);
            print!("{plain:8.2}{exact:7.2}{ratio:6.2}");
        }
        println!("{:6}%", 100 * hits / MANY);
    }
}

/// Pairs both, shape by shape.
fn of<V: Vector>(places: &[V], lengths: &[V]) -> impl Iterator<Item = (V, V)> {
    places.iter().copied().zip(lengths.iter().copied())
}

fn table<V: Vector>(vector: &'static str, rounds: usize) -> [f64; 2] {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut number =
        |least: f64, most: f64| -> V::Scalar { Scalar::from_f64(random.random_range(least..most)) };
    let mut points = || -> Vec<V> {
        (0..MANY + TURNS)
            .map(|_| V::from_fn(|_| number(0.0, 1.0)))
            .collect()
    };
    let (points, centers) = (points(), points());
    let mut lengths = |least: f64, most: f64| -> Vec<V> {
        (0..MANY + TURNS)
            .map(|_| V::from_fn(|_| number(least, most)))
            .collect()
    };
    let (small, large) = (lengths(0.01, 0.3), lengths(0.2, 0.8));
    let to = |p: V, length: V| V::from_fn(|a| p.axis(a) + length.axis(a));

    let boxes = of(&points, &small).map(|(p, size)| Aabb::new(p, to(p, size)));
    let boxes: Vec<Aabb<V>> = boxes.collect();
    let shells: Vec<_> = boxes.iter().map(|&b| Hollow(b)).collect();
    let origin = V::splat(Scalar::ZERO);
    let rooms: Vec<_> = large.iter().map(|&p| Aabb::new(origin, p)).collect();
    let balls = of(&points, &small).map(|(p, size)| Sphere::new(p, size.axis(0)));
    let balls: Vec<_> = balls.collect();
    let spheres = of(&centers, &large).map(|(p, size)| Sphere::new(p, size.axis(0)));
    let spheres: Vec<_> = spheres.collect();
    let skins: Vec<_> = spheres.iter().map(|&s| Hollow(s)).collect();
    let kernels = of(&points, &small).map(|(p, size)| Ellipsoid::new(p, size));
    let kernels: Vec<_> = kernels.collect();
    let eggs = of(&centers, &large).map(|(p, size)| Ellipsoid::new(p, size));
    let eggs: Vec<_> = eggs.collect();
    let rinds: Vec<_> = eggs.iter().map(|&e| Hollow(e)).collect();

    let mut table = Table {
        vector,
        rounds,
        worst: [0.0; 2],
    };
    macro_rules! rows {
        ($($question:ident, $name:literal: $shapes:ident, $items:ident;)*) => {$(
            table.row(
                $name,
                (&$shapes, &$items[..MANY]),
                |s, t| s.$question(t),
                |s, t| Exact(*s).$question(t),
            );
        )*};
    }
    rows! {
        overlaps, "sphere, point": spheres, points;
        overlaps, "hollow sphere, point": skins, points;
        overlaps, "sphere, box": spheres, boxes;
        overlaps, "hollow sphere, box": skins, boxes;
        overlaps, "sphere, hollow box": spheres, shells;
        overlaps, "hollow sphere, hollow box": skins, shells;
        overlaps, "sphere, ball": spheres, balls;
        overlaps, "hollow sphere, ball": skins, balls;
        overlaps, "ellipsoid, point": eggs, points;
        overlaps, "hollow ellipsoid, point": rinds, points;
        overlaps, "ellipsoid, box": eggs, boxes;
        overlaps, "hollow ellipsoid, box": rinds, boxes;
        overlaps, "ellipsoid, hollow box": eggs, shells;
        overlaps, "hollow ellipsoid, hollow box": rinds, shells;
        contains, "sphere contains box": spheres, boxes;
        contains, "sphere contains ball": spheres, balls;
        contains, "ellipsoid contains box": eggs, boxes;
        contains, "box contains ball": rooms, balls;
        contains, "box contains ellipsoid": rooms, kernels;
    }
    table.worst
}

fn main() {
    // cargo passes this argument to test whether the bench runs at all.
    let rounds = if args().any(|arg| arg == "--test") {
        1
    } else {
        100
    };
    println!(
        "{:41}{:>21}{:>21}   hits",
        "nanoseconds: plain, exact, ratio", "pairs", "one to many"
    );
    let tables = [
        table::<Vec2>("Vec2", rounds),
        table::<Vec3>("Vec3", rounds),
        table::<DVec2>("DVec2", rounds),
        table::<DVec3>("DVec3", rounds),
    ];
    let worst = |column: usize| tables.iter().map(|t| t[column]).fold(0.0, f64::max);
    println!("{:41}{:21.2}{:21.2}", "largest ratio", worst(0), worst(1));
}
