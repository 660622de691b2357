//! The queries of trees, cell lists, the broadphase and the scan.
//!
//! [`SpatialIndex`] has all queries. A structure implements the searches below them ([`Search`]).

mod by_distance;
mod by_norm;
mod hits;
mod iterator;
mod key;
mod node_search;
mod search;

use alloc::vec::Vec;
use core::ops::ControlFlow;

pub use by_distance::ByDistance;
pub use by_norm::{ByNorm, NearestBy};
pub use hits::Hit;
pub(crate) use hits::first_hit;
pub use iterator::Query;
pub(crate) use key::{BUFFER, KeyBuffer, KeyList, KeyWriter};
pub use key::{Key, Packed};
pub(crate) use node_search::{
    Bound, Descent, Hierarchy, Offer, Relate, SlotRun, best_first, next_run,
};
pub(crate) use search::Search;

use crate::error::{Error, or_panic};
use crate::lists::Lists;
use crate::nearest::{Closest, Nearest, NearestLists};
use crate::norm::Norm;
use crate::overlap::distance::Center;
use crate::overlap::{Distance, Overlaps, Region, RoundedBox};
use crate::shape::{Bounded, ScalarOf};
use crate::sweep::{Mover, Ray};
use crate::vector::{Scalar, Vector};

/// The scalar of a structure's vectors.
type ScalarIn<S> = ScalarOf<<S as SpatialIndex>::Item>;

/// A structure that finds items by their place: [`Orthtree`](crate::Orthtree), [`LooseOrthtree`](crate::LooseOrthtree),
/// [`SphereTree`](crate::SphereTree), [`MovedTree`](crate::MovedTree), [`CellList`](crate::CellList), [`CellLevels`](crate::CellLevels),
/// [`Broadphase`](crate::Broadphase), [`Filtered`](crate::Filtered) and [`Linear`](crate::Linear).
///
/// The most frequent queries, [`query`](Self::query), [`count`](Self::count) and [`nearest`](Self::nearest), are also methods of the
/// structures, so that this trait need not be imported for them. The other queries need the trait, and so do functions that take any
/// structure:
///
/// ```
/// use orthant::{Linear, Octree, Overlaps, SpatialIndex, Sphere, glam::Vec3};
///
/// /// How many items are farther than 1 from a point, but not than 2.
/// fn around<S: SpatialIndex<Vector = Vec3>>(index: &S, point: Vec3) -> usize
/// where
///     Sphere<Vec3>: Overlaps<S::Item>,
/// {
///     let within = |radius| index.count(Sphere::new(point, radius));
///     within(2.0) - within(1.0)
/// }
///
/// let points = [Vec3::ZERO, Vec3::X, Vec3::X * 1.5, Vec3::X * 3.0];
/// assert_eq!(around(&Octree::new(&points), Vec3::ZERO), 1);
/// assert_eq!(around(&Linear::new(&points), Vec3::ZERO), 1);
/// ```
///
/// A query takes a [`Region`]: a shape of this crate, a combination of shapes, or a type of yours. As a set, every answer is exactly that
/// of the scan, [`Linear`](crate::Linear). Each structure has an order of its own, which is the same for all forms of a query.
///
/// Only the structures of this crate can implement this trait.
pub trait SpatialIndex: Search<<Self as SpatialIndex>::Item, <Self as SpatialIndex>::Key> {
    /// The vectors of its space.
    type Vector: Vector;

    /// The items that it holds.
    type Item: Bounded<Vector = Self::Vector>;

    /// The key that names an item: an index or a [`Handle`](crate::Handle).
    type Key: Key;

    /// The number of items.
    #[must_use]
    fn len(&self) -> usize;

    /// Returns true if there are no items.
    #[must_use]
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The items that overlap a region, lazily, each once. A point is a region too; the items that contain it overlap it.
    ///
    /// ```
    /// use orthant::{Octree, Sphere, glam::Vec3};
    /// let tree = Octree::new(&[Vec3::ZERO, Vec3::X, Vec3::splat(9.0)]);
    /// let mut near: Vec<usize> = tree.query(Sphere::new(Vec3::ZERO, 1.0)).collect();
    /// near.sort();
    /// assert_eq!(near, [0, 1]); // touching counts
    /// ```
    ///
    /// # Complexity
    ///
    /// O(log n + answer) for items and regions that are not much longer than wide, O(n) at worst and for the
    /// scan. Each structure says more.
    #[inline]
    fn query<R>(&self, region: R) -> Query<'_, Self, R>
    where
        R: Region<Vector = Self::Vector> + Overlaps<Self::Item>,
    {
        Query::new(self, region)
    }

    /// Calls `f` with each item that [`query`](Self::query) gives, in the same order, until it breaks, at the cost of a query for what is visited.
    ///
    /// ```
    /// use core::ops::ControlFlow;
    /// use orthant::{Octree, SpatialIndex, Sphere, glam::Vec3};
    /// let tree = Octree::new(&[Vec3::ZERO, Vec3::X]);
    /// let any = tree.visit(Sphere::new(Vec3::X, 0.5), ControlFlow::Break);
    /// assert_eq!(any, ControlFlow::Break(1));
    /// ```
    #[inline]
    fn visit<R, B>(&self, region: R, f: impl FnMut(Self::Key) -> ControlFlow<B>) -> ControlFlow<B>
    where
        R: Region<Vector = Self::Vector> + Overlaps<Self::Item>,
    {
        Query::new(self, region).visit(f)
    }

    /// The number of items that overlap a region, at the cost of [`query`](Self::query), or less.
    #[must_use]
    #[inline]
    fn count<R>(&self, region: R) -> usize
    where
        R: Region<Vector = Self::Vector> + Overlaps<Self::Item>,
    {
        Query::new(self, region).count()
    }

    /// The answers for many regions: list `i` is what [`query`](Self::query) gives for region `i`, in the same order and at the same cost.
    /// With the feature `rayon` it runs on several threads.
    ///
    /// ```
    /// use orthant::{Octree, SpatialIndex, Sphere, glam::Vec3};
    /// let tree = Octree::new(&[Vec3::ZERO, Vec3::X]);
    /// let lists = tree.query_batch(&[Vec3::X, Vec3::Y].map(|center| Sphere::new(center, 0.5)));
    /// assert_eq!(lists[0], [1]);
    /// assert!(lists[1].is_empty());
    /// ```
    ///
    /// # Panics
    ///
    /// Where [`try_query_batch`](Self::try_query_batch) returns an error.
    #[must_use]
    #[track_caller]
    fn query_batch<R>(&self, regions: &[R]) -> Lists<Packed<Self>>
    where
        Self: Sync,
        R: Region<Vector = Self::Vector> + Overlaps<Self::Item> + Sync,
    {
        or_panic("query_batch", self.try_query_batch(regions))
    }

    /// Like [`query_batch`](Self::query_batch), but returns an error if memory does not suffice.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`].
    fn try_query_batch<R>(&self, regions: &[R]) -> Result<Lists<Packed<Self>>, Error>
    where
        Self: Sync,
        R: Region<Vector = Self::Vector> + Overlaps<Self::Item> + Sync,
    {
        Lists::collect(regions.len(), &|region, found| {
            Query::new(self, &regions[region]).try_append_to(found)
        })
    }

    /// The item nearest to a point; of several, that with the least key. `None` in an empty structure, and for
    /// a point that is not finite.
    ///
    /// ```
    /// use orthant::{Octree, glam::Vec3};
    /// let tree = Octree::new(&[Vec3::ZERO, Vec3::X * 4.0]);
    /// let nearest = tree.nearest(Vec3::X * 3.0).unwrap();
    /// assert_eq!((nearest.item, nearest.distance()), (1, 1.0));
    /// ```
    ///
    /// # Complexity
    ///
    /// O(log n) for items that are not all equally far, O(n) for the scan.
    #[must_use]
    fn nearest(&self, point: Self::Vector) -> Option<Nearest<Self::Key, ScalarIn<Self>>>
    where
        Self::Item: Distance,
    {
        if point.non_finite_axis().is_some() {
            return None;
        }
        let mut best = Closest::new(1, Scalar::INFINITY);
        self.offer_nearest(&Center::open(point), &mut best);
        best.found()
    }

    /// The `n` items nearest to a point, by distance, ties by key; all if there are fewer, none for a point that is not finite.
    #[must_use]
    fn nearest_n(&self, point: Self::Vector, n: usize) -> Vec<Nearest<Self::Key, ScalarIn<Self>>>
    where
        Self::Item: Distance,
    {
        self.nearest_n_within(point, n, Scalar::INFINITY)
    }

    /// The `n` items nearest to each of many points: list `i` is what [`nearest_n`](Self::nearest_n) gives for point `i`. With the feature
    /// `rayon` it runs on several threads. Takes the time of `nearest_n` for each point; about half of it in a tree of points, for `n` up to 32.
    ///
    /// ```
    /// use orthant::{Octree, SpatialIndex, glam::Vec3};
    /// let tree = Octree::new(&[Vec3::ZERO, Vec3::X * 4.0]);
    /// let near = tree.nearest_n_batch(&[Vec3::X, Vec3::X * 3.0], 1);
    /// assert_eq!((&near.items()[0], &near.items()[1]), (&[0][..], &[1][..]));
    /// ```
    ///
    /// # Panics
    ///
    /// If memory does not suffice.
    #[must_use]
    #[track_caller]
    fn nearest_n_batch(
        &self,
        points: &[Self::Vector],
        n: usize,
    ) -> NearestLists<Packed<Self>, ScalarIn<Self>>
    where
        Self: Sync,
        Self::Item: Distance,
    {
        let mut near = NearestLists::new();
        let filled = self.nearest_n_batch_into(points, n, &mut near);
        or_panic("nearest_n_batch", filled);
        near
    }

    /// Finds the `n` nearest items of many points, as [`nearest_n_batch`](Self::nearest_n_batch) does, in the memory of `near`. An `n`
    /// above the number of items takes no more memory.
    ///
    /// ```
    /// use orthant::{NearestLists, Octree, SpatialIndex, glam::Vec3};
    /// let (tree, mut near) = (Octree::new(&[Vec3::ZERO, Vec3::X * 4.0]), NearestLists::new());
    /// for at in [0.0, 3.0] {
    ///     tree.nearest_n_batch_into(&[Vec3::X * at], 1, &mut near)?;
    /// }
    /// assert_eq!(near.list(0).next().unwrap().item, 1);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`]; there are no lists then.
    fn nearest_n_batch_into(
        &self,
        points: &[Self::Vector],
        n: usize,
        near: &mut NearestLists<Packed<Self>, ScalarIn<Self>>,
    ) -> Result<(), Error>
    where
        Self: Sync,
        Self::Item: Distance,
    {
        let search = |point: usize| self.nearest_n(points[point], n);
        near.fill_one_by_one(points.len(), &search, Key::pack)
    }

    /// The `n` nearest of the items within a radius of a point, by distance, ties by key; all if there are fewer. An item is within the
    /// radius if its [`distance_sq`](Nearest::distance_sq) is at most `radius * radius`.
    ///
    /// An infinite radius takes all items; a negative or NaN radius finds nothing, and neither does a point that is not finite.
    ///
    /// ```
    /// use orthant::{Octree, SpatialIndex, glam::Vec3};
    /// let tree = Octree::new(&[Vec3::ONE, Vec3::Y, Vec3::X]);
    /// let near = tree.nearest_n_within(Vec3::ZERO, 3, 1.0);
    /// // Both are just as far.
    /// assert_eq!(near.iter().map(|n| n.item).collect::<Vec<_>>(), [1, 2]);
    /// assert_eq!(tree.nearest_n_within(Vec3::ZERO, 1, 1.0), near[..1]);
    /// ```
    ///
    /// # Complexity
    ///
    /// The cost of [`nearest`](Self::nearest) for each of the `n`, or that of a query if it is less.
    #[must_use]
    fn nearest_n_within(
        &self,
        point: Self::Vector,
        n: usize,
        radius: ScalarIn<Self>,
    ) -> Vec<Nearest<Self::Key, ScalarIn<Self>>>
    where
        Self::Item: Distance,
    {
        let is_valid = point.non_finite_axis().is_none() && radius >= Scalar::ZERO;
        if n == 0 || !is_valid {
            return Vec::new();
        }
        let mut best = Closest::new(n, radius * radius);
        self.offer_nearest(&Center::open(point), &mut best);
        best.found_all()
    }

    /// The item nearest to a point, box or ball; of several, that with the least key. `None` in an empty structure, and for a
    /// point that is not finite.
    ///
    /// Items are points, boxes, balls or bodies, or types that [`item!`](crate::item) makes of them; any other item does not compile.
    /// Items that overlap the shape have a distance of 0. For a point the answer is that of
    /// [`nearest`](Self::nearest).
    ///
    /// ```
    /// use orthant::{Aabb, Octree, SpatialIndex, Sphere, glam::Vec3};
    /// let tree = Octree::new(&[Vec3::X * 9.0, Vec3::Y * 7.0]);
    /// let near = tree.nearest_to(Aabb::new(Vec3::ZERO, Vec3::ONE * 5.0)).unwrap();
    /// assert_eq!((near.item, near.distance()), (1, 2.0));
    /// let near = tree.nearest_to(Sphere::new(Vec3::X * 3.0, 2.0)).unwrap();
    /// assert_eq!((near.item, near.distance()), (0, 4.0));
    /// ```
    ///
    /// # Complexity
    ///
    /// O(log n) for a shape that few items overlap, and items that are not all equally far; O(n) for the scan. The search goes node by
    /// node, without the vector instructions of [`nearest`](Self::nearest).
    #[must_use]
    fn nearest_to(
        &self,
        shape: impl Into<RoundedBox<Self::Vector>>,
    ) -> Option<Nearest<Self::Key, ScalarIn<Self>>> {
        self.nearest_n_to(shape, 1).pop()
    }

    /// The `n` items nearest to a point, box or ball, by distance, ties by key; all if there are fewer, none for a point that is not
    /// finite. Takes the time of [`nearest_to`](Self::nearest_to) for each of the `n`.
    ///
    /// ```
    /// use orthant::{Aabb, LooseQuadtree, SpatialIndex, Sphere, glam::Vec2};
    /// let mut balls = LooseQuadtree::new();
    /// let handles = balls.insert_batch([9.0, 2.0, 5.0].map(|x| Sphere::new(Vec2::X * x, 1.0)));
    /// let near = balls.nearest_n_to(Aabb::new(Vec2::NEG_ONE, Vec2::ZERO), 2);
    /// assert_eq!((near[0].item, near[0].distance()), (handles[1], 1.0));
    /// assert_eq!((near[1].item, near[1].distance()), (handles[2], 4.0));
    /// ```
    #[must_use]
    fn nearest_n_to(
        &self,
        shape: impl Into<RoundedBox<Self::Vector>>,
        n: usize,
    ) -> Vec<Nearest<Self::Key, ScalarIn<Self>>> {
        let shape = shape.into();
        if n == 0 || !shape.is_valid() {
            return Vec::new();
        }
        let mut best = Closest::new(n, Scalar::INFINITY);
        self.offer_best_first(
            |extent| extent.distance_sq_to::<Self::Item>(&shape),
            |item| shape.item_sq(item),
            &mut best,
        );
        best.found_all()
    }

    /// All items by their distance from a point, ties by key, lazily: for callers that decide while iterating how many items, or which,
    /// they need. For a point that is not finite there are none. Takes the time of [`nearest_n`](Self::nearest_n) for twice as many as are read.
    ///
    /// ```
    /// use orthant::{Octree, SpatialIndex, glam::Vec3};
    /// let tree = Octree::new(&[Vec3::X, Vec3::X * 2.0, Vec3::Y * 2.0, Vec3::X * 5.0]);
    /// let on_x = tree.by_distance(Vec3::ZERO).filter(|near| tree.items()[near.item].y == 0.0);
    /// assert_eq!(on_x.take(2).map(|near| near.item).collect::<Vec<_>>(), [0, 1]);
    /// let nearer = tree.by_distance(Vec3::ZERO).take_while(|near| near.radius() < 2.0);
    /// assert_eq!(nearer.count(), 1);
    /// ```
    fn by_distance(&self, point: Self::Vector) -> ByDistance<'_, Self>
    where
        Self::Item: Distance,
    {
        ByDistance::new(self, point)
    }

    /// Finds the nearest items by another norm than Euclid's: [`Manhattan`](crate::Manhattan), [`Chebyshev`](crate::Chebyshev) or
    /// [`Weighted`](crate::Weighted). To list or count the items within a radius, query a [`NormBall`](crate::NormBall).
    ///
    /// ```
    /// use orthant::{Manhattan, Octree, SpatialIndex, glam::Vec3};
    /// let tree = Octree::new(&[Vec3::ONE, Vec3::X * 2.5, Vec3::Y * 2.5]);
    /// let near = tree.by_norm(Manhattan).nearest_n(Vec3::ZERO, 2);
    /// assert_eq!(near.iter().map(|near| (near.item, near.distance)).collect::<Vec<_>>(), [(1, 2.5), (2, 2.5)]);
    /// ```
    fn by_norm<N: Norm<Self::Vector>>(&self, norm: N) -> ByNorm<'_, Self, N> {
        ByNorm::new(self, norm)
    }

    /// The item that a [`Ray`] or a [`Moving`](crate::Moving) sphere or box touches first; of several, that with the least key. `None` if
    /// it touches nothing until its horizon. For all items that it touches, without times, use [`query`](Self::query).
    ///
    /// [`Sweep`](crate::Sweep) lists the types of items that it can touch; others do not compile.
    ///
    /// ```
    /// use orthant::{Moving, Octree, SpatialIndex, Sphere, glam::Vec3};
    /// let tree = Octree::new(&[Vec3::X * 9.0, Vec3::X * 5.0, Vec3::Y * 5.0]);
    /// let ball = Moving::new(Sphere::new(Vec3::ZERO, 1.0), Vec3::X * 8.0);
    /// let hit = tree.sweep(ball).unwrap();
    /// assert_eq!((hit.item, hit.impact.first), (1, 0.5));
    /// assert_eq!(tree.sweep_all(ball).len(), 2); // the other at time 1: touching counts
    /// assert_eq!(tree.count(ball), 2);
    /// ```
    ///
    /// # Complexity
    ///
    /// O(log n + items about the path up to the hit), O(n) for the scan.
    #[must_use]
    fn sweep<M: Mover<Self::Item>>(&self, mover: M) -> Option<Hit<Self::Key, Self::Vector>> {
        first_hit(
            self,
            |extent| mover.bound(extent),
            |item| mover.times(item),
            |item| mover.sweep(item),
        )
    }

    /// All items that a ray or a moving shape touches, with time and place, by first touch, ties by key.
    #[must_use]
    fn sweep_all<M: Mover<Self::Item>>(&self, mover: M) -> Vec<Hit<Self::Key, Self::Vector>> {
        hits::all(self, &mover)
    }

    /// The item that a ray touches first: [`sweep`](Self::sweep) of the ray.
    ///
    /// ```
    /// use orthant::{LooseOctree, Ray, SpatialIndex, Sphere, glam::Vec3};
    /// let mut balls = LooseOctree::new();
    /// let ball = balls.insert(Sphere::new(Vec3::X * 9.0, 1.0));
    /// let hit = balls.cast_ray(Ray::new(Vec3::ZERO, Vec3::X)).unwrap();
    /// assert_eq!((hit.item, hit.impact.first), (ball, 8.0));
    /// assert_eq!((hit.impact.point, hit.impact.normal), (Vec3::X * 8.0, Vec3::NEG_X));
    /// ```
    #[must_use]
    fn cast_ray(&self, ray: Ray<Self::Vector>) -> Option<Hit<Self::Key, Self::Vector>>
    where
        Ray<Self::Vector>: Mover<Self::Item>,
    {
        self.sweep(ray)
    }
}
