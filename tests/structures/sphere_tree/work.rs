//! Counts how many tests of nodes and balls a search takes, without the clock.

use std::cell::Cell;
use std::f64::consts::{FRAC_1_SQRT_2, TAU};
use std::ops::ControlFlow;

use orthant::glam::{DQuat, DVec3};
use orthant::{Moving, Rigid, SphereTree};

const COUNT: u32 = 10_000;

/// Points spread evenly over a sphere.
fn shell(radius: f64) -> Vec<DVec3> {
    let golden = TAU * 0.618_033_988_749_894_9;
    (0..COUNT)
        .map(|i| {
            let z = 1.0 - (2.0 * f64::from(i) + 1.0) / f64::from(COUNT);
            let turn = DQuat::from_rotation_z(golden * f64::from(i));
            radius * (turn * DVec3::new((1.0 - z * z).sqrt(), 0.0, z))
        })
        .collect()
}

/// The surface of a ring about z: ten rounds of a thousand points.
fn ring(radius: f64, thickness: f64) -> Vec<DVec3> {
    (0..COUNT)
        .map(|i| {
            let around = DQuat::from_rotation_z(TAU * f64::from(i / 10) / 1000.0);
            let across = DQuat::from_rotation_y(TAU * f64::from(i % 10) / 10.0);
            around * (radius * DVec3::X + across * (thickness * DVec3::X))
        })
        .collect()
}

/// How many tests of nodes and balls tell that two bodies are apart.
fn tests(a: &[DVec3], b: &[DVec3], ball: f64, motion: Rigid<DVec3>) -> u64 {
    let a = SphereTree::from_points(a, ball);
    let b = SphereTree::from_points(b, ball);
    let mut tests = 0;
    let apart = a
        .at(motion)
        .descend(&b, &mut tests, |_, _| ControlFlow::Break(()));
    assert!(apart.is_continue(), "they are meant to be apart");
    tests
}

#[test]
fn bodies_apart_need_under_a_hundredth_of_all_pairs() {
    let all = u64::from(COUNT) * u64::from(COUNT);
    let turn = DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 1.0);
    // Side by side, a gap of a tenth of a ball's radius.
    let beside = Rigid::from_rotation_translation(turn, DVec3::new(20.21, 0.0, 0.0));
    let (near, far) = (shell(10.0), shell(10.0));
    let side_by_side = tests(&near, &far, 0.1, beside);
    // Links of a chain, whose bounding balls overlap deeply.
    let quarter = DQuat::from_xyzw(FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2);
    let linked = Rigid::from_rotation_translation(quarter, DVec3::new(10.0, 0.0, 0.0));
    let links = tests(&ring(10.0, 2.0), &ring(10.0, 2.0), 0.1, linked);
    // One inside the other, everywhere close.
    let nested = Rigid::from_rotation_translation(turn, DVec3::ZERO);
    let shells = tests(&shell(9.0), &far, 0.1, nested);
    for count in [side_by_side, links, shells] {
        assert!(
            count * 100 < all,
            "{side_by_side}, {links}, {shells} of {all}"
        );
    }
}

#[test]
fn a_first_contact_needs_under_a_hundredth_of_all_pairs() {
    let sheet: Vec<DVec3> = (0..10_000)
        .map(|i| DVec3::new(f64::from(i / 100), f64::from(i % 100), f64::from(i * 7 % 5)))
        .collect();
    let tree = SphereTree::from_points(&sheet, 0.5);
    // One hits, one stops short, one passes by.
    for (start, by, hits) in [
        (DVec3::new(30.5, 20.5, -50.0), 100.0, true),
        (DVec3::new(30.5, 20.5, -50.0), 44.0, false),
        (DVec3::new(101.0, 0.0, -50.0), 100.0, false),
    ] {
        let moving = Moving::new(
            tree.at(Rigid::from_translation(start)),
            DVec3::new(0.0, 0.0, by),
        );
        let tests = Cell::new(0);
        assert_eq!(moving.contact(&tree, &tests).is_some(), hits);
        let tests = tests.get();
        assert!(tests < 1_000_000, "{tests} of 100000000");
    }
}
