//! Combined regions.

use orthant::{
    Aabb, Complement, Difference, Ellipsoid, Hollow, Intersection, Shell, Sphere, Union, Vector,
};

use crate::make::{Ball, Brick, Egg, Make, Raw, Ring, Scale, Skin};

/// A kind of item that takes turns among several kinds.
pub(crate) struct Mixed;
pub(crate) struct AllBut;

type Halves<V> = Union<Intersection<Sphere<V>, Aabb<V>>, Difference<Ellipsoid<V>, Shell<V>>>;

/// Returns another shape that is derived from the same numbers.
pub(crate) fn other(raw: &Raw) -> Raw {
    let (mut at, mut size) = *raw;
    at.rotate_left(1);
    size.rotate_left(2);
    (at, size)
}

impl<V: Vector> Make<V> for Mixed {
    type Shape = Halves<V>;
    fn make(raw: &Raw, scale: Scale) -> Halves<V> {
        let near = other(raw);
        Union(
            Intersection(Ball::make(raw, scale), Brick::make(&near, scale)),
            Difference(Egg::make(&near, scale), Ring::make(raw, scale)),
        )
    }
}

impl<V: Vector> Make<V> for AllBut {
    type Shape = Complement<Hollow<Sphere<V>>>;
    fn make(raw: &Raw, scale: Scale) -> Self::Shape {
        Complement(Skin::<Ball>::make(raw, scale))
    }
}
