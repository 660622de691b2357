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
use crate::vector::{Scalar, Vector, Voxel};
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
            let is_met = self.is_met(region, Voxel::from_fn(|a| part.start[a] as i32));
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
                    let probe = self.probe(part, false);
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
        let (probe, reach) = (self.probe(part, hollow), self.reach());
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
        let faces = self.faces(part);
        let passes_by = |probe: &Aabb<V>| {
            part.is_row()
                && region.form().is_convex()
                && !region.overlaps(&self.wide(region, probe, V::Scalar::ZERO))
        };
        match self.rule {
            Rule::Closed => passes_by(&faces),
            Rule::HalfOpen => {
                let is_above = !self.may_be_flat(&faces) && misses_half_open(region, &faces);
                is_above || passes_by(&faces)
            }
            Rule::CenterInside => false,
            Rule::Thin => (0..V::DIM).all(|a| {
                let segments = self.segments(part, a);
                region.relate(&segments) == Relation::Outside || passes_by(&segments)
            }),
            Rule::Shell(_) | Rule::NarrowBand(_) => {
                let probe = self.wide(region, &self.probe(part, false), V::Scalar::ZERO);
                let reach = self.reach() + self.reach() * V::Scalar::EPSILON * eight();
                region.compare_distance(&probe, reach) == Some(Ordering::Greater)
            }
        }
    }

    /// Whether all voxels of a block are met, by the costly tests.
    fn meets_all<R: Voxelize + Region<Vector = V>>(&self, region: &R, part: &Part) -> bool {
        let in_segments =
            |a| region.relate(&self.segments(part, a)) == Relation::Inside && !part.is_cell;
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
                    let is_below = faces.max().axis(a) < middle.axis(a);
                    if is_inner == is_below {
                        faces.max().axis(a)
                    } else {
                        faces.min().axis(a)
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
        let ends = [near, far].map(|at| V::Voxel::from_fn(|a| at[a] as i32));
        if self.rule == Rule::Thin {
            let are_met = |a| {
                let mut segments = ends.iter().map(|&end| self.segments(&Part::of(end), a));
                segments.all(|segment| region.overlaps(&segment))
            };
            return (0..V::DIM).any(are_met);
        }
        ends.iter().all(|&end| self.is_met(region, end))
    }

    /// Whether all voxels of a row are met by a convex region or by its surface.
    ///
    /// The voxels that meet a convex solid follow each other, so it is enough that both ends of the row are met by
    /// more than the rounding error. The surface meets the voxels that are not enclosed: all, if an edge of the row
    /// stays outside the solid.
    fn meets_row<R: Voxelize + Region<Vector = V>>(&self, region: &R, part: &Part) -> bool {
        let reach = self.reach();
        let meets = |probe: &Aabb<V>, ends: &dyn Fn(&Part) -> bool| {
            [part.start[0], part.end[0] - 1].into_iter().all(|x| {
                let mut end = *part;
                (end.start[0], end.end[0]) = (x, x + 1);
                ends(&end)
            }) && (!R::IS_SURFACE
                || edges(probe).any(|edge| region.form().stays_above(&edge, reach)))
        };
        let slack = self.rounding(region, &self.faces(part));
        match self.rule {
            Rule::Closed | Rule::HalfOpen => meets(&self.faces(part), &|end| {
                let cell = shrunk(&self.faces(end), slack, |_| true);
                cell.is_some_and(|cell| region.overlaps(&cell))
            }),
            Rule::Shell(_) | Rule::NarrowBand(_) => {
                let reach = reach - slack;
                reach >= V::Scalar::ZERO
                    && meets(&self.probe(part, false), &|end| {
                        self.is_near(region, &self.probe(end, false), reach)
                    })
            }
            // A segment is surely met if it is met when moved to either side by more than the rounding error.
            Rule::Thin => (0..V::DIM).any(|a| {
                meets(&self.segments(part, a), &|end| {
                    let segment = shrunk(&self.segments(end, a), slack, |b| a == b);
                    segment.is_some_and(|segment| {
                        (0..1 << V::DIM).all(|sides| {
                            let by = |b| match (a == b, sides >> b & 1) {
                                (true, _) => V::Scalar::ZERO,
                                (false, 0) => slack,
                                _ => V::Scalar::ZERO - slack,
                            };
                            let moved = |p: V| V::from_fn(|b| p.axis(b) + by(b));
                            let (min, max) = (moved(segment.min()), moved(segment.max()));
                            region.overlaps(&Aabb::from_corners(min, max))
                        })
                    })
                })
            }),
            Rule::CenterInside => false,
        }
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
        let probe = self.probe(part, false);
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

/// Shrinks a box by a margin on some axes; `None` if nothing is left.
fn shrunk<V: Vector>(of: &Aabb<V>, by: V::Scalar, on: impl Fn(usize) -> bool) -> Option<Aabb<V>> {
    let margin = |a| if on(a) { by } else { V::Scalar::ZERO };
    let min = V::from_fn(|a| of.min().axis(a) + margin(a));
    let max = V::from_fn(|a| of.max().axis(a) - margin(a));
    let is_left = |a| !on(a) || min.axis(a) < max.axis(a);
    (0..V::DIM)
        .all(is_left)
        .then(|| Aabb::from_corners(min, max))
}
