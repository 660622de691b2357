//! How much of the stack a query takes: most in debug builds, where the variables of all inlined functions lie side by side.

use std::thread;

use orthant::glam::{DVec3, Vec3};
use orthant::{
    Aabb, Bounded, Broadphase, Distance, DistanceBy, Frustum, Hollow, LooseOrthtree, Manhattan,
    Motion, NormBall, Orthtree, Overlaps, Ray, Region, SpatialIndex, Sphere, Vector,
};

/// Half of the stack of a thread with default settings.
const STACK: usize = 1 << 20;

fn ask<T, R>(items: &[T], region: &R)
where
    T: Bounded + Clone + Sync,
    R: Region<Vector = T::Vector> + Overlaps<T>,
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

fn all<V: Vector, T>(items: &[T], [zero, one]: [V; 2], frustum: &Frustum<V>)
where
    T: Distance<Vector = V> + DistanceBy<Manhattan> + Clone + Sync,
    Sphere<V>: Overlaps<T>,
    Hollow<Sphere<V>>: Overlaps<T>,
    Aabb<V>: Overlaps<T>,
    Frustum<V>: Overlaps<T>,
    NormBall<V, Manhattan>: Overlaps<T>,
    V::Scalar: From<u8>,
{
    let ball = Sphere::new(zero, 9.into());
    ask(items, &ball);
    ask(items, &Hollow(ball));
    ask(items, &ball.bounds());
    ask(items, &NormBall::new(zero, 9.into(), Manhattan));
    ask(items, frustum);
    let tree = Orthtree::new(items);
    let loose: LooseOrthtree<T> = items.iter().cloned().collect();
    for n in [1, 20, 100] {
        let near = tree.nearest_n(one, n);
        assert_eq!(near.len(), loose.nearest_n(one, n).len());
        let near = tree.by_norm(Manhattan).nearest_n(one, n);
        assert_eq!(near.len(), loose.by_norm(Manhattan).nearest_n(one, n).len());
        assert_eq!(tree.nearest_n_batch(&[one], n).list(0).len(), n);
    }
}

/// Runs the test for one type of vector.
macro_rules! on_a_small_stack {
    ($v:ident, $scalar:ident) => {{
        let small = thread::Builder::new().stack_size(STACK);
        let asked = small.spawn(|| {
            let points: Vec<$v> = (0..3000)
                .map(|i| {
                    [i % 17, i / 17 % 13, i / 221]
                        .map(|i| i as $scalar - 6.0)
                        .into()
                })
                .collect();
            let balls: Vec<_> = points.iter().map(|&p| Sphere::new(p, 0.75)).collect();
            let boxes: Vec<_> = balls.iter().map(Bounded::bounds).collect();
            let frustum = Frustum::from_view_projection([
                [1.0, 0.0, 0.0, 0.0],
                [0.0, 1.0, 0.0, 0.0],
                [0.0, 0.0, -1.0, -1.0],
                [0.0, 0.0, -0.1, 0.0],
            ]);
            let ends = [$v::ZERO, $v::ONE];
            all(&points, ends, &frustum);
            all(&balls, ends, &frustum);
            all(&boxes, ends, &frustum);
            let tree = Orthtree::new(&points);
            assert_eq!(tree.neighbors(1.0).len(), points.len());
            assert_eq!(tree.neighbors_of(&tree, 1.0).len(), points.len());
            assert_eq!(tree.nearest_n_of_all(6, true).len(), points.len());
            assert_eq!(tree.components(1.0).len(), 1);
            let ray = Ray::new($v::splat(-20.0), $v::ONE);
            assert!(Orthtree::new(&balls).cast_ray(ray).is_some());
            let mut world = Broadphase::new();
            for ball in &balls {
                world.insert(*ball, Motion::Dynamic);
            }
            world.update();
            assert!(world.pairs().count() > 0);
        });
        asked.unwrap().join().unwrap();
    }};
}

#[test]
fn a_small_stack_is_enough() {
    on_a_small_stack!(Vec3, f32);
    on_a_small_stack!(DVec3, f64);
}
