//! Periodic boxes: a region asked for with all its images.
//!
//! The region is asked once for each image in which it may see items ([`image`]): structures stay as they are and know of no
//! period, nothing is copied, and radii may be as long as the box and longer. Pruning and items go by one expression, so that
//! the answer of every structure is that of the scan, bit for bit. Rejected: the nearest image alone (wrong for radii beyond
//! half the box), ghost items (copies to be kept up to date, for one radius), a center that is moved by the offset (two points
//! then disagree on whether they are near).

mod groups;
mod image;
mod images;
mod lattice_in_box;
mod nearest;
#[cfg(feature = "serde")]
mod serial;
mod skew;

use alloc::vec::Vec;

pub use images::Translate;
pub(crate) use images::{MOST_IMAGES, by_image};

use crate::error::{Error, or_panics, reserve};
use crate::lists::Lists;
use crate::overlap::{Extent, Overlaps, Region, Relation};
use crate::query::SpatialIndex;
use crate::shape::{Aabb, Bounded};
use crate::vector::{Scalar, Vector, Voxel, assert_structure};
use crate::voxel::floor;
use image::Image;
use images::Images;
use skew::Skew;

/// A box whose opposite faces are one, on all axes or some: items in it have images, moved by whole
/// box lengths. Or a cell of any shape that vectors span ([`spanned`](Self::spanned)), with images moved
/// by whole vectors, all of them or some ([`spanned_along`](Self::spanned_along)).
///
/// Asks any [`SpatialIndex`] for regions that can be moved ([`Translate`]). An answer `(item, k)` says that the item, moved by `k` box lengths, overlaps
/// the region; an item comes as often as it has images that do. The answer is that of a scan over all `k` whatsoever, also for
/// items and regions outside the box. All pairs within a radius are found at once by a [`CellList`](crate::CellList).
///
/// Exactly, it is the plain predicate with `(p - c) + offset(k)` for the difference `p - c` of a coordinate of the item and one
/// of the region, each operation rounded once. That is the negative of what the item would see of the region, so that the answer does
/// not depend on who asks. It goes for points, boxes and balls as items, bodies too, and for balls, shells and boxes as regions;
/// for points and boxes also for ellipsoids and balls by other norms. All other regions are moved by `-offset(k)`, and so are
/// all for items that are none of these.
///
/// ```
/// use orthant::{Aabb, Octree, Periodic, Sphere, glam::{IVec3, Vec3}};
/// let periodic = Periodic::new(Aabb::new(Vec3::ZERO, Vec3::splat(10.0)));
/// let tree = Octree::new(&[Vec3::splat(9.5), Vec3::splat(5.0)]);
/// let corner = Sphere::new(Vec3::ZERO, 1.0);
/// let near: Vec<_> = periodic.query(&tree, corner)?.collect();
/// assert_eq!(near, [(0, IVec3::NEG_ONE)]);
/// assert_eq!(Vec3::splat(9.5) + periodic.offset(near[0].1), Vec3::splat(-0.5));
/// # Ok::<(), orthant::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Periodic<V: Vector> {
    bounds: Aabb<V>,
    /// 0 on axes that are not periodic.
    lengths: V,
    /// Its faces are not aligned with the axes.
    skew: Option<Skew<V>>,
}

impl<V: Vector> Periodic<V> {
    or_panics! {
        /// The box that is periodic on all axes.
        Periodic: new = try_new(bounds: Aabb<V>)
    }

    /// The box that is periodic on all axes.
    ///
    /// # Errors
    ///
    /// If a length is zero or overflows.
    pub fn try_new(bounds: Aabb<V>) -> Result<Self, Error> {
        Self::try_on_axes(bounds, V::axes(true))
    }

    or_panics! {
        /// The box that is periodic on those axes that are marked in an ordinary array, such as
        /// `[true, true, false]`, whatever the vectors are. Others have no end: of the box, only the extent on periodic axes counts.
        Periodic: on_axes = try_on_axes(bounds: Aabb<V>, periodic: V::Axes<bool>)
    }

    /// The box that is periodic on those axes that are marked.
    ///
    /// ```
    /// use orthant::{Aabb, Linear, Periodic, Sphere};
    /// let slit = Periodic::try_on_axes(Aabb::new([0.0, 0.0], [4.0, 0.0]), [true, false])?;
    /// let scan = Linear::new(&[[3.5, 7.0]]);
    /// assert_eq!(slit.count(&scan, Sphere::new([0.0, 7.0], 1.0))?, 1);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a length on such an axis is zero or overflows.
    pub fn try_on_axes(bounds: Aabb<V>, periodic: V::Axes<bool>) -> Result<Self, Error> {
        const { assert_structure::<V>() }
        let size = bounds.size();
        let lengths = V::from_fn(|a| {
            if periodic.as_ref()[a] {
                size.axis(a)
            } else {
                V::Scalar::ZERO
            }
        });
        for (axis, &periodic) in periodic.as_ref().iter().enumerate() {
            let length = size.axis(axis);
            if periodic && !(length.is_finite() && length > V::Scalar::ZERO) {
                return Err(Error::BoxLength {
                    axis,
                    length: length.into(),
                });
            }
        }
        Ok(Self {
            bounds,
            lengths,
            skew: None,
        })
    }

    /// The same in other vectors.
    pub(crate) fn cast<U>(&self) -> Periodic<U>
    where
        U: Vector<Array = V::Array, Scalar = V::Scalar>,
    {
        Periodic {
            bounds: self.bounds.cast(),
            lengths: U::of_array(self.lengths.array()),
            skew: self.skew.as_ref().map(Skew::cast),
        }
    }

    /// The periodic box. For a skewed cell, a box around its periodic part.
    #[must_use]
    pub fn bounds(&self) -> Aabb<V> {
        self.bounds
    }

    /// The lengths of the box, rounded; 0 on axes that are not periodic. Of a skewed cell, how far its
    /// faces are apart; 0 for vectors along which it is not periodic.
    #[must_use]
    pub fn lengths(&self) -> V {
        self.lengths
    }

    /// How far an image lies from its item: `k * length` on each axis, rounded. Of a skewed cell, the
    /// sum of `k * vector`, from the first to the last, each operation rounded.
    #[inline]
    #[must_use]
    pub fn offset(&self, image: V::Voxel) -> V {
        if let Some(skew) = &self.skew {
            return skew.offset(image);
        }
        V::from_fn(|a| V::Scalar::from_f64(image.axis(a).into()) * self.lengths.axis(a))
    }

    /// The image of a point in the box, in `[min, max)` on periodic axes; a coordinate that lies there
    /// stays as it is, others are rounded. Infinities and NaN stay too.
    ///
    /// ```
    /// use orthant::{Aabb, Periodic};
    /// let periodic = Periodic::on_axes(Aabb::new([-2.0; 2], [2.0; 2]), [true, false]);
    /// assert_eq!(periodic.wrap([2.0, 2.0]), [-2.0, 2.0]);
    /// assert_eq!(periodic.wrap([-7.5, 9.0]), [0.5, 9.0]);
    /// ```
    #[must_use]
    pub fn wrap(&self, point: V) -> V {
        if let Some(skew) = &self.skew {
            return skew.wrap(point);
        }
        V::from_fn(|a| self.wrap_on(a, point.axis(a)))
    }

    fn wrap_on(&self, axis: usize, x: V::Scalar) -> V::Scalar {
        let (min, max) = (self.bounds.min().axis(axis), self.bounds.max().axis(axis));
        let length: f64 = self.lengths.axis(axis).into();
        if length == 0.0 || (min <= x && x < max) || !x.is_finite() {
            return x;
        }
        let past = (x.into() - min.into()) % length;
        let past = if past < 0.0 { past + length } else { past };
        // The upper face is the lower one; so is NaN, where the difference overflows.
        let wrapped = V::Scalar::from_f64(min.into() + past);
        if min <= wrapped && wrapped < max {
            wrapped
        } else {
            min
        }
    }

    /// How to get from one point to the nearest image of another: `(to - from) + offset(k)` on each axis, each operation
    /// rounded, where `k` is the image for which this is shortest. On the axes of a box each is the shortest by itself; in a
    /// skewed cell the squared length decides. The way back is the exact negative, also where two images are as near. On axes that
    /// are not periodic it is `to - from`.
    ///
    /// Points so far away that 32-bit integers do not number their images are [wrapped](Self::wrap) first. In a skewed cell more than
    /// 10 000 images may be in question, where it is thousands of times as long as thick or rounding is coarser than a vector is
    /// long: then the shortest of those counts that are beside the nearest by numbers of its vectors. O(1).
    ///
    /// ```
    /// use orthant::{Aabb, Periodic, glam::Vec3};
    /// let periodic = Periodic::on_axes(Aabb::new(Vec3::ZERO, Vec3::splat(10.0)), [true, true, false]);
    /// let (a, b) = (Vec3::new(1.0, 5.0, 1.0), Vec3::new(9.5, 6.0, 9.0));
    /// assert_eq!(periodic.displacement(a, b), Vec3::new(-1.5, 1.0, 8.0));
    /// ```
    #[must_use]
    pub fn displacement(&self, from: V, to: V) -> V {
        let apart = |from: V, to: V| V::from_fn(|a| to.axis(a) - from.axis(a));
        if let Some(skew) = &self.skew {
            let apart_wrapped = || apart(self.wrap(from), self.wrap(to));
            let straight = apart(from, to);
            let nearest = skew.shortest(straight);
            return nearest
                .or_else(|| skew.shortest(apart_wrapped()))
                .unwrap_or(straight);
        }
        V::from_fn(|axis| {
            let (from, to) = (from.axis(axis), to.axis(axis));
            let straight = to - from;
            if self.lengths.axis(axis) == V::Scalar::ZERO {
                return straight;
            }
            let nearest = self.shortest_on(axis, straight);
            nearest.unwrap_or_else(|| {
                let apart = self.wrap_on(axis, to) - self.wrap_on(axis, from);
                self.shortest_on(axis, apart).unwrap_or(apart)
            })
        })
    }

    /// The shortest of a difference and its images on an axis of a box; `None` where they cannot be numbered. That of
    /// the opposite difference is the opposite: a negative one is asked as a positive one.
    fn shortest_on(&self, axis: usize, straight: V::Scalar) -> Option<V::Scalar> {
        let zero = V::Scalar::ZERO;
        let length = self.lengths.axis(axis);
        let size = straight.abs();
        let boxes = size.into() / length.into();
        if boxes.is_nan() || boxes >= f64::from(i32::MAX - 2) {
            return None;
        }
        let middle = floor(boxes + 0.5);
        let by = |boxes: i64| size - V::Scalar::from_f64(boxes as f64) * length;
        let shorter = |a: V::Scalar, b: V::Scalar| if b.abs() < a.abs() { b } else { a };
        let shortest = shorter(shorter(by(middle - 1), by(middle)), by(middle + 1));
        Some(if straight < zero {
            zero - shortest
        } else {
            shortest
        })
    }

    /// The items that overlap an image of a region, lazily, each with the image of the item that
    /// overlaps the region. Image by image, axis 0 fastest, and each in the structure's order.
    ///
    /// # Errors
    ///
    /// If the region may reach more than a hundred images on either side on an axis, as the radius of a
    /// [`CellList`](crate::CellList) may not (those over which the items themselves are spread aside), or images that 32-bit
    /// integers do not number.
    ///
    /// # Complexity
    ///
    /// That of a query for each image that may reach the items.
    pub fn query<'a, S, R>(
        &self,
        index: &'a S,
        region: R,
    ) -> Result<impl Iterator<Item = (S::Key, V::Voxel)> + use<'a, V, S, R>, Error>
    where
        S: SpatialIndex<Vector = V>,
        R: Translate + Region<Vector = V> + Overlaps<S::Item>,
    {
        let extent = index.extent();
        let images = self.images::<S, R>(extent.as_ref(), &region, 0)?;
        Ok(self.answers(index, extent, images, region))
    }

    /// The number of answers that [`query`](Self::query) gives. Items of nodes that lie inside an image
    /// are not touched.
    ///
    /// # Errors
    ///
    /// Those of [`query`](Self::query).
    pub fn count<S, R>(&self, index: &S, region: R) -> Result<usize, Error>
    where
        S: SpatialIndex<Vector = V>,
        R: Translate + Region<Vector = V> + Overlaps<S::Item>,
    {
        let extent = index.extent();
        let images = self.images::<S, R>(extent.as_ref(), &region, 0)?;
        Ok(self
            .moved::<S, R>(extent, images, region)
            .map(|(_, moved)| index.query(moved).count())
            .sum())
    }

    /// The region as it sees items of type `T` in one image: to ask a structure, or an item, image by image. `None` where the
    /// image or the moved region is beyond the finite numbers. O(1).
    ///
    /// ```
    /// use orthant::{Aabb, Octree, Periodic, Sphere, glam::{IVec3, Vec3}};
    /// let periodic = Periodic::new(Aabb::new(Vec3::ZERO, Vec3::splat(10.0)));
    /// let tree = Octree::new(&[Vec3::splat(9.5), Vec3::ONE]);
    /// let ball = Sphere::new(Vec3::ZERO, 1.0);
    /// let seen = periodic.in_image::<Vec3, _>(&ball, IVec3::NEG_ONE).unwrap();
    /// assert!(tree.query(seen).eq([0]));
    /// ```
    pub fn in_image<T, R>(
        &self,
        region: &R,
        image: V::Voxel,
    ) -> Option<impl Region<Vector = V> + Overlaps<T> + use<V, T, R>>
    where
        T: Bounded<Vector = V>,
        R: Translate + Region<Vector = V> + Overlaps<T>,
    {
        Image::new::<T>(region, self.offset(image))
    }

    /// The answers to many regions at once: list `i` is what [`query`](Self::query) gives for region
    /// `i`, in the same order. On several threads with the feature `rayon`.
    ///
    /// ```
    /// use orthant::{Aabb, Octree, Periodic, Sphere, glam::{IVec3, Vec3}};
    /// let points = [Vec3::splat(0.5), Vec3::splat(9.5)];
    /// let balls = points.map(|p| Sphere::new(p, 2.0));
    /// let periodic = Periodic::new(Aabb::new(Vec3::ZERO, Vec3::splat(10.0)));
    /// let lists = periodic.query_batch(&Octree::new(&points), &balls)?;
    /// assert_eq!(lists[1], [(1, IVec3::ZERO), (0, IVec3::ONE)]);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`query`](Self::query); the error names the region. And [`Error::OutOfMemory`].
    #[allow(
        clippy::type_complexity,
        reason = "lists of answers, or why there are none: each part has its name"
    )]
    pub fn query_batch<S, R>(
        &self,
        index: &S,
        regions: &[R],
    ) -> Result<Lists<(S::Key, V::Voxel)>, Error>
    where
        S: SpatialIndex<Vector = V> + Sync,
        R: Translate + Region<Vector = V> + Overlaps<S::Item> + Clone + Sync,
    {
        let extent = index.extent();
        let questions: Vec<_> = regions
            .iter()
            .enumerate()
            .map(|(index, region)| {
                let images = self.images::<S, R>(extent.as_ref(), region, index)?;
                Ok((images, region))
            })
            .collect::<Result<_, Error>>()?;
        Lists::collect(&questions, |(images, region), found| {
            for answer in self.answers(index, extent, images.clone(), (*region).clone()) {
                reserve(found, 1)?;
                found.push(answer);
            }
            Ok(())
        })
    }

    fn answers<'a, S, R>(
        &self,
        index: &'a S,
        extent: Option<Extent<V>>,
        images: Images<V::Voxel>,
        region: R,
    ) -> impl Iterator<Item = (S::Key, V::Voxel)> + use<'a, V, S, R>
    where
        S: SpatialIndex<Vector = V>,
        R: Translate + Region<Vector = V> + Overlaps<S::Item>,
    {
        self.moved::<S, R>(extent, images, region)
            .flat_map(move |(k, moved)| index.query(moved).map(move |key| (key, k)))
    }

    /// The region as it sees each image of the items, where it may overlap one.
    fn moved<S, R>(
        &self,
        extent: Option<Extent<V>>,
        images: Images<V::Voxel>,
        region: R,
    ) -> impl Iterator<Item = (V::Voxel, Image<V, R>)> + use<V, S, R>
    where
        S: SpatialIndex<Vector = V>,
        R: Translate + Region<Vector = V> + Overlaps<S::Item>,
    {
        let periodic = *self;
        images.filter_map(move |k| {
            let moved = Image::new::<S::Item>(&region, periodic.offset(k))?;
            let relation = extent.as_ref()?.relate::<S::Item>(&moved);
            (relation != Relation::Outside).then_some((k, moved))
        })
    }
}
