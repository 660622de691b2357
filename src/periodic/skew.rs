//! Cells of any shape, given by a vector for each pair of faces.

use core::fmt;

use super::Periodic;
use super::images::{Images, by_image};
use crate::error::{Error, ShapeError, or_panics};
use crate::overlap::distance::point_sq;
use crate::shape::Aabb;
use crate::vector::{Scalar, Vector, Voxel, assert_structure};
use crate::voxel::{ceil, floor};

/// Of the volume that the vectors would span at right angles, the least part.
const FLATTEST: f64 = 1e-6;
/// At most so many images are compared for a displacement: more are in question only where rounding is coarser than a vector
/// is long, or where one is thousands of times as long as another. Then it is those beside the middle.
const MOST_IMAGES: f64 = 1e4;
const BESIDE: i64 = 2;
/// How often a vector is taken off another at once, so that products of two such numbers stay whole.
const MOST_TIMES: i64 = 1 << 31;

#[derive(Clone, Copy, PartialEq)]
pub(super) struct Skew<V> {
    origin: V,
    /// The first `DIM` count. Zero where the cell is open.
    vectors: [V; 4],
    /// The cell ends along these vectors; along the others it is open.
    periodic: [bool; 4],
    /// The inverse of the matrix of vectors: each row gives the coordinate of a point along one of them. Along an open vector, the
    /// row is a unit vector at right angles to all other vectors.
    inverse: [[f64; 4]; 4],
    /// The same of shorter vectors that span the same lattice: places that are near each other have near numbers there.
    short: Short,
}

/// Vectors that span the same lattice as those of a cell, and lean over each other as little as a few steps can make
/// them.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Short {
    /// How often each takes the vectors of the cell.
    times: [[i64; 4]; 4],
    /// How often each is taken by the vectors of the cell, one of those a column.
    numbers: [[i64; 4]; 4],
    inverse: [[f64; 4]; 4],
}

impl<V: Vector> fmt::Debug for Skew<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.vectors[..V::DIM]).finish()
    }
}

impl<V: Vector> Periodic<V> {
    or_panics! {
        /// The cell that vectors span from a corner, periodic along all of them: a triclinic cell in space,
        /// a parallelogram in the plane.
        Periodic: spanned = try_spanned(origin: V, vectors: V::Axes<V>)
    }

    /// The cell that vectors span from a corner, periodic along all of them: a triclinic cell in space,
    /// a parallelogram in the plane.
    ///
    /// ```
    /// use orthant::{Linear, Periodic, Sphere, glam::{IVec2, Vec2}};
    /// let cell = Periodic::try_spanned(Vec2::ZERO, [Vec2::new(4.0, 0.0), Vec2::new(2.0, 4.0)])?;
    /// assert_eq!(cell.offset(IVec2::new(-1, 1)), Vec2::new(-2.0, 4.0));
    /// assert_eq!(cell.wrap(Vec2::new(2.5, 5.0)), Vec2::new(0.5, 1.0));
    /// let near: Vec<_> = cell.query(&Linear::new(&[Vec2::ONE]), Sphere::new(Vec2::new(3.0, 5.0), 1.0))?.collect();
    /// assert_eq!(near, [(0, IVec2::Y)]);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a coordinate is infinite or NaN, or the vectors span next to nothing: less than a millionth of
    /// what they would at right angles.
    pub fn try_spanned(origin: V, vectors: V::Axes<V>) -> Result<Self, Error> {
        Self::try_spanned_along(origin, vectors, V::axes(true))
    }

    or_panics! {
        /// The cell that vectors span from a corner, periodic along those vectors that are marked: a surface, a wire.
        /// Along the others it has no end, and only whether they are marked counts of them.
        Periodic: spanned_along = try_spanned_along(origin: V, vectors: V::Axes<V>, periodic: V::Axes<bool>)
    }

    /// The cell that vectors span from a corner, periodic along those vectors that are marked. Along the others it has no end,
    /// and it does not matter what they are: images have the number 0 there.
    ///
    /// ```
    /// use orthant::{Linear, Periodic, Sphere, glam::{IVec2, Vec2}};
    /// let vectors = [Vec2::new(4.0, 2.0), Vec2::ZERO];
    /// let wire = Periodic::try_spanned_along(Vec2::ZERO, vectors, [true, false])?;
    /// assert_eq!(wire.wrap(Vec2::new(5.0, 3.0)), Vec2::new(1.0, 1.0));
    /// let near: Vec<_> = wire.query(&Linear::new(&[Vec2::ONE]), Sphere::new(Vec2::new(5.0, 4.0), 1.0))?.collect();
    /// assert_eq!(near, [(0, IVec2::X)]);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`try_spanned`](Self::try_spanned), where only the vectors that are marked have to span something.
    pub fn try_spanned_along(
        origin: V,
        vectors: V::Axes<V>,
        periodic: V::Axes<bool>,
    ) -> Result<Self, Error> {
        const { assert_structure::<V>() }
        let skew = Skew::new(origin, vectors, periodic)?;
        let end = |axis: usize, up: bool| {
            let vectors = &skew.vectors[..V::DIM];
            let parts = vectors.iter().map(|vector| vector.axis(axis));
            let parts = parts.filter(|&part| (part > V::Scalar::ZERO) == up);
            parts.fold(origin.axis(axis), |sum, part| sum + part)
        };
        let min = V::from_fn(|a| end(a, false));
        let max = V::from_fn(|a| end(a, true));
        Ok(Self {
            bounds: Aabb::try_new(min, max)?,
            lengths: V::from_fn(|a| V::Scalar::from_f64(skew.height(a))),
            skew: Some(skew),
        })
    }

    /// The vectors from each face of the box to the opposite one, along its edges; 0 on axes that are
    /// not periodic.
    #[must_use]
    pub fn vectors(&self) -> V::Axes<V> {
        let zero = V::Scalar::ZERO;
        let mut vectors = V::axes(V::splat(zero));
        for (axis, vector) in vectors.as_mut().iter_mut().enumerate() {
            *vector = match &self.skew {
                Some(skew) => skew.vectors[axis],
                None => V::from_fn(|a| {
                    if a == axis {
                        self.lengths.axis(a)
                    } else {
                        zero
                    }
                }),
            };
        }
        vectors
    }

    pub(crate) fn is_skewed(&self) -> bool {
        self.skew.is_some()
    }

    /// The corner from which it is cut into cells.
    pub(crate) fn origin(&self) -> V {
        self.skew.map_or(self.bounds.min(), |skew| skew.origin)
    }

    /// How far opposite faces are apart, 0 on axes that are not periodic.
    pub(crate) fn height(&self, axis: usize) -> f64 {
        match &self.skew {
            Some(skew) => skew.height(axis),
            None => self.lengths.axis(axis).into(),
        }
    }

    /// What the coordinates of a place count in a vector of a skewed cell. Along one that is not periodic they count in
    /// lengths at right angles to all others.
    pub(crate) fn inverse_row(&self, axis: usize) -> [f64; 4] {
        self.skew.map_or([0.0; 4], |skew| skew.inverse[axis])
    }

    /// The least and the most that displacements between two corners count in [`inverse_row`](Self::inverse_row).
    pub(crate) fn least_and_most(
        &self,
        axis: usize,
        low: &[f64; 4],
        high: &[f64; 4],
    ) -> (f64, f64) {
        let along = |skew: &Skew<V>| skew.least_and_most(axis, low, high);
        self.skew.as_ref().map_or((low[axis], high[axis]), along)
    }

    /// The step that counts once in [`inverse_row`](Self::inverse_row), and not at all in the other rows.
    pub(crate) fn edge(&self, axis: usize) -> [f64; 4] {
        self.skew.map_or([0.0; 4], |skew| skew.edge(axis))
    }
}

impl<V: Vector> Skew<V> {
    fn new(origin: V, vectors: V::Axes<V>, marked: V::Axes<bool>) -> Result<Self, Error> {
        let not_finite = |part, vector: V| {
            vector.non_finite_axis().map(|axis| ShapeError::NotFinite {
                part,
                axis,
                value: vector.axis(axis).into(),
            })
        };
        let mut refused = not_finite("origin", origin);
        let mut all = [V::splat(V::Scalar::ZERO); 4];
        let mut periodic = [false; 4];
        for (axis, &vector) in vectors.as_ref().iter().enumerate() {
            refused = refused.or(not_finite("vector", vector));
            periodic[axis] = marked.as_ref()[axis];
            if periodic[axis] {
                all[axis] = vector;
            }
        }
        if let Some(error) = refused {
            return Err(error.into());
        }
        let columns = completed(&all, periodic);
        let mut inverse = inverse::<V>(&columns)?;
        for axis in (0..V::DIM).filter(|&axis| !periodic[axis]) {
            inverse[axis] = columns[axis];
        }
        Ok(Self {
            origin,
            vectors: all,
            periodic,
            inverse,
            short: Short::of(&columns, periodic, inverse),
        })
    }

    /// The vectors along which the cell ends.
    pub(super) fn periodic_vectors(&self) -> impl Iterator<Item = usize> + use<V> {
        let periodic = self.periodic;
        (0..V::DIM).filter(move |&vector| periodic[vector])
    }

    /// The vectors along which it is open.
    pub(super) fn open_vectors(&self) -> impl Iterator<Item = usize> + use<V> {
        let periodic = self.periodic;
        (0..V::DIM).filter(move |&vector| !periodic[vector])
    }

    /// A vector; where the cell is open, the unit vector in its place.
    fn edge(&self, vector: usize) -> [f64; 4] {
        if self.periodic[vector] {
            wide(self.vectors[vector])
        } else {
            self.inverse[vector]
        }
    }

    /// The shortest of a difference and its images, as each is rounded; `None` where they cannot be numbered. That of the
    /// opposite difference is the opposite: one that points down on its first axis is asked as one that points up.
    pub(super) fn shortest(&self, straight: V) -> Option<V> {
        let zero = V::Scalar::ZERO;
        let negated = |v: V| V::from_fn(|a| zero - v.axis(a));
        let mut axes = (0..V::DIM).map(|a| straight.axis(a));
        if axes.find(|&x| x != zero).is_some_and(|x| x < zero) {
            return self.shortest_up(negated(straight)).map(negated);
        }
        self.shortest_up(straight)
    }

    fn shortest_up(&self, straight: V) -> Option<V> {
        let dim = V::DIM;
        let mut apart = [0.0; 4];
        let mut sizes = 0.0;
        for (a, apart) in apart.iter_mut().enumerate().take(dim) {
            // Images of places have the numbers that take the difference back.
            *apart = 0.0 - straight.axis(a).into();
            sizes += apart.abs();
        }
        let inverse = &self.short.inverse;
        let numbers: [f64; 4] =
            crate::simd::from_fn(|v| (0..dim).map(|a| inverse[v][a] * apart[a]).sum());
        let image = |short| self.image_of_short(short);
        let seen = |image| {
            let offset = self.offset(image);
            V::from_fn(|a| straight.axis(a) + offset.axis(a))
        };
        let square = |image| point_sq(&V::splat(V::Scalar::ZERO), seen(image));

        let mut middle = [0; 4];
        for v in self.periodic_vectors() {
            middle[v] = floor(numbers[v] + 0.5);
        }
        if middle.iter().any(|&k| k.abs() > i64::from(i32::MAX / 2)) {
            return None;
        }
        let first = image(V::Voxel::from_fn(|v| middle[v] as i32))?;
        let first_sq: f64 = square(first).into();
        // All images are as far away where the cell is open: the rest of the distance is what images differ in.
        let rounded = sizes * 64.0 * V::Scalar::EPSILON.into();
        let open_sq: f64 = self.open_vectors().map(|v| numbers[v] * numbers[v]).sum();
        let open = (Scalar::sqrt(open_sq) - rounded).max(0.0);
        let mut radius = Scalar::sqrt(first_sq) + rounded;
        if open > 0.0 {
            radius = Scalar::sqrt((radius - open).max(0.0) * (radius + open));
        }
        let mut ranges = [(0, 0); 4];
        let mut images = 1.0;
        for v in self.periodic_vectors() {
            let half = radius * length(&inverse[v]) * (1.0 + 1e-9);
            ranges[v] = (ceil(numbers[v] - half), floor(numbers[v] + half));
            images *= 2.0 * half + 1.0;
        }
        if images.is_nan() || images > MOST_IMAGES {
            for v in self.periodic_vectors() {
                ranges[v] = (middle[v] - BESIDE, middle[v] + BESIDE);
            }
        }
        let candidates = Images::<V::Voxel>::block(ranges).filter_map(image);
        let nearest = candidates
            .map(|image| (square(image), image))
            .reduce(|a, b| {
                let is_before = b.0 < a.0 || b.0 == a.0 && by_image(&b.1, &a.1).is_lt();
                if is_before { b } else { a }
            });
        nearest.map(|nearest| seen(nearest.1))
    }

    /// The image that is numbered by the short vectors; `None` if 32-bit integers do not number it.
    pub(super) fn image_of_short(&self, short: V::Voxel) -> Option<V::Voxel> {
        let times = &self.short.times;
        let mut all = [0; 4];
        for (vector, all) in all.iter_mut().enumerate().take(V::DIM) {
            let taken = |v: usize| i128::from(short.axis(v)) * i128::from(times[v][vector]);
            *all = i32::try_from((0..V::DIM).map(taken).sum::<i128>()).ok()?;
        }
        Some(V::Voxel::from_fn(|a| all[a]))
    }

    /// The number of an image for one of the short vectors.
    pub(super) fn number_of_short(&self, vector: usize, image: V::Voxel) -> i128 {
        let row = &self.short.numbers[vector];
        let taken = |a: usize| i128::from(image.axis(a)) * i128::from(row[a]);
        (0..V::DIM).map(taken).sum()
    }

    /// How often a displacement holds one of the short vectors.
    pub(super) fn times_of_short(&self, vector: usize, displacement: &[f64; 4]) -> f64 {
        let row = &self.short.inverse[vector];
        (0..V::DIM).map(|a| row[a] * displacement[a]).sum()
    }

    /// The same in other vectors.
    pub(super) fn cast<U: Vector<Array = V::Array>>(&self) -> Skew<U> {
        Skew {
            origin: U::of_array(self.origin.array()),
            vectors: self.vectors.map(|vector| U::of_array(vector.array())),
            periodic: self.periodic,
            inverse: self.inverse,
            short: self.short,
        }
    }

    pub(super) fn offset(&self, image: V::Voxel) -> V {
        V::from_fn(|axis| {
            let part = |vector: usize| {
                let times = V::Scalar::from_f64(image.axis(vector).into());
                times * self.vectors[vector].axis(axis)
            };
            (0..V::DIM).fold(V::Scalar::ZERO, |sum, vector| sum + part(vector))
        })
    }

    /// How often a displacement holds a vector.
    pub(super) fn times(&self, vector: usize, displacement: &[f64; 4]) -> f64 {
        (0..V::DIM)
            .map(|a| self.inverse[vector][a] * displacement[a])
            .sum()
    }

    /// The most of it for displacements of either sign on each axis, and a little for rounding.
    pub(super) fn most_times(&self, vector: usize, displacement: &[f64; 4]) -> f64 {
        let most: f64 = (0..V::DIM)
            .map(|a| self.inverse[vector][a].abs() * displacement[a])
            .sum();
        most * (1.0 + 1e-9)
    }

    /// The least and the most of it for displacements between two corners.
    pub(super) fn least_and_most(
        &self,
        vector: usize,
        low: &[f64; 4],
        high: &[f64; 4],
    ) -> (f64, f64) {
        let row = &self.inverse[vector];
        let ends = |a: usize| (row[a] * low[a], row[a] * high[a]);
        let least = (0..V::DIM).map(|a| f64::min(ends(a).0, ends(a).1)).sum();
        let most = (0..V::DIM).map(|a| f64::max(ends(a).0, ends(a).1)).sum();
        (least, most)
    }

    pub(super) fn wrap(&self, point: V) -> V {
        if point.non_finite_axis().is_some() {
            return point;
        }
        let mut point = point;
        // Far away, the first shift is rounded, so that a second may be needed.
        for _ in 0..4 {
            let mut from = [0.0; 4];
            for (a, from) in from.iter_mut().enumerate().take(V::DIM) {
                *from = point.axis(a).into() - self.origin.axis(a).into();
            }
            let mut shifts = [0; 4];
            for vector in self.periodic_vectors() {
                let times = self.times(vector, &from);
                // What lies on a face but for rounding stays.
                let slack = 16.0 * V::Scalar::EPSILON.into();
                let whole = if times.is_nan() {
                    i64::MAX
                } else {
                    floor(times)
                };
                shifts[vector] = if whole == -1 && times > -slack {
                    0
                } else {
                    whole
                };
            }
            if shifts == [0; 4] {
                break;
            }
            if !shifts.iter().all(|&k| i32::try_from(k).is_ok()) {
                point = self.fold(&from);
                continue;
            }
            let offset = self.offset(V::Voxel::from_fn(|a| shifts[a] as i32));
            point = V::from_fn(|a| point.axis(a) - offset.axis(a));
        }
        point
    }

    /// Where a point so far from the origin that images cannot be numbered comes to lie in the cell:
    /// at the origin, where that overflows.
    fn fold(&self, from: &[f64; 4]) -> V {
        let mut parts = [0.0; 4];
        for (vector, part) in parts.iter_mut().enumerate().take(V::DIM) {
            let times = self.times(vector, from);
            let rest = if self.periodic[vector] {
                times % 1.0
            } else {
                times
            };
            *part = if rest.is_finite() { rest } else { 0.0 };
        }
        V::from_fn(|axis| {
            let along = |vector: usize| parts[vector] * self.edge(vector)[axis];
            let sum: f64 = (0..V::DIM).map(along).sum();
            V::Scalar::from_f64(self.origin.axis(axis).into() + sum)
        })
    }

    /// How far the two faces are apart that a vector leads between; 0 where there are none.
    pub(super) fn height(&self, vector: usize) -> f64 {
        if !self.periodic[vector] {
            return 0.0;
        }
        1.0 / length(&self.inverse[vector])
    }

    /// The same of one of the short vectors.
    pub(super) fn short_height(&self, vector: usize) -> f64 {
        1.0 / length(&self.short.inverse[vector])
    }
}

impl Short {
    /// One vector after the other is made shorter by whole others, until none becomes so. Only those along which a cell
    /// is periodic span its lattice.
    fn of(vectors: &[[f64; 4]; 4], periodic: [bool; 4], inverse: [[f64; 4]; 4]) -> Self {
        let mut short = *vectors;
        let spanning = || (0..4).filter(|&v| periodic[v]);
        let mut times = [[0; 4]; 4];
        for (v, times) in times.iter_mut().enumerate() {
            times[v] = 1;
        }
        let mut numbers = times;
        // Of the inverse, what is taken from one vector is added to the other.
        let mut inverse = inverse;
        let dot = |a: &[f64; 4], b: &[f64; 4]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        for _ in 0..64 {
            let mut is_done = true;
            for (v, by) in spanning().flat_map(|v| spanning().map(move |by| (v, by))) {
                let whole = floor(dot(&short[v], &short[by]) / dot(&short[by], &short[by]) + 0.5);
                if v == by || whole == 0 || whole.abs() > MOST_TIMES {
                    continue;
                }
                let shorter = crate::simd::from_fn(|a| short[v][a] - whole as f64 * short[by][a]);
                let fewer: [Option<i64>; 4] = crate::simd::from_fn(|a| {
                    let taken = whole.checked_mul(times[by][a])?;
                    i64::checked_sub(times[v][a], taken)
                });
                let more: [Option<i64>; 4] = crate::simd::from_fn(|a| {
                    let added = whole.checked_mul(numbers[v][a])?;
                    i64::checked_add(numbers[by][a], added)
                });
                let is_shorter = dot(&shorter, &shorter) < dot(&short[v], &short[v]) * (1.0 - 1e-9);
                if is_shorter
                    && let [Some(x), Some(y), Some(z), Some(w)] = fewer
                    && let [Some(a), Some(b), Some(c), Some(d)] = more
                {
                    short[v] = shorter;
                    times[v] = [x, y, z, w];
                    numbers[by] = [a, b, c, d];
                    let taken = inverse[v];
                    for (entry, taken) in inverse[by].iter_mut().zip(taken) {
                        *entry += whole as f64 * taken;
                    }
                    is_done = false;
                }
            }
            if is_done {
                break;
            }
        }
        Self {
            times,
            numbers,
            inverse,
        }
    }
}

fn length(v: &[f64; 4]) -> f64 {
    Scalar::sqrt(v.iter().map(|x| x * x).sum::<f64>())
}

/// A vector in double precision, with 0 on the axes that there are not.
fn wide<V: Vector>(vector: V) -> [f64; 4] {
    crate::simd::from_fn(|a| {
        if a < V::DIM {
            vector.axis(a).into()
        } else {
            0.0
        }
    })
}

/// The vectors of a cell, with unit vectors at right angles to them and to each other where it is open: by Gram and Schmidt,
/// from those axes of which most is left.
fn completed<V: Vector>(vectors: &[V; 4], periodic: [bool; 4]) -> [[f64; 4]; 4] {
    let dot = |a: &[f64; 4], b: &[f64; 4]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let scaled = |v: [f64; 4], by: f64| v.map(|x| x / by);
    // The part of a vector at right angles to those so far, which are zero or of length 1.
    let left = |vector: [f64; 4], units: &[[f64; 4]; 4]| {
        let mut left = vector;
        // What rounding leaves of the others is taken off a second time.
        for unit in units.iter().chain(units) {
            let along = dot(&left, unit);
            left = crate::simd::from_fn(|a| left[a] - along * unit[a]);
        }
        left
    };
    let mut columns = vectors.map(wide);
    let mut units = [[0.0; 4]; 4];
    for v in (0..V::DIM).filter(|&v| periodic[v]) {
        let largest = columns[v]
            .iter()
            .fold(0.0, |most: f64, x| most.max(x.abs()));
        if largest > 0.0 {
            let part = left(scaled(columns[v], largest), &units);
            let length = Scalar::sqrt(dot(&part, &part));
            if length > 0.0 {
                units[v] = scaled(part, length);
            }
        }
    }
    for v in (0..V::DIM).filter(|&v| !periodic[v]) {
        let parts = (0..V::DIM).map(|axis| {
            let part = left(
                crate::simd::from_fn(|a| f64::from(u8::from(a == axis))),
                &units,
            );
            (Scalar::sqrt(dot(&part, &part)), part)
        });
        let most = parts.reduce(|a, b| if b.0 > a.0 { b } else { a });
        if let Some((length, part)) = most {
            units[v] = scaled(part, length);
            columns[v] = units[v];
        }
    }
    columns
}

/// The inverse of a matrix that has vectors as its columns, by elimination with pivots. The vectors are
/// made of length about 1 first.
fn inverse<V: Vector>(vectors: &[[f64; 4]; 4]) -> Result<[[f64; 4]; 4], Error> {
    let dim = V::DIM;
    let mut lengths = [1.0; 4];
    // A column for each vector, and beside it the unit matrix.
    let mut rows = [[0.0; 8]; 4];
    for v in 0..dim {
        let largest = (0..dim).fold(0.0, |most: f64, a| most.max(vectors[v][a].abs()));
        let sum: f64 = (0..dim)
            .map(|a| {
                let part = vectors[v][a] / largest;
                part * part
            })
            .sum();
        lengths[v] = largest * Scalar::sqrt(sum);
        for (a, row) in rows.iter_mut().enumerate().take(dim) {
            row[v] = vectors[v][a] / lengths[v];
        }
        rows[v][4 + v] = 1.0;
    }
    let mut volume = 1.0;
    for v in 0..dim {
        let pivot = (v..dim).fold(v, |best, a| {
            if rows[a][v].abs() > rows[best][v].abs() {
                a
            } else {
                best
            }
        });
        rows.swap(v, pivot);
        let head = rows[v][v];
        volume *= head;
        // Also NaN, as of a vector that is 0.
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
