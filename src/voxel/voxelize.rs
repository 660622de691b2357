//! Regions that can be turned into voxels: shapes, and combinations of regions, whose voxels are combined
//! from those of their parts.

mod measure;

use core::cmp::Ordering;

use super::rule::{Criterion, Outline, Part, Rule, half_open};
use super::shape::{Shape, box_shape, round_shape};
use crate::overlap::combined::{both, either, only_first, opposite};
use crate::overlap::distance::gap_sq;
use crate::overlap::{
    Complement, Difference, Intersection, Overlaps, Region, Relation, Union, clearance_sq, widen,
};
use crate::shape::{Aabb, Bounded, ConvexSolid, Ellipsoid, Hollow, Shell, Sphere};
use crate::sweep::Moving;
use crate::vector::{Scalar, Vector};
use measure::{between, compare_radii, relate_capsule, round_half_open, within_half_open};

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
        let _ = (cell, distance);
        None
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
        self.overlaps(&half_open(cell))
    }

    /// Whether a voxel is met.
    #[doc(hidden)]
    #[inline]
    fn meets(&self, by: &Criterion<VectorOf<Self>>, voxel: VoxelOf<Self>) -> bool {
        by.is_met(self, voxel)
    }

    /// Tells whether none of the voxels of a block is met, or all.
    #[doc(hidden)]
    #[inline]
    fn relate_voxels(&self, by: &Criterion<VectorOf<Self>>, part: &Part) -> Relation {
        by.relate(self, part)
    }

    /// How the voxels of a row that the region meets may lie.
    #[doc(hidden)]
    fn outline(&self) -> Outline<VectorOf<Self>> {
        Outline::Any
    }

    /// Whether no point of a box lies deeper than `depth` in the solid that a surface encloses; certain in spite of
    /// rounding.
    #[doc(hidden)]
    fn stays_above(&self, cell: &Aabb<VectorOf<Self>>, depth: ScalarOf<Self>) -> bool {
        let _ = (cell, depth);
        false
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

    /// The shape behind the region, if its rows can be found directly.
    #[doc(hidden)]
    fn shape(&self) -> Option<Shape<ScalarOf<Self>>> {
        None
    }
}

/// Implements [`Voxelize`] for a shape and for its surface. Most answers take whether it is hollow.
macro_rules! voxelize {
    ($type:ty, $($answers:tt)*) => {
        voxelize!(@ self, $type, self, false, $($answers)*);
        voxelize!(@ self, Hollow<$type>, &self.0, true, $($answers)*);
    };
    (
        @ $this:ident, $type:ty, $shape:expr, $is_hollow:literal, |$it:ident, $hollow:ident|
        compare($near:ident, $distance:ident) $compare:block
        half_open($cell:ident) $half_open:block
        outline $outline:block
        $(shape $rows:block)?
        $(above($edge:ident, $depth:ident) $above:block)?
        $(relate($by:ident, $part:ident) $relate:block)?
    ) => {
        #[allow(unused_variables, reason = "not all answers depend on hollowness")]
        impl<V: Vector> Voxelize for $type {
            const IS_SURFACE: bool = $is_hollow;

            #[inline]
            fn holds(&$this, point: &Aabb<V>) -> bool {
                ($shape).overlaps(point)
            }

            fn compare_distance(&$this, $near: &Aabb<V>, $distance: V::Scalar) -> Option<Ordering> {
                let ($it, $hollow) = ($shape, $is_hollow);
                $compare
            }

            fn overlaps_half_open(&$this, $cell: &Aabb<V>) -> bool {
                let ($it, $hollow) = ($shape, $is_hollow);
                $half_open
            }

            fn outline(&$this) -> Outline<V> {
                let ($it, $hollow) = ($shape, $is_hollow);
                $outline
            }

            $(#[inline]
            fn shape(&$this) -> Option<Shape<V::Scalar>> {
                let ($it, $hollow) = ($shape, $is_hollow);
                Some($rows)
            })?

            $(fn stays_above(&$this, $edge: &Aabb<V>, $depth: V::Scalar) -> bool {
                let $it = $shape;
                $above
            })?

            $(fn relate_voxels(&$this, $by: &Criterion<V>, $part: &Part) -> Relation {
                let ($it, $hollow) = ($shape, $is_hollow);
                $relate
            })?
        }
    };
}

// Distances of spheres, ellipsoids and boxes, and of their surfaces, grow or fall from the middle outwards.

voxelize! {
    Sphere<V>, |it, hollow|
    compare(cell, distance) {
        let (r, ball) = (it.radius(), it.ball());
        compare_radii(r, hollow.then_some(r), distance, ball.near(cell), || ball.far(cell))
    }
    half_open(cell) { round_half_open(&it.ball(), hollow, cell) }
    outline { Outline::Around(it.center()) }
    shape { round_shape(it.center(), None, it.radius(), hollow.then_some(it.radius()), hollow) }
}

voxelize! {
    Ellipsoid<V>, |it, hollow|
    // The distance is compared by two ellipsoids around the same center, longer and shorter by it.
    compare(cell, distance) {
        let one = V::Scalar::ONE;
        let near = it.widened(distance)?.ball().near(cell);
        let hole = it.widened(V::Scalar::ZERO - distance).filter(|_| hollow);
        between(near, one, hole.map(|hole| (one, hole.ball().far(cell))))
    }
    half_open(cell) { round_half_open(&it.ball(), hollow, cell) }
    outline { Outline::Around(it.center()) }
    shape {
        let one = V::Scalar::ONE;
        round_shape(it.center(), Some(it.semi_axes()), one, hollow.then_some(one), hollow)
    }
}

voxelize! {
    Aabb<V>, |it, hollow|
    // The squared distance of a box from another, or from its surface.
    compare(cell, distance) {
        let depth = if hollow { clearance_sq(it, cell) } else { V::Scalar::ZERO };
        gap_sq(it, cell).larger(depth).partial_cmp(&(distance * distance))
    }
    half_open(cell) {
        let ((min, max), (lo, hi)) = ((it.min(), it.max()), (cell.min(), cell.max()));
        let mut axes = 0..V::DIM;
        let is_met = |a| min.axis(a) < hi.axis(a) && lo.axis(a) <= max.axis(a);
        let is_within = |a| min.axis(a) < lo.axis(a) && hi.axis(a) <= max.axis(a);
        axes.clone().all(is_met) && !(hollow && axes.all(is_within))
    }
    outline { Outline::Around(it.center()) }
    shape { box_shape(it, hollow) }
}

voxelize! {
    ConvexSolid<V>, |it, hollow|
    compare(cell, distance) {
        let (solid, cell) = (&it.solid, widen(cell));
        if hollow {
            solid.compare_surface(&cell, distance.into())
        } else {
            solid.compare_box(&cell, distance.into())
        }
    }
    half_open(cell) {
        let (solid, cell) = (&it.solid, widen(cell));
        !(hollow && solid.encloses_half_open(&cell)) && solid.overlaps_half_open(&cell)
    }
    outline { if hollow { Outline::Surface } else { Outline::Convex } }
    above(edge, depth) { it.solid.stays_above(&widen(edge), depth.into()) }
}

voxelize! {
    Moving<Sphere<V>>, |it, hollow|
    // Distances are measured from the capsule's axis, like those of a ball from its center.
    compare(cell, distance) {
        let r = it.shape().radius();
        compare_radii(r, hollow.then_some(r), distance, it.near_sq(cell), || it.far_sq(cell))
    }
    half_open(cell) {
        let is_met = it.overlaps(cell) && !it.is_above(cell);
        is_met && !(hollow && it.encloses_half_open(cell))
    }
    outline { if hollow { Outline::Surface } else { Outline::Convex } }
    above(edge, depth) { it.misses_closely(edge, V::Scalar::ZERO - depth) }
    relate(by, part) { relate_capsule(it, hollow, by, part) }
}

impl<V: Vector> Voxelize for Shell<V> {
    #[inline]
    fn shape(&self) -> Option<Shape<V::Scalar>> {
        let inner = Some(self.inner()).filter(|&inner| inner > V::Scalar::ZERO);
        Some(round_shape(self.center(), None, self.outer(), inner, false))
    }

    fn compare_distance(&self, cell: &Aabb<V>, distance: V::Scalar) -> Option<Ordering> {
        let inner = Some(self.inner()).filter(|&inner| inner > V::Scalar::ZERO);
        let far = || self.ball().far(cell);
        compare_radii(self.outer(), inner, distance, self.ball().near(cell), far)
    }

    fn overlaps_half_open(&self, cell: &Aabb<V>) -> bool {
        let (inner, outer) = (self.inner(), self.outer());
        within_half_open(&self.ball(), outer * outer, Some(inner * inner), cell)
    }

    fn outline(&self) -> Outline<V> {
        Outline::Around(self.center())
    }
}

// Combinations of regions.

macro_rules! pair {
    ($name:ident, |$a:ident, $b:ident| $meets:expr, $relate:ident $(, $nearer:ident)?) => {
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

            fn meets(&self, by: &Criterion<VectorOf<A>>, voxel: VoxelOf<A>) -> bool {
                let ($a, $b) = (self.0.meets(by, voxel), || self.1.meets(by, voxel));
                $meets
            }

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

pair!(Union, |a, b| a || b(), either, min);
pair!(Intersection, |a, b| a && b(), both, max);
pair!(Difference, |a, b| a && !b(), only_first);

/// For use in a window or with another region: on its own, a complement reaches beyond every grid's range.
impl<R: Voxelize> Voxelize for Complement<R> {
    fn meets(&self, by: &Criterion<VectorOf<R>>, voxel: VoxelOf<R>) -> bool {
        !self.0.meets(by, voxel)
    }

    fn relate_voxels(&self, by: &Criterion<VectorOf<R>>, part: &Part) -> Relation {
        opposite(self.0.relate_voxels(by, part))
    }

    fn is_known(&self, by: &Criterion<VectorOf<R>>) -> bool {
        self.0.is_known(by)
    }
}
