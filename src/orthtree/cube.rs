//! The cube that codes divide.

use crate::{Scalar, Vector};

/// What is divided into cells.
pub(super) struct Cube {
    /// Its least corner and its edge, as coordinates are measured.
    low: [f64; 4],
    pub(super) edge: f64,
    /// Cells for a unit of length.
    scale: f64,
    measure: Measure,
}

#[derive(Clone, Copy)]
enum Measure {
    /// Coordinates times a factor.
    Linear(f64),
    Logarithmic,
}

impl Cube {
    /// The smallest around two corners, of some bits of cells along an edge.
    pub(super) fn around<V: Vector>(low: V, high: V, bits: u32, logarithmic: bool) -> Self {
        if logarithmic {
            return Self::measured(low, high, bits, Measure::Logarithmic);
        }
        // In halves, since the difference of two huge numbers may overflow; and what is so small that
        // its cells could not be counted, magnified.
        let halves = Self::measured(low, high, bits, Measure::Linear(0.5));
        let small = |x: V::Scalar| Scalar::abs(x) < V::Scalar::ONE;
        let mut axes = 0..V::DIM;
        if halves.edge < TINY && axes.all(|axis| small(low.axis(axis)) && small(high.axis(axis))) {
            return Self::measured(low, high, bits, Measure::Linear(1.0 / TINY));
        }
        halves
    }

    fn measured<V: Vector>(low: V, high: V, bits: u32, measure: Measure) -> Self {
        let mut cube = Self {
            low: [0.0; 4],
            edge: 0.0,
            scale: 0.0,
            measure,
        };
        for axis in 0..V::DIM {
            cube.low[axis] = cube.measure(low.axis(axis));
            let edge = cube.measure(high.axis(axis)) - cube.low[axis];
            cube.edge = cube.edge.larger(edge);
        }
        cube.scale = (1u64 << bits) as f64 / cube.edge;
        cube
    }

    /// How far from its low end on an axis a coordinate lies, in cells.
    #[inline(always)]
    pub(super) fn place<S: Scalar>(&self, axis: usize, x: S) -> f64 {
        (self.measure(x) - self.low[axis]) * self.scale
    }

    #[inline(always)]
    pub(super) fn measure<S: Scalar>(&self, x: S) -> f64 {
        match self.measure {
            Measure::Linear(factor) => Into::<f64>::into(x) * factor,
            Measure::Logarithmic => logarithm(x.into()),
        }
    }
}

/// 2 to the power of -200.
const TINY: f64 = f64::from_bits((1023 - 200) << 52);

/// About the binary logarithm of a positive number, and a monotone function of all: codes that run
/// out do so close to 0 most often, the only place where numbers lie closer than their digits tell.
#[inline(always)]
fn logarithm(x: f64) -> f64 {
    let magnitude = (x.to_bits() & (u64::MAX >> 1)) as f64;
    if x < 0.0 { -magnitude } else { magnitude }
}

/// The nearest integer of some bits; of NaN, which a cube without extent gives, 0. By addition, since
/// vectors have no instruction for it before AVX-512.
#[inline(always)]
pub(super) fn rounded(place: f64, bits: u32) -> u32 {
    const ONE_APART: f64 = (1u64 << 52) as f64;
    let most = (1u64 << bits) - 1;
    let place = place.larger(0.0).smaller(most as f64);
    ((place + ONE_APART).to_bits() & most) as u32
}

#[cfg(test)]
mod tests {
    use super::{logarithm, rounded};

    #[test]
    fn logarithms_are_in_order() {
        let mut last = f64::NEG_INFINITY;
        for x in [
            -1e300, -1.0, -1e-9, -5e-324, 0.0, 5e-324, 1e-300, 0.5, 1.0, 2e9,
        ] {
            assert!(last < logarithm(x), "{x}");
            last = logarithm(x);
        }
        assert_eq!(logarithm(-0.0), logarithm(0.0));
    }

    #[test]
    fn places_are_integers_of_some_bits() {
        let places = [-1.0, 0.0, 0.2, 1.2, 254.4, 256.0, 1e30, f64::NAN];
        assert_eq!(
            places.map(|place| rounded(place, 8)),
            [0, 0, 0, 1, 254, 255, 255, 0]
        );
    }
}
