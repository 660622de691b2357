//! Connected components and clusters of points in a periodic box.

use alloc::vec::Vec;
use core::cmp::Ordering;

use super::Periodic;
use super::images::{Outline, by_image};
use crate::error::Error;
use crate::groups::Groups;
use crate::orthtree::{Orthtree, Shift};
use crate::query::Search;
use crate::shape::Aabb;
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

    /// The offsets of all images in which two points of the tree may be near: those that the box around the points
    /// reaches, widened by the radius and a bound on rounding.
    fn shifts(&self, tree: &Orthtree<V>, radius: V::Scalar) -> Result<Vec<Shift<V::Array>>, Error> {
        let Some(extent) = tree.extent().filter(|_| radius >= V::Scalar::ZERO) else {
            return Ok(Vec::new());
        };
        // Widen the box around the points.
        let (min, max) = (extent.core.min(), extent.core.max());
        let vanishing = 4.0 * Scalar::sqrt(V::Scalar::MIN_POSITIVE.into());
        let end = |end: V, way: f64| {
            V::from_fn(|a| {
                let sizes = Scalar::abs(min.axis(a).into()) + Scalar::abs(max.axis(a).into());
                let rounded = sizes * 16.0 * V::Scalar::EPSILON.into();
                let reach: f64 = radius.into() * 1.001 + rounded + vanishing;
                V::Scalar::from_f64(end.axis(a).into() + way * reach)
            })
        };
        let wide = Aabb::try_new(end(min, -1.0), end(max, 1.0));
        let wide = wide.map_err(|_| Error::TooManyImages { region: 0, axis: 0 })?;
        let outline = Outline::new::<V, _>(&wide);
        let images = self.images(&extent, &outline, 0, &self.lattice.heights)?;
        // Leave out the image in place, and tell images before it from those after it.
        let nowhere = V::Voxel::from_fn(|_| 0);
        let shifts = images.filter_map(|image| {
            let order = by_image(&image, &nowhere);
            (order != Ordering::Equal).then(|| Shift {
                offset: self.offset(image).array(),
                is_lower: order == Ordering::Less,
            })
        });
        Ok(shifts.collect())
    }
}
