//! Compares the scan, which tests sixteen items at once, with the predicate of each item, with all instruction sets of the machine and with
//! lengths around that of a word.

use orthant::InstructionSet;
use orthant::glam::{DVec3, Vec2, Vec3, Vec3A};
use orthant::{Aabb, Bounded, Error, Hollow, Linear, Overlaps, Region, Scalar, Sphere, Vector};
use proptest::prelude::*;

/// Compares every form of the answer with the predicate of each item.
fn check<T, R>(items: &[T], shape: &R)
where
    T: Bounded + Clone,
    R: Region<Vector = T::Vector> + Overlaps<T> + std::fmt::Debug,
{
    let truth: Vec<bool> = items.iter().map(|item| shape.overlaps(item)).collect();
    let count = truth.iter().filter(|&&hit| hit).count();
    let wanted: Vec<u32> = (0..).zip(&truth).filter(|p| *p.1).map(|p| p.0).collect();
    let scan = Linear::new(items);
    assert_eq!(scan.len(), items.len());
    assert_eq!(scan.is_empty(), items.is_empty());
    for set in InstructionSet::available() {
        let scan = scan.clone().with_instructions(set);
        assert_eq!(scan.instructions(), set);
        assert_eq!(scan.count(shape), count, "{set}: {shape:?}");
        let each = scan.query(shape).map(|i| i as u32);
        assert!(each.eq(wanted.iter().copied()), "{set}: {shape:?}");

        // Both methods append.
        let (mut words, mut indices) = (vec![7], vec![7]);
        scan.masks(shape, &mut words);
        scan.query(shape).append_to(&mut indices);
        assert_eq!((words[0], indices[0]), (7, 7));
        assert_eq!(&indices[1..], wanted, "{set}: {shape:?}");
        assert_eq!(words.len(), 1 + items.len().div_ceil(64));
        for bit in 0..64 * (words.len() - 1) {
            let is_set = words[1 + bit / 64] >> (bit % 64) & 1 == 1;
            let hit = truth.get(bit).copied().unwrap_or(false);
            assert_eq!(is_set, hit, "{set}: bit {bit}, {shape:?}");
        }
    }
}

/// Tests boxes and spheres, made from coordinates, against each other, and points against the spheres.
fn check_all<V: Vector>(values: &[f64], radii: &[f64], lens: std::ops::Range<usize>) {
    let value = |i: usize| values[i % values.len()];
    let scalar = <V::Scalar as Scalar>::from_f64;
    // The strides share no factor with the number of values.
    let point = |i: usize| V::from_fn(|a| scalar(value(7 * i + 31 * a)));
    let balls: Vec<Sphere<V>> = (0..lens.end)
        .map(|i| Sphere::new(point(i), scalar(radii[i % radii.len()])))
        .collect();
    let boxes: Vec<Aabb<V>> = (0..lens.end)
        .map(|i| Aabb::spanning(point(i + 3), point(2 * i + 5)))
        .collect();
    let points: Vec<V> = (0..lens.end).map(|i| point(5 * i + 1)).collect();
    for len in lens {
        for asked in [0, len / 2, len] {
            check(&boxes[..len], &balls[asked]);
            check(&points[..len], &balls[asked]);
            check(&balls[..len], &boxes[asked]);
            check(&boxes[..len], &Hollow(balls[asked]));
            check(&points[..len], &boxes[asked]);
        }
    }
}

fn in_all_spaces(values: &[f64], radii: &[f64], lens: std::ops::Range<usize>) {
    check_all::<Vec2>(values, radii, lens.clone());
    check_all::<Vec3>(values, radii, lens.clone());
    check_all::<Vec3A>(values, radii, lens.clone());
    check_all::<[f64; 2]>(values, radii, lens.clone());
    check_all::<DVec3>(values, radii, lens.clone());
    check_all::<[f32; 1]>(values, radii, lens.clone());
    check_all::<[f32; 4]>(values, radii, lens);
}

#[test]
fn ties_on_a_lattice() {
    let values: Vec<f64> = (0..41).map(|i| f64::from(i * 17 % 13) - 6.0).collect();
    in_all_spaces(&values, &[0.0, 1.0, 2.0, 3.0, 5.0, 7.0], 0..71);
}

#[test]
fn signed_zeros() {
    in_all_spaces(
        &[0.0, -0.0, -0.0, 1.0, 0.0, -0.0, -1.0],
        &[0.0, -0.0, 1.0],
        60..71,
    );
}

#[test]
fn subnormals_and_squares_that_vanish() {
    let tiny: Vec<f64> = (-9..10).map(|i| f64::from(i) * 1e-45).collect();
    in_all_spaces(&tiny, &[0.0, 1e-45, 3e-45, 1e-22], 60..71);
    let tiny: Vec<f64> = (-9..10).map(|i| f64::from(i) * 1e-23).collect();
    in_all_spaces(&tiny, &[0.0, 1e-23, 3e-23, 1e-22], 60..71);
    let tiny: Vec<f64> = (-9..10).map(|i| f64::from(i) * 5e-324).collect();
    check_all::<DVec3>(&tiny, &[0.0, 5e-324, 1e-162, 1e-161], 60..71);
    let tiny: Vec<f64> = (-9..10).map(|i| f64::from(i) * 1e-162).collect();
    check_all::<DVec3>(&tiny, &[0.0, 1e-162, 3e-162, 1e-161], 60..71);
}

#[test]
fn differences_and_squares_that_overflow() {
    let max = f64::from(f32::MAX);
    let huge = [
        0.0, 1e19, -1e19, 2e19, max, -max, 1e38, -1e38, 3e38, -3e38, 1.0,
    ];
    in_all_spaces(&huge, &[0.0, 1e19, 1.9e19, 1e30, max], 60..71);
    let huge = [
        0.0,
        1e154,
        -1e154,
        2e154,
        f64::MAX,
        -f64::MAX,
        1e308,
        -1e308,
        1.0,
    ];
    check_all::<DVec3>(&huge, &[0.0, 1e154, 1.4e154, 1e200, f64::MAX], 60..71);
}

#[test]
fn several_words() {
    let values: Vec<f64> = (0..997).map(|i| f64::from(i * 389 % 997) * 0.01).collect();
    in_all_spaces(&values, &[0.5, 2.0, 4.0], 637..643);
}

proptest! {
    #[test]
    fn anything(
        values in prop::collection::vec(prop_oneof![
            -4.0..4.0_f64,
            (-4..5).prop_map(f64::from),
            (-40..41).prop_map(|i| f64::from(i) * 0.1),
        ], 50..90),
        radii in prop::collection::vec(prop_oneof![0.0..4.0_f64, (0..5).prop_map(f64::from)], 5),
        len in 0..130_usize,
    ) {
        in_all_spaces(&values, &radii, len..len + 1);
    }
}

#[test]
fn points_are_checked_at_the_door() {
    let error = Linear::try_new(&[[0.0, 0.0], [1.0, f64::NAN]]).unwrap_err();
    assert!(matches!(error, Error::Item { index: 1, .. }));
    let words = error.to_string();
    assert!(
        words.starts_with("item 1:") && words.contains("axis 1"),
        "{words}"
    );
}

#[test]
#[should_panic(expected = "Linear: item 0")]
fn new_panics_where_try_new_fails() {
    let _ = Linear::new(&[[f32::INFINITY]]);
}

#[test]
fn the_best_instructions_come_last() {
    let sets: Vec<_> = InstructionSet::available().collect();
    assert_eq!(sets[0], InstructionSet::BASELINE);
    assert_eq!(sets.last(), Some(&InstructionSet::best()));
    let scan = Linear::new(&[[0.0]]);
    assert_eq!(scan.instructions(), InstructionSet::best());
    println!(
        "tested: {}",
        sets.iter()
            .map(|set| set.name())
            .collect::<Vec<_>>()
            .join(", ")
    );
}
