//! The shapes of this crate that can be voxelized: their distances from cells, and whether they meet cells whose upper faces do not count.
//! `hollow` says whether the surface of a solid is meant.

use core::cmp::Ordering;

use crate::overlap::distance::gap_sq;
use crate::overlap::lanes::Measure;
use crate::overlap::round::Ball;
use crate::overlap::{Overlaps, clearance_sq, widen};
use crate::shape::{Aabb, ConvexSolid, Sphere};
use crate::sweep::Moving;
use crate::vector::{Scalar, Vector};

/// The shape behind a region.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Form<'a, V: Vector> {
    /// A ball or an ellipsoid, solid or with a hole; for a surface, the hole has the radius of the ball.
    Ball(Ball<V>),
    /// The solid box, or that of a surface.
    Box(Aabb<V>),
    Solid(&'a ConvexSolid<V>),
    Capsule(&'a Moving<Sphere<V>>),
    /// A combination, or a region of the user's own.
    Other,
}

// These are inlined where the type of a region tells its form, so that a program compiles the arithmetic of its own shapes only.
impl<V: Vector> Form<'_, V> {
    /// The point from which the distances of a round shape or of a box, and of their surfaces, grow or fall outwards. The
    /// voxels that a region meets follow each other on either side of it, with rounding too.
    pub(in crate::voxel) fn middle(&self) -> Option<V> {
        match self {
            Self::Ball(ball) => Some(ball.center),
            Self::Box(solid) => Some(solid.center()),
            _ => None,
        }
    }

    /// Returns true for convex shapes that have no [`middle`](Self::middle): except for rounding, the voxels that it meets follow each other in a
    /// row, and so do those that it encloses.
    pub(in crate::voxel) fn is_convex(&self) -> bool {
        matches!(self, Self::Solid(_) | Self::Capsule(_))
    }

    /// The semi-axes of an ellipsoid, which are the units of its distances.
    pub(in crate::voxel) fn semi_axes(&self) -> Option<V> {
        match self {
            Self::Ball(ball) => match ball.measure {
                Measure::Scaled(semi_axes) => Some(semi_axes),
                _ => None,
            },
            _ => None,
        }
    }

    /// Compares the distance of a cell with another, as [`Voxelize::compare_distance`](super::Voxelize::compare_distance)
    /// does.
    #[inline(always)]
    pub(in crate::voxel) fn compare_distance(
        &self,
        hollow: bool,
        cell: &Aabb<V>,
        distance: V::Scalar,
    ) -> Option<Ordering> {
        match self {
            Self::Ball(ball) => {
                if let Some(semi_axes) = self.semi_axes() {
                    // The two ellipsoids around the same center that are longer and shorter by the distance.
                    let longer = |by| {
                        let longer = V::from_fn(|a| semi_axes.axis(a) + by);
                        let is_left = (0..V::DIM).all(|a| longer.axis(a) > V::Scalar::ZERO);
                        let measure = Measure::Scaled(longer);
                        is_left.then_some(Ball { measure, ..*ball })
                    };
                    let (one, shorter) = (V::Scalar::ONE, V::Scalar::ZERO - distance);
                    let near = longer(distance)?.near(cell);
                    let hole = longer(shorter).filter(|_| ball.hollow);
                    return between(near, one, hole.map(|hole| (one, hole.far(cell))));
                }
                let inner = ball.hollow.then_some(ball.inner);
                compare_radii(ball.outer, inner, distance, ball.near(cell), || {
                    ball.far(cell)
                })
            }
            Self::Box(solid) => {
                let depth = if hollow {
                    clearance_sq(solid, cell)
                } else {
                    V::Scalar::ZERO
                };
                gap_sq(solid, cell)
                    .larger(depth)
                    .partial_cmp(&(distance * distance))
            }
            Self::Solid(solid) if hollow => {
                solid.solid.compare_surface(&widen(cell), distance.into())
            }
            Self::Solid(solid) => solid.solid.compare_box(&widen(cell), distance.into()),
            Self::Capsule(capsule) => {
                // From the axis, like the distances of a ball from its center.
                let r = capsule.shape().radius();
                let near = capsule.near_sq(cell);
                compare_radii(r, hollow.then_some(r), distance, near, || {
                    capsule.far_sq(cell)
                })
            }
            Self::Other => None,
        }
    }

    /// Returns true if the shape has a point in a cell without the cell's upper faces; `None` for regions of other kinds.
    #[inline(always)]
    pub(in crate::voxel) fn overlaps_half_open(
        &self,
        hollow: bool,
        cell: &Aabb<V>,
    ) -> Option<bool> {
        let (lo, hi) = (cell.min(), cell.max());
        let mut axes = 0..V::DIM;
        Some(match self {
            Self::Ball(ball) => {
                // At a limit, the nearest point counts unless it lies on an upper face, and the farthest corner counts if it
                // is the lower one on all axes.
                let c = ball.center;
                let has_near = axes.clone().all(|a| c.axis(a) < hi.axis(a));
                let has_far = axes.all(|a| c.axis(a) - lo.axis(a) >= hi.axis(a) - c.axis(a));
                let ((inner, outer), near, far) = (ball.limits(), ball.near(cell), ball.far(cell));
                (near < outer || (near == outer && has_near))
                    && (!ball.hollow || inner < far || (inner == far && has_far))
            }
            Self::Box(solid) => {
                let (min, max) = (solid.min(), solid.max());
                let is_met = |a| min.axis(a) < hi.axis(a) && lo.axis(a) <= max.axis(a);
                let is_within = |a| min.axis(a) < lo.axis(a) && hi.axis(a) <= max.axis(a);
                axes.clone().all(is_met) && !(hollow && axes.all(is_within))
            }
            Self::Solid(solid) => {
                let (solid, cell) = (&solid.solid, widen(cell));
                !(hollow && solid.encloses_half_open(&cell)) && solid.overlaps_half_open(&cell)
            }
            Self::Capsule(capsule) => {
                let is_met = capsule.overlaps(cell) && !capsule.is_above(cell);
                is_met && !(hollow && capsule.encloses_half_open(cell))
            }
            Self::Other => return None,
        })
    }

    /// Returns true only if no point of a box lies deeper than `depth` in a convex solid, in spite of rounding.
    #[inline(always)]
    pub(in crate::voxel) fn stays_above(&self, cell: &Aabb<V>, depth: V::Scalar) -> bool {
        match self {
            Self::Solid(solid) => solid.solid.stays_above(&widen(cell), depth.into()),
            Self::Capsule(capsule) => capsule.misses_closely(cell, V::Scalar::ZERO - depth),
            _ => false,
        }
    }
}

/// Compares two measures with their limits: `near` beyond `outer`, or `far` within the hole, is `Greater`.
fn between<S: Scalar>(near: S, outer: S, hole: Option<(S, S)>) -> Option<Ordering> {
    let within = match hole {
        Some((inner, far)) => inner.partial_cmp(&far)?,
        None => Ordering::Less,
    };
    Some(near.partial_cmp(&outer)?.max(within))
}

/// Compares the distance between a ball with a hole and a cell, in squares. The nearest point of the cell is compared
/// with `outer + distance`, the farthest with `inner - distance`.
fn compare_radii<S: Scalar>(
    outer: S,
    inner: Option<S>,
    distance: S,
    near: S,
    far: impl FnOnce() -> S,
) -> Option<Ordering> {
    let outer = outer + distance;
    let inner = inner.map(|inner| inner - distance);
    let hole = inner.filter(|&inner| inner >= S::ZERO);
    between(near, outer * outer, hole.map(|hole| (hole * hole, far())))
}
