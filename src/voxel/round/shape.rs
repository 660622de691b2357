//! Balls and ellipsoids as the kernels take them, and how they lie along an axis.

use super::solver::{LineSolver, Marks};
use crate::error::Error;
use crate::overlap::Region;
use crate::overlap::distance::{far_apart, near_apart};
use crate::vector::{Scalar, Vector};
use crate::voxel::lattice::{Block, END, FIRST, Lattice, farthest};
use crate::voxel::voxelize::{Form, VectorOf};
use crate::voxel::{Rule, Voxelize, padded};

/// A ball or an ellipsoid, with a squared distance up to which cells are met, and one within which they are not.
#[derive(Clone, Copy, Debug)]
pub struct Round<S> {
    /// The number of axes. The others add 0.
    pub(in crate::voxel) dim: usize,
    pub(in crate::voxel) center: [S; 4],
    /// Distances from an ellipsoid's center are measured in them.
    pub(in crate::voxel) semi_axes: [S; 4],
    pub(in crate::voxel) is_ellipsoid: bool,
    pub(crate) limit: S,
    pub(crate) hole: Option<S>,
    pub(super) rule: Rule<S>,
    /// True if only the outermost layer of the solid is wanted: cells whose middle lies in it, with a neighbor across a face whose middle
    /// does not.
    pub(super) is_layer: bool,
}

impl<S: Scalar> Round<S> {
    /// The form of a region under a rule; `None` if squared distances do not decide it.
    pub(crate) fn new<R>(region: &R, rule: Rule<S>) -> Option<Self>
    where
        R: Voxelize + Region<Vector: Vector<Scalar = S>>,
    {
        let form = region.form();
        let Form::Ball(ball) = form else {
            return None;
        };
        // An ellipsoid that grows by a length has another form.
        let semi_axes = form.semi_axes();
        if semi_axes.is_some() && rule.reach().is_some() {
            return None;
        }
        let by = rule.reach().unwrap_or_default();
        let is_layer = rule == Rule::CenterInside && R::IS_SURFACE;
        let outer = ball.outer + by;
        let has_hole = ball.hollow && !is_layer;
        let inner = Some(ball.inner - by).filter(|&inner| has_hole && inner >= S::ZERO);
        let unit = |a| semi_axes.map_or(S::ONE, |axes| axes.axis(a));
        Some(Self {
            dim: VectorOf::<R>::DIM,
            center: padded::<VectorOf<R>, _>(|a| ball.center.axis(a), S::ZERO),
            is_ellipsoid: semi_axes.is_some(),
            semi_axes: padded::<VectorOf<R>, _>(unit, S::ONE),
            limit: outer * outer,
            hole: inner.map(|inner| inner * inner),
            rule,
            is_layer,
        })
    }

    /// The marks by which slabs and rows are decided.
    pub(super) fn marks(&self) -> Marks {
        match self.rule {
            Rule::Closed | Rule::HalfOpen | Rule::Thin | Rule::Shell(_) => Marks::Planes,
            Rule::CenterInside | Rule::NarrowBand(_) => Marks::Middles,
        }
    }

    /// A coordinate difference in units of the limit's distance.
    #[inline(always)]
    pub(in crate::voxel) fn scaled(&self, axis: usize, difference: S) -> S {
        if self.is_ellipsoid {
            difference / self.semi_axes[axis]
        } else {
            difference
        }
    }

    /// The distance to the nearest point of `[lo, hi]` on one axis.
    #[inline(always)]
    pub(crate) fn near_on(&self, axis: usize, lo: S, hi: S) -> S {
        self.scaled(axis, near_apart(self.center[axis], lo, hi))
    }

    /// The distance to the farther end of `[lo, hi]` on one axis.
    #[inline(always)]
    pub(crate) fn far_on(&self, axis: usize, lo: S, hi: S) -> S {
        self.scaled(axis, far_apart(self.center[axis], lo, hi))
    }

    /// The squared distances to the nearest point and to the farthest corner of the box around the marks of a
    /// block, and of some cells more on all sides.
    pub(super) fn near_far_sq(
        &self,
        lattice: &Lattice<S>,
        block: &Block<[i32; 4]>,
        marks: Marks,
        more: i64,
    ) -> [S; 2] {
        let mut sums = [S::ZERO; 2];
        for a in 0..self.dim {
            let (first, end) = (
                i64::from(block.start[a]) - more,
                i64::from(block.end[a]) + more,
            );
            let (lo, hi) = match marks {
                Marks::Planes => (lattice.face(a, first), lattice.face(a, end)),
                Marks::Middles => (lattice.middle(a, first), lattice.middle(a, end - 1)),
            };
            let (near, far) = (self.near_on(a, lo, hi), self.far_on(a, lo, hi));
            sums = [sums[0] + near * near, sums[1] + far * far];
        }
        sums
    }
}

/// How the center lies on an axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct AxisCenter {
    /// The cell of the center.
    pub(super) cell: i64,
    /// The first cell whose upper mark is farther than its lower one: by planes, the upper face than the lower one; by middles,
    /// that of the next cell than that of the one before.
    pub(super) turn: i64,
}

impl AxisCenter {
    /// The center on an axis that the grid lacks, whose only cell holds it and comes before the turn.
    pub(super) const NONE: Self = Self { cell: 0, turn: END };

    pub(super) fn new<S: Scalar>(
        lattice: &Lattice<S>,
        axis: usize,
        c: S,
        marks: Marks,
    ) -> Result<Self, Error> {
        let cell = lattice.index_of(axis, c)?;
        // Both differences are monotone.
        let is_before = |i: i64| match marks {
            Marks::Planes => lattice.face(axis, i + 1) - c <= c - lattice.face(axis, i),
            Marks::Middles => lattice.middle(axis, i + 1) - c <= c - lattice.middle(axis, i - 1),
        };
        let before = farthest(END - FIRST, cell - FIRST, |k| {
            k == 0 || is_before(FIRST + k - 1)
        });
        let turn = FIRST + before;
        Ok(Self { cell, turn })
    }
}

/// The cells of an axis that are met where the other axes add nothing, from and to.
pub(super) fn met<S: Scalar>(
    round: &Round<S>,
    lattice: &Lattice<S>,
    axis: usize,
    cell: i64,
) -> Result<(i64, i64), Error> {
    let solver = LineSolver::new(*round, *lattice, axis, Marks::Planes, round.limit, cell);
    let [first, last] = solver.search(S::ZERO, [S::ZERO; 2], false);
    let (start, end) = (first - 1, last + 1);
    if start < FIRST || end > END {
        let step: f64 = round.scaled(axis, S::ONE).into();
        let half = Scalar::sqrt(round.limit.into()) / step;
        let c: f64 = round.center[axis].into();
        return Err(Error::OutOfRange {
            axis,
            value: if start < FIRST { c - half } else { c + half },
        });
    }
    Ok((start, end))
}
