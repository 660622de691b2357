//! Tests of a shape and a voxel, for the rules: how their distance compares with another, and whether they meet if
//! the voxel's upper faces do not count.

use core::cmp::Ordering;

use crate::overlap::Relation;
use crate::overlap::round::Ball;
use crate::shape::{Aabb, Hollow, Sphere};
use crate::sweep::Moving;
use crate::vector::{Scalar, Vector};
use crate::voxel::Rule;
use crate::voxel::rule::{Criterion, Part};

/// Compares two measures with their limits: `near` beyond `outer`, or `far` within the hole, is `Greater`.
#[inline]
pub(super) fn between<S: Scalar>(near: S, outer: S, hole: Option<(S, S)>) -> Option<Ordering> {
    let within = match hole {
        Some((inner, far)) => inner.partial_cmp(&far)?,
        None => Ordering::Less,
    };
    Some(near.partial_cmp(&outer)?.max(within))
}

/// Compares the distance between a ball with a hole and a cell, in squares. The nearest point of the cell is compared
/// with `outer + distance`, the farthest with `inner - distance`.
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

/// Whether the part of a round shape between two limits has a point in a box without its upper faces. At a limit, the
/// nearest point counts unless it lies on an upper face, and the farthest corner counts if it is the lower one on all
/// axes.
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

/// [`within_half_open`] for a ball or an ellipsoid, or for its surface.
pub(super) fn round_half_open<V: Vector>(round: &Ball<V>, hollow: bool, cell: &Aabb<V>) -> bool {
    let (_, limit) = round.limits();
    within_half_open(round, limit, hollow.then_some(limit), cell)
}

/// Relates a capsule, which is the volume that a moving ball sweeps, to the voxels of a block.
pub(super) fn relate_capsule<V: Vector>(
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
