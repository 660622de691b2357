//! When a voxel counts as met, and the question to one voxel, under each rule: what every faster way
//! answers too.

use core::cmp::Ordering;

use super::Voxelize;
use super::halving::AskCells;
use super::lattice::{Block, Lattice};
use crate::error::Error;
use crate::overlap::{Region, Relation};
use crate::shape::Aabb;
use crate::vector::{Scalar, Vector, Voxel};

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
    pub(super) lattice: Lattice<V::Scalar>,
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
        let compared = |probe: &Aabb<_>, reach| region.compare_distance(probe, reach);
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
            Rule::Thin => (0..V::DIM).any(|a| {
                let center: V = lattice.center(voxel);
                let along =
                    |from: V| V::from_fn(|b| if a == b { from.axis(b) } else { center.axis(b) });
                region.overlaps(&Aabb::from_corners(along(cell.min()), along(cell.max())))
            }),
            Rule::Shell(thickness) => {
                let reach = thickness * Scalar::from_f64(0.5);
                compared(&cell, reach).is_some_and(Ordering::is_le)
            }
            Rule::NarrowBand(half_width) => {
                let center = Aabb::point(lattice.center::<V>(voxel));
                compared(&center, half_width).is_some_and(Ordering::is_lt)
            }
        }
    }

    /// How a region lies to the voxels of a block: none of them is met, or all are.
    pub(super) fn relate<R>(&self, region: &R, block: &Aabb<V>) -> Relation
    where
        R: Voxelize + Region<Vector = V> + ?Sized,
    {
        let by = match self.rule {
            Rule::Closed | Rule::Thin => return region.relate(block),
            // A voxel whose faces are one, without the upper, need not be met.
            Rule::HalfOpen => {
                return match region.relate(block) {
                    Relation::Inside if self.may_be_flat(block) => Relation::Straddles,
                    relation => relation,
                };
            }
            Rule::CenterInside if !R::IS_SURFACE => return region.relate(block),
            // The centers across a face.
            Rule::CenterInside => self.slack(block),
            Rule::Shell(_) | Rule::NarrowBand(_) => {
                let slack = self.slack(block).larger(self.slack(&region.bounds()));
                self.rule.reach().unwrap_or_default() + slack
            }
        };
        let is_outside =
            region.relate(&block.grown(by.smaller(V::Scalar::MAX))) == Relation::Outside;
        // What lies in the region is no distance away.
        let is_shell = matches!(self.rule, Rule::Shell(_));
        let is_inside = || is_shell && region.relate(block) == Relation::Inside;
        Relation::of(is_outside, !is_outside && is_inside())
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
    fn may_be_flat(&self, block: &Aabb<V>) -> bool {
        let eight = V::Scalar::from_f64(8.0);
        let spacing = |most: V::Scalar| most - most.next_down();
        (0..V::DIM).any(|a| {
            let most = largest(block, a) + self.lattice.origin[a].abs();
            self.lattice.step < spacing(most) * eight
        })
    }

    /// A voxel, and more than rounding amounts to near a box.
    pub(super) fn slack(&self, near: &Aabb<V>) -> V::Scalar {
        let eight = V::Scalar::from_f64(8.0);
        let mut slack = V::Scalar::ZERO;
        for a in 0..V::DIM {
            // Bounds that are as large as numbers are say nothing.
            let most = Some(largest(near, a)).filter(|&most| most < V::Scalar::MAX);
            let most = most.unwrap_or_default() + self.lattice.origin[a].abs();
            let rounding = most * V::Scalar::EPSILON * eight;
            slack = slack.larger(self.lattice.step + rounding);
        }
        slack
    }
}

/// The largest coordinate on an axis, without its sign.
fn largest<V: Vector>(block: &Aabb<V>, a: usize) -> V::Scalar {
    block.min().axis(a).abs().larger(block.max().axis(a).abs())
}

/// A region as its voxels are looked for: what a block of cells is to it by the rule.
#[derive(Clone, Debug)]
pub(super) struct ByRule<R: Voxelize> {
    pub(super) region: R,
    pub(super) criterion: Criterion<<R as Region>::Vector>,
}

impl<R: Voxelize> AskCells for ByRule<R> {
    fn relate(&self, block: &Block<[i32; 4]>) -> Relation {
        let bounds = self.criterion.lattice.bounds(&block.on_axes());
        self.region.relate_voxels(&self.criterion, &bounds)
    }

    fn is_met(&self, cell: [i32; 4]) -> bool {
        let voxel = Voxel::from_fn(|a| cell[a]);
        self.region.meets(&self.criterion, voxel)
    }
}
