//! A solid as a serde value: what it was made of, from which the rest follows.

use alloc::string::{String, ToString};

use crate::shape::polytope::{Point, Polytope, cross, dot, largest, narrow};
use crate::shape::solid::saved_as;
use crate::shape::{Hexahedron, Plane, frustum};
use crate::vector::{Space, Vector};

#[derive(serde::Serialize, serde::Deserialize)]
pub(super) enum Raw {
    Planes([Plane<Point>; 6]),
    Corners([Point; 8]),
    /// Corners, and the normals of the faces behind them.
    Oriented([Point; 8], [Point; 3]),
}

saved_as!(Hexahedron<V: Space> as Raw);

impl<V: Vector + Space> From<&Hexahedron<V>> for Raw {
    fn from(solid: &Hexahedron<V>) -> Self {
        let Polytope {
            planes, corners, ..
        } = &solid.solid;
        if Polytope::bounded(planes).as_ref() != Ok(&solid.solid)
            && let Ok(corners) = <[Point; 8]>::try_from(&corners[..])
        {
            let of_corners = Hexahedron::try_from_corners(corners.map(narrow::<V>));
            return if of_corners.as_ref() == Ok(solid) {
                Self::Corners(corners)
            } else {
                Self::Oriented(corners, [0, 2, 4].map(|face| planes[face].n))
            };
        }
        Self::Planes([0, 1, 2, 3, 4, 5].map(|face| Plane::new(planes[face].n, planes[face].k)))
    }
}

impl<V: Vector + Space> TryFrom<Raw> for Hexahedron<V> {
    type Error = String;

    fn try_from(raw: Raw) -> Result<Self, String> {
        let solid = match raw {
            Raw::Planes(planes) => Polytope::bounded(&planes.map(|plane| plane.half_space())),
            Raw::Corners(corners) => {
                let solid = Self::try_from_corners(corners.map(narrow::<V>));
                return solid.map_err(|error| error.to_string());
            }
            Raw::Oriented(corners, normals) => {
                check_oriented(&corners, normals)?;
                Polytope::of_corners(corners, Some(normals), 0.0)
            }
        };
        let solid = solid.and_then(Self::bounded);
        solid.map_err(|error| error.to_string())
    }
}

/// Corners that come with normals are taken to lie in the faces of these, but for rounding.
fn check_oriented(corners: &[Point; 8], normals: [Point; 3]) -> Result<(), String> {
    let numbers = corners.iter().chain(&normals).flatten();
    if numbers.clone().any(|number| !number.is_finite()) {
        return Err("number that is not finite".into());
    }
    // As they were written, the largest coordinate of each lies in `[1, 2)`.
    if normals.iter().any(|&n| !(1.0..2.0).contains(&largest(n))) {
        return Err("normal that is too long or short".into());
    }
    let determinant = dot(normals[0], cross(normals[1], normals[2]));
    if !frustum::exceeds_rounding(determinant, frustum::magnitude(normals)) {
        return Err("normals in a plane".into());
    }
    let far = corners
        .iter()
        .fold(0.0, |most: f64, &c| most.max(largest(c)));
    for (axis, &normal) in normals.iter().enumerate() {
        for side in 0..2 {
            let of_side = (0..8).filter(|corner| corner >> axis & 1 == side);
            let heights = of_side.map(|corner: usize| dot(normal, corners[corner]));
            let ends = (f64::INFINITY, f64::NEG_INFINITY);
            let (low, high) = heights.fold(ends, |(low, high), h| (low.min(h), high.max(h)));
            if high - low > 256.0 * f64::EPSILON * far {
                return Err("corner off its face".into());
            }
        }
    }
    Ok(())
}
