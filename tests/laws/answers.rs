//! Laws 1, 2 and 3: the answers of a structure, in every form.

use std::fmt::Debug;
use std::ops::ControlFlow;

use crate::make::{Make, Raw, Scale, place};
use crate::runner::each_question;
use orthant::{
    Bounded, Broadphase, CellLevels, CellList, Distance, InstructionSet, Key, Linear, Lists,
    LooseOrthtree, Motion, Orthtree, Overlaps, Reach, Region, Scalar, SpatialIndex, Sphere,
    SphereTree, Vector, Volume,
};

type Found<V> = Vec<(usize, <V as Vector>::Scalar)>;

/// A kind of structure, and how it is built from items.
pub(crate) trait Structure<V: Vector, T: Bounded<Vector = V>> {
    type Index: SpatialIndex<Vector = V, Item = T> + Sync;
    fn build(items: &[T], scale: Scale) -> Self::Index;
}

/// All forms of one answer, with items named as the structure names them.
struct Forms<K: Key> {
    query: Vec<K>,
    folded: Vec<K>,
    first: Option<K>,
    rest: usize,
    visited: Vec<K>,
    broke: bool,
    count: usize,
    batch: Lists<K::Packed>,
}

/// Runs a query in all forms. It is compiled for each structure, item and region, so it is short.
fn forms<S, R>(index: &S, region: R) -> Forms<S::Key>
where
    S: SpatialIndex + Sync,
    R: Region<Vector = S::Vector> + Overlaps<S::Item> + Sync + Clone,
{
    let mut query = Vec::new();
    for key in index.query(region.clone()) {
        query.push(key);
    }
    let mut folded = Vec::new();
    let again = index.query(region.clone());
    again.fold((), |(), key| folded.push(key));
    let mut begun = index.query(region.clone());
    let first = begun.next();
    let rest = begun.count();
    let mut visited = Vec::new();
    let end = index.visit(region.clone(), |key| until_third(&mut visited, key));
    let broke = end.is_break();
    let count = index.count(region.clone());
    let batch = index.query_batch(&[region.clone(), region]);
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
}

fn until_third<K>(visited: &mut Vec<K>, key: K) -> ControlFlow<()> {
    visited.push(key);
    if visited.len() == 3 {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}

impl<K: Key> Forms<K> {
    /// Checks that all forms agree, in order, and returns their answer, with items named by their index.
    fn agreed(self) -> Vec<usize> {
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
            let keys: Vec<_> = list.iter().collect();
            assert_eq!(keys, query, "batch");
        }
        query.into_iter().map(K::slot).collect()
    }
}

/// Returns the nearest items, in all forms, which must agree.
fn nearest<S>(
    index: &S,
    from: S::Vector,
    n: usize,
    radius: <S::Vector as Vector>::Scalar,
) -> Found<S::Vector>
where
    S: SpatialIndex<Item: Distance>,
{
    let all = index.nearest_n(from, n);
    let first = index.nearest(from);
    assert!(n == 0 || first == all.first().copied(), "nearest");
    assert!(
        index.by_distance(from).take(n).eq(all.iter().copied()),
        "by distance"
    );
    let found = index.nearest_n_within(from, n, radius);
    assert_eq!(found, all[..found.len()], "within");
    let found = found.into_iter();
    found.map(|n| (n.item.slot(), n.distance_sq)).collect()
}

pub(crate) struct Bulk;

impl<V: Vector, T: Distance<Vector = V> + Clone + Sync> Structure<V, T> for Bulk {
    type Index = Orthtree<T>;
    fn build(items: &[T], _: Scale) -> Orthtree<T> {
        let tree = Orthtree::new(items);
        tree.validate().unwrap();
        tree
    }
}

pub(crate) struct Cells;

impl<V: Vector> Structure<V, V> for Cells {
    type Index = CellList<V>;
    fn build(items: &[V], scale: Scale) -> CellList<V> {
        // Cells are about two steps wide, and wider than zero in the scalar.
        let size: V::Scalar = Scalar::from_f64(scale.step() * 2.0);
        let cells = CellList::new(items, size.larger(V::Scalar::ZERO.next_up()));
        cells.validate().unwrap();
        cells
    }
}

/// Points with radii over many octaves, which must not matter.
pub(crate) struct Levels;

impl<V: Vector> Structure<V, V> for Levels {
    type Index = CellLevels<V>;
    fn build(items: &[V], scale: Scale) -> CellLevels<V> {
        let radius = |i: usize| Scalar::from_f64(scale.step() * [0.5, 2.0, 7.0, 0.0][i % 4]);
        let radii: Vec<V::Scalar> = (0..items.len()).map(radius).collect();
        let levels = CellLevels::new(items, &radii, Reach::Sum);
        levels.validate().unwrap();
        levels
    }
}

/// The balls of one body, in a sphere tree.
pub(crate) struct OneBody;

impl<V: Vector> Structure<V, Sphere<V>> for OneBody {
    type Index = SphereTree<V>;
    fn build(items: &[Sphere<V>], _: Scale) -> SphereTree<V> {
        SphereTree::new(items)
    }
}

/// Chooses an instruction set by a number, so that different numbers cover all sets.
pub(crate) fn set_for(number: usize) -> InstructionSet {
    let sets: Vec<_> = InstructionSet::available().collect();
    sets[number % sets.len()]
}

pub(crate) struct Loose;

impl<V: Vector, T: Distance<Vector = V> + Clone + Sync> Structure<V, T> for Loose {
    type Index = LooseOrthtree<T>;
    fn build(items: &[T], _: Scale) -> LooseOrthtree<T> {
        let mut tree = LooseOrthtree::new().with_instructions(set_for(items.len()));
        for (i, item) in items.iter().enumerate() {
            assert_eq!(tree.insert(item.clone()).slot(), i);
        }
        tree.validate().unwrap();
        tree
    }
}

pub(crate) struct World;

impl<V: Vector> Structure<V, Volume<V>> for World {
    type Index = Broadphase<V>;
    fn build(items: &[Volume<V>], _: Scale) -> Broadphase<V> {
        let mut world = Broadphase::new();
        for (i, &item) in items.iter().enumerate() {
            assert_eq!(world.insert(item, Motion::Dynamic).slot(), i);
        }
        world.validate().unwrap();
        world
    }
}

fn sorted(mut indices: Vec<usize>) -> Vec<usize> {
    indices.sort_unstable();
    indices
}

/// Checks that the scan answers in every form what each item answers, and returns its answer.
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
    let scanned = forms(&scan, region).agreed();
    assert_eq!(scanned, expected, "the scan");
    expected
}

/// Sorts items by distance, ties by index.
pub(crate) fn sort_by_distance<X: Scalar>(found: &mut [(usize, X)]) {
    found.sort_by(|a, b| a.1.partial_cmp(&b.1).unwrap().then(a.0.cmp(&b.0)));
}

/// Returns the nearest of all items, and of those within a radius; the scan must find them too.
fn all_nearest<V, T>(items: &[T], from: V, n: usize, radius: V::Scalar) -> Found<V>
where
    V: Vector,
    T: Distance<Vector = V> + Clone + Sync,
{
    let scan = Linear::new(items);
    let mut all = Vec::new();
    for (i, item) in items.iter().enumerate() {
        all.push((i, item.distance_sq(from)));
    }
    sort_by_distance(&mut all);
    all.truncate(n);
    all.retain(|found| found.1 <= radius * radius);
    assert_eq!(nearest(&scan, from, n, radius), all, "the scan");
    all
}

/// Compares a structure's nearest items with those of the scan.
fn check_nearest<V, S, T>(built: &S::Index, items: &[T], raw: &Raw, scale: Scale, n: usize)
where
    V: Vector,
    T: Distance<Vector = V> + Clone + Sync,
    S: Structure<V, T>,
{
    let from: V = place(raw, scale);
    let radius = Scalar::from_f64(scale.step() * f64::from(raw.1[0]));
    for radius in [V::Scalar::INFINITY, radius] {
        let expected = all_nearest(items, from, n, radius);
        assert_eq!(nearest(built, from, n, radius), expected, "nearest");
    }
}

/// Structures of some items: one, a second one of the same items, and one of the items in reverse order.
struct Scene<T, B> {
    items: Vec<T>,
    built: B,
    again: B,
    turned: B,
}

fn scene<V, S, I>(raws: &[Raw], scale: Scale) -> Scene<I::Shape, S::Index>
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

/// Builds a structure of items, queries it with a region, and compares with the scan.
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
                forms(&scene.built, region.clone()).agreed(),
                &forms(&scene.again, region.clone()).agreed(),
                &forms(&scene.turned, region).agreed(),
                raws.len(),
            );
            check_nearest::<V, S, I::Shape>(&scene.built, &scene.items, raw, scale, n);
        }
    });
}
