//! Tests of blocks of voxels by the rules: whether none of the voxels is met, or all.
//!
//! `Outside` and `Inside` are certain, rounding included. [`Straddles`](Relation::Straddles) is always allowed; the
//! block is then halved. The tests are sharp enough that the time to list a region grows with its voxels only, in
//! windows of all indices too.

use core::cmp::Ordering;

use super::{Criterion, Part, Rule, eight, half_open};
use crate::overlap::distance::far_sq;
use crate::overlap::{Region, Relation};
use crate::shape::{Aabb, Sphere};
use crate::sweep::Moving;
use crate::vector::{Scalar, Vector};
use crate::voxel::Voxelize;
use crate::voxel::voxelize::{Form, VectorOf};

impl<V: Vector> Criterion<V> {
    /// Relates a region to the voxels of a block: whether none of them is met, or all.
    ///
    /// ```text
    /// test the block once
    /// if that does not decide it: test a single voxel by the rule
    /// at every third halving of a block that straddles:
    ///     outside if the rule's own measure, which knows corners and edges, meets no voxel
    ///     inside if the two voxels are met between which all others lie
    /// ```
    pub(in crate::voxel) fn relate<R>(&self, region: &R, part: &Part) -> Relation
    where
        R: Voxelize + Region<Vector = V>,
    {
        let relation = match region.form() {
            Form::Capsule(capsule) => self.relate_capsule(capsule, R::IS_SURFACE, part),
            _ => self.relate_once(region, part),
        };
        if relation != Relation::Straddles {
            return relation;
        }
        if part.is_voxel() {
            let is_met = self.is_met(region, part);
            return Relation::of(!is_met, is_met);
        }
        let is_outside = part.is_due() && self.misses_all(region, part);
        let is_inside = part.is_due() && !is_outside && self.meets_all(region, part);
        Relation::of(is_outside, is_inside)
    }

    /// The answer by one or two cheap tests.
    fn relate_once<R: Voxelize + Region<Vector = V>>(&self, region: &R, part: &Part) -> Relation {
        let faces = self.faces(part);
        match self.rule {
            Rule::Closed | Rule::Thin => region.relate(&faces),
            Rule::HalfOpen => match region.relate(&faces) {
                // A voxel whose two faces are equal need not be met on the surface, since the upper one does not
                // count.
                Relation::Inside if self.may_be_flat(&faces) => {
                    let wide = self.wide(region, &faces, V::Scalar::ZERO);
                    Relation::of(false, region.relate(&wide) == Relation::Inside)
                }
                relation => relation,
            },
            Rule::CenterInside if R::IS_SURFACE => self.relate_layer(part, &|points| {
                let holds = |point: V| region.holds(&Aabb::point(point));
                let Some(middle) = region.form().middle() else {
                    // Points that the surface does not separate are all inside or all outside.
                    let is_parted = region.relate(points) != Relation::Outside;
                    return (!is_parted).then(|| holds(points.min()));
                };
                // It is enough to test the corners and the point nearest to the middle, rounding included.
                let (min, max) = (points.min(), points.max());
                let nearest = |a| middle.axis(a).larger(min.axis(a)).smaller(max.axis(a));
                if !holds(V::from_fn(nearest)) {
                    return Some(false);
                }
                let are_held = edges(points).all(|edge| holds(edge.min()) && holds(edge.max()));
                are_held.then_some(true)
            }),
            Rule::CenterInside => region.relate(&self.centers(part, 0)),
            Rule::Shell(_) | Rule::NarrowBand(_) => {
                let is_outside = if region.form().middle().is_some() {
                    let probe = self.probe(part, 0);
                    let compared = region.compare_distance(&probe, self.reach());
                    compared.is_some() && !self.is_near(region, &probe, self.reach())
                } else {
                    let by = self.reach() + self.lattice.step;
                    region.relate(&self.wide(region, &faces, by)) == Relation::Outside
                };
                // A block inside the region has distance 0.
                let is_inside = || {
                    let is_sure = matches!(self.rule, Rule::Shell(_))
                        || self.reach() > self.rounding(region, &faces);
                    is_sure && region.relate(&faces) == Relation::Inside
                };
                Relation::of(is_outside, !is_outside && is_inside())
            }
        }
    }

    /// The answer for a capsule by its distances, since its relation to boxes is not sharp: of the ball around a block
    /// first, and of the block itself at every third halving.
    fn relate_capsule(&self, capsule: &Moving<Sphere<V>>, hollow: bool, part: &Part) -> Relation {
        let zero = V::Scalar::ZERO;
        if hollow && self.rule == Rule::CenterInside {
            return self.relate_layer(part, &|points| {
                let close = part.is_due();
                let is_out =
                    capsule.misses(points, zero) || (close && capsule.misses_closely(points, zero));
                let is_in = || {
                    capsule.encloses(points, zero)
                        || (close && capsule.encloses_closely(points, zero))
                };
                (is_out || is_in()).then_some(!is_out)
            });
        }
        let probe = match self.rule {
            Rule::Thin => self.faces(part),
            _ => self.probe(part, 0),
        };
        let reach = self.reach();
        let within = zero - reach;
        let relate = |misses: &dyn Fn(V::Scalar) -> bool, encloses: &dyn Fn(V::Scalar) -> bool| {
            if !hollow {
                // Every rule meets the voxels in the interior.
                return Relation::of(misses(reach), encloses(within));
            }
            let is_outside = misses(reach) || encloses(reach);
            let is_near = || self.rule.reach().is_some() && misses(within) && encloses(within);
            Relation::of(is_outside, !is_outside && is_near())
        };
        let relation = relate(&|by| capsule.misses(&probe, by), &|by| {
            capsule.encloses(&probe, by)
        });
        if relation != Relation::Straddles || !part.is_due() {
            return relation;
        }
        relate(&|by| capsule.misses_closely(&probe, by), &|by| {
            capsule.encloses_closely(&probe, by)
        })
    }

    /// Removes voxels that have the same boxes and centers as others of the block, since they are smaller than the
    /// spacing of floats on an axis.
    pub(in crate::voxel) fn distinct(&self, mut part: Part) -> Part {
        let lattice = &self.lattice;
        for a in 0..V::DIM {
            let (start, end) = (part.start[a], part.end[a]);
            if lattice.face(a, start) == lattice.face(a, end)
                && lattice.middle(a, start - 1) == lattice.middle(a, end)
            {
                part.end[a] = start + 1;
            }
        }
        part
    }

    /// Relates the outermost layer of the solid that a surface encloses to a block. `are_held` tells whether the
    /// solid holds all points or none, if it can.
    fn relate_layer(&self, part: &Part, are_held: &dyn Fn(&Aabb<V>) -> Option<bool>) -> Relation {
        if are_held(&self.centers(part, 1)).is_some() {
            return Relation::Outside;
        }
        match are_held(&self.centers(part, 0)) {
            Some(false) => Relation::Outside,
            Some(true) if part.is_row() && part.is_due() => {
                // The rows across a face decide: if one of them is outside the solid, this row is outermost; if all
                // are inside, it is not.
                let moved = |a: usize, down: i64, up: i64| {
                    let mut beside = *part;
                    beside.start[a] += down;
                    beside.end[a] += up;
                    are_held(&self.centers(&beside, 0))
                };
                let mut all = moved(0, -1, 1) == Some(true);
                for (a, step) in (1..V::DIM).flat_map(|a| [(a, -1), (a, 1)]) {
                    match moved(a, step, step) {
                        Some(false) => return Relation::Inside,
                        is_held => all &= is_held == Some(true),
                    }
                }
                Relation::of(all, false)
            }
            _ => Relation::Straddles,
        }
    }

    /// Whether no voxel of a block is met, by the costly tests.
    fn misses_all<R: Voxelize + Region<Vector = V>>(&self, region: &R, part: &Part) -> bool {
        if self.rule == Rule::CenterInside {
            return false;
        }
        if self.rule.reach().is_some() {
            let probe = self.wide(region, &self.probe(part, 0), V::Scalar::ZERO);
            let reach = self.reach() + self.reach() * V::Scalar::EPSILON * eight();
            return region.compare_distance(&probe, reach) == Some(Ordering::Greater);
        }
        let faces = self.faces(part);
        if self.rule == Rule::HalfOpen
            && !self.may_be_flat(&faces)
            && misses_half_open(region, &faces)
        {
            return true;
        }
        let is_convex_row = part.is_row() && region.form().is_convex();
        self.probes().all(|i| {
            let probe = self.probe(part, i);
            self.rule == Rule::Thin && region.relate(&probe) == Relation::Outside
                || is_convex_row && !region.overlaps(&self.wide(region, &probe, V::Scalar::ZERO))
        })
    }

    /// Whether all voxels of a block are met, by the costly tests.
    fn meets_all<R: Voxelize + Region<Vector = V>>(&self, region: &R, part: &Part) -> bool {
        let in_segments =
            |a| region.relate(&self.probe(part, a)) == Relation::Inside && !part.is_cell;
        if self.rule == Rule::Thin && (0..V::DIM).any(in_segments) {
            return true;
        }
        let form = region.form();
        let is_known = match form.middle() {
            Some(middle) => self.meets_ends(region, part, middle),
            None => form.is_convex() && part.is_row() && self.meets_row(region, part),
        };
        is_known || self.is_within_reach(region, part)
    }

    /// Whether the block lies on one side of a middle on all axes, and its nearest and farthest voxels are met. All
    /// voxels between these two are then met too, with rounding as well.
    fn meets_ends<R>(&self, region: &R, part: &Part, middle: V) -> bool
    where
        R: Voxelize + Region<Vector = V>,
    {
        let faces = self.faces(part);
        let (mut near, mut far) = (part.start, part.start);
        for a in 0..V::DIM {
            let (lo, hi, c) = (faces.min().axis(a), faces.max().axis(a), middle.axis(a));
            let last = part.end[a] - 1;
            if c < lo {
                far[a] = last;
            } else if hi < c {
                near[a] = last;
            } else if last > part.start[a] || part.is_cell {
                return false;
            }
        }
        if part.is_cell {
            // All points of an octree's cell have to be within reach.
            let corner = |is_inner: bool| {
                Aabb::point(V::from_fn(|a| {
                    let (lo, hi) = (faces.min().axis(a), faces.max().axis(a));
                    if is_inner == (hi < middle.axis(a)) {
                        hi
                    } else {
                        lo
                    }
                }))
            };
            let is_near = |point: Aabb<V>| self.is_near(region, &point, self.reach());
            return self.rule.reach().is_some() && is_near(corner(true)) && is_near(corner(false));
        }
        // Flat voxels on several axes have upper faces of their own.
        if self.rule == Rule::HalfOpen && !part.is_row() && self.may_be_flat(&faces) {
            return false;
        }
        let ends = [near, far].map(|start| Part {
            start,
            end: start.map(|index| index + 1),
            is_cell: false,
        });
        self.probes()
            .any(|i| ends.iter().all(|end| self.is_met_by(region, end, i)))
    }

    /// Whether all voxels of a row are met by a convex region or by its surface.
    ///
    /// The voxels that meet a convex solid follow each other, so it is enough that both ends of the row are met by
    /// more than the rounding error. The surface meets the voxels that are not enclosed: all, if an edge of the row
    /// stays outside the solid.
    fn meets_row<R: Voxelize + Region<Vector = V>>(&self, region: &R, part: &Part) -> bool {
        let (reach, slack) = (self.reach(), self.rounding(region, &self.faces(part)));
        let is_far = self.rule.reach().is_some() && reach < slack;
        if self.rule == Rule::CenterInside || is_far {
            return false;
        }
        self.probes().any(|i| {
            let is_surely_met = |x: i64| {
                let mut end = *part;
                (end.start[0], end.end[0]) = (x, x + 1);
                let probe = self.probe(&end, i);
                if self.rule.reach().is_some() {
                    self.is_near(region, &probe, reach - slack)
                } else {
                    surely_overlaps(region, &probe, slack, |a| self.rule != Rule::Thin || a == i)
                }
            };
            let stays_above = |edge| region.form().stays_above(&edge, reach);
            is_surely_met(part.start[0])
                && is_surely_met(part.end[0] - 1)
                && (!R::IS_SURFACE || edges(&self.probe(part, i)).any(stays_above))
        })
    }

    /// Whether all points of a block are within reach, by the distance of its center: that of another point differs
    /// by no more than the two points are apart.
    fn is_within_reach<R: Voxelize + Region<Vector = V>>(&self, region: &R, part: &Part) -> bool {
        let Some(reach) = self.rule.reach() else {
            return false;
        };
        // A lengthened ellipsoid does not hold all points within that length of the ellipsoid.
        if region.form().semi_axes().is_some() {
            return false;
        }
        let probe = self.probe(part, 0);
        let center = probe.center();
        let reach = reach - far_sq(&center, &probe).sqrt() - self.rounding(region, &probe);
        reach > V::Scalar::ZERO && self.is_near(region, &Aabb::point(center), reach)
    }
}

/// Returns true if a region meets no part of a box whose upper faces do not count.
fn misses_half_open<R: Voxelize>(region: &R, block: &Aabb<VectorOf<R>>) -> bool {
    // The bounds of a combination, or of a user's region, do not tell.
    if let Form::Other = region.form() {
        return region.relate(&half_open(block)) == Relation::Outside;
    }
    // The box ends on some axis at or below the lower end of the shape.
    let bounds = region.bounds();
    (0..VectorOf::<R>::DIM).any(|a| block.max().axis(a) <= bounds.min().axis(a))
}

/// The edges of a box along axis 0, as boxes.
fn edges<V: Vector>(of: &Aabb<V>) -> impl Iterator<Item = Aabb<V>> {
    let (min, max) = (of.min(), of.max());
    (0..1 << (V::DIM - 1)).map(move |sides| {
        let side = |a: usize, along: V| match (a, sides << 1 >> a & 1) {
            (0, _) => along.axis(0),
            (_, 0) => min.axis(a),
            _ => max.axis(a),
        };
        Aabb::from_corners(V::from_fn(|a| side(a, min)), V::from_fn(|a| side(a, max)))
    })
}

/// Returns true if a region overlaps a box by more than a margin: it still overlaps the box when that is shrunk on the axes on which it is
/// extended, and moved to either side on the others.
fn surely_overlaps<V: Vector, R: Voxelize + Region<Vector = V>>(
    region: &R,
    of: &Aabb<V>,
    margin: V::Scalar,
    is_extended: impl Fn(usize) -> bool,
) -> bool {
    let is_left = |a| !is_extended(a) || of.min().axis(a) + margin < of.max().axis(a) - margin;
    // A bit for each axis on which the box is moved down.
    let mut sides = (0..1 << V::DIM)
        .filter(|sides| (0..V::DIM).all(|a| !is_extended(a) || sides >> a & 1 == 0));
    (0..V::DIM).all(is_left)
        && sides.all(|sides| {
            let moved = |a, end: V::Scalar, is_max| {
                let is_down = sides >> a & 1 == 1 || (is_extended(a) && is_max);
                if is_down { end - margin } else { end + margin }
            };
            let min = V::from_fn(|a| moved(a, of.min().axis(a), false));
            let max = V::from_fn(|a| moved(a, of.max().axis(a), true));
            region.overlaps(&Aabb::from_corners(min, max))
        })
}
