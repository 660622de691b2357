//! Keys: the place of an item's center along a Hilbert curve above the item's index.

use alloc::vec::Vec;

use fearless_simd::Simd;

use crate::orthtree::build::Source;
use crate::overlap::lanes::W;
use crate::parallel::{GRAIN, fill, join};
use crate::simd::{InstructionSet, LANES, Wide, hilbert, run_up_to_avx2};
use crate::sort::sort;
use crate::vector::{Scalar, Vector};

/// A code above an index: what items are sorted by.
pub(super) type Key = u64;

/// Codes of more bits would take a digit of sorting more and tell few cells apart.
const MOST_BITS: u32 = 36;

/// Items whose centers are collected before they are worked on: reading a vector whose numbers were
/// just written one by one stalls.
const BATCH: usize = 8 * LANES;

/// Groups of sixteen whose codes are found at once.
const GROUPS: usize = 2;

/// Makes keys of items.
#[derive(Clone, Copy)]
pub(super) struct Coder<'a, A: Vector> {
    source: &'a Source<'a, A>,
    instructions: InstructionSet,
    /// The bits of an index, which are the lowest of a key.
    index_bits: u32,
    /// The bits of a code for each axis.
    axis_bits: u32,
}

impl<'a, A: Vector> Coder<'a, A> {
    pub(super) fn new(source: &'a Source<'a, A>, instructions: InstructionSet) -> Self {
        let axes = A::DIM as u32;
        let index_bits = source.len().max(2).next_power_of_two().trailing_zeros();
        Self {
            source,
            instructions,
            index_bits,
            axis_bits: ((64 - index_bits).min(MOST_BITS) / axes).min(u32::BITS),
        }
    }

    /// The index of a key's item.
    #[inline(always)]
    pub(super) fn index(&self, key: Key) -> u32 {
        (key & ((1 << self.index_bits) - 1)) as u32
    }

    /// Gives keys, which lie in the order of their items' indices, codes within the smallest cube
    /// around their items' centers, and sorts them.
    pub(super) fn code(&self, keys: &mut [Key]) {
        let bounds = self.bounds(keys);
        self.place(&Cube::around(bounds.0, bounds.1, self.axis_bits), keys);
        sort(keys);
    }

    #[inline(always)]
    fn center(&self, key: Key) -> A {
        self.source.center(self.index(key) as usize)
    }

    /// The centers of at most `BATCH` items, by axis. Behind the last, the first again.
    #[inline(always)]
    fn centers(&self, keys: &[Key]) -> [[A::Scalar; BATCH]; 4] {
        let mut centers = [[A::Scalar::ZERO; BATCH]; 4];
        let many = keys.len().next_multiple_of(LANES);
        for place in 0..many {
            let center = self.center(*keys.get(place).unwrap_or(&keys[0]));
            for (axis, centers) in centers.iter_mut().enumerate().take(A::DIM) {
                centers[place] = center.axis(axis);
            }
        }
        centers
    }

    /// The least and largest coordinates of the centers.
    fn bounds(&self, keys: &[Key]) -> (A, A) {
        if keys.len() > GRAIN {
            let (first, second) = keys.split_at(keys.len() / 2);
            let (a, b) = join(|| self.bounds(first), || self.bounds(second));
            return (least(a.0, b.0), most(a.1, b.1));
        }
        run_up_to_avx2!(self.instructions, |simd| around(simd, self, keys))
    }

    fn place(&self, cube: &Cube, keys: &mut [Key]) {
        if keys.len() > GRAIN {
            let (first, second) = keys.split_at_mut(keys.len() / 2);
            join(|| self.place(cube, first), || self.place(cube, second));
            return;
        }
        run_up_to_avx2!(self.instructions, |simd| code(simd, self, cube, keys));
    }
}

#[inline(always)]
fn least<V: Vector>(a: V, b: V) -> V {
    V::from_fn(|axis| a.axis(axis).smaller(b.axis(axis)))
}

#[inline(always)]
fn most<V: Vector>(a: V, b: V) -> V {
    V::from_fn(|axis| a.axis(axis).larger(b.axis(axis)))
}

/// The order of points along a Hilbert curve.
pub(super) fn order<A: Vector>(points: &[A], instructions: InstructionSet) -> Vec<u32> {
    if points.is_empty() {
        return Vec::new();
    }
    let source = Source::points(points);
    let coder = Coder::new(&source, instructions);
    let mut keys = Vec::new();
    fill(&mut keys, points.len(), 1, |index| index as Key);
    coder.code(&mut keys);
    let mut order = Vec::new();
    fill(&mut order, points.len(), 1, |place| {
        coder.index(keys[place])
    });
    order
}

/// Finds the least and largest coordinates of the centers.
#[inline(always)]
fn around<A: Vector, S: Simd>(simd: S, coder: &Coder<'_, A>, keys: &[Key]) -> (A, A) {
    let first = coder.center(keys[0]);
    let mut low = [<W<A, S>>::splat(simd, first.axis(0)); 4];
    for (axis, low) in low.iter_mut().enumerate().take(A::DIM) {
        *low = <W<A, S>>::splat(simd, first.axis(axis));
    }
    let mut high = low;
    for keys in keys.chunks(BATCH) {
        let centers = coder.centers(keys);
        for axis in 0..A::DIM {
            for lanes in &centers[axis].as_chunks().0[..keys.len().div_ceil(LANES)] {
                let lanes = <W<A, S>>::load(simd, lanes);
                low[axis] = lanes.smaller(low[axis]);
                high[axis] = lanes.larger(high[axis]);
            }
        }
    }
    (
        A::from_fn(|axis| low[axis].smallest()),
        A::from_fn(|axis| high[axis].largest()),
    )
}

/// Gives keys their codes.
#[inline(always)]
fn code<A: Vector, S: Simd>(simd: S, coder: &Coder<'_, A>, cube: &Cube, keys: &mut [Key]) {
    let (coder, cube) = (coder, cube);
    let axes = A::DIM;
    for keys in keys.chunks_mut(BATCH) {
        let centers = coder.centers(keys);
        for (i, keys) in keys.chunks_mut(GROUPS * LANES).enumerate() {
            let mut places = [[[0; LANES]; GROUPS]; 4];
            for (axis, centers) in centers.iter().enumerate().take(axes) {
                let centers = &centers[i * GROUPS * LANES..];
                for (place, &center) in places[axis].as_flattened_mut().iter_mut().zip(centers) {
                    *place = rounded(cube.place(axis, center), coder.axis_bits);
                }
            }
            let codes = hilbert(simd, &places, axes, coder.axis_bits);
            for (key, code) in keys.iter_mut().zip(codes.as_flattened()) {
                *key = code << coder.index_bits | u64::from(coder.index(*key));
            }
        }
    }
}

// The cube that codes divide.

/// What is divided into cells.
struct Cube {
    /// Its least corner and its edge, of coordinates that were multiplied.
    low: [f64; 4],
    edge: f64,
    /// Cells for a unit of length.
    scale: f64,
    /// What coordinates are multiplied by.
    factor: f64,
}

impl Cube {
    /// The smallest around two corners, of some bits of cells along an edge.
    fn around<V: Vector>(low: V, high: V, bits: u32) -> Self {
        // In halves, since the difference of two huge numbers may overflow; and what is so small that
        // its cells could not be counted, magnified.
        let halves = Self::multiplied(low, high, bits, 0.5);
        let small = |x: V::Scalar| Scalar::abs(x) < V::Scalar::ONE;
        let mut axes = 0..V::DIM;
        if halves.edge < TINY && axes.all(|axis| small(low.axis(axis)) && small(high.axis(axis))) {
            return Self::multiplied(low, high, bits, 1.0 / TINY);
        }
        halves
    }

    fn multiplied<V: Vector>(low: V, high: V, bits: u32, factor: f64) -> Self {
        let mut cube = Self {
            low: [0.0; 4],
            edge: 0.0,
            scale: 0.0,
            factor,
        };
        for axis in 0..V::DIM {
            cube.low[axis] = low.axis(axis).into() * factor;
            let edge = high.axis(axis).into() * factor - cube.low[axis];
            cube.edge = cube.edge.larger(edge);
        }
        cube.scale = (1u64 << bits) as f64 / cube.edge;
        cube
    }

    /// How far from its low end on an axis a coordinate lies, in cells.
    #[inline(always)]
    fn place<S: Scalar>(&self, axis: usize, x: S) -> f64 {
        (x.into() * self.factor - self.low[axis]) * self.scale
    }
}

/// 2 to the power of -200.
const TINY: f64 = f64::from_bits((1023 - 200) << 52);

/// The nearest integer of some bits; of NaN, which a cube without extent gives, 0. By addition, since
/// vectors have no instruction for it before AVX-512.
#[inline(always)]
fn rounded(place: f64, bits: u32) -> u32 {
    const ONE_APART: f64 = (1u64 << 52) as f64;
    let most = (1u64 << bits) - 1;
    let place = place.larger(0.0).smaller(most as f64);
    ((place + ONE_APART).to_bits() & most) as u32
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn places_are_integers_of_some_bits() {
        let places = [-1.0, 0.0, 0.2, 1.2, 254.4, 256.0, 1e30, f64::NAN];
        assert_eq!(
            places.map(|place| rounded(place, 8)),
            [0, 0, 0, 1, 254, 255, 255, 0]
        );
    }
}
