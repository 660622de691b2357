//! Points that each have a radius.

use orthant::glam::{DVec2, Vec3};
use orthant::{Aabb, CellLevels, Error, NeighborLists, Periodic, Reach, Scalar, Vector};

use super::inputs::{Numbers, lattice, point, uniform};
use super::truth::{self, keys, length_sq, sets};

/// Makes radii over many octaves, some of them 0.
fn radii<S: Scalar>(many: usize, largest: f64, octaves: f64) -> Vec<S> {
    let mut numbers = Numbers(5);
    let mut radius = || match numbers.next() {
        x if x < 0.1 => 0.0,
        x => largest * f64::powf(2.0, -octaves * (x - 0.1) / 0.9),
    };
    (0..many).map(|_| S::from_f64(radius())).collect()
}

fn check<V: Vector>(points: &[V], radii: &[V::Scalar], periodic: Option<Periodic<V>>) {
    let largest = radii
        .iter()
        .fold(V::Scalar::ZERO, |most, &r| if r > most { r } else { most });
    // All pairs lie within a little more than twice the largest radius.
    let most = largest * V::Scalar::from_f64(2.001);
    let near = truth::pairs(points, most, periodic.as_ref());
    for reach in [Reach::Larger, Reach::Sum] {
        let is_near = |&(i, j, v): &(usize, usize, V)| {
            let (a, b) = (radii[i], radii[j]);
            let limit = match reach {
                Reach::Larger if a > b => a,
                Reach::Larger => b,
                Reach::Sum => a + b,
            };
            length_sq(v) <= limit * limit
        };
        let mut expected = near.clone();
        expected.retain(is_near);
        let lists = truth::lists(points.len(), &expected);
        let mut cells = match periodic {
            Some(periodic) => CellLevels::new_periodic(points, radii, reach, periodic),
            None => CellLevels::new(points, radii, reach),
        };
        let mut seen = None;
        for set in sets() {
            cells = cells.with_instructions(set);
            let (mut pairs, mut each, mut found) = (Vec::new(), Vec::new(), NeighborLists::new());
            cells.pairs(&mut pairs).unwrap();
            cells.for_each_pair(|i, j, v, distance_sq| {
                assert_eq!(distance_sq, length_sq(v));
                assert_eq!(pairs[each.len()], [i as u32, j as u32]);
                each.push((i, j, v));
            });
            assert_eq!(keys(&each), keys(&expected), "{reach:?} {set} {periodic:?}");
            assert_eq!(cells.count_pairs(), expected.len() as u64);
            cells.neighbors_into(&mut found).unwrap();
            assert_eq!(found.len(), points.len());
            for (list, expected) in found.iter().zip(&lists) {
                let mut list = list.to_vec();
                list.sort_unstable();
                assert_eq!(&list, expected);
            }
            assert!(seen.get_or_insert_with(|| pairs.clone()) == &pairs, "{set}");
        }
    }
}

#[test]
fn many_scales() {
    for octaves in [0.0, 1.5, 9.0] {
        check::<Vec3>(&uniform(120, 0.0, 1.0), &radii(120, 0.3, octaves), None);
        check::<DVec2>(&lattice(80, 9, -3.0, 1.0), &radii(80, 3.0, octaves), None);
    }
    let mut points = lattice::<Vec3>(60, 4, 0.0, 1.0);
    points.push(point(|_| 1e7));
    check(&points, &radii(61, 2.0, 60.0), None);
    check::<Vec3>(&[], &[], None);
}

#[test]
fn many_scales_in_boxes() {
    let periodic = Periodic::new(Aabb::new(Vec3::ZERO, Vec3::new(4.0, 5.0, 6.0)));
    let cell = Periodic::spanned(DVec2::ZERO, [DVec2::new(7.0, 1.0), DVec2::new(-2.0, 6.0)]);
    for largest in [0.5, 2.5] {
        check(
            &lattice(30, 9, -2.0, 1.0),
            &radii(30, largest, 5.0),
            Some(periodic),
        );
        check(
            &uniform(30, -3.0, 9.0),
            &radii(30, largest, 5.0),
            Some(cell),
        );
        let wire = Periodic::spanned_along(DVec2::ZERO, cell.vectors(), [false, true]);
        check(
            &uniform(30, -3.0, 9.0),
            &radii(30, largest, 5.0),
            Some(wire),
        );
    }
}

#[test]
fn used_again() {
    let points = uniform::<Vec3>(500, 0.0, 1.0);
    let mut cells = CellLevels::new(&points, &radii(500, 0.2, 6.0), Reach::Sum);
    let (mut first, mut again) = (Vec::new(), Vec::new());
    cells.pairs(&mut first).unwrap();
    cells
        .rebuild(&points[..100], &radii(100, 0.9, 2.0))
        .unwrap();
    cells.rebuild(&points, &radii(500, 0.2, 6.0)).unwrap();
    cells.pairs(&mut again).unwrap();
    assert_eq!(first, again);
    assert!(!first.is_empty() && cells.len() == 500);
}

#[test]
fn bad_radii_are_named() {
    let points = [Vec3::ZERO, Vec3::ONE];
    let message = |radii: &[f32]| {
        let refused = CellLevels::try_new(&points, radii, Reach::Sum);
        refused.expect_err("it is refused").to_string()
    };
    assert_eq!(message(&[1.0, -2.0]), "item 1: negative radius -2");
    assert_eq!(
        message(&[f32::NAN, 1.0]),
        "item 0: radius is NaN on axis 0, not a finite number"
    );
    let unit = Periodic::new(Aabb::new(Vec3::ZERO, Vec3::ONE));
    let refused = CellLevels::try_new_periodic(&points, &[0.0, 60.0], Reach::Sum, unit);
    assert!(matches!(refused, Err(Error::RadiusOverBox { axis: 0, .. })));
    assert!(CellLevels::try_new_periodic(&points, &[0.0, 60.0], Reach::Larger, unit).is_ok());
    let mut cells = CellLevels::new(&points, &[1.0, 1.0], Reach::Sum);
    assert!(cells.rebuild(&[Vec3::NAN], &[1.0]).is_err());
    assert_eq!(cells.count_pairs(), 1);
}

#[test]
#[should_panic(expected = "a radius for each point")]
fn radii_are_as_many_as_points() {
    let _ = CellLevels::new(&[Vec3::ZERO], &[], Reach::Larger);
}
