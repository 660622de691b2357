//! The batch form, with more queries than one part of a batch holds, on any number of threads.

use orthant::glam::{Vec2, Vec3};
use orthant::{
    Aabb, CellList, Error, InstructionSet, Linear, Lists, LooseOrthtree, NearestLists, Octree,
    Orthtree, Periodic, Scalar, SpatialIndex, Sphere, Vector,
};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

#[test]
fn threads_do_not_show() {
    let mut random = SmallRng::seed_from_u64(1);
    let mut point = || Vec3::from_array(std::array::from_fn(|_| random.random()));
    let points: Vec<Vec3> = (0..3000).map(|_| point()).collect();
    let tree = Octree::new(&points);
    let cells = CellList::new(&points, 0.1);
    let balls: Vec<_> = (0..5000).map(|_| Sphere::new(point(), 0.1)).collect();
    let expected: Vec<Vec<u32>> = balls
        .iter()
        .map(|&ball| tree.query(ball).map(|i| i as u32).collect())
        .collect();
    assert!(expected.iter().any(|list| list.len() > 10));
    for threads in [1, 2, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let (lists, by_cells) = pool
            .build()
            .unwrap()
            .install(|| (tree.query_batch(&balls), cells.query_batch(&balls)));
        assert_eq!(lists.len(), balls.len());
        assert!(lists.iter().eq(&expected));
        assert_eq!(lists[4999], expected[4999]);
        assert_eq!(lists.offsets().last(), Some(&lists.items().len()));
        for (a, b) in by_cells.iter().zip(&expected) {
            let (mut a, mut b) = (a.to_vec(), b.clone());
            a.sort_unstable();
            b.sort_unstable();
            assert_eq!(a, b);
        }
    }
}

/// A large tree runs queries in the order of its curve, and puts short, long and empty lists back into the order of the queries.
#[test]
fn many_questions_to_a_large_tree() {
    let mut random = SmallRng::seed_from_u64(2);
    let mut point = || [random.random::<f32>(), random.random::<f32>()];
    let points: Vec<[f32; 2]> = (0..1 << 18).map(|_| point()).collect();
    let tree = Orthtree::new(&points);
    let radius =
        |i: usize| [0.002, 0.0, 0.008, 0.02][if i.is_multiple_of(500) { 3 } else { i % 3 }];
    let balls: Vec<_> = (0..4500).map(|i| Sphere::new(point(), radius(i))).collect();
    let expected: Vec<Vec<u32>> = balls
        .iter()
        .map(|&ball| tree.query(ball).map(|i| i as u32).collect())
        .collect();
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let lists = pool.build().unwrap().install(|| tree.query_batch(&balls));
        assert!(lists.iter().eq(&expected));
    }
}

#[test]
fn no_question_has_no_answer() {
    let lists = Linear::new(&[Vec2::ZERO]).query_batch::<Sphere<Vec2>>(&[]);
    assert_eq!(
        (lists.len(), lists.is_empty(), lists.offsets()),
        (0, true, &[0][..])
    );
    assert!(lists.items().is_empty());
}

/// Returns each list sorted.
fn sorted<'a>(lists: impl IntoIterator<Item = impl AsRef<[u32]> + 'a>) -> Vec<Vec<u32>> {
    let lists = lists.into_iter().map(|list| {
        let mut list = list.as_ref().to_vec();
        list.sort_unstable();
        list
    });
    lists.collect()
}

#[test]
fn neighbors_of_some_are_those_of_all() {
    let mut random = SmallRng::seed_from_u64(2);
    // Points lie on a lattice, so that many are at the radius and some coincide.
    let (many, wide) = if cfg!(debug_assertions) {
        (1000, 9)
    } else {
        (2500, 12)
    };
    let mut point =
        || Vec3::from_array(std::array::from_fn(|_| random.random_range(0..wide) as f32));
    let points: Vec<Vec3> = (0..many).map(|_| point()).collect();
    let indices: Vec<usize> = (0..many * 7 / 10)
        .map(|i| (i * i + 5) % points.len())
        .collect();
    let tree = Octree::new(&points);
    let of =
        |all: &[Vec<u32>]| -> Vec<Vec<u32>> { indices.iter().map(|&i| all[i].clone()).collect() };
    for radius in [0.0, 1.0, 2.0, 40.0, -1.0, f32::NAN] {
        let all = sorted(tree.neighbors(radius));
        assert_eq!(
            sorted(tree.neighbors_of_indices(&indices, radius)),
            of(&all)
        );
    }
    let periodic = Periodic::new(Aabb::new(Vec3::ZERO, Vec3::splat(wide as f32)));
    for periodic in [None, Some(periodic)] {
        for radius in [1.0, 3.0, 7.0] {
            let cells = match periodic {
                Some(periodic) => CellList::new_periodic(&points, radius, periodic),
                None => CellList::new(&points, radius),
            };
            let all: Vec<Vec<u32>> = cells.neighbors().iter().map(|list| list.to_vec()).collect();
            let some = cells.neighbors_of_indices(&indices);
            assert!(some.iter().eq(&of(&all)), "{radius} {periodic:?}");
        }
    }
    assert!(tree.neighbors_of_indices(&[], 1.0).is_empty());
    assert!(
        CellList::<Vec3>::new(&[], 1.0)
            .neighbors_of_indices(&[])
            .is_empty()
    );
    let refused = std::panic::catch_unwind(|| tree.neighbors_of_indices(&[3, many], 1.0));
    let message = *refused.unwrap_err().downcast::<String>().unwrap();
    assert_eq!(message, format!("no point {many}: there are {many}"));
}

#[test]
fn parts_are_lists_or_refused() {
    let from = |offsets: &[usize], items: usize| {
        let items = (0..items as u32).collect();
        Lists::from_parts(offsets.to_vec(), items)
    };
    let wrong = |place, offset, items| {
        Err(Error::Offset {
            place,
            offset,
            items,
        })
    };
    assert_eq!(
        from(&[0, 0, 2, 3], 3),
        Ok(Lists::from_iter([vec![], vec![0, 1], vec![2]]))
    );
    assert_eq!(from(&[], 0), Ok(Lists::new()));
    assert_eq!(from(&[0], 0), Ok(Lists::new()));
    assert_eq!(from(&[], 1), wrong(0, 0, 1));
    assert_eq!(from(&[1, 2], 2), wrong(0, 1, 2));
    assert_eq!(from(&[0, 2, 1, 3], 3), wrong(2, 1, 3));
    assert_eq!(from(&[0, 4, 3], 3), wrong(1, 4, 3));
    assert_eq!(from(&[0, 1, 2], 3), wrong(2, 2, 3));
    assert_eq!(from(&[0, usize::MAX], 3), wrong(1, usize::MAX, 3));
    let names = from(&[0, 2, 2], 2).unwrap().map(|i| i as u64 + (1 << 40));
    assert_eq!(
        names,
        Lists::from_iter([vec![1 << 40, (1 << 40) + 1], vec![]])
    );
}

#[test]
fn covers_are_runs_of_the_order() {
    let balls: Vec<Sphere<Vec2>> = (0..1000)
        .map(|i| {
            Sphere::new(
                Vec2::new((i * 37 % 101) as f32, (i * 53 % 97) as f32),
                (i % 3) as f32,
            )
        })
        .collect();
    let tree = Orthtree::new(&balls);
    let order = tree.order();
    assert!(order.iter().eq(tree.iter().map(|(index, _)| index)));
    for parts in [1, 2, 7, 999, 1000, 5000, usize::MAX] {
        let cover = tree.cover(parts);
        assert_eq!(cover.len(), parts.min(1000));
        let mut end = 0;
        for (run, cuboid) in &cover {
            assert_eq!(run.start, end);
            end = run.end;
            assert!(run.len() == 1000 / cover.len() || run.len() == 1000 / cover.len() + 1);
            let bounds = order[run.clone()]
                .iter()
                .map(|&i| orthant::Bounded::bounds(&balls[i as usize]));
            assert_eq!(Some(*cuboid), bounds.reduce(|a: Aabb<Vec2>, b| a.union(&b)));
        }
        assert_eq!(end, 1000);
    }
    assert!(tree.cover(0).is_empty());
    let none = Octree::new(&[]);
    assert!(none.cover(3).is_empty() && none.order().is_empty());
}

/// Makes sets of points: on a small grid, with ties and coincident points; spread; in clusters far from each other; all coincident; and so far
/// out that squares overflow.
fn sets<V: Vector>(random: &mut SmallRng, len: usize) -> Vec<Vec<V>> {
    let mut make = |place: &mut dyn FnMut(&mut SmallRng, usize) -> f64| -> Vec<V> {
        let point = |i| V::from_fn(|_| V::Scalar::from_f64(place(random, i)));
        (0..len).map(point).collect()
    };
    vec![
        make(&mut |random, _| f64::from(random.random_range(0..8))),
        make(&mut |random, _| random.random()),
        make(&mut |random, i| (i % 7 * 1000) as f64 + random.random::<f64>() / (1 + i % 5) as f64),
        make(&mut |_, _| 3.0),
        make(&mut |random, i| random.random::<f64>() * if i % 9 == 0 { 1e30 } else { 1.0 }),
    ]
}

/// Compares many searches at once with single ones, and with the scan.
fn nearest_of_many<V: Vector>(seed: u64) {
    let mut random = SmallRng::seed_from_u64(seed);
    let (mut all, mut some) = (NearestLists::new(), NearestLists::new());
    let many = if cfg!(debug_assertions) { 250 } else { 700 };
    for len in [0, 1, 2, 15, 16, 17, many] {
        for points in sets::<V>(&mut random, len) {
            let scan = Linear::new(&points);
            let mut asking = points[..len.min(40)].to_vec();
            asking.extend(sets::<V>(&mut random, 12).into_iter().flatten());
            asking.push(V::splat(V::Scalar::INFINITY));
            asking.insert(asking.len() / 2, V::splat(V::Scalar::MAX));
            // All items are in order, so the nearest `n` are the first.
            let ranked = |places: &[V]| -> Vec<_> {
                let all = places.iter().map(|&at| scan.nearest_n(at, usize::MAX));
                all.collect()
            };
            let (asked, own) = (ranked(&asking), ranked(&points));
            for set in InstructionSet::available() {
                let tree = Orthtree::new(&points).with_instructions(set);
                // Without optimization, only the best instruction set runs with all numbers, since the others are slow.
                let is_quick = !cfg!(debug_assertions) || set == InstructionSet::best();
                let asked_for = [0, 1, 3, 8, 31, 32, 40, usize::MAX];
                for n in asked_for
                    .into_iter()
                    .filter(|n| is_quick || matches!(n, 1 | 8 | 32))
                {
                    tree.nearest_n_batch_into(&asking, n, &mut some).unwrap();
                    assert_eq!(some.len(), asking.len());
                    for (i, &at) in asking.iter().enumerate() {
                        let expected = &asked[i][..n.min(asked[i].len())];
                        assert_eq!(some.list(i).collect::<Vec<_>>(), expected, "{at:?} {n}");
                    }
                    for with_self in [false, true] {
                        tree.nearest_n_of_all_into(n, with_self, &mut all).unwrap();
                        assert_eq!(all.len(), len);
                        for (i, &at) in points.iter().enumerate() {
                            let others = own[i].iter().filter(|near| with_self || near.item != i);
                            let expected = others.take(n).copied();
                            assert!(all.list(i).eq(expected), "{at:?} {n}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn nearest_of_many_in_the_plane() {
    nearest_of_many::<Vec2>(2);
}

#[test]
fn nearest_of_many_in_space() {
    nearest_of_many::<Vec3>(3);
}

#[test]
fn nearest_of_many_in_double_precision() {
    nearest_of_many::<orthant::glam::DVec3>(4);
}

#[test]
fn nearest_of_many_in_other_structures() {
    let points: Vec<Vec3> = sets(&mut SmallRng::seed_from_u64(5), 300).swap_remove(0);
    let scan = Linear::new(&points);
    let expected: Vec<_> = points.iter().map(|&at| scan.nearest_n(at, 5)).collect();
    let same = |near: &NearestLists<u32, f32>| {
        assert!((0..300).all(|i| near.list(i).eq(expected[i].iter().copied())));
    };
    same(&scan.nearest_n_batch(&points, 5));
    same(&CellList::new(&points, 0.5).nearest_n_batch(&points, 5));
    let loose: LooseOrthtree<Vec3> = points.iter().copied().collect();
    let near = loose.nearest_n_batch(&points, 5);
    for (i, expected) in expected.iter().enumerate() {
        assert!(near.list(i).eq(loose.nearest_n(points[i], 5)));
        assert!(
            near.distances_sq(i)
                .iter()
                .eq(expected.iter().map(|near| &near.distance_sq))
        );
    }
    let balls: Vec<_> = points.iter().map(|&at| Sphere::new(at, 0.3)).collect();
    let (tree, scan) = (Orthtree::new(&balls), Linear::new(&balls));
    let near = tree.nearest_n_batch(&points, 5);
    assert!((0..300).all(|i| near.list(i).eq(scan.nearest_n(points[i], 5))));
}

#[test]
fn nearest_of_none() {
    let tree = Octree::new(&[Vec3::ZERO, Vec3::X]);
    assert!(tree.nearest_n_batch(&[], 2).is_empty());
    let near = tree.nearest_n_batch(&[Vec3::NAN, Vec3::INFINITY], 2);
    assert!(near.len() == 2 && near.iter().all(|mut list| list.next().is_none()));
}

#[test]
fn nearest_of_many_on_several_threads() {
    let points: Vec<Vec3> = sets(&mut SmallRng::seed_from_u64(6), 5000).swap_remove(1);
    let tree = Octree::new(&points);
    let expected = tree.nearest_n_of_all(8, false);
    for threads in [1, 2, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().unwrap();
        assert_eq!(pool.install(|| tree.nearest_n_of_all(8, false)), expected);
        let batch = pool.install(|| tree.nearest_n_batch(&points, 8));
        assert!((0..5000).all(|i| batch.list(i).eq(tree.nearest_n(points[i], 8))));
    }
}

/// In a crowd of leaves all are as near as the nearest of other points, so such leaves are not gathered.
#[test]
fn nearest_beside_a_crowd() {
    let mut random = SmallRng::seed_from_u64(7);
    let mut points: Vec<Vec3> = Vec::new();
    for i in 0..6200 {
        let size = if i < 200 { 1.0 } else { 1e-3 };
        let place = std::array::from_fn(|_| 0.5 + size * (random.random::<f32>() - 0.5));
        points.push(Vec3::from_array(place));
    }
    let (tree, scan) = (Octree::new(&points), Linear::new(&points));
    let all = tree.nearest_n_of_all(4, true);
    let batch = tree.nearest_n_batch(&points[..200], 4);
    for (i, &from) in points
        .iter()
        .enumerate()
        .filter(|(i, _)| *i < 200 || i.is_multiple_of(60))
    {
        let expected = scan.nearest_n(from, 4);
        assert_eq!(all.list(i).collect::<Vec<_>>(), expected, "{i}");
        if i < 200 {
            assert_eq!(batch.list(i).collect::<Vec<_>>(), expected, "{i}");
        }
    }
}
