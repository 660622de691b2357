//! Errors of cell lists.

use orthant::glam::{DVec3, Vec2, Vec3};
use orthant::{Aabb, CellList, Error, NeighborLists, Periodic};

fn message<T>(result: Result<T, Error>) -> String {
    result.err().expect("it is refused").to_string()
}

#[test]
fn radii() {
    for radius in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let refused = CellList::try_new(&[Vec3::ZERO], radius);
        assert!(matches!(refused, Err(Error::Radius { .. })), "{radius}");
    }
    assert_eq!(
        message(CellList::try_new(&[Vec3::ZERO], -1.0)),
        "radius -1 is not a positive number"
    );
    let unit = Periodic::on_axes(Aabb::new(Vec3::ZERO, Vec3::ONE), [false, true, true]);
    let refused = CellList::try_new_periodic(&[Vec3::ZERO], 101.0, unit);
    assert_eq!(
        message(refused),
        "radius 101 reaches more than a hundred images of the box, 1 long, on axis 1"
    );
    let vast = Periodic::new(Aabb::new(Vec3::ZERO, Vec3::splat(1e30)));
    let refused = CellList::try_new_periodic(&[Vec3::ZERO], 1e25, vast);
    assert!(matches!(refused, Err(Error::RadiusOverBox { axis: 0, .. })));
    // All squares vanish, so every image is near.
    let tiny = Periodic::new(Aabb::new(Vec3::ZERO, Vec3::splat(1e-30)));
    let refused = CellList::try_new_periodic(&[Vec3::ZERO], 1e-30, tiny);
    assert!(matches!(refused, Err(Error::RadiusOverBox { axis: 0, .. })));
}

#[test]
fn points_are_named_by_their_index() {
    let expected = "item 1: point is NaN on axis 2, not a finite number";
    let points = [Vec3::ZERO, Vec3::new(0.0, 0.0, f32::NAN), Vec3::INFINITY];
    assert_eq!(message(CellList::try_new(&points, 1.0)), expected);
    let mut cells = CellList::new(&[Vec3::ZERO, Vec3::X], 1.0);
    assert_eq!(message(cells.rebuild(&points)), expected);
    // The list is unchanged.
    cells.validate().unwrap();
    assert_eq!((cells.len(), cells.count_pairs()), (2, 1));
    let mut lists = NeighborLists::new();
    assert_eq!(
        message(cells.neighbors_of_into(&points, &mut lists)),
        expected
    );
    assert_eq!(message(cells.count_pairs_with(&points)), expected);
    assert_eq!(message(cells.pair_counts_with(&points, &[1.0])), expected);
    assert_eq!(
        message(cells.for_each_pair_with(&points, |_, _, _, _| ())),
        expected
    );
    // Squares that overflow are accepted.
    let far = [Vec3::splat(f32::MAX), Vec3::splat(-f32::MAX)];
    assert_eq!(CellList::new(&far, 1.0).count_pairs(), 0);
}

#[test]
fn bins() {
    let cells = CellList::new(&[Vec2::ZERO, Vec2::X], 2.0);
    assert_eq!(cells.pair_counts(&[]), Ok(vec![]));
    assert_eq!(cells.pair_counts(&[0.0, 1.0, 2.0]), Ok(vec![0, 1, 0]));
    let ends = [
        (vec![-1.0, 1.0], 0),
        (vec![1.0, 1.0], 1),
        (vec![0.5, 1.0, 0.7], 2),
        (vec![1.0, 2.5], 1),
        (vec![f32::NAN], 0),
    ];
    for (ends, bin) in ends {
        for refused in [
            cells.pair_counts(&ends),
            cells.pair_counts_with(&[Vec2::ZERO], &ends),
        ] {
            assert!(
                matches!(refused, Err(Error::BinEnd { bin: b, .. }) if b == bin),
                "{ends:?}"
            );
        }
    }
    assert_eq!(
        message(cells.pair_counts(&[1.0, 2.5])),
        "bin 1 ends at 2.5: ends are to increase, from 0 to the radius of the list"
    );
}

#[test]
fn cells_without_volume() {
    let flat = [DVec3::X, DVec3::Y, DVec3::new(1.0, 1.0, 0.0)];
    assert!(matches!(
        Periodic::try_spanned(DVec3::ZERO, flat),
        Err(Error::SingularCell { volume }) if volume < 1e-15
    ));
    let nothing = [DVec3::X, DVec3::ZERO, DVec3::Z];
    assert_eq!(
        message(Periodic::try_spanned(DVec3::ZERO, nothing)),
        "the vectors of the cell span 0 of what they would at right angles"
    );
    let thin = [DVec3::X, DVec3::Y, DVec3::new(1.0, 1.0, 1e-9)];
    assert!(Periodic::try_spanned(DVec3::ZERO, thin).is_err());
    let small = [DVec3::X * 1e-200, DVec3::Y * 1e200, DVec3::Z];
    assert!(Periodic::try_spanned(DVec3::ZERO, small).is_ok());
    let unknown = [DVec3::X, DVec3::Y, DVec3::NAN];
    assert_eq!(
        message(Periodic::try_spanned(DVec3::ZERO, unknown)),
        "vector is NaN on axis 0, not a finite number"
    );
}

/// One far point, or all points in one place, takes no more memory than other sets.
#[test]
fn memory_is_bounded() {
    let mut points: Vec<Vec3> = (0..1000)
        .map(|i| Vec3::new((i % 10) as f32, (i / 10 % 10) as f32, (i / 100) as f32))
        .collect();
    let dense = CellList::new(&points, 1.0);
    assert_eq!(dense.count_pairs(), 2700);
    points.push(Vec3::splat(1e7));
    points.push(Vec3::splat(-1e30));
    let mut cells = CellList::new(&points, 1.0);
    cells.validate().unwrap();
    assert_eq!(cells.count_pairs(), 2700);
    assert!(cells.bytes() < 200 * points.len(), "{}", cells.bytes());
    // A radius that is far too small works too.
    cells = CellList::new(&points, 1e-30);
    assert_eq!(cells.count_pairs(), 0);
    assert!(cells.bytes() < 200 * points.len(), "{}", cells.bytes());
}
