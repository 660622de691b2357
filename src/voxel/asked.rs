//! The question to one voxel, under each rule: what every faster way answers too.

use core::cmp::Ordering;

use super::lattice::Lattice;
use super::{Rule, Voxelize};
use crate::{Aabb, Region, Relation, Scalar, Vector, Voxel};

type VectorOf<R> = <R as Region>::Vector;
type VoxelOf<R> = <VectorOf<R> as Vector>::Voxel;
type ScalarOf<R> = <VectorOf<R> as Vector>::Scalar;

/// The box that stands for a half-open one: up to the float before its upper face.
pub(super) fn half_open<V: Vector>(cell: &Aabb<V>) -> Aabb<V> {
    let (min, max) = (cell.min(), cell.max());
    // A voxel too thin to hold two floats is its lower face.
    let last = |a| max.axis(a).next_down().larger(min.axis(a));
    Aabb::from_corners(min, V::from_fn(last))
}

/// Whether a voxel is met.
pub(super) fn is_met<R: Voxelize>(
    region: &R,
    lattice: &Lattice<VectorOf<R>>,
    rule: Rule<ScalarOf<R>>,
    voxel: VoxelOf<R>,
) -> bool {
    let cell = lattice.cell(voxel);
    let holds = |voxel| region.holds(&Aabb::point(lattice.center(voxel)));
    let compared = |probe: &Aabb<_>, reach| region.compare_distance(probe, reach);
    match rule {
        Rule::Closed => region.overlaps(&cell),
        Rule::HalfOpen => region.overlaps_half_open(&cell),
        Rule::CentreInside => {
            let is_outermost = || {
                let axes = 0..VoxelOf::<R>::DIM;
                let mut steps = axes.flat_map(|a| [(a, -1), (a, 1)]);
                steps.any(|(a, step)| !holds(voxel.with(a, voxel.axis(a).saturating_add(step))))
            };
            holds(voxel) && (!R::IS_SURFACE || is_outermost())
        }
        Rule::Thin => (0..VoxelOf::<R>::DIM).any(|a| {
            let center = lattice.center(voxel);
            let along = |from: VectorOf<R>| {
                Vector::from_fn(|b| if a == b { from.axis(b) } else { center.axis(b) })
            };
            region.overlaps(&Aabb::from_corners(along(cell.min()), along(cell.max())))
        }),
        Rule::Shell(thickness) => {
            let reach = thickness * Scalar::from_f64(0.5);
            compared(&cell, reach).is_some_and(Ordering::is_le)
        }
        Rule::NarrowBand(half_width) => {
            let center = Aabb::point(lattice.center(voxel));
            compared(&center, half_width).is_some_and(Ordering::is_lt)
        }
    }
}

/// A region as its voxels are looked for: what a block of cells is to it by the rule.
pub(super) struct Widened<'a, R: Voxelize> {
    pub(super) region: &'a R,
    pub(super) rule: Rule<ScalarOf<R>>,
    pub(super) voxel_size: ScalarOf<R>,
}

impl<R: Voxelize> Widened<'_, R> {
    /// Whether voxels of a block may be as small as the spacing of floats.
    fn may_be_flat(&self, block: &Aabb<VectorOf<R>>) -> bool {
        self.voxel_size < spacing(block) * Scalar::from_f64(8.0)
    }
}

/// The largest spacing of floats in a block.
fn spacing<V: Vector>(block: &Aabb<V>) -> V::Scalar {
    (0..V::DIM).fold(V::Scalar::ZERO, |spacing, a| {
        let most = block.min().axis(a).abs().larger(block.max().axis(a).abs());
        spacing.larger(most - most.next_down())
    })
}

impl<R: Voxelize> Region for Widened<'_, R> {
    type Vector = VectorOf<R>;

    fn relate(&self, cell: &Aabb<VectorOf<R>>) -> Relation {
        let by = match self.rule {
            Rule::Closed | Rule::Thin => return self.region.relate(cell),
            // A voxel whose faces are one, without the upper, need not be met.
            Rule::HalfOpen => {
                return match self.region.relate(cell) {
                    Relation::Inside if self.may_be_flat(cell) => Relation::Straddles,
                    relation => relation,
                };
            }
            Rule::CentreInside if !R::IS_SURFACE => return self.region.relate(cell),
            // The centres across a face, rounded.
            Rule::CentreInside => self.voxel_size + spacing(cell) * Scalar::from_f64(4.0),
            // A voxel more than enough, whatever rounding does.
            Rule::Shell(_) | Rule::NarrowBand(_) => {
                self.rule.reach().unwrap_or_default() + self.voxel_size
            }
        };
        match self.region.relate(&cell.grown(by.smaller(Scalar::MAX))) {
            Relation::Outside => Relation::Outside,
            _ => Relation::Straddles,
        }
    }
}

impl<V: Vector> Lattice<V> {
    /// The closed box of a cell; a face beyond the finite numbers is at the last of them.
    #[inline]
    pub(super) fn cell(&self, voxel: V::Voxel) -> Aabb<V> {
        // Wider than `i32`: the last voxel has an upper face too.
        let face = |a, step| self.face(a, i64::from(voxel.axis(a)) + step);
        Aabb::from_corners(V::from_fn(|a| face(a, 0)), V::from_fn(|a| face(a, 1)))
    }

    /// The centre of a cell.
    #[inline]
    pub(super) fn center(&self, voxel: V::Voxel) -> V {
        V::from_fn(|a| self.middle(a, voxel.axis(a).into()))
    }
}
