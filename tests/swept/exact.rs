//! Compares times of impact with bisection in exact integers.
//!
//! Coordinates are small integers and time counts in units of 2⁻⁵³. So squared distances are exact in 128 bits, and the unit is finer than the
//! spacing of floats near 1.

use orthant::glam::{DVec2, DVec3, DVec4, Vec2, Vec3};
use orthant::{Aabb, Moving, Scalar, Sphere, Sweep, Vector};
use proptest::prelude::*;

use super::rounding;
use crate::cases::cases;

const UNIT: i128 = 1 << 53;

/// A ball of radius `r` about `c` that moves by `d`, and a box.
#[derive(Clone, Debug)]
struct Scene {
    c: [i8; 4],
    d: [i8; 4],
    r: u8,
    lo: [i8; 4],
    size: [u8; 4],
}

fn scene() -> impl Strategy<Value = Scene> {
    let far = proptest::array::uniform4(-24i8..=24);
    let near = proptest::array::uniform4(-3i8..=3);
    let d = prop_oneof![far.clone(), near.clone(), Just([0; 4])];
    let size = prop_oneof![proptest::array::uniform4(0u8..=9), Just([0; 4])];
    (far, d, 0u8..=12, near, size).prop_map(|(c, d, r, lo, size)| Scene { c, d, r, lo, size })
}

impl Scene {
    /// Returns the squared distance of the center from the box at a time.
    fn distance_sq(&self, dim: usize, time: i128) -> i128 {
        let on = |a: usize| {
            let c = i128::from(self.c[a]) * UNIT + i128::from(self.d[a]) * time;
            let lo = i128::from(self.lo[a]) * UNIT;
            let hi = lo + i128::from(self.size[a]) * UNIT;
            (lo - c).max(c - hi).max(0)
        };
        (0..dim).map(|a| on(a) * on(a)).sum()
    }

    /// Returns the time of the least distance, which is a convex function.
    fn closest(&self, dim: usize) -> i128 {
        least(UNIT, |t| {
            t == UNIT || self.distance_sq(dim, t + 1) >= self.distance_sq(dim, t)
        })
    }

    /// Returns the first and last time at which the squared distance is at most a limit, or those of the least distance if it never is.
    fn times(&self, dim: usize, limit: i128) -> (i128, i128) {
        let closest = self.closest(dim);
        let first = least(closest, |t| {
            t == closest || self.distance_sq(dim, t) <= limit
        });
        let last = UNIT
            - least(UNIT - closest, |t| {
                t == UNIT - closest || self.distance_sq(dim, UNIT - t) <= limit
            });
        (first, last)
    }

    fn check<V: Vector>(&self) -> Result<(), TestCaseError> {
        let vector = |f: &dyn Fn(usize) -> f64| V::from_fn(|a| Scalar::from_f64(f(a)));
        let c = vector(&|a| self.c[a].into());
        let min = vector(&|a| self.lo[a].into());
        let max = vector(&|a| f64::from(self.lo[a]) + f64::from(self.size[a]));
        let ball = Moving::new(
            Sphere::new(c, Scalar::from_f64(self.r.into())),
            vector(&|a| self.d[a].into()),
        );
        let found = ball.times(&Aabb::new(min, max));
        self.compare::<V>(found)?;
        // A box without extent is tested as a point and as a ball too.
        if self.size == [0; 4] {
            self.compare::<V>(ball.times(&min))?;
            self.compare::<V>(ball.times(&Sphere::new(min, Scalar::ZERO)))?;
            let part = f64::from(self.r / 3);
            let rest = Sphere::new(c, Scalar::from_f64(f64::from(self.r) - part));
            let rest = Moving::new(rest, ball.displacement());
            self.compare::<V>(rest.times(&Sphere::new(min, Scalar::from_f64(part))))?;
        }
        Ok(())
    }

    fn compare<V: Vector>(
        &self,
        found: Option<(V::Scalar, V::Scalar)>,
    ) -> Result<(), TestCaseError> {
        let limit = i128::from(self.r) * i128::from(self.r) * UNIT * UNIT;
        // Squared distances are off by some roundings of the largest one.
        let ends = self
            .distance_sq(V::DIM, 0)
            .max(self.distance_sq(V::DIM, UNIT));
        let longest: i128 = (0..V::DIM).map(|a| i128::from(self.d[a]).pow(2)).sum();
        let scale = ends.max(limit).max(longest * UNIT * UNIT);
        let slack = (scale as f64 * 8.0 * rounding::<V::Scalar>()) as i128;
        let closest = self.distance_sq(V::DIM, self.closest(V::DIM));
        let Some((first, last)) = found else {
            prop_assert!(closest > limit - slack, "missed {:?}", self);
            return Ok(());
        };
        prop_assert!(closest <= limit + slack, "not touched {:?}", self);
        prop_assert!(first <= last);
        let (first, last): (f64, f64) = (first.into(), last.into());
        prop_assert!((0.0..=1.0).contains(&first) && (0.0..=1.0).contains(&last));
        if self.distance_sq(V::DIM, 0) <= limit {
            prop_assert_eq!(first, 0.0);
        }
        let ticks = |time: f64| (time * UNIT as f64) as i128;
        let (early, late) = (
            self.times(V::DIM, limit + slack),
            self.times(V::DIM, limit - slack),
        );
        // Times are rounded too.
        let off = 2 + (UNIT as f64 * 4.0 * rounding::<V::Scalar>()) as i128;
        prop_assert!(
            early.0 - off <= ticks(first),
            "too early: {} {:?}",
            first,
            self
        );
        prop_assert!(
            ticks(first) <= late.0 + off,
            "too late: {} {:?}",
            first,
            self
        );
        prop_assert!(
            late.1 - off <= ticks(last),
            "ends too early: {} {:?}",
            last,
            self
        );
        prop_assert!(
            ticks(last) <= early.1 + off,
            "ends too late: {} {:?}",
            last,
            self
        );
        Ok(())
    }
}

/// Returns the least number for which a monotone predicate holds.
fn least(most: i128, yes: impl Fn(i128) -> bool) -> i128 {
    let (mut lo, mut hi) = (0, most);
    while lo < hi {
        let middle = (lo + hi) / 2;
        if yes(middle) {
            hi = middle;
        } else {
            lo = middle + 1;
        }
    }
    lo
}

proptest! {
    #![proptest_config(cases(1250, 20_000))]

    #[test]
    fn in_single_precision(scene in scene()) {
        scene.check::<[f32; 1]>()?;
        scene.check::<Vec2>()?;
        scene.check::<Vec3>()?;
    }

    #[test]
    fn in_double_precision(scene in scene()) {
        scene.check::<[f64; 1]>()?;
        scene.check::<DVec2>()?;
        scene.check::<DVec3>()?;
        scene.check::<DVec4>()?;
    }
}
