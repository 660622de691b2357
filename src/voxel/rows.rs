//! The walk over the rows of a shape that meets each in one stretch.

use super::Span;
use core::ops::Range;

use crate::{Vector, Voxel};

/// A shape seen from the lattice: on every axis the cells it meets are one range.
pub(crate) trait Slices {
    type Vector: Vector;

    /// The cells on `axis` that the shape meets, the higher axes being fixed and the lower ones
    /// where it is widest. Never empty.
    fn range(&self, axis: usize) -> Range<i32>;

    /// Fixes the index on an axis above 0.
    fn fix(&mut self, axis: usize, index: i32);

    /// The cells of the row that are met but not part of the answer, since they lie strictly
    /// within a surface. Possibly empty.
    fn hollow(&self) -> Range<i32>;
}

type VoxelOf<T> = <<T as Slices>::Vector as Vector>::Voxel;

/// The spans of a shape, the last axis slowest.
#[derive(Clone, Debug)]
pub(crate) struct Rows<T> {
    shape: T,
    // Of the axes above 0; one entry per axis that a structure may have.
    at: [i32; 4],
    end: [i32; 4],
    done: bool,
    /// What is left of the row after a hollow.
    rest: Option<(i32, i32)>,
    /// The row's other indices.
    row: [i32; 4],
}

impl<T: Slices> Rows<T> {
    pub(crate) fn new(shape: T) -> Self {
        let mut rows = Self {
            shape,
            at: [0; 4],
            end: [0; 4],
            done: false,
            rest: None,
            row: [0; 4],
        };
        rows.enter(T::Vector::DIM);
        rows
    }

    /// Goes to the first row with the indices from `axis` on as they are.
    #[inline]
    fn enter(&mut self, axis: usize) {
        for a in (1..axis).rev() {
            let range = self.shape.range(a);
            (self.at[a], self.end[a]) = (range.start, range.end);
            self.shape.fix(a, range.start);
        }
    }

    #[inline]
    fn advance(&mut self) {
        for a in 1..T::Vector::DIM {
            self.at[a] += 1;
            if self.at[a] < self.end[a] {
                self.shape.fix(a, self.at[a]);
                self.enter(a);
                return;
            }
        }
        self.done = true;
    }

    #[inline(always)]
    fn span(&self, start: i32, end: i32) -> Span<VoxelOf<T>> {
        let first = VoxelOf::<T>::from_fn(|a| if a == 0 { start } else { self.row[a] });
        Span::new(first, end)
    }
}

impl<T: Slices> Iterator for Rows<T> {
    type Item = Span<VoxelOf<T>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if let Some((start, end)) = self.rest.take() {
            return Some(self.span(start, end));
        }
        while !self.done {
            let met = self.shape.range(0);
            let hollow = self.shape.hollow();
            self.row = self.at;
            self.advance();
            if hollow.is_empty() {
                return Some(self.span(met.start, met.end));
            }
            // The two come from different questions: rounding may let the hollow reach out.
            let left = (met.start, hollow.start.min(met.end));
            let right = (hollow.end.max(met.start), met.end);
            let right = (right.0 < right.1).then_some(right);
            if left.0 < left.1 {
                self.rest = right;
                return Some(self.span(left.0, left.1));
            }
            if let Some((start, end)) = right {
                return Some(self.span(start, end));
            }
        }
        None
    }
}
