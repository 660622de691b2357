//! Pairs and neighbors in a periodic box, each with the image in which it is near.

use alloc::vec::Vec;

use super::CellList;
use crate::lists::{Listed, Lists};
use crate::periodic::by_image;
use crate::vector::{Scalar, Vector, Voxel};

/// Pairs of points of the list, with their images: O(n + answer) for points that are spread evenly about each other,
/// O(n²) at worst.
impl<V: Vector> CellList<V> {
    /// Calls `f` with each pair as [`for_each_pair`](Self::for_each_pair) does, and with the image of the second point: the
    /// `S` of ASE and matscipy, for points that are [wrapped](crate::Periodic::wrap) into the box, as the list wraps its own.
    /// Where the list is not periodic, it is 0.
    ///
    /// ```
    /// use orthant::{Aabb, CellList, Periodic, glam::{IVec3, Vec3}};
    /// let periodic = Periodic::new(Aabb::new(Vec3::ZERO, Vec3::splat(10.0)));
    /// let points = [Vec3::splat(5.0) - Vec3::X * 4.5, Vec3::splat(5.0) + Vec3::X * 4.5];
    /// let cells = CellList::new_periodic(&points, 1.0, periodic);
    /// cells.for_each_pair_in_images(|i, j, image, displacement, distance_sq| {
    ///     assert_eq!((i, j, image), (0, 1, IVec3::NEG_X));
    ///     assert_eq!(points[j] + periodic.offset(image), points[i] + displacement);
    ///     assert_eq!(distance_sq, 1.0);
    /// });
    /// ```
    pub fn for_each_pair_in_images(&self, mut f: impl FnMut(usize, usize, V::Voxel, V, V::Scalar)) {
        self.each(None, |pair| {
            let (i, j, displacement, distance_sq) = pair.parts();
            let image = V::Voxel::from_fn(|a| pair.image[a].into());
            f(i, j, image, displacement, distance_sq);
        });
    }

    /// The neighbors of every point, each with the image in which it is near and the displacement to it: list `i`
    /// is that of point `i`, the point itself included, by index, then by image, axis 0 fastest.
    ///
    /// ```
    /// use orthant::{Aabb, CellList, Periodic, glam::{IVec2, Vec2}};
    /// let periodic = Periodic::new(Aabb::new(Vec2::ZERO, Vec2::splat(2.0)));
    /// let cells = CellList::new_periodic(&[Vec2::splat(0.5)], 2.0, periodic);
    /// let near = cells.neighbors_in_images();
    /// let images: Vec<IVec2> = near[0].iter().map(|near| near.image).collect();
    /// assert_eq!(images, [IVec2::NEG_Y, IVec2::NEG_X, IVec2::ZERO, IVec2::X, IVec2::Y]);
    /// assert_eq!(near[0][1].displacement, Vec2::new(-2.0, 0.0));
    /// ```
    #[must_use]
    pub fn neighbors_in_images(&self) -> Lists<NeighborInImage<V>> {
        let mut lists: Vec<Vec<NeighborInImage<V>>> = Vec::new();
        lists.resize_with(self.len(), Vec::new);
        let mut add = |list: usize, index, image, displacement, distance_sq| {
            lists[list].push(NeighborInImage {
                index,
                image,
                displacement,
                distance_sq,
            });
        };
        let zero = V::Scalar::ZERO;
        // Each point is its own neighbor.
        for index in 0..self.len() {
            add(index, index, Voxel::from_fn(|_| 0), V::splat(zero), zero);
        }
        // List each pair from both ends.
        self.for_each_pair_in_images(|i, j, image, displacement, distance_sq| {
            add(i, j, image, displacement, distance_sq);
            let back = V::from_fn(|a| zero - displacement.axis(a));
            add(j, i, Voxel::from_fn(|a| -image.axis(a)), back, distance_sq);
        });
        // Sort by index, then by image.
        for list in &mut lists {
            list.sort_unstable_by(|a, b| {
                a.index
                    .cmp(&b.index)
                    .then_with(|| by_image(&a.image, &b.image))
            });
        }
        lists.into_iter().collect()
    }
}

/// A neighbor in a periodic box, as [`CellList::neighbors_in_images`] lists it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NeighborInImage<V: Vector> {
    /// The index of the point that is near.
    pub index: usize,
    /// The image that is near: the point moved by [`Periodic::offset`](crate::Periodic::offset) of this.
    pub image: V::Voxel,
    /// The displacement from the point that has the neighbor to the image.
    pub displacement: V,
    /// The square of its length.
    pub distance_sq: V::Scalar,
}

impl<V: Vector> Listed for NeighborInImage<V> {
    type Key = Self;

    #[inline(always)]
    fn key(self) -> Self {
        self
    }
}
