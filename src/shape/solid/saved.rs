//! The serde form of a solid: what it was made of, from which the rest is computed.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use smallvec::SmallVec;

use super::corners::{AROUND, check_corners};
use crate::shape::polytope::{
    HalfSpace, Point, Polytope, cross, dot, exceeds_rounding, largest, magnitude, narrow,
};
use crate::shape::{ConvexSolid, Plane};
use crate::vector::Vector;

#[derive(serde::Serialize, serde::Deserialize)]
pub(super) enum Raw {
    Planes(Vec<Plane<Point>>),
    Corners([Point; 8]),
    /// Corners, and the normals of the faces behind them.
    Oriented([Point; 8], [Point; 3]),
    /// The corners around a quadrilateral in the plane.
    Outline([[f64; 2]; 4]),
}

impl<V: Vector> From<ConvexSolid<V>> for Raw {
    fn from(solid: ConvexSolid<V>) -> Self {
        let Polytope {
            planes, corners, ..
        } = &solid.solid;
        if V::DIM == 2 {
            return Raw::Outline(AROUND.map(|place| [corners[place][0], corners[place][1]]));
        }
        if Polytope::unbounded(planes).as_ref() != Ok(&solid.solid)
            && let Ok(corners) = <[Point; 8]>::try_from(&corners[..])
        {
            return if ConvexSolid::of_eight(corners.map(narrow)).as_ref() == Ok(&solid) {
                Raw::Corners(corners)
            } else {
                Raw::Oriented(corners, [0, 2, 4].map(|face| planes[face].n))
            };
        }
        Raw::Planes(solid.planes())
    }
}

impl<V: Vector> TryFrom<Raw> for ConvexSolid<V> {
    type Error = String;

    fn try_from(raw: Raw) -> Result<Self, String> {
        let dimension = if let Raw::Outline(_) = raw { 2 } else { 3 };
        if V::DIM != dimension {
            return Err(format!("solid of {dimension} dimensions"));
        }
        let solid = match raw {
            Raw::Planes(planes) => {
                let count = planes.len();
                if !(5..=6).contains(&count) {
                    return Err(format!("solid of {count} planes"));
                }
                let planes: SmallVec<[HalfSpace; 6]> =
                    planes.iter().map(Plane::half_space).collect();
                Polytope::unbounded(&planes).map(Self::of)
            }
            Raw::Corners(corners) => {
                let corners = corners.map(narrow);
                check_corners(&corners).and_then(|()| Self::of_eight(corners))
            }
            Raw::Oriented(corners, normals) => {
                check_oriented(&corners, normals)?;
                Polytope::of_corners(corners, Some(normals), 0.0).and_then(Self::bounded)
            }
            Raw::Outline(corners) => check_corners(&corners)
                .and_then(|()| Self::around(corners.map(|[x, y]| [x, y, 0.0]))),
        };
        solid.map_err(|error| error.to_string())
    }
}

/// Refuses corners that do not lie, but for rounding, in faces with the given normals.
fn check_oriented(corners: &[Point; 8], normals: [Point; 3]) -> Result<(), String> {
    let numbers = corners.iter().chain(&normals).flatten();
    if numbers.clone().any(|number| !number.is_finite()) {
        return Err("number that is not finite".into());
    }
    // Normals are written with their largest coordinate in `[1, 2)`.
    if normals.iter().any(|&n| !(1.0..2.0).contains(&largest(n))) {
        return Err("normal that is too long or short".into());
    }
    let determinant = dot(normals[0], cross(normals[1], normals[2]));
    if !exceeds_rounding(determinant, magnitude(normals)) {
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
