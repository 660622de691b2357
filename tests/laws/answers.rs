//! Laws 1, 2 and 3: what a structure answers, in every form.

use std::fmt::Debug;
use std::ops::ControlFlow;

use crate::make::{Make, Raw, Scale, place};
use crate::runner::each_question;
use orthant::{
    Bounded, Broadphase, CellList, Distance, Handle, Linear, Lists, LooseOrthtree, Motion, Nearest,
    Orthtree, Overlaps, Region, Scalar, Vector, Volume,
};

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

/// All forms of one answer, with items named as the structure names them (`K`), or lists them (`L`).
struct Forms<K, L> {
    query: Vec<K>,
    folded: Vec<K>,
    first: Option<K>,
    rest: usize,
    visited: Vec<K>,
    broke: bool,
    count: usize,
    batch: Lists<L>,
}

/// Asks in all forms. This is what is compiled for each structure, item and region, hence little.
macro_rules! forms {
    ($built:ident, $region:ident) => {{
        let mut query = Vec::new();
        for key in $built.query($region.clone()) {
            query.push(key);
        }
        let mut folded = Vec::new();
        $built
            .query($region.clone())
            .fold((), |(), key| folded.push(key));
        let mut begun = $built.query($region.clone());
        let first = begun.next();
        let rest = begun.count();
        let mut visited = Vec::new();
        let end = $built.visit($region.clone(), |key| until_third(&mut visited, key));
        let broke = end.is_break();
        let count = $built.count($region.clone());
        let batch = $built.query_batch(&[$region.clone(), $region]);
        Forms {
            query,
            folded,
            first,
            rest,
            visited,
            broke,
            count,
            batch,
        }
    }};
}

fn until_third<K>(visited: &mut Vec<K>, key: K) -> ControlFlow<()> {
    visited.push(key);
    if visited.len() == 3 {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}

impl<K: Copy + Debug + PartialEq, L: Copy> Forms<K, L> {
    /// What all forms agree on, in order.
    fn agreed(self, index: fn(K) -> usize, key: fn(L) -> K) -> Vec<usize> {
        let query = self.query;
        assert_eq!(query, self.folded, "fold");
        // An iterator that was begun by `next` goes on with `count`.
        assert_eq!(self.first, query.first().copied(), "next");
        let first = usize::from(self.first.is_some());
        assert_eq!(self.rest + first, query.len(), "count after next");
        assert_eq!(self.visited, query[..query.len().min(3)], "visit");
        assert_eq!(self.broke, query.len() >= 3, "visit breaks");
        assert_eq!(self.count, query.len(), "count");
        assert_eq!(self.batch.len(), 2);
        for list in self.batch.iter() {
            let keys: Vec<_> = list.iter().copied().map(key).collect();
            assert_eq!(keys, query, "batch");
        }
        query.into_iter().map(index).collect()
    }
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

fn plain<K, V: Vector>(found: Vec<Nearest<K, V::Scalar>>, index: fn(K) -> usize) -> Found<V> {
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
                forms!(built, region).agreed(|i| i, |i| i as usize)
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
                forms!(built, region).agreed(Handle::slot, |handle| handle)
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

/// What the scan answers, in every form: what each item answers.
fn scanned<T, R>(items: &[T], region: R) -> Vec<usize>
where
    T: Distance<Vector = R::Vector> + Clone + Sync,
    R: Region + Overlaps<T> + Sync + Clone,
{
    let mut expected = Vec::new();
    for (i, item) in items.iter().enumerate() {
        if region.overlaps(item) {
            expected.push(i);
        }
    }
    let scan = Linear::new(items);
    let scanned = forms!(scan, region).agreed(|i| i, |i| i as usize);
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

/// A structure of some items, one more of the same, and one of them from the last to the first.
struct Scene<T, B> {
    items: Vec<T>,
    built: B,
    again: B,
    turned: B,
}

fn scene<V, S, I>(raws: &[Raw], scale: Scale) -> Scene<I::Shape, S::Built>
where
    V: Vector,
    I: Make<V>,
    I::Shape: Bounded<Vector = V>,
    S: Structure<V, I::Shape>,
{
    let items: Vec<_> = raws.iter().map(|raw| I::make(raw, scale)).collect();
    let (built, again) = (S::build(&items, scale), S::build(&items, scale));
    let mut turned = items.clone();
    turned.reverse();
    let turned = S::build(&turned, scale);
    Scene {
        items,
        built,
        again,
        turned,
    }
}

/// Compares the answers of the three structures of a scene with that of the scan.
fn agree(expected: &[usize], built: Vec<usize>, again: &[usize], turned: &[usize], many: usize) {
    assert_eq!(built, again, "built twice");
    assert_eq!(sorted(built), expected);
    let turned = turned.iter().map(|i| many - 1 - i).collect();
    assert_eq!(sorted(turned), expected, "turned");
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
    each_question(&|raws, regions, scale, n| {
        let scene = scene::<V, S, I>(raws, scale);
        for raw in regions {
            let region = R::make(raw, scale);
            agree(
                &scanned(&scene.items, region.clone()),
                S::answer(&scene.built, region.clone()),
                &S::answer(&scene.again, region.clone()),
                &S::answer(&scene.turned, region),
                raws.len(),
            );
            check_nearest::<V, S, I::Shape>(&scene.built, &scene.items, raw, scale, n);
        }
    });
}
