//! Makes bodies from small integers.

use orthant::{Aabb, BodyInfo, Filter, Motion, Scalar, Sphere, Vector, Volume};
use proptest::prelude::*;

/// A position, a size, and a kind: even kinds are boxes.
pub(crate) type Raw = ([i8; 3], [u8; 3], u8);

/// The scale that turns an integer into a coordinate: exact and inexact lattices, adjacent floats, squares that underflow or
/// overflow in single precision.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    offset: f64,
    step: f64,
}

const SCALES: [Scale; 7] = [
    Scale {
        offset: 0.0,
        step: 1.0,
    },
    Scale {
        offset: 0.0,
        step: 0.25,
    },
    Scale {
        offset: 0.0,
        step: 0.1,
    },
    Scale {
        offset: -1e7,
        step: 0.7,
    },
    Scale {
        offset: 16_777_216.0,
        step: 2.0,
    },
    Scale {
        offset: 0.0,
        step: 1e-30,
    },
    Scale {
        offset: 0.0,
        step: 1e30,
    },
];

pub(crate) fn scale() -> impl Strategy<Value = Scale> {
    proptest::sample::select(&SCALES[..])
}

impl Scale {
    pub(crate) fn length<V: Vector>(self, steps: f64) -> V::Scalar {
        Scalar::from_f64(self.step * steps)
    }

    pub(crate) fn place<V: Vector>(self, at: [i8; 3]) -> V {
        V::from_fn(|a| Scalar::from_f64(self.offset + self.step * f64::from(at[a])))
    }

    pub(crate) fn way<V: Vector>(self, by: [i8; 3]) -> V {
        V::from_fn(|a| self.length::<V>(f64::from(by[a])))
    }

    pub(crate) fn cuboid<V: Vector>(self, (at, size, _): Raw) -> Aabb<V> {
        let min: V = self.place(at);
        let length = |a: usize| self.length::<V>(f64::from(size[a]));
        Aabb::new(min, V::from_fn(|a| min.axis(a) + length(a)))
    }

    pub(crate) fn ball<V: Vector>(self, (at, size, _): Raw) -> Sphere<V> {
        Sphere::new(self.place(at), self.length::<V>(f64::from(size[0])))
    }

    pub(crate) fn volume<V: Vector>(self, raw: Raw) -> Volume<V> {
        if raw.2.is_multiple_of(2) {
            self.cuboid(raw).into()
        } else {
            self.ball(raw).into()
        }
    }
}

pub(crate) fn raw() -> impl Strategy<Value = Raw> {
    let near = (
        proptest::array::uniform3(-6i8..=6),
        proptest::array::uniform3(0u8..=4),
    );
    let wide = (
        proptest::array::uniform3(-90i8..=90),
        proptest::array::uniform3(0u8..=9),
    );
    let giant = (
        proptest::array::uniform3(-90i8..=0),
        proptest::array::uniform3(90u8..=200),
    );
    (prop_oneof![12 => near, 2 => wide, 1 => giant], 0..4u8).prop_map(|((at, size), kind)| {
        // Most bodies are boxes, and many lie in one spot.
        let at = if kind == 2 { [1; 3] } else { at };
        (at, size, kind)
    })
}

/// Many bodies, mostly few to a place.
pub(crate) fn crowd() -> impl Strategy<Value = Vec<Raw>> {
    let one = (
        proptest::array::uniform3(-40i8..=40),
        proptest::array::uniform3(0u8..=8),
        0..6u8,
    );
    proptest::collection::vec(one, 100..400)
}

pub(crate) fn way() -> impl Strategy<Value = [i8; 3]> {
    let near = proptest::array::uniform3(-3i8..=3);
    let far = proptest::array::uniform3(-60i8..=60);
    prop_oneof![2 => Just([0; 3]), 3 => near, 1 => far]
}

pub(crate) fn motion() -> impl Strategy<Value = Motion> {
    prop_oneof![
        1 => Just(Motion::Static),
        1 => Just(Motion::Kinematic),
        4 => Just(Motion::Dynamic),
    ]
}

pub(crate) fn filter() -> impl Strategy<Value = Filter> {
    let some = (0..8u64, 0..8u64, -1..=1i32);
    let some = some.prop_map(|(category, mask, group)| Filter {
        category,
        mask,
        group,
    });
    prop_oneof![3 => Just(Filter::ALL), 1 => some]
}

pub(crate) fn proxy() -> impl Strategy<Value = BodyInfo> {
    (motion(), filter(), any::<u64>()).prop_map(|(motion, filter, user)| BodyInfo {
        motion,
        filter,
        user,
    })
}
