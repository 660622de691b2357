//! Queries by a region and all its images.

use super::image::Image;
use super::images::Outline;
use super::{Periodic, Translate};
use crate::error::{Error, reserve};
use crate::lists::Lists;
use crate::overlap::{Extent, Overlaps, Region, Relation};
use crate::query::SpatialIndex;
use crate::shape::Bounded;
use crate::vector::Vector;

impl<V: Vector> Periodic<V> {
    /// The items that have images that overlap a region, lazily, each with such an image. They come image by image,
    /// axis 0 fastest, and in each image in the structure's order.
    ///
    /// # Errors
    ///
    /// If the region may reach more than a hundred images on either side of an axis, which is also the limit of a
    /// [`CellList`](crate::CellList) (images over which the items themselves are spread do not count), or images that
    /// 32-bit integers do not number.
    ///
    /// # Complexity
    ///
    /// A query for each image that may reach the items.
    pub fn query<'a, S, R>(
        &self,
        index: &'a S,
        region: R,
    ) -> Result<impl Iterator<Item = (S::Key, V::Voxel)> + use<'a, V, S, R>, Error>
    where
        S: SpatialIndex<Vector = V>,
        R: Translate + Region<Vector = V> + Overlaps<S::Item>,
    {
        let moved = self.moved(index, index.extent(), region, 0)?;
        Ok(moved.flat_map(move |(k, moved)| index.query(moved).map(move |key| (key, k))))
    }

    /// The number of answers that [`query`](Self::query) gives. Items of nodes that lie inside the region are counted
    /// without a test.
    ///
    /// # Errors
    ///
    /// The errors of [`query`](Self::query).
    pub fn count<S, R>(&self, index: &S, region: R) -> Result<usize, Error>
    where
        S: SpatialIndex<Vector = V>,
        R: Translate + Region<Vector = V> + Overlaps<S::Item>,
    {
        let moved = self.moved(index, index.extent(), region, 0)?;
        Ok(moved.map(|(_, moved)| index.count(moved)).sum())
    }

    /// The region that tests items of type `T` in one image, for queries and tests image by image. `None` where the
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
    /// The errors of [`query`](Self::query); the error names the region. And [`Error::OutOfMemory`].
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
        // Name the first region that is refused, whichever thread gets to one first.
        for (number, region) in regions.iter().enumerate() {
            if let Some(extent) = &extent {
                let outline = Outline::new::<S::Item, R>(region);
                self.reached(extent, &outline, number, &self.lattice.heights)?;
            }
        }
        Lists::collect(regions.len(), &|number, found| {
            let region = regions[number].clone();
            for (k, moved) in self.moved(index, extent, region, number)? {
                for key in index.query(moved) {
                    reserve(found, 1)?;
                    found.push((key, k));
                }
            }
            Ok(())
        })
    }

    /// The images in which the region may overlap items, each with the region that tests items there; errors name the region
    /// by `number`.
    fn moved<S, R>(
        &self,
        index: &S,
        extent: Option<Extent<V>>,
        region: R,
        number: usize,
    ) -> Result<impl Iterator<Item = (V::Voxel, Image<V, R>)> + use<V, S, R>, Error>
    where
        S: SpatialIndex<Vector = V>,
        R: Translate + Region<Vector = V> + Overlaps<S::Item>,
    {
        let outline = Outline::new::<S::Item, R>(&region);
        let images = extent
            .as_ref()
            .map(|extent| self.images_of_items(index, extent, &outline, number));
        let lattice = self.lattice;
        let images = images.transpose()?.into_iter().flatten();
        Ok(images.filter_map(move |k| {
            let moved = Image::new::<S::Item>(&region, lattice.offset(k))?;
            let relation = extent.as_ref()?.relate::<S::Item>(&moved);
            (relation != Relation::Outside).then_some((k, moved))
        }))
    }
}
