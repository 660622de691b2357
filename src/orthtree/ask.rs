//! What is asked of a tree.

use alloc::vec::Vec;

use core::ops::ControlFlow;

use super::walk::Walk;
use super::{Kernels, Orthtree};
use crate::nearest::{Closest, in_hierarchy, nearest};
use crate::overlap::lanes::{Layout, Plain};
use crate::query::{Ahead, Asked, ItemTree, TreeWalk, queries};
use crate::shape::ArrayOf;
use crate::simd::Pile;
use crate::sweep::{first_in_hierarchy, sweeps};
use crate::{Bounded, Distance, Lists, NeighborLists, Overlaps, Region, Scalar, Sweep, Vector};

/// From so many items on, regions are asked in the order of a Hilbert curve: what one query has
/// brought into the cache serves the next. At a million points, in half to three quarters of the
/// time.
const LARGE: usize = 1 << 18;

queries!(
    impl[T: Bounded] Orthtree<T>, asked = &Self: |this| this,
    vector = T::Vector, item = T, key = usize, listed = u32,
    complexity = "O(log n + answer) for items and regions that are not much longer than wide, O(n) at worst.",
    batch = |this, regions| this.ask_batch(regions)
);

impl<T: Bounded> Orthtree<T> {
    fn ask_batch<R>(&self, regions: &[R]) -> Lists<u32>
    where
        R: Region<Vector = T::Vector> + Overlaps<T> + Sync,
        T: Sync,
    {
        if self.len() < LARGE || regions.len() < LARGE / 64 {
            return Lists::collect(regions, |region, found| self.query(region).append_to(found));
        }
        let nowhere = T::Vector::splat(Scalar::ZERO);
        let center = |region: &R| {
            let hint = region.hint();
            hint.map_or(nowhere, |hint| hint.center()).array()
        };
        let centers: Vec<_> = regions.iter().map(center).collect();
        let order = <ArrayOf<T>>::order(&centers, self.core.instructions);
        Lists::in_order(&order, |range, part| {
            for &region in &order[range] {
                let before = part.items.len();
                self.query(&regions[region as usize])
                    .append_to(&mut part.items);
                part.lens.push((part.items.len() - before) as u32);
            }
        })
    }
}

impl<'a, T, R> Asked<R> for &'a Orthtree<T>
where
    T: Bounded,
    R: Region<Vector = T::Vector> + Overlaps<T>,
{
    type Key = usize;
    type Ahead = Plain<ArrayOf<T>>;
    type Walk = TreeWalk<'a, Orthtree<T>, R>;

    #[inline]
    fn ahead(self, region: &R) -> Option<Plain<ArrayOf<T>>> {
        if T::LAYOUT == Layout::Whole {
            None
        } else {
            region.plain().map(|region| region.cast())
        }
    }

    #[inline]
    fn walk(self, region: R) -> TreeWalk<'a, Orthtree<T>, R> {
        TreeWalk::new(self, region)
    }
}

impl<T: Bounded> Ahead<&Orthtree<T>, usize> for Plain<ArrayOf<T>> {
    type Stand = Walk;

    #[inline(always)]
    fn stand() -> Walk {
        Walk::new()
    }

    #[inline]
    fn start(&self, tree: &Orthtree<T>, walk: &mut Walk) {
        walk.start(&tree.core);
    }

    #[inline]
    fn is_done(walk: &mut Walk) -> bool {
        walk.is_done()
    }

    #[inline]
    fn fill(&self, tree: &Orthtree<T>, walk: &mut Walk, to: &mut Pile<'_>) {
        <ArrayOf<T>>::go_on(&tree.core, self, walk, to, false);
    }

    #[inline]
    fn count(&self, tree: &Orthtree<T>, walk: &mut Walk) -> usize {
        <ArrayOf<T>>::count_rest(&tree.core, self, walk)
    }

    #[inline]
    fn append(&self, tree: &Orthtree<T>, list: &mut Vec<u32>) {
        <ArrayOf<T>>::append(&tree.core, self, list);
    }

    #[inline]
    fn total(&self, tree: &Orthtree<T>) -> usize {
        <ArrayOf<T>>::count(&tree.core, self)
    }
}

impl<T: Distance> Orthtree<T> {
    /// Offers `best` all items that may be better than its worst.
    fn search(&self, from: T::Vector, best: &mut Closest<<T::Vector as Vector>::Scalar, usize>) {
        if T::LAYOUT != Layout::Whole && self.core.instructions.is_wide() {
            <ArrayOf<T>>::nearest(&self.core, from.array(), best);
        } else {
            in_hierarchy(self, from, best);
        }
    }
}

nearest!(
    impl[T: Distance] Orthtree<T>, vector = T::Vector, key = usize,
    |this, from, best| this.search(from, best)
);

sweeps!(
    impl[T: Bounded] Orthtree<T>, vector = T::Vector, item = T, key = usize,
    |this, moving| walk = TreeWalk::new(this, moving),
    item = |slot| &*this.item(slot),
    first = |first| first_in_hierarchy(
        this,
        |extent| moving.bound::<T>(extent),
        |item| moving.times(item).map(|times| times.0),
        first,
    )
);

impl<V: Vector> Orthtree<V> {
    /// Calls `f` with each point and all points within a radius of it, itself included, until it
    /// breaks. The order, of points and of what is near each, depends on nothing but the points and
    /// the radius. A negative or NaN radius reaches nothing.
    ///
    /// Several times faster than a query for each point.
    ///
    /// ```
    /// use core::ops::ControlFlow;
    /// use orthant::{Octree, glam::Vec3};
    /// let tree = Octree::new(&[Vec3::ZERO, Vec3::X, Vec3::X * 3.0]);
    /// let mut pairs = 0;
    /// let _ = tree.visit_neighbors(1.0, |point, near| {
    ///     pairs += near.iter().filter(|&&other| (other as usize) < point).count();
    ///     ControlFlow::<()>::Continue(())
    /// });
    /// assert_eq!(pairs, 1);
    /// ```
    ///
    /// # Complexity
    ///
    /// O(n + answer) for points that are spread evenly about each other, O(n²) at worst.
    pub fn visit_neighbors<B>(
        &self,
        radius: V::Scalar,
        mut f: impl FnMut(usize, &[u32]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut broken = None;
        let _ = <V::Array>::visit_neighbors(&self.core, radius, &mut |point, near| match f(
            point, near,
        ) {
            ControlFlow::Continue(()) => ControlFlow::Continue(()),
            ControlFlow::Break(with) => {
                broken = Some(with);
                ControlFlow::Break(())
            }
        });
        broken.map_or(ControlFlow::Continue(()), ControlFlow::Break)
    }

    /// The neighbors of every point: list `i` holds the points within a radius of point `i`, itself
    /// included, in the order of [`visit_neighbors`](Self::visit_neighbors). On several threads with
    /// the feature `rayon`.
    ///
    /// ```
    /// use orthant::{Octree, glam::Vec3};
    /// let tree = Octree::new(&[Vec3::ZERO, Vec3::X, Vec3::X * 3.0]);
    /// let near = tree.neighbors(1.0);
    /// assert_eq!(near[2], [2]);
    /// assert_eq!(near[0].len(), 2);
    /// ```
    ///
    /// # Complexity
    ///
    /// O(n + answer) for points that are spread evenly about each other, O(n²) at worst.
    #[must_use]
    pub fn neighbors(&self, radius: V::Scalar) -> NeighborLists {
        let mut near = NeighborLists::new();
        self.neighbors_into(radius, &mut near);
        near
    }

    /// The same, in the memory of lists of before: a large answer's new memory is cleared by the
    /// system, which takes a fifth of the time, on two threads more.
    ///
    /// ```
    /// use orthant::{NeighborLists, Octree, glam::Vec3};
    /// let (mut tree, mut near) = (Octree::new(&[Vec3::ZERO, Vec3::X]), NeighborLists::new());
    /// for step in [1.0, 2.0] {
    ///     tree.rebuild(&[Vec3::ZERO, Vec3::X * step]).unwrap();
    ///     tree.neighbors_into(1.0, &mut near);
    /// }
    /// assert_eq!(near[1], [1]);
    /// ```
    ///
    /// # Complexity
    ///
    /// That of [`neighbors`](Self::neighbors).
    pub fn neighbors_into(&self, radius: V::Scalar, near: &mut NeighborLists) {
        <V::Array>::neighbors(&self.core, radius, near);
    }
}
