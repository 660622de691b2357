//! Compares all pairs of two trees with a plain double loop: lists, counts, the closest and the farthest.

use std::ops::ControlFlow;

use orthant::glam::{DVec2, DVec3, Vec2, Vec3};
use orthant::{Distance, InstructionSet, Nearest, NeighborLists, Orthtree, Scalar, Vector};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// Makes points on a lattice, of which many coincide or lie at the radius, or points anywhere in the same box.
fn points<V: Vector>(many: usize, places: u32, seed: u64) -> Vec<V> {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut coordinate = || match places {
        0 => random.random_range(0.0..8.0),
        places => f64::from(random.random_range(0..places)),
    };
    let point = |_| V::from_fn(|_| V::Scalar::from_f64(coordinate()));
    (0..many).map(point).collect()
}

/// Returns the points within the radius of each of `others`.
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

/// Compares lists and visits, in both directions, with all instruction sets.
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
            tree.neighbors_of_into(&asking, radius, &mut lists).unwrap();
            assert_eq!(sorted(&lists), truth, "{what}, {set:?}");
            assert!(tree.neighbors_of(&asking, radius) == lists, "{what}");
            // The order is equal with each instruction set, also for visits.
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
        for (many, others) in [(0, 0), (0, 40), (1, 1), (17, 200), (200, 90)] {
            for places in [0, 3, 9] {
                check(
                    &points::<V>(many, places, 1),
                    &points(others, places, 2),
                    radius,
                );
            }
        }
    }
    // The sets lie far apart, where all nodes are pruned, or one inside the other.
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

/// Returns the squared distances of all pairs, by the indices of both points.
fn all_pairs<'a, V: Vector>(
    a: &'a [V],
    b: &'a [V],
) -> impl Iterator<Item = (V::Scalar, (usize, usize))> + 'a {
    let of = move |i: usize| (0..b.len()).map(move |j| (b[j].distance_sq(a[i]), (i, j)));
    (0..a.len()).flat_map(of)
}

/// Makes whole numbers, whose products and sums are exact.
fn weights(many: usize) -> Vec<f64> {
    (0..many).map(|i| (i * 7 % 11) as f64 - 3.0).collect()
}

/// Runs `work` with 1, 2 and 7 threads.
fn in_threads(work: impl Fn() + Sync) {
    for threads in [1, 2, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(&work);
    }
}

/// Compares counts and sums of weights, with all instruction sets.
fn check_counts<V: Vector>(a: &[V], b: &[V], radii: &[f64]) {
    let radii: Vec<V::Scalar> = radii.iter().map(|&r| V::Scalar::from_f64(r)).collect();
    let (of_a, of_b) = (weights(a.len()), weights(b.len()));
    let (mut counts, mut sums) = (vec![0; radii.len()], vec![0.0; radii.len()]);
    let (mut bins, mut bin_sums) = (counts.clone(), sums.clone());
    for (apart, (i, j)) in all_pairs(a, b) {
        let weight = of_a[i] * of_b[j];
        let mut least: Option<usize> = None;
        for (place, &radius) in radii.iter().enumerate() {
            if radius >= V::Scalar::ZERO && apart <= radius * radius {
                counts[place] += 1;
                sums[place] += weight;
                if least.is_none_or(|least| radius < radii[least]) {
                    least = Some(place);
                }
            }
        }
        if let Some(least) = least {
            bins[least] += 1;
            bin_sums[least] += weight;
        }
    }
    let fractions = [a.len(), b.len()].map(|n| (0..n).map(|i| 1.0 / (i + 3) as f64).collect());
    let fractions: [Vec<f64>; 2] = fractions;
    let mut odd: Option<Vec<f64>> = None;
    for set in InstructionSet::available() {
        let (tree, others) = (
            Orthtree::new(a).with_instructions(set),
            Orthtree::new(b).with_instructions(set),
        );
        let what = format!("{} and {}, {radii:?}, {set:?}", a.len(), b.len());
        let count = |cumulative| tree.count_neighbors(&others, &radii, cumulative);
        assert_eq!(count(true), counts, "{what}");
        assert_eq!(count(false), bins, "{what}");
        let weigh = |weights, cumulative| {
            tree.weigh_neighbors(&others, weights, &radii, cumulative)
                .unwrap()
        };
        assert_eq!(weigh([&of_a, &of_b], true), sums, "{what}");
        assert_eq!(weigh([&of_a, &of_b], false), bin_sums, "{what}");
        // The bits are equal with each instruction set.
        let sums = weigh([&fractions[0], &fractions[1]], false);
        assert_eq!(*odd.get_or_insert_with(|| sums.clone()), sums, "{what}");
    }
}

/// Compares the closest pairs and the farthest points, with all instruction sets.
fn check_extremes<V: Vector>(a: &[V], b: &[V]) {
    type Found<S> = Option<Nearest<(usize, usize), S>>;
    let closest = |themselves: bool| -> Found<V::Scalar> {
        let mut best: Found<V::Scalar> = None;
        let others = if themselves { a } else { b };
        for (distance_sq, item) in all_pairs(a, others) {
            let counts = !themselves || item.0 < item.1;
            if counts && best.is_none_or(|best| distance_sq < best.distance_sq) {
                best = Some(Nearest { item, distance_sq });
            }
        }
        best
    };
    let farthest = |a: &[V], b: &[V]| -> Found<V::Scalar> {
        let mut best: Found<V::Scalar> = None;
        for i in 0..a.len() {
            let mut near: Found<V::Scalar> = None;
            for (distance_sq, (_, j)) in all_pairs(&a[i..=i], b) {
                if near.is_none_or(|near| distance_sq < near.distance_sq) {
                    let item = (i, j);
                    near = Some(Nearest { item, distance_sq });
                }
            }
            let near = near?;
            if best.is_none_or(|best| near.distance_sq > best.distance_sq) {
                best = Some(near);
            }
        }
        best
    };
    let (there, back) = (farthest(a, b), farthest(b, a));
    let both = there.zip(back).map(|(there, back)| {
        if back.distance_sq > there.distance_sq {
            let item = (back.item.1, back.item.0);
            Nearest { item, ..back }
        } else {
            there
        }
    });
    for set in InstructionSet::available() {
        let (tree, others) = (
            Orthtree::new(a).with_instructions(set),
            Orthtree::new(b).with_instructions(set),
        );
        let what = format!("{} and {}, {set:?}", a.len(), b.len());
        assert_eq!(tree.closest_pair(), closest(true), "{what}");
        assert_eq!(tree.closest_pair_with(&others), closest(false), "{what}");
        assert_eq!(tree.directed_hausdorff(&others), there, "{what}");
        assert_eq!(others.directed_hausdorff(&tree), back, "{what}");
        assert_eq!(tree.hausdorff(&others), both, "{what}");
    }
}

fn check_all_counts<V: Vector>() {
    let few = [1.0, 0.0, f64::NAN, 2.5, -1.0, 1.0, 0.3];
    let many: Vec<f64> = (0..40).map(|i| f64::from(i) * 0.25).collect();
    let endless = [f64::INFINITY, 3.0];
    for radii in [&[][..], &[f64::NAN], &few, &many, &endless] {
        for (n, others) in [(0, 0), (40, 0), (0, 40), (1, 1), (17, 200), (180, 90)] {
            for places in [0, 3] {
                let (a, b) = (points::<V>(n, places, 1), points(others, places, 2));
                check_counts(&a, &b, radii);
            }
        }
    }
}

fn check_all_extremes<V: Vector>() {
    for (n, others) in [(0, 0), (40, 0), (1, 1), (2, 1), (17, 200), (180, 90)] {
        for places in [0, 2, 6, 40] {
            for seed in 0..2 {
                let (a, b) = (
                    points::<V>(n, places, seed),
                    points(others, places, seed + 9),
                );
                check_extremes(&a, &b);
            }
        }
    }
    let scaled = |points: &[V], by: f64, and: f64| -> Vec<V> {
        let (by, and) = (V::Scalar::from_f64(by), V::Scalar::from_f64(and));
        let moved = |p: &V| V::from_fn(|axis| p.axis(axis) * by + and);
        points.iter().map(moved).collect()
    };
    let (a, b) = (points::<V>(150, 0, 3), points::<V>(150, 0, 4));
    // The sets lie apart, or one within the other; or squares are infinite, or 0.
    for (by, and) in [(1.0, 100.0), (0.1, 3.0), (1e-30, 0.0), (1e37, 0.0)] {
        check_extremes(&a, &scaled(&b, by, and));
        check_extremes(&scaled(&a, by, and), &scaled(&b, by, and));
    }
}

#[test]
fn counts_in_the_plane() {
    check_all_counts::<Vec2>();
    check_all_counts::<DVec2>();
}

#[test]
fn counts_in_space() {
    check_all_counts::<Vec3>();
    check_all_counts::<DVec3>();
}

#[test]
fn closest_and_farthest_in_the_plane() {
    check_all_extremes::<Vec2>();
    check_all_extremes::<DVec2>();
}

#[test]
fn closest_and_farthest_in_space() {
    check_all_extremes::<Vec3>();
    check_all_extremes::<DVec3>();
}

#[test]
fn thousands_at_one_place_are_counted_as_one() {
    let mut crowd = vec![Vec3::ONE; 3000];
    crowd.extend(points::<Vec3>(200, 3, 5));
    let few = points::<Vec3>(60, 3, 6);
    check_counts(&crowd, &few, &[0.0, 1.0, 2.0]);
    check_extremes(&crowd, &few);
    check_extremes(&vec![Vec3::ONE; 700], &few);
    // In two crowds, each pair is as close as any other.
    let (tree, other) = (
        Orthtree::new(&vec![Vec3::ONE; 20_000]),
        Orthtree::new(&vec![Vec3::X; 20_000]),
    );
    let far = Some(Nearest {
        item: (0, 0),
        distance_sq: 2.0,
    });
    assert_eq!(tree.closest_pair().unwrap().item, (0, 1));
    assert_eq!(tree.closest_pair_with(&other), far);
    assert_eq!(tree.hausdorff(&other), far);
    assert_eq!(
        tree.count_neighbors(&other, &[1.0, 1.5], true),
        [0, 400_000_000]
    );
}

#[test]
fn many_points_are_shared_by_threads_alike() {
    let a = points::<Vec3>(20_000, 0, 7);
    let b = points::<Vec3>(20_000, 0, 8);
    let (tree, others) = (Orthtree::new(&a), Orthtree::new(&b));
    let weights: [Vec<f64>; 2] =
        [3, 5].map(|k| (0..a.len()).map(|i| 1.0 / (i + k) as f64).collect());
    let ask = || {
        let weights = [&weights[0][..], &weights[1]];
        (
            tree.count_neighbors(&others, &[0.2, 0.5], true),
            tree.weigh_neighbors(&others, weights, &[0.2, 0.5], true),
            [tree.closest_pair(), tree.closest_pair_with(&others)],
            [tree.hausdorff(&others), others.directed_hausdorff(&tree)],
        )
    };
    let first = ask();
    in_threads(|| assert_eq!(ask(), first));
    let plain = a
        .iter()
        .map(|&p| others.count(orthant::Sphere::new(p, 0.2)) as u64);
    assert_eq!(first.0[0], plain.sum::<u64>());
}

/// Nodes of thousands of points lie within a radius as a whole; some radii have infinite squares.
#[test]
fn crowds_within_a_radius_are_weighed_at_once() {
    let crowds: Vec<Vec3> = (0..8)
        .flat_map(|i| {
            let middle = Vec3::from_array([0, 1, 2].map(|a| 16.0 * (i >> a & 1) as f32));
            let crowd = points::<Vec3>(3000, 0, i);
            crowd.into_iter().map(move |p| middle + p * 0.01)
        })
        .collect();
    // The crowds are close together, so that a crowd lies between two radii for all of them.
    let few = [crowds[7], crowds[8] + Vec3::X * 0.5, crowds[9]];
    let radii = [0.25, 3.0, 18.0, 24.0, 1e30];
    check_counts(&few, &crowds, &radii);
    check_counts(&crowds, &few, &radii);
}

#[test]
#[should_panic(expected = "2 weights of 3 points")]
fn weights_are_as_many_as_points() {
    let tree = Orthtree::new(&[Vec2::X; 3]);
    let _ = tree.weigh_neighbors(&tree, [&[1.0; 3], &[1.0; 2]], &[1.0], true);
}

#[test]
fn weights_are_finite() {
    let tree = Orthtree::new(&[Vec2::X; 3]);
    let refused = tree.weigh_neighbors(&tree, [&[f64::NAN; 3], &[1.0; 3]], &[1.0], true);
    let message = refused.unwrap_err().to_string();
    assert_eq!(
        message,
        "item 0: weight is NaN on axis 0, not a finite number"
    );
}
