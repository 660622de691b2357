//! What is tampered with does not pass for valid.

use glam::Vec2;

use super::super::{flag, row};
use super::Engine;
use super::model::all;
use crate::shape::Aabb;

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
        broken(|e| e.items.place.swap(1, 2)),
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
            let slot = e.items.place[1] as usize;
            row::clear(&mut e.moving.levels[0][slot / 16], slot % 16);
            e.items.flags[1] |= flag::MOVED;
            e.moving.levels[1][0] = row::empty();
        }),
        "bounds do not hold what is below"
    );
    assert_eq!(
        broken(|e| e.moving.marks[0] = 1),
        "a tree has unplaced count"
    );
    assert_eq!(broken(|e| e.moving.len += 1), "a tree has unplaced count");
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
