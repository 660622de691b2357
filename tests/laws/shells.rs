//! Shells that equal other shapes, and the shapes that shells contain.

use orthant::{Aabb, Contains, Hollow, Overlaps, Scalar, Shell, Sphere, Vector};
use proptest::prelude::*;

use crate::make::{Ball, Brick, Make, Ring, place};
use crate::runner::each_meeting;

/// Asserts that two regions give the same answers about all kinds of items.
fn assert_same<V: Vector, A, B>(a: A, b: B, p: V, cell: Aabb<V>, ball: Sphere<V>)
where
    A: Overlaps<V> + Overlaps<Aabb<V>> + Overlaps<Hollow<Aabb<V>>> + Overlaps<Sphere<V>>,
    B: Overlaps<V> + Overlaps<Aabb<V>> + Overlaps<Hollow<Aabb<V>>> + Overlaps<Sphere<V>>,
{
    assert_eq!(a.overlaps(&p), b.overlaps(&p), "{p:?}");
    assert_eq!(a.overlaps(&cell), b.overlaps(&cell), "{cell:?}");
    assert_eq!(a.overlaps(&ball), b.overlaps(&ball), "{ball:?}");
    // On a line, `Hollow` compares two pairs of points without squares.
    if V::DIM > 1 {
        assert_eq!(a.overlaps(&Hollow(cell)), b.overlaps(&Hollow(cell)));
    }
}

pub(crate) fn check<V: Vector>() {
    each_meeting(&|region, items, scale| {
        let ball: Sphere<V> = Ball::make(region, scale);
        let shell: Shell<V> = Ring::make(region, scale);
        let (center, radius) = (ball.center(), ball.radius());
        let hole = Sphere::new(center, shell.inner());
        let filled = Sphere::new(center, shell.outer());
        for raw in items {
            let p: V = place(raw, scale);
            let cell: Aabb<V> = Brick::make(raw, scale);
            let item: Sphere<V> = Ball::make(raw, scale);
            assert_same(
                Shell::new(center, V::Scalar::ZERO, radius),
                ball,
                p,
                cell,
                item,
            );
            assert_same(
                Shell::new(center, radius, radius),
                Hollow(ball),
                p,
                cell,
                item,
            );

            prop_assert_eq!(
                shell.overlaps(&p),
                filled.contains(&p) && !hole.contains_strictly(&p)
            );
            prop_assert_eq!(shell.contains(&p), shell.overlaps(&p));
            prop_assert_eq!(
                shell.overlaps(&cell),
                filled.overlaps(&cell) && !hole.contains_strictly(&cell)
            );
            if shell.contains(&cell) {
                prop_assert!(shell.contains(&cell.min()) && shell.contains(&cell.max()));
                prop_assert!(filled.contains(&cell));
                prop_assert!(shell.overlaps(&Hollow(cell)));
            }
            if shell.contains(&item) {
                prop_assert!(shell.overlaps(&item) && filled.contains(&item));
                prop_assert!(shell.contains(&item.center()));
            }
            prop_assert!(shell.contains(&p) || !shell.contains_strictly(&p));
            prop_assert!(shell.contains(&cell) || !shell.contains_strictly(&cell));
            prop_assert!(shell.contains(&item) || !shell.contains_strictly(&item));
        }
        Ok(())
    });
}

#[test]
fn a_hole_keeps_its_rim() {
    let shell = Shell::new([0.0, 0.0], 5.0, 10.0);
    let square = Aabb::new([-3.0, -4.0], [3.0, 4.0]);
    assert!(shell.overlaps(&square)); // by its corners
    assert!(!shell.overlaps(&Aabb::new([-3.0, -3.0], [3.0, 4.0f64.next_down()])));
    assert!(shell.overlaps(&Sphere::new([2.0, 0.0], 3.0)));
    assert!(!shell.overlaps(&Sphere::new([2.0, 0.0], 2.75)));
    assert!(shell.contains(&Sphere::new([7.5, 0.0], 2.5)));
    assert!(!shell.contains_strictly(&Sphere::new([7.5, 0.0], 2.5)));
    assert!(shell.contains_strictly(&Sphere::new([7.5, 0.0], 2.25)));
    assert!(shell.contains(&Aabb::new([5.0, 0.0], [8.0, 6.0])));
    let ball = Shell::new([0.0, 0.0], 0.0, 10.0);
    assert!(ball.contains_strictly(&[0.0, 0.0]));
    assert!(ball.contains_strictly(&Sphere::new([0.0, 1.0], 2.0)));
}
