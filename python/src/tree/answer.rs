//! Queries of a tree with many points.
//!
//! ```text
//! sort the queries along a curve, so that neighboring ones run together
//! for each piece of them, on one or several threads:
//!     if all have the same radius, build a tree of them and descend with sixteen at once
//!     else run one after the other
//! put the answers into the order of the queries
//! ```

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray2, ToPyArray};
use orthant::{Groups, NearestLists, Orthtree, Scalar, SpatialIndex, Vector};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::Ask;
use super::lists::{Form, Numbers, Part, one_behind_the_other};
use super::points::{Norm, Point, Points};
use crate::input::{Number, filled, refused, reserve, rows, value_error};
use crate::work::{in_threads, long};

/// The number of queries that run together.
const PIECE: usize = 1 << 11;

/// Query points, and their order.
struct Asking<P> {
    places: Vec<P>,
    /// The index that each of them had.
    numbers: Vec<u32>,
}

impl<P: Point> Asking<P> {
    fn new(py: Python<'_>, places: Vec<P>) -> PyResult<Self> {
        py.detach(|| {
            if places.len() <= PIECE {
                let numbers = (0..places.len() as u32).collect();
                return Ok(Self { places, numbers });
            }
            let numbers = Orthtree::try_new(&places).map_err(value_error)?;
            let numbers = numbers.order().as_slice().to_vec();
            let places = numbers.iter().map(|&i| places[i as usize]).collect();
            Ok(Self { places, numbers })
        })
    }
}

impl<P: Point> Points<P> {
    /// Returns the lists of some points.
    fn part(
        &self,
        asking: &Asking<P>,
        radii: &[f64],
        norm: Norm,
        range: Range<usize>,
    ) -> PyResult<Part> {
        let (places, numbers) = (&asking.places[range.clone()], &asking.numbers[range]);
        let mut part = Part::default();
        if let (Norm::Euclid, &[radius], false) = (norm, radii, self.is_periodic())
            && places.len() > 16
            && let Ok(others) = Orthtree::try_new(places)
        {
            let flow = self
                .tree
                .visit_neighbors_of(&others, finite(radius), |place, near| {
                    let begin = part.items.len();
                    if let Err(error) = reserve(&mut part.items, near.len()) {
                        return ControlFlow::Break(error);
                    }
                    part.items.extend_from_slice(near.as_slice());
                    part.end(numbers[place], begin);
                    ControlFlow::Continue(())
                });
            return flow.break_value().map_or(Ok(part), Err);
        }
        let mut list = Vec::new();
        for (&place, &number) in places.iter().zip(numbers) {
            let radius = finite(of_point(radii, number));
            let begin = part.items.len();
            list.clear();
            self.list(place, radius, norm, &mut list);
            reserve(&mut part.items, list.len())?;
            part.items.append(&mut list);
            part.end(number, begin);
        }
        Ok(part)
    }

    /// Returns the lengths of the lists of some points.
    fn lengths(
        &self,
        asking: &Asking<P>,
        radii: &[f64],
        norm: Norm,
        range: Range<usize>,
    ) -> PyResult<Vec<i64>> {
        let (places, numbers) = (&asking.places[range.clone()], &asking.numbers[range]);
        let mut list = Vec::new();
        let asked = places.iter().zip(numbers);
        let lens = asked.map(|(&place, &number)| {
            let radius = finite(of_point(radii, number));
            self.count(place, radius, norm, &mut list) as i64
        });
        Ok(lens.collect())
    }

    /// Returns the nearest of some points, as rows of distances and indices.
    fn rows(
        &self,
        places: &[P],
        many: usize,
        norm: Norm,
        radius: f64,
    ) -> PyResult<(Vec<P::Scalar>, Vec<i64>)> {
        let mut distances = filled(P::Scalar::INFINITY, places.len() * many)?;
        let mut items = filled(self.tree.len() as i64, places.len() * many)?;
        let radius = P::Scalar::from_f64(radius);
        let near = distances.chunks_mut(many).zip(items.chunks_mut(many));
        if norm == Norm::Euclid && !self.is_periodic() && radius == P::Scalar::INFINITY {
            let mut lists = NearestLists::new();
            let listed = self.tree.nearest_n_batch_into(places, many, &mut lists);
            listed.map_err(refused)?;
            for (list, (distances, items)) in near.enumerate() {
                let found = lists.items()[list].iter().zip(lists.distances_sq(list));
                for ((&item, &measure), (to, at)) in found.zip(distances.iter_mut().zip(items)) {
                    (*to, *at) = (norm.distance(measure), i64::from(item));
                }
            }
        } else {
            for (&place, (distances, items)) in places.iter().zip(near) {
                let found = self.nearest(place, many, norm, radius).into_iter();
                for ((measure, item), (to, at)) in found.zip(distances.iter_mut().zip(items)) {
                    (*to, *at) = (norm.distance(measure), i64::from(item));
                }
            }
        }
        Ok((distances, items))
    }
}

/// Returns a radius in the scalar of the points: an infinite radius becomes the largest finite one.
fn finite<S: Scalar>(radius: f64) -> S {
    S::from_f64(radius).smaller(S::MAX)
}

/// Returns the one radius for all points, or the point's own.
fn of_point(radii: &[f64], number: u32) -> f64 {
    if let &[radius] = radii {
        radius
    } else {
        radii[number as usize]
    }
}

impl<T: Number + Scalar, const D: usize> Ask for Points<[T; D]>
where
    [T; D]: Point + Vector<Scalar = T>,
{
    fn len(&self) -> usize {
        self.tree.len()
    }

    fn order<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let order = self.tree.order();
        order
            .as_slice()
            .iter()
            .map(|&i| i64::from(i))
            .collect::<Vec<_>>()
            .into_pyarray(py)
    }

    fn nearest<'py>(
        &self,
        x: &Bound<'py, PyAny>,
        many: usize,
        norm: Norm,
        radius: f64,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = x.py();
        let asking = Asking::new(py, places::<T, D>(x)?)?;
        let count = asking.places.len();
        let room = count.saturating_mul(many);
        let mut distances = filled(T::INFINITY, room)?;
        let mut items = filled(0_i64, room)?;
        in_threads(
            py,
            threads,
            (count, PIECE),
            |range| self.rows(&asking.places[range], many, norm, radius),
            |_, range, (near, found)| {
                let rows = near.chunks(many).zip(found.chunks(many));
                for (&number, (near, found)) in asking.numbers[range].iter().zip(rows) {
                    let own = number as usize * many..(number as usize + 1) * many;
                    distances[own.clone()].copy_from_slice(near);
                    items[own].copy_from_slice(found);
                }
                Ok(())
            },
        )?;
        let distances = distances.into_pyarray(py).reshape([count, many])?;
        let items = items.into_pyarray(py).reshape([count, many])?;
        Ok((distances, items).into_pyobject(py)?.into_any())
    }

    fn within<'py>(
        &self,
        x: &Bound<'py, PyAny>,
        radii: &[f64],
        norm: Norm,
        form: Form,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = x.py();
        let asking = Asking::new(py, places::<T, D>(x)?)?;
        let count = asking.places.len();
        let work = (count, PIECE);
        if radii.len() != 1 && radii.len() != count {
            return Err(value_error("as many radii as points, or one"));
        }
        match form {
            Form::Lengths => {
                let mut lens = vec![0; count];
                let make = |range| self.lengths(&asking, radii, norm, range);
                in_threads(py, threads, work, make, |_, range, part| {
                    for (&number, len) in asking.numbers[range].iter().zip(part) {
                        lens[number as usize] = len;
                    }
                    Ok(())
                })?;
                Ok(lens.into_pyarray(py).into_any())
            }
            Form::Flat => {
                let mut parts = Vec::new();
                let make = |range| self.part(&asking, radii, norm, range);
                in_threads(py, threads, work, make, |_, _, part| {
                    parts.push(part);
                    Ok(())
                })?;
                let (offsets, items) = py.detach(|| one_behind_the_other(count, parts))?;
                let flat = (offsets.into_pyarray(py), items.into_pyarray(py));
                Ok(flat.into_pyobject(py)?.into_any())
            }
            Form::Lists => {
                let mut lists: Vec<Py<PyAny>> = (0..count).map(|_| py.None()).collect();
                // A tree of the queries is not worth it for a few queries of many points.
                let many = self.tree.len();
                let mut numbers = Numbers::new(if count < many / 16 { 0 } else { many });
                let make = |range| self.part(&asking, radii, norm, range);
                in_threads(py, threads, work, make, |py, _, part| {
                    for (number, list) in part.lists() {
                        lists[number] = numbers.list(py, list)?;
                    }
                    Ok(())
                })?;
                Ok(lists.into_pyarray(py).into_any())
            }
        }
    }

    fn pairs<'py>(&self, py: Python<'py>, radius: f64, norm: Norm) -> PyResult<Bound<'py, PyAny>> {
        let asked = finite(radius);
        let mut pairs: Vec<[i64; 2]> = Vec::new();
        if norm == Norm::Euclid && !self.is_periodic() {
            let (mut left, mut asked_of) = (PIECE, 0);
            let flow = py.detach(|| {
                self.tree.visit_pairs(asked, |i, others| {
                    let i = i as i64;
                    if let Err(error) = reserve(&mut pairs, others.len()) {
                        return ControlFlow::Break(error);
                    }
                    let others = others.as_slice().iter().map(|&j| i64::from(j));
                    pairs.extend(others.map(|j| [i.min(j), i.max(j)]));
                    left -= 1;
                    if left > 0 {
                        return ControlFlow::Continue(());
                    }
                    left = PIECE;
                    asked_of += PIECE;
                    if asked_of == 8 * PIECE {
                        // Estimate the memory of the remaining pairs, since a list that grows is copied.
                        let many = pairs.len() as f64 * self.tree.len() as f64 / asked_of as f64;
                        let more = (many * 1.1) as usize - pairs.len();
                        if let Err(error) = reserve(&mut pairs, more) {
                            return ControlFlow::Break(error);
                        }
                    }
                    #[expect(
                        clippy::redundant_closure_for_method_calls,
                        reason = "the method alone is not general enough"
                    )]
                    match Python::attach(|py| py.check_signals()) {
                        Ok(()) => ControlFlow::Continue(()),
                        Err(signal) => ControlFlow::Break(signal),
                    }
                })
            });
            if let ControlFlow::Break(signal) = flow {
                return Err(signal);
            }
        } else {
            let points = py.detach(|| self.tree.items());
            let make = |range: Range<usize>| {
                let (mut made, mut list) = (Vec::new(), Vec::new());
                for i in range {
                    list.clear();
                    self.list(points[i], asked, norm, &mut list);
                    reserve(&mut made, list.len())?;
                    let others = list.iter().filter(|&&j| j as usize > i);
                    made.extend(others.map(|&j| [i as i64, i64::from(j)]));
                }
                Ok(made)
            };
            in_threads(py, 1, (points.len(), PIECE), make, |_, _, made| {
                reserve(&mut pairs, made.len())?;
                pairs.extend(made);
                Ok(())
            })?;
        }
        let many = pairs.len();
        let flat = pairs.into_flattened().into_pyarray(py);
        Ok(flat.reshape([many, 2])?.into_any())
    }

    fn distances<'py>(
        &self,
        py: Python<'py>,
        own: &[i64],
        other: Arc<dyn Ask>,
        others: &[i64],
        norm: Norm,
    ) -> PyResult<Bound<'py, PyAny>> {
        let other = same::<Self>(other)?;
        let pairs = own.iter().zip(others);
        let distances: Option<Vec<T>> = py.detach(|| {
            let measure = |(&i, &j): (&i64, &i64)| {
                let from = *self.tree.get(usize::try_from(i).ok()?)?;
                let to = *other.tree.get(usize::try_from(j).ok()?)?;
                Some(norm.distance(self.measure(from, to, norm)))
            };
            pairs.map(measure).collect()
        });
        let distances = distances.ok_or_else(|| value_error("no such point"))?;
        Ok(distances.into_pyarray(py).into_any())
    }

    fn groups<'py>(
        self: Arc<Self>,
        py: Python<'py>,
        radius: f64,
        min_points: usize,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let many = self.tree.len();
        let groups = long(py, many, move || self.grouped(finite(radius), min_points))?;
        let groups = groups.map_err(refused)?;
        let labels = groups.labels().iter().map(|&label| match label {
            Groups::NOISE => -1,
            _ => i64::from(label),
        });
        Ok(PyArray1::from_iter(py, labels))
    }

    fn count<'py>(
        self: Arc<Self>,
        py: Python<'py>,
        other: Arc<dyn Ask>,
        radii: Vec<f64>,
        weights: Option<[Vec<f64>; 2]>,
        cumulative: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let other = same::<Self>(other)?;
        let size = self.tree.len() + other.tree.len();
        let radii: Vec<T> = radii.into_iter().map(T::from_f64).collect();
        let Some(weights) = weights else {
            let count = move || self.tree.count_neighbors(&other.tree, &radii, cumulative);
            let counts = long(py, size, count)?;
            let counts: Vec<i64> = counts.into_iter().map(|count| count as i64).collect();
            return Ok(counts.into_pyarray(py).into_any());
        };
        let weigh = move || {
            let weights = [&weights[0][..], &weights[1][..]];
            self.tree
                .weigh_neighbors(&other.tree, weights, &radii, cumulative)
        };
        let sums = long(py, size, weigh)?.map_err(refused)?;
        Ok(sums.to_pyarray(py).into_any())
    }
}

/// Returns another tree, if it has the same kind of points.
fn same<P: Ask>(other: Arc<dyn Ask>) -> PyResult<Arc<P>> {
    let other: Arc<dyn std::any::Any + Send + Sync> = other;
    let same = other.downcast::<P>();
    same.map_err(|_| PyTypeError::new_err("trees of other points"))
}

/// Returns the rows of an array as query points.
fn places<T: Number, const D: usize>(x: &Bound<'_, PyAny>) -> PyResult<Vec<[T; D]>> {
    rows("x", &x.extract::<PyReadonlyArray2<'_, T>>()?)
}
