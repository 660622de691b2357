//! The scene before the first step: a box, with balls and crates strewn above its floor.

use orthant::glam::DVec3;
use orthant::{Aabb, Bounded, LooseOrthtree, Sphere, Volume};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

/// Range of the radii of balls and of the half edges of crates, in metres.
pub(crate) const RADII: (f64, f64) = (0.05, 0.2);
/// Share of the space that the bodies fill before they fall; half of that at rest.
const CLOUD_DENSITY: f64 = 0.3;
/// Share of the space that bodies at rest fill, roughly; it only decides the size of the box.
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

    /// The ground and the four walls. They are thick, so that nothing passes through them within a step.
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
    /// Sorted from the lowest to the highest, so that the solver carries loads upwards.
    pub(crate) bodies: Vec<Volume<DVec3>>,
}

impl Scene {
    /// Strews the bodies. All numbers come from a generator whose algorithm is fixed, and (but for a cube root) from
    /// operations that are rounded correctly everywhere.
    pub(crate) fn new(balls: usize, crates: usize, seed: u64) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut length = || rng.random_range(RADII.0..RADII.1);
        let mut shapes: Vec<_> = (0..balls).map(|_| Shape::Ball(length())).collect();
        let mut half = || DVec3::from_array(std::array::from_fn(|_| length()));
        shapes.extend((0..crates).map(|_| Shape::Crate(half())));
        // Large shapes come first, since they would find no room later.
        shapes.sort_by(|a, b| b.reach().max_element().total_cmp(&a.reach().max_element()));
        let volume = shapes.iter().map(Shape::volume).sum::<f64>();
        let tub = Tub::for_volume(volume);
        let mut ceiling = (volume / (CLOUD_DENSITY * 4.0 * tub.half * tub.half)).max(tub.rim);
        let mut strewn = LooseOrthtree::new();
        let mut bodies = Vec::with_capacity(shapes.len());
        for shape in shapes {
            let reach = shape.reach();
            let room = DVec3::splat(tub.half) - reach;
            let mut tries = 0;
            let body = loop {
                let x = rng.random_range(-room.x..=room.x);
                let y = rng.random_range(-room.y..=room.y);
                let z = 0.5 * tub.rim + rng.random_range(reach.z..=reach.z + ceiling);
                let body = shape.at(DVec3::new(x, y, z));
                let free = match body {
                    Volume::Sphere(ball) => strewn.query(ball).next().is_none(),
                    Volume::Box(bounds) => strewn.query(bounds).next().is_none(),
                };
                if free {
                    break body;
                }
                tries += 1;
                if tries % 100 == 0 {
                    // More space ends the search, however full it is.
                    ceiling *= 1.01;
                }
            };
            strewn.insert(body);
            bodies.push(body);
        }
        let height = |body: &Volume<DVec3>| body.bounds().center().z;
        bodies.sort_by(|a, b| height(a).total_cmp(&height(b)));
        Self { tub, bodies }
    }
}

/// The shape of a body, which never changes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// A ball of this radius.
    Ball(f64),
    /// A crate with these half edges, which does not rotate.
    Crate(DVec3),
}

impl Shape {
    pub(crate) fn of(body: &Volume<DVec3>) -> Self {
        match body {
            Volume::Sphere(ball) => Self::Ball(ball.radius()),
            Volume::Box(bounds) => Self::Crate(0.5 * bounds.size()),
        }
    }

    /// Half the extent along each axis.
    pub(crate) fn reach(&self) -> DVec3 {
        match *self {
            Self::Ball(radius) => DVec3::splat(radius),
            Self::Crate(half) => half,
        }
    }

    /// The length that overlaps are compared with.
    pub(crate) fn size(&self) -> f64 {
        self.reach().min_element()
    }

    pub(crate) fn volume(&self) -> f64 {
        match *self {
            Self::Ball(r) => 4.0 / 3.0 * std::f64::consts::PI * r * r * r,
            Self::Crate(half) => 8.0 * half.x * half.y * half.z,
        }
    }

    pub(crate) fn at(&self, center: DVec3) -> Volume<DVec3> {
        self.wider_at(0.0, center)
    }

    /// The volume around a center, wider by a margin on all sides.
    pub(crate) fn wider_at(&self, by: f64, center: DVec3) -> Volume<DVec3> {
        match *self {
            Self::Ball(radius) => Sphere::new(center, radius + by).into(),
            Self::Crate(half) => Aabb::new(center - (half + by), center + (half + by)).into(),
        }
    }
}
