//! What there is before the first step: a box, and balls strewn above its floor.

use orthant::glam::DVec3;
use orthant::{Aabb, LooseOrthtree, Sphere};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

/// Metres.
pub(crate) const RADII: (f64, f64) = (0.05, 0.2);
/// The share of its space that the cloud of balls fills; half of what it fills at rest.
const CLOUD_DENSITY: f64 = 0.3;
/// What balls at rest fill, roughly; only sizes the box.
const PILE_DENSITY: f64 = 0.6;
const PILE_HEIGHT_TO_WIDTH: f64 = 0.4;

/// The space inside an open-topped box; its floor lies at z = 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tub {
    /// Half the inner width, along x and y.
    pub(crate) half: f64,
    pub(crate) rim: f64,
}

impl Tub {
    fn for_volume(volume: f64) -> Self {
        let width = (volume / (PILE_DENSITY * PILE_HEIGHT_TO_WIDTH)).cbrt();
        let half = (width / 2.0).max(3.0 * RADII.1);
        let rim = (2.0 * volume / (PILE_DENSITY * 4.0 * half * half)).max(4.0 * RADII.1);
        Self { half, rim }
    }

    /// The ground and the four walls. Thick, so that nothing passes through within a step.
    pub(crate) fn slabs(self) -> [Aabb<DVec3>; 5] {
        let Self { half, rim } = self;
        let (thick, out) = (half, 2.0 * half);
        let slab = |min: [f64; 3], max: [f64; 3]| Aabb::new(min.into(), max.into());
        [
            slab([-out, -out, -thick], [out, out, 0.0]),
            slab([-out, -out, 0.0], [-half, out, rim]),
            slab([half, -out, 0.0], [out, out, rim]),
            slab([-half, -out, 0.0], [half, -half, rim]),
            slab([-half, half, 0.0], [half, out, rim]),
        ]
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub(crate) tub: Tub,
    /// From the lowest to the highest, so that the solver carries loads upwards.
    pub(crate) balls: Vec<Sphere<DVec3>>,
}

impl Scene {
    /// Every number comes from a generator whose algorithm is fixed, and from operations that are
    /// rounded correctly everywhere.
    pub(crate) fn new(count: usize, seed: u64) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut radii: Vec<f64> = (0..count)
            .map(|_| rng.random_range(RADII.0..RADII.1))
            .collect();
        // Large ones find no room later.
        radii.sort_unstable_by(|a, b| b.total_cmp(a));
        let volume = radii.iter().map(|&r| volume_of(r)).sum::<f64>();
        let tub = Tub::for_volume(volume);
        let mut ceiling = (volume / (CLOUD_DENSITY * 4.0 * tub.half * tub.half)).max(tub.rim);
        let mut strewn = LooseOrthtree::new();
        let mut balls = Vec::with_capacity(count);
        for r in radii {
            let reach = tub.half - r;
            let mut tries = 0;
            let ball = loop {
                let x = rng.random_range(-reach..=reach);
                let y = rng.random_range(-reach..=reach);
                let z = 0.5 * tub.rim + rng.random_range(r..=r + ceiling);
                let ball = Sphere::new(DVec3::new(x, y, z), r);
                if strewn.query(ball).next().is_none() {
                    break ball;
                }
                tries += 1;
                if tries % 100 == 0 {
                    // Ends the search however full the space is.
                    ceiling *= 1.01;
                }
            };
            strewn.insert(ball);
            balls.push(ball);
        }
        balls.sort_by(|a, b| a.center().z.total_cmp(&b.center().z));
        Self { tub, balls }
    }
}

pub(crate) fn volume_of(radius: f64) -> f64 {
    4.0 / 3.0 * std::f64::consts::PI * radius * radius * radius
}
