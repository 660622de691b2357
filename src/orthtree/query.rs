//! Queries of the tree: its [`SpatialIndex`], and its order for callers that divide work.

use alloc::vec::Vec;
use core::ops::{Deref, Range};

use super::{Kernels, Orthtree, QueryPoints, in_columns};
use crate::error::Error;
use crate::lists::{List, Lists, NeighborLists, PART};
use crate::nearest::{Closest, FEW, Nearest, NearestLists};
use crate::overlap::distance::Center;
use crate::overlap::lanes::{Asked, Measure};
use crate::overlap::{Distance, Extent, Overlaps, Region};
use crate::query::{
    Descent, Hierarchy, Key, KeyList, KeyWriter, Query, Search, SlotRun, SpatialIndex,
};
use crate::shape::{Aabb, ArrayOf, Bounded, Layout};
use crate::vector::{Scalar, Vector};
use crate::wide_nodes;
use crate::wide_nodes::nearest::offer;
use crate::wide_nodes::region_query::Cursor;

/// With at least this many items, a batch answers its regions in the order of a tree of their centers, so that one query brings into the
/// cache what the next one needs. With a million points this takes half to three quarters of the time.
const LARGE: usize = 1 << 18;

/// The most frequent queries; [`SpatialIndex`] has all of them.
impl<T: Bounded> Orthtree<T> {
    /// The items that overlap a region, lazily, each once: [`SpatialIndex::query`].
    ///
    /// # Complexity
    ///
    /// O(log n + answer) for items and regions that are not much longer than wide, O(n) at worst.
    #[inline]
    pub fn query<R>(&self, region: R) -> Query<'_, Self, R>
    where
        R: Region<Vector = T::Vector> + Overlaps<T>,
    {
        Query::new(self, region)
    }

    /// The number of items that overlap a region: [`SpatialIndex::count`].
    ///
    /// # Complexity
    ///
    /// The cost of [`query`](Self::query), or less: if there are many, the items of nodes inside the region are not touched.
    #[must_use]
    #[inline]
    pub fn count<R>(&self, region: R) -> usize
    where
        R: Region<Vector = T::Vector> + Overlaps<T>,
    {
        Query::new(self, region).count()
    }

    /// The item nearest to a point; of several, that with the least index: [`SpatialIndex::nearest`].
    ///
    /// # Complexity
    ///
    /// O(log n) for items that are not all equally far.
    #[must_use]
    pub fn nearest(&self, point: T::Vector) -> Option<Nearest<usize, <T::Vector as Vector>::Scalar>>
    where
        T: Distance,
    {
        SpatialIndex::nearest(self, point)
    }
}

impl<T: Bounded> Orthtree<T> {
    /// Returns true if the `n` nearest are searched for sixteen points together.
    pub(super) fn shares_nearest(&self, n: usize) -> bool {
        T::LAYOUT == Layout::Point && n <= FEW && self.core.instructions.is_wide()
    }
}

/// The order of the items, for callers that divide work or memory: items that are close to each other lie together.
impl<T: Bounded> Orthtree<T> {
    /// The indices of all items in the tree's order, which is the order of [`iter`](Self::iter).
    ///
    /// ```
    /// use orthant::{Octree, glam::Vec3};
    /// let points: Vec<Vec3> = (0..32).map(|i| Vec3::X * (i * 7 % 32) as f32).collect();
    /// let tree = Octree::new(&points);
    /// let mut sorted = tree.order().iter().map(|i| points[i]);
    /// assert!(sorted.by_ref().take(16).all(|point| point.x < 16.0));
    /// assert_eq!(sorted.count(), 16);
    /// ```
    ///
    /// # Complexity
    ///
    /// O(1): the list is borrowed.
    #[must_use]
    pub fn order(&self) -> List<'_, u32> {
        List::of(&self.core.indices[..self.core.len])
    }

    /// Divides the items into `parts` runs of [`order`](Self::order), whose lengths differ by at most one. Returns the range of each run
    /// and the box around its items. There are no more runs than items.
    ///
    /// ```
    /// use orthant::{Quadtree, glam::Vec2};
    /// let points: Vec<Vec2> = (0..64).map(|i| Vec2::new((i % 2) as f32 * 9.0, (i / 8) as f32)).collect();
    /// let tree = Quadtree::new(&points);
    /// for (run, cuboid) in tree.cover(2) {
    ///     assert_eq!((run.len(), cuboid.size()), (32, Vec2::Y * 7.0));
    /// }
    /// assert_eq!((tree.cover(99).len(), tree.cover(0).len()), (64, 0));
    /// ```
    ///
    /// # Complexity
    ///
    /// O(n).
    #[must_use]
    pub fn cover(&self, parts: usize) -> Vec<(Range<usize>, Aabb<T::Vector>)> {
        let len = self.core.len;
        let parts = parts.min(len);
        // The product may need more than 64 bits.
        let end = |part: usize| (len as u128 * part as u128 / parts as u128) as usize;
        let run = |part: usize| {
            let run = end(part)..end(part + 1);
            let bounds = |slot: usize| self.item(slot as u32).bounds();
            let first = bounds(run.start);
            let rest = run.start + 1..run.end;
            let all = rest.fold(first, |all, slot| all.union(&bounds(slot)));
            (run, all)
        };
        (0..parts).map(run).collect()
    }
}

impl<T: Bounded> Search<T, usize> for Orthtree<T> {
    type ByBlocks = Asked<ArrayOf<T>>;
    type Cursor = Cursor;
    type Walk = Descent;

    fn extent(&self) -> Option<Extent<T::Vector>> {
        let root = self.core.root()?;
        Some(self.core.extent(root).cast())
    }

    #[inline(always)]
    fn by_blocks<R>(&self, region: &R) -> Option<Asked<ArrayOf<T>>>
    where
        R: Region<Vector = T::Vector> + Overlaps<T>,
    {
        Asked::of(region, T::LAYOUT, self.core.instructions)
    }

    #[inline(always)]
    fn is_done(cursor: &Cursor) -> bool {
        cursor.is_done()
    }

    #[inline]
    fn search(
        &self,
        region: &Asked<ArrayOf<T>>,
        cursor: &mut Cursor,
        to: Option<&mut KeyWriter<'_>>,
    ) -> usize {
        <ArrayOf<T> as wide_nodes::Kernels>::search(&self.core, region, cursor, to)
    }

    #[inline]
    fn search_all(
        &self,
        region: &Asked<ArrayOf<T>>,
        list: Option<&mut Vec<u32>>,
    ) -> Result<usize, Error> {
        <ArrayOf<T> as wide_nodes::Kernels>::search_all(
            &self.core,
            region,
            list.map(KeyList::Indices),
        )
    }

    #[inline]
    fn next_run<R>(&self, region: &R, descent: &mut Descent) -> Option<SlotRun>
    where
        R: Region<Vector = T::Vector> + Overlaps<T>,
    {
        let relate = |extent: &Extent<_>| extent.cast().relate::<T>(region);
        <ArrayOf<T> as wide_nodes::Kernels>::next_run(&self.core, &relate, descent)
    }

    #[inline]
    fn best_first(
        &self,
        bound: impl Fn(&Extent<T::Vector>) -> Option<<T::Vector as Vector>::Scalar>,
        mut offer: impl FnMut(SlotRun) -> <T::Vector as Vector>::Scalar,
    ) {
        let bound = |extent: &Extent<_>| bound(&extent.cast());
        <ArrayOf<T> as wide_nodes::Kernels>::best_first(&self.core, &bound, &mut offer);
    }

    #[inline(always)]
    fn offer_by_kernel(
        &self,
        from: &Center<T::Vector>,
        measure: Option<Measure<T::Vector>>,
        best: &mut Closest<<T::Vector as Vector>::Scalar, usize>,
    ) -> bool {
        offer(&self.core, from, measure, best, |slot| slot as usize)
    }

    #[inline]
    fn each_item(&self, _: u32, slots: Range<u32>, mut f: impl FnMut(u32, &T)) {
        for slot in slots {
            f(slot, &self.item(slot));
        }
    }

    #[inline]
    fn key_at(&self, _: u32, slot: u32) -> usize {
        self.core.indices[slot as usize] as usize
    }
}

impl<T: Bounded> SpatialIndex for Orthtree<T> {
    type Vector = T::Vector;
    type Item = T;
    type Key = usize;

    fn len(&self) -> usize {
        self.core.len
    }

    fn try_query_batch<R>(&self, regions: &[R]) -> Result<Lists<u32>, Error>
    where
        Self: Sync,
        R: Region<Vector = T::Vector> + Overlaps<T> + Sync,
    {
        let append =
            |region: usize, found: &mut Vec<u32>| self.query(&regions[region]).try_append_to(found);
        if self.len() < LARGE || regions.len() < LARGE / 64 {
            return Lists::collect(regions.len(), &append);
        }
        // Order the regions by their centers; those without a finite center go to the origin.
        let nowhere = T::Vector::splat(Scalar::ZERO);
        let center = |region: &R| {
            let hint = region.hint();
            let center = hint.map_or(nowhere, |hint| hint.center());
            let is_finite = center.non_finite_axis().is_none();
            if is_finite { center } else { nowhere }.array()
        };
        let centers: Vec<_> = regions.iter().map(center).collect();
        let order = <ArrayOf<T>>::order(&centers, self.core.instructions);
        // Answer them in this order.
        let mut lists = NeighborLists::new();
        lists.fill(&order, PART, &|range, part| {
            for &region in &order[range] {
                let before = part.items.len();
                append(region as usize, &mut part.items)?;
                part.lens.push((part.items.len() - before) as u32);
            }
            Ok(())
        })?;
        lists.try_to_lists()
    }

    fn nearest_n_batch_into(
        &self,
        points: &[T::Vector],
        n: usize,
        near: &mut NearestLists<u32, <T::Vector as Vector>::Scalar>,
    ) -> Result<(), Error>
    where
        Self: Sync,
        T: Distance,
    {
        let width = n.min(self.len());
        if self.shares_nearest(n) && width > 0 {
            // Order the finite points; the others have empty lists.
            let points: Vec<_> = points.iter().map(|point| point.array()).collect();
            let is_finite = |&point: &u32| points[point as usize].non_finite_axis().is_none();
            let finite: Vec<u32> = (0..points.len() as u32).filter(is_finite).collect();
            let centers: Vec<_> = finite.iter().map(|&i| points[i as usize]).collect();
            let mut order = <ArrayOf<T>>::order(&centers, self.core.instructions);
            let columns = in_columns(&order, |&index| centers[index as usize]);
            order.iter_mut().for_each(|i| *i = finite[*i as usize]);
            // Search for blocks of sixteen points.
            let query = QueryPoints {
                points: &columns,
                numbers: &order,
            };
            near.fill_rows(points.len(), &order, width, &|places, rows| {
                <ArrayOf<T>>::nearest_rows(&self.core, &query, n, true, places, rows);
            })
        } else {
            let search = |point: usize| self.nearest_n(points[point], n);
            near.fill_one_by_one(points.len(), &search, Key::pack)
        }
    }
}

/// An item that the tree lends, or that was made from columns.
pub(crate) enum Held<'a, T> {
    Kept(&'a T),
    Made(T),
}

impl<T> Deref for Held<'_, T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        match self {
            Self::Kept(item) => item,
            Self::Made(item) => item,
        }
    }
}
