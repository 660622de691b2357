//! Runs rapier's own narrow phase and solver on this crate's broad phase.
//!
//! With boxes fattened by rapier's rule, and the events of both in one order, every body moves as with rapier's own broad phase, bit for bit.
//! With tight boxes, the pairs are those of a double loop in every step.

mod broad_phase;
mod engine;
mod seen;

use std::collections::BTreeSet;
use std::time::Instant;

use clients::bodies::{Pair, pair};
use clients::scene::{Act, Scene, field, pile, pyramid};
use orthant::Overlaps;
use rapier27::dynamics::IntegrationParameters;
use rapier27::geometry::BroadPhaseBvh;

use crate::broad_phase::{Plugged, Sorted};
use crate::engine::Engine;
use crate::seen::Seen;

const STEPS: usize = 300;

/// Compares both broad phases step by step. `least` counts the pairs that must begin and end, so that a scene in which nothing happens fails.
fn bit_identical(scene: &Scene, least: [usize; 2]) {
    let start = Instant::now();
    let params = IntegrationParameters::default();
    let mut theirs = Engine::new(scene, Sorted::new(BroadPhaseBvh::new()));
    let mut ours = Engine::new(scene, Sorted::new(Plugged::own(&params)));
    let mut fast = 0;
    for step in 0..STEPS {
        theirs.step(scene);
        ours.step(scene);
        let (their_events, our_events) = (theirs.broad_phase.told(), ours.broad_phase.told());
        assert!(our_events == their_events, "other events in step {step}");
        assert!(
            ours.state() == theirs.state(),
            "elsewhere after step {step}"
        );
        fast += ours.fast();
    }
    assert_eq!(fast > 0, scene.acts.iter().any(|(_, act)| is_shot(act)));
    let (count, time) = (ours.broad_phase.count, ours.broad_phase.time);
    assert!(count[0] >= least[0] && count[1] >= least[1], "{count:?}");
    println!(
        "{} pairs began and {} ended; broad phase {time:?}, rapier's {:?}, all {:?}",
        count[0],
        count[1],
        theirs.broad_phase.time,
        start.elapsed()
    );
}

fn is_shot(act: &Act) -> bool {
    matches!(act, Act::Enter(body) if body.fast)
}

fn all_pairs(colliders: &[Seen], meet: impl Fn(&Seen, &Seen) -> bool) -> BTreeSet<Pair> {
    let mut pairs = BTreeSet::new();
    for (i, this) in colliders.iter().enumerate() {
        for that in &colliders[i + 1..] {
            if this.meets(that) && meet(this, that) {
                pairs.insert(pair(this.key, that.key));
            }
        }
    }
    pairs
}

/// Runs a scene on a broad phase whose pairs must be those of a double loop.
fn exact(
    scene: &Scene,
    plugged: Plugged,
    least: [usize; 2],
    meet: impl Fn(&Plugged, &Seen, &Seen) -> bool,
) {
    let start = Instant::now();
    let mut engine = Engine::new(scene, Sorted::new(plugged));
    for step in 0..STEPS {
        engine.step(scene);
        let plugged = &engine.broad_phase.inner;
        let pairs = plugged.pairs();
        let expected = all_pairs(&engine.colliders(), |a, b| meet(plugged, a, b));
        assert!(pairs == expected, "other pairs in step {step}");
        assert!(pairs == engine.graph(), "told otherwise in step {step}");
        let lowest = engine.lowest();
        assert!(lowest > 0.0, "something at {lowest} after step {step}");
    }
    let (count, time) = (engine.broad_phase.count, engine.broad_phase.time);
    assert!(count[0] >= least[0] && count[1] >= least[1], "{count:?}");
    println!(
        "{} pairs began and {} ended; broad phase {time:?}, all {:?}",
        count[0],
        count[1],
        start.elapsed()
    );
}

fn tight(scene: &Scene, least: [usize; 2]) {
    let plugged = Plugged::tight(&IntegrationParameters::default());
    exact(scene, plugged, least, |_, a, b| {
        let touch = a.touches(b);
        // Rapier predicts contacts at 0.002; rounding may lose a little of that.
        assert!(touch || !a.is_near(b, 0.0018), "a contact missed");
        touch
    });
}

#[test]
fn a_pyramid_under_fire_is_bit_identical() {
    bit_identical(&pyramid(), [3000, 500]);
}

#[test]
fn a_pile_is_bit_identical() {
    bit_identical(&pile(), [3000, 2000]);
}

#[test]
fn a_field_of_blocks_is_bit_identical() {
    bit_identical(&field(), [3000, 500]);
}

#[test]
fn a_pyramid_under_fire_on_tight_boxes() {
    tight(&pyramid(), [2500, 800]);
}

#[test]
fn a_pile_on_tight_boxes() {
    tight(&pile(), [3000, 2000]);
}

#[test]
fn a_field_of_blocks_on_tight_boxes() {
    tight(&field(), [300, 200]);
}

#[test]
fn a_pile_on_fat_boxes() {
    let plugged = Plugged::fat(&IntegrationParameters::default());
    exact(&pile(), plugged, [2000, 1000], |plugged, a, b| {
        let of = |seen: &Seen| plugged.fat_box(seen.key);
        let fat = of(a).overlaps(&of(b));
        assert!(fat || !a.touches(b), "a fat box that is too small");
        fat
    });
}
