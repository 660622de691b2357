//! Questions of the rules to a shape and a voxel: the distance between them against another, and whether they meet
//! without the voxel's upper faces.

use core::cmp::Ordering;

use crate::overlap::distance::gap_sq;
use crate::overlap::round::Ball;
use crate::overlap::{Overlaps, clearance_sq, widen};
use crate::shape::{Aabb, ConvexSolid, Ellipsoid, Sphere};
use crate::sweep::Moving;
use crate::vector::{Scalar, Vector};

/// Compares what is measured with two limits: beyond the outer or within the inner is farther.
#[inline]
fn between<S: Scalar>(near: S, outer: S, hole: Option<(S, S)>) -> Option<Ordering> {
    let within = match hole {
        Some((inner, far)) => inner.partial_cmp(&far)?,
        None => Ordering::Less,
    };
    Some(near.partial_cmp(&outer)?.max(within))
}

/// The squared distance of the nearest point of a cell against a radius grown by a distance, and of
/// the farthest against what is left of an inner one: of a ball with a hole.
pub(super) fn compare_radii<S: Scalar>(
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

pub(super) fn compare_balls<V: Vector>(
    ball: &Sphere<V>,
    hollow: bool,
    cell: &Aabb<V>,
    distance: V::Scalar,
) -> Option<Ordering> {
    let (r, far) = (ball.radius(), || ball.ball().far(cell));
    compare_radii(
        r,
        hollow.then_some(r),
        distance,
        ball.ball().near(cell),
        far,
    )
}

/// Compares the distances from the capsule's middle line, as those from a ball's center.
pub(super) fn compare_capsules<V: Vector>(
    capsule: &Moving<Sphere<V>>,
    hollow: bool,
    cell: &Aabb<V>,
    distance: V::Scalar,
) -> Option<Ordering> {
    let (r, far) = (capsule.shape().radius(), || capsule.far_sq(cell));
    compare_radii(r, hollow.then_some(r), distance, capsule.near_sq(cell), far)
}

/// Compares with ellipsoids around the same center, longer and shorter by the distance.
pub(super) fn compare_ellipsoids<V: Vector>(
    egg: &Ellipsoid<V>,
    hollow: bool,
    cell: &Aabb<V>,
    distance: V::Scalar,
) -> Option<Ordering> {
    let one = V::Scalar::ONE;
    let near = egg.widened(distance)?.ball().near(cell);
    let hole = egg.widened(V::Scalar::ZERO - distance).filter(|_| hollow);
    between(near, one, hole.map(|hole| (one, hole.ball().far(cell))))
}

/// The squared distance of a box from another, or from its surface.
pub(super) fn compare_boxes<V: Vector>(
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

pub(super) fn compare_solids<V: Vector>(
    solid: &ConvexSolid<V>,
    hollow: bool,
    cell: &Aabb<V>,
    distance: V::Scalar,
) -> Option<Ordering> {
    let (solid, cell) = (&solid.solid, widen(cell));
    if hollow {
        solid.compare_surface(&cell, distance.into())
    } else {
        solid.compare_box(&cell, distance.into())
    }
}

/// Whether the part of a round shape between two limits has a point in a box without its upper faces:
/// its nearest point belongs to it unless that lies on one, its farthest corner if that is the lower one
/// on all axes.
pub(super) fn within_half_open<V: Vector>(
    round: &Ball<V>,
    outer_sq: V::Scalar,
    inner_sq: Option<V::Scalar>,
    cell: &Aabb<V>,
) -> bool {
    let (c, lo, hi) = (round.center, cell.min(), cell.max());
    let mut axes = 0..V::DIM;
    let has_near = axes.clone().all(|a| c.axis(a) < hi.axis(a));
    let has_far = axes.all(|a| c.axis(a) - lo.axis(a) >= hi.axis(a) - c.axis(a));
    let (near, far) = (round.near(cell), round.far(cell));
    (near < outer_sq || (near == outer_sq && has_near))
        && inner_sq.is_none_or(|inner| inner < far || (inner == far && has_far))
}

fn round_half_open<V: Vector>(round: &Ball<V>, hollow: bool, cell: &Aabb<V>) -> bool {
    let (_, limit) = round.limits();
    within_half_open(round, limit, hollow.then_some(limit), cell)
}

pub(super) fn ball_half_open<V: Vector>(ball: &Sphere<V>, hollow: bool, cell: &Aabb<V>) -> bool {
    round_half_open(&ball.ball(), hollow, cell)
}

pub(super) fn ellipsoid_half_open<V: Vector>(
    egg: &Ellipsoid<V>,
    hollow: bool,
    cell: &Aabb<V>,
) -> bool {
    round_half_open(&egg.ball(), hollow, cell)
}

pub(super) fn box_half_open<V: Vector>(solid: &Aabb<V>, hollow: bool, cell: &Aabb<V>) -> bool {
    let ((min, max), (lo, hi)) = ((solid.min(), solid.max()), (cell.min(), cell.max()));
    let mut axes = 0..V::DIM;
    let is_met = |a| min.axis(a) < hi.axis(a) && lo.axis(a) <= max.axis(a);
    let is_within = |a| min.axis(a) < lo.axis(a) && hi.axis(a) <= max.axis(a);
    axes.clone().all(is_met) && !(hollow && axes.all(is_within))
}

pub(super) fn solid_half_open<V: Vector>(
    solid: &ConvexSolid<V>,
    hollow: bool,
    cell: &Aabb<V>,
) -> bool {
    let (solid, cell) = (&solid.solid, widen(cell));
    !(hollow && solid.encloses_half_open(&cell)) && solid.overlaps_half_open(&cell)
}

pub(super) fn capsule_half_open<V: Vector>(
    capsule: &Moving<Sphere<V>>,
    hollow: bool,
    cell: &Aabb<V>,
) -> bool {
    let is_met = capsule.overlaps(cell) && !capsule.is_above(cell);
    is_met && !(hollow && capsule.encloses_half_open(cell))
}

/// Whether no point of a box lies deeper than this in a solid, by more than rounding.
pub(super) fn is_above_solid<V: Vector>(
    solid: &ConvexSolid<V>,
    cell: &Aabb<V>,
    depth: V::Scalar,
) -> bool {
    let cell = widen(cell);
    solid.solid.stays_above(&cell, depth.into())
}

/// [`is_above_solid`] for a capsule.
pub(super) fn is_above_capsule<V: Vector>(
    capsule: &Moving<Sphere<V>>,
    cell: &Aabb<V>,
    depth: V::Scalar,
) -> bool {
    capsule.misses_closely(cell, V::Scalar::ZERO - depth)
}
