//! Laws of the nearest items: no instruction set changes them, the radii that they report reach them, and those nearest to boxes and balls are
//! the scan's.

use std::fmt::Debug;

use orthant::{
    Bounded, Chebyshev, Distance, DistanceBy, InstructionSet, Key, Linear, LooseOrthtree,
    Manhattan, Norm, NormBall, Orthtree, Overlaps, RoundedBox, Scalar, SpatialIndex, Sphere,
    Vector, Weighted,
};
use proptest::prelude::*;

use crate::answers::{Structure, sort_by_distance};
use crate::make::{Ball, Body, Brick, Make, Point, Raw, Scale, place};
use crate::runner::each_search;

pub(crate) fn check<V, I>()
where
    V: Vector,
    I: Make<V>,
    I::Shape: Distance<Vector = V> + Debug + Sync,
{
    each_search(&|items, places, scale, n| {
        let items: Vec<_> = items.iter().map(|raw| I::make(raw, scale)).collect();
        let scan = Linear::new(&items);
        let mut tree = Orthtree::new(&items);
        let mut loose: LooseOrthtree<_> = items.iter().cloned().collect();
        for set in InstructionSet::available() {
            tree = tree.with_instructions(set);
            loose = loose.with_instructions(set);
            for raw in places {
                let from: V = place(raw, scale);
                prop_assert_eq!(tree.nearest(from), scan.nearest(from), "{}", set);
                prop_assert_eq!(tree.nearest_n(from, n), scan.nearest_n(from, n), "{}", set);
                let found = loose.nearest_n(from, n).into_iter();
                let found: Vec<_> = found.map(|n| (n.item.slot(), n.distance_sq)).collect();
                let expected = scan.nearest_n(from, n).into_iter();
                let expected: Vec<_> = expected.map(|n| (n.item, n.distance_sq)).collect();
                prop_assert_eq!(found, expected, "{}", set);
                let radius = Scalar::from_f64(scale.step() * f64::from(raw.1[0]));
                let found = tree.nearest_n_within(from, n, radius);
                prop_assert_eq!(found, scan.nearest_n_within(from, n, radius), "{}", set);
            }
        }
        Ok(())
    });
}

fn in_order(mut keys: Vec<usize>) -> Vec<usize> {
    keys.sort_unstable();
    keys
}

/// The reported radius of a found item reaches it, in queries and among the nearest, and a search by distance up to a radius stops where a query
/// with that radius ends. With `is_exact`, queries compare items by the same squares, so they find no more items either; balls and bodies are
/// compared by the sum of two radii.
pub(crate) fn reaches<V, S, I>(is_exact: bool)
where
    V: Vector,
    I: Make<V>,
    I::Shape: Distance<Vector = V> + Clone + Debug + Sync,
    Sphere<V>: Overlaps<I::Shape>,
    S: Structure<V, I::Shape>,
{
    each_search(&|items, places, scale, _| {
        let items: Vec<_> = items.iter().map(|raw| I::make(raw, scale)).collect();
        let built = S::build(&items, scale);
        for raw in places {
            let from: V = place(raw, scale);
            let all: Vec<_> = built.by_distance(from).collect();
            prop_assert_eq!(all.len(), items.len());
            for near in all.iter().step_by(all.len() / 5 + 1) {
                let (radius, item) = (near.radius(), near.item);
                prop_assert!(
                    built
                        .query(Sphere::new(from, radius))
                        .any(|key| key == item)
                );
                let within = built.nearest_n_within(from, usize::MAX, radius);
                prop_assert!(within.iter().any(|found| found.item == item));
            }
            for radius in radii(raw, scale, all.first().map(orthant::Nearest::radius)) {
                let taken = all.iter().take_while(|near| near.radius() <= radius);
                let taken: Vec<_> = taken.copied().collect();
                prop_assert_eq!(built.nearest_n_within(from, usize::MAX, radius), &taken[..]);
                let taken = in_order(taken.iter().map(|near| near.item.slot()).collect());
                let found = built.query(Sphere::new(from, radius));
                let found = in_order(found.map(Key::slot).collect());
                if is_exact {
                    prop_assert_eq!(found, taken);
                } else {
                    prop_assert!(taken.iter().all(|key| found.binary_search(key).is_ok()));
                }
            }
        }
        Ok(())
    });
}

/// Returns radii on the lattice, and radii about that of the nearest item.
fn radii<S: Scalar>(raw: &Raw, scale: Scale, nearest: Option<S>) -> Vec<S> {
    let nearest = nearest.unwrap_or(S::ZERO);
    let lattice = S::from_f64(scale.step() * f64::from(raw.1[0]));
    vec![
        lattice,
        nearest.next_up(),
        nearest.next_down().larger(S::ZERO),
    ]
}

/// The reported radius of an item that was found by a norm reaches it.
pub(crate) fn reaches_by_norms<V, S, I>()
where
    V: Vector,
    I: Make<V>,
    I::Shape: DistanceBy<Manhattan>
        + DistanceBy<Chebyshev>
        + DistanceBy<Weighted<V>>
        + Distance<Vector = V>
        + Clone
        + Debug
        + Sync,
    NormBall<V, Manhattan>: Overlaps<I::Shape>,
    NormBall<V, Chebyshev>: Overlaps<I::Shape>,
    NormBall<V, Weighted<V>>: Overlaps<I::Shape>,
    S: Structure<V, I::Shape>,
{
    each_search(&|items, places, scale, _| {
        let items: Vec<_> = items.iter().map(|raw| I::make(raw, scale)).collect();
        let built = S::build(&items, scale);
        let weighted = Weighted::new(V::from_fn(|a| Scalar::from_f64([0.3, 1.0, 7.0][a % 3])));
        for raw in places {
            let from: V = place(raw, scale);
            reaches_by(&built, from, Manhattan)?;
            reaches_by(&built, from, Chebyshev)?;
            reaches_by(&built, from, weighted)?;
        }
        Ok(())
    });
}

fn reaches_by<S, N>(built: &S, from: S::Vector, norm: N) -> Result<(), TestCaseError>
where
    S: SpatialIndex<Item: DistanceBy<N>>,
    N: Norm<S::Vector>,
    NormBall<S::Vector, N>: Overlaps<S::Item>,
{
    for near in built.by_norm(norm).nearest_n(from, 3) {
        let ball = NormBall::new(from, near.radius, norm);
        prop_assert!(built.query(ball).any(|key| key == near.item));
        let within = built
            .by_norm(norm)
            .nearest_n_within(from, usize::MAX, near.radius);
        prop_assert!(within.iter().any(|found| found.item == near.item));
    }
    Ok(())
}

/// Returns the squared distance of one item from a shape, by a scan of this item alone.
fn apart_sq<T: Bounded + Clone>(
    item: T,
    shape: RoundedBox<T::Vector>,
) -> <T::Vector as Vector>::Scalar {
    Linear::new(&[item]).nearest_to(shape).unwrap().distance_sq
}

/// The nearest items to points, boxes and balls are those of the scan, with ties by key. The distance between two shapes is the same from either
/// one, and a point has the distances of `nearest`.
pub(crate) fn check_shapes<V, S, I>()
where
    V: Vector,
    I: Make<V>,
    I::Shape: Distance<Vector = V> + Into<RoundedBox<V>> + Copy + Debug + Sync,
    S: Structure<V, I::Shape>,
{
    each_search(&|raws, places, scale, n| {
        let items: Vec<I::Shape> = raws.iter().map(|raw| I::make(raw, scale)).collect();
        let index = S::build(&items, scale);
        for raw in places {
            let shapes: [RoundedBox<V>; 4] = [
                <Point as Make<V>>::make(raw, scale).into(),
                <Brick as Make<V>>::make(raw, scale).into(),
                <Ball as Make<V>>::make(raw, scale).into(),
                <Body as Make<V>>::make(raw, scale).into(),
            ];
            for shape in shapes {
                let distances = items.iter().map(|item| apart_sq(*item, shape));
                let mut all: Vec<(usize, V::Scalar)> = distances.enumerate().collect();
                sort_by_distance(&mut all);
                all.truncate(n);
                let near = index.nearest_n_to(shape, n);
                let found: Vec<_> = near
                    .iter()
                    .map(|n| (n.item.slot(), n.distance_sq))
                    .collect();
                prop_assert_eq!(&found, &all);
                prop_assert!(n == 0 || index.nearest_to(shape) == near.first().copied());
            }
            let point: V = place(raw, scale);
            prop_assert_eq!(index.nearest_to(point), index.nearest(point));
            let one = I::make(raw, scale);
            for &other in &items {
                let there = apart_sq(one, other.into());
                prop_assert_eq!(there, apart_sq(other, one.into()), "symmetry");
            }
        }
        Ok(())
    });
}
