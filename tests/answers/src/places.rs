//! Makes points that look random, lattice points that tie, and boxes and balls around them.

use alloc::vec::Vec;

use orthant::{Aabb, Scalar, Sphere, Vector};

/// Numbers that look random, from a linear congruential generator (that of D. Knuth's MMIX).
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn bits(&mut self) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32
    }

    /// Returns a number from 0 to 1 with 20 bits.
    pub(crate) fn unit<S: Scalar>(&mut self) -> S {
        S::from_f64(f64::from(self.bits() >> 11) / f64::from(1 << 20))
    }

    pub(crate) fn place<V: Vector>(&mut self) -> V {
        V::from_fn(|_| self.unit())
    }
}

pub(crate) fn number<S: Scalar>(value: f64) -> S {
    S::from_f64(value)
}

/// Makes points: two thirds anywhere in the unit cube, a third on a lattice of eighths, where some coincide.
pub(crate) fn points<V: Vector>(many: usize, seed: u64) -> Vec<V> {
    let mut numbers = Numbers::new(seed);
    let mut next = |i: usize| {
        if i % 3 == 2 {
            V::from_fn(|_| number(f64::from(numbers.bits() % 9) / 8.0))
        } else {
            numbers.place()
        }
    };
    (0..many).map(&mut next).collect()
}

/// Makes balls whose radii differ by a factor of a hundred; some have the radius 0.
pub(crate) fn balls<V: Vector>(many: usize, seed: u64) -> Vec<Sphere<V>> {
    let mut numbers = Numbers::new(seed);
    let all = points::<V>(many, seed).into_iter();
    all.map(|center| {
        let size: V::Scalar = numbers.unit();
        let tenth = number::<V::Scalar>(0.1);
        let radius = if numbers.bits().is_multiple_of(8) {
            number(0.0)
        } else {
            size * size * size * tenth
        };
        Sphere::new(center, radius)
    })
    .collect()
}

/// Makes the boxes around such balls, longer on the first axis.
pub(crate) fn boxes<V: Vector>(many: usize, seed: u64) -> Vec<Aabb<V>> {
    let all = balls::<V>(many, seed).into_iter();
    all.map(|ball| {
        let (center, radius) = (ball.center(), ball.radius());
        Aabb::new(
            V::from_fn(|a| center.axis(a) - radius),
            V::from_fn(|a| center.axis(a) + if a == 0 { radius + radius } else { radius }),
        )
    })
    .collect()
}
