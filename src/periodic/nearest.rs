//! The nearest items among all images.
//!
//! ```text
//! offer the nearest items of a block of images around the point, as many images as hold n items
//! the worst of the n best so far bounds the images that are left:
//!     offer the nearest items of the images that a ball of that radius may reach,
//!     unless the box around all items is farther than the worst
//! if these images are too many: first offer those of a block that is twice as wide
//! ```
//!
//! Distances are measured as regions test items: the difference to a point first, then the offset of the image.

use alloc::vec::Vec;

use super::Periodic;
use super::image::is_point_or_box;
use super::images::{Block, Images, LAST, MOST_IMAGES, Outline, by_image};
use super::lattice::{dot, wide};
use crate::error::Error;
use crate::nearest::{Closest, Nearest, Ranked};
use crate::norm::{DistanceBy, Norm, least_measure};
use crate::overlap::distance::Center;
use crate::overlap::{Distance, Extent, Overlaps};
use crate::query::SpatialIndex;
use crate::shape::{Aabb, Bounded, Sphere};
use crate::vector::{Scalar, Vector};

/// The most images in a block. If they do not suffice, the items are too far apart, or the structure does not hold what
/// it says.
const MOST_IN_BLOCK: usize = 1 << 20;

/// An item and its image that is near, with the squared distance.
type NearestImage<K, V> = Nearest<(K, <V as Vector>::Voxel), <V as Vector>::Scalar>;

/// The nearest images of items so far.
struct Best<K, V: Vector> {
    list: Vec<NearestImage<K, V>>,
    n: usize,
    limit_sq: V::Scalar,
    /// True if the structure has fewer or farther items than its bounds promise: filtered ones, or those of a
    /// [`SavedOrthtree`](crate::SavedOrthtree) that was altered. Then more images do not help.
    is_odd: bool,
}

impl<K: Ord + Copy, V: Vector> Best<K, V> {
    fn take(&mut self, found: Vec<Nearest<K, V::Scalar>>, image: V::Voxel) {
        self.list.extend(found.into_iter().map(|near| Nearest {
            item: (near.item, image),
            distance_sq: near.distance_sq,
        }));
        if self.list.len() >= self.n.saturating_mul(2) {
            self.drop_worst();
        }
    }

    /// Drops all but the best `n`, and duplicates.
    fn drop_worst(&mut self) {
        self.list.sort_unstable_by(|a, b| {
            let key = |near: &NearestImage<K, V>| Ranked(near.distance_sq, near.item.0);
            let order = key(a).cmp(&key(b));
            order.then_with(|| by_image(&a.item.1, &b.item.1))
        });
        self.list.dedup_by(|a, b| a.item == b.item);
        self.list.truncate(self.n);
        if self.list.len() == self.n {
            self.limit_sq = self.list[self.n - 1].distance_sq;
        }
    }
}

impl<V: Vector> Periodic<V> {
    /// The item of which an image is nearest to a point, with that image; of several, the one with the least key, then
    /// with the first image. `None` in an empty structure, and for a point that is not finite.
    ///
    /// ```
    /// use orthant::{Aabb, Octree, Periodic, glam::{IVec3, Vec3}};
    /// let periodic = Periodic::new(Aabb::new(Vec3::ZERO, Vec3::splat(10.0)));
    /// let tree = Octree::new(&[Vec3::splat(9.5), Vec3::splat(2.0)]);
    /// let nearest = periodic.nearest(&tree, Vec3::ZERO)?.unwrap();
    /// assert_eq!((nearest.item, nearest.distance_sq), ((0, IVec3::NEG_ONE), 0.75));
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`nearest_n_within`](Self::nearest_n_within).
    pub fn nearest<S>(&self, index: &S, point: V) -> Result<Option<NearestImage<S::Key, V>>, Error>
    where
        S: SpatialIndex<Vector = V>,
        S::Item: Distance,
        Sphere<V>: Overlaps<S::Item>,
    {
        Ok(self.nearest_n(index, point, 1)?.pop())
    }

    /// The `n` nearest of all images of the items, by distance, ties by key, then by image, axis 0 fastest. An item may
    /// come several times.
    ///
    /// # Errors
    ///
    /// The errors of [`nearest_n_within`](Self::nearest_n_within).
    pub fn nearest_n<S>(
        &self,
        index: &S,
        point: V,
        n: usize,
    ) -> Result<Vec<NearestImage<S::Key, V>>, Error>
    where
        S: SpatialIndex<Vector = V>,
        S::Item: Distance,
        Sphere<V>: Overlaps<S::Item>,
    {
        self.nearest_n_within(index, point, n, V::Scalar::INFINITY)
    }

    /// The `n` nearest of all images of the items within a radius of the point, as [`SpatialIndex::nearest_n_within`]
    /// finds them. The distance of an image `k` is that of the item by the differences `(p - point) + offset(k)`, each
    /// operation rounded once; for items that are neither points, boxes nor balls, it is the distance of the item from
    /// `point - offset(k)`.
    ///
    /// ```
    /// use orthant::{Aabb, Octree, Periodic, glam::{IVec2, Vec2}};
    /// let ring = Periodic::on_axes(Aabb::new(Vec2::ZERO, Vec2::splat(4.0)), [true, false]);
    /// let scan = orthant::Linear::new(&[Vec2::ZERO, Vec2::new(2.0, 9.0)]);
    /// let near = ring.nearest_n_within(&scan, Vec2::new(3.0, 0.0), 9, 3.0)?;
    /// let images: Vec<_> = near.iter().map(|near| near.item).collect();
    /// assert_eq!(images, [(0, IVec2::X), (0, IVec2::ZERO)]);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If these items may lie in more images than [`query`](Self::query) goes through.
    ///
    /// # Complexity
    ///
    /// The cost of [`SpatialIndex::nearest_n`] for each image that may hold one of them: mostly 1 to 4 in the plane, and
    /// 1 to 8 in space.
    pub fn nearest_n_within<S>(
        &self,
        index: &S,
        point: V,
        n: usize,
        radius: V::Scalar,
    ) -> Result<Vec<NearestImage<S::Key, V>>, Error>
    where
        S: SpatialIndex<Vector = V>,
        S::Item: Distance,
        Sphere<V>: Overlaps<S::Item>,
    {
        let reaches = radius >= V::Scalar::ZERO;
        let is_finite = point.non_finite_axis().is_none();
        let Some(extent) = index.extent().filter(|_| n > 0 && reaches && is_finite) else {
            return Ok(Vec::new());
        };
        let mut best = Best {
            list: Vec::new(),
            n,
            limit_sq: radius * radius,
            is_odd: false,
        };
        let offer = |image: V::Voxel, best: &mut Best<S::Key, V>| {
            let center = self.center_in(point, image);
            let center = center.filter(|center| center.moved().non_finite_axis().is_none());
            let is_near = |center: &_| !is_beyond::<S::Item>(&extent, center, best.limit_sq);
            let Some(center) = center.filter(is_near) else {
                return;
            };
            let mut of_image = Closest::new(n, best.limit_sq);
            index.offer_nearest(&center, &mut of_image);
            let found = of_image.found_all();
            // Even with rounding, all items are nearer than `far_sq`. If that is within the limit, the search has
            // to find enough of them.
            let far = Scalar::sqrt(center.far_sq(&extent.core).into());
            let far = far + rounding::<V>(&extent, &center);
            let far_sq = 2.0 * far * far;
            if far_sq < best.limit_sq.into() {
                let last = found.last();
                let all_near = last.is_some_and(|last| last.distance_sq.into() <= far_sq);
                best.is_odd |= !all_near || found.len() < n.min(index.len());
            }
            best.take(found, image);
        };

        // Number the images of the block by the reduced vectors: images with similar numbers are close even if the
        // cell's own vectors lean.
        let middle = self.numbers_between(extent.core.center(), point, |axis, apart| {
            dot(&self.lattice.reduced.inverse[axis], apart)
        });
        let (mut around, most) = self.around(n.div_ceil(index.len().max(1)));
        loop {
            let block = Images::block(self.block(middle, around)?);
            let images = block.filter_map(|reduced| self.lattice.image_of_reduced(reduced));
            let mut known: Vec<V::Voxel> = images.collect();
            known.iter().for_each(|&image| offer(image, &mut best));
            known.sort_unstable_by(by_image);
            best.drop_worst();
            let axis = self.lattice.periodic_vectors().next();
            let Some(axis) = axis.filter(|_| !best.is_odd) else {
                return Ok(best.list);
            };
            let ball = self.ball_around::<S::Item>(&extent, point, best.limit_sq);
            let ball = ball.ok_or(Error::TooManyImages { region: 0, axis });
            let images = ball.and_then(|ball| {
                let outline = Outline::new::<S::Item, _>(&ball);
                let heights = &self.lattice.reduced.heights;
                self.images(&extent, &outline, 0, heights)
            });
            match images {
                Ok(images) => {
                    let is_known =
                        |image: &_| known.binary_search_by(|k| by_image(k, image)).is_ok();
                    let new = images.filter(|image| !is_known(image));
                    new.for_each(|image| offer(image, &mut best));
                    best.drop_worst();
                    return Ok(best.list);
                }
                // The items of a few more images may show that all others are too far.
                Err(_) if around < most => around = (2 * around + 1).min(most),
                Err(error) => return Err(error),
            }
        }
    }

    /// The `n` items nearest to a point within a radius, measured in one image: by distance, ties by key. The list is
    /// empty for a point or an image that is not finite, or a radius that is negative or NaN.
    ///
    /// ```
    /// use orthant::{Aabb, Octree, Periodic, glam::{IVec3, Vec3}};
    /// let periodic = Periodic::new(Aabb::new(Vec3::ZERO, Vec3::splat(10.0)));
    /// let tree = Octree::new(&[Vec3::splat(9.5), Vec3::ONE]);
    /// let near = periodic.nearest_n_in_image(&tree, Vec3::ZERO, IVec3::NEG_ONE, 1, 5.0);
    /// assert_eq!((near[0].item, near[0].distance_sq), (0, 0.75));
    /// ```
    ///
    /// # Complexity
    ///
    /// The cost of [`SpatialIndex::nearest_n_within`].
    #[must_use]
    pub fn nearest_n_in_image<S>(
        &self,
        index: &S,
        point: V,
        image: V::Voxel,
        n: usize,
        radius: V::Scalar,
    ) -> Vec<Nearest<S::Key, V::Scalar>>
    where
        S: SpatialIndex<Vector = V>,
        S::Item: Distance,
    {
        let limit = (radius >= Scalar::ZERO).then(|| radius * radius);
        self.best_in_image(point, image, n, limit, |center, best| {
            index.offer_nearest(center, best);
        })
    }

    /// The `n` items nearest to a point by a norm, as [`nearest_n_in_image`](Self::nearest_n_in_image) finds them by
    /// Euclidean distance: each with its measure in place of the squared distance.
    ///
    /// ```
    /// use orthant::{Aabb, Manhattan, Octree, Periodic, glam::{IVec3, Vec3}};
    /// let periodic = Periodic::new(Aabb::new(Vec3::ZERO, Vec3::splat(10.0)));
    /// let tree = Octree::new(&[Vec3::splat(9.5), Vec3::ONE]);
    /// let near = periodic.nearest_n_in_image_by(&tree, &Manhattan, Vec3::ZERO, IVec3::NEG_ONE, 1, 5.0);
    /// assert_eq!((near[0].item, near[0].distance_sq), (0, 1.5));
    /// ```
    ///
    /// # Complexity
    ///
    /// The cost of [`nearest_n_in_image`](Self::nearest_n_in_image), node by node without vector instructions.
    #[must_use]
    pub fn nearest_n_in_image_by<S, N>(
        &self,
        index: &S,
        norm: &N,
        point: V,
        image: V::Voxel,
        n: usize,
        radius: V::Scalar,
    ) -> Vec<Nearest<S::Key, V::Scalar>>
    where
        S: SpatialIndex<Vector = V>,
        S::Item: DistanceBy<N>,
        N: Norm<V>,
    {
        let limit = (radius >= Scalar::ZERO).then(|| norm.measure_of(radius));
        self.best_in_image(point, image, n, limit, |center, best| {
            let near = |cell: &Aabb<V>| norm.measure(V::from_fn(|a| center.near_on(a, cell)));
            if is_point_or_box::<S::Item>() {
                index.offer_best_first(
                    |extent| near(&extent.core),
                    |item| near(&item.core()),
                    best,
                );
                return;
            }
            // Norms measure balls and bodies by rules of their own, from the moved center.
            let moved = center.moved();
            index.offer_best_first(
                |extent| least_measure::<S::Item, N>(norm, moved, extent),
                |item| item.measure(norm, moved),
                best,
            );
        })
    }

    /// The center of a search in an image; `None` beyond the finite numbers.
    fn center_in(&self, point: V, image: V::Voxel) -> Option<Center<V>> {
        let offset = self.offset(image);
        let center = Center { at: point, offset };
        center.is_finite().then_some(center)
    }

    /// The items that `search` offers in an image, best first. None without a limit or a finite center, or if `n` is 0.
    fn best_in_image<K: Ord + Copy>(
        &self,
        point: V,
        image: V::Voxel,
        n: usize,
        limit: Option<V::Scalar>,
        search: impl FnOnce(&Center<V>, &mut Closest<V::Scalar, K>),
    ) -> Vec<Nearest<K, V::Scalar>> {
        let center = self.center_in(point, image).filter(|_| n > 0);
        let Some((center, limit)) = center.zip(limit) else {
            return Vec::new();
        };
        let mut best = Closest::new(n, limit);
        search(&center, &mut best);
        best.found_all()
    }

    /// The least half width of a block with at least `many` images, and the largest that is tried.
    fn around(&self, many: usize) -> (i64, i64) {
        let axes = self.lattice.periodic_vectors().count() as u32;
        let all = |around: i64| (2 * around as usize + 1).saturating_pow(axes);
        let mut blocks = 0..=MOST_IMAGES;
        // If no block is large enough, the radius may still bound the images.
        let least = blocks.find(|&around| axes == 0 || all(around) >= many);
        let larger = blocks.take_while(|&around| all(around) <= MOST_IN_BLOCK);
        least.map_or((0, 0), |least| (least, larger.last().unwrap_or(least)))
    }

    /// The block of images up to `around` from a middle one on each axis.
    fn block(&self, middle: [i64; 4], around: i64) -> Result<Block, Error> {
        let mut block = [(0, 0); 4];
        for axis in self.lattice.periodic_vectors() {
            if middle[axis].abs() > LAST - MOST_IMAGES {
                return Err(Error::TooManyImages { region: 0, axis });
            }
            block[axis] = (middle[axis] - around, middle[axis] + around);
        }
        Ok(block)
    }

    /// A ball around a point that reaches every image that may hold items within a squared distance of the point. The
    /// distance of the items along open axes is taken off the radius. `None` if the radius is infinite.
    fn ball_around<T: Bounded<Vector = V>>(
        &self,
        extent: &Extent<V>,
        point: V,
        within_sq: V::Scalar,
    ) -> Option<Sphere<V>> {
        let items = extent.core.grown(extent.most);
        let [min, max, at] = [items.min(), items.max(), point].map(wide);
        let sizes: f64 = [min, max, at].iter().flatten().map(|x| x.abs()).sum();
        let epsilon: f64 = V::Scalar::EPSILON.into();
        // Along open axes all images are equally far from the point. Offsets are rounded on all axes that a leaning vector has a
        // part on.
        let leaning = if self.is_box { 0.0 } else { 64.0 };
        let rounded = leaning * epsilon * sizes;
        let open = self.lattice.open_vectors().map(|axis| {
            let (least, most) = self.lattice.least_and_most(axis, point, &items);
            (least.max(-most) - rounded).max(0.0)
        });
        let open_sq: f64 = open.map(|apart| apart * apart).sum();
        let within_sq: f64 = within_sq.into();
        let left_sq = within_sq * (1.0 + 32.0 * epsilon) - open_sq;
        let vanishing = 4.0 * Scalar::sqrt(V::Scalar::MIN_POSITIVE.into());
        // Points, boxes and balls take one difference of coordinates. Others may round more often.
        let rounded = if T::IS_ROUNDED { 4.0 } else { 16.0 };
        let radius = Scalar::sqrt(left_sq.max(0.0)) + rounded * epsilon * sizes + vanishing;
        Sphere::try_new(point, V::Scalar::from_f64(radius).next_up()).ok()
    }
}

/// True if all items are farther away than a squared distance, by the rule that measures them.
fn is_beyond<T: Bounded>(
    extent: &Extent<T::Vector>,
    center: &Center<T::Vector>,
    limit_sq: <T::Vector as Vector>::Scalar,
) -> bool {
    if is_point_or_box::<T>() {
        // Points and boxes are measured by the same expression, which is monotone.
        return center.near_sq(&extent.core) > limit_sq;
    }
    let epsilon: f64 = <T::Vector as Vector>::Scalar::EPSILON.into();
    let items = extent.core.grown(extent.most);
    let near_sq: f64 = items.distance_sq(center.moved()).into();
    let near = Scalar::sqrt(near_sq) - rounding::<T::Vector>(extent, center);
    near > 0.0 && near * near * (1.0 - 32.0 * epsilon) > limit_sq.into()
}

/// The most by which the distance to an item is rounded, by differences and from the moved center.
fn rounding<V: Vector>(extent: &Extent<V>, center: &Center<V>) -> f64 {
    let items = extent.core.grown(extent.most);
    let most = |v: V| (0..V::DIM).fold(0.0, |most: f64, a| most.max(v.axis(a).abs().into()));
    let places = [items.min(), items.max(), center.at, center.offset];
    let sizes: f64 = places.into_iter().map(most).sum();
    sizes * 32.0 * V::Scalar::EPSILON.into()
}
