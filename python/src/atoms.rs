//! Lists of neighbors of atoms in a cell, which may be periodic along some of its vectors.
//!
//! ```text
//! wrap the atoms into the cell, and note by how many cells each was moved
//! find candidates: all pairs of wrapped atoms within the cutoff and a skin, each with its image,
//!     sorted by counting: for each atom, by the index of the other and the image
//! for each candidate:
//!     D = (x[j] - x[i]) + (S[0] c[0] + S[1] c[1] + S[2] c[2])    of the atoms as given
//!     it counts if the rounded length of D is less than the cutoff
//!
//! Candidates stay valid while atoms move less than half of the skin: then only `D` is computed again.

use std::iter::repeat_n;

use numpy::{IntoPyArray, PyReadonlyArray1, PyReadonlyArray2};
use orthant::{Aabb, CellList, Error, Periodic};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::input::{filled, refused, reserve, rows, value_error};
use crate::work::{in_pieces, long};

type Place = [f64; 3];
type Image = [i32; 3];

/// The number of atoms that are listed between two checks for signals.
const PIECE: usize = 1 << 12;

/// Images are packed in ten bits an axis, behind the index, so that keys sort by both.
const BIAS: i32 = 1 << 9;

fn packed(index: u32, image: Image) -> u64 {
    let bits = |axis: usize| (image[axis] + BIAS) as u64;
    u64::from(index) << 32 | bits(0) << 20 | bits(1) << 10 | bits(2)
}

/// The bits of the image that is the cell itself.
const HOME: u64 = (BIAS as u64) << 20 | (BIAS as u64) << 10 | BIAS as u64;

fn unpacked(key: u64) -> (usize, Image) {
    let part = |shift: u32| (key >> shift & 0x3ff) as i32 - BIAS;
    ((key >> 32) as usize, [part(20), part(10), part(0)])
}

/// Pairs of atoms that may be near each other.
#[pyclass(frozen, module = "orthant._orthant")]
pub(crate) struct Candidates {
    /// The start of each atom's candidates, followed by the end of the last.
    starts: Vec<usize>,
    keys: Vec<u64>,
    /// The number of cells by which each atom was moved when it was wrapped; empty if none was moved.
    turns: Vec<Image>,
}

/// The distance below which two atoms are neighbors.
enum Limits<'a> {
    One(f64),
    /// A limit for each pair of kinds, in a square table.
    Kinds(&'a [u32], &'a [f64], usize),
    /// The sum of the radii of both atoms.
    Radii(&'a [f64]),
}

impl Limits<'_> {
    #[inline(always)]
    fn of(&self, i: usize, j: usize) -> f64 {
        match self {
            Self::One(limit) => *limit,
            Self::Kinds(kinds, table, many) => table[kinds[i] as usize * many + kinds[j] as usize],
            Self::Radii(radii) => radii[i] + radii[j],
        }
    }
}

#[pymethods]
impl Candidates {
    /// Finds all pairs within a distance, and perhaps some more; with `own`, each atom is a neighbor of itself.
    #[new]
    fn new(
        py: Python<'_>,
        positions: &Bound<'_, PyAny>,
        cell: [Place; 3],
        pbc: [bool; 3],
        distance: f64,
        own: bool,
    ) -> PyResult<Self> {
        let positions = rows(
            "positions",
            &positions.extract::<PyReadonlyArray2<'_, f64>>()?,
        )?;
        long(py, positions.len(), move || {
            find(&positions, cell, pbc, distance, own)
        })?
    }

    fn __len__(&self) -> usize {
        self.keys.len()
    }

    /// Returns the quantities of all candidates within their limits, by atom, then by the other atom and the image: arrays in the order of the
    /// letters.
    #[pyo3(signature = (quantities, positions, cell, limit, kinds, radii))]
    fn lists<'py>(
        &self,
        py: Python<'py>,
        quantities: &str,
        positions: &Bound<'py, PyAny>,
        cell: [Place; 3],
        limit: f64,
        kinds: Option<(PyReadonlyArray1<'py, u32>, PyReadonlyArray1<'py, f64>)>,
        radii: Option<PyReadonlyArray1<'py, f64>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let positions = rows(
            "positions",
            &positions.extract::<PyReadonlyArray2<'_, f64>>()?,
        )?;
        let limits = match (&kinds, &radii) {
            (Some((kinds, table)), _) => {
                let table = table.as_slice()?;
                Limits::Kinds(kinds.as_slice()?, table, table.len().isqrt())
            }
            (_, Some(radii)) => Limits::Radii(radii.as_slice()?),
            _ => Limits::One(limit),
        };
        let mut out = Quantities::new(quantities, self.keys.len())?;
        let mut near = Vec::new();
        in_pieces(py, positions.len(), PIECE, |atoms| {
            for i in atoms {
                self.near(i, &positions, &cell, &limits, &mut near);
                out.append(i, &near);
            }
            Ok(())
        })?;
        out.into_tuple(py, quantities)
    }
}

/// A neighbor: its index, its image, its distance, and its displacement.
type Near = (usize, Image, f64, Place);

impl Candidates {
    /// Iterates over the neighbors of an atom.
    #[inline]
    fn near(
        &self,
        i: usize,
        positions: &[Place],
        cell: &[Place; 3],
        limits: &Limits<'_>,
        near: &mut Vec<Near>,
    ) {
        near.clear();
        let from = positions[i];
        for &key in &self.keys[self.starts[i]..self.starts[i + 1]] {
            let j = (key >> 32) as usize;
            let mut apart: Place = std::array::from_fn(|a| positions[j][a] - from[a]);
            let mut image = [0; 3];
            if key as u32 != HOME as u32 || !self.turns.is_empty() {
                (_, image) = unpacked(key);
                if !self.turns.is_empty() {
                    let (own, other) = (self.turns[i], self.turns[j]);
                    image = std::array::from_fn(|axis| image[axis] + own[axis] - other[axis]);
                }
                let [x, y, z] = image.map(f64::from);
                let offset = |a: usize| x * cell[0][a] + y * cell[1][a] + z * cell[2][a];
                apart = std::array::from_fn(|a| apart[a] + offset(a));
            }
            let [x, y, z] = apart;
            let distance = (x * x + y * y + z * z).sqrt();
            if distance < limits.of(i, j) {
                near.push((j, image, distance, apart));
            }
        }
    }
}

/// Columns that are filled atom by atom; only the requested ones are filled.
struct Quantities {
    asked: [bool; 5],
    i: Vec<i64>,
    j: Vec<i64>,
    d: Vec<f64>,
    apart: Vec<Place>,
    image: Vec<Image>,
}

impl Quantities {
    fn new(letters: &str, many: usize) -> PyResult<Self> {
        let asked = ["i", "j", "d", "D", "S"].map(|letter| letters.contains(letter));
        let room = |which: usize| if asked[which] { many } else { 0 };
        let mut made = Self {
            asked,
            i: Vec::new(),
            j: Vec::new(),
            d: Vec::new(),
            apart: Vec::new(),
            image: Vec::new(),
        };
        reserve(&mut made.i, room(0))?;
        reserve(&mut made.j, room(1))?;
        reserve(&mut made.d, room(2))?;
        reserve(&mut made.apart, room(3))?;
        reserve(&mut made.image, room(4))?;
        Ok(made)
    }

    #[inline]
    fn append(&mut self, i: usize, near: &[Near]) {
        let [with_i, with_j, with_d, with_apart, with_image] = self.asked;
        if with_i {
            self.i.extend(repeat_n(i as i64, near.len()));
        }
        if with_j {
            self.j.extend(near.iter().map(|near| near.0 as i64));
        }
        if with_d {
            self.d.extend(near.iter().map(|near| near.2));
        }
        if with_apart {
            self.apart.extend(near.iter().map(|near| near.3));
        }
        if with_image {
            self.image.extend(near.iter().map(|near| near.1));
        }
    }

    fn into_tuple<'py>(self, py: Python<'py>, letters: &str) -> PyResult<Bound<'py, PyTuple>> {
        let (i, j, d) = (
            self.i.into_pyarray(py),
            self.j.into_pyarray(py),
            self.d.into_pyarray(py),
        );
        let many = [self.apart.len(), self.image.len()];
        let apart = self.apart.into_flattened().into_pyarray(py);
        let apart = numpy::PyArrayMethods::reshape(&apart, [many[0], 3])?;
        let image = self.image.into_flattened().into_pyarray(py);
        let image = numpy::PyArrayMethods::reshape(&image, [many[1], 3])?;
        let all = letters.chars().map(|letter| match letter {
            'i' => i.as_any().clone(),
            'j' => j.as_any().clone(),
            'd' => d.as_any().clone(),
            'D' => apart.as_any().clone(),
            _ => image.as_any().clone(),
        });
        PyTuple::new(py, all.collect::<Vec<_>>())
    }
}

/// Finds all candidates.
fn find(
    positions: &[Place],
    cell: [Place; 3],
    pbc: [bool; 3],
    distance: f64,
    own: bool,
) -> PyResult<Candidates> {
    let sizes = positions.iter().chain(&cell).flatten();
    let size = sizes.fold(0.0, |most: f64, x| most.max(x.abs()));
    // The margin covers the rounding of wrapped positions and of displacements.
    let reach = distance * (1.0 + 1e-9) + size * 1e-14;
    let periodic =
        periodic(cell, pbc).map_err(|error| value_error(format_args!("cell: {error}")))?;
    let mut wrapped = positions.to_vec();
    let mut turns = Vec::new();
    reserve(&mut turns, positions.len())?;
    for (row, place) in wrapped.iter_mut().enumerate() {
        let to = periodic.wrap(*place);
        let turn = periodic.image_near(to, *place);
        let is_near = |turn: &Image| turn.iter().all(|cells| cells.abs() <= 1 << 28);
        let turn = turn.filter(is_near).ok_or_else(|| {
            value_error(format_args!(
                "positions[{row}] is more than 2^28 cells away"
            ))
        })?;
        turns.push(turn);
        *place = to;
    }
    if turns.iter().all(|turn| *turn == [0; 3]) {
        turns.clear();
    }
    let mut pairs: Vec<(u32, u64)> = Vec::new();
    let mut far = None;
    if distance > 0.0 {
        let cells = CellList::try_new_periodic(&wrapped, reach, periodic).map_err(refused)?;
        // Count first, since pairs that come one by one cannot be refused.
        reserve(&mut pairs, cells.count_pairs() as usize)?;
        cells.for_each_pair_in_images(|i, j, image, _, _| {
            if image.iter().any(|&cells| cells.abs() >= BIAS) {
                far = Some(image);
            }
            pairs.push((i as u32, packed(j as u32, image)));
        });
    }
    if let Some(image) = far {
        return Err(value_error(format_args!(
            "the cutoff of {distance} reaches the image {image:?}"
        )));
    }
    let (starts, keys) = sorted(positions.len(), &pairs, own && distance > 0.0)?;
    Ok(Candidates {
        starts,
        keys,
        turns,
    })
}

/// Returns both directions of all pairs, by atom; with `own`, each atom with itself too.
fn sorted(many: usize, pairs: &[(u32, u64)], own: bool) -> PyResult<(Vec<usize>, Vec<u64>)> {
    let mut ends = vec![usize::from(own); many + 1];
    ends[many] = 0;
    for &(i, key) in pairs {
        ends[i as usize] += 1;
        ends[(key >> 32) as usize] += 1;
    }
    let mut sum = 0;
    for end in &mut ends {
        (*end, sum) = (sum, sum + *end);
    }
    // Each start moves on to the end of its list.
    let mut keys = filled(0, sum)?;
    let mut put = |i: usize, key: u64| {
        keys[ends[i]] = key;
        ends[i] += 1;
    };
    for &(i, key) in pairs {
        let (j, image) = unpacked(key);
        put(i as usize, key);
        put(j, packed(i, image.map(|cells| -cells)));
    }
    if own {
        (0..many).for_each(|i| put(i, packed(i as u32, [0; 3])));
    }
    ends.rotate_right(1);
    ends[0] = 0;
    for i in 0..many {
        keys[ends[i]..ends[i + 1]].sort_unstable();
    }
    Ok((ends, keys))
}

/// Returns the cell as a box, if its faces are aligned with the axes wherever it is periodic.
fn periodic(cell: [Place; 3], pbc: [bool; 3]) -> Result<Periodic<Place>, Error> {
    let is_on_axis = |a: usize| {
        (0..3).all(|b| {
            if a == b {
                cell[a][b] > 0.0
            } else {
                cell[a][b] == 0.0
            }
        })
    };
    if (0..3).all(|a| !pbc[a] || is_on_axis(a)) {
        let end = std::array::from_fn(|a| if pbc[a] { cell[a][a] } else { 0.0 });
        return Periodic::try_on_axes(Aabb::try_new([0.0; 3], end)?, pbc);
    }
    Periodic::try_spanned_along([0.0; 3], cell, pbc)
}
