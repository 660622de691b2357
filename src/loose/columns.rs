//! Sixteen points in columns, one by one.

use crate::overlap::lanes::Columns;
use crate::simd::{Column, LANES};
use crate::{Scalar, Vector};

pub(super) fn zeros<V: Vector>() -> Columns<V> {
    V::axes(Column([V::Scalar::ZERO; LANES]))
}

#[inline(always)]
pub(super) fn get<V: Vector>(columns: &Columns<V>, at: usize) -> V {
    V::from_fn(|axis| columns.as_ref()[axis].0[at])
}

#[inline(always)]
pub(super) fn set<V: Vector>(columns: &mut Columns<V>, at: usize, to: V) {
    for axis in 0..V::DIM {
        columns.as_mut()[axis].0[at] = to.axis(axis);
    }
}
