//! The weight of a neighbour by its distance: Wendland's C2 kernel, not normalized, with which
//! particles do not pair up ("Dehnen and Aly", 2012).

use std::f32::consts::TAU;

/// How far the kernel reaches, in spacings of the lattice.
pub(crate) const REACH: f32 = 2.0;

/// At a distance in units of the reach, up to 1.
pub(crate) fn weight(q: f32) -> f32 {
    let rest = 1.0 - q;
    rest * rest * (rest * rest) * (1.0 + 4.0 * q)
}

/// The derivative, divided by the distance: times the displacement it is the gradient.
pub(crate) fn slope(q: f32) -> f32 {
    let rest = 1.0 - q;
    -20.0 * rest * rest * rest
}

/// The weight of all that lies on the other side of a wall, as though water stood there, and its
/// derivative by the distance from the wall.
///
/// Both are integrals of the kernel over a part of a ball: first over a disc, then over discs.
pub(crate) fn beyond_wall(q: f32) -> (f32, f32) {
    const DENSITY: f32 = REACH * REACH * REACH;
    if q >= 1.0 {
        return (0.0, 0.0);
    }
    let rest = 1.0 - q.max(0.0);
    let fifth = rest * rest * rest * (rest * rest);
    let sum = fifth * rest * (1.0 / 6.0 + rest * (-3.0 / 14.0 + rest / 14.0));
    let disc = fifth * (1.0 + rest * (-1.5 + rest * (4.0 / 7.0)));
    (DENSITY * TAU * sum, -DENSITY * TAU * disc)
}

/// The sum of weights around a particle in the middle of a lattice: the density at rest.
pub(crate) fn rest_density() -> f32 {
    let most = REACH as i32;
    let mut sum = 0.0;
    for z in -most..=most {
        for y in -most..=most {
            for x in -most..=most {
                let q = ((x * x + y * y + z * z) as f32).sqrt() / REACH;
                if q < 1.0 {
                    sum += weight(q);
                }
            }
        }
    }
    sum
}
