//! Laws 1, 2 and 3: what a structure answers, in every form.

use std::fmt::Debug;
use std::ops::ControlFlow;

use orthant::{
    Bounded, Broadphase, CellList, Distance, Handle, Linear, LooseOrthtree, Motion, Nearest,
    Orthtree, Overlaps, Region, Scalar, Vector, Volume,
};
use proptest::prelude::*;

use crate::make::{Make, Raw, Scale, cases, place, raw, raws, scale};

type Found<V> = Vec<(usize, <V as Vector>::Scalar)>;

/// What is asked of a structure, with items named by their index.
pub(crate) trait Structure<V: Vector, T: Bounded<Vector = V>> {
    type Built;
    fn build(items: &[T], scale: Scale) -> Self::Built;
    fn answer<R>(built: &Self::Built, region: R) -> Vec<usize>
    where
        R: Region<Vector = V> + Overlaps<T> + Sync + Clone;
    fn nearest(built: &Self::Built, from: V, n: usize, radius: V::Scalar) -> Found<V>;
}

/// All forms of one answer must agree, in order.
macro_rules! answer {
    ($built:ident, $region:ident, $index:expr, $key:expr) => {{
        let query: Vec<_> = $built.query($region.clone()).collect();
        let mut folded = Vec::new();
        $built
            .query($region.clone())
            .for_each(|key| folded.push(key));
        assert_eq!(query, folded, "fold");
        // An iterator that was begun by `next` goes on with `fold` and `count`.
        let mut begun = $built.query($region.clone());
        let first: Vec<_> = begun.next().into_iter().collect();
        assert_eq!(begun.count() + first.len(), query.len(), "count after next");
        let mut visited = Vec::new();
        let end = $built.visit($region.clone(), |key| {
            visited.push(key);
            if visited.len() == 3 {
                ControlFlow::Break(key)
            } else {
                ControlFlow::Continue(())
            }
        });
        assert_eq!(visited, query[..query.len().min(3)], "visit");
        assert_eq!(end.is_break(), query.len() >= 3, "visit breaks");
        assert_eq!($built.count($region.clone()), query.len(), "count");
        let batch = $built.query_batch(&[$region.clone(), $region.clone()]);
        assert_eq!(batch.len(), 2);
        for list in batch.iter() {
            let keys: Vec<_> = list.iter().copied().map($key).collect();
            assert_eq!(keys, query, "batch");
        }
        query.into_iter().map($index).collect()
    }};
}

/// All forms of one answer must agree.
macro_rules! nearest {
    ($built:ident, $from:ident, $n:ident, $radius:ident, $index:expr) => {{
        let all = $built.nearest_n($from, $n);
        let first = $built.nearest($from);
        assert!($n == 0 || first == all.first().copied(), "nearest");
        let found = $built.nearest_n_within($from, $n, $radius);
        assert_eq!(found, all[..found.len()], "within");
        plain::<_, V>(found, $index)
    }};
}

fn plain<K, V: Vector>(found: Vec<Nearest<K, V::Scalar>>, index: impl Fn(K) -> usize) -> Found<V> {
    let found = found.into_iter();
    found.map(|n| (index(n.item), n.distance_sq)).collect()
}

macro_rules! by_index {
    ($name:ident, $built:ty, $item:ty, [$($g:tt)*], |$items:ident, $scale:ident| $build:expr) => {
        pub(crate) struct $name;
        impl<$($g)*> Structure<V, $item> for $name {
            type Built = $built;
            fn build($items: &[$item], $scale: Scale) -> $built {
                let built = $build;
                built.validate().unwrap();
                built
            }
            fn answer<R>(built: &$built, region: R) -> Vec<usize>
            where
                R: Region<Vector = V> + Overlaps<$item> + Sync + Clone,
            {
                answer!(built, region, |i| i, |i| i as usize)
            }
            fn nearest(built: &$built, from: V, n: usize, radius: V::Scalar) -> Found<V> {
                nearest!(built, from, n, radius, |i| i)
            }
        }
    };
}

macro_rules! by_handle {
    ($name:ident, $built:ty, $item:ty, [$($g:tt)*], |$items:ident| $build:expr) => {
        pub(crate) struct $name;
        impl<$($g)*> Structure<V, $item> for $name {
            type Built = $built;
            fn build($items: &[$item], _: Scale) -> $built {
                let built = $build;
                built.validate().unwrap();
                built
            }
            fn answer<R>(built: &$built, region: R) -> Vec<usize>
            where
                R: Region<Vector = V> + Overlaps<$item> + Sync + Clone,
            {
                answer!(built, region, Handle::slot, |handle| handle)
            }
            fn nearest(built: &$built, from: V, n: usize, radius: V::Scalar) -> Found<V> {
                nearest!(built, from, n, radius, Handle::slot)
            }
        }
    };
}

by_index!(Bulk, Orthtree<T>, T, [V: Vector, T: Distance<Vector = V> + Clone + Sync], |items, _scale| {
    let tree = Orthtree::new(items);
    assert_eq!(tree.len(), items.len());
    tree
});

by_index!(Cells, CellList<V>, V, [V: Vector], |items, scale| {
    // Cells of about two steps, in the scalar at hand above zero.
    let size: V::Scalar = Scalar::from_f64(scale.step() * 2.0);
    CellList::new(items, size.larger(V::Scalar::ZERO.next_up()))
});

by_handle!(Loose, LooseOrthtree<T>, T, [V: Vector, T: Distance<Vector = V> + Clone + Sync], |items| {
    let mut tree = LooseOrthtree::new();
    for (i, item) in items.iter().enumerate() {
        assert_eq!(tree.insert(item.clone()).slot(), i);
    }
    tree
});

by_handle!(World, Broadphase<V>, Volume<V>, [V: Vector], |items| {
    let mut world = Broadphase::new();
    for (i, &item) in items.iter().enumerate() {
        assert_eq!(world.insert(item, Motion::Dynamic).slot(), i);
    }
    world
});

fn sorted(mut indices: Vec<usize>) -> Vec<usize> {
    indices.sort_unstable();
    indices
}

/// What the scan answers, in every form.
fn scanned<T, R>(items: &[T], region: &R) -> Vec<usize>
where
    T: Distance<Vector = R::Vector> + Clone + Sync,
    R: Region + Overlaps<T> + Sync + Clone,
{
    let scan = Linear::new(items);
    let scanned: Vec<usize> = answer!(scan, region, |i| i, |i| i as usize);
    let expected: Vec<usize> = (0..items.len())
        .filter(|&i| region.overlaps(&items[i]))
        .collect();
    assert_eq!(scanned, expected, "the scan");
    expected
}

/// The nearest of all items, and of those within a radius, which the scan finds too.
fn all_nearest<V, T>(items: &[T], from: V, n: usize, radius: V::Scalar) -> Found<V>
where
    V: Vector,
    T: Distance<Vector = V> + Clone + Sync,
{
    let scan = Linear::new(items);
    let mut all: Found<V> = items
        .iter()
        .map(|item| item.distance_sq(from))
        .enumerate()
        .collect();
    all.sort_by(|a, b| a.1.partial_cmp(&b.1).unwrap().then(a.0.cmp(&b.0)));
    all.truncate(n);
    all.retain(|found| found.1 <= radius * radius);
    assert_eq!(nearest!(scan, from, n, radius, |i| i), all, "the scan");
    all
}

/// Asks a structure for its nearest items, and compares with the scan.
fn check_nearest<V, S, T>(built: &S::Built, items: &[T], raw: &Raw, scale: Scale, n: usize)
where
    V: Vector,
    T: Distance<Vector = V> + Clone + Sync,
    S: Structure<V, T>,
{
    let from: V = place(raw, scale);
    let radius = Scalar::from_f64(scale.step() * f64::from(raw.1[0]));
    for radius in [V::Scalar::INFINITY, radius] {
        let expected = all_nearest(items, from, n, radius);
        assert_eq!(S::nearest(built, from, n, radius), expected, "nearest");
    }
}

/// Builds a structure of items, asks it for a region, and compares with the scan.
pub(crate) fn check<V, S, I, R>()
where
    V: Vector,
    I: Make<V>,
    I::Shape: Distance<Vector = V> + Clone + Debug + Sync,
    R: Make<V>,
    R::Shape: Region<Vector = V> + Overlaps<I::Shape> + Sync + Clone,
    S: Structure<V, I::Shape>,
{
    run_cases(&|items, regions, scale, n| {
        let items: Vec<_> = items.iter().map(|raw| I::make(raw, scale)).collect();
        let built = S::build(&items, scale);
        let again = S::build(&items, scale);
        let mut turned = items.clone();
        turned.reverse();
        let turned = S::build(&turned, scale);
        for raw in regions {
            let region = R::make(raw, scale);
            let expected = scanned(&items, &region);
            let answer = S::answer(&built, region.clone());
            assert_eq!(answer, S::answer(&again, region.clone()), "built twice");
            assert_eq!(sorted(answer), expected);
            let other = S::answer(&turned, region).into_iter();
            let other = other.map(|i| items.len() - 1 - i).collect();
            assert_eq!(sorted(other), expected, "turned");
            check_nearest::<V, S, I::Shape>(&built, &items, raw, scale, n);
        }
    });
}

/// What holds of items, regions, their scale, and a number.
type Law<'a> = &'a dyn Fn(&[Raw], &[Raw], Scale, usize);

/// Runs a law. Apart from what it is about: so it is compiled once, not for each of hundreds.
fn run_cases(law: Law) {
    let input = (
        raws(90),
        proptest::collection::vec(raw(), 1..6),
        scale(),
        0..12usize,
    );
    proptest!(cases(96), |((items, regions, scale, n) in input)| {
        law(&items, &regions, scale, n);
    });
}
