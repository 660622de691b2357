//! The documented properties of every `SpatialIndex`, in one to four dimensions.

use orthant::{
    Aabb, Broadphase, CellLevels, CellList, Complement, Filter, Hollow, Linear, LooseOrthtree,
    Motion, Moving, Orthtree, Periodic, Ray, Reach, Shell, SpatialIndex, Sphere, SphereTree,
};

/// Runs all queries of a structure of points, which the first axis tells apart.
macro_rules! answers {
    ($index:expr, $dim:literal) => {{
        let index = &$index;
        let at = |x: f64| {
            let mut place = [0.0; $dim];
            place[0] = x;
            place
        };
        let ball = Sphere::new(at(0.0), 1.0);
        let cell = Aabb::new([-1.0; $dim], [2.0; $dim]);
        let moving = Moving::new(Sphere::new(at(-3.0), 1.0), at(8.0));
        let ray = Ray::new(at(-3.0), at(8.0));
        let periodic = Periodic::new(Aabb::new([-5.0; $dim], [5.0; $dim]));
        let counts = [
            index.len(),
            index.count(ball),
            index.query(cell).count(),
            index.count(Hollow(ball)),
            index.count(Shell::new(at(0.0), 0.5, 2.0)),
            index.count(Complement(ball)),
            index.count(at(1.0)),
            index.query_batch(&[ball, ball])[1].len(),
            index.nearest_n(at(3.0), 2).len(),
            index.nearest_n_within(at(3.0), 9, 2.0).len(),
            index.sweep_all(moving).len(),
            periodic.count(index, Sphere::new(at(-5.0), 1.0)).unwrap(),
        ];
        let numbers = [
            index.nearest(at(2.0)).unwrap().distance(),
            index.sweep(moving).unwrap().impact.first,
            index.cast_ray(ray).unwrap().impact.first,
        ];
        (counts, numbers)
    }};
}

macro_rules! in_dimension {
    ($name:ident, $dim:literal) => {
        #[test]
        fn $name() {
            let points = [0.0, 1.0, 4.5].map(|x| {
                let mut place = [0.0; $dim];
                place[0] = x;
                place
            });
            let expected = ([3, 2, 2, 1, 1, 1, 1, 2, 2, 2, 3, 1], [1.0, 0.25, 0.375]);
            assert_eq!(answers!(Linear::new(&points), $dim), expected);
            assert_eq!(answers!(Orthtree::new(&points), $dim), expected);
            assert_eq!(answers!(CellList::new(&points, 1.0), $dim), expected);
            let levels = CellLevels::new(&points, &[0.1, 1.0, 9.0], Reach::Sum);
            assert_eq!(answers!(levels, $dim), expected);
            let body = SphereTree::from_points(&points, 0.0);
            assert_eq!(answers!(body, $dim), expected);
            assert_eq!(answers!(body.lies(), $dim), expected);
            let mut loose = LooseOrthtree::new();
            loose.insert_batch(points);
            assert_eq!(answers!(loose, $dim), expected);
            let bodies = points.map(|point| (Sphere::new(point, 0.0), Motion::Dynamic));
            let mut world: Broadphase<_> = bodies.into_iter().collect();
            assert_eq!(answers!(world, $dim), expected);
            world.update();
            assert_eq!(answers!(world, $dim), expected);
            assert_eq!(answers!(world.filtered(Filter::ALL), $dim), expected);
        }
    };
}

in_dimension!(on_a_line, 1);
in_dimension!(in_the_plane, 2);
in_dimension!(in_space, 3);
in_dimension!(in_four_dimensions, 4);
