//! Sixteen points or boxes, each coordinate in a column, so that one load fills all lanes.

use crate::shape::Aabb;
use crate::simd::{Column, LANES};
use crate::vector::{Scalar, Vector};

/// The coordinates of sixteen points: a column for each axis.
pub(crate) type Columns<V> = <V as Vector>::Axes<Column<<V as Vector>::Scalar>>;

#[inline(always)]
pub(crate) fn point<V: Vector>(columns: &Columns<V>, lane: usize) -> V {
    V::from_fn(|axis| columns.as_ref()[axis].0[lane])
}

#[inline(always)]
pub(crate) fn set_point<V: Vector>(columns: &mut Columns<V>, lane: usize, to: V) {
    for axis in 0..V::DIM {
        columns.as_mut()[axis].0[lane] = to.axis(axis);
    }
}

/// Sixteen points whose coordinates are all the same number.
#[inline(always)]
pub(crate) fn all<V: Vector>(coordinate: V::Scalar) -> Columns<V> {
    V::axes(Column([coordinate; LANES]))
}

/// The least and the largest coordinates of the first `len` points of some blocks. `len` is not 0.
#[inline(always)]
pub(crate) fn ends<V: Vector, B>(
    blocks: &[B],
    points: impl Fn(&B) -> &Columns<V>,
    len: usize,
) -> (V, V) {
    let mut ends = [(V::Scalar::ZERO, V::Scalar::ZERO); 4];
    for (axis, ends) in ends.iter_mut().enumerate().take(V::DIM) {
        let columns = blocks.iter().map(|block| &points(block).as_ref()[axis].0);
        *ends = ends_of(columns, len);
    }
    (
        V::from_fn(|axis| ends[axis].0),
        V::from_fn(|axis| ends[axis].1),
    )
}

/// The least and the largest of the first `len` numbers. Each lane keeps its own, so that the compiler vectorizes
/// the loop.
#[inline(always)]
pub(crate) fn ends_of<'a, S: Scalar>(
    columns: impl Iterator<Item = &'a [S; LANES]>,
    mut len: usize,
) -> (S, S) {
    let (mut low, mut high) = ([S::INFINITY; LANES], [S::ZERO - S::INFINITY; LANES]);
    for column in columns {
        for lane in 0..LANES {
            // Take the first number of the block in place of numbers beyond the end.
            let x = if lane < len { column[lane] } else { column[0] };
            (low[lane], high[lane]) = (low[lane].smaller(x), high[lane].larger(x));
        }
        len = len.saturating_sub(LANES);
    }
    (
        low.iter().fold(low[0], |low, &x| low.smaller(x)),
        high.iter().fold(high[0], |high, &x| high.larger(x)),
    )
}

/// Sixteen boxes.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Boxes<V: Vector> {
    pub(crate) low: Columns<V>,
    pub(crate) high: Columns<V>,
}

impl<V: Vector> Boxes<V> {
    /// Sixteen empty boxes, which meet nothing.
    #[inline(always)]
    pub(crate) fn empty() -> Self {
        Self {
            low: all::<V>(V::Scalar::INFINITY),
            high: all::<V>(V::Scalar::ZERO - V::Scalar::INFINITY),
        }
    }

    /// Reads the box of a lane. The corners of an empty box are in the wrong order.
    #[inline(always)]
    pub(crate) fn get(&self, lane: usize) -> Aabb<V> {
        Aabb::from_corners(point(&self.low, lane), point(&self.high, lane))
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, lane: usize, to: &Aabb<V>) {
        for axis in 0..V::DIM {
            self.set_on(axis, lane, to.min().axis(axis), to.max().axis(axis));
        }
    }

    /// Writes the interval of a box on one axis.
    #[inline(always)]
    pub(crate) fn set_on(&mut self, axis: usize, lane: usize, low: V::Scalar, high: V::Scalar) {
        self.low.as_mut()[axis].0[lane] = low;
        self.high.as_mut()[axis].0[lane] = high;
    }

    /// Makes the box of a lane empty.
    #[inline(always)]
    pub(crate) fn clear(&mut self, lane: usize) {
        let infinity = V::Scalar::INFINITY;
        let (low, high) = (V::splat(infinity), V::splat(V::Scalar::ZERO - infinity));
        self.set(lane, &Aabb::from_corners(low, high));
    }

    /// Returns true if the box of a lane is empty.
    #[inline(always)]
    pub(crate) fn is_empty(&self, lane: usize) -> bool {
        self.low.as_ref()[0].0[lane] > self.high.as_ref()[0].0[lane]
    }
}
