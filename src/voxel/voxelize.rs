//! What can be turned into voxels.

use core::cmp::Ordering;

use super::listing::{Shape, ball_shape, box_shape, ellipsoid_shape, padded};
use super::rule::{Criterion, half_open};
use crate::overlap::distance::{Metric, ScalarOf, far_sq, gap_sq, near_sq};
use crate::overlap::round::Round;
use crate::overlap::{Overlaps, Region, Relation, clearance_sq};
use crate::shape::{Aabb, Bounded, Ellipsoid, Hollow, Shell, Sphere};
use crate::vector::{Scalar, Vector};

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
pub trait Voxelize:
    Region + Bounded<Vector = <Self as Region>::Vector> + Overlaps<Aabb<<Self as Region>::Vector>>
{
    /// How the distance between the region and a box compares with another, which is finite and not
    /// negative; `None` if the region does not know distances. The rules
    /// [`Shell`](crate::Rule::Shell) and [`NarrowBand`](crate::Rule::NarrowBand) need it.
    ///
    /// Of a sphere, a shell or a capsule it compares squares: that of the nearest point with that of
    /// the radius and the distance, of the farthest with that of what is left of the radius. An ellipsoid
    /// has its semi-axes lengthened and shortened by the distance. Boxes, hexahedra and frustums compare
    /// the square of the Euclidean distance, from within their surface that to the nearest plane. It is
    /// at least that of every box around the given one, and 0 of a box in the region.
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
    fn overlaps_half_open(&self, cell: &Aabb<<Self as Region>::Vector>) -> bool {
        self.overlaps(&half_open(cell))
    }

    /// Whether a voxel is met.
    #[doc(hidden)]
    #[inline]
    fn meets(
        &self,
        by: &Criterion<<Self as Region>::Vector>,
        voxel: <<Self as Region>::Vector as Vector>::Voxel,
    ) -> bool {
        by.is_met(self, voxel)
    }

    /// Whether none of the voxels of a block is met, or all.
    #[doc(hidden)]
    #[inline]
    fn relate_voxels(
        &self,
        by: &Criterion<<Self as Region>::Vector>,
        block: &Aabb<<Self as Region>::Vector>,
    ) -> Relation {
        by.relate(self, block)
    }

    /// Whether the region knows what the rule asks.
    #[doc(hidden)]
    fn is_known(&self, by: &Criterion<<Self as Region>::Vector>) -> bool {
        by.is_known(self)
    }

    /// The shape behind the region, if its rows can be found directly.
    #[doc(hidden)]
    fn shape(&self) -> Option<Shape<<<Self as Region>::Vector as Vector>::Scalar>> {
        None
    }
}

/// Compares what is measured with two limits: beyond the outer or within the inner is farther.
#[inline]
pub(super) fn between<S: Scalar>(near: S, outer: S, hole: Option<(S, S)>) -> Option<Ordering> {
    let within = match hole {
        Some((inner, far)) => inner.partial_cmp(&far)?,
        None => Ordering::Less,
    };
    Some(near.partial_cmp(&outer)?.max(within))
}

/// The squared distance of the nearest point of a cell against a radius grown by a distance, and of
/// the farthest against what is left of another: of a ball with a hole.
fn compare_rings<V: Vector>(
    shell: &Shell<V>,
    hollow: bool,
    cell: &Aabb<V>,
    distance: V::Scalar,
) -> Option<Ordering> {
    let (outer, inner) = (shell.outer() + distance, shell.inner() - distance);
    let hole = hollow && inner >= V::Scalar::ZERO;
    let near = near_sq(shell, cell);
    between(
        near,
        outer * outer,
        hole.then(|| (inner * inner, far_sq(shell, cell))),
    )
}

/// Whether the part of a round shape between two limits has a point in a box without its upper faces:
/// its nearest point belongs to it unless that lies on one, its farthest corner if that is the lower one
/// on all axes.
fn round_half_open<R: Metric>(
    round: &R,
    outer_sq: ScalarOf<R>,
    inner_sq: Option<ScalarOf<R>>,
    cell: &Aabb<R::Vector>,
) -> bool {
    let (c, lo, hi) = (round.middle(), cell.min(), cell.max());
    let mut axes = 0..R::Vector::DIM;
    let has_near = axes.clone().all(|a| c.axis(a) < hi.axis(a));
    let has_far = axes.all(|a| c.axis(a) - lo.axis(a) >= hi.axis(a) - c.axis(a));
    let (near, far) = (near_sq(round, cell), far_sq(round, cell));
    (near < outer_sq || (near == outer_sq && has_near))
        && inner_sq.is_none_or(|inner| inner < far || (inner == far && has_far))
}

/// The same for a box or its surface.
fn box_half_open<V: Vector>(solid: &Aabb<V>, hollow: bool, cell: &Aabb<V>) -> bool {
    let ((min, max), (lo, hi)) = ((solid.min(), solid.max()), (cell.min(), cell.max()));
    let mut axes = 0..V::DIM;
    let is_met = |a| min.axis(a) < hi.axis(a) && lo.axis(a) <= max.axis(a);
    let is_within = |a| min.axis(a) < lo.axis(a) && hi.axis(a) <= max.axis(a);
    axes.clone().all(is_met) && !(hollow && axes.all(is_within))
}

/// The same for ellipsoids around the same center.
fn compare_eggs<V: Vector>(
    egg: &Ellipsoid<V>,
    hollow: bool,
    cell: &Aabb<V>,
    distance: V::Scalar,
) -> Option<Ordering> {
    let one = V::Scalar::ONE;
    let near = near_sq(&egg.widened(distance)?, cell);
    let hole = egg.widened(V::Scalar::ZERO - distance).filter(|_| hollow);
    between(near, one, hole.map(|hole| (one, far_sq(&hole, cell))))
}

/// The squared distance of a box from another, or from its surface.
fn compare_boxes<V: Vector>(
    solid: &Aabb<V>,
    hollow: bool,
    cell: &Aabb<V>,
    distance: V::Scalar,
) -> Option<Ordering> {
    let gap = gap_sq(solid, cell);
    let depth = if hollow {
        clearance_sq(solid, cell)
    } else {
        V::Scalar::ZERO
    };
    gap.larger(depth).partial_cmp(&(distance * distance))
}

macro_rules! voxelize {
    ($shape:ident, $of:ident, $compare:expr, $half_open:expr) => {
        impl<V: Vector> Voxelize for $shape<V> {
            #[inline]
            fn shape(&self) -> Option<Shape<V::Scalar>> {
                Some($of(self, false))
            }

            fn compare_distance(&self, cell: &Aabb<V>, distance: V::Scalar) -> Option<Ordering> {
                $compare(self, false, cell, distance)
            }

            fn overlaps_half_open(&self, cell: &Aabb<V>) -> bool {
                $half_open(self, false, cell)
            }
        }

        impl<V: Vector> Voxelize for Hollow<$shape<V>> {
            const IS_SURFACE: bool = true;

            #[inline]
            fn shape(&self) -> Option<Shape<V::Scalar>> {
                Some($of(&self.0, true))
            }

            #[inline]
            fn holds(&self, point: &Aabb<V>) -> bool {
                self.0.overlaps(point)
            }

            fn compare_distance(&self, cell: &Aabb<V>, distance: V::Scalar) -> Option<Ordering> {
                $compare(&self.0, true, cell, distance)
            }

            fn overlaps_half_open(&self, cell: &Aabb<V>) -> bool {
                $half_open(&self.0, true, cell)
            }
        }
    };
}

fn compare_balls<V: Vector>(
    ball: &Sphere<V>,
    hollow: bool,
    cell: &Aabb<V>,
    distance: V::Scalar,
) -> Option<Ordering> {
    let r = ball.radius();
    compare_rings(&Shell::valid(ball.center(), r, r), hollow, cell, distance)
}

fn whole_half_open<R: Round>(round: &R, hollow: bool, cell: &Aabb<R::Vector>) -> bool {
    let limit = round.limit();
    round_half_open(round, limit, hollow.then_some(limit), cell)
}

voxelize!(Sphere, ball_shape, compare_balls, whole_half_open);
voxelize!(Ellipsoid, ellipsoid_shape, compare_eggs, whole_half_open);
voxelize!(Aabb, box_shape, compare_boxes, box_half_open);

impl<V: Vector> Voxelize for Shell<V> {
    #[inline]
    fn shape(&self) -> Option<Shape<V::Scalar>> {
        let (inner, outer) = (self.inner(), self.outer());
        Some(Shape::Ball {
            dim: V::DIM,
            center: padded::<V, _>(|a| self.center().axis(a), Scalar::ZERO),
            outer,
            inner: (inner > V::Scalar::ZERO).then_some(inner),
            is_surface: false,
        })
    }

    fn compare_distance(&self, cell: &Aabb<V>, distance: V::Scalar) -> Option<Ordering> {
        compare_rings(self, self.inner() > V::Scalar::ZERO, cell, distance)
    }

    fn overlaps_half_open(&self, cell: &Aabb<V>) -> bool {
        let (inner, outer) = (self.inner(), self.outer());
        round_half_open(self, outer * outer, Some(inner * inner), cell)
    }
}
