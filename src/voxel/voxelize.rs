//! Regions that can be turned into voxels: shapes, and combinations of regions, whose voxels are combined
//! from those of their parts.

mod form;

use core::cmp::Ordering;

use super::rule::{Criterion, Part, Rule, half_open};
use crate::overlap::combined::{both, either, only_first, opposite};
use crate::overlap::lanes::Plain;
use crate::overlap::{Complement, Difference, Intersection, Overlaps, Region, Relation, Union};
use crate::shape::{Aabb, Bounded, ConvexSolid, Ellipsoid, Hollow, Shell, Sphere};
use crate::sweep::Moving;
use crate::vector::Vector;
pub(super) use form::Form;

pub(super) type VectorOf<R> = <R as Region>::Vector;
pub(super) type ScalarOf<R> = <VectorOf<R> as Vector>::Scalar;
pub(super) type VoxelOf<R> = <VectorOf<R> as Vector>::Voxel;

/// A region whose voxels a [`VoxelGrid`](crate::VoxelGrid) can list.
///
/// Implemented for solid and hollow [`Sphere`], [`Ellipsoid`] and [`Aabb`] and for [`Shell`], whose rows are found
/// directly; for solid and hollow [`Hexahedron`](crate::Hexahedron), [`Frustum`](crate::Frustum) and capsules, which
/// are [`Moving`](crate::Moving) balls; and for [`Union`](crate::Union), [`Intersection`](crate::Intersection),
/// [`Difference`](crate::Difference) and [`Complement`](crate::Complement), whose voxels are, by every rule, combined
/// from those of their parts. For all but the first group, and for a region of yours with an empty implementation,
/// the block of voxels around the bounds is halved: [`relate`](Region::relate) prunes blocks, and
/// [`overlaps`](Overlaps::overlaps) tests single voxels. The answer is that of `overlaps` alone if the region keeps
/// the law of [`Region`] for voxels, their centers and the segments between their faces, and meets no voxel far from
/// its bounds (by more than a voxel and a ten-thousandth of their extent).
///
/// Under [`Rule::HalfOpen`](crate::Rule::HalfOpen) a region of yours is tested with the closed box of the floats that
/// lie in the half-open voxel, from its lower face to the float before the upper.
///
/// ```
/// use orthant::{Aabb, Bounded, Overlaps, Region, Relation, VoxelGrid, Voxelize};
///
/// /// The points with |x| + |y| up to a bound.
/// struct Diamond(f32);
/// impl Overlaps<Aabb<[f32; 2]>> for Diamond {
///     fn overlaps(&self, cell: &Aabb<[f32; 2]>) -> bool {
///         let near = |a: usize| cell.min()[a].max(-cell.max()[a]).max(0.0);
///         near(0) + near(1) <= self.0
///     }
/// }
/// impl Region for Diamond {
///     type Vector = [f32; 2];
///     fn relate(&self, cell: &Aabb<[f32; 2]>) -> Relation {
///         if self.overlaps(cell) { Relation::Straddles } else { Relation::Outside }
///     }
/// }
/// impl Bounded for Diamond {
///     type Vector = [f32; 2];
///     fn core(&self) -> Aabb<[f32; 2]> { Aabb::new([-self.0; 2], [self.0; 2]) }
/// }
/// impl Voxelize for Diamond {}
///
/// let grid = VoxelGrid::new([0.0, 0.0], 1.0);
/// assert_eq!(grid.count(Diamond(1.5)), 12);
/// ```
#[diagnostic::on_unimplemented(
    message = "a `VoxelGrid` cannot be asked for the voxels of `{Self}`: it does not implement `Voxelize`",
    label = "has no voxels",
    note = "`Aabb`, `Sphere`, `Shell`, `Ellipsoid`, solids of planes and `Moving<Sphere>` have voxels, `Hollow` or not, and so has what they make together; a region of yours by `impl orthant::Voxelize`, which may be empty",
    note = "the voxel of a point is `VoxelGrid::voxel_of`"
)]
pub trait Voxelize:
    Sized + Region + Bounded<Vector = VectorOf<Self>> + Overlaps<Aabb<VectorOf<Self>>>
{
    /// Compares the distance between the region and a box with `distance`, which is finite and not negative; `None`
    /// if the region cannot measure distances. The rules [`Shell`](crate::Rule::Shell) and
    /// [`NarrowBand`](crate::Rule::NarrowBand) need it.
    ///
    /// Spheres, shells and capsules compare squares: the distance of the box's nearest point with the outer radius
    /// plus `distance`, that of its farthest point with the inner radius less `distance`. Ellipsoids lengthen and
    /// shorten their semi-axes by `distance`. Boxes, hexahedra and frustums compare the square of the Euclidean
    /// distance; inside their surface, the one to the nearest plane.
    ///
    /// An implementation of yours has to keep three laws. The distance of a box is at least that of every box around
    /// it. A box in the region has distance 0. The distances of two points differ by no more than the points are
    /// apart, but for rounding: a block whose center is near enough is listed without a test of its voxels.
    #[inline]
    fn compare_distance(
        &self,
        cell: &Aabb<<Self as Region>::Vector>,
        distance: <<Self as Region>::Vector as Vector>::Scalar,
    ) -> Option<Ordering> {
        self.form()
            .compare_distance(Self::IS_SURFACE, cell, distance)
    }

    /// Whether the region is the surface of what it [`holds`](Self::holds):
    /// [`Rule::CenterInside`](crate::Rule::CenterInside) takes the outermost layer of what it holds.
    const IS_SURFACE: bool = false;

    /// Whether a point, given as a box without an extent, lies in the region or in the solid that a surface encloses.
    #[inline]
    fn holds(&self, point: &Aabb<<Self as Region>::Vector>) -> bool {
        self.overlaps(point)
    }

    /// Whether the region has a point in a box without its upper faces.
    #[doc(hidden)]
    #[inline]
    fn overlaps_half_open(&self, cell: &Aabb<VectorOf<Self>>) -> bool {
        let known = self.form().overlaps_half_open(Self::IS_SURFACE, cell);
        known.unwrap_or_else(|| self.overlaps(&half_open(cell)))
    }

    /// Tells whether none of the voxels of a block is met, or all; one of the two, if the block is a voxel and no cell of
    /// an octree.
    #[doc(hidden)]
    #[inline]
    fn relate_voxels(&self, by: &Criterion<VectorOf<Self>>, part: &Part) -> Relation {
        by.relate(self, part)
    }

    /// Whether the region can measure the distances that the rule needs.
    #[doc(hidden)]
    fn is_known(&self, by: &Criterion<VectorOf<Self>>) -> bool {
        // `Shell` needs distances of boxes with an extent, `NarrowBand` only those of points.
        let probe = match by.rule {
            Rule::Shell(_) => self.bounds(),
            _ => Aabb::point(self.bounds().min()),
        };
        let knows = |reach| self.compare_distance(&probe, reach).is_some();
        by.rule.reach().is_none_or(knows)
    }

    /// The shape behind the region. A ball has the hole of the region; other shapes are solid even if the region is their surface.
    #[doc(hidden)]
    #[inline(always)]
    fn form(&self) -> Form<'_, VectorOf<Self>> {
        match self.plain() {
            Some(Plain::Ball(ball)) => Form::Ball(ball),
            Some(Plain::Box(solid)) => Form::Box(solid),
            None => Form::Other,
        }
    }
}

impl<V: Vector> Voxelize for Sphere<V> {}
impl<V: Vector> Voxelize for Shell<V> {}
impl<V: Vector> Voxelize for Ellipsoid<V> {}
impl<V: Vector> Voxelize for Aabb<V> {}

impl<V: Vector> Voxelize for ConvexSolid<V> {
    #[inline(always)]
    fn form(&self) -> Form<'_, V> {
        Form::Solid(self)
    }
}

impl<V: Vector> Voxelize for Moving<Sphere<V>> {
    #[inline(always)]
    fn form(&self) -> Form<'_, V> {
        Form::Capsule(self)
    }
}

impl<R: Voxelize> Voxelize for Hollow<R>
where
    Self:
        Region<Vector = VectorOf<R>> + Bounded<Vector = VectorOf<R>> + Overlaps<Aabb<VectorOf<R>>>,
{
    const IS_SURFACE: bool = true;

    #[inline]
    fn holds(&self, point: &Aabb<VectorOf<R>>) -> bool {
        self.0.holds(point)
    }

    #[inline(always)]
    fn form(&self) -> Form<'_, VectorOf<R>> {
        match self.plain() {
            Some(Plain::Ball(ball)) => Form::Ball(ball),
            _ => self.0.form(),
        }
    }
}

/// Implements [`Voxelize`] for a combination of two regions: how their relations to a block are combined, and which of their
/// distances is that of the combination, if it has one.
macro_rules! pair {
    ($name:ident, $relate:ident $(, $nearer:ident)?) => {
        impl<A, B> Voxelize for $name<A, B>
        where
            A: Voxelize,
            B: Voxelize + Region<Vector = VectorOf<A>>,
        {
            $(fn compare_distance(
                &self,
                cell: &Aabb<VectorOf<A>>,
                distance: ScalarOf<A>,
            ) -> Option<Ordering> {
                let first = self.0.compare_distance(cell, distance)?;
                Some(first.$nearer(self.1.compare_distance(cell, distance)?))
            })?

            fn relate_voxels(
                &self,
                by: &Criterion<VectorOf<A>>,
                part: &Part,
            ) -> Relation {
                let first = self.0.relate_voxels(by, part);
                $relate(first, || self.1.relate_voxels(by, part))
            }

            fn is_known(&self, by: &Criterion<VectorOf<A>>) -> bool {
                self.0.is_known(by) && self.1.is_known(by)
            }
        }
    };
}

pair!(Union, either, min);
pair!(Intersection, both, max);
pair!(Difference, only_first);

/// For use in a window or with another region: on its own, a complement reaches beyond every grid's range.
impl<R: Voxelize> Voxelize for Complement<R> {
    fn relate_voxels(&self, by: &Criterion<VectorOf<R>>, part: &Part) -> Relation {
        opposite(self.0.relate_voxels(by, part))
    }

    fn is_known(&self, by: &Criterion<VectorOf<R>>) -> bool {
        self.0.is_known(by)
    }
}
