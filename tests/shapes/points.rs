//! Points as regions: they find the shapes that hold them.

use orthant::{Aabb, Orthtree, Overlaps, Sphere, glam::Vec3};

#[test]
fn a_point_is_asked_for_as_what_holds_it() {
    let boxes = [0.0, 1.0, 1.5].map(|x| Aabb::from_center(Vec3::X * x, Vec3::splat(0.5)));
    let tree = Orthtree::new(&boxes);
    let mut holding: Vec<usize> = tree.query(Vec3::X).collect();
    holding.sort_unstable();
    assert_eq!(holding, [1, 2]);
    assert!(Vec3::X.overlaps(&Sphere::new(Vec3::ZERO, 1.0)));
}

#[test]
fn no_item_holds_a_point_that_is_not_finite() {
    let balls = [0.0, 1e38].map(|x| Sphere::new(Vec3::X * x, f32::MAX));
    let tree = Orthtree::new(&balls);
    for lost in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        assert_eq!(tree.count(Vec3::new(0.0, lost, 0.0)), 0);
        assert!(!Vec3::splat(lost).overlaps(&balls[0]));
    }
    assert_eq!(tree.count(Vec3::ZERO), 2);
}
