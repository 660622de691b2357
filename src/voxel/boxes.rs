//! Rows of solid and hollow boxes: the same ranges in every row.

use core::marker::PhantomData;
use core::ops::Range;

use super::lattice::{END, FIRST, Lattice, farthest, floor};
use super::rows::Slices;
use crate::{Aabb, Error, Vector};

#[derive(Clone, Debug)]
pub(crate) struct BoxSlices<V> {
    /// By axis, the cells that the solid box meets.
    met: [(i32, i32); 4],
    /// By axis, those strictly within it; empty for a solid box.
    within: [(i32, i32); 4],
    /// By axis, whether this index and those of the higher axes lie strictly within the box; one
    /// more, so that there always is a higher one.
    fixed: [bool; 5],
    vector: PhantomData<V>,
}

impl<V: Vector> BoxSlices<V> {
    pub(crate) fn new(
        solid: &Aabb<V>,
        lattice: Lattice<V>,
        half_open: bool,
        hollow: bool,
    ) -> Result<Self, Error> {
        let mut slices = Self {
            met: [(0, 0); 4],
            within: [(0, 0); 4],
            fixed: [true; 5],
            vector: PhantomData,
        };
        // The box of a point that is not finite is not either.
        solid.check()?;
        for a in 0..V::DIM {
            let (min, max) = (solid.min().axis(a), solid.max().axis(a));
            let face = |index| lattice.face(a, index);
            let first = lattice.index_of(a, min)?;
            let below = farthest(first - FIRST + 1, 0, |k| {
                let hi = face(first - k + 1);
                if half_open { min < hi } else { min <= hi }
            });
            let most = END - first;
            let guess = floor(lattice.position(a, max)) - first;
            let above = farthest(most, guess, |k| face(first + k) <= max);
            let (start, end) = (first - below, first + above + 1);
            if start < FIRST || end > END {
                let value = if start < FIRST { min } else { max };
                return Err(Error::OutOfRange {
                    axis: a,
                    value: value.into(),
                });
            }
            slices.met[a] = (start as i32, end as i32);
            if hollow {
                // The plane after `first` is the lowest one above `min`. At 0 nothing is said.
                let above = farthest(most, guess - 1, |k| {
                    let hi = face(first + k + 1);
                    k == 0 || hi < max || (half_open && hi == max)
                });
                slices.within[a] = (first as i32 + 1, (first + above) as i32 + 1);
            }
        }
        Ok(slices)
    }
}

impl<V: Vector> Slices for BoxSlices<V> {
    type Vector = V;

    #[inline(always)]
    fn range(&self, axis: usize) -> Range<i32> {
        self.met[axis].0..self.met[axis].1
    }

    #[inline(always)]
    fn fix(&mut self, axis: usize, index: i32) {
        let (start, end) = self.within[axis];
        self.fixed[axis] = self.fixed[axis + 1] && (start..end).contains(&index);
    }

    #[inline(always)]
    fn hollow(&self) -> Range<i32> {
        if self.fixed[1] {
            self.within[0].0..self.within[0].1
        } else {
            0..0
        }
    }
}
