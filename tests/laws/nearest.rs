//! Law 3 for the nearest items: no instruction set changes them.

use std::fmt::Debug;

use orthant::{Distance, InstructionSet, Linear, Orthtree, Scalar, SpatialIndex, Vector};
use proptest::prelude::*;

use crate::make::{Make, place};
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
