//! All pairs of two trees against a plain double loop.

use std::ops::ControlFlow;

use orthant::glam::{DVec2, DVec3, Vec2, Vec3};
use orthant::{Distance, InstructionSet, NeighborLists, Orthtree, Scalar, Vector};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// Points on a lattice, so that many coincide and many lie at just the radius, or anywhere in the same box.
fn points<V: Vector>(many: usize, places: u32, seed: u64) -> Vec<V> {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut coordinate = || match places {
        0 => random.random_range(0.0..8.0),
        places => f64::from(random.random_range(0..places)),
    };
    let point = |_| V::from_fn(|_| V::Scalar::from_f64(coordinate()));
    (0..many).map(point).collect()
}

/// For each of `others` the points within the radius.
fn plain<V: Vector>(points: &[V], others: &[V], radius: V::Scalar) -> Vec<Vec<usize>> {
    let near =
        |from: &V, to: &V| radius >= V::Scalar::ZERO && to.distance_sq(*from) <= radius * radius;
    let of = |from| {
        (0..points.len())
            .filter(|&i| near(from, &points[i]))
            .collect()
    };
    others.iter().map(of).collect()
}

fn sorted(lists: &NeighborLists) -> Vec<Vec<usize>> {
    let sorted = |list: orthant::List<'_, u32>| {
        let mut list: Vec<usize> = list.iter().collect();
        list.sort_unstable();
        list
    };
    lists.iter().map(sorted).collect()
}

/// Lists and visits, in both directions, by all instructions.
fn check<V: Vector>(a: &[V], b: &[V], radius: f64) {
    let radius = V::Scalar::from_f64(radius);
    let mut lists = NeighborLists::new();
    for (points, others) in [(a, b), (b, a)] {
        let truth = plain(points, others, radius);
        let what = format!("{} of {}, {radius:?}", points.len(), others.len());
        let mut first: Option<Vec<Vec<u32>>> = None;
        for set in InstructionSet::available() {
            let tree = Orthtree::new(points).with_instructions(set);
            let asking = Orthtree::new(others);
            tree.neighbors_of_into(&asking, radius, &mut lists);
            assert_eq!(sorted(&lists), truth, "{what}, {set:?}");
            assert!(tree.neighbors_of(&asking, radius) == lists, "{what}");
            // The same order everywhere, of visits too.
            let plain: Vec<Vec<u32>> = (0..lists.len()).map(|i| lists[i].to_vec()).collect();
            let mut visited = Vec::new();
            let flow = tree.visit_neighbors_of(&asking, radius, |other, near| {
                assert_eq!(near.as_slice(), plain[other], "{what}");
                visited.push(other);
                ControlFlow::<()>::Continue(())
            });
            assert!(flow.is_continue());
            assert_eq!(visited, asking.order().iter().collect::<Vec<_>>());
            assert_eq!(*first.get_or_insert_with(|| plain.clone()), plain, "{what}");
        }
    }
}

fn check_all<V: Vector>() {
    let radii = [0.0, 0.5, 1.0, 2.0, 20.0, -1.0, f64::NAN, f64::INFINITY];
    for radius in radii {
        for (many, others) in [(0, 0), (0, 40), (1, 1), (17, 300), (700, 500)] {
            for places in [0, 3, 9] {
                check(
                    &points::<V>(many, places, 1),
                    &points(others, places, 2),
                    radius,
                );
            }
        }
    }
    // Far apart, where everything is pruned, and one inside the other.
    let far: Vec<V> = points(300, 0, 3);
    let far: Vec<V> = far
        .iter()
        .map(|p| V::from_fn(|axis| p.axis(axis) + V::Scalar::from_f64(1000.0)))
        .collect();
    check(&points::<V>(300, 0, 4), &far, 9.0);
}

#[test]
fn two_trees_in_the_plane() {
    check_all::<Vec2>();
    check_all::<DVec2>();
}

#[test]
fn two_trees_in_space() {
    check_all::<Vec3>();
    check_all::<DVec3>();
}

#[test]
fn thousands_at_one_place() {
    let mut crowd = vec![Vec3::ONE; 3000];
    crowd.extend(points::<Vec3>(200, 3, 5));
    for radius in [0.0, 1.0] {
        check(&crowd, &points::<Vec3>(100, 3, 6), radius);
        check(&crowd, &vec![Vec3::ONE; 1100], radius);
    }
}

#[test]
fn a_visit_can_end() {
    let tree = Orthtree::new(&points::<Vec2>(100, 5, 7));
    let mut visits = 0;
    let flow = tree.visit_neighbors_of(&tree, 1.0, |point, _| {
        visits += 1;
        if visits == 3 {
            ControlFlow::Break(point)
        } else {
            ControlFlow::Continue(())
        }
    });
    let third = tree.order().iter().nth(2);
    assert_eq!((visits, flow.break_value()), (3, third));
}
