//! Runs all queries of trees that may be invalid: no query panics, and each ends.

use std::hint::black_box;
use std::ops::ControlFlow;

use orthant::{
    Aabb, Bounded, Hexahedron, Orthtree, Overlaps, Periodic, Quadrilateral, Scalar, Vector,
};

/// Runs all queries of a tree of items of any kind, and drops the answers.
macro_rules! ask_all {
    ($tree:expr, $s:ty, $dim:literal) => {{
        use std::hint::black_box;
        use std::ops::ControlFlow;

        use orthant::{
            Aabb, Bounded, Complement, Ellipsoid, Hollow, Moving, Orthtree, Periodic, Ray, Shell,
            SpatialIndex, Sphere, Union,
        };

        let tree: &Orthtree<_> = $tree;
        let at = |x: $s| std::array::from_fn::<$s, $dim, _>(|axis| x + axis as $s);
        let ball = Sphere::new(at(-1.0), 6.0);
        let cell = Aabb::new([-5.0; $dim], [4.0; $dim]);
        let moving = Moving::new(Sphere::new(at(-20.0), 1.0), [40.0; $dim]);
        let drawer = Moving::new(Aabb::new([-20.0; $dim], [-19.0; $dim]), [40.0; $dim]);
        let periodic = Periodic::new(Aabb::new([-9.0; $dim], [9.0; $dim]));
        let everything = Sphere::new(at(0.0), <$s>::MAX);
        black_box((
            tree.len(),
            tree.bytes(),
            tree.bounds(),
            tree.items(),
            tree.cover(3),
        ));
        black_box((
            tree.order().iter().max(),
            tree.iter().count(),
            tree.validate().is_ok(),
        ));
        black_box(tree.get(0).map(|item| item.bounds()));
        let mut copy = tree.clone();
        if let Ok(same) = Orthtree::from_bytes(&tree.to_bytes()) {
            copy = same;
        }
        black_box(copy.rebuild(&tree.items()).is_ok());
        black_box([
            tree.count(ball),
            tree.query(ball).count(),
            tree.query(everything).count(),
            tree.count(everything),
            tree.count(cell),
            tree.query(cell).count(),
            tree.query(Hollow(ball)).count(),
            tree.query(Hollow(cell)).count(),
            tree.query(Shell::new(at(0.0), 2.0, 5.0)).count(),
            tree.count(Ellipsoid::new(at(0.0), [4.0; $dim])),
            tree.count(Union(ball, cell)),
            tree.query(Complement(ball)).count(),
            tree.query_batch(&[ball, everything]).items().len(),
            tree.query(ball)
                .filter(|&index| index >= tree.len())
                .count(),
        ]);
        let _ = tree.visit(ball, |index| {
            black_box(index);
            ControlFlow::<()>::Continue(())
        });
        for from in [
            at(0.5),
            [1e30; $dim],
            [<$s>::NAN; $dim],
            [<$s>::INFINITY; $dim],
        ] {
            black_box((tree.nearest(from), tree.nearest_n(from, 7)));
            black_box((
                tree.nearest_n(from, 40),
                tree.nearest_n_within(from, 5, 3.0),
            ));
            black_box(tree.by_distance(from).take(2 * tree.len()).count());
        }
        black_box(tree.nearest_n_batch(&[at(0.0), at(0.1), [<$s>::NAN; $dim]], 3));
        black_box(tree.nearest_n_batch(&[at(0.0), at(7.0)], 50));
        black_box((
            tree.sweep(moving),
            tree.sweep_all(moving),
            tree.sweep(drawer),
        ));
        black_box((
            tree.sweep_all(drawer),
            tree.cast_ray(Ray::new(at(-20.0), [1.0; $dim])),
        ));
        // Skip periodic boxes if altered bounds reach thousands of their images.
        let reaches = |bounds: Aabb<[$s; $dim]>| {
            bounds
                .min()
                .iter()
                .chain(&bounds.max())
                .any(|x| x.abs() > 60.0)
        };
        if tree.len() < 500 && !tree.bounds().is_some_and(reaches) {
            let images = periodic.count(tree, ball);
            black_box((images.is_ok(), periodic.nearest_n(tree, at(8.0), 3).is_ok()));
        }
    }};
}
pub(crate) use ask_all;

/// Runs all queries of a tree of points, and of that tree and another one.
pub(crate) fn ask_points<V: Vector>(tree: &Orthtree<V>, other: &Orthtree<V>) {
    let scalar = <V::Scalar as Scalar>::from_f64;
    let periodic = Periodic::new(Aabb::new(V::splat(scalar(-9.0)), V::splat(scalar(9.0))));
    let few: Vec<usize> = tree.order().iter().take(9).collect();
    for radius in [2.0, 1e38] {
        let radius = scalar(radius);
        if tree.len() < 500 || radius < scalar(1e30) {
            black_box(tree.neighbors(radius).total());
            black_box((
                tree.neighbors_of(other, radius),
                other.neighbors_of(tree, radius),
            ));
        }
        black_box(tree.neighbors_of_indices(&few, radius).total());
        black_box((tree.components(radius), tree.dbscan(radius, 4)));
    }
    let _ = tree.visit_neighbors(scalar(1.0), |point, near| {
        black_box((point, near.len()));
        ControlFlow::<()>::Continue(())
    });
    let _ = tree.visit_pairs(scalar(1.0), |point, later| {
        black_box((point, later.len()));
        ControlFlow::<()>::Continue(())
    });
    black_box((
        tree.nearest_n_of_all(3, false),
        tree.nearest_n_of_all(9, true),
    ));
    black_box(tree.nearest_n_of_all(40, false).len());
    let radii = [scalar(1.0), scalar(5.0), scalar(30.0)];
    let weights = |tree: &Orthtree<V>| vec![0.5; tree.len()];
    let both = [&weights(tree)[..], &weights(other)];
    black_box(tree.count_neighbors(tree, &radii, true));
    black_box((
        tree.count_neighbors(other, &radii, true),
        other.count_neighbors(tree, &radii, false),
    ));
    let _ = black_box(tree.weigh_neighbors(other, both, &radii, true));
    black_box((
        tree.closest_pair(),
        tree.closest_pair_with(other),
        other.closest_pair_with(tree),
    ));
    black_box((tree.hausdorff(other), tree.directed_hausdorff(tree)));
    if tree.len() < 500 {
        let groups = periodic.components(tree, scalar(1.0));
        black_box((
            groups.is_ok(),
            periodic.dbscan(tree, scalar(1.0), 3).is_ok(),
        ));
    }
}

/// Runs all queries by solids of planes.
pub(crate) fn ask_in_space<T: Bounded<Vector = [f32; 3]>>(tree: &Orthtree<T>)
where
    Hexahedron<[f32; 3]>: Overlaps<T>,
{
    let axes = [[0.6, 0.8, 0.0], [-0.8, 0.6, 0.0], [0.0, 0.0, 1.0]];
    let solid = Hexahedron::oriented([0.5, 1.0, 0.0], [6.0, 4.0, 5.0], axes);
    black_box((tree.count(&solid), tree.query(&solid).count()));
}

/// Runs all queries of a tree in the plane.
pub(crate) fn ask_in_the_plane<T: Bounded<Vector = [f64; 2]>>(tree: &Orthtree<T>)
where
    Quadrilateral<[f64; 2]>: Overlaps<T>,
{
    let solid = Quadrilateral::oriented([0.5, 1.0], [6.0, 4.0], [[0.6, 0.8], [-0.8, 0.6]]);
    black_box((tree.count(&solid), tree.query(&solid).count()));
}
