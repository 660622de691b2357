//! The Hilbert curve: of cells that follow each other along it, each touches the next. Against a
//! Morton curve, sixteen points in a row lie closer together, which is worth a quarter of the time
//! where neighbours are asked together; a query alone takes as long.

use fearless_simd::{Simd, SimdBase, SimdFrom, u32x16};

use crate::simd::LANES;

/// Turns places on some axes, of some bits each, into the bits of places along the curve: the
/// highest bits of all axes, the first axis first, then the next. (J. Skilling, "Programming the
/// Hilbert curve", AIP Conference Proceedings 707, 2004.)
#[inline(always)]
pub(super) fn hilbert<S: Simd>(simd: S, places: &mut [[u32; LANES]; 4], axes: usize, bits: u32) {
    let zero = u32x16::splat(simd, 0);
    let mut x = [zero; 4];
    for axis in 0..axes {
        x[axis] = u32x16::simd_from(simd, places[axis]);
    }
    // Undo the turns of the cells around, from the largest to the smallest.
    for bit in (1..bits).rev() {
        let below = (1 << bit) - 1;
        x[0] ^= ones(zero, x[0], bit) & below;
        for axis in 1..axes {
            let set = ones(zero, x[axis], bit);
            // Where the bit is set, the first axis is turned round; else the two are exchanged.
            let exchanged = !set & (x[0] ^ x[axis]) & below;
            x[axis] ^= exchanged;
            x[0] ^= exchanged | (set & below);
        }
    }
    // Gray code.
    for axis in 1..axes {
        x[axis] ^= x[axis - 1];
    }
    let mut turned = zero;
    for bit in 1..bits {
        turned ^= ones(zero, x[axes - 1], bit) & ((1 << bit) - 1);
    }
    for axis in 0..axes {
        places[axis] = (x[axis] ^ turned).into();
    }
}

/// All ones in the lanes in which a bit is set, else 0.
#[inline(always)]
fn ones<S: Simd>(zero: u32x16<S>, lanes: u32x16<S>, bit: u32) -> u32x16<S> {
    zero - (lanes >> bit & 1)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use fearless_simd::Simd;

    use super::super::cube::spread;
    use super::hilbert;
    use crate::InstructionSet;
    use crate::simd::{Job, LANES};

    /// Finds the codes of sixteen places.
    struct Codes {
        places: [[u32; LANES]; 4],
        axes: usize,
        bits: u32,
    }

    impl Job for Codes {
        type Output = [u64; LANES];

        #[inline(always)]
        fn run<S: Simd>(mut self, simd: S) -> [u64; LANES] {
            hilbert(simd, &mut self.places, self.axes, self.bits);
            core::array::from_fn(|lane| {
                let bits = |axis: usize| spread(self.places[axis][lane].into(), self.axes);
                (0..self.axes).fold(0, |code, axis| code << 1 | bits(axis))
            })
        }
    }

    #[test]
    fn the_curve_passes_every_cell_and_goes_from_neighbour_to_neighbour() {
        for set in InstructionSet::available() {
            for (axes, bits) in [(2, 5), (3, 3), (4, 2), (1, 6)] {
                let cells = 1u32 << (bits * axes as u32);
                let place =
                    |cell: u32, axis: usize| cell >> (bits * axis as u32) & ((1 << bits) - 1);
                let mut along: Vec<(u64, u32)> = Vec::new();
                for first in (0..cells).step_by(LANES) {
                    let mut places = [[0; LANES]; 4];
                    for (axis, places) in places.iter_mut().enumerate().take(axes) {
                        *places = core::array::from_fn(|lane| place(first + lane as u32, axis));
                    }
                    let codes = set.run(Codes { places, axes, bits });
                    along.extend(codes.into_iter().zip(first..));
                }
                along.sort_unstable();
                assert!(
                    along
                        .iter()
                        .enumerate()
                        .all(|(i, &(code, _))| code == i as u64)
                );
                for two in along.windows(2) {
                    let step = |axis| place(two[0].1, axis).abs_diff(place(two[1].1, axis));
                    assert_eq!((0..axes).map(step).sum::<u32>(), 1, "{set} {axes}");
                }
            }
        }
    }
}
