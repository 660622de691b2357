//! The rules that say when a voxel counts as met. [`Criterion::is_met`] decides one voxel; every faster way gives the
//! same answer.

mod blocks;

use core::cmp::Ordering;
use core::ops::Range;

use super::Voxelize;
use super::lattice::{Block, Lattice};
use crate::error::Error;
use crate::overlap::Region;
use crate::shape::{Aabb, Bounded};
use crate::vector::{Scalar, Vector, Voxel};

/// Says when a voxel counts as met. Lengths are in the units of the grid's coordinates.
///
/// Each rule is one expression of the voxel's faces and its center, in the arithmetic of the grid's scalar. The
/// voxels of a closed surface *separate* under 6 neighbors if every path of steps through faces from the inside to
/// the outside passes through one of them; under 18 if every path of steps through faces and edges does; under 26 if
/// every path does. The table holds for surfaces that are wider than a few voxels.
///
/// | rule | voxels of a closed surface | connected by |
/// |---|---|---|
/// | [`Closed`](Self::Closed) | separate under 6, 18 and 26 | faces |
/// | [`HalfOpen`](Self::HalfOpen) | separate under 6; under 18 if no edge of the lattice lies in the surface (none lies in a sphere); under 26 if the surface passes through no corner either | faces |
/// | [`CenterInside`](Self::CenterInside) | separate under 6 | faces and edges |
/// | [`Thin`](Self::Thin) | separate under 6 | faces and edges |
/// | [`Shell`](Self::Shell) | separate under 6, 18 and 26 | faces |
/// | [`NarrowBand`](Self::NarrowBand) | separate under 6, 18 and 26 if the half width is more than 1/2, √2/2 and √3/2 voxels | faces and edges, from 1/2 on |
///
/// The band of an ellipsoid lies between two ellipsoids with longer and shorter semi-axes. It is thinner than the
/// half width says, by a factor of no less than `2√k / (1 + k)` where the longest semi-axis is `k` times the
/// shortest.
///
/// The voxels of a combination of regions are, by every rule, combined from the voxels of its parts: a
/// [`Difference`](crate::Difference) under `Shell(t)` has the voxels of the first region that are not voxels of the
/// second, both under `Shell(t)`. The surface of what is left is something else, and has two parts.
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
    /// The center of the voxel lies in the region. A surface has the outermost layer of the solid that it encloses:
    /// voxels whose center lies in the solid, while that of a voxel across a face does not.
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
    /// Checks that the length of the rule is finite and not negative.
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

    /// The distance from the region within which voxels are met, if the rule is one of distances.
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

/// The closed box of the floats in a half-open one, up to the float before its upper face.
pub(super) fn half_open<V: Vector>(cell: &Aabb<V>) -> Aabb<V> {
    let (min, max) = (cell.min(), cell.max());
    // A voxel too thin to hold two floats is its lower face.
    let last = |a| max.axis(a).next_down().larger(min.axis(a));
    Aabb::from_corners(min, V::from_fn(last))
}

/// The lattice and the rule, which decide whether a voxel is met.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Criterion<V: Vector> {
    pub(crate) lattice: Lattice<V::Scalar>,
    pub(super) rule: Rule<V::Scalar>,
}

impl<V: Vector> Criterion<V> {
    /// Whether a voxel is met.
    fn is_met<R: Voxelize + Region<Vector = V>>(&self, region: &R, voxel: &Part) -> bool {
        self.probes().any(|i| self.is_met_by(region, voxel, i))
    }

    /// Returns true if probe `i` of a voxel meets a region.
    fn is_met_by<R>(&self, region: &R, voxel: &Part, i: usize) -> bool
    where
        R: Voxelize + Region<Vector = V>,
    {
        let probe = self.probe(voxel, i);
        match self.rule {
            Rule::Closed | Rule::Thin => region.overlaps(&probe),
            Rule::HalfOpen => region.overlaps_half_open(&probe),
            Rule::CenterInside => {
                let (center, holds) = (probe.min(), |point| region.holds(&Aabb::point(point)));
                // The cell across a face may be beyond the range of indices.
                let is_outermost = || {
                    let mut steps = (0..V::DIM).flat_map(|a| [(a, -1), (a, 1)]);
                    steps.any(|(a, step)| {
                        let across = self.lattice.middle(a, voxel.start[a] + step);
                        !holds(V::from_fn(|b| if a == b { across } else { center.axis(b) }))
                    })
                };
                holds(center) && (!R::IS_SURFACE || is_outermost())
            }
            Rule::Shell(_) | Rule::NarrowBand(_) => self.is_near(region, &probe, self.reach()),
        }
    }

    /// Whether a box is near enough to a region, by a rule of distances.
    fn is_near<R>(&self, region: &R, probe: &Aabb<V>, reach: V::Scalar) -> bool
    where
        R: Voxelize + Region<Vector = V>,
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
    pub(super) fn faces(&self, part: &Part) -> Aabb<V> {
        let face = |ends: &[i64; 4]| V::from_fn(|a| self.lattice.face(a, ends[a]));
        Aabb::from_corners(face(&part.start), face(&part.end))
    }

    /// The box around the centers of a block of voxels, and of `more` voxels on each side.
    fn centers(&self, part: &Part, more: i64) -> Aabb<V> {
        let middle = |a, index| self.lattice.middle(a, index);
        Aabb::from_corners(
            V::from_fn(|a| middle(a, part.start[a] - more)),
            V::from_fn(|a| middle(a, part.end[a] - 1 + more)),
        )
    }

    /// The numbers of the probes of a voxel: it is met if one of them meets the region.
    fn probes(&self) -> Range<usize> {
        match self.rule {
            Rule::Thin => 0..V::DIM,
            _ => 0..1,
        }
    }

    /// The box around probe `i` of every voxel of a block. A probe is a box that has to overlap a region for the voxel to be met: the voxel,
    /// its center or, by `Thin`, the segment along axis `i` through its center.
    fn probe(&self, part: &Part, i: usize) -> Aabb<V> {
        match self.rule {
            Rule::Closed | Rule::HalfOpen | Rule::Shell(_) => self.faces(part),
            Rule::CenterInside | Rule::NarrowBand(_) => self.centers(part, 0),
            Rule::Thin => {
                let (faces, centers) = (self.faces(part), self.centers(part, 0));
                let along = |faces: V, centers: V| {
                    V::from_fn(|a| {
                        if a == i {
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
        }
    }

    /// Whether voxels of a block may be as small as the spacing of floats there, or before the origin is added.
    pub(super) fn may_be_flat(&self, block: &Aabb<V>) -> bool {
        let spacing = |most: V::Scalar| most - most.next_down();
        (0..V::DIM).any(|a| {
            let most = largest(block, a) + self.lattice.origin[a].abs();
            self.lattice.step < spacing(most) * eight()
        })
    }

    /// A box grown by a length and, on each axis, by more than the rounding error there.
    fn wide<R: Bounded<Vector = V>>(&self, region: &R, block: &Aabb<V>, by: V::Scalar) -> Aabb<V> {
        let both = [*block, region.bounds()];
        let by = |a| (by + self.rounding_on(a, &both)).smaller(V::Scalar::MAX);
        Aabb::from_corners(
            V::from_fn(|a| block.min().axis(a).sub_down(by(a))),
            V::from_fn(|a| block.max().axis(a).add_up(by(a))),
        )
    }

    /// An upper bound of the rounding error of a distance between a region and a block.
    pub(crate) fn rounding<R>(&self, region: &R, block: &Aabb<V>) -> V::Scalar
    where
        R: Bounded<Vector = V>,
    {
        let both = [*block, region.bounds()];
        let all = (0..V::DIM).fold(V::Scalar::ZERO, |all, a| {
            all.larger(self.rounding_on(a, &both))
        });
        all.larger(self.reach() * V::Scalar::EPSILON * eight()) * eight()
    }

    /// An upper bound of the rounding error on an axis near some boxes.
    pub(super) fn rounding_on(&self, a: usize, near: &[Aabb<V>]) -> V::Scalar {
        let ends = near.iter().map(|block| largest(block, a));
        // Bounds at the largest finite number say nothing.
        let ends = ends.filter(|&end| end < V::Scalar::MAX);
        let most = ends.fold(V::Scalar::ZERO, Scalar::larger) + self.lattice.origin[a].abs();
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

/// A block of voxels that is tested as a whole; from 0 to 1 on axes that the grid lacks.
///
/// Its indices are wider than `i32`, since aligned cubes may end past the last index.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Part {
    pub(super) start: [i64; 4],
    pub(super) end: [i64; 4],
    /// Whether the block is a cell of an octree, which is inside only if no surface cuts it.
    is_cell: bool,
}

impl Part {
    pub(super) fn new(block: &Block<[i32; 4]>) -> Self {
        Self {
            start: block.start.map(i64::from),
            end: block.end.map(i64::from),
            is_cell: false,
        }
    }

    /// A cell of an octree, whose edges are `2^level` voxels: its indices divided by the edge are given.
    pub(super) fn cell<X: Voxel>(at: X, level: u32) -> Self {
        let index = |a, edges| match a < X::DIM {
            true => (i64::from(at.axis(a)) + edges) << level,
            false => edges,
        };
        Self {
            start: [0, 1, 2, 3].map(|a| index(a, 0)),
            end: [0, 1, 2, 3].map(|a| index(a, 1)),
            is_cell: true,
        }
    }

    /// A single voxel.
    pub(super) fn of<X: Voxel>(voxel: X) -> Self {
        Self {
            is_cell: false,
            ..Self::cell(voxel, 0)
        }
    }

    pub(super) fn meets(&self, other: &Self) -> bool {
        (0..4).all(|a| self.start[a] < other.end[a] && other.start[a] < self.end[a])
    }

    pub(super) fn holds(&self, other: &Self) -> bool {
        (0..4).all(|a| self.start[a] <= other.start[a] && other.end[a] <= self.end[a])
    }

    fn length(&self, a: usize) -> i64 {
        self.end[a] - self.start[a]
    }

    /// Returns true if the block is a single voxel, and not a cell of an octree.
    fn is_voxel(&self) -> bool {
        !self.is_cell && (0..4).all(|a| self.length(a) == 1)
    }

    /// Whether the block is a row of several voxels.
    fn is_row(&self) -> bool {
        self.length(0) > 1 && (1..4).all(|a| self.length(a) == 1)
    }

    /// Whether costly tests are due, which is at every third halving.
    fn is_due(&self) -> bool {
        let halvings = (0..4).map(|a| self.length(a).ilog2()).sum::<u32>();
        halvings > 0 && halvings.is_multiple_of(3)
    }
}
