//! Law 3 for the nearest items: no instruction set changes them. Law 1 for the nearest items to boxes and balls.

use std::fmt::Debug;

use orthant::{
    Distance, DistanceTo, InstructionSet, Key, Linear, Orthtree, RoundedBox, Scalar, SpatialIndex,
    Vector,
};
use proptest::prelude::*;

use crate::answers::Structure;
use crate::make::{Ball, Body, Brick, Make, Point, place};
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
        for set in InstructionSet::available() {
            tree = tree.with_instructions(set);
            for raw in places {
                let from: V = place(raw, scale);
                prop_assert_eq!(tree.nearest(from), scan.nearest(from), "{}", set);
                prop_assert_eq!(tree.nearest_n(from, n), scan.nearest_n(from, n), "{}", set);
                let radius = Scalar::from_f64(scale.step() * f64::from(raw.1[0]));
                let found = tree.nearest_n_within(from, n, radius);
                prop_assert_eq!(found, scan.nearest_n_within(from, n, radius), "{}", set);
            }
        }
        Ok(())
    });
}

/// The nearest items to points, boxes and balls are those of the scan, ties by key; the distance does not depend on which of
/// two shapes is asked; and a point has the distances of `nearest`.
pub(crate) fn check_shapes<V, S, I>()
where
    V: Vector,
    I: Make<V>,
    I::Shape: Distance<Vector = V> + DistanceTo + Into<RoundedBox<V>> + Copy + Debug + Sync,
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
                let distances = items.iter().map(|item| item.distance_sq_to(&shape));
                let mut all: Vec<(usize, V::Scalar)> = distances.enumerate().collect();
                all.sort_by(|a, b| a.1.partial_cmp(&b.1).unwrap().then(a.0.cmp(&b.0)));
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
                let there = one.distance_sq_to(&other.into());
                prop_assert_eq!(there, other.distance_sq_to(&one.into()), "symmetry");
            }
        }
        Ok(())
    });
}
