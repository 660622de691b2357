//! Connected components and clusters of points in a periodic box.

use alloc::vec::Vec;

use super::Periodic;
use super::images::{Outline, by_image};
use super::lattice::wide;
use crate::error::Error;
use crate::groups::Groups;
use crate::orthtree::{Orthtree, Shift};
use crate::query::Search;
use crate::vector::{Scalar, Vector, Voxel};

impl<V: Vector> Periodic<V> {
    /// The connected components of the points of a tree, as in [`Orthtree::components`]; but two points are also
    /// connected if an image of one is near the other. For points in the box, the near points are the pairs that a
    /// [`CellList`](crate::CellList) finds.
    ///
    /// ```
    /// use orthant::{Aabb, Periodic, Quadtree, glam::Vec2};
    /// let periodic = Periodic::new(Aabb::new(Vec2::ZERO, Vec2::splat(10.0)));
    /// let tree = Quadtree::new(&[Vec2::splat(9.5), Vec2::splat(5.0), Vec2::splat(0.5)]);
    /// assert_eq!(periodic.components(&tree, 1.5)?.labels(), [0, 1, 0]);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the radius, plus half of the width over which the points are spread, reaches more than a hundred boxes on an
    /// axis, as an infinite radius does.
    ///
    /// # Complexity
    ///
    /// The cost of [`Orthtree::components`], plus O(1) for each near image and each group of some dozens of points.
    pub fn components(&self, tree: &Orthtree<V>, radius: V::Scalar) -> Result<Groups, Error> {
        self.dbscan(tree, radius, 0)
    }

    /// Clusters by density, as in [`Orthtree::dbscan`]; each image of a point counts as a neighbor of its own.
    ///
    /// ```
    /// use orthant::{Aabb, Periodic, Quadtree, glam::Vec2};
    /// let periodic = Periodic::new(Aabb::new(Vec2::ZERO, Vec2::splat(4.0)));
    /// let tree = Quadtree::new(&[Vec2::new(0.5, 2.0), Vec2::new(3.5, 2.0), Vec2::new(2.0, 2.0)]);
    /// assert_eq!(periodic.dbscan(&tree, 1.0, 2)?.labels(), [0, 0, u32::MAX]);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`components`](Self::components).
    ///
    /// # Complexity
    ///
    /// The cost of [`Orthtree::dbscan`], plus O(1) for each near image and each group of some dozens of points.
    pub fn dbscan(
        &self,
        tree: &Orthtree<V>,
        radius: V::Scalar,
        min_points: usize,
    ) -> Result<Groups, Error> {
        let shifts = self.shifts(tree, radius)?;
        Ok(tree.grouped(radius, min_points, &shifts))
    }

    /// The offsets of all other images in which two points of the tree may be near.
    fn shifts(&self, tree: &Orthtree<V>, radius: V::Scalar) -> Result<Vec<Shift<V::Array>>, Error> {
        let Some(extent) = tree.extent().filter(|_| radius >= V::Scalar::ZERO) else {
            return Ok(Vec::new());
        };
        // The outline is the box around the points, with the radius.
        let outline = Outline {
            low: wide(extent.core.min()),
            high: wide(extent.core.max()),
            radius: radius.into(),
            is_exact: false,
        };
        let block = self.reached(&extent, &outline, 0, &self.lattice.heights)?;
        // Mark the images before image 0, so that each pair is joined from one side.
        let home = V::Voxel::from_fn(|_| 0);
        let others = self
            .lattice
            .images_in(&block)
            .filter(|&image| image != home);
        let shifts = others.map(|image| Shift {
            offset: self.offset(image).array(),
            is_lower: by_image(&image, &home).is_lt(),
        });
        Ok(shifts.collect())
    }
}
