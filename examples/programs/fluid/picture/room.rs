//! The surroundings of the water: the floor of the tank, its glass, the ground and the sky.

use orthant::glam::Vec3;

use crate::scene::{TANK, obstacle};

pub(super) const SUN: Vec3 = Vec3::new(-0.48, -0.40, 0.78);
/// The edge of a tile, in metres.
const TILE: f32 = 0.15;
const TILES: [Vec3; 2] = [Vec3::new(0.90, 0.91, 0.88), Vec3::new(0.60, 0.66, 0.68)];
const WOOD: Vec3 = Vec3::new(0.72, 0.42, 0.16);
const GROUND: Vec3 = Vec3::new(0.72, 0.73, 0.74);
const HAZE: Vec3 = Vec3::new(0.82, 0.87, 0.92);
const ZENITH: Vec3 = Vec3::new(0.25, 0.45, 0.75);

pub(super) fn sky(way: Vec3) -> Vec3 {
    let height = way.z.max(0.0).sqrt();
    HAZE.lerp(ZENITH, height)
}

/// The distance along a ray to the obstacle, in lengths of `way`, and the normal of the face there.
pub(super) fn to_obstacle(from: Vec3, way: Vec3) -> Option<(f32, Vec3)> {
    let bounds = obstacle();
    let (a, b) = ((bounds.min() - from) / way, (bounds.max() - from) / way);
    let (enter, leave) = (a.min(b), a.max(b));
    let distance = enter.max_element();
    let axis = enter.max_position();
    let normal = Vec3::AXES[axis] * -way[axis].signum();
    (distance > 0.0 && distance < leave.min_element()).then_some((distance, normal))
}

/// The color of the obstacle, on a face with this normal.
pub(super) fn wood(normal: Vec3) -> Vec3 {
    WOOD * (0.55 + 0.45 * normal.dot(SUN.normalize()).max(0.0))
}

/// The color that is seen from a place in a direction, without the water.
pub(super) fn seen(from: Vec3, way: Vec3) -> Vec3 {
    let walls = [(0, 0.0), (0, TANK.x), (1, TANK.y)];
    let mut glass = 1.0;
    for (axis, plane) in walls {
        let distance = (plane - from[axis]) / way[axis];
        let at = from + distance * way;
        let slack = Vec3::splat(1e-3);
        let within = at.cmpge(-slack).all() && at.cmple(TANK + slack).all();
        if distance > 0.0 && within {
            glass *= 0.93;
        }
    }
    if let Some((_, normal)) = to_obstacle(from, way) {
        return wood(normal);
    }
    let distance = -from.z / way.z;
    if way.z >= 0.0 || distance < 0.0 {
        return glass * sky(way);
    }
    let at = from + distance * way;
    let inside = at.x >= 0.0 && at.x <= TANK.x && at.y >= 0.0 && at.y <= TANK.y;
    if inside {
        let odd = (at.x / TILE).floor() + (at.y / TILE).floor();
        return glass * TILES[odd.rem_euclid(2.0) as usize];
    }
    let far = (at - 0.5 * TANK).length() / TANK.x;
    let haze = ((far - 0.8) / 4.0).clamp(0.0, 1.0);
    glass * GROUND.lerp(HAZE, haze.sqrt())
}
