//! What is compiled of cell lists in this crate.

use alloc::vec::Vec;
use core::ops::Range;

use super::ask::{Ask, Pair};
use super::buckets::Buckets;
use super::build::{self, Cells};
use super::pairs;
use super::query::{self, Few, Rows};
use super::region::{self, Parts};
use crate::error::Error;
use crate::kernels::kernels;
use crate::lists::NeighborLists;
use crate::nearest::Closest;
use crate::overlap::Relation;
use crate::overlap::lanes::Plain;
use crate::query::First;
use crate::shape::Aabb;
use crate::simd::Pile;

kernels! {
    /// The work of a [`CellList`](crate::CellList).
    pub trait Kernels {
        /// Sorts points into cells in place of those before.
        fn rebuild(cells: &mut Cells<Self>, points: &[Self]) -> Result<(), Error> = build::rebuild;

        /// Sorts other points into the same cells.
        fn sort(cells: &Cells<Self>, points: &[Self]) -> Result<Buckets<Self>, Error> = build::sort;

        /// Lists what is near each point that asks.
        fn lists(ask: &Ask<'_, Self>, near: &mut NeighborLists) = pairs::lists;

        /// Appends pairs to a list.
        fn pairs(ask: &Ask<'_, Self>, pairs: &mut Vec<[u32; 2]>) = pairs::pairs;

        /// Counts pairs.
        fn count_pairs(ask: &Ask<'_, Self>) -> u64 = pairs::count;

        /// Counts pairs in bins of distances.
        fn count_in_bins(ask: &Ask<'_, Self>, ends: &[Self::Scalar]) -> Vec<u64> = pairs::count_in_bins;

        /// Hands on the pairs of one point after the other.
        fn each_pair(ask: &Ask<'_, Self>, f: &mut dyn FnMut(&[Pair<Self>])) = pairs::each;

        /// A region with the cells around it, if they are few.
        fn around(cells: &Cells<Self>, region: Plain<Self>) -> Option<Few<Self>> = query::around;

        /// Appends points that overlap, as long as sixteen fit.
        fn fill(cells: &Cells<Self>, few: &Few<Self>, left: &mut Rows<Self>, to: &mut Pile<'_>) = query::fill;

        /// Counts points that overlap.
        fn count(cells: &Cells<Self>, few: &Few<Self>, left: &mut Rows<Self>) -> usize = query::count;

        /// The next run of a walk, and whether it lies inside the region.
        fn next_run(
            cells: &Cells<Self>,
            parts: &mut Parts<Self>,
            relate: &dyn Fn(&Aabb<Self>) -> Relation,
        ) -> Option<(Range<u32>, bool)> = region::next_run;

        /// The points nearest to a place.
        fn nearest(
            cells: &Cells<Self>,
            from: Self,
            best: &mut Closest<Self::Scalar, usize>,
        ) = region::nearest_in_cells;

        /// The point that is touched first.
        fn first_touched(
            cells: &Cells<Self>,
            bound: &dyn Fn(&Aabb<Self>) -> Option<Self::Scalar>,
            time: &dyn Fn(&Self) -> Option<Self::Scalar>,
            first: &mut First<Self::Scalar, usize>,
        ) = region::first_in_cells;
    }
}
