//! An axis as a round shape lies along it.

use crate::voxel::lattice::{END, FIRST, Lattice, ceil, farthest, floor};
use crate::{Error, Scalar};

use super::Round;

/// An axis above 0.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Side {
    /// The cell of the center.
    pub(super) cell: i64,
    /// The first cell whose upper face is farther than its lower one.
    pub(super) upper: i64,
    /// The first cell for which the middle of the next is farther than that of the one before.
    pub(super) next: i64,
}

impl Side {
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
