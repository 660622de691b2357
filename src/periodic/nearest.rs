//! The nearest items among all images.
//!
//! ```text
//! of the images around the one in which the items are nearest to the point, as many as hold n items:
//!     offer their nearest items
//! the worst of the n best so far bounds what is left: of the images that a ball of that radius may reach,
//!     offer the nearest items, unless the box around all items is farther than the worst
//! if they are too many: first offer those of twice as many images around
//! ```
//!
//! Distances are measured as regions see items: the difference to a point first, then the offset of the image.

use alloc::vec::Vec;

use super::Periodic;
use super::images::{Images, LAST, MOST_IMAGES, by_image};
use super::skew::Skew;
use crate::error::Error;
use crate::nearest::{Closest, Nearest, Ranked};
use crate::norm::{DistanceBy, Norm, least_measure};
use crate::overlap::distance::Center;
use crate::overlap::{Distance, Extent, Overlaps};
use crate::query::SpatialIndex;
use crate::shape::{Aabb, Bounded, Layout, Sphere};
use crate::vector::{Scalar, Vector, Voxel};
use crate::voxel::floor;

/// An item and its image that is near, with the squared distance.
type NearestImage<K, V> = Nearest<(K, <V as Vector>::Voxel), <V as Vector>::Scalar>;

/// The first and last image on each axis.
type Block = [(i64, i64); 4];

/// The best so far of all images.
struct Best<K, V: Vector> {
    list: Vec<NearestImage<K, V>>,
    n: usize,
    limit_sq: V::Scalar,
    /// Whether items are missing, or far, that the bounds of all say to be near: those of a
    /// [`SavedOrthtree`](crate::SavedOrthtree) may have been altered. More images would have no more.
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

    /// Drops all but the best `n`.
    fn drop_worst(&mut self) {
        self.list.sort_unstable_by(|a, b| {
            let key = |near: &NearestImage<K, V>| Ranked(near.distance_sq, near.item.0);
            let order = key(a).cmp(&key(b));
            order.then_with(|| by_image(&a.item.1, &b.item.1))
        });
        self.list.truncate(self.n);
        if self.list.len() == self.n {
            self.limit_sq = self.list[self.n - 1].distance_sq;
        }
    }
}

impl<V: Vector> Periodic<V> {
    /// The item of which an image is nearest to a point, with that image; of several, that with the least key, then
    /// the first image. `None` in an empty structure, and for a point that is not finite.
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
    /// Those of [`nearest_n_within`](Self::nearest_n_within).
    #[allow(
        clippy::type_complexity,
        reason = "an answer, or none, or why there are none: each part has its name"
    )]
    pub fn nearest<S>(
        &self,
        index: &S,
        point: V,
    ) -> Result<Option<Nearest<(S::Key, V::Voxel), V::Scalar>>, Error>
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
    /// Those of [`nearest_n_within`](Self::nearest_n_within).
    #[allow(clippy::type_complexity, reason = "each part has its name")]
    pub fn nearest_n<S>(
        &self,
        index: &S,
        point: V,
        n: usize,
    ) -> Result<Vec<Nearest<(S::Key, V::Voxel), V::Scalar>>, Error>
    where
        S: SpatialIndex<Vector = V>,
        S::Item: Distance,
        Sphere<V>: Overlaps<S::Item>,
    {
        self.nearest_n_within(index, point, n, V::Scalar::INFINITY)
    }

    /// The same of those within a radius of the point, as
    /// [`SpatialIndex::nearest_n_within`] has it. The distance of an image `k` is that of the item by the differences
    /// `(p - point) + offset(k)`, each operation rounded once; of items that are neither points, boxes nor balls it is that from
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
    /// If they may lie in more images than [`query`](Self::query) goes through.
    ///
    /// # Complexity
    ///
    /// That of [`SpatialIndex::nearest_n`] for each image that may hold one of them: mostly 1 to 4 in the plane, and
    /// 1 to 8 in space.
    #[allow(clippy::type_complexity, reason = "each part has its name")]
    pub fn nearest_n_within<S>(
        &self,
        index: &S,
        point: V,
        n: usize,
        radius: V::Scalar,
    ) -> Result<Vec<Nearest<(S::Key, V::Voxel), V::Scalar>>, Error>
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
            let offset = self.offset(image);
            let center = Center { at: point, offset };
            let moved = center.moved();
            if !center.is_finite()
                || moved.non_finite_axis().is_some()
                || is_beyond::<S::Item>(&extent, &center, best.limit_sq)
            {
                return;
            }
            let mut of_image = Closest::several(n, best.limit_sq);
            index.offer_nearest(&center, &mut of_image);
            let found = of_image.found_all();
            let far_sq = center.far_sq(&extent.core);
            let far_sq = far_sq + far_sq;
            if far_sq < best.limit_sq {
                let is_near = |last: &Nearest<_, V::Scalar>| last.distance_sq <= far_sq;
                let all_near = found.last().is_some_and(is_near);
                best.is_odd |= !all_near || found.len() < n.min(index.len());
            }
            best.take(found, image);
        };

        let middle = self.short_image_between(extent.core.center(), point);
        let mut known: Option<Block> = None;
        let is_known = |known: Option<&Block>, image: V::Voxel| {
            let is_between = |block: &Block, axis: usize| {
                let number = self.short_number(axis, image);
                (i128::from(block[axis].0)..=i128::from(block[axis].1)).contains(&number)
            };
            known.is_some_and(|block| (0..V::DIM).all(|axis| is_between(block, axis)))
        };
        let (mut around, most) = match self.least_around(n.div_ceil(index.len().max(1))) {
            Some(around) => (around, MOST_IMAGES),
            None => (0, 0),
        };
        loop {
            let block = self.block(middle, around)?;
            Images::block(block)
                .filter_map(|short| match &self.skew {
                    Some(skew) => skew.image_of_short(short),
                    None => Some(short),
                })
                .filter(|&image| !is_known(known.as_ref(), image))
                .for_each(|image| offer(image, &mut best));
            known = Some(block);
            best.drop_worst();
            let axis = (0..V::DIM).find(|&axis| self.height(axis) > 0.0);
            let Some(axis) = axis.filter(|_| !best.is_odd) else {
                return Ok(best.list);
            };
            let images = match self.ball_around::<S::Item>(&extent, point, best.limit_sq) {
                Some((ball, beyond)) => self.images_in_ball::<S>(&extent, &ball, beyond),
                None => Err(Error::TooManyImages { region: 0, axis }),
            };
            match images {
                Ok(images) => {
                    images
                        .filter(|&image| !is_known(known.as_ref(), image))
                        .for_each(|image| offer(image, &mut best));
                    best.drop_worst();
                    return Ok(best.list);
                }
                // What comes from a few more may tell that the others are too far.
                Err(_) if around < most => around = (2 * around + 1).min(most),
                Err(error) => return Err(error),
            }
        }
    }

    /// The `n` items nearest to a point within a radius, as it sees them in one image: by distance, ties by key. None for a
    /// point or an image that is not finite, or a radius that is negative or NaN.
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
    /// That of [`SpatialIndex::nearest_n_within`].
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
        let Some(center) = self
            .center_in(point, image)
            .filter(|_| n > 0 && radius >= Scalar::ZERO)
        else {
            return Vec::new();
        };
        let mut best = Closest::several(n, radius * radius);
        index.offer_nearest(&center, &mut best);
        best.found_all()
    }

    /// The `n` items nearest to a point by a norm, as [`nearest_n_in_image`](Self::nearest_n_in_image) finds them by Euclid's:
    /// each with its measure in place of the squared distance.
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
    /// That of [`nearest_n_in_image`](Self::nearest_n_in_image), node by node without vector instructions.
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
        let Some(center) = self
            .center_in(point, image)
            .filter(|_| n > 0 && radius >= Scalar::ZERO)
        else {
            return Vec::new();
        };
        let mut best = Closest::several(n, norm.measure_of(radius));
        let near = |cell: &Aabb<V>| norm.measure(V::from_fn(|a| center.near_on(a, cell)));
        if S::Item::IS_ROUNDED && !S::Item::HAS_RADIUS && S::Item::LAYOUT != Layout::Whole {
            index.offer_best_first(
                |extent| near(&extent.core),
                |item| near(&item.core()),
                &mut best,
            );
        } else {
            // Norms measure balls and bodies on their own.
            let moved = center.moved();
            index.offer_best_first(
                |extent| least_measure::<S::Item, N>(norm, moved, extent),
                |item| item.measure(norm, moved),
                &mut best,
            );
        }
        best.found_all()
    }

    /// A point that sees items in an image; `None` beyond the finite numbers.
    fn center_in(&self, point: V, image: V::Voxel) -> Option<Center<V>> {
        let offset = self.offset(image);
        let center = Center { at: point, offset };
        center.is_finite().then_some(center)
    }

    /// How many images on either side are at least so many in all; `None` if that is more than are gone through.
    fn least_around(&self, many: usize) -> Option<i64> {
        let axes = (0..V::DIM).filter(|&axis| self.height(axis) > 0.0);
        let axes = axes.count() as u32;
        let all = |around: i64| (2 * around as usize + 1).saturating_pow(axes);
        (0..=MOST_IMAGES).find(|&around| axes == 0 || all(around) >= many)
    }

    /// The number of an image on an axis, or in a skewed cell for one of the shortest vectors of its lattice.
    fn short_number(&self, axis: usize, image: V::Voxel) -> i128 {
        match &self.skew {
            Some(skew) => skew.number_of_short(axis, image),
            None => image.axis(axis).into(),
        }
    }

    /// The images around one.
    fn block(&self, middle: [i64; 4], around: i64) -> Result<Block, Error> {
        let mut block = [(0, 0); 4];
        for axis in (0..V::DIM).filter(|&axis| self.height(axis) > 0.0) {
            if middle[axis].abs() > LAST - MOST_IMAGES {
                return Err(Error::TooManyImages { region: 0, axis });
            }
            block[axis] = (middle[axis] - around, middle[axis] + around);
        }
        Ok(block)
    }

    /// The image of one point that is near another: the offset of `k` leads from `point` to `place`, but for less than about half of
    /// each vector. `None` if 32-bit integers do not number it.
    ///
    /// ```
    /// use orthant::{Aabb, Periodic, glam::{IVec2, Vec2}};
    /// let periodic = Periodic::on_axes(Aabb::new(Vec2::ZERO, Vec2::splat(10.0)), [true, false]);
    /// let place = Vec2::new(-25.5, 12.0);
    /// let wrapped = periodic.wrap(place);
    /// let image = periodic.image_near(wrapped, place).unwrap();
    /// assert_eq!((wrapped, image), (Vec2::new(4.5, 12.0), IVec2::new(-3, 0)));
    /// assert_eq!(wrapped + periodic.offset(image), place);
    /// ```
    #[must_use]
    pub fn image_near(&self, point: V, place: V) -> Option<V::Voxel> {
        let image = self.image_between(point, place);
        let are_numbers = image.iter().all(|&k| i32::try_from(k).is_ok());
        let is_finite = [point, place].iter().all(|p| p.non_finite_axis().is_none());
        (are_numbers && is_finite).then(|| V::Voxel::from_fn(|a| image[a] as i32))
    }

    /// The image of one place that is near another; far beyond numbers of images where they are far apart.
    fn image_between(&self, place: V, other: V) -> [i64; 4] {
        self.numbers_between(place, other, Skew::times)
    }

    /// The image of one place that is near another, by [`short_number`](Self::short_number): where vectors lean over each other,
    /// it is nearer, and the images beside it are those around it.
    fn short_image_between(&self, place: V, other: V) -> [i64; 4] {
        self.numbers_between(place, other, Skew::times_of_short)
    }

    fn numbers_between(
        &self,
        place: V,
        other: V,
        times: impl Fn(&Skew<V>, usize, &[f64; 4]) -> f64,
    ) -> [i64; 4] {
        let mut apart = [0.0; 4];
        for (axis, apart) in apart.iter_mut().enumerate().take(V::DIM) {
            *apart = other.axis(axis).into() - place.axis(axis).into();
        }
        crate::simd::from_fn(|axis| {
            let times = match &self.skew {
                _ if axis >= V::DIM || self.height(axis) == 0.0 => return 0,
                Some(skew) => times(skew, axis, &apart),
                None => apart[axis] / self.height(axis),
            };
            floor(times + 0.5)
        })
    }

    /// A ball that reaches every image that may hold what is within a squared distance of a point, and how far the items
    /// lie from it along open axes, which is taken off the radius; `None` if that is infinite.
    fn ball_around<T: Bounded<Vector = V>>(
        &self,
        extent: &Extent<V>,
        point: V,
        within_sq: V::Scalar,
    ) -> Option<(Sphere<V>, f64)> {
        let items = extent.core.grown(extent.most);
        let (mut below, mut above, mut sizes) = ([0.0; 4], [0.0; 4], 0.0);
        for axis in 0..V::DIM {
            let (min, max): (f64, f64) =
                (items.min().axis(axis).into(), items.max().axis(axis).into());
            let at: f64 = point.axis(axis).into();
            (below[axis], above[axis]) = (min - at, max - at);
            sizes += min.abs() + max.abs() + at.abs();
        }
        // Along open axes all images are equally far from the point.
        let epsilon: f64 = V::Scalar::EPSILON.into();
        let open = (0..V::DIM).filter(|&axis| self.height(axis) == 0.0);
        let open_sq: f64 = open
            .map(|axis| {
                // Offsets are rounded on all axes that a leaning vector has a part on.
                let (below, above, rounded) = match &self.skew {
                    Some(skew) => {
                        let (least, most) = skew.least_and_most(axis, &below, &above);
                        (least, most, 64.0 * epsilon * sizes)
                    }
                    None => (below[axis], above[axis], 0.0),
                };
                let apart = (below.max(-above) - rounded).max(0.0);
                apart * apart
            })
            .sum();
        let within_sq: f64 = within_sq.into();
        let left_sq = within_sq * (1.0 + 32.0 * epsilon) - open_sq;
        let vanishing = 4.0 * Scalar::sqrt(V::Scalar::MIN_POSITIVE.into());
        // Points, boxes and balls take one difference of coordinates. Others may round more often.
        let rounded = if T::IS_ROUNDED { 4.0 } else { 32.0 };
        let radius = Scalar::sqrt(left_sq.max(0.0)) + rounded * epsilon * sizes + vanishing;
        let ball = Sphere::try_new(point, V::Scalar::from_f64(radius).next_up()).ok()?;
        Some((ball, Scalar::sqrt(open_sq)))
    }
}

/// Whether all items are farther away than a squared distance, as each is measured.
fn is_beyond<T: Bounded>(
    extent: &Extent<T::Vector>,
    center: &Center<T::Vector>,
    limit_sq: <T::Vector as Vector>::Scalar,
) -> bool {
    let axes = <T::Vector as Vector>::DIM;
    if T::IS_ROUNDED && !T::HAS_RADIUS && T::LAYOUT != Layout::Whole {
        // Points and boxes are measured by the same expression, which is monotone.
        let square = |axis| {
            let near = center.near_on(axis, &extent.core);
            near * near
        };
        return (1..axes).fold(square(0), |sum, axis| sum + square(axis)) > limit_sq;
    }
    let epsilon: f64 = <T::Vector as Vector>::Scalar::EPSILON.into();
    let point = center.moved();
    let items = extent.core.grown(extent.most);
    let near_sq: f64 = items.distance_sq(point).into();
    let most = |v: T::Vector| (0..axes).fold(0.0, |most: f64, a| most.max(v.axis(a).abs().into()));
    let sizes = most(items.min()) + most(items.max()) + most(point);
    let near = Scalar::sqrt(near_sq) - sizes * (32.0 * epsilon);
    near > 0.0 && near * near * (1.0 - 32.0 * epsilon) > limit_sq.into()
}
