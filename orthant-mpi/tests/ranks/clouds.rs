//! Generated points, the same on all ranks, including all kinds that make equal answers hard.

use orthant::Scalar;
use orthant_mpi::{Balance, Cloud, Point, Ranks};

/// Returns a well-mixed number.
pub(crate) fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// Returns a number from 0 to below 1.
pub(crate) fn unit(x: u64) -> f64 {
    (mix(x) >> 11) as f64 / (1_u64 << 53) as f64
}

fn made<P: Point>(many: u64, coordinate: impl Fn(u64, u64) -> f64) -> Vec<P> {
    let point = |id| P::from_fn(|axis| P::Scalar::from_f64(coordinate(id, axis as u64)));
    (0..many).map(point).collect()
}

/// Points with a name, and a radius that finds some neighbors.
pub(crate) struct World<P: Point> {
    pub(crate) name: &'static str,
    pub(crate) points: Vec<P>,
    pub(crate) radius: P::Scalar,
}

/// Makes worlds: uniform, in clumps, on a lattice with ties, all in one place, fewer than ranks, none, and far apart.
pub(crate) fn worlds<P: Point>() -> Vec<World<P>> {
    let world = |name, points, radius| World {
        name,
        points,
        radius: P::Scalar::from_f64(radius),
    };
    let clump = |id: u64| mix(id) % 7;
    let far = [3e37, -3e37, 1e-45, 0.0, 1e7, 1.0];
    vec![
        world("uniform", made(500, |id, axis| unit(id * 8 + axis)), 0.2),
        world(
            "clumps",
            made(600, |id, axis| {
                unit(clump(id) * 8 + axis) + 0.05 * unit(id * 8 + axis).powi(3)
            }),
            0.01,
        ),
        world(
            "lattice",
            made(600, |id, axis| (mix(id * 8 + axis) % 9) as f64 * 0.25 - 1.0),
            0.5,
        ),
        world(
            "coincident",
            made(40, |id, _| if id % 2 == 0 { 0.0 } else { -0.0 }),
            0.25,
        ),
        world("two", made(2, |id, _| id as f64), 2.0),
        world("none", Vec::new(), 1.0),
        world(
            "far",
            made(6, |id, axis| far[(id * 5 + axis) as usize % 6]),
            1e-30,
        ),
    ]
}

/// How points are distributed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Way {
    /// As they are read.
    Kept,
    /// Divided evenly.
    Even,
    /// By weights, with a cap; before that the last rank has all points.
    Weighted,
}

pub(crate) const WAYS: [Way; 3] = [Way::Kept, Way::Even, Way::Weighted];

/// Returns the points that this rank brings.
pub(crate) fn share<'a, P: Point>(ranks: &Ranks, points: &'a [P], way: Way) -> &'a [P] {
    let (size, rank) = (ranks.size(), ranks.rank());
    if way == Way::Weighted {
        return if rank + 1 == size { points } else { &[] };
    }
    &points[points.len() * rank / size..points.len() * (rank + 1) / size]
}

/// Makes a cloud with the points on their ranks.
pub(crate) fn cloud<P: Point>(
    ranks: &Ranks,
    points: &[P],
    periodic: Option<orthant::Periodic<P>>,
    way: Way,
) -> Cloud<P> {
    let mine = share(ranks, points, way);
    let mut cloud = match periodic {
        Some(periodic) => Cloud::new_periodic(ranks, mine, periodic),
        None => Cloud::new(ranks, mine),
    }
    .expect("a cloud");
    match way {
        Way::Kept => (),
        Way::Even => {
            let exact = Balance {
                tolerance: 0.0,
                ..Balance::default()
            };
            cloud.balance(ranks, &exact).expect("balanced");
        }
        Way::Weighted => {
            let rule = Balance {
                most_points: 1.5,
                ..Balance::default()
            };
            let weights: Vec<u32> = cloud
                .ids()
                .iter()
                .map(|&id| (mix(id) % 20) as u32)
                .collect();
            cloud.balance_by(ranks, &rule, &weights).expect("balanced");
        }
    }
    cloud
}
