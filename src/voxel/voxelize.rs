//! Regions that can be turned into voxels: shapes, and combinations of regions, whose voxels are combined
//! from those of their parts.

mod measure;

use core::cmp::Ordering;

use super::Rule;
use super::rule::{Criterion, Outline, Part, half_open};
use super::shape::{Shape, ball_shape, box_shape, ellipsoid_shape, shell_shape};
use crate::overlap::combined::{both, either, only_first, opposite};
use crate::overlap::{Complement, Difference, Intersection, Overlaps, Region, Relation, Union};
use crate::shape::{Aabb, Bounded, ConvexSolid, Ellipsoid, Hollow, Shell, Sphere};
use crate::sweep::Moving;
use crate::vector::{Scalar, Vector};
use measure::{
    ball_half_open, box_half_open, capsule_half_open, compare_balls, compare_boxes,
    compare_capsules, compare_ellipsoids, compare_radii, compare_solids, ellipsoid_half_open,
    is_above_capsule, is_above_solid, solid_half_open, within_half_open,
};

type VectorOf<R> = <R as Region>::Vector;
type ScalarOf<R> = <VectorOf<R> as Vector>::Scalar;
type VoxelOf<R> = <VectorOf<R> as Vector>::Voxel;

/// A region whose voxels a [`VoxelGrid`](crate::VoxelGrid) can list.
///
/// Implemented for solid and hollow [`Sphere`], [`Ellipsoid`] and [`Aabb`] and for [`Shell`], whose
/// rows are found directly; for solid and hollow [`Hexahedron`](crate::Hexahedron),
/// [`Frustum`](crate::Frustum) and capsules, which are [`Moving`](crate::Moving) balls; and for
/// [`Union`](crate::Union), [`Intersection`](crate::Intersection), [`Difference`](crate::Difference) and
/// [`Complement`](crate::Complement), whose voxels are by every rule what is made of the voxels of their
/// parts. For these, and for a region of yours with an empty implementation, the voxels around its
/// bounds are halved, pruned by [`relate`](Region::relate), and single ones are asked by
/// [`overlaps`](Overlaps::overlaps). The answer is that of `overlaps` alone for a region that keeps the
/// law of [`Region`], its voxels, their centers and the segments between their faces being the items,
/// and that says no of voxels far from its bounds (by more than a voxel and a ten-thousandth of their
/// extent).
///
/// Under [`Rule::HalfOpen`](crate::Rule::HalfOpen) a region of yours is asked with the closed box of
/// the floats that lie in the half-open voxel, from its lower face to the float before the upper.
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
    Region + Bounded<Vector = <Self as Region>::Vector> + Overlaps<Aabb<<Self as Region>::Vector>>
{
    /// How the distance between the region and a box compares with another, which is finite and not
    /// negative; `None` if the region does not know distances. The rules
    /// [`Shell`](crate::Rule::Shell) and [`NarrowBand`](crate::Rule::NarrowBand) need it.
    ///
    /// A sphere, a shell or a capsule compares squares: that of the nearest point with that of the radius
    /// and the distance, that of the farthest with that of what is left of the radius. An ellipsoid
    /// has its semi-axes lengthened and shortened by the distance. Boxes, hexahedra and frustums compare
    /// the square of the Euclidean distance, from within their surface that to the nearest plane. It is
    /// at least that of every box around the given one, and 0 of a box in the region. Between two points
    /// that of a region of yours is to change by no more than they are apart, but for rounding: a block whose
    /// center is near enough is listed without asking its voxels.
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
    /// [`Rule::CenterInside`](crate::Rule::CenterInside) takes the outermost layer of that.
    const IS_SURFACE: bool = false;

    /// Whether a point, as a box without an extent, lies in the region or, of a surface, in what it
    /// encloses.
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

    /// Whether none of the voxels of a block is met, or all.
    #[doc(hidden)]
    #[inline]
    fn relate_voxels(&self, by: &Criterion<VectorOf<Self>>, part: &Part) -> Relation {
        by.relate(self, part)
    }

    /// The shape of a row of voxels that the region meets.
    #[doc(hidden)]
    fn outline(&self) -> Outline<VectorOf<Self>> {
        Outline::Any
    }

    /// Whether no part of a box, without the upper faces of that part, is met.
    #[doc(hidden)]
    fn misses_half_open(&self, block: &Aabb<VectorOf<Self>>) -> bool {
        self.relate(&half_open(block)) == Relation::Outside
    }

    /// Whether no point of a box lies deeper than this in the solid that a surface encloses, by more than
    /// rounding.
    #[doc(hidden)]
    fn stays_above(&self, cell: &Aabb<VectorOf<Self>>, depth: ScalarOf<Self>) -> bool {
        let _ = (cell, depth);
        false
    }

    /// Whether the region knows what the rule asks.
    #[doc(hidden)]
    fn is_known(&self, by: &Criterion<VectorOf<Self>>) -> bool {
        by.is_known(self)
    }

    /// The shape behind the region, if its rows can be found directly.
    #[doc(hidden)]
    fn shape(&self) -> Option<Shape<ScalarOf<Self>>> {
        None
    }
}

/// A shape and its surface: what the one and the other (`hollow`) answer.
macro_rules! voxelize {
    (
        $type:ty, $compare:ident, $half_open:ident, $outline:ident
        $(, shape: $shape:ident)? $(, above: $above:ident)? $(, relate: $relate:ident)?
    ) => {
        voxelize!(@ $type, |it| it, false, $compare, $half_open, $outline $(, $shape)? $(; $above)? $(=> $relate)?);
        voxelize!(@ Hollow<$type>, |it| &it.0, true, $compare, $half_open, $outline $(, $shape)? $(; $above)? $(=> $relate)?);
    };
    (
        @ $type:ty, |$it:ident| $of:expr, $hollow:literal, $compare:ident, $half_open:ident, $outline:ident
        $(, $shape:ident)? $(; $above:ident)? $(=> $relate:ident)?
    ) => {
        impl<V: Vector> Voxelize for $type {
            const IS_SURFACE: bool = $hollow;

            #[inline]
            fn holds(&self, point: &Aabb<V>) -> bool {
                let $it = self;
                ($of).overlaps(point)
            }

            fn compare_distance(&self, cell: &Aabb<V>, distance: V::Scalar) -> Option<Ordering> {
                let $it = self;
                $compare($of, $hollow, cell, distance)
            }

            fn overlaps_half_open(&self, cell: &Aabb<V>) -> bool {
                let $it = self;
                $half_open($of, $hollow, cell)
            }

            $(#[inline]
            fn shape(&self) -> Option<Shape<V::Scalar>> {
                let $it = self;
                Some($shape($of, $hollow))
            })?

            fn misses_half_open(&self, block: &Aabb<V>) -> bool {
                is_below(self, block)
            }

            fn outline(&self) -> Outline<V> {
                let $it = self;
                $outline($of, $hollow)
            }

            $(fn stays_above(&self, cell: &Aabb<V>, depth: V::Scalar) -> bool {
                let $it = self;
                $above($of, cell, depth)
            })?

            $(fn relate_voxels(&self, by: &Criterion<V>, part: &Part) -> Relation {
                let $it = self;
                $relate($of, $hollow, by, part)
            })?
        }
    };
}

voxelize!(Sphere<V>, compare_balls, ball_half_open, around_ball, shape: ball_shape);
voxelize!(Ellipsoid<V>, compare_ellipsoids, ellipsoid_half_open, around_ellipsoid, shape: ellipsoid_shape);
voxelize!(Aabb<V>, compare_boxes, box_half_open, around_box, shape: box_shape);
voxelize!(
    ConvexSolid<V>,
    compare_solids,
    solid_half_open,
    convex_or_not,
    above: is_above_solid
);
voxelize!(
    Moving<Sphere<V>>,
    compare_capsules,
    capsule_half_open,
    convex_or_not,
    above: is_above_capsule,
    relate: relate_capsule
);

// The distances of these shapes and their surfaces grow or fall from the middle outwards.

fn around_ball<V: Vector>(ball: &Sphere<V>, _hollow: bool) -> Outline<V> {
    Outline::Around(ball.center())
}

fn around_ellipsoid<V: Vector>(egg: &Ellipsoid<V>, _hollow: bool) -> Outline<V> {
    Outline::Around(egg.center())
}

fn around_box<V: Vector>(solid: &Aabb<V>, _hollow: bool) -> Outline<V> {
    Outline::Around(solid.center())
}

fn convex_or_not<V: Vector>(_: &impl Bounded<Vector = V>, hollow: bool) -> Outline<V> {
    if hollow {
        Outline::Surface
    } else {
        Outline::Convex
    }
}

/// Whether a box ends where a shape begins.
fn is_below<V: Vector>(shape: &impl Bounded<Vector = V>, block: &Aabb<V>) -> bool {
    let bounds = shape.bounds();
    (0..V::DIM).any(|a| block.max().axis(a) <= bounds.min().axis(a))
}

impl<V: Vector> Voxelize for Shell<V> {
    #[inline]
    fn shape(&self) -> Option<Shape<V::Scalar>> {
        Some(shell_shape(self))
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

    fn misses_half_open(&self, block: &Aabb<V>) -> bool {
        is_below(self, block)
    }

    fn outline(&self) -> Outline<V> {
        Outline::Around(self.center())
    }
}

/// A capsule is what a ball sweeps over.
fn relate_capsule<V: Vector>(
    capsule: &Moving<Sphere<V>>,
    hollow: bool,
    by: &Criterion<V>,
    part: &Part,
) -> Relation {
    if hollow && by.rule == Rule::CenterInside {
        let zero = V::Scalar::ZERO;
        return by.relate_layer(part, &|points| {
            let close = part.is_due();
            let is_out =
                capsule.misses(points, zero) || (close && capsule.misses_closely(points, zero));
            let is_in = || {
                capsule.encloses(points, zero) || (close && capsule.encloses_closely(points, zero))
            };
            (is_out || is_in()).then_some(!is_out)
        });
    }
    let (probe, reach) = (by.probe(part, hollow), by.rule.reach().unwrap_or_default());
    let within = V::Scalar::ZERO - reach;
    let relate = |misses: &dyn Fn(V::Scalar) -> bool, encloses: &dyn Fn(V::Scalar) -> bool| {
        if !hollow {
            // Every rule meets the voxels in the interior.
            return Relation::of(misses(reach), encloses(within));
        }
        let is_outside = misses(reach) || encloses(reach);
        let is_near = || by.rule.reach().is_some() && misses(within) && encloses(within);
        Relation::of(is_outside, !is_outside && is_near())
    };
    let relation = relate(&|distance| capsule.misses(&probe, distance), &|distance| {
        capsule.encloses(&probe, distance)
    });
    if relation != Relation::Straddles || !part.is_due() {
        return relation;
    }
    let relation = relate(
        &|distance| capsule.misses_closely(&probe, distance),
        &|distance| capsule.encloses_closely(&probe, distance),
    );
    if relation != Relation::Straddles {
        return relation;
    }
    if hollow {
        by.relate_closely(&Hollow(*capsule), part)
    } else {
        by.relate_closely(capsule, part)
    }
}

// Regions made of others.

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

/// Only to clip it, by a window or another region: on its own it is out of every grid's range.
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
