//! Lattice planes, blocks of cells between them, and the search for the cell of a coordinate.

pub(crate) use crate::overlap::bisect::farthest;
use core::ops::Range;

use crate::error::Error;
use crate::shape::Aabb;
use crate::vector::{Scalar, Vector, Voxel};

/// The first index of a lattice.
pub(crate) const FIRST: i64 = i32::MIN as i64;
/// One past the last index. It fits into an `i32`, as the end of a run of cells does.
pub(crate) const END: i64 = i32::MAX as i64;

/// Planes at `origin + i * step` on each axis, of which there are up to four.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lattice<S> {
    pub(crate) origin: [S; 4],
    pub(crate) step: S,
}

/// A box of cells, from `start` to one before `end` on each axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Block<X> {
    pub(crate) start: X,
    pub(crate) end: X,
}

impl Block<[i32; 4]> {
    /// Extends a block to four axes: it is one cell wide on the axes that it lacks.
    #[inline]
    pub(crate) fn padded<X: Voxel>(block: &Block<X>) -> Self {
        let index = |of: X, a, none| if a < X::DIM { of.axis(a) } else { none };
        Self {
            start: Voxel::from_fn(|a| index(block.start, a, 0)),
            end: Voxel::from_fn(|a| index(block.end, a, 1)),
        }
    }

    /// The block on the axes of `X`.
    #[inline]
    pub(crate) fn on_axes<X: Voxel>(&self) -> Block<X> {
        Block {
            start: X::from_fn(|a| self.start[a]),
            end: X::from_fn(|a| self.end[a]),
        }
    }
}

impl<X: Voxel> Block<X> {
    #[inline]
    pub(crate) fn range(&self, axis: usize) -> Range<i32> {
        self.start.axis(axis)..self.end.axis(axis)
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        (0..X::DIM).any(|a| self.range(a).is_empty())
    }

    #[inline]
    pub(crate) fn cells(&self) -> usize {
        (0..X::DIM)
            .map(|a| self.range(a).len())
            .fold(1, usize::saturating_mul)
    }

    /// The intersection with another block.
    #[inline]
    pub(crate) fn common(&self, other: &Self) -> Self {
        Self {
            start: X::from_fn(|a| self.start.axis(a).max(other.start.axis(a))),
            end: X::from_fn(|a| self.end.axis(a).min(other.end.axis(a))),
        }
    }

    /// The cells one by one, axis 0 fastest.
    pub(crate) fn each(&self) -> impl Iterator<Item = X> + use<X> {
        let rows = RowsOf::new(*self);
        rows.flat_map(|row| row.range(0).map(move |index| row.start.with(0, index)))
    }

    #[inline]
    pub(crate) fn holds(&self, other: &Self) -> bool {
        (0..X::DIM).all(|a| {
            self.start.axis(a) <= other.start.axis(a) && other.end.axis(a) <= self.end.axis(a)
        })
    }
}

impl<S: Scalar> Lattice<S> {
    /// The lower face of cell `index` on an axis: a finite number, which never decreases with `index`. All faces of
    /// cells come from here, so that neighbors share theirs bit for bit.
    #[inline(always)]
    pub(crate) fn face(&self, axis: usize, index: i64) -> S {
        let plane = self.plane(axis, index);
        plane.smaller(S::MAX).larger(S::ZERO - S::MAX)
    }

    /// The middle of cell `index`, computed like a plane. It lies between the faces.
    #[inline(always)]
    pub(crate) fn middle(&self, axis: usize, index: i64) -> S {
        let middle = self.origin[axis] + S::from_f64(index as f64 + 0.5) * self.step;
        middle.smaller(S::MAX).larger(S::ZERO - S::MAX)
    }

    /// Plane `index`, infinite beyond the finite numbers.
    #[inline(always)]
    fn plane(&self, axis: usize, index: i64) -> S {
        self.origin[axis] + S::from_f64(index as f64) * self.step
    }

    /// The closed box of a block of cells.
    #[inline]
    pub(crate) fn bounds<V: Vector<Scalar = S>>(&self, block: &Block<V::Voxel>) -> Aabb<V> {
        Aabb::from_corners(
            V::from_fn(|a| self.face(a, block.start.axis(a).into())),
            V::from_fn(|a| self.face(a, block.end.axis(a).into())),
        )
    }

    /// The closed box of a cell. A face beyond the largest finite number lies at that number.
    #[inline]
    pub(crate) fn cell<V: Vector<Scalar = S>>(&self, cell: V::Voxel) -> Aabb<V> {
        // Indices are wider than `i32`, since cell `i32::MAX` has an upper face, too.
        let face = |a, step| self.face(a, i64::from(cell.axis(a)) + step);
        Aabb::from_corners(V::from_fn(|a| face(a, 0)), V::from_fn(|a| face(a, 1)))
    }

    #[inline]
    pub(crate) fn center<V: Vector<Scalar = S>>(&self, cell: V::Voxel) -> V {
        V::from_fn(|a| self.middle(a, cell.axis(a).into()))
    }

    /// The approximate position of a coordinate, in cells.
    #[inline]
    pub(crate) fn position(&self, axis: usize, value: S) -> f64 {
        let from: f64 = self.origin[axis].into();
        let step: f64 = self.step.into();
        (value.into() - from) / step
    }

    /// The largest index whose plane is at or below a coordinate.
    #[inline]
    pub(crate) fn index_of(&self, axis: usize, value: S) -> Result<i64, Error> {
        if self.plane(axis, FIRST) > value || self.plane(axis, END) <= value {
            return Err(Error::OutOfRange {
                axis,
                value: value.into(),
            });
        }
        // Search from a quotient, which may disagree with the planes: cell 9 of 0.1f32 begins above 0.9f32.
        let guess = floor(self.position(axis, value));
        let steps = farthest(END - FIRST, guess - FIRST, |k| {
            self.plane(axis, FIRST + k) <= value
        });
        Ok(FIRST + steps)
    }
}

/// Cuts a block in two: at a face of the hint if one passes through the block, otherwise in the middle of the last
/// axis that has more than one cell. Returns `None` for a single cell.
pub(crate) fn cut<X: Voxel>(block: &Block<X>, hint: Option<&Block<X>>) -> Option<[Block<X>; 2]> {
    let (axis, at) = hint.and_then(|hint| face_within(block, hint)).or_else(|| {
        let axis = (0..X::DIM).rev().find(|&a| block.range(a).len() > 1)?;
        let (start, end) = (block.start.axis(axis), block.end.axis(axis));
        Some((axis, ((i64::from(start) + i64::from(end)) / 2) as i32))
    })?;
    let (start, end) = (block.start.with(axis, at), block.end.with(axis, at));
    Some([Block { end, ..*block }, Block { start, ..*block }])
}

/// A face of the hint that passes through the block: its axis and index.
fn face_within<X: Voxel>(block: &Block<X>, hint: &Block<X>) -> Option<(usize, i32)> {
    let axes = (0..X::DIM).rev();
    let mut faces = axes.flat_map(|a| [(a, hint.start.axis(a)), (a, hint.end.axis(a))]);
    faces.find(|&(a, face)| block.start.axis(a) < face && face < block.end.axis(a))
}

/// The rows of a block along axis 0, in order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowsOf<X> {
    block: Block<X>,
    /// The start of the next row.
    next: Option<X>,
}

impl<X: Voxel> RowsOf<X> {
    pub(crate) fn new(block: Block<X>) -> Self {
        let next = (!block.is_empty()).then_some(block.start);
        Self { block, next }
    }

    pub(crate) fn none() -> Self {
        let origin = X::from_fn(|_| 0);
        Self::new(Block {
            start: origin,
            end: origin,
        })
    }
}

impl<X: Voxel> Iterator for RowsOf<X> {
    type Item = Block<X>;

    #[inline]
    fn next(&mut self) -> Option<Block<X>> {
        let start = self.next?;
        let (first, last) = (self.block.start, self.block.end);
        let later = (1..X::DIM).find(|&a| start.axis(a) + 1 < last.axis(a));
        self.next = later.map(|axis| {
            X::from_fn(|a| {
                let from = if a < axis { first } else { start };
                from.axis(a) + i32::from(a == axis)
            })
        });
        let end = X::from_fn(|a| start.axis(a) + 1).with(0, last.axis(0));
        Some(Block { start, end })
    }
}

/// The largest integer not above `x`, exact within the range of indices.
#[inline(always)]
pub(crate) fn floor(x: f64) -> i64 {
    // The limits are far beyond any index, and far within `i64`.
    let x = x.clamp(-1e15, 1e15);
    let whole = x as i64;
    whole - i64::from(whole as f64 > x)
}

/// The smallest integer not below `x`, exact within the range of indices.
#[inline(always)]
pub(crate) fn ceil(x: f64) -> i64 {
    -floor(-x)
}
