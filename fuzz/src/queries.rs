//! Compares each structure with tests of the items one by one.

use std::fmt::Debug;
use std::ops::ControlFlow;

use orthant::{
    Broadphase, CellLevels, CellList, Chebyshev, Distance, DistanceBy, Hollow, InstructionSet, Key,
    Linear, LooseOrthtree, Manhattan, Orthtree, Overlaps, Reach, Scalar, SpatialIndex, SphereTree,
    Vector, Weighted,
};

use crate::draw::Draw;
use crate::shapes::{AnyRegion, Ask, Room, ball, body, cuboid, region, volume, weights};

/// Fuzzes every structure of items of one kind, with regions of every kind and the nearest.
pub fn queries(data: &[u8]) {
    let mut draw = Draw::new(data);
    match draw.below(4) {
        0 => of_some_kind::<[f32; 2]>(&mut draw),
        1 => of_some_kind::<[f64; 2]>(&mut draw),
        2 => of_some_kind::<[f64; 3]>(&mut draw),
        _ => of_some_kind::<[f32; 3]>(&mut draw),
    }
}

fn of_some_kind<V: Room>(draw: &mut Draw) {
    match draw.below(6) {
        0 | 1 => {
            let points = draw.several(40, Draw::place::<V>);
            let questions = Questions::new(draw, &points);
            let radius: V::Scalar = draw.positive();
            // A list is refused if its cells are too many to be numbered.
            if let Ok(cells) = CellList::try_new(&points, radius) {
                cells.validate().unwrap();
                questions.check(&cells.with_instructions(instructions(draw)));
            }
            let radii: Vec<V::Scalar> = points.iter().map(|_| draw.length()).collect();
            let reach = draw.of(&[Reach::Sum, Reach::Larger]);
            if let Ok(levels) = CellLevels::try_new(&points, &radii, reach) {
                levels.validate().unwrap();
                questions.check(&levels.with_instructions(instructions(draw)));
            }
            in_trees(draw, &questions);
        }
        2 => {
            let boxes = draw.several(40, cuboid::<V>);
            let questions = Questions::new(draw, &boxes);
            in_trees(draw, &questions);
        }
        3 => {
            let balls = draw.several(40, ball::<V>);
            let questions = Questions::new(draw, &balls);
            let tree = SphereTree::new(&balls);
            questions.check(&tree);
            questions.check(&tree.lies());
            in_trees(draw, &questions);
        }
        4 => {
            let boxes = draw.several(40, |draw| Hollow(cuboid::<V>(draw)));
            let questions = Questions::new(draw, &boxes);
            in_trees(draw, &questions);
        }
        _ => {
            let volumes = draw.several(40, volume::<V>);
            let questions = Questions::new(draw, &volumes);
            let mut world = Broadphase::new().with_margin(draw.length());
            let update = draw.below(volumes.len() + 1);
            for (i, &volume) in volumes.iter().enumerate() {
                world.insert(volume, body(draw));
                if i == update {
                    world.update();
                }
            }
            world.validate().unwrap();
            questions.check(&world);
            in_trees(draw, &questions);
        }
    }
}

/// Draws an instruction set of the machine.
pub(crate) fn instructions(draw: &mut Draw) -> InstructionSet {
    let all: Vec<_> = InstructionSet::available().collect();
    draw.of(&all)
}

/// Items, a query, and the answer of each item.
struct Questions<V: Vector, T: orthant::Bounded<Vector = V>> {
    items: Vec<T>,
    regions: Vec<AnyRegion<V>>,
    hits: Vec<Vec<usize>>,
    places: Vec<(V, usize, V::Scalar)>,
    weights: Weighted<V>,
}

type Near<S> = Vec<(usize, S)>;

impl<V, T> Questions<V, T>
where
    V: Room,
    T: Distance<Vector = V>
        + DistanceBy<Manhattan>
        + DistanceBy<Chebyshev>
        + DistanceBy<Weighted<V>>,
    T: Clone + Debug + Sync,
    dyn Ask<V> + 'static: Overlaps<T>,
    for<'r> &'r (dyn Ask<V> + 'static): Overlaps<T>,
{
    fn new(draw: &mut Draw, items: &[T]) -> Self {
        let mut regions = Vec::new();
        for _ in 0..1 + draw.below(4) {
            regions.push(region::<V>(draw));
        }
        let hits = regions.iter().map(|region| {
            let hit = |i: &usize| Overlaps::<T>::overlaps(&**region, &items[*i]);
            (0..items.len()).filter(hit).collect()
        });
        let hits = hits.collect();
        let numbers = [0, 1, 2, 3, 8, 15, 16, 17, 33, 64, usize::MAX];
        let places =
            (0..1 + draw.below(2)).map(|_| (draw.place(), draw.of(&numbers), draw.length()));
        let questions = Self {
            places: places.collect(),
            items: items.to_vec(),
            regions,
            hits,
            weights: weights(draw),
        };
        questions.check(&Linear::new(items));
        questions
    }

    fn check<S>(&self, index: &S)
    where
        S: SpatialIndex<Vector = V> + Sync,
        S::Item: Distance<Vector = V>
            + DistanceBy<Manhattan>
            + DistanceBy<Chebyshev>
            + DistanceBy<Weighted<V>>,
        for<'r> &'r (dyn Ask<V> + 'static): Overlaps<S::Item>,
    {
        assert_eq!(index.len(), self.items.len());
        let regions: Vec<&(dyn Ask<V> + 'static)> =
            self.regions.iter().map(|region| &**region).collect();
        let batch = index.query_batch(&regions);
        for (i, (&region, hits)) in regions.iter().zip(&self.hits).enumerate() {
            let mut found: Vec<S::Key> = Vec::new();
            for key in index.query(region) {
                found.push(key);
            }
            assert_eq!(index.count(region), found.len(), "count {region:?}");
            let mut rest = index.query(region);
            let first = rest.next();
            assert_eq!(first, found.first().copied());
            assert_eq!(rest.count() + usize::from(first.is_some()), found.len());
            let mut visited = Vec::new();
            let _ = index.visit(region, |key| {
                visited.push(key);
                if visited.len() == 3 {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
            assert_eq!(visited, found[..found.len().min(3)], "visit {region:?}");
            assert!(
                batch.list(i).iter().eq(found.iter().copied()),
                "batch {region:?}"
            );
            let mut slots: Vec<usize> = found.into_iter().map(Key::slot).collect();
            slots.sort_unstable();
            assert_eq!(&slots, hits, "{region:?} of {:?}", self.items);
        }
        for &(from, n, radius) in &self.places {
            self.check_nearest(index, from, n, radius);
        }
        let from: Vec<V> = self.places.iter().map(|place| place.0).collect();
        let lists = index.nearest_n_batch(&from, 5);
        for (i, &from) in from.iter().enumerate() {
            assert!(
                lists.list(i).eq(index.nearest_n(from, 5)),
                "batch from {from:?}"
            );
        }
    }

    fn check_nearest<S>(&self, index: &S, from: V, n: usize, radius: V::Scalar)
    where
        S: SpatialIndex<Vector = V> + Sync,
        S::Item: Distance<Vector = V>
            + DistanceBy<Manhattan>
            + DistanceBy<Chebyshev>
            + DistanceBy<Weighted<V>>,
    {
        let far = ranked(self.items.iter().map(|item| item.distance_sq(from)), n);
        let near = index.nearest_n(from, n);
        assert_eq!(pairs(&near), far, "nearest {n} from {from:?}");
        assert!(n == 0 || index.nearest(from) == near.first().copied());
        assert!(index.by_distance(from).take(n).eq(near.iter().copied()));
        let within: Near<V::Scalar> = far
            .into_iter()
            .filter(|near| near.1 <= radius * radius)
            .collect();
        assert_eq!(
            pairs(&index.nearest_n_within(from, n, radius)),
            within,
            "within {radius} of {from:?}"
        );

        macro_rules! by_norm {
            ($norm:expr) => {{
                let norm = $norm;
                let far = ranked(self.items.iter().map(|item| item.measure(&norm, from)), n);
                let asked = index.by_norm(norm);
                let near = asked.nearest_n(from, n);
                let slots: Vec<usize> = near.iter().map(|near| near.item.slot()).collect();
                assert!(
                    slots.into_iter().eq(far.iter().map(|far| far.0)),
                    "{norm:?} from {from:?}"
                );
            }};
        }
        by_norm!(Manhattan);
        by_norm!(Chebyshev);
        by_norm!(self.weights);
    }
}

/// Returns the least measures, with ties by index.
fn ranked<S: Scalar>(measures: impl Iterator<Item = S>, n: usize) -> Near<S> {
    let mut all: Near<S> = measures.enumerate().collect();
    all.sort_by(|a, b| a.1.partial_cmp(&b.1).unwrap().then(a.0.cmp(&b.0)));
    all.truncate(n);
    all
}

fn pairs<K: Key, S: Scalar>(near: &[orthant::Nearest<K, S>]) -> Near<S> {
    near.iter()
        .map(|near| (near.item.slot(), near.distance_sq))
        .collect()
}

fn in_trees<V, T>(draw: &mut Draw, questions: &Questions<V, T>)
where
    V: Room,
    T: Distance<Vector = V>
        + DistanceBy<Manhattan>
        + DistanceBy<Chebyshev>
        + DistanceBy<Weighted<V>>,
    T: Clone + Debug + PartialEq + Sync,
    dyn Ask<V> + 'static: Overlaps<T>,
    for<'r> &'r (dyn Ask<V> + 'static): Overlaps<T>,
{
    let items = &questions.items;
    let mut tree = Orthtree::new(items).with_instructions(instructions(draw));
    if draw.one_in(4) {
        tree = Orthtree::new(&items[items.len() / 2..]);
        tree.rebuild(items).unwrap();
    }
    tree.validate().unwrap();
    questions.check(&tree);
    assert_eq!(&tree.items(), items);
    let mut loose = LooseOrthtree::new();
    let batch = draw.below(items.len() + 1);
    if draw.one_in(2) {
        loose.insert_batch(items[..batch].iter().cloned());
        loose.insert_batch(items[batch..].iter().cloned());
    } else {
        for item in items {
            loose.insert(item.clone());
        }
    }
    loose.validate().unwrap();
    questions.check(&loose);
}
