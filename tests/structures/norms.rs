//! Norms other than the Euclidean one: every structure answers as a list of measures does, which separate code computes here.

mod edges;

use std::ops::ControlFlow;

use orthant::{
    Aabb, BodyInfo, Broadphase, CellLevels, CellList, Chebyshev, DistanceBy, Filter, Hollow, Key,
    Linear, LooseOrthtree, Manhattan, Motion, NearestBy, Norm, NormBall, Orthtree, Overlaps, Reach,
    Scalar, SpatialIndex, Sphere, SphereTree, Vector, Volume, Weighted, With,
};
use proptest::prelude::*;

use crate::cases::cases;
use crate::lattice::place;

/// A norm as its definition says, without the crate.
trait Naive<V: Vector>: Norm<V> {
    fn naive(&self, differences: &[V::Scalar]) -> V::Scalar;
}

impl<V: Vector> Naive<V> for Manhattan {
    fn naive(&self, d: &[V::Scalar]) -> V::Scalar {
        d[1..].iter().fold(d[0].abs(), |sum, &d| sum + d.abs())
    }
}

impl<V: Vector> Naive<V> for Chebyshev {
    fn naive(&self, d: &[V::Scalar]) -> V::Scalar {
        let all = d.iter().map(|d| d.abs());
        all.max_by(|a, b| a.partial_cmp(b).unwrap()).unwrap()
    }
}

impl<V: Vector> Naive<V> for Weighted<V> {
    fn naive(&self, d: &[V::Scalar]) -> V::Scalar {
        let terms = (0..V::DIM).map(|a| self.weights().axis(a) * d[a] * d[a]);
        terms.reduce(|sum, term| sum + term).unwrap()
    }
}

/// Returns the differences to the nearest point of a box, which may be a point.
fn to_box<V: Vector>(cell: &Aabb<V>, at: V) -> Vec<V::Scalar> {
    let on_axis = |a: usize| {
        let (at, min, max) = (at.axis(a), cell.min().axis(a), cell.max().axis(a));
        if at < min {
            min - at
        } else if at > max {
            at - max
        } else {
            V::Scalar::ZERO
        }
    };
    (0..V::DIM).map(on_axis).collect()
}

/// Runs all queries of a structure in which item `i` has the key `keys[i]` and the measure `measures[i]`.
fn asked<S, N>(
    index: &S,
    keys: &[S::Key],
    measures: &[<S::Vector as Vector>::Scalar],
    ball: NormBall<S::Vector, N>,
) where
    S: SpatialIndex + Sync,
    S::Key: std::fmt::Debug,
    N: Norm<S::Vector>,
    S::Item: DistanceBy<N>,
    NormBall<S::Vector, N>: Overlaps<S::Item>,
{
    let (at, radius, norm) = (ball.center(), ball.radius(), ball.norm());
    let limit = norm.measure_of(radius);
    let [ranked, within] = by_measure(measures, keys, limit);
    let mut listed = Vec::new();
    for key in index.query(ball) {
        listed.push(key);
    }
    same_keys(&listed, &within);
    assert_eq!(index.count(ball), within.len());
    let mut list = Vec::new();
    index.query(ball).append_to(&mut list);
    assert_eq!(unpacked::<S::Key>(&list), listed);
    let mut seen = Vec::new();
    let _ = index.visit(ball, |key| {
        seen.push(key);
        ControlFlow::<()>::Continue(())
    });
    assert_eq!(seen, listed);
    let lists = index.query_batch(&[ball, ball]);
    assert_eq!(lists[1].len(), listed.len());

    let by_norm = index.by_norm(norm);
    let same = |found: &[NearestBy<S::Key, _>], expected: &[(_, S::Key)]| {
        same_nearest(found, expected);
        for near in found {
            assert_eq!(near.distance, norm.distance(near.measure));
        }
    };
    let nearest = by_norm.nearest(at);
    same(nearest.as_slice(), &ranked[..ranked.len().min(1)]);
    for n in [0, 1, 2, 7, 33, keys.len(), keys.len() + 5, usize::MAX] {
        same(&by_norm.nearest_n(at, n), &ranked[..ranked.len().min(n)]);
        same(
            &by_norm.nearest_n_within(at, n, radius),
            &within[..within.len().min(n)],
        );
    }
    let none = V0::<S>::ZERO - V0::<S>::ONE;
    assert!(by_norm.nearest_n_within(at, 3, none).is_empty());
    let nan = V0::<S>::from_f64(f64::NAN);
    assert!(by_norm.nearest_n_within(at, 3, nan).is_empty());
    for lost in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let lost = S::Vector::from_fn(|a| {
            if a == 1 {
                V0::<S>::from_f64(lost)
            } else {
                at.axis(a)
            }
        });
        assert!(by_norm.nearest(lost).is_none() && by_norm.nearest_n(lost, 3).is_empty());
    }
}

type V0<S> = <<S as SpatialIndex>::Vector as Vector>::Scalar;

// These functions are generic over keys and scalars only: if they were generic over structures and norms too, the
// sorts would be compiled for each of them.

/// All items by measure, ties by key, and those of them within the limit.
fn by_measure<K: Copy + PartialOrd, X: Scalar>(
    measures: &[X],
    keys: &[K],
    limit: X,
) -> [Vec<(X, K)>; 2] {
    let mut ranked: Vec<_> = measures.iter().copied().zip(keys.iter().copied()).collect();
    ranked.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let within = ranked.iter().copied().filter(|r| r.0 <= limit).collect();
    [ranked, within]
}

fn same_keys<K: Key, X: Scalar>(listed: &[K], within: &[(X, K)]) {
    let (mut found, mut expected) = (listed.to_vec(), Vec::new());
    expected.extend(within.iter().map(|near| near.1));
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
}

fn unpacked<K: Key>(list: &[K::Packed]) -> Vec<K> {
    list.iter().map(|&key| K::unpack(key)).collect()
}

fn same_nearest<K: Key, X: Scalar>(found: &[NearestBy<K, X>], expected: &[(X, K)]) {
    let found: Vec<_> = found.iter().map(|near| (near.measure, near.item)).collect();
    assert_eq!(found, expected);
}

/// Queries items in the trees and the scan, alone and with attached data.
fn in_trees<T, N>(
    items: &[T],
    measures: &[<T::Vector as Vector>::Scalar],
    ball: NormBall<T::Vector, N>,
) where
    T: DistanceBy<N> + Copy + Send + Sync,
    N: Norm<T::Vector>,
    NormBall<T::Vector, N>: Overlaps<T> + Overlaps<With<T, &'static str>>,
{
    let indices: Vec<usize> = (0..items.len()).collect();
    asked(&Linear::new(items), &indices, measures, ball);
    asked(&Orthtree::new(items), &indices, measures, ball);
    let named: Vec<_> = items.iter().map(|&item| With::new(item, "name")).collect();
    asked(&Orthtree::new(&named), &indices, measures, ball);
    let mut loose = LooseOrthtree::new();
    let handles: Vec<_> = items.iter().map(|&item| loose.insert(item)).collect();
    asked(&loose, &handles, measures, ball);
    // Other items were in the tree and are removed.
    let mut loose = LooseOrthtree::new();
    let gone: Vec<_> = items.iter().map(|&item| loose.insert(item)).collect();
    let handles: Vec<_> = items.iter().map(|&item| loose.insert(item)).collect();
    for handle in gone {
        loose.remove(handle).unwrap();
    }
    asked(&loose, &handles, measures, ball);
}

/// Queries bodies in a world, before and after a step, and those of them that pass a filter.
fn in_worlds<V, N>(volumes: &[Volume<V>], measures: &[V::Scalar], ball: NormBall<V, N>)
where
    V: Vector,
    N: Norm<V>,
{
    let mut world = Broadphase::new();
    let odd = Filter {
        category: 2,
        ..Filter::ALL
    };
    let handles: Vec<_> = (0..volumes.len())
        .map(|i| {
            let filter = if i % 2 == 1 { odd } else { Filter::ALL };
            world.insert(
                volumes[i],
                BodyInfo::from(Motion::Dynamic).with_filter(filter),
            )
        })
        .collect();
    asked(&world, &handles, measures, ball);
    world.update();
    asked(&world, &handles, measures, ball);
    let some = Filter {
        mask: 2,
        ..Filter::ALL
    };
    let second = |i: &usize| i % 2 == 1;
    let chosen: Vec<usize> = (0..volumes.len()).filter(second).collect();
    let keys: Vec<_> = chosen.iter().map(|&i| handles[i]).collect();
    let measures: Vec<_> = chosen.iter().map(|&i| measures[i]).collect();
    asked(&world.filtered(some), &keys, &measures, ball);
}

#[derive(Clone, Debug)]
struct Raw {
    items: Vec<([i8; 3], [u8; 3])>,
    at: [i8; 3],
    radius: u8,
    weights: [u8; 3],
    step: f64,
    offset: f64,
}

impl Raw {
    fn length<V: Vector>(&self, steps: u8) -> V::Scalar {
        Scalar::from_f64(self.step * f64::from(steps))
    }
}

fn raws(most: usize) -> impl Strategy<Value = Raw> {
    let coordinate = || [-6..=6_i8, -6..=6_i8, -6..=6_i8];
    let item = (coordinate(), [0..=3_u8, 0..=3_u8, 0..=3_u8]);
    (
        proptest::collection::vec(item, 0..most),
        coordinate(),
        0..=12_u8,
        [1..=9_u8, 1..=9_u8, 1..=9_u8],
        prop_oneof![Just(1.0), Just(0.25), Just(0.1), Just(1e-3)],
        prop_oneof![Just(0.0), Just(1.0), Just(1e5)],
    )
        .prop_map(|(items, at, radius, weights, step, offset)| Raw {
            items,
            at,
            radius,
            weights,
            step,
            offset,
        })
}

fn by<V: Vector, N: Naive<V>>(raw: &Raw, norm: N) {
    let at: V = place(&raw.at, raw.offset, raw.step);
    let points: Vec<V> = raw
        .items
        .iter()
        .map(|item| place(&item.0, raw.offset, raw.step))
        .collect();
    let boxes: Vec<Aabb<V>> = points
        .iter()
        .zip(&raw.items)
        .map(|(&low, item)| {
            let size = |a: usize| raw.length::<V>(item.1[a % 3]);
            Aabb::new(low, V::from_fn(|a| low.axis(a) + size(a)))
        })
        .collect();
    // The radius is often a measure that occurs.
    let radius = raw.length::<V>(raw.radius);
    let ball = NormBall::new(at, radius, norm);

    let of_points: Vec<_> = points
        .iter()
        .map(|&p| norm.naive(&to_box(&Aabb::new(p, p), at)))
        .collect();
    in_trees(&points, &of_points, ball);
    let indices: Vec<usize> = (0..points.len()).collect();
    for steps in [1, 4, 30] {
        let cells = CellList::new(&points, raw.length::<V>(steps));
        asked(&cells, &indices, &of_points, ball);
    }
    let radii = (0..points.len() as u8).map(|i| raw.length::<V>(i % 5));
    let levels = CellLevels::new(&points, &radii.collect::<Vec<_>>(), Reach::Sum);
    asked(&levels, &indices, &of_points, ball);
    let flat: Vec<Volume<V>> = points.iter().map(|&p| Aabb::new(p, p).into()).collect();
    in_worlds(&flat, &of_points, ball);

    let of_boxes: Vec<_> = boxes
        .iter()
        .map(|cell| norm.naive(&to_box(cell, at)))
        .collect();
    in_trees(&boxes, &of_boxes, ball);
    let volumes: Vec<Volume<V>> = boxes.iter().map(|&cell| cell.into()).collect();
    in_worlds(&volumes, &of_boxes, ball);

    // From inside a box, the nearest face counts, along its axis.
    let hollow: Vec<_> = boxes.iter().map(|&cell| Hollow(cell)).collect();
    let of_hollow: Vec<_> = boxes
        .iter()
        .map(|cell| {
            let mut least = norm.naive(&to_box(cell, at));
            if cell.contains(&at) {
                let mut ways = Vec::new();
                for a in 0..V::DIM {
                    for face in [cell.min(), cell.max()] {
                        let mut way = vec![V::Scalar::ZERO; V::DIM];
                        way[a] = (at.axis(a) - face.axis(a)).abs();
                        ways.push(norm.naive(&way));
                    }
                }
                least = ways.into_iter().reduce(Scalar::smaller).unwrap();
            }
            least
        })
        .collect();
    in_trees(&hollow, &of_hollow, ball);

    // For balls the scan is the reference; other code below checks the scan.
    let balls: Vec<_> = points
        .iter()
        .zip(&raw.items)
        .map(|(&center, item)| Sphere::new(center, raw.length::<V>(item.1[0])))
        .collect();
    let of_balls: Vec<_> = balls.iter().map(|it| it.measure(&norm, at)).collect();
    in_trees(&balls, &of_balls, ball);
    asked(&SphereTree::new(&balls), &indices, &of_balls, ball);
    let mut volumes: Vec<Volume<V>> = balls.iter().map(|&ball| ball.into()).collect();
    in_worlds(&volumes, &of_balls, ball);
    volumes.extend(boxes.iter().map(|&cell| Volume::from(cell)));
    let all: Vec<_> = of_balls.into_iter().chain(of_boxes).collect();
    in_worlds(&volumes, &all, ball);
}

fn by_all<V: Vector>(raw: &Raw) {
    by::<V, _>(raw, Manhattan);
    by::<V, _>(raw, Chebyshev);
    // Some weights differ by large factors.
    let power = |w: u8| [0.1, 0.25, 1.0, 1.0, 2.0, 4.0, 100.0, 1e-6, 3.0][usize::from(w) - 1];
    let weights = V::from_fn(|a| Scalar::from_f64(power(raw.weights[a % 3])));
    by::<V, _>(raw, Weighted::new(weights));
}

macro_rules! everywhere {
    ($($name:ident: $vector:ty),*) => {$(
        #[test]
        fn $name() {
            proptest!(cases(24, 200), |(raw in raws(70))| by_all::<$vector>(&raw));
        }
    )*};
}

everywhere!(in_f32x2: [f32; 2], in_f32x3: [f32; 3], in_f64x2: [f64; 2], in_f64x3: [f64; 3]);
