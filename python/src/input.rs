//! Input arrays: points from rows, and errors that name the row.

use numpy::{Element, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::PyErr;
use pyo3::PyResult;
use pyo3::exceptions::{PyMemoryError, PyValueError};

/// A number of an array: `f32` or `f64`.
pub(crate) trait Number: Element + Copy + std::fmt::Display {
    fn is_finite(self) -> bool;
}

impl Number for f32 {
    fn is_finite(self) -> bool {
        self.is_finite()
    }
}

impl Number for f64 {
    fn is_finite(self) -> bool {
        self.is_finite()
    }
}

/// Converts an error of the crate to a `ValueError` with its words.
pub(crate) fn value_error(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Converts an error of the crate to a `MemoryError` or `ValueError`.
pub(crate) fn refused(error: orthant::Error) -> PyErr {
    match error {
        orthant::Error::OutOfMemory { .. } => PyMemoryError::new_err(error.to_string()),
        error => value_error(error),
    }
}

/// Reserves room for more items in a list, or returns an error with the size.
#[inline]
pub(crate) fn reserve<T>(list: &mut Vec<T>, more: usize) -> PyResult<()> {
    let reserved = list.try_reserve(more);
    reserved.map_err(|_| {
        let items = list.len().saturating_add(more);
        let bytes = items.saturating_mul(size_of::<T>());
        refused(orthant::Error::OutOfMemory { items, bytes })
    })
}

/// Returns a list of `len` copies of an item.
pub(crate) fn filled<T: Clone>(item: T, len: usize) -> PyResult<Vec<T>> {
    let mut list = Vec::new();
    reserve(&mut list, len)?;
    list.resize(len, item);
    Ok(list)
}

/// Returns the rows of `array`, which is called `name` in errors. Returns an error if it has other than `D` columns, or a number is not finite;
/// the error names the first such row.
pub(crate) fn rows<T: Number, const D: usize>(
    name: &str,
    array: &PyReadonlyArray2<'_, T>,
) -> PyResult<Vec<[T; D]>> {
    if array.shape()[1] != D {
        return Err(value_error(format_args!(
            "{name} must have {D} columns, not {}",
            array.shape()[1]
        )));
    }
    let view = array.as_array();
    let rows: Vec<[T; D]> = match view.as_slice() {
        Some(numbers) => numbers.as_chunks::<D>().0.to_vec(),
        None => view
            .rows()
            .into_iter()
            .map(|row| std::array::from_fn(|axis| row[axis]))
            .collect(),
    };
    match rows
        .iter()
        .position(|row| row.iter().any(|number| !number.is_finite()))
    {
        None => Ok(rows),
        Some(row) => {
            let column = rows[row]
                .iter()
                .position(|number| !number.is_finite())
                .unwrap_or(0);
            Err(value_error(format_args!(
                "{name} must be finite: {name}[{row}, {column}] is {}, not a finite number",
                rows[row][column]
            )))
        }
    }
}
