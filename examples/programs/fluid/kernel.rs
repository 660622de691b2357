//! The weight of a neighbour by its distance: Wendland's C2 kernel, not normalized, with which particles do not pair
//! up (Dehnen and Aly, 2012).

/// How far the kernel reaches, in spacings of the lattice.
pub(crate) const REACH: f32 = 2.0;

/// The weight at distance `q`, in units of the reach, up to 1.
pub(crate) fn weight(q: f32) -> f32 {
    let rest = 1.0 - q;
    rest * rest * (rest * rest) * (1.0 + 4.0 * q)
}

/// The derivative divided by `q`: multiplied by the displacement, it is the gradient.
pub(crate) fn slope(q: f32) -> f32 {
    let rest = 1.0 - q;
    -20.0 * rest * rest * rest
}

/// The share of the kernel that lies on the other side of a wall, and its derivative by the distance
/// from the wall.
///
/// The derivative is the integral of the kernel over a disc, the share that over all discs beyond the wall.
pub(crate) fn beyond_wall(q: f32) -> (f32, f32) {
    if q >= 1.0 {
        return (0.0, 0.0);
    }
    let rest = 1.0 - q.max(0.0);
    let fifth = rest * rest * rest * (rest * rest);
    let share = fifth * rest * (3.5 + rest * (-4.5 + rest * 1.5));
    let disc = fifth * (21.0 + rest * (-31.5 + rest * 12.0));
    (FIRMNESS * share, -FIRMNESS * disc)
}

/// Factor that makes a lattice that begins half a spacing from a wall as dense there as elsewhere.
const FIRMNESS: f32 = 0.72;

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
