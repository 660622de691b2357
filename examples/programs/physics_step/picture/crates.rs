//! Draws the crates.

use orthant::glam::DVec3;
use orthant::{Aabb, Sphere};

use super::Hit;
use crate::camera::Camera;
use crate::scene::RADII;
use crate::shared::decode;

/// The distance along a ray at which it enters a box from outside, and the normal of the face there.
pub(crate) fn met(bounds: &Aabb<DVec3>, from: DVec3, ray: DVec3) -> Option<(f64, DVec3)> {
    let low = (bounds.min() - from) / ray;
    let high = (bounds.max() - from) / ray;
    let (enter, leave) = (low.min(high), low.max(high));
    let axis = enter.max_position();
    let met = enter[axis] <= leave.min_element() && enter[axis] > 0.0;
    met.then(|| (enter[axis], -DVec3::AXES[axis] * ray[axis].signum()))
}

pub(super) fn draw(hits: &mut [Hit], camera: &Camera, bounds: &Aabb<DVec3>) {
    let (middle, half) = (bounds.center(), 0.5 * bounds.size());
    let span = (half.element_sum() / 3.0 - RADII.0) / (RADII.1 - RADII.0);
    // The crates are of wood; small ones are lighter.
    let paint = colorous::YELLOW_ORANGE_BROWN.eval_continuous((0.25 + 0.5 * span).clamp(0.0, 1.0));
    let color = decode([paint.r, paint.g, paint.b]);
    for i in camera.pixels_around(middle, half.length()) {
        let ray = camera.ray(i).normalize();
        let Some((distance, normal)) = met(bounds, camera.eye, ray) else {
            continue;
        };
        if distance < hits[i].distance {
            // Boards along the edges are darker.
            let at = (camera.eye + ray * distance - middle).abs() / half;
            let edge = at.to_array().iter().filter(|&&x| x > 0.86).count() > 1;
            hits[i] = Hit {
                distance,
                normal,
                color: if edge { color * 0.72 } else { color },
                lit: true,
            };
        }
    }
}

/// The ball of the same volume, for the light.
pub(super) fn as_ball(bounds: &Aabb<DVec3>) -> Sphere<DVec3> {
    let size = bounds.size();
    let volume = size.x * size.y * size.z;
    let radius = (volume * 3.0 / (4.0 * std::f64::consts::PI)).cbrt();
    Sphere::new(bounds.center(), radius)
}
