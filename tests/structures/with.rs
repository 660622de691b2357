//! Items with attached data answer as the items alone.

use orthant::{
    Aabb, Bounded, Contains, Distance, Ellipsoid, Hexahedron, Hollow, Linear, LooseOrthtree,
    Moving, Orthtree, Overlaps, Region, Shell, SpatialIndex, Sphere, Sweep, Union, Vector, With,
};
use proptest::prelude::*;

use crate::cases::cases;

type V = [f32; 3];

fn vector(range: i32) -> impl Strategy<Value = V> {
    [-range..=range, -range..=range, -range..=range].prop_map(|v| v.map(|x| x as f32 * 0.5))
}

fn named<T: Copy>(items: &[T]) -> Vec<With<T, String>> {
    let name = |(i, &item): (usize, &T)| With::new(item, format!("number {i}"));
    items.iter().enumerate().map(name).collect()
}

fn sorted<K: Ord>(keys: impl Iterator<Item = K>) -> Vec<K> {
    let mut keys: Vec<K> = keys.collect();
    keys.sort();
    keys
}

/// Checks that all structures answer a region alike for items alone and for items with names.
fn same<T, R>(items: &[T], region: R)
where
    T: Bounded<Vector = V> + Copy + Send + Sync,
    R: Region<Vector = V> + Overlaps<T> + Overlaps<With<T, String>> + Copy,
{
    let whole = named(items);
    let scan: Vec<usize> = Linear::new(items).query(region).collect();
    assert_eq!(Linear::new(&whole).query(region).collect::<Vec<_>>(), scan);
    let tree = Orthtree::new(&whole);
    tree.validate().unwrap();
    assert_eq!(sorted(tree.query(region)), scan);
    assert_eq!(tree.count(region), scan.len());
    let mut loose = LooseOrthtree::new();
    let handles: Vec<_> = whole
        .iter()
        .map(|item| loose.insert(item.clone()))
        .collect();
    loose.validate().unwrap();
    let named: Vec<_> = scan.iter().map(|&i| handles[i]).collect();
    assert_eq!(sorted(loose.query(region)), named);
}

/// Runs all queries for one kind of item.
fn asked<T>(items: &[T], at: V, size: f32, by: V)
where
    T: Distance<Vector = V> + Copy + Send + Sync + PartialEq + core::fmt::Debug,
    V: Overlaps<T>,
    Sphere<V>: Overlaps<T> + Contains<T>,
    Aabb<V>: Overlaps<T> + Contains<T>,
    Shell<V>: Overlaps<T>,
    Ellipsoid<V>: Overlaps<T>,
    Hexahedron<V>: Overlaps<T>,
    Hollow<Sphere<V>>: Overlaps<T>,
    Hollow<Aabb<V>>: Overlaps<T>,
    Moving<Sphere<V>>: Sweep<T, Vector = V>,
    Moving<Aabb<V>>: Sweep<T, Vector = V>,
{
    let ball = Sphere::new(at, size);
    let cube = Aabb::new(at, at.map(|x| x + size));
    same(items, at);
    same(items, ball);
    same(items, cube);
    same(items, Hollow(ball));
    same(items, Hollow(cube));
    same(items, Shell::new(at, size * 0.5, size));
    same(
        items,
        Ellipsoid::new(at, [size + 0.5, size + 1.0, size + 2.0]),
    );
    let axes = [[0.6, 0.8, 0.0], [-0.8, 0.6, 0.0], [0.0, 0.0, 1.0]];
    same(items, &Hexahedron::oriented(at, [size + 0.5; 3], axes));
    same(items, Union(ball, cube));
    same(items, Moving::new(ball, by));

    let (whole, tree) = (named(items), Orthtree::new(items));
    let named = Orthtree::new(&whole);
    assert_eq!(named.nearest_n(at, 5), tree.nearest_n(at, 5));
    assert_eq!(
        named.sweep(Moving::new(ball, by)),
        tree.sweep(Moving::new(ball, by))
    );
    assert_eq!(
        named.sweep_all(Moving::new(cube, by)),
        tree.sweep_all(Moving::new(cube, by))
    );
    assert_eq!(named.bounds(), tree.bounds());
    for (item, whole) in items.iter().zip(&whole) {
        assert_eq!(ball.contains(whole), ball.contains(item));
        assert_eq!(cube.contains_strictly(whole), cube.contains_strictly(item));
    }

    // Trees give their items back.
    assert_eq!(named.items(), whole);
    assert_eq!(tree.items(), items);
    assert_eq!(tree.iter().len(), items.len());
    assert!(tree.iter().all(|(i, item)| *item == items[i]));
    assert_eq!(
        sorted(named.iter().map(|(i, _)| i)),
        (0..items.len()).collect::<Vec<_>>()
    );
    for (i, item) in items.iter().enumerate() {
        assert_eq!(tree.get(i).as_deref(), Some(item));
        assert_eq!(named.get(i).as_deref(), Some(&whole[i]));
    }
    assert!(tree.get(items.len()).is_none());
}

#[test]
fn as_the_items_alone() {
    let input = (
        proptest::collection::vec((vector(12), vector(3)), 0..120),
        vector(12),
        0..12u8,
        vector(12),
    );
    proptest!(cases(24, 256), |((items, at, size, by) in input)| {
        let size = f32::from(size) * 0.5;
        let points: Vec<V> = items.iter().map(|item| item.0).collect();
        let round = |&(at, size): &(V, V)| Sphere::new(at, size[0].abs());
        let balls: Vec<_> = items.iter().map(round).collect();
        let reach = |at: V, size: V| [0, 1, 2].map(|axis| at[axis] + size[axis]);
        let boxes = items.iter().map(|&(at, size)| Aabb::spanning(at, reach(at, size)));
        asked(&points, at, size, by);
        asked(&balls, at, size, by);
        asked(&boxes.collect::<Vec<_>>(), at, size, by);
    });
}

#[test]
fn an_empty_tree_by_default() {
    let tree = Orthtree::<With<Sphere<V>, u8>>::default();
    tree.validate().unwrap();
    assert_eq!(tree.count(Sphere::new([0.0; 3], 9.0)), 0);
    assert!(tree.items().is_empty() && tree.get(0).is_none());
    assert!(tree.nearest([0.0; 3]).is_none());
    assert!(
        tree.sweep(Moving::new(Sphere::new([0.0; 3], 1.0), [1.0; 3]))
            .is_none()
    );
}

/// A user's type that computes its shape at every call.
#[derive(Clone, Debug, PartialEq)]
struct Coin<K> {
    kind: K,
    at: V,
    size: f32,
}

orthant::item!(impl<K> Coin<K>: Sphere<V>, |coin| Sphere::new(coin.at, coin.size));

/// A user's type over any vector type, which needs a bound.
#[derive(Clone, Debug, PartialEq)]
struct Drop<X: Vector, K> {
    at: X,
    kind: K,
}

orthant::item!(impl<X: Vector, K: Copy> Drop<X, K>: X, |drop| drop.at);

#[test]
fn parameters_may_be_bounded() {
    let drops = [0.0, 2.0].map(|x| Drop {
        at: [x, 0.0],
        kind: 'a',
    });
    let tree = Orthtree::new(&drops);
    assert_eq!(tree.count(Sphere::new([0.5, 0.0], 1.0)), 1);
    let near = tree.nearest([3.0, 0.0]).unwrap();
    assert_eq!((near.item, drops[near.item].kind), (1, 'a'));
}

/// A user's type that stores its shape.
#[derive(Clone, Debug, PartialEq)]
struct Crate {
    label: String,
    walls: Aabb<V>,
}

orthant::item!(Crate: Aabb<V>, |it| it.walls);

#[test]
fn types_of_the_users_answer_as_their_shapes() {
    let input = (
        proptest::collection::vec((vector(12), 0..6u8), 1..80),
        vector(12),
        vector(12),
    );
    proptest!(cases(24, 256), |((items, at, by) in input)| {
        let coins: Vec<Coin<u8>> = items
            .iter()
            .map(|&(at, kind)| Coin { kind, at, size: f32::from(kind) * 0.5 })
            .collect();
        let balls: Vec<_> = coins.iter().map(|coin| Sphere::new(coin.at, coin.size)).collect();
        let crates: Vec<Crate> = balls
            .iter()
            .map(|ball| Crate { label: format!("{ball:?}"), walls: ball.bounds() })
            .collect();
        let boxes: Vec<_> = crates.iter().map(|it| it.walls).collect();

        let (of_coins, of_balls) = (Orthtree::new(&coins), Linear::new(&balls));
        let (of_crates, of_boxes) = (Orthtree::new(&crates), Linear::new(&boxes));
        let probe = Sphere::new(at, 2.5);
        prop_assert_eq!(sorted(of_coins.query(probe)), sorted(of_balls.query(probe)));
        prop_assert_eq!(sorted(of_crates.query(Hollow(probe))), sorted(of_boxes.query(Hollow(probe))));
        prop_assert_eq!(sorted(of_crates.query(at)), sorted(of_boxes.query(at)));
        prop_assert_eq!(of_coins.nearest_n(at, 5), of_balls.nearest_n(at, 5));
        prop_assert_eq!(of_crates.nearest_n(at, 5), of_boxes.nearest_n(at, 5));
        let moving = Moving::new(probe, by);
        prop_assert_eq!(of_coins.sweep_all(moving), of_balls.sweep_all(moving));
        prop_assert_eq!(of_crates.sweep_all(moving), of_boxes.sweep_all(moving));
        prop_assert_eq!(of_coins.items(), &coins[..]);
        let around = Aabb::new([-3.0; 3], [3.0; 3]);
        for (coin, ball) in coins.iter().zip(&balls) {
            prop_assert_eq!(around.contains(coin), around.contains(ball));
        }
        prop_assert!(coins.iter().all(|coin| coin.kind < 6));
        prop_assert!(crates.iter().all(|it| !it.label.is_empty()));
    });
}
