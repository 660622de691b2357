//! Compares trees in motion with the least hit of all pairs, by time, then by the pair.

use orthant::glam::{DQuat, DVec3, Quat, Vec2, Vec3};
use orthant::{Aabb, Bounded, Hit, Impact, MovedTree, Moving, Rigid, ShapeError, Sphere};
use orthant::{SphereTree, Sweep, Vector};
use proptest::prelude::*;

use super::scene::{Motion, along_axes, motions, raws, scales, shift};
use crate::balls::{Raw, make};
use crate::cases::cases;

/// Returns the impact of one ball, first placed and then moving, by the definition.
fn impact<V: Vector, T>(
    ball: &Sphere<V>,
    motion: &Rigid<V>,
    (displacement, horizon): (V, V::Scalar),
    target: &T,
) -> Option<Impact<V>>
where
    Moving<Sphere<V>>: Sweep<T, Vector = V>,
{
    let moving = Moving::new(motion.sphere(ball)?, displacement).until(horizon);
    moving.sweep(target)
}

/// Returns the least hit by time; of equal ones, the first in order.
fn least<K, V: Vector>(hits: impl Iterator<Item = Hit<K, V>>) -> Option<Hit<K, V>> {
    hits.reduce(|a, b| {
        if b.impact.first < a.impact.first {
            b
        } else {
            a
        }
    })
}

fn check_target<V: Vector, T>(
    balls: &[Sphere<V>],
    motion: &Rigid<V>,
    way: (V, V::Scalar),
    target: &T,
    ask: impl Fn(&Moving<MovedTree<'_, V>>, &T) -> Option<Hit<usize, V>>,
) -> Result<(), TestCaseError>
where
    Moving<Sphere<V>>: Sweep<T, Vector = V>,
{
    let tree = SphereTree::new(balls);
    let scan = least(balls.iter().enumerate().filter_map(|(item, ball)| {
        impact::<V, T>(ball, motion, way, target).map(|impact| Hit { item, impact })
    }));
    let moving = Moving::new(tree.at(*motion), way.0).until(way.1);
    prop_assert_eq!(ask(&moving, target), scan);
    Ok(())
}

fn check<V: Vector>(
    (ours, theirs): (&[Raw], &[Raw]),
    (offset, step): (f64, f64),
    motion: &Rigid<V>,
    way: (V, V::Scalar),
) -> Result<(), TestCaseError> {
    let (ours, theirs) = (
        make::<V>(ours, offset, step),
        make::<V>(theirs, offset, step),
    );
    let (tree, other) = (SphereTree::new(&ours), SphereTree::new(&theirs));
    // Bodies that would leave the finite numbers are refused.
    let Ok(moving) = Moving::try_new(tree.at(*motion), way.0) else {
        return Ok(());
    };
    let theirs_of = |i: usize| {
        let impacts = theirs.iter().map(move |b| (i, b));
        impacts.enumerate()
    };
    let scan = least(
        (0..ours.len())
            .flat_map(theirs_of)
            .filter_map(|(j, (i, b))| {
                let impact = impact::<V, Sphere<V>>(&ours[i], motion, way, b)?;
                Some(Hit {
                    item: (i, j),
                    impact,
                })
            }),
    );
    prop_assert_eq!(moving.until(way.1).first_contact(&other), scan);
    for ball in theirs.iter().take(3) {
        check_target::<V, Sphere<V>>(&ours, motion, way, ball, |m, b| m.first_touch(b))?;
        let (c, r) = (ball.center(), ball.radius());
        let brick = Aabb::spanning(c, V::from_fn(|a| c.axis(a) + r));
        check_target::<V, Aabb<V>>(&ours, motion, way, &brick, |m, b| m.first_touch_of_box(b))?;
    }
    Ok(())
}

/// Makes a displacement on the same lattice, and a horizon.
fn ways() -> impl Strategy<Value = ([i8; 4], f64)> {
    let near = proptest::array::uniform4(-12i8..=12);
    let far = proptest::array::uniform4(-120i8..=120);
    let axis = (-20i8..=20).prop_map(|x| [x, 0, 0, 0]);
    let horizon = proptest::sample::select(&[1.0, 0.25, 0.0, f64::INFINITY][..]);
    (prop_oneof![near, far, axis], horizon)
}

fn way<V: Vector>(way: &([i8; 4], f64), step: f64) -> (V, V::Scalar) {
    let motion: Motion = ([false; 4], 0, [0.0; 4], way.0);
    (shift(&motion, step), orthant::Scalar::from_f64(way.1))
}

proptest! {
    #![proptest_config(cases(125, 2000))]

    #[test]
    fn first_contacts_equal_the_scan_on_lattices(
        ours in raws(), theirs in raws(), scale in scales(), motion in motions(), by in ways(),
    ) {
        let scene = (&ours[..], &theirs[..]);
        let step = scale.1;
        check::<[f32; 1]>(scene, scale, &along_axes(&motion, step), way(&by, step))?;
        check::<Vec2>(scene, scale, &along_axes(&motion, step), way(&by, step))?;
        check::<Vec3>(scene, scale, &along_axes(&motion, step), way(&by, step))?;
        check::<[f64; 4]>(scene, scale, &along_axes(&motion, step), way(&by, step))?;
    }

    #[test]
    fn first_contacts_equal_the_scan_under_any_rotation(
        ours in raws(), theirs in raws(), scale in scales(), motion in motions(), by in ways(),
    ) {
        let scene = (&ours[..], &theirs[..]);
        let step = scale.1;
        let quat = DQuat::from_array(motion.2);
        prop_assume!(quat.length() > 0.1);
        let quat = quat.normalize();
        let turned = Rigid::from_rotation_translation(quat, shift::<DVec3>(&motion, step));
        check(scene, scale, &turned, way(&by, step))?;
        let quat = Quat::from_array(quat.to_array().map(|x| x as f32)).normalize();
        let turned = Rigid::from_rotation_translation(quat, shift::<Vec3>(&motion, step));
        check(scene, scale, &turned, way(&by, step))?;
    }
}

#[test]
fn a_body_as_an_item() {
    let body = SphereTree::from_points(&[Vec2::ZERO, Vec2::X], 1.0);
    let bounds = body.lies().bounds();
    assert!(bounds.min().x <= -1.0 && bounds.max().x >= 2.0 && bounds.max().x < 2.001);
    let none = SphereTree::<Vec2>::new(&[]);
    assert_eq!(Moving::new(none.lies(), Vec2::X).first_contact(&body), None);
    assert_eq!(Moving::new(body.lies(), Vec2::X).first_contact(&none), None);
}

#[test]
fn a_displacement_must_be_finite() {
    let body = SphereTree::from_points(&[[0.0, 0.0]], 1.0);
    assert!(matches!(
        Moving::try_new(body.lies(), [0.0, f64::NAN]),
        Err(ShapeError::NotFinite {
            part: "displacement",
            axis: 1,
            ..
        })
    ));
}
