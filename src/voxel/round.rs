//! Rows of solid and hollow spheres and ellipsoids, and of shells.
//!
//! In a row, the cells with `near <= limit` are one range around the centre, since `near` falls
//! towards it and rises beyond, in floats too; and those with `far < hole`, strictly within the
//! surface (of the hole of a shell, else the same one), are a range as well, since the lower faces that are close enough begin somewhere and
//! the upper ones end somewhere. So the ends are guessed by a square root and corrected by the very
//! test of one cell, and the answer is that of the test alone. On the higher axes the same is asked
//! with the lower ones at the centre, where `near` is 0: every row visited has cells.
//!
//! A half-open cell `[lo, hi)` has its nearest point unless that lies on an upper face, `c >= hi`
//! on some axis, and its farthest corner only if that is the lower one, `c - lo >= hi - c` on all
//! axes. Where the sums equal the limit, these decide; to the left of the centre always against
//! the cell, to its right by the other axes, so that the ranges stay ranges.

use core::ops::Range;

use super::lattice::{END, FIRST, Lattice, ceil, farthest, floor};
use super::rows::Slices;
use crate::overlap::distance::{ScalarOf, far_on, near_on};
use crate::overlap::round::Round;
use crate::{Error, Scalar, Vector};

/// One fixed axis.
#[derive(Clone, Copy, Debug)]
struct Fixed<S> {
    near_sq: S,
    far_sq: S,
    /// The nearest point belongs to the half-open cell, on this axis and the higher ones.
    has_near: bool,
    /// The farthest corner belongs to the half-open cell, on this axis and the higher ones.
    has_far: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct RoundSlices<R: Round> {
    round: R,
    lattice: Lattice<R::Vector>,
    half_open: bool,
    limit: ScalarOf<R>,
    /// Cells that lie strictly within this squared distance are left out.
    hole: Option<ScalarOf<R>>,
    /// The cell of the centre, and where in the lattice the centre is.
    seed: [i64; 4],
    position: [f64; 4],
    /// One unit of the metric, in cells.
    unit: [f64; 4],
    /// The cells met on each axis when nothing is fixed.
    whole: [(i64, i64); 4],
    /// By axis; one more, so that there always is a higher one.
    fixed: [Fixed<ScalarOf<R>>; 5],
}

impl<R: Round> RoundSlices<R> {
    pub(crate) fn new(
        round: R,
        lattice: Lattice<R::Vector>,
        half_open: bool,
        hole: Option<ScalarOf<R>>,
    ) -> Result<Self, Error> {
        let center = round.middle();
        let none = Fixed {
            near_sq: Scalar::ZERO,
            far_sq: Scalar::ZERO,
            has_near: true,
            has_far: true,
        };
        let mut slices = Self {
            limit: round.limit(),
            round,
            lattice,
            half_open,
            hole,
            seed: [0; 4],
            position: [0.0; 4],
            unit: [0.0; 4],
            whole: [(0, 0); 4],
            fixed: [none; 5],
        };
        for a in 0..R::Vector::DIM {
            let c = center.axis(a);
            slices.seed[a] = lattice.index_of(a, c)?;
            slices.position[a] = lattice.position(a, c);
            // A difference of one step measures `scaled(step)` units.
            let step: f64 = slices.round.scaled(a, lattice.step.axis(a)).into();
            slices.unit[a] = 1.0 / step;
            // One beyond the range on either side, to see whether the shape reaches there.
            slices.whole[a] = (FIRST - 1, END + 1);
            let (start, end) = slices.met(a);
            if start < FIRST || end > END {
                let semi_axis = lattice.step.axis(a).into() / step;
                let half = slices.round.reach().into() * semi_axis;
                let c: f64 = c.into();
                return Err(Error::OutOfRange {
                    axis: a,
                    value: if start < FIRST { c - half } else { c + half },
                });
            }
            slices.whole[a] = (start, end);
        }
        Ok(slices)
    }

    /// Half the width, in cells, that is left of a squared distance on an axis.
    #[inline(always)]
    fn half_width(
        &self,
        limit: ScalarOf<R>,
        axis: usize,
        taken: impl Fn(&Fixed<ScalarOf<R>>) -> ScalarOf<R>,
    ) -> f64 {
        let mut left: f64 = limit.into();
        for fixed in &self.fixed[axis + 1..R::Vector::DIM] {
            left -= taken(fixed).into();
        }
        Scalar::sqrt(left.max(0.0)) * self.unit[axis]
    }

    /// The square of a distance on `axis`, and what the fixed axes add to it. The sum's order is
    /// that of the shared expressions; the lower axes would add 0.
    #[inline(always)]
    fn sum(
        &self,
        axis: usize,
        distance: ScalarOf<R>,
        taken: impl Fn(&Fixed<ScalarOf<R>>) -> ScalarOf<R>,
    ) -> ScalarOf<R> {
        let mut sum = distance * distance;
        for fixed in &self.fixed[axis + 1..R::Vector::DIM] {
            sum = sum + taken(fixed);
        }
        sum
    }

    /// The distance of a lattice plane: `near` of the cell behind it, `far` of the one before it.
    #[inline(always)]
    fn plane(&self, axis: usize, index: i64) -> ScalarOf<R> {
        let face = self.lattice.face(axis, index);
        far_on(&self.round, axis, face, face)
    }

    #[inline(always)]
    fn faces(&self, axis: usize, index: i64) -> (ScalarOf<R>, ScalarOf<R>) {
        (
            self.lattice.face(axis, index),
            self.lattice.face(axis, index + 1),
        )
    }

    #[inline(always)]
    fn met(&self, axis: usize) -> (i64, i64) {
        let (seed, limit) = (self.seed[axis], self.limit);
        let (first, end) = self.whole[axis];
        let half = self.half_width(limit, axis, |fixed| fixed.near_sq);
        let center = self.position[axis];
        let strict_below = self.half_open;
        let strict_above = self.half_open && !self.fixed[axis + 1].has_near;
        let holds = |plane, strict: bool| {
            let sum = self.sum(axis, self.plane(axis, plane), |fixed| fixed.near_sq);
            sum < limit || (!strict && sum == limit)
        };
        // The cell of the centre is met; of those below it the upper face is the near one.
        let below = farthest(seed - first, seed + 1 - ceil(center - half), |k| {
            k == 0 || holds(seed - k + 1, strict_below)
        });
        let above = farthest(end - 1 - seed, floor(center + half) - seed, |k| {
            k == 0 || holds(seed + k, strict_above)
        });
        (seed - below, seed + above + 1)
    }

    /// The cell of the row, its farther face as far as given, lies strictly within the hole.
    #[inline(always)]
    fn is_within(&self, hole: ScalarOf<R>, index: i64, far: ScalarOf<R>) -> bool {
        let sum = self.sum(0, far, |fixed| fixed.far_sq);
        let has_corner = || {
            let (lo, hi) = self.faces(0, index);
            self.fixed[1].has_far && has_far(self.round.middle().axis(0), lo, hi)
        };
        sum < hole || (self.half_open && sum == hole && !has_corner())
    }
}

#[inline(always)]
fn has_far<S: Scalar>(c: S, lo: S, hi: S) -> bool {
    c - lo >= hi - c
}

impl<R: Round> Slices for RoundSlices<R> {
    type Vector = R::Vector;

    #[inline(always)]
    fn range(&self, axis: usize) -> Range<i32> {
        let (start, end) = self.met(axis);
        start as i32..end as i32
    }

    #[inline(always)]
    fn fix(&mut self, axis: usize, index: i32) {
        let (lo, hi) = self.faces(axis, index.into());
        let near = near_on(&self.round, axis, lo, hi);
        let far = far_on(&self.round, axis, lo, hi);
        let c = self.round.middle().axis(axis);
        let above = self.fixed[axis + 1];
        self.fixed[axis] = Fixed {
            near_sq: near * near,
            far_sq: far * far,
            has_near: above.has_near && c < hi,
            has_far: above.has_far && has_far(c, lo, hi),
        };
    }

    #[inline(always)]
    fn hollow(&self) -> Range<i32> {
        let Some(hole) = self.hole else {
            return 0..0;
        };
        let (seed, (first, end)) = (self.seed[0], self.whole[0]);
        // Where faces are rounded, the cell whose far corner is nearest may be a neighbour of the
        // centre's cell.
        let middle = [seed, seed - 1, seed + 1].into_iter().find(|&i| {
            let (lo, hi) = self.faces(0, i);
            let far = far_on(&self.round, 0, lo, hi);
            (first..end).contains(&i) && self.is_within(hole, i, far)
        });
        let Some(middle) = middle else {
            return 0..0;
        };
        let half = self.half_width(hole, 0, |fixed| fixed.far_sq);
        let center = self.position[0];
        // With one cell within, the upper faces of those below it are near enough, and the lower
        // ones of those above it.
        let below = farthest(middle - first, middle - ceil(center - half), |k| {
            k == 0 || self.is_within(hole, middle - k, self.plane(0, middle - k))
        });
        let above = farthest(end - 1 - middle, floor(center + half) - 1 - middle, |k| {
            k == 0 || self.is_within(hole, middle + k, self.plane(0, middle + k + 1))
        });
        (middle - below) as i32..(middle + above + 1) as i32
    }
}
