use crate::points::Scalar;

/// Bits for each axis.
const BITS: u32 = 16;

pub(super) fn sorted<S: Scalar, const D: usize>(points: &[[S; D]]) -> Vec<[S; D]> {
    let end = |axis: usize, pick: fn(S, S) -> S| {
        let coordinates = points.iter().map(|p| p[axis]);
        coordinates.reduce(pick).unwrap_or_else(S::zero)
    };
    let low: [S; D] = std::array::from_fn(|a| end(a, S::min));
    let widths = (0..D).map(|a| end(a, S::max) - low[a]);
    let scale = S::from_f32(f32::from(u16::MAX)) / widths.fold(S::min_positive_value(), S::max);
    let code = |point: &[S; D]| {
        let mut code = 0u64;
        for axis in 0..D {
            let cell = ((point[axis] - low[axis]) * scale).to_u64().unwrap_or(0);
            for bit in 0..BITS {
                code |= (cell >> bit & 1) << (bit as usize * D + axis);
            }
        }
        code
    };
    let mut sorted = points.to_vec();
    sorted.sort_by_cached_key(code);
    sorted
}
