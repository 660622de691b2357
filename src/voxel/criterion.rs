//! The question to one voxel, under each rule: what every faster way answers too.

use core::cmp::Ordering;

use super::halving::AskCells;
use super::lattice::{Block, Lattice};
use super::{Rule, Voxelize};
use crate::{Aabb, Region, Relation, Scalar, Vector, Voxel};

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
