//! Balls and ellipsoids as the kernels take them, and how they lie along an axis.

use super::solver::Marks;
use crate::error::Error;
use crate::overlap::distance::{far_apart, near_apart};
use crate::vector::Scalar;
use crate::voxel::lattice::{Block, END, FIRST, Lattice, ceil, farthest, floor};
use crate::voxel::{Rule, Shape};

/// How the cells of a row are decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::voxel) enum RowTest {
    /// By the nearest point and the farthest corner.
    Closed,
    /// By those that belong to the half-open cell.
    HalfOpen,
    /// By the middle, up to the limit and from the hole's on.
    Middle,
    /// By the middle, below the limit and above the hole's.
    Band,
    /// By the middle, and those of the cells across a face.
    Layer,
    /// By the segments through the middle.
    Thin,
}

/// A ball or an ellipsoid, and what is asked: a squared distance up to which cells are met, and one
/// within which they are not.
#[derive(Clone, Copy, Debug)]
pub struct Round<S> {
    /// The number of axes. What the others add is 0.
    pub(in crate::voxel) dim: usize,
    pub(in crate::voxel) center: [S; 4],
    /// Distances from an ellipsoid's center are measured in them.
    pub(in crate::voxel) semi_axes: [S; 4],
    pub(in crate::voxel) is_ellipsoid: bool,
    pub(crate) limit: S,
    pub(crate) hole: Option<S>,
    pub(in crate::voxel) test: RowTest,
}

impl<S: Scalar> Round<S> {
    /// The question of a rule about a ball or an ellipsoid, if it can be asked by squared distances.
    pub(crate) fn new(shape: &Shape<S>, rule: Rule<S>) -> Option<Self> {
        match *shape {
            Shape::Ball {
                dim,
                center,
                outer,
                inner,
                is_surface,
            } => {
                let by = rule.reach().unwrap_or_default();
                let (test, outer) = (row_test(rule, is_surface), outer + by);
                let inner = inner.filter(|_| test != RowTest::Layer);
                let inner = inner
                    .map(|inner| inner - by)
                    .filter(|&inner| inner >= S::ZERO);
                Some(Self {
                    dim,
                    center,
                    semi_axes: [S::ONE; 4],
                    is_ellipsoid: false,
                    limit: outer * outer,
                    hole: inner.map(|inner| inner * inner),
                    test,
                })
            }
            // Grown, it would be an ellipsoid of another form.
            Shape::Ellipsoid { .. } if rule.reach().is_some() => None,
            Shape::Ellipsoid {
                dim,
                center,
                semi_axes,
                is_surface,
            } => {
                let test = row_test(rule, is_surface);
                Some(Self {
                    dim,
                    center,
                    semi_axes,
                    is_ellipsoid: true,
                    limit: S::ONE,
                    hole: (is_surface && test != RowTest::Layer).then_some(S::ONE),
                    test,
                })
            }
            Shape::Box { .. } => None,
        }
    }

    /// A coordinate difference in units of the limit's distance.
    #[inline(always)]
    pub(in crate::voxel) fn scaled(&self, axis: usize, difference: S) -> S {
        if self.is_ellipsoid {
            self.divided::<true>(axis, difference)
        } else {
            difference
        }
    }

    /// A difference divided by the semi-axis if the shape is an ellipsoid, which the compiler knows here.
    #[inline(always)]
    pub(in crate::voxel) fn divided<const ELLIPSOID: bool>(&self, axis: usize, difference: S) -> S {
        if ELLIPSOID {
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

/// How the rows of a round shape are decided under a rule.
fn row_test<S: Scalar>(rule: Rule<S>, is_surface: bool) -> RowTest {
    match rule {
        Rule::Closed | Rule::Shell(_) => RowTest::Closed,
        Rule::HalfOpen => RowTest::HalfOpen,
        Rule::CenterInside if is_surface => RowTest::Layer,
        Rule::CenterInside => RowTest::Middle,
        Rule::Thin => RowTest::Thin,
        Rule::NarrowBand(_) => RowTest::Band,
    }
}

/// How the center lies on an axis.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AxisCenter {
    /// The cell of the center.
    pub(super) cell: i64,
    /// The first cell whose upper face is farther than its lower one.
    pub(super) upper: i64,
    /// The first cell for which the middle of the next is farther than that of the one before.
    pub(super) next: i64,
}

impl AxisCenter {
    pub(super) fn new<S: Scalar>(lattice: &Lattice<S>, axis: usize, c: S) -> Result<Self, Error> {
        let cell = lattice.index_of(axis, c)?;
        let first = |farther: &dyn Fn(i64) -> bool| {
            // True from somewhere next to the center's cell on.
            let below = farthest(END - FIRST, 0, |k| k == 0 || farther(cell + 2 - k));
            let above = || farthest(END - FIRST, 0, |k| k == 0 || !farther(cell + 1 + k));
            if below > 0 {
                cell + 2 - below
            } else {
                cell + 2 + above()
            }
        };
        let (face, middle) = (|i| lattice.face(axis, i), |i| lattice.middle(axis, i));
        Ok(Self {
            cell,
            upper: first(&|i| face(i + 1) - c > c - face(i)),
            next: first(&|i| middle(i + 1) - c > c - middle(i - 1)),
        })
    }
}

/// The cells of an axis that are met where the other axes add nothing, from and to.
pub(super) fn met<S: Scalar>(
    round: &Round<S>,
    lattice: &Lattice<S>,
    axis: usize,
    cell: i64,
) -> Result<(i64, i64), Error> {
    let c = round.center[axis];
    // A difference of one step measures `scaled(step)` units.
    let step: f64 = round.scaled(axis, lattice.step).into();
    let half = Scalar::sqrt(round.limit.into()) / step;
    let position = lattice.position(axis, c);
    let holds = |plane| {
        let face = lattice.face(axis, plane);
        let apart = round.far_on(axis, face, face);
        apart * apart <= round.limit
    };
    // One beyond the range on either side, to see whether the shape reaches there. The cell of the
    // center is met; of those below it the upper face is the near one.
    let below = farthest(cell - FIRST + 1, cell + 1 - ceil(position - half), |k| {
        k == 0 || holds(cell - k + 1)
    });
    let above = farthest(END - cell, floor(position + half) - cell, |k| {
        k == 0 || holds(cell + k)
    });
    let (start, end) = (cell - below, cell + above + 1);
    if start < FIRST || end > END {
        let half = half * lattice.step.into();
        let c: f64 = c.into();
        return Err(Error::OutOfRange {
            axis,
            value: if start < FIRST { c - half } else { c + half },
        });
    }
    Ok((start, end))
}
