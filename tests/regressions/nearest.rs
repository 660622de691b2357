//! Bugs of distances, and of radii that must reach the items that were found.

use orthant::glam::{DVec3, Vec3};
use orthant::{
    Distance, NormBall, Octree, Orthtree, Scalar, SpatialIndex, Sphere, Weighted, safe_lengths,
};

/// The square of a rounded root is less than the compared square in about a quarter of all cases, so a ball of the radius `distance()` missed
/// the item itself.
#[test]
fn a_ball_of_the_radius_of_the_nearest_item_holds_it() {
    let points = [Vec3::new(1.0, 1.0, 0.0), Vec3::new(2.0, -1.0, 0.5)];
    let (tree, p) = (Octree::new(&points), Vec3::ZERO);
    let near = tree.nearest(p).unwrap();
    assert_eq!(tree.count(Sphere::new(p, near.distance())), 0);
    assert!(tree.query(Sphere::new(p, near.radius())).eq([0]));
    assert_eq!(tree.nearest_n_within(p, 2, near.radius()), [near]);
    let nearer = tree
        .by_distance(p)
        .take_while(|n| n.radius() <= near.radius());
    assert_eq!(nearer.count(), 1);
    let flat = Weighted::new(Vec3::ONE);
    let by_weights = tree.by_norm(flat).nearest(p).unwrap();
    assert_eq!(by_weights.radius, near.radius());
    assert_eq!(tree.count(NormBall::new(p, near.radius(), flat)), 1);
}

/// The distance of a ball was the rounded distance of its center minus its radius, and a query of that radius missed the ball.
#[test]
fn a_ball_of_the_radius_of_the_nearest_ball_meets_it() {
    let p = [0.0_f32; 3];
    for i in 0_u16..1000 {
        let center = [f32::from(i) * 0.37, 1.0, f32::from(i % 7)];
        let ball = Sphere::new(center, 0.1 + f32::from(i % 13) * 0.05);
        let tree = Orthtree::new(&[ball]);
        let near = tree.nearest(p).unwrap();
        assert_eq!(tree.count(Sphere::new(p, near.radius())), 1, "{ball:?}");
    }
}

/// Tests zero, squares that vanish, subnormal numbers, the largest numbers, and infinity.
#[test]
fn a_radius_is_the_least_whose_square_reaches() {
    let mut squares: Vec<f32> = (0..31)
        .flat_map(|bit| [1 << bit, (1 << bit) + 1, 3 << bit >> 1])
        .map(f32::from_bits)
        .collect();
    squares.extend((0..5000_u32).map(|i| f32::from_bits(i * 429_001)));
    squares.extend([0.0, f32::MIN_POSITIVE, f32::MAX, f32::INFINITY]);
    squares.retain(|square| !square.is_nan());
    for square in squares {
        let radius = square.to_radius();
        assert!(
            radius.is_finite() && radius * radius >= square,
            "{square:e}"
        );
        let less = radius.next_down();
        assert!(radius == 0.0 || less * less < square, "{square:e}");
    }
    for square in [
        5e-324,
        1e-320,
        f64::MIN_POSITIVE,
        3.0,
        f64::MAX,
        f64::INFINITY,
    ] {
        let (radius, less) = (square.to_radius(), square.to_radius().next_down());
        assert!(
            radius * radius >= square && less * less < square,
            "{square:e}"
        );
    }
    assert_eq!(0.0_f64.to_radius(), 0.0);
    assert_eq!((-1.0_f32).to_radius(), 0.0);
    assert_eq!(f32::NAN.to_radius(), 0.0);
}

/// The documentation did not say where squares leave the normal numbers. `safe_lengths` is tight up to a factor of two.
#[test]
fn squares_of_safe_lengths_are_normal_numbers() {
    let (least, most) = safe_lengths::<f32>().into_inner();
    assert!((least * least).is_normal() && !(least.next_down() * least.next_down()).is_normal());
    assert!((most * most).is_finite() && !(2.0 * most * (2.0 * most)).is_finite());
    let (least, most) = safe_lengths::<f64>().into_inner();
    assert!((least * least).is_normal() && !(least.next_down() * least.next_down()).is_normal());
    assert!((most * most).is_finite() && !(2.0 * most * (2.0 * most)).is_finite());
    // Two places are that far apart along a diagonal.
    let corner = DVec3::splat(most / 3.0_f64.sqrt());
    assert!(corner.distance_sq(DVec3::ZERO).is_finite());
}
