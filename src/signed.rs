//! Signed distances, and the voxels in a band around a surface.

use core::iter::FusedIterator;

use crate::error::{Error, shown_as};
use crate::lattice::Block;
use crate::overlap::Relation;
use crate::overlap::distance::{far_sq, near_sq, point_sq};
use crate::shape::{Aabb, Bounded, ConvexSolid, Hollow, Shell, Sphere};
use crate::sweep::Moving;
use crate::vector::{Scalar, Vector, Voxel};
use crate::voxel::{Criterion, Halving, Rule, VoxelGrid, around};

/// A shape with a signed distance to its surface.
///
/// # The law
///
/// The distances at two points differ by no more than the points are apart, but for rounding. A distance is
/// negative only within the shape's [`bounds`](Bounded::bounds).
#[diagnostic::on_unimplemented(
    message = "the signed distance to `{Self}` is not known: it does not implement `SignedDistance`",
    label = "has no signed distance",
    note = "a function of yours has one as an `orthant::Field`, and a shape by `impl orthant::SignedDistance`"
)]
pub trait SignedDistance: Bounded {
    /// The distance from a point to the surface, negative inside.
    ///
    /// ```
    /// use orthant::{Aabb, SignedDistance, Sphere};
    /// assert_eq!(Sphere::new([0.0, 0.0], 2.0).signed_distance([3.0, 4.0]), 3.0);
    /// assert_eq!(Aabb::new([0.0, 0.0], [2.0, 8.0]).signed_distance([1.5, 4.0]), -0.5);
    /// ```
    fn signed_distance(&self, from: Self::Vector) -> <Self::Vector as Vector>::Scalar;
}

impl<V: Vector> SignedDistance for Sphere<V> {
    #[inline]
    fn signed_distance(&self, from: V) -> V::Scalar {
        point_sq(&self.center(), from).sqrt() - self.radius()
    }
}

/// The distance to the nearer of both surfaces.
impl<V: Vector> SignedDistance for Shell<V> {
    #[inline]
    fn signed_distance(&self, from: V) -> V::Scalar {
        let apart = point_sq(&self.center(), from).sqrt();
        let beyond = apart - self.outer();
        if self.inner() > V::Scalar::ZERO {
            beyond.larger(self.inner() - apart)
        } else {
            beyond
        }
    }
}

impl<V: Vector> SignedDistance for Aabb<V> {
    #[inline]
    fn signed_distance(&self, from: V) -> V::Scalar {
        let mut depth = V::Scalar::INFINITY;
        for a in 0..V::DIM {
            let (below, above) = (
                from.axis(a) - self.min().axis(a),
                self.max().axis(a) - from.axis(a),
            );
            depth = depth.smaller(below).smaller(above);
        }
        if depth > V::Scalar::ZERO {
            V::Scalar::ZERO - depth
        } else {
            near_sq(&from, self).sqrt()
        }
    }
}

impl<V: Vector> SignedDistance for ConvexSolid<V> {
    #[inline]
    fn signed_distance(&self, from: V) -> V::Scalar {
        Self::signed_distance(self, from)
    }
}

/// The distance to the capsule that the ball sweeps over.
impl<V: Vector> SignedDistance for Moving<Sphere<V>> {
    #[inline]
    fn signed_distance(&self, from: V) -> V::Scalar {
        let apart = self.near_sq(&Aabb::point(from));
        apart.sqrt() - self.shape().radius()
    }
}

/// A surface has no inside.
impl<S: SignedDistance> SignedDistance for Hollow<S> {
    #[inline]
    fn signed_distance(&self, from: S::Vector) -> <S::Vector as Vector>::Scalar {
        self.0.signed_distance(from).abs()
    }
}

/// A shape given by its signed distance: a box around it, and a function that keeps the law of
/// [`SignedDistance`].
///
/// ```
/// use orthant::{Aabb, Field, SignedDistance};
/// let torus = Field(Aabb::new([-3.0; 3], [3.0; 3]), |[x, y, z]: [f64; 3]| {
///     (x.hypot(y) - 2.0).hypot(z) - 0.5
/// });
/// assert_eq!(torus.signed_distance([2.0, 0.0, 0.0]), -0.5);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Field<V, F>(pub Aabb<V>, pub F);

impl<V: Vector, F: Fn(V) -> V::Scalar> Bounded for Field<V, F> {
    type Vector = V;

    #[inline]
    fn core(&self) -> Aabb<V> {
        self.0
    }
}

impl<V: Vector, F: Fn(V) -> V::Scalar> SignedDistance for Field<V, F> {
    #[inline]
    fn signed_distance(&self, from: V) -> V::Scalar {
        (self.1)(from)
    }
}

impl<V: Vector> VoxelGrid<V> {
    /// The signed distances at the centers of voxels that are nearer to a surface than half the band's width,
    /// whatever the grid's rule; in the order of [`voxels`](Self::voxels).
    ///
    /// The distance is that of the shape, in the scalar of the grid, as an `f32`.
    ///
    /// ```
    /// use orthant::{Sphere, VoxelGrid};
    /// let grid = VoxelGrid::new([0.0f64; 2], 1.0);
    /// let band: Vec<_> = grid.distances(Sphere::new([0.5; 2], 2.75), 0.5)?.collect();
    /// assert_eq!(band.len(), 16);
    /// assert_eq!(band[1], ([0, -3], 0.25));
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(log edge) for each voxel, where the edge is that of the shape in voxels.
    ///
    /// # Errors
    ///
    /// If the band reaches beyond the range of indices, or the half width is negative, infinite or NaN.
    pub fn distances<S>(&self, shape: S, half_width: V::Scalar) -> Result<Distances<S>, Error>
    where
        S: SignedDistance<Vector = V>,
    {
        if !(half_width.is_finite() && half_width >= V::Scalar::ZERO) {
            return Err(Error::Distance {
                part: "half width",
                distance: half_width.into(),
            });
        }
        // The whole band must have indices, even where only a window of it is listed.
        let band = VoxelGrid::try_new(self.origin(), self.voxel_size())?
            .try_with_rule(Rule::NarrowBand(half_width))?;
        let block = self.listed(around(&band, &shape)?);
        Ok(Distances {
            shape,
            half_width,
            criterion: band.criterion(),
            halving: Halving::new(Block::padded(&block)),
        })
    }
}

/// Voxels and the signed distances of their centers, from [`VoxelGrid::distances`].
#[derive(Clone)]
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct Distances<S: SignedDistance> {
    shape: S,
    half_width: <S::Vector as Vector>::Scalar,
    criterion: Criterion<S::Vector>,
    halving: Halving,
}

shown_as!(impl[S: SignedDistance] Distances<S> as "Distances");

impl<S: SignedDistance> Iterator for Distances<S> {
    type Item = (<S::Vector as Vector>::Voxel, f32);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            // Skip blocks without a center in the band. No block is certainly inside, so that only single cells come.
            let cell = self.halving.next(&|block| {
                let block: &Aabb<S::Vector> = &self.criterion.lattice.bounds(&block.on_axes());
                let center = block.center();
                let apart = self.shape.signed_distance(center).abs();
                let reach = far_sq(&center, block).sqrt();
                // A distance is one number, to which all axes add: its rounding error follows the largest
                // coordinate on any axis, of the block or of the shape.
                let slack = self.criterion.rounding(&self.shape, block);
                Relation::of(apart - reach > self.half_width + slack, false)
            })?;
            let voxel = Voxel::from_fn(|a| cell.start[a]);
            let center = self.criterion.lattice.center(voxel);
            let distance = self.shape.signed_distance(center);
            if distance.abs() < self.half_width {
                let distance: f64 = distance.into();
                return Some((voxel, distance as f32));
            }
        }
    }
}

impl<S: SignedDistance> FusedIterator for Distances<S> {}
