//! The number of threads changes no answer.

use alloc::vec::Vec;

use glam::Vec3;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::Engine;
use super::model::all;
use crate::shape::Aabb;

/// Enough for every part of a step to be divided.
const MANY: u32 = 40_000;

/// The pairs after a step, what began and what ended.
type Answers = [Vec<[u32; 2]>; 3];

fn point(random: &mut SmallRng) -> Vec3 {
    Vec3::from_array(random.random())
}

/// Steps in which all, few or most of the boxes move, little or far.
fn answers(threads: usize) -> Vec<Answers> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let random = &mut SmallRng::seed_from_u64(7);
    let mut engine = Engine::<Vec3>::new();
    let side = (MANY as f32).cbrt();
    let mut corners: Vec<Vec3> = (0..MANY).map(|_| point(random) * side).collect();
    let bounds = |corner: Vec3| Aabb::new(corner, corner + 0.8);
    for (id, &corner) in (0..).zip(&corners) {
        engine.insert(id, bounds(corner), id % 10 == 0);
    }
    let steps = [
        (0.0, 0.0),
        (1.0, 0.04),
        (1.0, 0.04),
        (0.1, 0.3),
        (0.01, 2.0),
        (0.8, 1.5),
        (1.0, 0.1),
        (1.0, 0.2),
        (0.1, 0.2),
        (1.0, 0.1),
    ];
    let step = |(at, (share, way))| {
        for (id, corner) in (0..).zip(&mut corners) {
            if random.random::<f32>() < share {
                *corner += (point(random) - 0.5) * way;
                // All at once in one of the steps.
                if at != 2 || id % 10 == 0 {
                    engine.set(id, bounds(*corner));
                }
            }
        }
        if at == 2 {
            let (any, left) = engine.relocate(corners.len(), |mut places, _| {
                for id in places.first()..places.end() {
                    if id % 10 != 0 {
                        places.set(id, bounds(corners[id as usize]));
                    }
                }
                places.any()
            });
            assert!(any && left.is_empty());
        }
        // Then all pairs alone, and changes again.
        if at == 7 || at == 8 {
            engine.refresh(&all());
        } else {
            engine.step(&all());
        }
        engine.validate().unwrap();
        [engine.pairs(), engine.begun(), engine.ended()].map(<[_]>::to_vec)
    };
    let pool = pool.build().unwrap();
    pool.install(|| (0..).zip(steps).map(step).collect())
}

#[test]
fn any_number_of_threads_gives_the_same_answers() {
    let one = answers(1);
    assert!(one.iter().all(|[pairs, ..]| pairs.len() > MANY as usize));
    assert!(
        one[1..7]
            .iter()
            .all(|[_, begun, ended]| begun.len() > 50 && ended.len() > 50)
    );
    for threads in [2, 3] {
        assert!(answers(threads) == one, "{threads} threads");
    }
}
