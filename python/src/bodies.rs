//! Moving boxes, and all overlapping pairs of them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use orthant::{Aabb, Bounded, Event, Handle, Motion, Vector};
use pyo3::prelude::*;

use crate::input::{refused, reserve, rows, value_error};
use crate::work::in_pieces;

/// The number of bodies that are moved or queried between two checks for signals.
const PIECE: usize = 1 << 14;

/// Bodies in the plane or in space: `orthant.Broadphase` documents the methods.
#[pyclass(frozen, module = "orthant._orthant")]
pub(crate) struct Bodies(Dimension);

/// Threads that call at once wait for each other, without the interpreter's lock, which a working thread may need to finish.
enum Dimension {
    Plane(Mutex<World<[f64; 2]>>),
    Space(Mutex<World<[f64; 3]>>),
}

/// Locks a world. Call it without the interpreter's lock.
fn locked<W>(world: &Mutex<W>) -> MutexGuard<'_, W> {
    world.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs the same code in the plane and in space.
macro_rules! in_each {
    ($bodies:expr, $world:ident => $do:expr) => {
        match &$bodies.0 {
            Dimension::Plane($world) => $do,
            Dimension::Space($world) => $do,
        }
    };
}

struct World<V: Vector> {
    engine: orthant::Broadphase<V>,
    /// The handles by number, which is the slot: it is not reused before the end of all pairs was reported.
    handles: Vec<Option<Handle>>,
}

type Boxes<'py> = PyReadonlyArray2<'py, f64>;
type Numbers<'py> = PyReadonlyArray1<'py, i64>;
type Column<'py> = Bound<'py, PyArray1<i64>>;
type Corners<'py> = Bound<'py, PyArray2<f64>>;
type Pairs<'py> = Bound<'py, PyArray2<i64>>;

#[pymethods]
impl Bodies {
    #[new]
    fn new(dimension: u8, margin: f64) -> PyResult<Self> {
        Ok(Self(match dimension {
            2 => Dimension::Plane(Mutex::new(World::new(margin)?)),
            3 => Dimension::Space(Mutex::new(World::new(margin)?)),
            _ => {
                return Err(value_error(format_args!(
                    "dim must be 2 or 3, not {dimension}"
                )));
            }
        }))
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        in_each!(self, world => py.detach(|| locked(world).engine.len()))
    }

    /// Returns true if there is a body of this number.
    fn contains(&self, py: Python<'_>, number: i64) -> bool {
        in_each!(self, world => py.detach(|| locked(world).handle(number).is_some()))
    }

    /// Adds bodies and numbers them.
    fn insert<'py>(
        &self,
        py: Python<'py>,
        mins: Boxes<'py>,
        maxes: Boxes<'py>,
        motion: &str,
    ) -> PyResult<Column<'py>> {
        let motion = match motion {
            "dynamic" => Motion::Dynamic,
            "kinematic" => Motion::Kinematic,
            "static" => Motion::Static,
            _ => {
                return Err(value_error(format_args!(
                    "motion must be dynamic, kinematic or static, not {motion}"
                )));
            }
        };
        let numbers = in_each!(self, world => {
            let boxes = boxes(&mins, &maxes)?;
            py.detach(|| locked(world).insert(&boxes, motion)).map_err(value_error)?
        });
        Ok(numbers.into_pyarray(py))
    }

    /// Moves bodies, or none of them.
    fn place(
        &self,
        py: Python<'_>,
        numbers: Numbers<'_>,
        mins: Boxes<'_>,
        maxes: Boxes<'_>,
    ) -> PyResult<()> {
        in_each!(self, world => {
            let (boxes, numbers) = (boxes(&mins, &maxes)?, numbers.as_slice()?);
            py.detach(|| {
                let mut world = locked(world);
                let handles = world.handles_of(numbers)?;
                if boxes.len() != handles.len() {
                    return Err(value_error(format_args!("{} boxes for {} ids", boxes.len(), handles.len())));
                }
                for (&handle, &to) in handles.iter().zip(&boxes) {
                    world.engine.set_bounds(handle, to);
                }
                Ok(())
            })
        })
    }

    /// Removes bodies, or none of them.
    fn remove(&self, py: Python<'_>, numbers: Numbers<'_>) -> PyResult<()> {
        let numbers = numbers.as_slice()?;
        in_each!(self, world => py.detach(|| {
            let mut world = locked(world);
            let handles = world.handles_of(numbers)?;
            let mut seen = std::collections::HashSet::new();
            if let Some(row) = handles.iter().position(|handle| !seen.insert(*handle)) {
                return Err(value_error(format_args!("ids[{row}] comes twice: {}", handles[row].slot())));
            }
            for handle in handles {
                world.engine.remove(handle);
                world.handles[handle.slot()] = None;
            }
            Ok(())
        }))
    }

    /// Returns the pairs that began and those that ended since the last update.
    fn update<'py>(&self, py: Python<'py>) -> PyResult<(Pairs<'py>, Pairs<'py>)> {
        let events = in_each!(self, world => py.detach(|| sorted_out(locked(world).engine.try_update_to_copy().map_err(refused)?)))?;
        told(py, events)
    }

    /// Returns what the last update returned.
    fn events<'py>(&self, py: Python<'py>) -> PyResult<(Pairs<'py>, Pairs<'py>)> {
        let events =
            in_each!(self, world => py.detach(|| sorted_out(locked(world).engine.events())))?;
        told(py, events)
    }

    /// Returns all pairs, as of the last update.
    fn pairs<'py>(&self, py: Python<'py>) -> PyResult<Pairs<'py>> {
        let pairs = in_each!(self, world => py.detach(|| {
            let world = locked(world);
            let mut pairs = Vec::new();
            reserve(&mut pairs, world.engine.pairs().len())?;
            pairs.extend(world.engine.pairs().map(|(a, b)| named(a, b)));
            pairs.sort_unstable();
            PyResult::Ok(pairs)
        }))?;
        array_of(py, pairs)
    }

    /// Returns the bodies that overlap each of some boxes: where each list begins, and all numbers, ascending in each.
    fn query<'py>(
        &self,
        py: Python<'py>,
        mins: Boxes<'py>,
        maxes: Boxes<'py>,
    ) -> PyResult<(Column<'py>, Column<'py>)> {
        let (mut offsets, mut found) = (vec![0_i64], Vec::new());
        in_each!(self, world => {
            let boxes = boxes(&mins, &maxes)?;
            // The world is not locked while signals are handled, since a handler may query the same world.
            in_pieces(py, boxes.len(), PIECE, |range| {
                let world = locked(world);
                for region in &boxes[range] {
                    let begin = found.len();
                    let mut list = Vec::new();
                    world.engine.query(*region).try_append_to(&mut list).map_err(refused)?;
                    reserve(&mut found, list.len())?;
                    found.extend(list.iter().map(|handle: &Handle| handle.slot() as i64));
                    found[begin..].sort_unstable();
                    offsets.push(found.len() as i64);
                }
                Ok(())
            })?;
        });
        Ok((offsets.into_pyarray(py), found.into_pyarray(py)))
    }

    /// Returns the boxes of bodies.
    fn bounds<'py>(
        &self,
        py: Python<'py>,
        numbers: Numbers<'py>,
    ) -> PyResult<(Corners<'py>, Corners<'py>)> {
        let (mut mins, mut maxes) = (Vec::new(), Vec::new());
        let numbers = numbers.as_slice()?;
        let dimension = in_each!(self, world => py.detach(|| {
            locked(world).corners(numbers, &mut mins, &mut maxes)
        })?);
        let shape = [mins.len() / dimension, dimension];
        Ok((
            mins.into_pyarray(py).reshape(shape)?,
            maxes.into_pyarray(py).reshape(shape)?,
        ))
    }
}

impl<const D: usize> World<[f64; D]>
where
    [f64; D]: Vector<Scalar = f64>,
{
    fn new(margin: f64) -> PyResult<Self> {
        let engine = orthant::Broadphase::new()
            .try_with_margin(margin)
            .map_err(value_error)?;
        Ok(Self {
            engine,
            handles: Vec::new(),
        })
    }

    fn insert(
        &mut self,
        boxes: &[Aabb<[f64; D]>],
        motion: Motion,
    ) -> Result<Vec<i64>, orthant::Error> {
        let made = self
            .engine
            .try_insert_batch(boxes.iter().map(|&at| (at, motion)))?;
        let mut numbers = Vec::with_capacity(made.len());
        for handle in made {
            let slot = handle.slot();
            if self.handles.len() <= slot {
                self.handles.resize(slot + 1, None);
            }
            self.handles[slot] = Some(handle);
            numbers.push(slot as i64);
        }
        Ok(numbers)
    }

    fn handle(&self, number: i64) -> Option<Handle> {
        *self.handles.get(usize::try_from(number).ok()?)?
    }

    fn handles_of(&self, numbers: &[i64]) -> PyResult<Vec<Handle>> {
        let handles = numbers.iter().enumerate().map(|(row, &number)| {
            let handle = self.handle(number);
            handle.ok_or_else(|| {
                value_error(format_args!(
                    "ids[{row}] is {number}, and there is no such body"
                ))
            })
        });
        handles.collect()
    }

    fn corners(
        &self,
        numbers: &[i64],
        mins: &mut Vec<f64>,
        maxes: &mut Vec<f64>,
    ) -> PyResult<usize> {
        for handle in self.handles_of(numbers)? {
            if let Some(volume) = self.engine.volume(handle) {
                let bounds = volume.bounds();
                mins.extend(bounds.min());
                maxes.extend(bounds.max());
            }
        }
        Ok(D)
    }
}

/// Returns the numbers of a pair, the lesser first.
fn named(a: Handle, b: Handle) -> [i64; 2] {
    let (a, b) = (a.slot() as i64, b.slot() as i64);
    [a.min(b), a.max(b)]
}

/// Returns the pairs that began, and those that ended.
fn sorted_out(events: &[Event]) -> PyResult<[Vec<[i64; 2]>; 2]> {
    let [mut begun, mut ended] = [Vec::new(), Vec::new()];
    let begins = |event: &&Event| matches!(event, Event::Begin(..));
    let count = events.iter().filter(begins).count();
    reserve(&mut begun, count)?;
    reserve(&mut ended, events.len() - count)?;
    for &event in events {
        let (a, b) = event.pair();
        let to = if matches!(event, Event::Begin(..)) {
            &mut begun
        } else {
            &mut ended
        };
        to.push(named(a, b));
    }
    Ok([begun, ended])
}

fn told<'py>(
    py: Python<'py>,
    [begun, ended]: [Vec<[i64; 2]>; 2],
) -> PyResult<(Pairs<'py>, Pairs<'py>)> {
    Ok((array_of(py, begun)?, array_of(py, ended)?))
}

fn array_of<'py>(py: Python<'py>, pairs: Vec<[i64; 2]>) -> PyResult<Pairs<'py>> {
    let many = pairs.len();
    pairs.into_flattened().into_pyarray(py).reshape([many, 2])
}

/// Makes boxes from their corners.
fn boxes<const D: usize>(mins: &Boxes<'_>, maxes: &Boxes<'_>) -> PyResult<Vec<Aabb<[f64; D]>>>
where
    [f64; D]: Vector<Scalar = f64>,
{
    let (mins, maxes) = (
        rows::<f64, D>("mins", mins)?,
        rows::<f64, D>("maxes", maxes)?,
    );
    if mins.len() != maxes.len() {
        return Err(value_error(format_args!(
            "{} mins and {} maxes",
            mins.len(),
            maxes.len()
        )));
    }
    let corners = mins.into_iter().zip(maxes).enumerate();
    let boxes = corners.map(|(row, (min, max))| {
        Aabb::try_new(min, max).map_err(|error| value_error(format_args!("box {row}: {error}")))
    });
    boxes.collect()
}
