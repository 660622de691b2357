//! Compares the methods that structures share with standard collections with those of a `Vec`.

use orthant::{
    Aabb, Broadphase, CellLevels, CellList, Error, Handle, Linear, Lists, LooseOrthtree, Motion,
    Orthtree, Periodic, Reach, SpatialIndex, Sphere, VoxelGrid,
};
use proptest::prelude::*;

use crate::cases::cases;

type Ball = Sphere<[f32; 2]>;

fn balls(raw: &[(i8, i8, u8)]) -> Vec<Ball> {
    let ball = |&(x, y, r): &(i8, i8, u8)| Sphere::new([f32::from(x), f32::from(y)], f32::from(r));
    raw.iter().map(ball).collect()
}

/// Compares handles, items and answers of a tree with a list.
fn check(tree: &LooseOrthtree<Ball>, list: &[(Handle, Ball)], asked: Ball) {
    tree.validate().unwrap();
    assert_eq!((tree.len(), tree.is_empty()), (list.len(), list.is_empty()));
    assert!(list.iter().all(|&(handle, _)| tree.contains(handle)));
    assert!(
        tree.iter()
            .map(|(handle, item)| (handle, *item))
            .eq(list.iter().copied())
    );
    let mut found: Vec<Handle> = tree.query(asked).collect();
    found.sort();
    use orthant::Overlaps;
    let hits = list.iter().filter(|(_, ball)| asked.overlaps(ball));
    assert!(hits.map(|hit| hit.0).eq(found));
}

#[test]
fn a_loose_tree_as_a_collection() {
    let raw = || proptest::collection::vec(any::<(i8, i8, u8)>(), 0..200);
    let input = (raw(), raw(), any::<(i8, i8, u8)>(), 0..255u8);
    proptest!(cases(24, 256), |((first, second, asked, least) in input)| {
        let asked = balls(&[asked])[0];
        let (first, second) = (balls(&first), balls(&second));
        let mut tree: LooseOrthtree<Ball> = first.iter().copied().collect();
        let mut one_by_one = LooseOrthtree::new();
        let handles = first.iter().map(|&ball| (one_by_one.insert(ball), ball));
        let mut list: Vec<_> = handles.collect();
        check(&tree, &list, asked);

        let keep = |ball: &Ball| ball.radius() >= f32::from(least);
        tree.retain(|_, ball| keep(ball));
        list.retain(|(_, ball)| keep(ball));
        check(&tree, &list, asked);

        let handles = tree.insert_batch(second.iter().copied());
        list.extend(handles.into_iter().zip(second));
        list.sort_by_key(|item| item.0);
        check(&tree, &list, asked);
        assert!(tree.clone().into_iter().eq(list.iter().copied()));
        assert!(tree.drain().eq(list.iter().copied()));
        check(&tree, &[], asked);
        assert!(list.iter().all(|&(handle, _)| !tree.contains(handle)));
        tree.extend(first.iter().copied());
        assert_eq!(tree.len(), first.len());
        assert!(list.iter().all(|&(handle, _)| !tree.contains(handle)));
    });
}

/// Items lie spread, in clusters, in one place, and ever nearer to it. Then all of them move, and half of them leave.
#[test]
fn many_at_once() {
    let places: [fn(u32) -> [f32; 2]; 5] = [
        |i| [(i * 37 % 101) as f32, (i * 53 % 97) as f32],
        |i| {
            [
                (i % 7) as f32 * 1e6 + (i % 31) as f32 * 1e-3,
                (i % 3) as f32,
            ]
        },
        |_| [5.0, -3.0],
        |i| {
            [
                0.5_f32.powi(i as i32 % 140),
                -(2.0_f32.powi(i as i32 % 120)),
            ]
        },
        |i| [if i == 0 { 3e38 } else { i as f32 * 1e-30 }, -3e38],
    ];
    for (place, many) in places
        .iter()
        .flat_map(|place| [63, 64, 700, 5000].map(|n| (place, n)))
    {
        let ball = |i: u32| Sphere::new(place(i), (i % 5 * (i % 11).pow(6)) as f32 * 1e-3);
        let mut tree: LooseOrthtree<Ball> = (0..many).map(ball).collect();
        let mut list: Vec<(Handle, Ball)> =
            tree.iter().map(|(handle, ball)| (handle, *ball)).collect();
        assert!(list.iter().map(|item| item.1).eq((0..many).map(ball)));
        let asked = Sphere::new(place(many / 2), 12.5);
        check(&tree, &list, asked);
        for (handle, ball) in &mut list {
            *ball = Sphere::new(ball.center().map(|x| 0.75 * x + 1.0), ball.radius());
            tree.update(*handle, *ball);
        }
        check(&tree, &list, asked);
        for at in (0..list.len()).rev().step_by(2) {
            assert!(tree.remove(list.remove(at).0).is_some());
        }
        check(&tree, &list, asked);
        list.extend(
            tree.insert_batch((0..many).map(ball))
                .into_iter()
                .zip((0..many).map(ball)),
        );
        list.sort_by_key(|item| item.0);
        check(&tree, &list, asked);
    }
}

#[test]
fn a_batch_is_all_or_none() {
    let mut tree = LooseOrthtree::new();
    tree.insert([1.0, 2.0]);
    let refused = tree.try_insert_batch([[0.0, 0.0], [0.0, f32::NAN]]);
    assert!(matches!(refused, Err(Error::Item { index: 1, .. })));
    assert_eq!(tree.len(), 1);
    tree.validate().unwrap();
}

#[test]
fn lists_of_lists() {
    let many: Vec<Vec<u32>> = (0..50).map(|i| (0..i % 7).collect()).collect();
    let mut lists: Lists<u32> = many.iter().cloned().collect();
    assert!(lists.iter().eq(&many));
    assert!((&lists).into_iter().eq(&many));
    assert_eq!((&lists).into_iter().len(), 50);
    let mut taken = lists.clone().into_iter();
    assert_eq!((taken.next(), taken.len()), (Some(vec![]), 49));
    assert!(taken.eq(many[1..].iter().cloned()));
    assert_eq!(Lists::<u32>::new().into_iter().next(), None);
    lists.extend(many.iter().map(|list| list.iter().copied()));
    assert_eq!((lists.len(), &lists[51]), (100, &many[1][..]));
    lists.clear();
    assert_eq!(lists, Lists::new());
}

/// A list that is rebuilt in any way equals a new one.
#[test]
fn cells_from_parts_and_for_other_radii() {
    let raw = proptest::collection::vec(any::<[i8; 2]>(), 0..150);
    let input = (raw, 1..90u8, 1..90u8, any::<bool>());
    proptest!(cases(24, 256), |((raw, first, second, in_box) in input)| {
        let points: Vec<[f32; 2]> = raw.iter().map(|p| p.map(f32::from)).collect();
        let (first, second) = (f32::from(first), f32::from(second));
        let periodic = Periodic::new(Aabb::new([-128.0; 2], [128.0; 2]));
        let new = |radius| match in_box {
            true => CellList::new_periodic(&points, radius, periodic),
            false => CellList::new(&points, radius),
        };
        let expected = new(second);
        let mut cells = new(first);
        cells.rebuild_with_radius(&points, second).unwrap();
        assert_eq!(cells.neighbors(), expected.neighbors());
        for refused in [f32::NAN, 0.0, -1.0, f32::INFINITY] {
            assert!(cells.rebuild_with_radius(&points, refused).is_err());
        }
        assert!(cells.rebuild_with_radius(&[[f32::NAN; 2]], first).is_err());
        assert_eq!((cells.radius(), cells.neighbors()), (second, expected.neighbors()));

        cells.rebuild(&[]).unwrap();
        cells.rebuild_from_iter(points.iter().copied()).unwrap();
        assert_eq!(cells.neighbors(), expected.neighbors());
        if !in_box {
            let cells = CellList::from_iter(points.iter().copied(), second);
            assert_eq!(cells.neighbors(), expected.neighbors());
        }
    });
}

/// Checks that the size hint of an iterator holds; if it is `exact`, to the number.
fn says_what_is_left<I: Iterator>(mut iter: I, exact: bool) {
    let mut said = vec![iter.size_hint()];
    while iter.next().is_some() {
        said.push(iter.size_hint());
    }
    for (left, (least, most)) in said.into_iter().rev().enumerate() {
        assert!(least <= left && most.is_none_or(|most| left <= most));
        assert!(!exact || (least, most) == (left, Some(left)), "{left}");
    }
}

#[test]
fn iterators_say_what_is_left() {
    let points: Vec<[f32; 2]> = (0..60u8)
        .map(|i| [f32::from(i % 7), f32::from(i)])
        .collect();
    let mut tree: LooseOrthtree<[f32; 2]> = points.iter().copied().collect();
    let gone: Vec<Handle> = tree.iter().map(|(handle, _)| handle).step_by(3).collect();
    for handle in gone {
        tree.remove(handle).unwrap();
    }
    says_what_is_left(tree.iter(), true);
    says_what_is_left(tree.clone().into_iter(), true);
    says_what_is_left(tree.clone().drain(), false);
    says_what_is_left(tree.by_distance([1.0, 2.0]), false);
    let mut near = tree.by_distance([1.0, 2.0]);
    assert!(near.by_ref().take(tree.len()).count() == 40 && near.next().is_none());
    assert_eq!(near.size_hint(), (0, Some(0)));

    let all = Orthtree::new(&points);
    let ball = Sphere::new([3.0, 30.0], 9.0);
    says_what_is_left(all.query(ball), false);
    let lists = all.query_batch(&[ball, Sphere::new([0.0, 0.0], 0.5)]);
    says_what_is_left(lists.iter(), true);
    says_what_is_left(all.neighbors(2.0).iter(), true);
    says_what_is_left(all.neighbors(2.0)[5].iter(), true);
    says_what_is_left(all.nearest_n_of_all(3, true).list(7), true);

    let mut world = Broadphase::new();
    world.insert_batch(
        points
            .iter()
            .map(|&at| (Sphere::new(at, 1.0), Motion::Dynamic)),
    );
    world.update();
    says_what_is_left(world.pairs(), false);
    says_what_is_left(world.iter(), true);

    let grid = VoxelGrid::new([0.0f32; 3], 1.0);
    let ball = Sphere::new([0.0; 3], 4.0);
    says_what_is_left(grid.voxels(ball), false);
    says_what_is_left(grid.spans(ball), false);
    for brick in grid.bricks(ball) {
        says_what_is_left(brick.voxels(), false);
    }
}

/// Checks, after any number of steps, that a copy of an iterator and a list of the rest hold the remaining items.
macro_rules! assert_goes_on {
    ($index:expr, $region:expr) => {
        let (index, region) = ($index, $region);
        let all: Vec<usize> = index.query(region).collect();
        assert!(all.len() > 20, "{}", all.len());
        for taken in 0..=all.len() {
            let (begin, left) = all.split_at(taken);
            let mut one = index.query(region);
            assert!(one.by_ref().take(taken).eq(begin.iter().copied()));
            assert!(one.clone().eq(left.iter().copied()));
            let mut rest = Vec::new();
            one.append_to(&mut rest);
            assert!(
                rest.into_iter()
                    .map(|i| i as usize)
                    .eq(left.iter().copied())
            );
        }
    };
}

#[test]
fn answers_are_copied_where_they_are() {
    let points: Vec<[f32; 2]> = (0..400u16)
        .map(|i| [f32::from(i % 20), f32::from(i / 20)])
        .collect();
    let ball = Sphere::new([9.0, 11.0], 4.5);
    let tree = Orthtree::new(&points);
    assert_goes_on!(&tree, ball);
    assert_goes_on!(Linear::new(&points), ball);
    assert_goes_on!(CellList::new(&points, 1.5), ball);
    assert_goes_on!(CellLevels::new(&points, &[1.5; 400], Reach::Sum), ball);

    let all: Vec<_> = tree.by_distance([9.0, 11.0]).collect();
    assert_eq!(all.len(), 400);
    for taken in [0, 1, 17, 399, 400] {
        let mut one = tree.by_distance([9.0, 11.0]);
        one.by_ref().take(taken).for_each(drop);
        assert!(one.clone().eq(all[taken..].iter().copied()));
        assert!(one.eq(all[taken..].iter().copied()));
    }
}

/// Generic code that knows only `SpatialIndex` can ask whether a structure has items.
#[test]
fn an_index_without_items() {
    fn is_empty(index: &impl SpatialIndex) -> bool {
        index.is_empty()
    }
    let balls = [Sphere::new([0.0_f32, 1.0], 1.0)];
    assert!(is_empty(&Orthtree::<Ball>::new(&[])) && !is_empty(&Orthtree::new(&balls)));
    let mut loose = LooseOrthtree::new();
    assert!(is_empty(&loose));
    loose.insert(balls[0]);
    assert!(!is_empty(&loose));
    let mut world = Broadphase::new();
    assert!(is_empty(&world));
    world.insert(balls[0], Motion::Dynamic);
    assert!(!is_empty(&world));
}
