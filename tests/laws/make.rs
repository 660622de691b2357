//! Makes shapes from small integers.

use orthant::{Aabb, Ellipsoid, Hollow, Scalar, Shell, Sphere, Vector, Volume};
use proptest::prelude::*;

use crate::lattice;

/// One shape: a place and a size.
pub(crate) type Raw = ([i8; 4], [u8; 4]);

/// The scale that turns an integer into a coordinate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    offset: f64,
    step: f64,
}

/// The scales: exact lattices, inexact ones, far offsets at which neighbors round together or are adjacent floats, and squares that underflow or
/// overflow in `f32`.
const SCALES: [Scale; 10] = [
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
        offset: 1e7,
        step: 1.0,
    },
    Scale {
        offset: -1e7,
        step: 0.7,
    },
    Scale {
        offset: 0.0,
        step: 1e-30,
    },
    Scale {
        offset: 0.0,
        step: 1e-42,
    },
    Scale {
        offset: 0.0,
        step: 5e-324,
    },
    Scale {
        offset: 0.0,
        step: 1e30,
    },
    Scale {
        offset: 16_777_216.0,
        step: 2.0,
    },
];

pub(crate) fn scale() -> impl Strategy<Value = Scale> {
    proptest::sample::select(&SCALES[..])
}

/// Shapes within a few steps of each other; some scenes are coincident, some collinear.
pub(crate) fn raws(most: usize) -> impl Strategy<Value = Vec<Raw>> {
    let raw = (
        proptest::array::uniform4(-6i8..=6),
        proptest::array::uniform4(0u8..=4),
    );
    let wide = (
        proptest::array::uniform4(-100i8..=100),
        proptest::array::uniform4(0u8..=9),
    );
    let one = prop_oneof![6 => raw, 1 => wide];
    // Some scenes have enough shapes to fill several levels of a tree.
    let many = proptest::collection::vec(one.clone(), 0..=8 * most);
    let scene = prop_oneof![7 => proptest::collection::vec(one, 0..=most), 1 => many];
    (scene, 0..8u8).prop_map(|(mut scene, kind)| {
        for raw in &mut scene {
            match kind {
                0 => raw.0 = [1; 4],
                1 => *raw = ([-2; 4], [1; 4]),
                2 => raw.0[1..].fill(0),
                _ => {}
            }
        }
        scene
    })
}

pub(crate) fn raw() -> impl Strategy<Value = Raw> {
    let near = (
        proptest::array::uniform4(-8i8..=8),
        proptest::array::uniform4(0u8..=12),
    );
    let wide = (
        proptest::array::uniform4(-100i8..=100),
        proptest::array::uniform4(0u8..=200),
    );
    prop_oneof![4 => near, 1 => wide]
}

pub(crate) fn place<V: Vector>(raw: &Raw, scale: Scale) -> V {
    lattice::place(&raw.0, scale.offset, scale.step)
}

fn size<V: Vector>(raw: &Raw, scale: Scale, least: u8) -> V {
    V::from_fn(|a| {
        let size: V::Scalar = Scalar::from_f64(scale.step * f64::from(raw.1[a % 4].max(least)));
        // A step that rounds to zero is replaced where a length is needed.
        if least > 0 && size == V::Scalar::ZERO {
            V::Scalar::ZERO.next_up()
        } else {
            size
        }
    })
}

/// Makes one kind of shape.
pub(crate) trait Make<V: Vector> {
    type Shape: Clone;
    fn make(raw: &Raw, scale: Scale) -> Self::Shape;
}

pub(crate) struct Point;
pub(crate) struct Brick;
pub(crate) struct Ball;
/// A box or a ball.
pub(crate) struct Body;
pub(crate) struct Ring;
pub(crate) struct Egg;
pub(crate) struct HollowBrick;
/// The surface of another kind of shape.
pub(crate) struct Skin<M>(M);

impl<V: Vector> Make<V> for Point {
    type Shape = V;
    fn make(raw: &Raw, scale: Scale) -> V {
        place(raw, scale)
    }
}

impl<V: Vector> Make<V> for Brick {
    type Shape = Aabb<V>;
    fn make(raw: &Raw, scale: Scale) -> Aabb<V> {
        let (min, size): (V, V) = (place(raw, scale), size(raw, scale, 0));
        Aabb::new(min, V::from_fn(|a| min.axis(a) + size.axis(a)))
    }
}

impl<V: Vector> Make<V> for Ball {
    type Shape = Sphere<V>;
    fn make(raw: &Raw, scale: Scale) -> Sphere<V> {
        Sphere::new(place(raw, scale), size::<V>(raw, scale, 0).axis(0))
    }
}

impl<V: Vector> Make<V> for Body {
    type Shape = Volume<V>;
    fn make(raw: &Raw, scale: Scale) -> Volume<V> {
        if raw.1[3].is_multiple_of(2) {
            <Brick as Make<V>>::make(raw, scale).into()
        } else {
            <Ball as Make<V>>::make(raw, scale).into()
        }
    }
}

impl<V: Vector> Make<V> for Ring {
    type Shape = Shell<V>;
    fn make(raw: &Raw, scale: Scale) -> Shell<V> {
        let radius = |i: usize| -> V::Scalar { Scalar::from_f64(scale.step * f64::from(raw.1[i])) };
        let (one, other) = (radius(0), radius(1));
        Shell::new(place(raw, scale), one.smaller(other), one.larger(other))
    }
}

impl<V: Vector> Make<V> for Egg {
    type Shape = Ellipsoid<V>;
    fn make(raw: &Raw, scale: Scale) -> Ellipsoid<V> {
        Ellipsoid::new(place(raw, scale), size(raw, scale, 1))
    }
}

impl<V: Vector> Make<V> for HollowBrick {
    type Shape = Hollow<Aabb<V>>;
    fn make(raw: &Raw, scale: Scale) -> Hollow<Aabb<V>> {
        Hollow(<Brick as Make<V>>::make(raw, scale))
    }
}

impl<V: Vector, M: Make<V>> Make<V> for Skin<M> {
    type Shape = Hollow<M::Shape>;
    fn make(raw: &Raw, scale: Scale) -> Hollow<M::Shape> {
        Hollow(M::make(raw, scale))
    }
}

impl Scale {
    pub(crate) fn step(self) -> f64 {
        self.step
    }
}
