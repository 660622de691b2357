//! Law 8: neighbors are symmetric. Coordinates are thousandths, whose sums and differences are rounded, and radii are just reached.

use orthant::{
    Aabb, CellLevels, CellList, Distance, LooseOrthtree, Orthtree, Overlaps, Periodic, Reach,
    Region, Scalar, Sphere, Vector, Voxel,
};
use proptest::prelude::*;

use crate::cases::cases;

/// Coordinates and radii in thousandths.
type Raw = (Vec<[u16; 3]>, u16);

fn raw() -> impl Strategy<Value = Raw> {
    let point = proptest::array::uniform3(0u16..1000);
    (proptest::collection::vec(point, 1..12), 0u16..=500)
}

fn thousandths<S: Scalar>(x: u16) -> S {
    S::from_f64(f64::from(x) / 1000.0)
}

fn check<V>((raws, reach): &Raw)
where
    V: Vector + Region<Vector = V>,
    Sphere<V>: Overlaps<V>,
{
    let zero = V::Scalar::ZERO;
    let cube = Aabb::new(V::splat(zero), V::splat(V::Scalar::ONE));
    let periodic = Periodic::new(cube);
    let points: Vec<V> = raws
        .iter()
        .map(|raw| V::from_fn(|a| thousandths(raw[a])))
        .collect();
    // The radius is a thousandth, or the rounded distance of two of the points.
    let apart = periodic.displacement(points[0], points[points.len() - 1]);
    let reached = apart.distance_sq(V::splat(zero)).to_radius();
    for radius in [thousandths(*reach), reached] {
        let tree = Orthtree::new(&points);
        let loose: LooseOrthtree<V> = points.iter().copied().collect();
        let mut found = Vec::new();
        for (i, &point) in points.iter().enumerate() {
            let ball = Sphere::new(point, radius);
            for (j, image) in periodic.query(&tree, ball).unwrap() {
                found.push((i, j, axes::<V>(image)));
            }
            assert_eq!(periodic.count(&loose, ball), periodic.count(&tree, ball));
        }
        found.sort_unstable();
        // Each point is in the list of its neighbor, in the opposite image.
        let mut back: Vec<_> = found
            .iter()
            .map(|(i, j, image)| (*j, *i, image.iter().map(|k| -k).collect()))
            .collect();
        back.sort_unstable();
        assert_eq!(found, back, "{points:?} {radius}");

        if radius > zero {
            // Cell lists have the same lists and pairs, whatever else the same call counts.
            let cells = CellList::new_periodic(&points, radius, periodic);
            let levels = CellLevels::new_periodic(
                &points,
                &vec![radius; points.len()],
                Reach::Larger,
                periodic,
            );
            let pairs = (found.len() - points.len()) as u64 / 2;
            assert_eq!((cells.count_pairs(), levels.count_pairs()), (pairs, pairs));
            let half = radius * V::Scalar::from_f64(0.5);
            let alone = cells.pair_counts(&[radius]).unwrap();
            let both = cells.pair_counts(&[half, radius]).unwrap();
            assert_eq!((alone[0], both[0] + both[1]), (pairs, pairs));
            let total: usize = cells.neighbors().iter().map(|list| list.len()).sum();
            assert_eq!(total, found.len());
            let lists = cells.neighbors_of(&points).unwrap();
            for (i, list) in lists.iter().enumerate() {
                let own = found.iter().filter(|near| near.0 == i).count();
                assert_eq!(list.len(), own);
            }
            cells.for_each_pair(|_, _, _, distance_sq| assert!(distance_sq <= radius * radius));
        }

        // The displacement back is the negative, and agrees with the lists.
        for (i, &a) in points.iter().enumerate() {
            for (j, &b) in points.iter().enumerate() {
                let (there, back) = (periodic.displacement(a, b), periodic.displacement(b, a));
                assert_eq!(there, V::from_fn(|axis| zero - back.axis(axis)));
                let is_near = there.distance_sq(V::splat(zero)) <= radius * radius;
                assert_eq!(is_near, found.iter().any(|near| (near.0, near.1) == (i, j)));
            }
        }
        // Points are one component if a chain of neighbors joins them.
        let groups = periodic.components(&tree, radius).unwrap();
        for (i, j, _) in &found {
            assert_eq!(groups.label(*i), groups.label(*j));
        }
    }
}

fn axes<V: Vector>(image: V::Voxel) -> Vec<i32> {
    (0..V::DIM).map(|a| image.axis(a)).collect()
}

#[test]
fn who_asks_does_not_matter() {
    proptest!(cases(60, 1000), |(raw in raw())| {
        check::<[f64; 1]>(&raw);
        check::<[f32; 2]>(&raw);
        check::<[f64; 2]>(&raw);
        check::<[f32; 3]>(&raw);
    });
}
