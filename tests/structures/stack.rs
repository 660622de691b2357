//! How much of the stack a query takes: most in debug builds, where the variables of all inlined functions lie side by side.

use std::thread;

use orthant::glam::Vec3;
use orthant::{
    Aabb, Bounded, Broadphase, Distance, DistanceBy, Frustum, Hollow, LooseOrthtree, Manhattan,
    Motion, NormBall, Orthtree, Overlaps, Ray, Region, SpatialIndex, Sphere,
};

/// Half of the stack of a thread with default settings.
const STACK: usize = 1 << 20;

fn ask<T, R>(items: &[T], region: &R)
where
    T: Bounded<Vector = Vec3> + Clone + Sync,
    R: Region<Vector = Vec3> + Overlaps<T>,
{
    let tree = Orthtree::new(items);
    let loose: LooseOrthtree<T> = items.iter().cloned().collect();
    let mut list = Vec::new();
    tree.query(region).append_to(&mut list);
    assert_eq!(tree.query(region).count(), list.len());
    assert_eq!(tree.count(region), list.len());
    assert_eq!(loose.query(region).count(), list.len());
    assert_eq!(loose.count(region), list.len());
}

fn all<T>(items: &[T])
where
    T: Distance<Vector = Vec3> + Clone + Sync,
    Sphere<Vec3>: Overlaps<T>,
    Hollow<Sphere<Vec3>>: Overlaps<T>,
    Aabb<Vec3>: Overlaps<T>,
    Frustum<Vec3>: Overlaps<T>,
    T: DistanceBy<Manhattan>,
    NormBall<Vec3, Manhattan>: Overlaps<T>,
{
    let ball = Sphere::new(Vec3::ZERO, 9.0);
    ask(items, &ball);
    ask(items, &Hollow(ball));
    ask(items, &ball.bounds());
    ask(items, &NormBall::new(Vec3::ZERO, 9.0, Manhattan));
    let lens = [
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, -1.0, -1.0],
        [0.0, 0.0, -0.1, 0.0],
    ];
    ask(items, &Frustum::from_view_projection(lens));
    let tree = Orthtree::new(items);
    let loose: LooseOrthtree<T> = items.iter().cloned().collect();
    for n in [1, 20, 100] {
        let near = tree.nearest_n(Vec3::ONE, n);
        assert_eq!(near.len(), loose.nearest_n(Vec3::ONE, n).len());
        let near = tree.by_norm(Manhattan).nearest_n(Vec3::ONE, n);
        assert_eq!(
            near.len(),
            loose.by_norm(Manhattan).nearest_n(Vec3::ONE, n).len()
        );
        assert_eq!(tree.nearest_n_batch(&[Vec3::ONE], n).list(0).len(), n);
    }
}

#[test]
fn a_small_stack_is_enough() {
    let small = thread::Builder::new().stack_size(STACK);
    let asked = small.spawn(|| {
        let points: Vec<Vec3> = (0..3000)
            .map(|i| Vec3::new((i % 17) as f32, (i / 17 % 13) as f32, (i / 221) as f32) - 6.0)
            .collect();
        let balls: Vec<_> = points.iter().map(|&p| Sphere::new(p, 0.75)).collect();
        let boxes: Vec<_> = balls.iter().map(Bounded::bounds).collect();
        all(&points);
        all(&balls);
        all(&boxes);
        let tree = Orthtree::new(&points);
        assert_eq!(tree.neighbors(1.0).len(), points.len());
        assert_eq!(tree.neighbors_of(&tree, 1.0).len(), points.len());
        assert_eq!(tree.nearest_n_of_all(6, true).len(), points.len());
        assert_eq!(tree.components(1.0).len(), 1);
        let ray = Ray::new(Vec3::splat(-20.0), Vec3::ONE);
        assert!(Orthtree::new(&balls).cast_ray(ray).is_some());
        let mut world = Broadphase::new();
        for ball in &balls {
            world.insert(*ball, Motion::Dynamic);
        }
        world.update();
        assert!(world.pairs().count() > 0);
    });
    asked.unwrap().join().unwrap();
}
