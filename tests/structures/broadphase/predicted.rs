//! Compares the pairs of moving bodies, with a prediction distance, with whole numbers. The model of the other tests uses the crate's own shapes
//! for the times of touch; this one uses none of the crate.
//!
//! Coordinates are small integers, and time counts in units of 2⁻⁴⁰. The distance of two bodies is a convex function of time, so halving finds
//! its least value. Touches within rounding may or may not be pairs; for bodies at rest the comparison is exact.

use orthant::{Aabb, Broadphase, Handle, Motion, Scalar, Sphere, Vector, Volume};
use proptest::prelude::*;

use crate::cases::cases;

const UNIT: i128 = 1 << 40;

/// A ball of radius `size[0]` about `at`, or a box from `at` on, and its path.
#[derive(Clone, Debug)]
struct Body {
    is_ball: bool,
    at: [i8; 3],
    size: [u8; 3],
    path: [i8; 3],
}

fn body() -> impl Strategy<Value = Body> {
    use proptest::array::uniform3;
    let path = prop_oneof![uniform3(-20i8..=20), uniform3(-2i8..=2), Just([0; 3])];
    (any::<bool>(), uniform3(-12i8..=12), uniform3(0u8..=4), path).prop_map(
        |(is_ball, at, size, path)| Body {
            is_ball,
            at,
            size,
            path,
        },
    )
}

impl Body {
    fn volume<V: Vector>(&self) -> Volume<V> {
        let number = |x: f64| V::Scalar::from_f64(x);
        let at = V::from_fn(|a| number(self.at[a].into()));
        if self.is_ball {
            Sphere::new(at, number(self.size[0].into())).into()
        } else {
            let max = |a| number(f64::from(self.at[a]) + f64::from(self.size[a]));
            Aabb::new(at, V::from_fn(max)).into()
        }
    }

    fn way<V: Vector>(&self) -> V {
        V::from_fn(|a| V::Scalar::from_f64(self.path[a].into()))
    }

    /// Returns the ends of a body on an axis at a time; both ends of a ball are its center.
    fn ends(&self, a: usize, time: i128) -> (i128, i128) {
        let low = i128::from(self.at[a]) * UNIT + i128::from(self.path[a]) * time;
        let size = if self.is_ball { 0 } else { self.size[a] };
        (low, low + i128::from(size) * UNIT)
    }
}

/// Two bodies inflated by a distance, in the plane or in space.
struct Two<'a> {
    dim: usize,
    bodies: [&'a Body; 2],
    prediction: u8,
}

impl Two<'_> {
    /// Returns the distance at a time, to compare with `limit`: the gap of two boxes on the axis where it is largest, or the squared distance of
    /// two centers, or of a center and a box.
    fn apart(&self, time: i128) -> i128 {
        let [one, other] = self.bodies;
        let gap = |a| {
            let (x, y) = (one.ends(a, time), other.ends(a, time));
            (x.0 - y.1).max(y.0 - x.1)
        };
        if !one.is_ball && !other.is_ball {
            return (0..self.dim).map(gap).max().expect("an axis");
        }
        // An inflated box is still a box.
        let slack = if one.is_ball && other.is_ball {
            0
        } else {
            i128::from(self.prediction) * UNIT
        };
        let squared = |gap: i128| gap.max(0) * gap.max(0);
        (0..self.dim).map(|a| squared(gap(a) - slack)).sum()
    }

    fn limit(&self) -> i128 {
        let radius = |body: &Body| i128::from(body.size[0] + self.prediction) * UNIT;
        let [one, other] = self.bodies;
        match (one.is_ball, other.is_ball) {
            (false, false) => 2 * i128::from(self.prediction) * UNIT,
            (true, true) => (radius(one) + radius(other)).pow(2),
            (true, false) => radius(one).pow(2),
            (false, true) => radius(other).pow(2),
        }
    }

    /// Returns the least distance from the beginning to the end of the step.
    fn least(&self) -> i128 {
        let (mut low, mut high) = (0, UNIT);
        while low < high {
            let middle = (low + high) / 2;
            if self.apart(middle + 1) >= self.apart(middle) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        self.apart(low)
    }

    /// Returns the slack for rounding, which is zero if both bodies rest.
    fn slack<S: Scalar>(&self) -> i128 {
        let rests = |body: &Body| body.path[..self.dim].iter().all(|&x| x == 0);
        if self.bodies.iter().all(|body| rests(body)) {
            return 0;
        }
        // The slack is a length for boxes and a squared length for balls; the least value may lie between two ticks.
        let has_ball = self.bodies.iter().any(|body| body.is_ball);
        let (power, tick) = if has_ball { (2, 4096 * UNIT) } else { (1, 64) };
        let way =
            |a: usize| i128::from(self.bodies[0].path[a]) - i128::from(self.bodies[1].path[a]);
        let longest: i128 = (0..self.dim)
            .map(|a| (way(a).abs() * UNIT).pow(power))
            .sum();
        let scale = self.apart(0).abs().max(self.apart(UNIT).abs());
        let scale = scale.max(self.limit()).max(longest) as f64;
        let rounding: f64 = S::EPSILON.into();
        (scale * 16.0 * rounding) as i128 + tick
    }
}

fn check<V: Vector>(bodies: &[Body], changes: &[(usize, Body)], prediction: u8) {
    let distance = V::Scalar::from_f64(prediction.into());
    let mut world: Broadphase<V> = Broadphase::new().with_prediction(distance);
    let mut bodies = bodies.to_vec();
    let add = |body: &Body| world.insert(body.volume::<V>(), Motion::Dynamic);
    let handles: Vec<Handle> = bodies.iter().map(add).collect();
    for (body, &handle) in bodies.iter().zip(&handles) {
        world.set_swept(handle, body.volume::<V>(), body.way());
    }
    for step in 0..=changes.len() {
        world.update();
        let pairs: Vec<_> = world.pairs().collect();
        for i in 0..bodies.len() {
            for j in 0..i {
                let two = Two {
                    dim: V::DIM,
                    bodies: [&bodies[j], &bodies[i]],
                    prediction,
                };
                let (least, limit, slack) = (two.least(), two.limit(), two.slack::<V::Scalar>());
                let found = pairs.binary_search(&(handles[j], handles[i])).is_ok();
                let says = (least, limit, step, two.bodies);
                assert!(found || least > limit - slack, "missed: {says:?}");
                assert!(!found || least <= limit + slack, "no touch: {says:?}");
            }
        }
        if let Some((which, body)) = changes.get(step) {
            let which = which % bodies.len();
            world.set_swept(handles[which], body.volume::<V>(), body.way());
            bodies[which] = body.clone();
        }
    }
}

proptest! {
    #![proptest_config(cases(100, 1500))]

    #[test]
    fn predicted_pairs_of_moving_bodies(
        bodies in proptest::collection::vec(body(), 2..12),
        changes in proptest::collection::vec((0..12usize, body()), 0..6),
        prediction in 0u8..4,
    ) {
        check::<[f32; 2]>(&bodies, &changes, prediction);
        check::<[f32; 3]>(&bodies, &changes, prediction);
        check::<[f64; 3]>(&bodies, &changes, prediction);
    }
}
