//! When a voxel counts as met, and the question to one voxel, under each rule: what every faster way
//! answers too.

use core::cmp::Ordering;

use super::Voxelize;
use super::halving::AskCells;
use super::lattice::{Block, Lattice};
use crate::error::Error;
use crate::overlap::distance::far_sq;
use crate::overlap::{Region, Relation};
use crate::shape::{Aabb, Bounded};
use crate::vector::{Scalar, Vector, Voxel};

type VectorOf<R> = <R as Region>::Vector;
type ScalarOf<R> = <VectorOf<R> as Vector>::Scalar;

/// When a voxel counts as met; lengths in the units of the grid's coordinates.
///
/// Each rule is one expression of the voxel's faces and its center, in the arithmetic of the grid's
/// scalar. A set of voxels *separates* under 6 neighbors if no path of steps through faces leads
/// from the inside to the outside of a closed surface around the set's voxels; under 18 if none through
/// faces and edges does, under 26 if none at all. What is said holds for surfaces that are wider than
/// a few voxels.
///
/// | rule | of a surface | connected by |
/// |---|---|---|
/// | [`Closed`](Self::Closed) | separates under 6, 18 and 26 | faces |
/// | [`HalfOpen`](Self::HalfOpen) | separates under 6; under 18 where no edge of the lattice lies in it, as in no sphere; under 26 where it passes through no corner either | faces |
/// | [`CenterInside`](Self::CenterInside) | separates under 6 | faces and edges |
/// | [`Thin`](Self::Thin) | separates under 6 | faces and edges |
/// | [`Shell`](Self::Shell) | separates under 6, 18 and 26 | faces |
/// | [`NarrowBand`](Self::NarrowBand) | under 6, 18 and 26 if the half width is more than 1/2, √2/2 and √3/2 voxels | faces and edges, from 1/2 on |
///
/// The band of an ellipsoid, whose semi-axes are lengthened and shortened, is thinner than its half width
/// says, by up to `2√k / (1 + k)` where the longest semi-axis is `k` times the shortest.
///
/// Regions made of others have, by every rule, the voxels that are made of the voxels of their parts:
/// a [`Difference`](crate::Difference) under `Shell(t)` those of the first that are none of the second,
/// both under `Shell(t)`. Where the surface of what is left is meant, mind that it has two parts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Rule<S> {
    /// The closed voxel `[lo, hi]` shares a point with the region: touching counts, and a surface
    /// through a face has voxels on both sides (the supercover).
    #[default]
    Closed,
    /// The half-open voxel `[lo, hi)` shares a point with the region, so that each point has one
    /// voxel.
    HalfOpen,
    /// The center of the voxel lies in the region; of a surface, the outermost layer of what it
    /// encloses: the center lies within, and that of a voxel across a face does not.
    CenterInside,
    /// One of the three segments through the center of the voxel, from face to face, shares a point
    /// with the region: the thinnest surface without gaps between faces.
    Thin,
    /// The closed voxel has a point within half of this thickness of the region.
    Shell(S),
    /// The center of the voxel lies less than this half width from the region.
    NarrowBand(S),
}

impl<S: Scalar> Rule<S> {
    /// That a length is a finite number from 0 on.
    pub(super) fn check(self) -> Result<(), Error> {
        let (part, length) = match self {
            Self::Shell(thickness) => ("shell thickness", thickness),
            Self::NarrowBand(half_width) => ("half width of a narrow band", half_width),
            _ => return Ok(()),
        };
        if length.is_finite() && length >= S::ZERO {
            return Ok(());
        }
        Err(Error::Distance {
            part,
            distance: length.into(),
        })
    }

    /// How far from the region a voxel may be that is met, if the rule is one of distances.
    pub(super) fn reach(self) -> Option<S> {
        match self {
            Self::Shell(thickness) => Some(thickness * S::from_f64(0.5)),
            Self::NarrowBand(half_width) => Some(half_width),
            _ => None,
        }
    }

    /// The name of the rule in an error.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Closed => "Closed",
            Self::HalfOpen => "HalfOpen",
            Self::CenterInside => "CenterInside",
            Self::Thin => "Thin",
            Self::Shell(_) => "Shell",
            Self::NarrowBand(_) => "NarrowBand",
        }
    }
}

/// The box that stands for a half-open one: up to the float before its upper face.
pub(super) fn half_open<V: Vector>(cell: &Aabb<V>) -> Aabb<V> {
    let (min, max) = (cell.min(), cell.max());
    // A voxel too thin to hold two floats is its lower face.
    let last = |a| max.axis(a).next_down().larger(min.axis(a));
    Aabb::from_corners(min, V::from_fn(last))
}

/// The lattice and the rule by which voxels are asked.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Criterion<V: Vector> {
    pub(crate) lattice: Lattice<V::Scalar>,
    pub(super) rule: Rule<V::Scalar>,
}

impl<V: Vector> Criterion<V> {
    /// Whether a voxel is met.
    pub(super) fn is_met<R>(&self, region: &R, voxel: V::Voxel) -> bool
    where
        R: Voxelize + Region<Vector = V> + ?Sized,
    {
        let lattice = &self.lattice;
        let cell: Aabb<V> = lattice.cell(voxel);
        match self.rule {
            Rule::Closed => region.overlaps(&cell),
            Rule::HalfOpen => region.overlaps_half_open(&cell),
            Rule::CenterInside => {
                let center: V = lattice.center(voxel);
                let holds = |point| region.holds(&Aabb::point(point));
                // Also where the cell across a face is beyond the range.
                let beside = |a, step| lattice.middle(a, i64::from(voxel.axis(a)) + step);
                let is_outermost = || {
                    let mut steps = (0..V::DIM).flat_map(|a| [(a, -1), (a, 1)]);
                    steps.any(|(a, step)| {
                        let across = |b| {
                            if a == b {
                                beside(a, step)
                            } else {
                                center.axis(b)
                            }
                        };
                        !holds(V::from_fn(across))
                    })
                };
                holds(center) && (!R::IS_SURFACE || is_outermost())
            }
            Rule::Thin => {
                let part = Part::of(voxel);
                (0..V::DIM).any(|a| region.overlaps(&self.segments(&part, a)))
            }
            Rule::Shell(_) => self.is_near(region, &cell, self.reach()),
            Rule::NarrowBand(_) => {
                let center = Aabb::point(lattice.center::<V>(voxel));
                self.is_near(region, &center, self.reach())
            }
        }
    }

    /// Whether a box is as near to a region as a rule of distances asks.
    fn is_near<R>(&self, region: &R, probe: &Aabb<V>, reach: V::Scalar) -> bool
    where
        R: Voxelize + Region<Vector = V> + ?Sized,
    {
        let compared = region.compare_distance(probe, reach);
        compared.is_some_and(match self.rule {
            Rule::NarrowBand(_) => Ordering::is_lt,
            _ => Ordering::is_le,
        })
    }

    fn reach(&self) -> V::Scalar {
        self.rule.reach().unwrap_or_default()
    }

    /// The closed box of a block of voxels.
    fn faces(&self, part: &Part) -> Aabb<V> {
        let face = |ends: &[i64; 4]| V::from_fn(|a| self.lattice.face(a, ends[a]));
        Aabb::from_corners(face(&part.start), face(&part.end))
    }

    /// The box around the centers of a block of voxels, and of some more around them.
    fn centers(&self, part: &Part, more: i64) -> Aabb<V> {
        let middle = |a, index| self.lattice.middle(a, index);
        Aabb::from_corners(
            V::from_fn(|a| middle(a, part.start[a] - more)),
            V::from_fn(|a| middle(a, part.end[a] - 1 + more)),
        )
    }

    /// The box around the segments along an axis through the centers of a block of voxels.
    fn segments(&self, part: &Part, axis: usize) -> Aabb<V> {
        let (faces, centers) = (self.faces(part), self.centers(part, 0));
        let along = |faces: V, centers: V| {
            V::from_fn(|a| {
                if a == axis {
                    faces.axis(a)
                } else {
                    centers.axis(a)
                }
            })
        };
        Aabb::from_corners(
            along(faces.min(), centers.min()),
            along(faces.max(), centers.max()),
        )
    }

    /// The box that holds all that the rule asks of a block of voxels; of an outermost layer, the centers
    /// across a face too.
    pub(super) fn probe(&self, part: &Part, is_surface: bool) -> Aabb<V> {
        match self.rule {
            Rule::CenterInside => self.centers(part, i64::from(is_surface)),
            Rule::NarrowBand(_) => self.centers(part, 0),
            _ => self.faces(part),
        }
    }

    /// How a region lies to the voxels of a block: none of them is met, or all are.
    ///
    /// ```text
    /// ask the region about the block once
    /// at every third halving of a block that straddles:
    ///     outside: no voxel is met by the rule's own measure, which knows corners and edges
    ///     inside:  the two voxels are met between which all others lie
    /// ```
    pub(super) fn relate<R>(&self, region: &R, part: &Part) -> Relation
    where
        R: Voxelize + Region<Vector = V> + ?Sized,
    {
        let relation = self.relate_once(region, part);
        if relation == Relation::Straddles && part.is_due() {
            self.relate_closely(region, part)
        } else {
            relation
        }
    }

    /// The answer for a block where a few questions did not tell.
    pub(super) fn relate_closely<R>(&self, region: &R, part: &Part) -> Relation
    where
        R: Voxelize + Region<Vector = V> + ?Sized,
    {
        let is_outside = self.misses_all(region, part);
        Relation::of(is_outside, !is_outside && self.meets_all(region, part))
    }

    /// The answer for a block by one or two questions.
    fn relate_once<R>(&self, region: &R, part: &Part) -> Relation
    where
        R: Voxelize + Region<Vector = V> + ?Sized,
    {
        let faces = self.faces(part);
        match self.rule {
            Rule::Closed | Rule::Thin => region.relate(&faces),
            Rule::HalfOpen => match region.relate(&faces) {
                // A voxel whose faces are one, without the upper, need not be met on the surface.
                Relation::Inside if self.may_be_flat(&faces) => {
                    let wide = self.wide(region, &faces, V::Scalar::ZERO);
                    Relation::of(false, region.relate(&wide) == Relation::Inside)
                }
                relation => relation,
            },
            Rule::CenterInside if R::IS_SURFACE => self.relate_layer(part, &|points| {
                let holds = |point: V| region.holds(&Aabb::point(point));
                let Outline::Around(middle) = region.outline() else {
                    // Points that the surface does not part are all within, or all without.
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
                let is_outside = if let Outline::Around(_) = region.outline() {
                    let probe = self.probe(part, false);
                    let compared = region.compare_distance(&probe, self.reach());
                    compared.is_some() && !self.is_near(region, &probe, self.reach())
                } else {
                    let by = self.reach() + self.lattice.step;
                    region.relate(&self.wide(region, &faces, by)) == Relation::Outside
                };
                // What lies in the region is no distance away.
                let is_inside = || {
                    let is_sure = matches!(self.rule, Rule::Shell(_))
                        || self.reach() > self.rounding(region, &faces);
                    is_sure && region.relate(&faces) == Relation::Inside
                };
                Relation::of(is_outside, !is_outside && is_inside())
            }
        }
    }

    /// How the outermost layer of what a surface encloses lies to a block; `are_held` says of points whether
    /// all or none of them are enclosed, if it can tell.
    pub(super) fn relate_layer(
        &self,
        part: &Part,
        are_held: &dyn Fn(&Aabb<V>) -> Option<bool>,
    ) -> Relation {
        if are_held(&self.centers(part, 1)).is_some() {
            return Relation::Outside;
        }
        match are_held(&self.centers(part, 0)) {
            Some(false) => Relation::Outside,
            Some(true) if part.is_row() && part.is_due() => {
                // The rows across a face decide: without any of them it is outermost, with all it is not.
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

    /// Whether no voxel of a block is met, where one question did not tell.
    fn misses_all<R>(&self, region: &R, part: &Part) -> bool
    where
        R: Voxelize + Region<Vector = V> + ?Sized,
    {
        let faces = self.faces(part);
        let passes_by = || {
            part.is_row()
                && matches!(region.outline(), Outline::Convex | Outline::Surface)
                && !region.overlaps(&self.wide(region, &faces, V::Scalar::ZERO))
        };
        match self.rule {
            Rule::Closed => passes_by(),
            Rule::HalfOpen => {
                let is_above = !self.may_be_flat(&faces) && region.misses_half_open(&faces);
                is_above || passes_by()
            }
            Rule::CenterInside => false,
            Rule::Thin => {
                let is_round = matches!(region.outline(), Outline::Convex | Outline::Surface);
                let mut axes = 0..V::DIM;
                axes.all(|a| {
                    let segments = self.segments(part, a);
                    region.relate(&segments) == Relation::Outside || {
                        let wide = self.wide(region, &segments, V::Scalar::ZERO);
                        is_round && part.is_row() && !region.overlaps(&wide)
                    }
                })
            }
            Rule::Shell(_) | Rule::NarrowBand(_) => {
                let probe = self.wide(region, &self.probe(part, false), V::Scalar::ZERO);
                let reach = self.reach() + self.reach() * V::Scalar::EPSILON * eight();
                region.compare_distance(&probe, reach) == Some(Ordering::Greater)
            }
        }
    }

    /// Whether all voxels of a block are met, where one question did not tell.
    fn meets_all<R>(&self, region: &R, part: &Part) -> bool
    where
        R: Voxelize + Region<Vector = V> + ?Sized,
    {
        let in_segments =
            |a| region.relate(&self.segments(part, a)) == Relation::Inside && !part.is_cell;
        if self.rule == Rule::Thin && (0..V::DIM).any(in_segments) {
            return true;
        }
        match region.outline() {
            Outline::Around(middle) => {
                self.meets_ends(region, part, middle) || self.is_within_reach(region, part)
            }
            Outline::Convex | Outline::Surface if part.is_row() && self.meets_row(region, part) => {
                true
            }
            _ => self.is_within_reach(region, part),
        }
    }

    /// Whether the voxels nearest to a middle and farthest from it are met, on one side of it on all axes: what
    /// lies between them is then met too, after rounding as well.
    fn meets_ends<R>(&self, region: &R, part: &Part, middle: V) -> bool
    where
        R: Voxelize + Region<Vector = V> + ?Sized,
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
            // Of the cells of an octree all points are to be within reach.
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
    /// The voxels that meet a convex solid follow each other, so the ends of the row tell of all, if they are
    /// met by more than rounding. The surface meets those of them that are not enclosed: all, if an edge
    /// of the row stays outside.
    fn meets_row<R>(&self, region: &R, part: &Part) -> bool
    where
        R: Voxelize + Region<Vector = V> + ?Sized,
    {
        let is_solid = matches!(region.outline(), Outline::Convex);
        let reach = self.reach();
        let meets = |probe: &Aabb<V>, ends: &dyn Fn(&Part) -> bool| {
            [part.start[0], part.end[0] - 1].into_iter().all(|x| {
                let mut end = *part;
                (end.start[0], end.end[0]) = (x, x + 1);
                ends(&end)
            }) && (is_solid || edges(probe).any(|edge| region.stays_above(&edge, reach)))
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
            // A segment that is moved sideways by more than rounding is met on either side.
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

    /// Whether all points of a block are within reach: the distance changes by no more than that of two
    /// points.
    fn is_within_reach<R>(&self, region: &R, part: &Part) -> bool
    where
        R: Voxelize + Region<Vector = V> + ?Sized,
    {
        let Some(reach) = self.rule.reach() else {
            return false;
        };
        let probe = self.probe(part, false);
        let center = probe.center();
        let reach = reach - far_sq(&center, &probe).sqrt() - self.rounding(region, &probe);
        reach > V::Scalar::ZERO && self.is_near(region, &Aabb::point(center), reach)
    }

    /// Whether a region knows what the rule asks.
    pub(super) fn is_known<R>(&self, region: &R) -> bool
    where
        R: Voxelize + Region<Vector = V> + ?Sized,
    {
        // A box with an extent: distances of points alone do for a rule of centers.
        let probe = match self.rule {
            Rule::Shell(_) => region.bounds(),
            _ => Aabb::point(region.bounds().min()),
        };
        let knows = |reach| region.compare_distance(&probe, reach).is_some();
        self.rule.reach().is_none_or(knows)
    }

    /// Whether voxels of a block may be as small as the spacing of floats there, or where they are
    /// before the origin is added.
    pub(super) fn may_be_flat(&self, block: &Aabb<V>) -> bool {
        let spacing = |most: V::Scalar| most - most.next_down();
        (0..V::DIM).any(|a| {
            let most = largest(block, a) + self.lattice.origin[a].abs();
            self.lattice.step < spacing(most) * eight()
        })
    }

    /// A box grown by a length and, on each axis, by more than rounding amounts to there.
    fn wide<R>(&self, region: &R, block: &Aabb<V>, by: V::Scalar) -> Aabb<V>
    where
        R: Bounded<Vector = V> + ?Sized,
    {
        let bounds = region.bounds();
        let by = |a| {
            let rounding = self
                .rounding_on(a, block)
                .larger(self.rounding_on(a, &bounds));
            (by + rounding).smaller(V::Scalar::MAX)
        };
        Aabb::from_corners(
            V::from_fn(|a| block.min().axis(a).sub_down(by(a))),
            V::from_fn(|a| block.max().axis(a).add_up(by(a))),
        )
    }

    /// More than rounding makes of a distance between a region and a block.
    pub(crate) fn rounding<R>(&self, region: &R, block: &Aabb<V>) -> V::Scalar
    where
        R: Bounded<Vector = V> + ?Sized,
    {
        let bounds = region.bounds();
        let on = |a| {
            self.rounding_on(a, block)
                .larger(self.rounding_on(a, &bounds))
        };
        let all = (0..V::DIM).map(on).fold(V::Scalar::ZERO, Scalar::larger);
        all.larger(self.reach() * V::Scalar::EPSILON * eight()) * eight()
    }

    /// More than rounding amounts to on an axis near a box.
    pub(super) fn rounding_on(&self, a: usize, near: &Aabb<V>) -> V::Scalar {
        // Bounds that are as large as numbers are say nothing.
        let most = Some(largest(near, a)).filter(|&most| most < V::Scalar::MAX);
        let most = most.unwrap_or_default() + self.lattice.origin[a].abs();
        most * V::Scalar::EPSILON * eight()
    }
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

/// A box without a margin on some axes; `None` if nothing is left.
fn shrunk<V: Vector>(of: &Aabb<V>, by: V::Scalar, on: impl Fn(usize) -> bool) -> Option<Aabb<V>> {
    let margin = |a| if on(a) { by } else { V::Scalar::ZERO };
    let min = V::from_fn(|a| of.min().axis(a) + margin(a));
    let max = V::from_fn(|a| of.max().axis(a) - margin(a));
    let is_left = |a| !on(a) || min.axis(a) < max.axis(a);
    (0..V::DIM)
        .all(is_left)
        .then(|| Aabb::from_corners(min, max))
}

fn eight<S: Scalar>() -> S {
    S::from_f64(8.0)
}

/// The largest coordinate on an axis, without its sign.
fn largest<V: Vector>(block: &Aabb<V>, a: usize) -> V::Scalar {
    block.min().axis(a).abs().larger(block.max().axis(a).abs())
}

/// A block of voxels that a region is asked about as a whole; from 0 to 1 on axes that there are not.
///
/// Its indices are wider than `i32`, since aligned cubes may end past the last.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Part {
    pub(super) start: [i64; 4],
    pub(super) end: [i64; 4],
    /// Whether no surface may cut a block that is inside, as in the cells of an octree.
    pub(super) is_cell: bool,
}

impl Part {
    pub(super) fn new(block: &Block<[i32; 4]>) -> Self {
        Self {
            start: block.start.map(i64::from),
            end: block.end.map(i64::from),
            is_cell: false,
        }
    }

    fn of<X: Voxel>(voxel: X) -> Self {
        let at = |a| if a < X::DIM { voxel.axis(a).into() } else { 0 };
        let start = [0, 1, 2, 3].map(at);
        Self {
            start,
            end: start.map(|index: i64| index + 1),
            is_cell: false,
        }
    }

    fn length(&self, a: usize) -> i64 {
        self.end[a] - self.start[a]
    }

    fn is_voxel(&self) -> bool {
        (0..4).all(|a| self.length(a) == 1)
    }

    /// Whether it is a row of several voxels.
    pub(super) fn is_row(&self) -> bool {
        self.length(0) > 1 && (1..4).all(|a| self.length(a) == 1)
    }

    /// Whether costly questions are due, as at every third halving.
    pub(super) fn is_due(&self) -> bool {
        let halvings = (0..4).map(|a| self.length(a).ilog2()).sum::<u32>();
        halvings > 0 && halvings.is_multiple_of(3)
    }
}

/// What is known of the voxels that a region meets in a row.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Outline<V> {
    /// Nothing.
    Any,
    /// They follow each other, but for rounding.
    Convex,
    /// They are those that meet a convex solid and are not enclosed by it.
    Surface,
    /// They follow each other on either side of a point, after rounding too.
    Around(V),
}

/// A region as its voxels are looked for: what a block of cells is to it by the rule.
#[derive(Clone, Debug)]
pub(super) struct ByRule<R: Voxelize> {
    region: R,
    criterion: Criterion<VectorOf<R>>,
    may_be_flat: bool,
}

impl<R: Voxelize> ByRule<R> {
    /// The region as it is asked about the voxels of a block.
    pub(super) fn new(
        region: R,
        criterion: Criterion<VectorOf<R>>,
        block: &Block<[i32; 4]>,
    ) -> Self {
        let may_be_flat = criterion.may_be_flat(&criterion.faces(&Part::new(block)));
        Self {
            region,
            criterion,
            may_be_flat,
        }
    }
}

impl<R: Voxelize> ByRule<R> {
    /// A block without voxels that have the same boxes and centers as others of it, being smaller than the
    /// spacing of floats on an axis.
    fn distinct(&self, mut part: Part) -> Part {
        let lattice = &self.criterion.lattice;
        for a in 0..VectorOf::<R>::DIM {
            let (start, end) = (part.start[a], part.end[a]);
            let is_one = |mark: &dyn Fn(i64) -> ScalarOf<R>, first, last| mark(first) == mark(last);
            if is_one(&|i| lattice.face(a, i), start, end)
                && is_one(&|i| lattice.middle(a, i), start - 1, end)
            {
                part.end[a] = start + 1;
            }
        }
        part
    }
}

impl<R: Voxelize> AskCells for ByRule<R> {
    fn relate(&self, block: &Block<[i32; 4]>) -> Relation {
        let mut part = Part::new(block);
        if self.may_be_flat {
            part = self.distinct(part);
            if part.is_voxel() {
                let is_met = self.is_met(block.start);
                return Relation::of(!is_met, is_met);
            }
        }
        self.region.relate_voxels(&self.criterion, &part)
    }

    fn is_met(&self, cell: [i32; 4]) -> bool {
        let voxel = Voxel::from_fn(|a| cell[a]);
        self.region.meets(&self.criterion, voxel)
    }
}
