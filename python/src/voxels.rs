//! Sets of voxels: those of many shapes at once, and operations on sets.

use numpy::ndarray::{Array2, Array3};
use numpy::{IntoPyArray, PyReadonlyArray2, PyReadonlyArray3};
use orthant::{
    Aabb, Adjacency, Bounded, BrickSet, Ellipsoid, Error, Hollow, Moving, Region, Rule, ShapeError,
    Sphere, VoxelGrid, Voxelize,
};
use pyo3::prelude::*;

use crate::input::{filled, refused, reserve, rows, value_error};
use crate::work::{in_pieces, long};

type Place = [f64; 3];
type Index = [i32; 3];
type Set = BrickSet<Index>;

/// The number of rows that are read between two checks for signals.
const PIECE: usize = 1 << 10;

/// The number of shapes that are voxelized at once: a tile that several of them meet is visited once. A million small balls in random order take
/// 0.14 of the time of pieces of 1024.
const DRAWN: usize = 1 << 16;

/// A set of voxels: `orthant.VoxelSet` documents the methods.
#[pyclass(frozen, module = "orthant._orthant")]
pub(crate) struct Voxels(Set);

/// The grid, whether shapes are hollow, and the name of the kind of shape.
struct Style<'a> {
    grid: &'a VoxelGrid<Place>,
    hollow: bool,
    name: &'a str,
}

impl Style<'_> {
    /// Adds the voxels of some shapes.
    fn add<R>(
        &self,
        py: Python<'_>,
        set: &mut Set,
        many: usize,
        shape: impl Fn(usize) -> Result<R, ShapeError> + Sync,
    ) -> PyResult<()>
    where
        R: Voxelize + Region<Vector = Place> + Clone + Sync + Send + 'static,
        Hollow<R>: Voxelize + Region<Vector = Place> + Clone + Sync + Send,
    {
        let mut failed = None;
        let check = |row: usize| {
            let named = |error: &dyn std::fmt::Display| format!("{}[{row}]: {error}", self.name);
            let shape = shape(row).map_err(|error| named(&error))?;
            let checked = if self.hollow {
                self.grid.check(&Hollow(shape.clone()))
            } else {
                self.grid.check(&shape)
            };
            checked.map(|()| shape).map_err(|error| named(&error))
        };
        let mut shapes = Vec::new();
        in_pieces(py, many, PIECE, |range| {
            for row in range {
                match check(row) {
                    _ if failed.is_some() => {}
                    Ok(shape) => shapes.push(shape),
                    Err(error) => failed = Some(error),
                }
            }
            Ok(())
        })?;
        if let Some(error) = failed {
            return Err(value_error(error));
        }
        for some in shapes.chunks(DRAWN) {
            let (grid, hollow, some) = (*self.grid, self.hollow, some.to_vec());
            // A voxel takes at most a sixty-fourth of the time of a point.
            let voxels: f64 = some.iter().map(|shape| around(&grid, shape)).sum();
            let made = long(py, (voxels / 64.0) as usize, move || {
                if hollow {
                    let some: Vec<_> = some.into_iter().map(Hollow).collect();
                    Set::try_from_regions(&grid, &some)
                } else {
                    Set::try_from_regions(&grid, &some)
                }
            })?;
            let made = made.map_err(|error| match error {
                Error::OutOfMemory { .. } => refused(error),
                error => value_error(format_args!("{}: {error}", self.name)),
            })?;
            py.detach(|| set.try_unite(&made)).map_err(refused)?;
            py.check_signals()?;
        }
        Ok(())
    }
}

/// Estimates the number of voxels in the box of a shape.
fn around<R: Bounded<Vector = Place>>(grid: &VoxelGrid<Place>, shape: &R) -> f64 {
    let bounds = shape.bounds();
    let wide = |axis: usize| (bounds.max()[axis] - bounds.min()[axis]) / grid.voxel_size() + 1.0;
    wide(0) * wide(1) * wide(2)
}

fn rule_of(name: &str, length: f64) -> PyResult<Rule<f64>> {
    Ok(match name {
        "closed" => Rule::Closed,
        "half-open" => Rule::HalfOpen,
        "center" => Rule::CenterInside,
        "thin" => Rule::Thin,
        "shell" => Rule::Shell(length),
        "band" => Rule::NarrowBand(length),
        _ => {
            return Err(value_error(format_args!(
                "rule must be closed, half-open, center, thin, shell or band, not {name}"
            )));
        }
    })
}

fn adjacency_of(steps: u8) -> PyResult<Adjacency> {
    match steps {
        6 => Ok(Adjacency::Faces),
        18 => Ok(Adjacency::Edges),
        26 => Ok(Adjacency::Corners),
        _ => Err(value_error(format_args!(
            "adjacency must be 6, 18 or 26, not {steps}"
        ))),
    }
}

#[pymethods]
impl Voxels {
    /// Makes a set from the indices of voxels.
    #[new]
    fn new(py: Python<'_>, indices: PyReadonlyArray2<'_, i32>) -> PyResult<Self> {
        let indices = indices.as_array();
        if indices.ncols() != 3 {
            return Err(value_error("indices must have three columns"));
        }
        let mut set = Set::new();
        in_pieces(py, indices.nrows(), PIECE << 8, |range| {
            for row in range {
                let voxel = [0, 1, 2].map(|axis| indices[[row, axis]]);
                set.try_insert(voxel).map_err(refused)?;
            }
            Ok(())
        })?;
        Ok(Self(set))
    }

    /// Makes a set of the true entries of a dense array, whose first entry is at an index.
    #[staticmethod]
    fn of_dense(py: Python<'_>, dense: PyReadonlyArray3<'_, bool>, start: Index) -> PyResult<Self> {
        let dense = dense.as_array();
        let fits = dense.shape().iter().zip(start);
        if fits
            .into_iter()
            .any(|(&len, start)| i64::from(start) + len as i64 > i64::from(i32::MAX))
        {
            return Err(value_error("start is too large for so large an array"));
        }
        let mut set = Set::new();
        in_pieces(py, dense.shape()[0], 8, |planes| {
            for x in planes {
                let plane = dense.index_axis(numpy::ndarray::Axis(0), x);
                for ((y, z), _) in plane.indexed_iter().filter(|&(_, is)| *is) {
                    let [x, y, z] = [x, y, z].map(|index| index as i32);
                    set.try_insert([start[0] + x, start[1] + y, start[2] + z])
                        .map_err(refused)?;
                }
            }
            Ok(())
        })?;
        Ok(Self(set))
    }

    /// Makes the voxels of many shapes of one kind: balls (centers and radii), boxes (least and greatest corners), ellipsoids (centers and
    /// semi-axes) or capsules (both ends and radii), all in columns of three or one.
    #[staticmethod]
    fn of_shapes(
        py: Python<'_>,
        kind: &str,
        first: PyReadonlyArray2<'_, f64>,
        second: Option<PyReadonlyArray2<'_, f64>>,
        radii: Option<PyReadonlyArray2<'_, f64>>,
        origin: Place,
        voxel_size: f64,
        rule: (String, f64),
        hollow: bool,
        names: [String; 3],
    ) -> PyResult<Self> {
        let grid = VoxelGrid::try_new(origin, voxel_size).map_err(value_error)?;
        let grid = grid
            .try_with_rule(rule_of(&rule.0, rule.1)?)
            .map_err(value_error)?;
        let first: Vec<Place> = rows(&names[0], &first)?;
        let second: Vec<Place> = second.map_or(Ok(Vec::new()), |array| rows(&names[1], &array))?;
        let radii: Vec<[f64; 1]> = radii.map_or(Ok(Vec::new()), |array| rows(&names[2], &array))?;
        let (mut set, many) = (Set::new(), first.len());
        let style = Style {
            grid: &grid,
            hollow,
            name: kind,
        };
        let short = [&second.len(), &radii.len()]
            .into_iter()
            .any(|&len| len != 0 && len != many);
        if short || many > 0 && second.is_empty() && radii.is_empty() {
            return Err(value_error(format_args!(
                "{kind}: columns of other lengths"
            )));
        }
        match kind {
            "balls" => style.add(py, &mut set, many, |i| {
                Sphere::try_new(first[i], radii[i][0])
            }),
            "boxes" => style.add(py, &mut set, many, |i| Aabb::try_new(first[i], second[i])),
            "ellipsoids" => style.add(py, &mut set, many, |i| {
                Ellipsoid::try_new(first[i], second[i])
            }),
            "capsules" => style.add(py, &mut set, many, |i| {
                let way = std::array::from_fn(|a| second[i][a] - first[i][a]);
                Moving::try_new(Sphere::try_new(first[i], radii[i][0])?, way)
            }),
            _ => Err(value_error("no such kind of shapes")),
        }?;
        Ok(Self(set))
    }

    fn __len__(&self) -> usize {
        self.0.len() as usize
    }

    fn contains(&self, voxel: Index) -> bool {
        self.0.contains(voxel)
    }

    fn equals(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    fn is_subset(&self, other: &Self) -> bool {
        self.0.is_subset(&other.0)
    }

    fn is_disjoint(&self, other: &Self) -> bool {
        self.0.is_disjoint(&other.0)
    }

    fn union(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        let both = || {
            let mut set = self.copy()?;
            set.try_unite(&other.0)?;
            Ok(set)
        };
        py.detach(both).map(Self).map_err(refused)
    }

    fn intersection(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        let both = py.detach(|| self.0.try_intersection(&other.0));
        both.map(Self).map_err(refused)
    }

    fn difference(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        let left = py.detach(|| self.0.try_difference(&other.0));
        left.map(Self).map_err(refused)
    }

    fn symmetric_difference(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        let apart = py.detach(|| self.0.try_symmetric_difference(&other.0));
        apart.map(Self).map_err(refused)
    }

    /// Returns the least and the greatest index on each axis.
    fn bounds(&self) -> Option<(Index, Index)> {
        self.0.bounds()
    }

    fn components(&self, py: Python<'_>, adjacency: u8) -> PyResult<Vec<Self>> {
        let adjacency = adjacency_of(adjacency)?;
        let parts = py.detach(|| self.0.try_components(adjacency));
        Ok(parts.map_err(refused)?.into_iter().map(Self).collect())
    }

    fn enclosed(&self, py: Python<'_>, adjacency: u8) -> PyResult<Self> {
        let adjacency = adjacency_of(adjacency)?;
        let enclosed = py.detach(|| self.0.try_enclosed(adjacency));
        enclosed.map(Self).map_err(refused)
    }

    /// Adds all neighbors, `times` times; if it is negative, removes voxels with a neighbor outside instead.
    fn grown(&self, py: Python<'_>, times: i64, adjacency: u8) -> PyResult<Self> {
        let adjacency = adjacency_of(adjacency)?;
        let mut set = self.copy().map_err(refused)?;
        for _ in 0..times.unsigned_abs() {
            set = py
                .detach(|| {
                    if times > 0 {
                        set.try_dilated(adjacency)
                    } else {
                        set.try_eroded(adjacency)
                    }
                })
                .map_err(refused)?;
            py.check_signals()?;
        }
        Ok(Self(set))
    }

    /// Returns all indices; those of a brick of 8 x 8 x 8 voxels are consecutive.
    fn indices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let all = py.detach(|| {
            let mut all = Vec::new();
            reserve(&mut all, self.0.len() as usize)?;
            all.extend(self.0.iter());
            let many = all.len();
            Array2::from_shape_vec([many, 3], all.into_flattened()).map_err(value_error)
        });
        Ok(all?.into_pyarray(py).into_any())
    }

    /// Returns for each voxel of a block whether it is in the set.
    fn dense<'py>(
        &self,
        py: Python<'py>,
        start: Index,
        shape: [usize; 3],
    ) -> PyResult<Bound<'py, PyAny>> {
        let many = shape
            .iter()
            .fold(1, |many: usize, &len| many.saturating_mul(len));
        let all = filled(false, many)?;
        let all = py.detach(|| {
            let mut all = Array3::from_shape_vec(shape, all)?;
            for voxel in &self.0 {
                let at = [0, 1, 2].map(|axis| {
                    usize::try_from(i64::from(voxel[axis]) - i64::from(start[axis]))
                        .unwrap_or(usize::MAX)
                });
                if let Some(is) = all.get_mut(at) {
                    *is = true;
                }
            }
            Ok(all)
        });
        let all = all.map_err(|error: numpy::ndarray::ShapeError| value_error(error))?;
        Ok(all.into_pyarray(py).into_any())
    }
}

impl Voxels {
    fn copy(&self) -> Result<Set, Error> {
        let mut set = Set::new();
        set.try_unite(&self.0)?;
        Ok(set)
    }
}
