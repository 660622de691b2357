use rand::{RngExt, SeedableRng};

use crate::scenes::Random;

#[derive(Clone, Copy)]
pub(super) enum Scene {
    Identical,
    FewDistinct,
    Line,
    Plane,
    Lattice,
    /// Each shell around the origin as full as the next, which is twice as wide: closer together
    /// than any Morton code tells apart.
    Exponential,
}

/// Without rounding.
const LATTICE: f32 = 1.0 / 64.0;

impl Scene {
    pub(super) const ALL: [Self; 6] = [
        Self::Identical,
        Self::FewDistinct,
        Self::Line,
        Self::Plane,
        Self::Lattice,
        Self::Exponential,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Identical => "identical",
            Self::FewDistinct => "few distinct",
            Self::Line => "line",
            Self::Plane => "plane",
            Self::Lattice => "lattice",
            Self::Exponential => "exponential",
        }
    }

    pub(super) fn points(self, n: usize, seed: u64) -> Vec<[f32; 3]> {
        let random = &mut Random::seed_from_u64(seed);
        let side = (n as f64).cbrt().ceil() as usize;
        let mut point = |i: usize| {
            let [x, y, z]: [f32; 3] = random.random();
            match self {
                Self::Identical => [0.5; 3],
                Self::FewDistinct => [x, y, z].map(|x| (3.0 * x).floor() / 3.0),
                Self::Line => [x, 0.25, 0.25],
                Self::Plane => [x, y, 0.25],
                Self::Lattice => {
                    let cell = [i % side, i / side % side, i / side / side];
                    cell.map(|at| at as f32 * LATTICE)
                }
                Self::Exponential => {
                    let scale = random.random_range(-60.0f32..0.0).exp2();
                    [x, y, z].map(|x| scale * (x - 0.5))
                }
            }
        };
        (0..n).map(&mut point).collect()
    }

    /// Where there is more than one distance, of some dozens of results and more.
    pub(super) fn radius(self) -> f32 {
        match self {
            Self::Identical => 0.1,
            Self::FewDistinct => 0.3,
            Self::Line => 1e-3,
            Self::Plane => 0.01,
            // Some points lie exactly on the ball.
            Self::Lattice => 2.0 * LATTICE,
            Self::Exponential => 1e-12,
        }
    }
}
