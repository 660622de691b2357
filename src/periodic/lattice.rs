//! The vectors that move a periodic box to its images: an inverse matrix, directions at right angles, a reduced basis.

use core::fmt;

use crate::error::Error;
use crate::lattice::floor;
use crate::shape::{Aabb, check_finite};
use crate::vector::{Scalar, Vector, Voxel};

/// The least volume of a cell, relative to the volume that its vectors would span at right angles.
const FLATTEST: f64 = 1e-6;
/// The largest multiple of a vector that is taken off another at once, so that products of two of them stay whole.
const MOST_TIMES: i64 = 1 << 31;

/// Coordinates in double precision; axes beyond `DIM` are 0.
pub(crate) type Wide = [f64; 4];

#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Lattice<V> {
    pub(crate) origin: V,
    /// The vectors, of which the first `DIM` count; zero where the box is open.
    pub(super) vectors: [V; 4],
    /// How far opposite faces are apart; 0 where the box is open.
    pub(crate) heights: Wide,
    /// The inverse of the matrix of vectors: each row gives the coordinate of a place along one of them. Along an open
    /// vector, the row is a unit vector at right angles to all other vectors.
    pub(crate) inverse: [Wide; 4],
    /// The direction in which each periodic vector has length 1 and the periodic vectors before it have length 0.
    pub(super) above: [Wide; 4],
    pub(super) reduced: Reduced,
}

/// A reduced basis: shorter vectors that span the same lattice and lean over each other as little as a few steps can make them.
/// Places that are near each other have similar coordinates in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reduced {
    /// For each reduced vector, the multiples of the vectors of the box that it is the sum of.
    times: [[i64; 4]; 4],
    pub(super) inverse: [Wide; 4],
    /// How far opposite faces of the reduced cell are apart.
    pub(super) heights: Wide,
    /// The lengths of all multiples together: offsets are rounded by a part of them.
    pub(super) multiples: f64,
}

/// Shown as its vectors.
impl<V: Vector> fmt::Debug for Lattice<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.vectors[..V::DIM]).finish()
    }
}

impl<V: Vector> Lattice<V> {
    /// The lattice of those vectors that are marked.
    ///
    /// # Errors
    ///
    /// If a coordinate is infinite or NaN, or the vectors span next to nothing.
    pub(super) fn new(
        origin: V,
        vectors: V::Axes<V>,
        marked: V::Axes<bool>,
    ) -> Result<Self, Error> {
        check_finite("origin", origin)?;
        let mut all = [V::splat(V::Scalar::ZERO); 4];
        let mut periodic = [false; 4];
        for (axis, &vector) in vectors.as_ref().iter().enumerate() {
            check_finite("vector", vector)?;
            periodic[axis] = marked.as_ref()[axis];
            if periodic[axis] {
                all[axis] = vector;
            }
        }
        // Unit vectors at right angles stand in where the box is open.
        let units = units::<V>(&all, periodic);
        let columns = crate::simd::from_fn(|v| if periodic[v] { wide(all[v]) } else { units[v] });
        let mut inverse = inverse::<V>(&columns)?;
        let (mut heights, mut above) = ([0.0; 4], [[0.0; 4]; 4]);
        for v in 0..V::DIM {
            if periodic[v] {
                heights[v] = 1.0 / length(&inverse[v]);
                if !(heights[v].is_finite() && heights[v] > 0.0) {
                    return Err(Error::SingularCell { volume: 0.0 });
                }
                let high = dot(&units[v], &columns[v]);
                above[v] = units[v].map(|x| x / high);
            } else {
                inverse[v] = columns[v];
            }
        }
        Ok(Self {
            origin,
            vectors: all,
            heights,
            inverse,
            above,
            reduced: Reduced::of::<V>(&columns, periodic, inverse),
        })
    }

    /// The lattice in other vectors.
    pub(super) fn cast<U: Vector<Array = V::Array>>(&self) -> Lattice<U> {
        Lattice {
            origin: U::of_array(self.origin.array()),
            vectors: self.vectors.map(|vector| U::of_array(vector.array())),
            heights: self.heights,
            inverse: self.inverse,
            above: self.above,
            reduced: self.reduced,
        }
    }

    /// The vectors along which the box is periodic.
    pub(super) fn periodic_vectors(&self) -> impl Iterator<Item = usize> + use<'_, V> {
        (0..V::DIM).filter(|&vector| self.is_periodic(vector))
    }

    /// The vectors along which the box is open.
    pub(super) fn open_vectors(&self) -> impl Iterator<Item = usize> + use<'_, V> {
        (0..V::DIM).filter(|&vector| !self.is_periodic(vector))
    }

    pub(crate) fn is_periodic(&self, vector: usize) -> bool {
        self.heights[vector] > 0.0
    }

    /// A vector; where the box is open, the unit vector in its place.
    pub(crate) fn edge(&self, vector: usize) -> Wide {
        if self.is_periodic(vector) {
            wide(self.vectors[vector])
        } else {
            self.inverse[vector]
        }
    }

    /// The sum of `k * vector`, from the first to the last, each operation rounded.
    pub(super) fn offset(&self, image: V::Voxel) -> V {
        V::from_fn(|axis| {
            let part = |vector: usize| {
                let times = V::Scalar::from_f64(image.axis(vector).into());
                times * self.vectors[vector].axis(axis)
            };
            (0..V::DIM).fold(V::Scalar::ZERO, |sum, vector| sum + part(vector))
        })
    }

    /// The largest fractional coordinate along a vector of displacements of either sign on each axis, and a little more
    /// for rounding.
    pub(super) fn most_times(&self, vector: usize, displacement: &Wide) -> f64 {
        dot(&self.inverse[vector].map(f64::abs), displacement) * (1.0 + 1e-9)
    }

    /// The least and the largest fractional coordinate along a vector of displacements from a place to a box.
    pub(crate) fn least_and_most(&self, vector: usize, from: V, to: &Aabb<V>) -> (f64, f64) {
        let row = &self.inverse[vector];
        let end = |to: V, a: usize| row[a] * (to.axis(a).into() - from.axis(a).into());
        let ends = |a: usize| (end(to.min(), a), end(to.max(), a));
        let least = (0..V::DIM).map(|a| f64::min(ends(a).0, ends(a).1)).sum();
        let most = (0..V::DIM).map(|a| f64::max(ends(a).0, ends(a).1)).sum();
        (least, most)
    }

    /// The image that is numbered by the reduced vectors; `None` if 32-bit integers do not number it.
    pub(super) fn image_of_reduced(&self, reduced: V::Voxel) -> Option<V::Voxel> {
        let mut all = [0; 4];
        for (vector, all) in all.iter_mut().enumerate().take(V::DIM) {
            let mut sum = 0_i64;
            for v in 0..V::DIM {
                let times = self.reduced.times[v][vector];
                sum = sum.checked_add(i64::from(reduced.axis(v)).checked_mul(times)?)?;
            }
            *all = i32::try_from(sum).ok()?;
        }
        Some(V::Voxel::from_fn(|a| all[a]))
    }

    /// The lengths of the multiples that make the offset of an image, which is rounded by a part of them.
    pub(super) fn multiples(&self, image: V::Voxel) -> f64 {
        let times = crate::simd::from_fn(|v| if v < V::DIM { image.axis(v).into() } else { 0 });
        multiples(&self.vectors.map(wide), &times)
    }
}

impl Reduced {
    /// Makes one vector after the other shorter by multiples of others, until none becomes shorter. Only periodic
    /// vectors take part.
    fn of<V: Vector>(vectors: &[Wide; 4], periodic: [bool; 4], inverse: [Wide; 4]) -> Self {
        let mut shorts = *vectors;
        let mut reduced = Self {
            times: crate::simd::from_fn(|v| crate::simd::from_fn(|a| i64::from(a == v))),
            inverse,
            heights: [0.0; 4],
            multiples: 0.0,
        };
        let spanning = || (0..4).filter(|&v| periodic[v]);
        for _ in 0..64 {
            let mut is_done = true;
            for (v, by) in spanning().flat_map(|v| spanning().map(move |by| (v, by))) {
                let (long, short) = (shorts[v], shorts[by]);
                // Subtract the nearest multiple of the short vector, if that makes the long one shorter.
                let whole = floor(dot(&long, &short) / dot(&short, &short) + 0.5);
                if v == by || whole == 0 || whole.abs() > MOST_TIMES {
                    continue;
                }
                let shorter: Wide = crate::simd::from_fn(|a| long[a] - whole as f64 * short[a]);
                let fewer: [Option<i64>; 4] = crate::simd::from_fn(|a| {
                    let taken = whole.checked_mul(reduced.times[by][a])?;
                    reduced.times[v][a].checked_sub(taken)
                });
                let is_shorter = dot(&shorter, &shorter) < dot(&long, &long) * (1.0 - 1e-9);
                if is_shorter && let [Some(x), Some(y), Some(z), Some(w)] = fewer {
                    shorts[v] = shorter;
                    reduced.times[v] = [x, y, z, w];
                    is_done = false;
                }
            }
            if is_done {
                break;
            }
        }
        // Shorter vectors span no less, so that they have an inverse where the vectors of the box have one.
        if let Ok(inverse) = self::inverse::<V>(&shorts) {
            for v in spanning() {
                reduced.inverse[v] = inverse[v];
            }
        }
        for v in spanning() {
            reduced.heights[v] = 1.0 / length(&reduced.inverse[v]);
            reduced.multiples += multiples(vectors, &reduced.times[v]);
        }
        reduced
    }
}

pub(super) fn dot(a: &Wide, b: &Wide) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The Euclidean length of a vector, scaled first, since squares may overflow or vanish.
fn length(v: &Wide) -> f64 {
    let largest = v.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    if largest == 0.0 || largest.is_infinite() {
        return largest;
    }
    let scaled = v.map(|x| x / largest);
    largest * Scalar::sqrt(dot(&scaled, &scaled))
}

/// The sum of the sizes of multiples of some vectors.
fn multiples(vectors: &[Wide; 4], times: &[i64; 4]) -> f64 {
    let size = |vector: &Wide| vector.iter().map(|x| x.abs()).sum::<f64>();
    let multiples = vectors.iter().zip(times);
    let sizes = multiples.map(|(vector, &times)| size(vector) * (times as f64).abs());
    sizes.sum()
}

/// A vector in double precision.
pub(super) fn wide<V: Vector>(vector: V) -> Wide {
    crate::simd::from_fn(|a| {
        if a < V::DIM {
            vector.axis(a).into()
        } else {
            0.0
        }
    })
}

/// Unit vectors at right angles to each other, by Gram and Schmidt: for each periodic vector its part at right angles
/// to those before it, and for each open vector the longest such part of an axis.
fn units<V: Vector>(vectors: &[V; 4], periodic: [bool; 4]) -> [Wide; 4] {
    let scaled = |v: Wide, by: f64| v.map(|x| x / by);
    let size = |v: &Wide| Scalar::sqrt(dot(v, v));
    // The part of a vector at right angles to those so far, which are zero or of length 1.
    let left = |vector: Wide, units: &[Wide; 4]| {
        let mut left = vector;
        // A second pass removes the parts that rounding left.
        for unit in units.iter().chain(units) {
            let along = dot(&left, unit);
            left = crate::simd::from_fn(|a| left[a] - along * unit[a]);
        }
        left
    };
    let mut units = [[0.0; 4]; 4];
    for v in (0..V::DIM).filter(|&v| periodic[v]) {
        let column = wide(vectors[v]);
        let largest = column.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        if largest > 0.0 {
            let part = left(scaled(column, largest), &units);
            if size(&part) > 0.0 {
                units[v] = scaled(part, size(&part));
            }
        }
    }
    for v in (0..V::DIM).filter(|&v| !periodic[v]) {
        let parts = (0..V::DIM).map(|axis| {
            let unit = crate::simd::from_fn(|a| f64::from(u8::from(a == axis)));
            left(unit, &units)
        });
        let longest = parts.reduce(|a, b| if size(&b) > size(&a) { b } else { a });
        units[v] = longest.map_or([0.0; 4], |part| scaled(part, size(&part)));
    }
    units
}

/// The inverse of a matrix that has vectors as its columns, by elimination with pivots. The vectors are
/// made of length about 1 first.
fn inverse<V: Vector>(vectors: &[Wide; 4]) -> Result<[Wide; 4], Error> {
    let dim = V::DIM;
    let mut lengths = [1.0; 4];
    // A column for each vector, and beside it the unit matrix.
    let mut rows = [[0.0; 8]; 4];
    for v in 0..dim {
        lengths[v] = length(&vectors[v]);
        for (a, row) in rows.iter_mut().enumerate().take(dim) {
            row[v] = vectors[v][a] / lengths[v];
        }
        rows[v][4 + v] = 1.0;
    }
    // Eliminate one column after the other.
    let mut volume = 1.0;
    for v in 0..dim {
        let is_larger = |a: usize, b: usize| rows[a][v].abs() > rows[b][v].abs();
        let pivot = (v..dim).fold(v, |best, a| if is_larger(a, best) { a } else { best });
        rows.swap(v, pivot);
        let head = rows[v][v];
        volume *= head;
        // It is NaN if a vector is 0.
        if head == 0.0 || head.is_nan() {
            break;
        }
        rows[v] = rows[v].map(|x| x / head);
        let row = rows[v];
        for other in (0..dim).filter(|&a| a != v) {
            let times = rows[other][v];
            for (x, y) in rows[other].iter_mut().zip(row) {
                *x -= times * y;
            }
        }
    }
    if volume.is_nan() || volume.abs() < FLATTEST {
        return Err(Error::SingularCell {
            volume: if volume.is_nan() { 0.0 } else { volume.abs() },
        });
    }
    let mut inverse = [[0.0; 4]; 4];
    for v in 0..dim {
        for a in 0..dim {
            inverse[v][a] = rows[v][4 + a] / lengths[v];
        }
    }
    Ok(inverse)
}
