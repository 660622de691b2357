//! Casts of rays, balls and boxes: at edges and corners, from inside, and up to the last bit of the path.

use orthant::glam::{DVec3, Vec2, Vec3};
use orthant::{
    Aabb, BodyInfo, Broadphase, Filter, Handle, Motion, Moving, Ray, Scalar, SpatialIndex, Sphere,
    Sweep, Vector, Volume,
};
use proptest::prelude::*;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::make::{crowd, filter, scale, way};
use crate::cases::cases;

fn square() -> (Broadphase<Vec2>, Handle) {
    let mut world = Broadphase::new();
    let unit = Aabb::new(Vec2::splat(-1.0), Vec2::splat(1.0));
    let body = world.insert(unit, Motion::Static);
    world.update();
    (world, body)
}

/// Returns the time at which a ray first meets the square.
fn time(origin: [f32; 2], direction: [f32; 2], max_t: f32) -> Option<f32> {
    let (world, body) = square();
    let hit = world.first_on_ray(Ray::new(origin.into(), direction.into()).until(max_t));
    assert!(hit.is_none_or(|hit| hit.0 == body));
    hit.map(|hit| hit.1)
}

#[test]
fn along_an_edge() {
    assert_eq!(time([-3.0, 1.0], [1.0, 0.0], 9.0), Some(2.0));
    assert_eq!(time([-3.0, 1.0f32.next_up()], [1.0, 0.0], 9.0), None);
    assert_eq!(time([1.0, 5.0], [-0.0, -2.0], 9.0), Some(2.0));
}

#[test]
fn through_a_corner() {
    assert_eq!(time([0.0, 2.0], [1.0, -1.0], 9.0), Some(1.0));
    assert_eq!(time([0.0, 2.5], [1.0, -1.0], 9.0), None);
    assert_eq!(time([3.0, 3.0], [-1.0, -1.0], 9.0), Some(2.0));
}

#[test]
fn from_inside_and_from_the_surface() {
    assert_eq!(time([0.5, 0.5], [1.0, 0.0], 9.0), Some(0.0));
    assert_eq!(time([1.0, 0.0], [1.0, 0.0], 9.0), Some(0.0));
    assert_eq!(time([1.0f32.next_up(), 0.0], [1.0, 0.0], 9.0), None);
    assert_eq!(time([0.0, 0.0], [0.0, 0.0], 0.0), Some(0.0));
    assert_eq!(time([2.0, 0.0], [0.0, 0.0], 9.0), None);
}

#[test]
fn to_the_very_end() {
    assert_eq!(time([-3.0, 0.0], [2.0, 0.0], 1.0), Some(1.0));
    assert_eq!(time([-3.0, 0.0], [2.0, 0.0], 1.0f32.next_down()), None);
    assert_eq!(time([-3.0, 0.0], [2.0, 0.0], f32::INFINITY), Some(1.0));
}

#[test]
fn a_ball_is_met_as_a_ball() {
    let mut world = Broadphase::new();
    let ball = world.insert(Sphere::new(Vec2::ZERO, 1.0), Motion::Dynamic);
    let time = |y: f32| {
        let hit = world.first_on_ray(Ray::new(Vec2::new(-3.0, y), Vec2::X).until(9.0));
        assert!(hit.is_none_or(|hit| hit.0 == ball));
        hit.map(|hit| hit.1)
    };
    assert_eq!(time(0.0), Some(2.0));
    assert_eq!(time(1.0), Some(3.0));
    assert_eq!(time(0.6), Some(2.2));
    assert_eq!(time(1.01), None);
}

#[test]
fn what_leads_nowhere_is_no_ray() {
    let (nan, infinite) = (Vec2::new(f32::NAN, 0.0), Vec2::new(0.0, f32::INFINITY));
    for (origin, direction, message) in [
        (nan, Vec2::X, "origin is NaN on axis 0, not a finite number"),
        (
            infinite,
            Vec2::X,
            "origin is inf on axis 1, not a finite number",
        ),
        (
            Vec2::ZERO,
            nan,
            "direction is NaN on axis 0, not a finite number",
        ),
        (
            Vec2::ZERO,
            infinite,
            "direction is inf on axis 1, not a finite number",
        ),
    ] {
        let refused = Ray::try_new(origin, direction).unwrap_err();
        assert_eq!(refused.to_string(), message);
    }
    let ray = Ray::new(Vec2::ZERO, Vec2::X);
    assert!(ray.try_until(-1.0).is_err() && ray.try_until(f32::NAN).is_err());
}

#[test]
fn balls_and_boxes_are_sent() {
    let (world, body) = square();
    let mut met = Vec::new();
    // The ball passes the corner (1, 1), which is 5 from its center by 3-4-5.
    let ball = Sphere::new(Vec2::new(14.0, 5.0), 5.0);
    world.visit_sweep(Moving::new(ball, Vec2::NEG_X).until(99.0), |body, t| {
        met.push((body, t));
        t
    });
    let unit = Aabb::new(Vec2::new(3.0, 1.0), Vec2::new(4.0, 2.0));
    world.visit_sweep(Moving::new(unit, Vec2::NEG_X).until(99.0), |body, t| {
        met.push((body, t));
        t
    });
    assert_eq!(met, [(body, 10.0), (body, 2.0)]);
}

/// The visitor returns infinity to go on, a time as the new limit, or a negative number to stop.
#[test]
fn the_visitor_sets_the_limit() {
    let mut world = Broadphase::new();
    let wall = |x: f32| Aabb::new(Vec2::new(x, -1.0), Vec2::new(x + 1.0, 1.0));
    // Two walls are met at one time, and all are listed in another order than they are met.
    let walls: Vec<Handle> = [9.0, 3.0, 3.0, 6.0]
        .map(|x| world.insert(wall(x), Motion::Static))
        .to_vec();
    let met = |answer: &dyn Fn(f32) -> f32| {
        let mut met = Vec::new();
        world.visit_sweep(Ray::new(Vec2::ZERO, Vec2::X).until(99.0), |body, t| {
            met.push((walls.iter().position(|&wall| wall == body).unwrap(), t));
            answer(t)
        });
        met
    };
    let all = [(1, 3.0), (2, 3.0), (3, 6.0), (0, 9.0)];
    assert_eq!(met(&|_| f32::INFINITY), all);
    assert_eq!(met(&|t| t), all[..2]);
    assert_eq!(met(&|t| t + 3.0), all[..3]);
    assert_eq!(met(&|_| 6.5), all[..3]);
    for end in [-1.0, f32::NEG_INFINITY, f32::NAN] {
        assert_eq!(met(&|_| end), all[..1]);
    }
    assert_eq!(
        world.first_on_ray(Ray::new(Vec2::ZERO, Vec2::X).until(99.0)),
        Some((walls[1], 3.0))
    );
}

#[test]
fn filters_apply() {
    let (mut world, near) = square();
    let far = world.insert(
        Aabb::new(Vec2::splat(2.0), Vec2::splat(3.0)),
        Motion::Static,
    );
    world.set_filter(
        near,
        Filter {
            category: 2,
            ..Filter::ALL
        },
    );
    let no_two = Filter {
        mask: !2,
        ..Filter::ALL
    };
    let (origin, direction) = (Vec2::splat(-5.0), Vec2::ONE);
    assert_eq!(
        world.first_on_ray(Ray::new(origin, direction).until(9.0)),
        Some((near, 4.0))
    );
    let filtered = world.filtered(no_two);
    assert_eq!(
        filtered.first_on_ray(Ray::new(origin, direction).until(9.0)),
        Some((far, 7.0))
    );
    assert_eq!(
        filtered
            .query(Sphere::new(Vec2::ZERO, 9.0))
            .collect::<Vec<_>>(),
        [far]
    );
    let mut met = 0;
    filtered.visit_sweep(
        Moving::new(Sphere::new(origin, 1.0), direction).until(9.0),
        |body, t| {
            assert_eq!(body, far);
            met += 1;
            t
        },
    );
    filtered.visit_sweep(
        Moving::new(Aabb::new(origin, origin), direction).until(9.0),
        |body, t| {
            assert_eq!(body, far);
            met += 1;
            t
        },
    );
    assert_eq!(met, 2);
}

fn ray_times<V: Vector>(
    bodies: &[(Handle, Volume<V>)],
    origin: V,
    direction: V,
    max_t: V::Scalar,
) -> Vec<(V::Scalar, Handle)> {
    let point = Moving::new(Aabb::new(origin, origin), direction).until(max_t);
    let ball = Moving::new(Sphere::new(origin, Scalar::ZERO), direction).until(max_t);
    let times = |(handle, volume): &(Handle, Volume<V>)| {
        let times = match volume {
            Volume::Box(b) => point.times(b),
            Volume::Sphere(_) => ball.times(volume),
        };
        times.map(|times| (times.0, *handle))
    };
    let mut hits: Vec<_> = bodies.iter().filter_map(times).collect();
    hits.sort_by(|a, b| a.partial_cmp(b).unwrap());
    hits
}

fn rays_are_those_of_the_scan<V: Vector>() {
    let input = (
        crowd(),
        proptest::collection::vec((proptest::array::uniform3(-50i8..=50), way()), 1..8),
        scale(),
        proptest::sample::select(&[0.0, 1.0, 9.0, f64::INFINITY][..]),
        filter(),
    );
    proptest!(cases(60, 2000), |((crowd, rays, scale, max_t, filter) in input)| {
        let mut world = Broadphase::new();
        let mut bodies = Vec::new();
        for (i, &raw) in crowd.iter().enumerate() {
            let volume: Volume<V> = scale.volume(raw);
            let category = 1 << (i % 3);
            let proxy = BodyInfo::from(Motion::Dynamic).with_filter(Filter { category, ..Filter::ALL });
            bodies.push((world.insert(volume, proxy), volume));
            if i == crowd.len() / 2 {
                world.update();
            }
        }
        let some = bodies.iter().copied();
        let some: Vec<_> = some.filter(|body| filter.meets(world.filter(body.0).unwrap())).collect();
        for (origin, direction) in rays {
            let (origin, direction): (V, V) = (scale.place(origin), scale.way(direction));
            let max_t: V::Scalar = Scalar::from_f64(max_t);
            let expected = ray_times(&bodies, origin, direction, max_t);
            let mut met = Vec::new();
            world.visit_sweep(Ray::new(origin, direction).until(max_t), |body, t| {
                met.push((t, body));
                Scalar::INFINITY
            });
            prop_assert_eq!(&met, &expected);
            let first = world.first_on_ray(Ray::new(origin, direction).until(max_t));
            prop_assert_eq!(first, expected.first().map(|&(t, body)| (body, t)));
            let expected = ray_times(&some, origin, direction, max_t);
            let first = world.filtered(filter).first_on_ray(Ray::new(origin, direction).until(max_t));
            prop_assert_eq!(first, expected.first().map(|&(t, body)| (body, t)));
        }
    });
}

/// Casts in a world of many levels, with bodies at rest, either boxes only or boxes and balls.
fn in_a_large_world<V: Vector>(balls: bool) {
    let random = &mut SmallRng::seed_from_u64(5);
    let mut place = |width: f64| V::from_fn(|_| Scalar::from_f64(random.random_range(0.0..width)));
    let (zero, one): (V::Scalar, V::Scalar) = (Scalar::ZERO, Scalar::ONE);
    let mut world = Broadphase::new();
    let mut bodies = Vec::new();
    for i in 0..2500 {
        let (at, size) = (place(30.0), place(2.0));
        let volume: Volume<V> = if balls && i % 3 == 0 {
            Sphere::new(at, size.axis(0)).into()
        } else {
            Aabb::new(at, V::from_fn(|a| at.axis(a) + size.axis(a))).into()
        };
        let rests = i % 4 == 1;
        let motion = if rests {
            Motion::Static
        } else {
            Motion::Dynamic
        };
        bodies.push((world.insert(volume, motion), volume));
        if i == 2000 {
            world.update();
        }
    }
    let mut later = 0;
    for i in 0..80 {
        let (from, to) = (place(30.0), place(30.0));
        let by = V::from_fn(|a| to.axis(a) - from.axis(a));
        let by = if i % 8 == 0 {
            V::from_fn(|a| if a == 0 { by.axis(a) } else { zero })
        } else {
            by
        };
        let expected = ray_times(&bodies, from, by, one);
        let first = expected.first().map(|&(t, body)| (body, t));
        assert_eq!(world.first_on_ray(Ray::new(from, by).until(one)), first);
        let mut met = Vec::new();
        world.visit_sweep(Ray::new(from, by).until(one), |body, t| {
            met.push((t, body));
            Scalar::INFINITY
        });
        assert_eq!(met, expected);
        let ball = Moving::new(Sphere::new(from, Scalar::from_f64(0.25)), by);
        let times = |(handle, volume): &(Handle, Volume<V>)| Some((ball.times(volume)?.0, *handle));
        let first = bodies.iter().filter_map(times);
        let first = first.min_by(|a, b| a.partial_cmp(b).unwrap());
        let swept = world.sweep(ball).map(|hit| (hit.impact.first, hit.item));
        assert_eq!(swept, first);
        let mut met = None;
        world.visit_sweep(Moving::new(*ball.shape(), by).until(one), |body, t| {
            met = Some((t, body));
            zero - one
        });
        assert_eq!(met, first);
        later += usize::from(first.is_some_and(|first| first.0 > zero));
    }
    assert!((10..70).contains(&later), "{later}");
}

#[test]
fn in_large_worlds() {
    in_a_large_world::<Vec3>(false);
    in_a_large_world::<DVec3>(true);
}

/// If the inverse of a displacement is not a normal number, each body is tested.
#[test]
fn the_fastest_and_the_slowest() {
    let volumes = [0.0f32, 3.0, 5.0].map(|x| Aabb::new([x, 0.0], [x + 1.0, 1.0]));
    let mut world = Broadphase::new();
    let bodies = volumes.map(|volume| (world.insert(volume, Motion::Dynamic), Volume::Box(volume)));
    world.update();
    let rays = [
        (3e38, 1.0, 3),
        (1e-39, f32::MAX, 1),
        (1e-45, 1.0, 0),
        (2e38, 1e-38, 1),
    ];
    for (by, until, reached) in rays {
        let from = [-0.25, 0.5];
        let expected = ray_times(&bodies, from, [by, 0.0], until);
        assert_eq!(expected.len(), reached);
        let mut met = Vec::new();
        world.visit_sweep(Ray::new(from, [by, 0.0]).until(until), |body, t| {
            met.push((t, body));
            f32::INFINITY
        });
        met.sort_by(|a, b| a.partial_cmp(b).unwrap());
        assert_eq!(met, expected, "{by} {until}");
    }
}

#[test]
fn rays_in_the_plane() {
    rays_are_those_of_the_scan::<Vec2>();
}

#[test]
fn rays_in_space() {
    rays_are_those_of_the_scan::<DVec3>();
}
