use orthant::exact::Exact;
use orthant::glam::Vec3;
use orthant::{
    Aabb, Bounded, Distance, Ellipsoid, Hollow, LooseOrthtree, Octree, Orthtree, Overlaps, Region,
    Sphere,
};

/// Powers of two at which the squares of single precision vanish, are exact, and overflow.
const SCALES: [f32; 3] = [f32::from_bits(1), 1.0, (1u128 << 120) as f32];

fn lattice(scale: f32) -> Vec<Vec3> {
    let axis = || (-4..=4).map(move |i| i as f32 * scale);
    axis()
        .flat_map(|x| axis().flat_map(move |y| axis().map(move |z| Vec3::new(x, y, z))))
        .collect()
}

fn check<T, R>(items: &[T], region: R)
where
    T: Bounded + Distance + Copy + Sync,
    R: Region<Vector = T::Vector> + Overlaps<T> + Copy + std::fmt::Debug,
{
    let scan: Vec<usize> = (0..items.len())
        .filter(|&i| region.overlaps(&items[i]))
        .collect();
    let mut tree: Vec<usize> = Orthtree::new(items).query(region).collect();
    tree.sort_unstable();
    assert_eq!(tree, scan, "{region:?}");
    let mut loose = LooseOrthtree::new();
    for item in items {
        loose.insert(*item);
    }
    assert_eq!(loose.count(region), scan.len(), "{region:?}");
}

#[test]
fn trees_answer_what_the_predicate_says() {
    for scale in SCALES {
        let points = lattice(scale);
        let boxes = points.iter().map(|&p| Aabb::new(p, p + Vec3::splat(scale)));
        let boxes: Vec<Aabb<Vec3>> = boxes.collect();
        let shells: Vec<_> = boxes.iter().map(|&cell| Hollow(cell)).collect();
        let balls = points.iter().zip([0.0, 1.0, 2.0, 5.0].iter().cycle());
        let balls: Vec<_> = balls.map(|(&p, r)| Sphere::new(p, r * scale)).collect();
        for radius in [0.0, 1.0, 2.0, 3.0, 5.0, 9.0] {
            for center in [Vec3::ZERO, Vec3::new(2.0, -4.0, 1.0)] {
                let ball = Sphere::new(center * scale, radius * scale);
                check(&points, Exact(ball));
                check(&points, Exact(Hollow(ball)));
                check(&boxes, Exact(ball));
                check(&boxes, Exact(Hollow(ball)));
                check(&shells, Exact(ball));
                check(&shells, Exact(Hollow(ball)));
                check(&balls, Exact(ball));
                check(&balls, Exact(Hollow(ball)));
            }
            let semi_axes = Vec3::new(5.0, 3.0, 1.0 + radius) * scale;
            let egg = Ellipsoid::new(Vec3::X * scale, semi_axes);
            check(&points, Exact(egg));
            check(&points, Exact(Hollow(egg)));
            check(&boxes, Exact(egg));
            check(&shells, Exact(Hollow(egg)));
        }
    }
}

/// The 30 integer points at distance 3 have the forms (3, 0, 0) and (2, 2, 1).
#[test]
fn lattice_points_on_a_sphere_at_any_scale() {
    for scale in SCALES {
        let points = lattice(scale);
        let tree = Octree::new(&points);
        let skin = Hollow(Sphere::new(Vec3::ZERO, 3.0 * scale));
        assert_eq!(tree.count(Exact(skin)), 30);
        assert_eq!(tree.count(skin) == 30, scale == 1.0);
    }
}

#[test]
fn no_shape_holds_a_point_that_is_none() {
    let ball = Sphere::new(Vec3::ZERO, f32::MAX);
    let egg = Ellipsoid::new(Vec3::ZERO, Vec3::MAX);
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let p = Vec3::new(0.0, bad, 0.0);
        assert!(!Exact(ball).overlaps(&p) && !Exact(Hollow(ball)).overlaps(&p));
        assert!(!Exact(egg).overlaps(&p) && !Exact(Hollow(egg)).overlaps(&p));
    }
}

/// The box around the balls ends at the largest number, the balls do not.
#[test]
fn balls_that_reach_beyond_the_largest_number() {
    let balls = [Sphere::new([3.39e38_f32, 0.0], 0.82e38)];
    let (near, ball) = ([3.0e38, 0.0], 1.2e38);
    check(&balls, Exact(Hollow(Sphere::new(near, ball))));
    check(&balls, Exact(Sphere::new(near, ball)));
    assert!(Exact(Hollow(Sphere::new(near, ball))).overlaps(&balls[0]));
}
