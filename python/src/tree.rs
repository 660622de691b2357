//! Trees of points with one to four coordinates of 32 or 64 bits, behind one class for Python.

mod answer;
mod lists;
mod points;

use std::any::Any;
use std::sync::Arc;

use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::input::{rows, value_error};
use crate::work::long;
use lists::Form;
use points::{Norm, Points};

/// The queries of a tree, whatever the type of its points.
trait Ask: Any + Send + Sync {
    fn len(&self) -> usize;

    fn order<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>>;

    fn nearest<'py>(
        &self,
        x: &Bound<'py, PyAny>,
        many: usize,
        norm: Norm,
        radius: f64,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>>;

    fn within<'py>(
        &self,
        x: &Bound<'py, PyAny>,
        radii: &[f64],
        norm: Norm,
        form: Form,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>>;

    fn pairs<'py>(&self, py: Python<'py>, radius: f64, norm: Norm) -> PyResult<Bound<'py, PyAny>>;

    fn distances<'py>(
        &self,
        py: Python<'py>,
        own: &[i64],
        other: Arc<dyn Ask>,
        others: &[i64],
        norm: Norm,
    ) -> PyResult<Bound<'py, PyAny>>;

    fn groups<'py>(
        self: Arc<Self>,
        py: Python<'py>,
        radius: f64,
        min_points: usize,
    ) -> PyResult<Bound<'py, PyArray1<i64>>>;

    fn count<'py>(
        self: Arc<Self>,
        py: Python<'py>,
        other: Arc<dyn Ask>,
        radii: Vec<f64>,
        weights: Option<[Vec<f64>; 2]>,
        cumulative: bool,
    ) -> PyResult<Bound<'py, PyAny>>;
}

/// A tree of points: `orthant.spatial.KDTree` documents the methods.
#[pyclass(frozen, module = "orthant._orthant")]
pub(crate) struct Tree(Arc<dyn Ask>);

/// Makes the tree of rows with some number of columns.
macro_rules! of_columns {
    ($py:ident, $data:ident, $lengths:ident, $number:ty: $($columns:literal)*) => {
        match $data.shape()[1] {
            $($columns => {
                let points = rows::<$number, $columns>("data", &$data)?;
                let build = move || Points::try_new(&points, &$lengths);
                let points = long($py, $data.shape()[0], build)?;
                Ok(Self(Arc::new(points.map_err(value_error)?)))
            })*
            many => Err(value_error(format_args!("data has {many} columns, and trees have 1 to 4"))),
        }
    };
}

#[pymethods]
impl Tree {
    /// `lengths` are those of a periodic box, 0 on axes that are not periodic; it is empty without a box.
    #[new]
    fn new(py: Python<'_>, data: &Bound<'_, PyAny>, lengths: Vec<f64>) -> PyResult<Self> {
        if let Ok(data) = data.extract::<PyReadonlyArray2<'_, f32>>() {
            return of_columns!(py, data, lengths, f32: 1 2 3 4);
        }
        let data: PyReadonlyArray2<'_, f64> = data.extract()?;
        of_columns!(py, data, lengths, f64: 1 2 3 4)
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// Returns the indices of all points in the order of the curve by which they are sorted.
    fn order<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        self.0.order(py)
    }

    /// Returns the distances and indices of the `many` nearest within a radius, a row for each of `x`.
    fn nearest<'py>(
        &self,
        x: &Bound<'py, PyAny>,
        many: usize,
        p: f64,
        radius: f64,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.0.nearest(x, many, Norm::of(p)?, radius, threads)
    }

    /// Returns the points within one radius, or one for each of `x`, by ascending index: as `offsets` and `indices` (form 0), as an array of
    /// lists (1), or as counts (2).
    fn within<'py>(
        &self,
        x: &Bound<'py, PyAny>,
        radii: PyReadonlyArray1<'py, f64>,
        p: f64,
        form: u8,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let form = Form::of(form)?;
        let radii = radii.as_slice()?;
        self.0.within(x, radii, Norm::of(p)?, form, threads)
    }

    /// Returns all pairs within a radius, the lesser index first.
    fn pairs<'py>(&self, py: Python<'py>, radius: f64, p: f64) -> PyResult<Bound<'py, PyAny>> {
        self.0.pairs(py, radius, Norm::of(p)?)
    }

    /// Returns the distances of points from those of another tree of the same kind, as lists and `nearest` measure them, without a box.
    fn distances<'py>(
        &self,
        py: Python<'py>,
        own: PyReadonlyArray1<'py, i64>,
        other: &Self,
        others: PyReadonlyArray1<'py, i64>,
        p: f64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (own, others) = (own.as_slice()?, others.as_slice()?);
        let other = Arc::clone(&other.0);
        self.0.distances(py, own, other, others, Norm::of(p)?)
    }

    /// Returns the group of each point, -1 for points in none: clusters by density, or connected components if `min_points` is 0.
    fn groups<'py>(
        &self,
        py: Python<'py>,
        radius: f64,
        min_points: usize,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        Arc::clone(&self.0).groups(py, radius, min_points)
    }

    /// Returns the number of pairs with another tree of the same kind within each radius, or the sums of the products of their weights; by the
    /// Euclidean norm, and without a box.
    #[pyo3(signature = (other, radii, weights, cumulative))]
    fn count<'py>(
        &self,
        py: Python<'py>,
        other: &Self,
        radii: Vec<f64>,
        weights: Option<[PyReadonlyArray1<'py, f64>; 2]>,
        cumulative: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let weights = match weights {
            None => None,
            Some([own, others]) => Some([own.as_slice()?.to_vec(), others.as_slice()?.to_vec()]),
        };
        Arc::clone(&self.0).count(py, Arc::clone(&other.0), radii, weights, cumulative)
    }
}

/// Returns the row and column of the first coordinate whose differences from others may have squares that overflow or are no normal numbers: in
/// `f32`, above 2^61 or, except for 0, below 2^-40, whose last bit is worth 2^-63; in `f64` only above 2^509. Numbers that are not finite are
/// refused elsewhere.
#[pyfunction]
pub(crate) fn out_of_range(array: &Bound<'_, PyAny>) -> PyResult<Option<(usize, usize)>> {
    if let Ok(array) = array.extract::<PyReadonlyArray2<'_, f32>>() {
        let (least, most) = (2_f32.powi(-40), 2_f32.powi(61));
        let is_odd = |x: f32| x != 0.0 && !(least..=most).contains(&x.abs()) && x.is_finite();
        let odd = array.as_array();
        let odd = odd.indexed_iter().find(|&(_, &x)| is_odd(x));
        return Ok(odd.map(|(at, _)| at));
    }
    let array: PyReadonlyArray2<'_, f64> = array.extract()?;
    let most = 2_f64.powi(509);
    let array = array.as_array();
    let odd = array
        .indexed_iter()
        .find(|&(_, &x)| x.abs() > most && x.is_finite());
    Ok(odd.map(|(at, _)| at))
}
