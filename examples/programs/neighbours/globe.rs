//! Converts places on a globe to points on the unit sphere. What is nearer along a great circle is also nearer along
//! the chord, even across the poles and the date line.

use std::f64::consts::PI;

use orthant::glam::{DVec2, DVec3};

use crate::Failure;

/// The mean radius of the earth, in km.
const EARTH: f64 = 6371.0088;

/// Converts longitudes and latitudes in degrees.
pub(crate) fn places(degrees: &[DVec2]) -> Result<Vec<DVec3>, Failure> {
    let place = |(index, at): (usize, &DVec2)| {
        if at.y.abs() > 90.0 {
            return Err(format!("point {index}: latitude {} is beyond a pole", at.y));
        }
        let (sin, cos) = at.x.to_radians().sin_cos();
        let (north, out) = at.y.to_radians().sin_cos();
        Ok(DVec3::new(out * cos, out * sin, north))
    };
    let places: Result<_, String> = degrees.iter().enumerate().map(place).collect();
    Ok(places?)
}

/// The chord of an arc of this length. If the arc is half of a great circle or longer, all places are near: the
/// result exceeds the diameter.
pub(crate) fn chord(km: f64) -> f64 {
    let angle = km / EARTH;
    if angle < PI {
        2.0 * (0.5 * angle).sin()
    } else {
        3.0
    }
}
