//! The vectors that move a periodic box to its images, and shorter vectors that span the same lattice.
//!
//! An image has two kinds of numbers: multiples of the vectors of the box, which users see, and multiples of the reduced vectors. The
//! reduced vectors are as short as a few steps of subtraction can make them, so that images whose reduced numbers are similar are near
//! each other, even if the vectors of the box lean over each other by thousands of their lengths. All searches go through a block of
//! reduced numbers. The reduced vectors of a box at right angles are its own.
//!
//! ```text
//! while a vector gets shorter: subtract the nearest whole multiple of another vector
//! the dual basis of the reduced vectors, by Gram and Schmidt: rows that give coordinates along them
//! the rows of the box's own vectors: sums of these, by the whole multiples
//! ```

use crate::error::Error;
use crate::lattice::{Block, floor};
use crate::shape::Aabb;
use crate::vector::{Scalar, Vector, Voxel};

/// The least volume of a cell, relative to the volume that its vectors would span at right angles.
const FLATTEST: f64 = 1e-6;
/// The largest multiple of a vector in a reduced vector. Four products with 32-bit numbers of images have a 64-bit sum.
const MOST_TIMES: i64 = 1 << 30;
/// The largest number of an image on either side.
pub(super) const LAST: i64 = i32::MAX as i64;

/// Coordinates in double precision; axes beyond `DIM` are 0.
pub(crate) type Wide = [f64; 4];

/// The vectors of a periodic box in double precision, with their inverse. Not generic, so that it is compiled once for all vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Lattice {
    /// The number of axes.
    dim: usize,
    pub(crate) origin: Wide,
    /// The vectors, of which the first `dim` count; zero where the box is open.
    pub(crate) vectors: [Wide; 4],
    /// How far opposite faces are apart; 0 where the box is open.
    pub(crate) heights: Wide,
    /// The inverse of the matrix of vectors: each row gives the coordinate of a place along one of them. Along an open
    /// vector, the row is a unit vector at right angles to all other vectors.
    pub(crate) inverse: [Wide; 4],
    pub(super) reduced: Reduced,
}

/// The reduced vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reduced {
    /// For each reduced vector, the multiples of the vectors of the box that it is the sum of.
    times: [[i64; 4]; 4],
    pub(super) inverse: [Wide; 4],
    /// How far opposite faces of the reduced cell are apart.
    pub(super) heights: Wide,
    /// The sizes of all multiples in each reduced vector, on each axis: offsets are rounded by a part of them.
    pub(super) sizes: [Wide; 4],
}

impl Lattice {
    /// The lattice of the vectors that are periodic; the others are zero.
    ///
    /// # Errors
    ///
    /// If the vectors span next to nothing.
    pub(super) fn new(
        dim: usize,
        origin: Wide,
        vectors: [Wide; 4],
        periodic: [bool; 4],
    ) -> Result<Self, Error> {
        let spanning = || (0..dim).filter(|&v| periodic[v]);
        let (shorts, times) = reduce(&vectors, periodic);
        let (dual, sines) = dual(dim, &shorts, periodic);
        // Reduction keeps the volume: scale that of the short vectors, relative to right angles, by the ratio of lengths.
        let ratios = spanning().map(|v| length(&shorts[v]) / length(&vectors[v]));
        let volume = ratios.fold(sines, |volume, ratio| volume * ratio);
        let mut lattice = Self {
            dim,
            origin,
            vectors,
            heights: [0.0; 4],
            inverse: dual,
            reduced: Reduced {
                times,
                inverse: dual,
                heights: [0.0; 4],
                sizes: [[0.0; 4]; 4],
            },
        };
        let mut is_flat = volume.is_nan() || volume < FLATTEST;
        for v in spanning() {
            let parts = |r: usize| dual[r].map(|x| times[r][v] as f64 * x);
            lattice.inverse[v] = spanning().map(parts).fold([0.0; 4], sum);
            lattice.heights[v] = 1.0 / length(&lattice.inverse[v]);
            lattice.reduced.heights[v] = 1.0 / length(&dual[v]);
            let sizes = |w: usize| vectors[w].map(|x| (times[v][w] as f64 * x).abs());
            lattice.reduced.sizes[v] = spanning().map(sizes).fold([0.0; 4], sum);
            let height = lattice.heights[v];
            is_flat |= !(height.is_finite() && height > 0.0);
        }
        if is_flat {
            // The volume is NaN if a vector is 0, and large if only a height is not a number.
            let volume = if volume < FLATTEST { volume } else { 0.0 };
            return Err(Error::SingularCell { volume });
        }
        Ok(lattice)
    }

    /// The vectors along which the box is periodic.
    pub(super) fn periodic_vectors(&self) -> impl Iterator<Item = usize> + use<'_> {
        (0..self.dim).filter(|&vector| self.is_periodic(vector))
    }

    /// The vectors along which the box is open.
    pub(super) fn open_vectors(&self) -> impl Iterator<Item = usize> + use<'_> {
        (0..self.dim).filter(|&vector| !self.is_periodic(vector))
    }

    pub(crate) fn is_periodic(&self, vector: usize) -> bool {
        self.heights[vector] > 0.0
    }

    /// A vector; where the box is open, the unit vector in its place.
    pub(crate) fn edge(&self, vector: usize) -> Wide {
        if self.is_periodic(vector) {
            self.vectors[vector]
        } else {
            self.inverse[vector]
        }
    }

    /// The sum of `k * vector`, from the first to the last, each operation rounded.
    pub(super) fn offset<V: Vector>(&self, image: V::Voxel) -> V {
        V::from_fn(|axis| {
            let part = |vector: usize| {
                let times = V::Scalar::from_f64(image.axis(vector).into());
                times * V::Scalar::from_f64(self.vectors[vector][axis])
            };
            (0..V::DIM).fold(V::Scalar::ZERO, |sum, vector| sum + part(vector))
        })
    }

    /// The image that a displacement leads to: its coordinates by the rows of an inverse, adjusted by `round` and then rounded down.
    ///
    /// # Errors
    ///
    /// If a coordinate does not fit into 32 bits: the number of the first vector for which this happens.
    pub(super) fn numbers<X: Voxel>(
        &self,
        rows: &[Wide; 4],
        apart: &Wide,
        round: impl Fn(f64) -> f64,
    ) -> Result<X, usize> {
        let mut numbers = X::from_fn(|_| 0);
        for vector in self.periodic_vectors() {
            let times = round(dot(&rows[vector], apart));
            // It is NaN if the displacement overflows.
            if times.is_nan() || times.abs() > LAST as f64 {
                return Err(vector);
            }
            numbers = numbers.with(vector, floor(times) as i32);
        }
        Ok(numbers)
    }

    /// The image that is numbered by the reduced vectors; `None` if 32-bit integers do not number it.
    pub(super) fn image_of_reduced<X: Voxel>(&self, reduced: X) -> Option<X> {
        let mut image = reduced;
        for vector in 0..self.dim {
            let part = |v: usize| i64::from(reduced.axis(v)) * self.reduced.times[v][vector];
            let number: i64 = (0..self.dim).map(part).sum();
            image = image.with(vector, i32::try_from(number).ok()?);
        }
        Some(image)
    }

    /// The images whose reduced numbers lie in a block, but for those that 32-bit integers do not number.
    pub(super) fn images_in<X: Voxel>(
        &self,
        block: &Block<X>,
    ) -> impl Iterator<Item = X> + use<'_, X> {
        let numbers = block.each();
        numbers.filter_map(|reduced| self.image_of_reduced(reduced))
    }

    /// The block of up to `around` more and fewer of each periodic vector than some numbers.
    pub(super) fn block_around<X: Voxel>(&self, middle: X, around: i32) -> Block<X> {
        let end = |axis: usize, by: i32| {
            let by = if self.is_periodic(axis) { by } else { 0 };
            middle.axis(axis).saturating_add(by)
        };
        Block {
            start: X::from_fn(|a| end(a, -around)),
            end: X::from_fn(|a| end(a, around).saturating_add(1)),
        }
    }
}

/// Makes one vector after the other shorter by multiples of others, until none becomes shorter. Only periodic vectors
/// take part. Returns the short vectors, and which multiples of the given vectors they are the sums of.
fn reduce(vectors: &[Wide; 4], periodic: [bool; 4]) -> ([Wide; 4], [[i64; 4]; 4]) {
    let mut shorts = *vectors;
    let mut times = crate::simd::from_fn(|v| crate::simd::from_fn(|a| i64::from(a == v)));
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
            let fewer: [i64; 4] = crate::simd::from_fn(|a| times[v][a] - whole * times[by][a]);
            let is_shorter = dot(&shorter, &shorter) < dot(&long, &long) * (1.0 - 1e-9);
            if is_shorter && fewer.iter().all(|times| times.abs() <= MOST_TIMES) {
                (shorts[v], times[v]) = (shorter, fewer);
                is_done = false;
            }
        }
        if is_done {
            break;
        }
    }
    (shorts, times)
}

/// The dual basis of the periodic vectors: the rows of their inverse. For each open vector, a unit vector at right angles to all
/// others. Also returns the volume that the vectors span, relative to that at right angles.
fn dual(dim: usize, vectors: &[Wide; 4], periodic: [bool; 4]) -> ([Wide; 4], f64) {
    let scaled = |v: Wide, by: f64| v.map(|x| x / by);
    let (mut units, mut dual, mut volume) = ([[0.0; 4]; 4], [[0.0; 4]; 4], 1.0);
    // The part of a vector at right angles to the units so far, which are zero or of length 1.
    let rest = |vector: Wide, units: &[Wide; 4]| {
        // A second pass removes the parts that rounding left.
        units.iter().chain(units).fold(vector, |rest, unit| {
            let along = dot(&rest, unit);
            crate::simd::from_fn(|a| rest[a] - along * unit[a])
        })
    };
    for v in (0..dim).filter(|&v| periodic[v]) {
        let part = rest(scaled(vectors[v], length(&vectors[v])), &units);
        volume *= length(&part);
        units[v] = scaled(part, length(&part));
    }
    // For an open vector, take the longest such part of an axis.
    for v in (0..dim).filter(|&v| !periodic[v]) {
        let axis = |axis| crate::simd::from_fn(|a| f64::from(u8::from(a == axis)));
        let parts = (0..dim).map(|a| rest(axis(a), &units));
        let longest = parts.reduce(|a, b| if length(&b) > length(&a) { b } else { a });
        let part = longest.unwrap_or_default();
        units[v] = scaled(part, length(&part));
        dual[v] = units[v];
    }
    // Each vector has parts along its unit and the units before it: solve from the last to the first.
    for v in (0..dim).rev().filter(|&v| periodic[v]) {
        let later = (v + 1..dim).filter(|&w| periodic[w]);
        let row = later.fold(units[v], |row, w| {
            let along = dot(&units[v], &vectors[w]);
            crate::simd::from_fn(|a| row[a] - along * dual[w][a])
        });
        dual[v] = scaled(row, dot(&units[v], &vectors[v]));
    }
    (dual, volume)
}

/// The least and the largest coordinate, by a row of an inverse, of displacements from a place to a box.
pub(crate) fn least_and_most<V: Vector>(row: &Wide, from: &Wide, to: &Aabb<V>) -> (f64, f64) {
    let end = |to: V, a: usize| row[a] * (to.axis(a).into() - from[a]);
    let ends = |a: usize| (end(to.min(), a), end(to.max(), a));
    let least = (0..V::DIM).map(|a| f64::min(ends(a).0, ends(a).1)).sum();
    let most = (0..V::DIM).map(|a| f64::max(ends(a).0, ends(a).1)).sum();
    (least, most)
}

pub(super) fn dot(a: &Wide, b: &Wide) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn sum(a: Wide, b: Wide) -> Wide {
    crate::simd::from_fn(|axis| a[axis] + b[axis])
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

/// A vector in its own precision.
pub(super) fn narrow<V: Vector>(wide: &Wide) -> V {
    V::from_fn(|a| V::Scalar::from_f64(wide[a]))
}
