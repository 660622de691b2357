//! Hexahedra and quadrilaterals as items: axis-aligned ones answer as boxes do, turned ones as if the world were turned back, and every
//! structure answers as the scan does. Coordinates are small integers, so that touches are exact.

use orthant::{
    Aabb, Bounded, Contains, Distance, Ellipsoid, Frustum, Hexahedron, Hollow, Impact,
    Intersection, Linear, LooseOrthtree, Mover, Orthtree, Overlaps, Quadrilateral, Ray, Region,
    Scalar, Shell, SpatialIndex, Sphere, Sweep, Vector, With,
};
use proptest::prelude::*;

use crate::cases::cases;

type Triple = [i8; 3];

fn triple(range: i8) -> impl Strategy<Value = Triple> {
    proptest::array::uniform3(-range..=range)
}

fn vector<V: Vector>(of: Triple) -> V {
    V::from_fn(|a| Scalar::from_f64(f64::from(of[a])))
}

/// Makes boxes of whole numbers, none of whose sides is zero.
fn boxes<V: Vector>(of: &[(Triple, Triple)]) -> Vec<Aabb<V>> {
    let sized = |&(from, size): &(Triple, Triple)| {
        let to = [0, 1, 2].map(|a| from[a] + 1 + size[a].abs());
        Aabb::new(vector(from), vector(to))
    };
    of.iter().map(sized).collect()
}

fn corner<V: Vector>(cell: &Aabb<V>, i: usize) -> V {
    let upper = |a: usize| i >> a & 1 == 1;
    V::from_fn(|a| if upper(a) { cell.max() } else { cell.min() }.axis(a))
}

fn solid<V: Vector + orthant::Space>(cell: &Aabb<V>) -> Hexahedron<V> {
    Hexahedron::from_corners([0, 1, 2, 3, 4, 5, 6, 7].map(|i| corner(cell, i)))
}

fn flat<V: Vector + orthant::Planar>(cell: &Aabb<V>) -> Quadrilateral<V> {
    Quadrilateral::from_corners([0, 1, 3, 2].map(|i| corner(cell, i)))
}

fn sorted<K: Ord>(keys: impl Iterator<Item = K>) -> Vec<K> {
    let mut keys: Vec<K> = keys.collect();
    keys.sort();
    keys
}

/// Checks that every structure answers a region as the scan does, and returns the answer.
fn scanned<T, R>(items: &[T], region: &R) -> Vec<usize>
where
    T: Bounded + Clone + Send + Sync,
    R: Region<Vector = T::Vector> + Overlaps<T>,
{
    let scan: Vec<usize> = Linear::new(items).query(region).collect();
    let tree = Orthtree::new(items);
    assert_eq!(sorted(tree.query(region)), scan);
    assert_eq!(tree.count(region), scan.len());
    let mut loose = LooseOrthtree::new();
    let handles = loose.insert_batch(items.to_vec());
    let handles: Vec<_> = handles.into_iter().collect();
    let named = scan.iter().map(|&i| handles[i]);
    assert_eq!(sorted(loose.query(region)), sorted(named));
    scan
}

/// Checks that solids answer a region as their boxes do, in every structure.
fn same<V, T, R>(cells: &[Aabb<V>], solids: &[T], region: &R)
where
    V: Vector,
    T: Bounded<Vector = V> + Clone + Send + Sync,
    R: Region<Vector = V> + Overlaps<T> + Overlaps<Aabb<V>>,
{
    let expected: Vec<usize> = Linear::new(cells).query(region).collect();
    assert_eq!(scanned(solids, region), expected);
}

/// Queries with all regions, for the nearest, and by rays.
fn asked<V, T>(cells: &[Aabb<V>], solids: &[T], at: Triple, by: Triple, size: u8)
where
    V: Vector + Region<Vector = V> + Overlaps<T> + Overlaps<Aabb<V>>,
    T: Distance<Vector = V> + Clone + Send + Sync,
    Sphere<V>: Overlaps<T> + Contains<T> + Contains<Aabb<V>>,
    Hollow<Sphere<V>>: Overlaps<T>,
    Shell<V>: Overlaps<T>,
    Ellipsoid<V>: Overlaps<T>,
    Hollow<Ellipsoid<V>>: Overlaps<T>,
    Aabb<V>: Overlaps<T> + Contains<T> + Contains<Aabb<V>>,
    Hollow<Aabb<V>>: Overlaps<T>,
    Ray<V>: Mover<T> + Mover<Aabb<V>>,
    Ray<V>: Sweep<T, Vector = V> + Sweep<Aabb<V>, Vector = V>,
{
    let (p, d): (V, V) = (vector(at), vector(by));
    let number = |n: u8| -> V::Scalar { Scalar::from_f64(f64::from(n)) };
    let ball = Sphere::new(p, number(size));
    let cell = Aabb::spanning(p, V::from_fn(|a| p.axis(a) + d.axis(a)));
    same(cells, solids, &p);
    same(cells, solids, &ball);
    same(cells, solids, &Hollow(ball));
    same(
        cells,
        solids,
        &Shell::new(p, number(size / 2), number(size)),
    );
    same(cells, solids, &cell);
    same(cells, solids, &Hollow(cell));
    same(cells, solids, &Intersection(ball, cell));
    // All numbers are divisible by these semi-axes without rounding.
    let axes = V::from_fn(|a| number(1 << (by[a].unsigned_abs() % 4)));
    same(cells, solids, &Ellipsoid::new(p, axes));
    same(cells, solids, &Hollow(Ellipsoid::new(p, axes)));
    for (cell_of, solid) in cells.iter().zip(solids) {
        assert_eq!(ball.contains(solid), ball.contains(cell_of));
        assert_eq!(
            ball.contains_strictly(solid),
            ball.contains_strictly(cell_of)
        );
        assert_eq!(cell.contains(solid), cell.contains(cell_of));
        assert_eq!(
            cell.contains_strictly(solid),
            cell.contains_strictly(cell_of)
        );
        assert_eq!(solid.distance_sq(p), cell_of.distance_sq(p));
    }

    let (tree, plain) = (Orthtree::new(solids), Linear::new(cells));
    assert_eq!(tree.nearest_n(p, 7), plain.nearest_n(p, 7));
    let ray = Ray::new(p, d);
    same(cells, solids, &ray);
    same(cells, solids, &ray.until(Scalar::from_f64(0.5)));
    let first = |hit: &Option<orthant::Hit<usize, V>>| {
        hit.map(|hit| (hit.item, hit.impact.first, hit.impact.last))
    };
    let (of_solids, of_cells) = (tree.cast_ray(ray), plain.cast_ray(ray));
    assert_eq!(first(&of_solids), first(&of_cells));
    assert_eq!(of_solids, Linear::new(solids).cast_ray(ray));
    if let Some(orthant::Hit { impact, item, .. }) = of_solids {
        touches(&ray, &cells[item], &impact);
    }
    let whole: Vec<_> = solids
        .iter()
        .map(|solid| With::new(solid.clone(), 1))
        .collect();
    assert_eq!(
        sorted(Orthtree::new(&whole).query(cell)),
        sorted(tree.query(cell))
    );
}

/// Checks that a ray enters through a face whose normal is opposed to it.
fn touches<V: Vector>(ray: &Ray<V>, cell: &Aabb<V>, impact: &Impact<V>) {
    let dot =
        |a: V, b: V| (0..V::DIM).fold(0.0, |sum, i| sum + a.axis(i).into() * b.axis(i).into());
    assert_eq!(dot(impact.normal, impact.normal), 1.0);
    if impact.first > Scalar::ZERO {
        assert!(dot(impact.normal, ray.direction()) < 0.0);
        assert_eq!(impact.point, ray.at(impact.first));
    } else {
        let on_surface = (0..V::DIM).any(|a| {
            let x = impact.point.axis(a);
            x == cell.min().axis(a) || x == cell.max().axis(a)
        });
        assert!(on_surface && cell.contains(&impact.point));
    }
}

/// Applies 5 times a rotation, so that whole numbers stay whole.
fn turned([x, y, z]: [f64; 3]) -> [f64; 3] {
    [3.0 * x - 4.0 * y, 4.0 * x + 3.0 * y, 5.0 * z]
}

/// Compares a turned world with the same world before the turn.
fn the_same_world<T, R, S>(cells: &[Aabb<[f64; 3]>], region: &R, solids: &[T], of_turned: &S)
where
    T: Bounded<Vector = [f64; 3]> + Clone + Send + Sync,
    R: Region<Vector = [f64; 3]> + Overlaps<Aabb<[f64; 3]>>,
    S: Region<Vector = [f64; 3]> + Overlaps<T>,
{
    let expected: Vec<usize> = Linear::new(cells).query(region).collect();
    assert_eq!(scanned(solids, of_turned), expected);
}

/// Checks that the radius reported for each solid makes a ball that meets it.
fn radii_reach<V: Vector + orthant::Space>(of: &[(Triple, Triple)], at: Triple)
where
    Hexahedron<V>: Distance<Vector = V>,
    Sphere<V>: Overlaps<Hexahedron<V>>,
{
    let third = |triple: Triple| V::from_fn(|a| Scalar::from_f64(f64::from(triple[a]) / 3.0));
    let leaning = |&(center, size): &(Triple, Triple)| {
        let half = V::from_fn(|a| Scalar::from_f64(f64::from(1 + size[a].abs()) / 7.0));
        let axes = [[3, 4, 0], [-4, 3, 0], [0, 0, 5]].map(vector::<V>);
        Hexahedron::oriented(third(center), half, axes)
    };
    let solids: Vec<_> = of.iter().map(leaning).collect();
    let tree = Orthtree::new(&solids);
    for near in tree.by_distance(third(at)) {
        let ball = Sphere::new(third(at), near.radius());
        assert!(tree.query(ball).any(|key| key == near.item));
    }
}

fn items() -> impl Strategy<Value = Vec<(Triple, Triple)>> {
    proptest::collection::vec((triple(9), triple(3)), 1..60)
}

proptest! {
    #![proptest_config(cases(48, 400))]

    #[test]
    fn boxes_along_the_axes(of in items(), at in triple(10), by in triple(10), size in 0..9u8) {
        let cells: Vec<Aabb<[f32; 3]>> = boxes(&of);
        let solids: Vec<_> = cells.iter().map(solid).collect();
        asked(&cells, &solids, at, by, size);
        let cell = boxes::<[f32; 3]>(&[(at, by)])[0];
        same(&cells, &solids, &solid(&cell));
        same(&cells, &solids, &Hollow(solid(&cell)));
        let axes = [[3.0, 4.0, 0.0], [-4.0, 3.0, 0.0], [0.0, 0.0, 5.0]];
        let leaning = Hexahedron::oriented(vector(at), [1.0 + f32::from(size); 3], axes);
        same(&cells, &solids, &leaning);
        same(&cells, &solids, &Hollow(leaning.clone()));
        for (cell_of, one) in cells.iter().zip(&solids) {
            prop_assert_eq!(leaning.contains(one), leaning.contains(cell_of));
            prop_assert_eq!(leaning.contains_strictly(one), leaning.contains_strictly(cell_of));
        }
        // The camera looks along the last axis with 90 degrees, without a far plane.
        let eye = at.map(f32::from);
        let camera = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, -1.0], [-eye[0], -eye[1], 1.0, eye[2]]];
        let seen: Frustum<[f32; 3]> = Frustum::from_view_projection(camera);
        same(&cells, &solids, &seen);
        same(&cells, &solids, &Hollow(seen));
    }

    #[test]
    fn radii_reach_leaning_solids(of in items(), at in triple(10)) {
        radii_reach::<[f32; 3]>(&of, at);
        radii_reach::<[f64; 3]>(&of, at);
    }

    #[test]
    fn squares_along_the_axes(of in items(), at in triple(10), by in triple(10), size in 0..9u8) {
        let cells: Vec<Aabb<[f64; 2]>> = boxes(&of);
        let solids: Vec<_> = cells.iter().map(flat).collect();
        asked(&cells, &solids, at, by, size);
        let cell = boxes::<[f64; 2]>(&[(at, by)])[0];
        same(&cells, &solids, &flat(&cell));
        same(&cells, &solids, &Hollow(flat(&cell)));
        let half = 1.0 + f64::from(size);
        let leaning = Quadrilateral::oriented(vector(at), [half; 2], [[3.0, 4.0], [-4.0, 3.0]]);
        same(&cells, &solids, &leaning);
        same(&cells, &solids, &Hollow(leaning.clone()));
        for (cell_of, one) in cells.iter().zip(&solids) {
            prop_assert_eq!(leaning.contains(one), leaning.contains(cell_of));
            prop_assert_eq!(leaning.contains_strictly(one), leaning.contains_strictly(cell_of));
        }
    }

    #[test]
    fn turned_with_the_world(of in items(), at in triple(10), by in triple(10), size in 0..9u8) {
        let cells: Vec<Aabb<[f64; 3]>> = boxes(&of);
        let turn = |cell: &Aabb<[f64; 3]>| {
            Hexahedron::from_corners([0, 1, 2, 3, 4, 5, 6, 7].map(|i| turned(corner(cell, i))))
        };
        let solids: Vec<_> = cells.iter().map(turn).collect();
        let ball = Sphere::new(at.map(f64::from), f64::from(size));
        let cell = boxes::<[f64; 3]>(&[(at, by)])[0];
        let large = Sphere::new(turned(ball.center()), 5.0 * ball.radius());
        the_same_world(&cells, &ball, &solids, &large);
        the_same_world(&cells, &Hollow(ball), &solids, &Hollow(large));
        the_same_world(&cells, &cell, &solids, &turn(&cell));
        the_same_world(&cells, &Hollow(cell), &solids, &Hollow(turn(&cell)));
        for (plain, one) in cells.iter().zip(&solids) {
            prop_assert_eq!(one.distance_sq(large.center()), 25.0 * plain.distance_sq(ball.center()));
        }
        let ray = Ray::new(ball.center(), by.map(f64::from));
        let along = Ray::new(large.center(), turned(ray.direction()));
        the_same_world(&cells, &ray, &solids, &along);
    }
}

/// Checks turned boxes of any sizes and positions, from where squares vanish to where they overflow.
fn at_scale<S: Scalar>(scale: f64)
where
    [S; 3]: Vector<Scalar = S> + orthant::Space + Region<Vector = [S; 3]>,
    Sphere<[S; 3]>: Overlaps<Hexahedron<[S; 3]>>,
{
    let mut state = 11_u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 40) as f64 / (1 << 23) as f64 - 1.0
    };
    let wide = |of: [f64; 3]| of.map(S::from_f64);
    let mut make = |size: f64| loop {
        let mut three = || [next(), next(), next()];
        let (center, half, [a, b, c]) = (three(), three(), three());
        // The axes are the columns of a rotation, from a quaternion.
        let axes = [
            [
                1.0 + a * a - b * b - c * c,
                2.0 * (a * b + c),
                2.0 * (a * c - b),
            ],
            [
                2.0 * (a * b - c),
                1.0 - a * a + b * b - c * c,
                2.0 * (b * c + a),
            ],
            [
                2.0 * (a * c + b),
                2.0 * (b * c - a),
                1.0 - a * a - b * b + c * c,
            ],
        ];
        let half = half.map(|x| x.abs() * size * scale);
        let center = center.map(|x| x * scale);
        if let Ok(solid) = Hexahedron::try_oriented(wide(center), wide(half), axes.map(wide)) {
            return solid;
        }
    };
    let solids: Vec<_> = (0..300).map(|i| make([0.2, 0.02][i % 2])).collect();
    let tree = Orthtree::new(&solids);
    for _ in 0..6 {
        let other = make(0.5);
        let bounds = other.bounds();
        let (at, radius) = (bounds.center(), S::from_f64(scale * 0.3));
        let found = scanned(&solids, &other).len();
        assert!(found <= scanned(&solids, &bounds).len());
        scanned(&solids, &Hollow(other));
        scanned(&solids, &Hollow(bounds));
        scanned(&solids, &Sphere::new(at, radius));
        scanned(&solids, &Hollow(Sphere::new(at, radius)));
        scanned(&solids, &Shell::new(at, radius * S::from_f64(0.5), radius));
        let axes = [1.0, 0.5, 2.0].map(|x| radius * S::from_f64(x));
        scanned(&solids, &Ellipsoid::new(at, axes));
        scanned(&solids, &Hollow(Ellipsoid::new(at, axes)));
        scanned(&solids, &Ray::new(at, bounds.max()));
        let scan = Linear::new(&solids);
        assert_eq!(
            tree.nearest_n(bounds.min(), 9),
            scan.nearest_n(bounds.min(), 9)
        );
        let ray = Ray::new(bounds.min(), at);
        assert_eq!(tree.cast_ray(ray), scan.cast_ray(ray));
        assert_eq!(tree.sweep_all(ray), scan.sweep_all(ray));
    }
}

#[test]
fn turned_boxes_of_every_size() {
    for scale in [1.0, 1000.0, 1e-18, 1e-30, 1e16, 1e30] {
        at_scale::<f32>(scale);
    }
    for scale in [1.0, 1e-150, 1e-280, 1e140, 1e290] {
        at_scale::<f64>(scale);
    }
}
