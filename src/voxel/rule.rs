//! When a voxel counts as met. [`Criterion::is_met`] decides one voxel; every faster way gives its answer.

mod blocks;

use core::cmp::Ordering;

use super::Voxelize;
use super::lattice::{Block, Lattice};
use crate::error::Error;
use crate::overlap::Region;
use crate::shape::{Aabb, Bounded};
use crate::vector::{Scalar, Vector, Voxel};
pub(super) use blocks::ByRule;

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

/// The shape of a row of voxels that a region meets.
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
