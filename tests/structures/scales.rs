//! All scales at once: crowds that lie ever closer to one place, and items from the smallest to the largest.

use orthant::glam::{DVec2, DVec3};
use orthant::{
    Aabb, Handle, Linear, LooseOrthtree, Moving, Orthtree, Overlaps, SpatialIndex, Sphere,
    SphereTree, Sweep,
};
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

fn between(random: &mut SmallRng) -> f64 {
    random.random_range(-1.0..1.0)
}

/// Each of 400 crowds is half as far from the origin as the one before.
#[test]
fn crowds_ever_closer_to_a_place() {
    let random = &mut SmallRng::seed_from_u64(21);
    let scale = |k: i32| 0.5_f64.powi(k);
    let points: Vec<DVec3> = (0..400 * 80)
        .map(|i| DVec3::from_array([(); 3].map(|()| between(random))) * scale(i / 80))
        .collect();
    let (tree, scan) = (Orthtree::new(&points), Linear::new(&points));
    for k in (0..400).step_by(19) {
        for from in [
            DVec3::splat(scale(k)),
            DVec3::new(-scale(k), 0.0, scale(k + 3)),
            DVec3::ZERO,
        ] {
            assert_eq!(tree.nearest_n(from, 9), scan.nearest_n(from, 9), "{k}");
            assert_eq!(tree.nearest(from), scan.nearest(from), "{k}");
            let ball = Sphere::new(from, 1.5 * scale(k));
            assert_eq!(tree.count(ball), scan.count(ball), "{k}");
        }
    }
}

/// Balls have more sizes than a node has cells for its items. They are inserted, and each moves to the place and size of another.
#[test]
fn balls_of_hundreds_of_sizes() {
    let random = &mut SmallRng::seed_from_u64(22);
    let mut balls: Vec<_> = (-200..200)
        .map(|k| {
            let size = 2.0_f64.powi(k);
            let center = DVec2::new(between(random), between(random)) * size * 4.0;
            Sphere::new(center, size)
        })
        .collect();
    balls.shuffle(random);
    let mut tree = LooseOrthtree::new();
    let handles: Vec<Handle> = balls.iter().map(|&ball| tree.insert(ball)).collect();
    for turn in 0..3 {
        tree.validate().unwrap();
        for k in (-210..210).step_by(7) {
            let size = 2.0_f64.powi(k);
            let ball = Sphere::new(DVec2::new(between(random), between(random)) * size, size);
            let mut found: Vec<Handle> = tree.query(ball).collect();
            found.sort_unstable();
            let hits = (0..balls.len()).filter(|&i| ball.overlaps(&balls[i]));
            let mut expected: Vec<Handle> = hits.map(|i| handles[i]).collect();
            expected.sort_unstable();
            assert_eq!(found, expected, "{turn} {k}");
        }
        balls.shuffle(random);
        for (&handle, &ball) in handles.iter().zip(&balls) {
            tree.update(handle, ball);
        }
    }
}

/// A body of one large ball meets a body of many small ones; the large ball is not divided any more.
#[test]
fn a_large_ball_among_many_small_ones() {
    let random = &mut SmallRng::seed_from_u64(23);
    let small: Vec<_> = (0..600)
        .map(|_| Sphere::new(DVec2::new(between(random), between(random)) * 10.0, 0.01))
        .collect();
    let large = [Sphere::new(DVec2::new(1.0, 2.0), 6.0)];
    let (many, one) = (SphereTree::new(&small), SphereTree::new(&large));
    let expected: Vec<_> = (0..600).filter(|&i| small[i].overlaps(&large[0])).collect();
    assert!((50..550).contains(&expected.len()));
    let mut found: Vec<_> = many.lies().pairs(&one).iter().map(|pair| pair.0).collect();
    found.sort_unstable();
    assert_eq!(found, expected);
    let mut found: Vec<_> = one.lies().pairs(&many).iter().map(|pair| pair.1).collect();
    found.sort_unstable();
    assert_eq!(found, expected);
}

/// The square of a ball's radius is infinite, and the radius of a point is zero: the test of such balls decides, and no bound.
#[test]
fn moving_balls_whose_squares_are_infinite() {
    let balls = [[0.0_f32, 0.0], [4e18, 0.0], [9e18, -9e18]].map(|at| Sphere::new(at, 3e19));
    let tree = SphereTree::new(&balls);
    for by in [[1e19, 0.0], [-1e20, 0.0], [0.0, 5e19]] {
        for at in [[-7e19, 0.0], [1e20, 1e19], [0.0, 9e19], [3e20, 3e20]] {
            let target = Aabb::new(at, at);
            let alone = |ball: &Sphere<[f32; 2]>| Moving::new(*ball, by).sweep(&target);
            let mut expected: Option<f32> = None;
            for impact in balls.iter().filter_map(alone) {
                expected = Some(expected.map_or(impact.first, |first| first.min(impact.first)));
            }
            let found = Moving::new(tree.lies(), by).first_touch_of_box(&target);
            assert_eq!(found.map(|hit| hit.impact.first), expected, "{by:?} {at:?}");
        }
    }
}
