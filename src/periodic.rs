//! Periodic boxes: queries by a region and all its images.
//!
//! A structure is queried once for each image in which the region may reach items ([`image`]). So structures know of no
//! period, nothing is copied, and radii may be longer than the box. Nodes and items are tested by one expression, so
//! that the answer of every structure is that of the scan, bit for bit. Rejected: the nearest image alone (wrong for
//! radii beyond half the box), ghost items (copies to be kept up to date, for one radius), a center that is moved by
//! the offset (two points then disagree on whether they are near).

mod groups;
mod image;
mod images;
mod lattice;
mod nearest;
mod query;
#[cfg(feature = "serde")]
mod serial;
mod translate;
mod wrap;

pub(crate) use images::{MOST_IMAGES, by_image};
pub(crate) use lattice::least_and_most;
pub use translate::Translate;

use core::fmt;

use crate::error::{Error, or_panics};
use crate::shape::{Aabb, check_finite};
use crate::vector::{Scalar, Vector, assert_structure};
use lattice::{Lattice, narrow};

/// A box whose opposite faces coincide, on all axes or some: items have images, moved by whole box lengths. Or a cell
/// that vectors span ([`spanned`](Self::spanned)), with images moved by multiples of all of these vectors, or of some
/// ([`spanned_along`](Self::spanned_along)).
///
/// Queries any [`SpatialIndex`](crate::SpatialIndex) by regions that can be moved ([`Translate`]). An answer
/// `(item, k)` says that the item, moved by `k` box lengths, overlaps the region; an item comes once for each of its
/// images that does. The answer is that of a scan over all `k`, also for items and regions outside the box. A
/// [`CellList`](crate::CellList) finds all pairs within a radius at once.
///
/// The exact test is the plain predicate, with `(p - c) + offset(k)` in place of the difference `p - c` of a coordinate
/// of the item and one of the region, each operation rounded once. If item and region change roles, this gives the
/// exact negative, so that the answer does not depend on the roles. This test holds for points, boxes, balls and bodies
/// as items with balls, shells and boxes as regions; for points and boxes also with ellipsoids and balls by other
/// norms. In all other cases the region is moved by `-offset(k)`.
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
#[derive(Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(
        try_from = "serial::Raw<V>",
        into = "serial::Raw<V>",
        bound(
            serialize = "V: serde::Serialize",
            deserialize = "V: serde::Deserialize<'de>, V::Scalar: serde::Deserialize<'de>"
        )
    )
)]
pub struct Periodic<V: Vector> {
    bounds: Aabb<V>,
    pub(crate) lattice: Lattice,
    /// True if its faces are aligned with the axes.
    is_box: bool,
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
    /// If a length is zero, or it or its inverse overflows.
    pub fn try_new(bounds: Aabb<V>) -> Result<Self, Error> {
        Self::try_on_axes(bounds, V::axes(true))
    }

    or_panics! {
        /// The box that is periodic on the axes that are marked in an array, such as `[true, true, false]`. Space has
        /// no end on the other axes, and the extent of the box there does not count.
        Periodic: on_axes = try_on_axes(bounds: Aabb<V>, periodic: V::Axes<bool>)
    }

    /// The box that is periodic on the axes that are marked.
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
    /// If a length on a marked axis is zero, or it or its inverse overflows.
    pub fn try_on_axes(bounds: Aabb<V>, periodic: V::Axes<bool>) -> Result<Self, Error> {
        const { assert_structure::<V>() }
        let (size, zero) = (bounds.size(), V::Scalar::ZERO);
        let mut vectors = V::axes(V::splat(zero));
        let is_periodic = |axis: &usize| periodic.as_ref()[*axis];
        for axis in (0..V::DIM).filter(is_periodic) {
            let length: f64 = size.axis(axis).into();
            if !(length > 0.0 && length.is_finite() && (1.0 / length).is_finite()) {
                return Err(Error::BoxLength { axis, length });
            }
            vectors.as_mut()[axis] = V::from_fn(|a| if a == axis { size.axis(a) } else { zero });
        }
        let mut lattice = lattice(bounds.min(), vectors, periodic)?;
        // The heights of a box are its lengths, without rounding.
        for axis in (0..V::DIM).filter(is_periodic) {
            lattice.heights[axis] = size.axis(axis).into();
        }
        Ok(Self {
            bounds,
            lattice,
            is_box: true,
        })
    }

    or_panics! {
        /// The cell that vectors span from a corner, periodic along all of them: a triclinic cell in space,
        /// a parallelogram in the plane.
        Periodic: spanned = try_spanned(origin: V, vectors: V::Axes<V>)
    }

    /// The cell that vectors span from a corner, periodic along all of them.
    ///
    /// ```
    /// use orthant::{Linear, Periodic, Sphere, glam::{IVec2, Vec2}};
    /// let cell = Periodic::try_spanned(Vec2::ZERO, [Vec2::new(4.0, 0.0), Vec2::new(2.0, 4.0)])?;
    /// assert_eq!(cell.offset(IVec2::new(-1, 1)), Vec2::new(-2.0, 4.0));
    /// assert_eq!(cell.wrap(Vec2::new(2.5, 5.0)), Vec2::new(0.5, 1.0));
    /// let near: Vec<_> = cell.query(&Linear::new(&[Vec2::ONE]), Sphere::new(Vec2::new(3.0, 5.0), 1.0))?.collect();
    /// assert_eq!(near, [(0, IVec2::Y)]);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a coordinate is infinite or NaN, or the vectors span next to nothing: less than a millionth of
    /// what they would at right angles.
    pub fn try_spanned(origin: V, vectors: V::Axes<V>) -> Result<Self, Error> {
        Self::try_spanned_along(origin, vectors, V::axes(true))
    }

    or_panics! {
        /// The cell that vectors span from a corner, periodic along those vectors that are marked: a surface, a wire.
        /// Space has no end along the others, and their values do not count.
        Periodic: spanned_along = try_spanned_along(origin: V, vectors: V::Axes<V>, periodic: V::Axes<bool>)
    }

    /// The cell that vectors span from a corner, periodic along those vectors that are marked. Space has no end along
    /// the others, and their values do not count: images have the number 0 there.
    ///
    /// ```
    /// use orthant::{Linear, Periodic, Sphere, glam::{IVec2, Vec2}};
    /// let vectors = [Vec2::new(4.0, 2.0), Vec2::ZERO];
    /// let wire = Periodic::try_spanned_along(Vec2::ZERO, vectors, [true, false])?;
    /// assert_eq!(wire.wrap(Vec2::new(5.0, 3.0)), Vec2::new(1.0, 1.0));
    /// let near: Vec<_> = wire.query(&Linear::new(&[Vec2::ONE]), Sphere::new(Vec2::new(5.0, 4.0), 1.0))?.collect();
    /// assert_eq!(near, [(0, IVec2::X)]);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`try_spanned`](Self::try_spanned), where only the vectors that are marked have to span something.
    pub fn try_spanned_along(
        origin: V,
        vectors: V::Axes<V>,
        periodic: V::Axes<bool>,
    ) -> Result<Self, Error> {
        const { assert_structure::<V>() }
        let lattice = lattice(origin, vectors, periodic)?;
        let end = |axis: usize, up: bool| {
            let vectors = lattice.vectors.iter();
            let parts = vectors.map(|vector| V::Scalar::from_f64(vector[axis]));
            let parts = parts.filter(|&part| (part > V::Scalar::ZERO) == up);
            parts.fold(origin.axis(axis), |sum, part| sum + part)
        };
        let min = V::from_fn(|a| end(a, false));
        let max = V::from_fn(|a| end(a, true));
        Ok(Self {
            bounds: Aabb::try_new(min, max)?,
            lattice,
            is_box: false,
        })
    }

    /// The box in other vectors.
    pub(crate) fn cast<U>(&self) -> Periodic<U>
    where
        U: Vector<Array = V::Array, Scalar = V::Scalar>,
    {
        Periodic {
            bounds: self.bounds.cast(),
            lattice: self.lattice,
            is_box: self.is_box,
        }
    }

    /// The periodic box. For a skewed cell, a box around its periodic part.
    #[must_use]
    pub fn bounds(&self) -> Aabb<V> {
        self.bounds
    }

    /// The lengths of the box, rounded; 0 on axes that are not periodic. For a skewed cell, the distances between its
    /// faces; 0 for vectors along which it is not periodic.
    #[must_use]
    pub fn lengths(&self) -> V {
        narrow(&self.lattice.heights)
    }

    /// How far an image lies from its item: `k * length` on each axis, rounded. For a skewed cell, the sum of
    /// `k * vector`, from the first to the last, each operation rounded.
    #[inline]
    #[must_use]
    pub fn offset(&self, image: V::Voxel) -> V {
        self.lattice.offset(image)
    }

    /// The vectors from each face of the box to the opposite one, along its edges; 0 on axes that are
    /// not periodic.
    #[must_use]
    pub fn vectors(&self) -> V::Axes<V> {
        let mut vectors = V::axes(V::splat(V::Scalar::ZERO));
        for (vector, wide) in vectors.as_mut().iter_mut().zip(&self.lattice.vectors) {
            *vector = narrow(wide);
        }
        vectors
    }

    pub(crate) fn is_skewed(&self) -> bool {
        !self.is_box
    }
}

impl<V: Vector> fmt::Debug for Periodic<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Periodic")
            .field("bounds", &self.bounds)
            .field("lattice", &self.vectors().as_ref())
            .field("is_box", &self.is_box)
            .finish()
    }
}

/// The lattice spanned by the vectors that are marked as periodic.
///
/// # Errors
///
/// If a coordinate is infinite or NaN, or the vectors span next to nothing.
fn lattice<V: Vector>(
    origin: V,
    vectors: V::Axes<V>,
    periodic: V::Axes<bool>,
) -> Result<Lattice, Error> {
    check_finite("origin", origin)?;
    let (mut all, mut marked) = ([[0.0; 4]; 4], [false; 4]);
    marked[..V::DIM].copy_from_slice(periodic.as_ref());
    for (v, &vector) in vectors.as_ref().iter().enumerate() {
        check_finite("vector", vector)?;
        if marked[v] {
            all[v] = lattice::wide(vector);
        }
    }
    Lattice::new(V::DIM, lattice::wide(origin), all, marked)
}
