//! Compares the distance of boxes from capsules with whole numbers: just reached, and just not.

use orthant::{
    Aabb, Hollow, Moving, Overlaps, Region, Rule, Scalar, Sphere, Vector, Voxel, VoxelGrid,
    Voxelize,
};
use proptest::prelude::*;

use crate::cases::cases;
use crate::distance::{Point, least};
use crate::vector;

/// Coordinates are doubled, so that the centers of voxels are whole.
#[derive(Clone, Copy, Debug)]
struct Scene {
    from: Point,
    by: Point,
    voxel: [i32; 3],
    size: i128,
    radius: f64,
}

/// Returns the distance of a box between two corners from the path of a center.
fn distance(from: Point, by: Point, low: Point, high: Point) -> f64 {
    let side = |a: usize| {
        let mut side = [0; 3];
        side[a] = high[a] - low[a];
        side
    };
    let base = [0, 1, 2].map(|a| from[a] - high[a]);
    let ([numerator, denominator], _) = least(base, &[by, side(0), side(1), side(2)]);
    (numerator as f64 / denominator as f64).sqrt() / 2.0
}

fn wide<V: Vector>(p: Point) -> V {
    vector(&p.map(|x| x as f64 / 2.0))
}

impl Scene {
    fn check<V: Vector>(self, horizon: f64)
    where
        Moving<Sphere<V>>: Voxelize + Region<Vector = V>,
        Hollow<Moving<Sphere<V>>>: Voxelize + Region<Vector = V>,
    {
        let scalar = V::Scalar::from_f64;
        let flat = |p: Point| [0, 1, 2].map(|a| if a < V::DIM { p[a] } else { 0 });
        let (from, by) = (flat(self.from), flat(self.by));
        // If the ball never stops, no voxel is near a later part of its path.
        let until = if horizon.is_finite() {
            horizon as i128
        } else {
            10_000
        };
        let way = by.map(|x| x * until);
        let low = flat(self.voxel.map(|i| i128::from(i) * 2 * self.size));
        let high = flat(self.voxel.map(|i| i128::from(i + 1) * 2 * self.size));
        let middle = flat([0, 1, 2].map(|a| (low[a] + high[a]) / 2));
        let near = distance(from, way, low, high);
        let corners = (0..8_usize).map(|i| [0, 1, 2].map(|a| [low, high][i >> a & 1][a]));
        let far = corners.map(|corner| distance(from, way, corner, corner));
        let far = far.fold(0.0, f64::max);

        let capsule = |radius: f64| {
            let ball = Sphere::new(wide(from), scalar(radius));
            Moving::new(ball, wide::<V>(by)).until(scalar(horizon))
        };
        let cell = Aabb::new(wide::<V>(low), wide::<V>(high));
        let grid = VoxelGrid::new(V::splat(scalar(0.0)), scalar(self.size as f64));
        let voxel = V::Voxel::from_fn(|a| self.voxel[a]);
        // A capsule that never ends cannot be listed.
        let listed = |rule: Rule<V::Scalar>, radius: f64, hollow: bool| {
            let (grid, solid) = (grid.with_rule(rule), capsule(radius));
            if hollow {
                grid.voxels(Hollow(solid)).any(|other| other == voxel)
            } else {
                grid.voxels(solid).any(|other| other == voxel)
            }
        };
        for (factor, is_more) in [(1.002, true), (0.998, false)] {
            if near > 0.0 {
                let radius = near * factor;
                assert_eq!(capsule(radius).overlaps(&cell), is_more, "{self:?}");
                if horizon.is_finite() {
                    assert_eq!(listed(Rule::Closed, radius, false), is_more, "{self:?}");
                }
            }
            let meets = !is_more && near < far * factor;
            let hollow = Hollow(capsule(far * factor));
            assert_eq!(hollow.overlaps(&cell), meets, "{self:?}");
            if horizon.is_infinite() {
                continue;
            }
            let radius = self.radius;
            if near > radius {
                let shell = Rule::Shell(scalar(2.0 * (near - radius) * factor));
                assert_eq!(listed(shell, radius, false), is_more, "{self:?}");
            }
            if far < radius {
                let shell = Rule::Shell(scalar(2.0 * (radius - far) * factor));
                assert_eq!(listed(shell, radius, true), is_more, "{self:?}");
            }
            let off = distance(from, way, middle, middle) - radius;
            let band = Rule::NarrowBand(scalar(off.abs() * factor));
            if off.abs() > 0.0 {
                assert_eq!(listed(band, radius, true), is_more, "{self:?}");
                assert_eq!(
                    listed(band, radius, false),
                    is_more || off < 0.0,
                    "{self:?}"
                );
            }
        }
    }
}

#[test]
fn boxes_that_capsules_just_reach() {
    use proptest::array::uniform3;
    let input = (
        uniform3(-12i128..=12),
        uniform3(prop_oneof![Just(0i128), -8i128..=8]),
        uniform3(-4i32..=4),
        1i128..=4,
        prop_oneof![0.25..3.0, 4.0..16.0],
        0..3usize,
    );
    proptest!(cases(50, 5000), |((from, by, voxel, size, radius, horizon) in input)| {
        let scene = Scene { from, by, voxel, size, radius };
        let horizon = [1.0, 2.0, f64::INFINITY][horizon];
        scene.check::<[f32; 2]>(horizon);
        scene.check::<[f64; 2]>(horizon);
        scene.check::<[f32; 3]>(horizon);
        scene.check::<[f64; 3]>(horizon);
    });
}
