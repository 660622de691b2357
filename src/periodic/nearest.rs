//! The nearest items among all images.
//!
//! ```text
//! offer the nearest items of a block of images around the point, as many images as hold n items
//! the worst of the n best so far bounds the images that are left:
//!     offer the nearest items of the images that a ball of that radius may reach
//! skip each image in which the box around all items is farther than the worst
//! if the ball reaches too many images: begin again with a block that is twice as wide
//! ```
//!
//! Distances are measured as regions test items: the difference to a point first, then the offset of the image.

use alloc::vec::Vec;

use super::Periodic;
use super::image::is_point_or_box;
use super::images::{MOST_IMAGES, Outline, by_image};
use super::lattice::{least_and_most, wide};
use crate::error::Error;
use crate::nearest::{Closest, Nearest, Ranked};
use crate::norm::{DistanceBy, Norm, least_measure};
use crate::overlap::distance::Center;
use crate::overlap::{Distance, Extent, Overlaps};
use crate::query::SpatialIndex;
use crate::shape::{Aabb, Bounded, Sphere};
use crate::vector::{Scalar, Vector};

/// The most images in a block that is wider than the `n` items need.
const MOST_IN_BLOCK: usize = 1 << 20;

/// An item and its image that is near, with the squared distance.
type NearestImage<K, V> = Nearest<(K, <V as Vector>::Voxel), <V as Vector>::Scalar>;

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
        let len = index.len();
        let reaches = n > 0 && radius >= V::Scalar::ZERO && len > 0;
        let is_finite = point.non_finite_axis().is_none();
        let Some(extent) = index.extent().filter(|_| reaches && is_finite) else {
            return Ok(Vec::new());
        };
        // Offers the items of an image. The list is sorted when it has grown to `room`; then its last item gives the limit.
        let offer = |image: V::Voxel, best: &mut Best<S::Key, V>| {
            let limit_sq = best.limit_sq;
            let found = self.best_in_image(point, image, n, Some(limit_sq), |center, of_image| {
                if extent.distance_sq::<S::Item>(center) <= limit_sq {
                    index.offer_nearest(center, of_image);
                }
            });
            best.list.extend(found.into_iter().map(|near| Nearest {
                item: (near.item, image),
                distance_sq: near.distance_sq,
            }));
            if best.list.len() >= best.room {
                best.keep(n);
            }
        };

        // Number the images of the block by the reduced vectors: images with similar numbers are close even if the
        // cell's own vectors lean.
        let (lattice, reduced) = (&self.lattice, &self.lattice.reduced);
        let from = wide(extent.core.center());
        let apart = crate::simd::from_fn(|a| wide(point)[a] - from[a]);
        let middle = lattice.numbers(&reduced.inverse, &apart, |times| times + 0.5);
        let middle = middle.map_err(|axis| Error::TooManyImages { region: 0, axis })?;
        let axes = lattice.periodic_vectors().count() as u32;
        let images = |around: i32| (2 * around as usize + 1).saturating_pow(axes);
        // If no block holds `n` items, the radius may still bound the images.
        let mut blocks = 0..=MOST_IMAGES;
        let least = blocks.find(|&around| images(around).saturating_mul(len) >= n);
        let mut around = least.unwrap_or_default();
        loop {
            let mut best = Best {
                list: Vec::new(),
                limit_sq: radius * radius,
                room: n,
            };
            let block = lattice.block_around(middle, around);
            let mut known: Vec<V::Voxel> = lattice.images_in(&block).collect();
            known.iter().for_each(|&image| offer(image, &mut best));
            best.keep(n);
            known.sort_unstable_by(by_image);
            let ball = self.ball_around(&extent, point, best.limit_sq.into());
            let reached = self.reached(&extent, &ball, 0, &reduced.heights);
            let wider = 2 * around + 1;
            if reached.is_err() && best.list.len() == n && images(wider) <= MOST_IN_BLOCK {
                // The items of a few more images may show that all others are too far.
                around = wider;
                continue;
            }
            for image in lattice.images_in(&reached?) {
                if known.binary_search_by(|k| by_image(k, &image)).is_err() {
                    offer(image, &mut best);
                }
            }
            best.keep(n);
            return Ok(best.list);
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

    /// The items that `search` offers in an image, best first. None without a limit or a finite center, or if `n` is 0.
    fn best_in_image<K: Ord + Copy>(
        &self,
        point: V,
        image: V::Voxel,
        n: usize,
        limit: Option<V::Scalar>,
        search: impl FnOnce(&Center<V>, &mut Closest<V::Scalar, K>),
    ) -> Vec<Nearest<K, V::Scalar>> {
        let offset = self.offset(image);
        let center = Center { at: point, offset };
        let is_finite = center.moved().non_finite_axis().is_none();
        let Some(limit) = limit.filter(|_| n > 0 && is_finite) else {
            return Vec::new();
        };
        let mut best = Closest::new(n, limit);
        search(&center, &mut best);
        best.found_all()
    }

    /// A ball around a point that reaches every image that may hold items within a squared distance of the point. The
    /// distance of the items along open axes, which is equal in all images, is taken off the radius.
    pub(super) fn ball_around(&self, extent: &Extent<V>, point: V, within_sq: f64) -> Outline {
        let (lattice, reduced) = (&self.lattice, &self.lattice.reduced);
        let (items, at) = (extent.core.grown(extent.most), wide(point));
        let epsilon: f64 = V::Scalar::EPSILON.into();
        let within_sq = within_sq * (1.0 + 32.0 * epsilon);
        // Offsets are rounded on all axes that a leaning vector has a part on, by the sizes of all multiples.
        let mut sizes = 0.0;
        if !self.is_box {
            let places = [wide(items.min()), wide(items.max()), at];
            sizes = places.iter().flatten().map(|x| x.abs()).sum();
            for v in lattice.periodic_vectors() {
                let (least, most) = least_and_most(&reduced.inverse[v], &at, &items);
                let around = Scalar::sqrt(within_sq) / reduced.heights[v] + 1.0;
                let multiples = reduced.sizes[v].iter().sum::<f64>();
                sizes += (least.abs().max(most.abs()) + around) * multiples;
            }
        }
        let open = lattice.open_vectors().map(|v| {
            let (least, most) = least_and_most(&lattice.inverse[v], &at, &items);
            (least.max(-most) - 64.0 * epsilon * sizes).max(0.0)
        });
        let open_sq: f64 = open.map(|apart| apart * apart).sum();
        Outline {
            low: at,
            high: at,
            radius: Scalar::sqrt((within_sq - open_sq).max(0.0)),
            is_exact: false,
        }
    }
}

/// The nearest items so far, and others that came since they were sorted.
struct Best<K, V: Vector> {
    list: Vec<NearestImage<K, V>>,
    /// The squared distance beyond which no item is taken.
    limit_sq: V::Scalar,
    /// The length at which the list is sorted.
    room: usize,
}

impl<K: Ord + Copy, V: Vector> Best<K, V> {
    /// Drops all but the nearest `n`, in order: ties by key, then by image.
    fn keep(&mut self, n: usize) {
        self.list.sort_unstable_by(|a, b| {
            let key = |near: &NearestImage<K, V>| Ranked(near.distance_sq, near.item.0);
            let order = key(a).cmp(&key(b));
            order.then_with(|| by_image(&a.item.1, &b.item.1))
        });
        self.list.truncate(n);
        self.room = n.saturating_mul(2);
        if let Some(worst) = self.list.get(n - 1) {
            self.limit_sq = worst.distance_sq;
        }
    }
}
