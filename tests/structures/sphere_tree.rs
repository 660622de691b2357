//! Compares trees of bounding spheres with the scan of all balls and all pairs, bit for bit.

mod scene;
mod swept;
mod work;

use std::ops::ControlFlow;

use crate::balls::{Raw, make};
use crate::cases::cases;
use orthant::glam::{DQuat, DVec2, DVec3, Quat, Vec2, Vec3};
use orthant::{
    Aabb, Complement, Error, Hollow, Linear, Manhattan, Moving, Overlaps, Ray, Region, Rigid,
    Scalar, ShapeError, SpatialIndex, Sphere, SphereTree, Vector,
};
use proptest::prelude::*;
use scene::{along_axes, motions, raws, scales, shift};

/// Returns all pairs, by the definition.
fn all_pairs<V: Vector>(
    ours: &[Sphere<V>],
    motion: &Rigid<V>,
    theirs: &[Sphere<V>],
) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (i, ball) in ours.iter().enumerate() {
        let moved = motion.sphere(ball);
        let meets = |other| moved.is_some_and(|m| m.overlaps(other));
        found.extend(
            (0..theirs.len())
                .filter(|&j| meets(&theirs[j]))
                .map(|j| (i, j)),
        );
    }
    found
}

fn check_region<V, R>(
    balls: &[Sphere<V>],
    tree: &SphereTree<V>,
    motion: &Rigid<V>,
    region: &R,
) -> Result<(), TestCaseError>
where
    V: Vector,
    R: Region<Vector = V> + Overlaps<Sphere<V>>,
{
    let meets = |ball| motion.sphere(ball).is_some_and(|m| region.overlaps(&m));
    let scan: Vec<usize> = (0..balls.len()).filter(|&i| meets(&balls[i])).collect();
    let moved = tree.at(*motion);
    let mut found: Vec<_> = moved.query(region).collect();
    found.sort_unstable();
    prop_assert_eq!(&found, &scan);
    prop_assert_eq!(moved.count(region), scan.len());
    prop_assert_eq!(moved.meets(region), !scan.is_empty());
    Ok(())
}

/// Compares the nearest of the moved balls, and the balls that a moving ball touches, with the scan.
fn check_moved<V: Vector>(
    balls: &[Sphere<V>],
    tree: &SphereTree<V>,
    motion: &Rigid<V>,
    target: &Sphere<V>,
) -> Result<(), TestCaseError> {
    let moved: Option<Vec<_>> = balls.iter().map(|ball| motion.sphere(ball)).collect();
    let (scan, tree) = (Linear::new(&moved.expect("finite balls")), tree.at(*motion));
    let from = target.center();
    prop_assert_eq!(tree.nearest_n(from, 9), scan.nearest_n(from, 9));
    let (near, radius) = (tree.by_norm(Manhattan), target.radius());
    prop_assert_eq!(
        near.nearest_n_within(from, 9, radius),
        scan.by_norm(Manhattan).nearest_n_within(from, 9, radius)
    );
    let by = V::from_fn(|a| V::Scalar::ZERO - from.axis(a));
    let moving = Moving::new(*target, by);
    prop_assert_eq!(tree.sweep(moving), scan.sweep(moving));
    prop_assert_eq!(tree.sweep_all(moving), scan.sweep_all(moving));
    Ok(())
}

fn check<V: Vector>(
    (ours, theirs): (&[Raw], &[Raw]),
    (offset, step): (f64, f64),
    motion: &Rigid<V>,
) -> Result<(), TestCaseError> {
    let (ours, theirs) = (
        make::<V>(ours, offset, step),
        make::<V>(theirs, offset, step),
    );
    let (tree, other) = (SphereTree::new(&ours), SphereTree::new(&theirs));
    prop_assert_eq!(tree.len(), ours.len());
    let moved = tree.at(*motion);
    let scan = all_pairs(&ours, motion, &theirs);
    prop_assert_eq!(moved.pairs(&other), &scan[..]);
    prop_assert_eq!(moved.meets_tree(&other), !scan.is_empty());
    let mut seen = 0;
    let stopped = moved.visit_pairs(&other, |i, j| {
        seen += 1;
        if scan.binary_search(&(i, j)).is_ok() && seen < 3 {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(seen)
        }
    });
    prop_assert_eq!(stopped.is_break(), scan.len() >= 3);
    for ball in theirs.iter().take(4) {
        check_region(&ours, &tree, motion, ball)?;
        check_region(&ours, &tree, motion, &Hollow(*ball))?;
        check_moved(&ours, &tree, motion, ball)?;
        let (c, r) = (ball.center(), ball.radius());
        let brick = Aabb::spanning(c, V::from_fn(|a| c.axis(a) + r));
        check_region(&ours, &tree, motion, &brick)?;
        check_region(&ours, &tree, motion, &Hollow(brick))?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(125, 2000))]

    #[test]
    fn trees_equal_the_scan_on_lattices(
        ours in raws(), theirs in raws(), scale in scales(), motion in motions(),
    ) {
        let scene = (&ours[..], &theirs[..]);
        let step = scale.1;
        check::<[f32; 1]>(scene, scale, &along_axes(&motion, step))?;
        check::<Vec2>(scene, scale, &along_axes(&motion, step))?;
        check::<DVec2>(scene, scale, &along_axes(&motion, step))?;
        check::<Vec3>(scene, scale, &along_axes(&motion, step))?;
        check::<[f64; 4]>(scene, scale, &along_axes(&motion, step))?;
    }

    #[test]
    fn trees_equal_the_scan_under_any_rotation(
        ours in raws(), theirs in raws(), scale in scales(), motion in motions(),
    ) {
        let scene = (&ours[..], &theirs[..]);
        let (step, turn) = (scale.1, motion.2);
        check::<Vec2>(scene, scale, &Rigid::from_rotation_translation(turn[0] as f32, shift(&motion, step)))?;
        check::<DVec2>(scene, scale, &Rigid::from_rotation_translation(turn[0], shift(&motion, step)))?;
        let quat = DQuat::from_array(turn);
        prop_assume!(quat.length() > 0.1);
        let quat = quat.normalize();
        check::<DVec3>(scene, scale, &Rigid::from_rotation_translation(quat, shift(&motion, step)))?;
        let quat = Quat::from_array(quat.to_array().map(|x| x as f32)).normalize();
        check::<Vec3>(scene, scale, &Rigid::from_rotation_translation(quat, shift(&motion, step)))?;
    }

    /// Balls touch exactly and are then rotated together: rounding decides each pair, and the tree decides as the pair test does.
    #[test]
    fn touching_layers(motion in motions()) {
        let quat = DQuat::from_array(motion.2);
        prop_assume!(quat.length() > 0.1);
        let turn = Rigid::from_rotation_translation(quat.normalize(), DVec3::ZERO);
        let layer = |z: f64, by: &Rigid<DVec3>| -> Vec<Sphere<DVec3>> {
            (0..64)
                .map(|i| DVec3::new(f64::from(i % 8), f64::from(i / 8), z))
                .map(|p| Sphere::new(by.point(p), 0.5))
                .collect()
        };
        let (below, above) = (layer(0.0, &Rigid::identity()), layer(1.0, &turn));
        let tree = SphereTree::new(&below).at(turn).pairs(&SphereTree::new(&above));
        prop_assert_eq!(tree, all_pairs(&below, &turn, &above));
    }
}

#[test]
fn empty_bodies() {
    let (none, one) = (
        SphereTree::<Vec3>::new(&[]),
        SphereTree::from_points(&[Vec3::ZERO], 1.0),
    );
    assert!(none.is_empty());
    assert!(!none.lies().meets_tree(&one) && !one.lies().meets_tree(&none));
    assert!(!none.lies().meets(Sphere::new(Vec3::ZERO, 1.0)));
}

#[test]
fn coincident_balls_all_count() {
    let tree = SphereTree::from_points(&[Vec2::ONE; 50], 0.0);
    assert_eq!(tree.lies().pairs(&tree).len(), 2500);
}

/// A shape that moves beyond the finite numbers meets nothing, in the tree as in the scan.
#[test]
fn motion_out_of_the_numbers() {
    let balls: Vec<_> = (0..20)
        .map(|i| Sphere::new([f32::MAX / (1 << i) as f32, 0.0], 1.0))
        .collect();
    let tree = SphereTree::new(&balls);
    let far = Rigid::from_translation([f32::MAX, 0.0]);
    assert_eq!(tree.at(far).pairs(&tree), all_pairs(&balls, &far, &balls));
    let there = |i: &usize| far.sphere(&balls[*i]).is_some();
    let mut left: Vec<_> = (0..balls.len()).filter(there).collect();
    let everywhere = Complement(Sphere::new([0.0, 1.0], 0.5));
    let mut found: Vec<_> = tree.at(far).query(everywhere).collect();
    found.sort_unstable();
    assert_eq!(found, left);
    let mut near: Vec<_> = tree
        .at(far)
        .nearest_n([0.0, 0.0], 99)
        .iter()
        .map(|n| n.item)
        .collect();
    near.sort_unstable();
    assert_eq!(near, left);
    let still = Ray::new([0.0, 0.0], [1.0, 0.0]);
    left.clear();
    left.extend(tree.at(far).sweep_all(still).iter().map(|hit| hit.item));
    assert!(left.iter().all(there));
    let other = SphereTree::from_points(&[[f32::MAX, 0.0]], 1.0);
    let still = Rigid::from_translation([0.0, 0.0]);
    assert!(tree.at(still).meets_tree(&other));
}

#[test]
fn what_is_refused() {
    let error = SphereTree::try_from_points(&[[0.0, 0.0], [0.0, f64::NAN]], 1.0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "item 1: center is NaN on axis 1, not a finite number"
    );
    assert_eq!(
        SphereTree::try_from_points(&[[0.0, 0.0]], -1.0).unwrap_err(),
        Error::Item {
            index: 0,
            error: ShapeError::NegativeRadius { radius: -1.0 }
        }
    );
    let skewed = Rigid::try_new(|a| [[1.0, 0.0], [0.5, 1.0]][a], [0.0, 0.0]);
    assert_eq!(
        skewed.unwrap_err().to_string(),
        "not a rotation: the product of axes 0 and 1 is 0.5, not 0"
    );
    let stretched = Rigid::try_new(|a| [[1.0, 0.0], [0.0, 2.0]][a], [0.0, 0.0]);
    assert_eq!(
        stretched.unwrap_err(),
        ShapeError::NotOrthonormal {
            first: 1,
            second: 1,
            product: 4.0
        }
    );
    assert_eq!(
        Rigid::try_new(|_| [f32::NAN], [0.0])
            .unwrap_err()
            .to_string(),
        "rotation is NaN on axis 0, not a finite number"
    );
    assert!(Rigid::try_new(|_| [-1.0], [f64::INFINITY]).is_err());
}

#[test]
#[should_panic(expected = "Rigid: not a rotation")]
fn a_quaternion_must_be_of_length_one() {
    let _ = Rigid::from_rotation_translation(Quat::from_xyzw(0.0, 0.0, 1.0, 1.0), Vec3::ZERO);
}
