//! The parts of a step: lists brought up to date, what is broken is found, any number of threads.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use glam::Vec2;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::super::flag;
use super::super::pair_list::{patch, splice};
use super::{Engine, all};
use crate::overlap::columns::Boxes;
use crate::shape::Aabb;
use crate::simd::InstructionSet;

/// A set of pairs as a flat list.
fn flat(pairs: &BTreeSet<[u32; 2]>) -> Vec<u32> {
    pairs.iter().copied().flatten().collect()
}

#[test]
fn what_began_is_in_a_list_and_what_ended_is_out() {
    let random = &mut SmallRng::seed_from_u64(5);
    let mut pairs = BTreeSet::new();
    let (mut list, mut copy) = (Vec::new(), Vec::new());
    for step in 0..600 {
        let (mut begun, mut ended) = (BTreeSet::new(), BTreeSet::new());
        // Many and few; now more begin, now more end, some at the ends of the list.
        let most = [4, 20, 120][step % 3];
        let ends = step / 20 % 2 == 1;
        for _ in 0..random.random_range(0..most) {
            let pair = [random.random_range(0..30), random.random_range(0..30)];
            if pairs.contains(&pair) && (ends || random.random()) {
                ended.insert(pair);
            } else if !pairs.contains(&pair) && (!ends || random.random()) {
                begun.insert(pair);
            }
        }
        let stays = pairs.iter().nth(step % 7).copied();
        let reborn = stays.filter(|pair| step % 5 == 0 && !ended.contains(pair));
        pairs.retain(|pair| !ended.contains(pair));
        pairs.extend(&begun);
        begun.extend(reborn);
        ended.extend(reborn);
        let (begun, ended) = (flat(&begun), flat(&ended));
        patch(&list, &begun, &ended, &mut copy, InstructionSet::best());
        assert_eq!(copy, flat(&pairs), "step {step}");
        splice(&mut list, &begun, &ended);
        assert_eq!(list, copy, "step {step}");
    }
    assert!(pairs.len() > 100);
}

#[test]
fn validate_finds_what_is_broken() {
    let broken = |tamper: fn(&mut Engine<Vec2>)| {
        let mut engine = Engine::<Vec2>::new();
        for id in 0..40 {
            let low = Vec2::splat(id as f32);
            engine.insert(id, Aabb::new(low, low + 1.0), id % 4 == 0);
        }
        engine.step(&all());
        engine.validate().unwrap();
        tamper(&mut engine);
        engine.validate().unwrap_err()
    };
    assert_eq!(broken(|e| e.pairs.swap(0, 2)), "the pairs are not sorted");
    assert_eq!(
        broken(|e| {
            let last = e.pairs.len() - 2;
            e.pairs.swap(last, last + 1);
        }),
        "a pair has its greater id first"
    );
    assert_eq!(
        broken(|e| e.items.slots.swap(1, 2)),
        "a box is not in its slot"
    );
    assert_eq!(
        broken(|e| e.items.flags[2] |= flag::RESTS),
        "a box is not in its slot"
    );
    assert_eq!(
        broken(|e| e.items.boxes[1] = Aabb::point(Vec2::ZERO)),
        "a slot holds another box"
    );
    assert_eq!(
        broken(|e| {
            let slot = e.items.slots[1] as usize;
            e.moving.levels[0][slot / 16].clear(slot % 16);
            e.items.flags[1] |= flag::MOVED;
            e.moving.levels[1][0] = Boxes::empty();
        }),
        "bounds do not hold what is below"
    );
    assert_eq!(
        broken(|e| e.moving.marks[0] = 1),
        "the boxes of a tree are miscounted"
    );
    assert_eq!(
        broken(|e| e.moving.len += 1),
        "the boxes of a tree are miscounted"
    );
    assert_eq!(
        broken(|e| {
            e.remove(39);
            e.items.flags[39] = 0;
        }),
        "a pair of a box that was removed"
    );
    assert_eq!(
        broken(|e| e.pairs.splice(2..2, [0, 39]).for_each(drop)),
        "a pair that does not overlap"
    );
}

#[cfg(feature = "rayon")]
mod threads {
    use alloc::vec::Vec;

    use glam::Vec3;
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    use super::super::{Engine, all};
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
}
