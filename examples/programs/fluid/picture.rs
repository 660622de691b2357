//! Draws the water in its tank: the room behind it, refracted and tinted, and the sky, reflected.

mod room;
mod surface;

use image::RgbImage;
use orthant::glam::{DVec2, DVec3, Vec3};
use rayon::prelude::*;

use crate::camera::Camera;
use crate::scene::TANK;
use crate::shared::{edges, mean_light};
use crate::water::Water;
use room::{SUN, seen, sky, to_obstacle};
use surface::Surface;

/// Samples per pixel along each axis: fewer in debug builds, where each takes thirty times as long.
const SAMPLES: usize = if cfg!(debug_assertions) { 1 } else { 2 };
/// Absorption of each color per metre of water.
const TAKEN: Vec3 = Vec3::new(4.5, 1.5, 0.9);
/// The color of the water itself.
const OWN: Vec3 = Vec3::new(0.015, 0.15, 0.25);
const FOAM: Vec3 = Vec3::new(0.93, 0.96, 0.98);
const EDGE: Vec3 = Vec3::new(0.20, 0.26, 0.30);
/// The refractive index of water.
const REFRACTION: f32 = 1.33;

/// A corner of the tank, by the bits of its number.
pub(crate) fn corner(number: usize) -> Vec3 {
    TANK * Vec3::from_array([1, 2, 4].map(|bit| if number & bit == 0 { 0.0 } else { 1.0 }))
}

pub(crate) fn draw(water: &Water, size: [u32; 2]) -> RgbImage {
    let [width, height] = size.map(|s| s as usize * SAMPLES);
    // The camera sees the whole tank.
    let tank = TANK.as_dvec3();
    let target = tank * DVec3::new(0.5, 0.5, 0.3);
    let eye = target + DVec3::new(0.45, -1.0, 0.45).normalize() * 1.7 * tank.x;
    let corners = (0..8).map(|i| corner(i).as_dvec3());
    let camera = Camera::new(eye, target, corners, 0.9, [width, height]);
    let eye = eye.as_vec3();
    let surface = Surface::new(water, &camera);
    let color = |i: usize| {
        let ray = camera.ray(i).as_vec3();
        let hidden = to_obstacle(eye, ray).map_or(f32::MAX, |(depth, _)| depth);
        let color = if surface.depths[i] < hidden {
            on_water(&surface, &camera, i % width, i / width)
        } else {
            seen(eye, ray.normalize())
        };
        color.as_dvec3()
    };
    let mut colors: Vec<DVec3> = (0..width * height).into_par_iter().map(color).collect();
    for ends in edges() {
        draw_edge(&mut colors, &surface, &camera, ends.map(corner));
    }
    mean_light(&colors, size[0] as usize, SAMPLES)
}

fn on_water(surface: &Surface, camera: &Camera, x: usize, y: usize) -> Vec3 {
    let i = y * camera.width + x;
    let way = camera.ray(i).normalize().as_vec3();
    let at = place(surface, camera, x, y);
    let normal = normal(surface, camera, x, y);
    let facing = (-way.dot(normal)).clamp(0.0, 1.0);
    let mirrored = way - 2.0 * way.dot(normal) * normal;
    let bent = bend(way, normal, facing);
    // Schlick's approximation of Fresnel reflection.
    let shine = 0.02 + 0.98 * (1.0 - facing).powi(5);
    // The light that comes through the water, and the color of the water where it absorbs.
    let left = (-TAKEN * surface.thickness[i]).exp();
    let body = left * seen(at, bent) + (Vec3::ONE - left) * OWN;
    // The mirrored sky and sun, and foam on top.
    let glint = mirrored.dot(SUN.normalize()).max(0.0).powi(120);
    let wet = body.lerp(sky(mirrored), shine) + Vec3::splat(1.5 * glint);
    let light = 0.65 + 0.35 * normal.dot(SUN.normalize()).max(0.0);
    wet.lerp(light * FOAM, 1.0 - (-surface.foam[i]).exp())
}

/// The point of the surface that a pixel shows.
fn place(surface: &Surface, camera: &Camera, x: usize, y: usize) -> Vec3 {
    let i = y * camera.width + x;
    (camera.eye + camera.ray(i) * f64::from(surface.depths[i])).as_vec3()
}

/// The normal of the surface. On each axis, of the two neighbouring pixels it takes the one nearer in depth: the
/// other may show water behind.
fn normal(surface: &Surface, camera: &Camera, x: usize, y: usize) -> Vec3 {
    let at = place(surface, camera, x, y);
    let depth = surface.depths[y * camera.width + x];
    let slope = |before: Option<(usize, usize)>, after: Option<(usize, usize)>| {
        let step = |pixel: Option<(usize, usize)>, sign: f32| {
            let (x, y) = pixel?;
            let other = surface.depths[y * camera.width + x];
            let way = sign * (place(surface, camera, x, y) - at);
            other.is_finite().then_some(((other - depth).abs(), way))
        };
        let nearer = [step(before, -1.0), step(after, 1.0)].into_iter().flatten();
        let nearer = nearer.min_by(|a, b| a.0.total_cmp(&b.0));
        nearer.map(|(_, way)| way)
    };
    let next = |at: usize, end: usize| (at + 1 < end).then_some(at + 1);
    let across = slope(
        x.checked_sub(1).map(|x| (x, y)),
        next(x, camera.width).map(|x| (x, y)),
    );
    let down = slope(
        y.checked_sub(1).map(|y| (x, y)),
        next(y, camera.height).map(|y| (x, y)),
    );
    match (across, down) {
        (Some(across), Some(down)) => down.cross(across).normalize_or(Vec3::Z),
        _ => Vec3::Z,
    }
}

/// The direction of a refracted ray, by Snell's law.
fn bend(way: Vec3, normal: Vec3, facing: f32) -> Vec3 {
    let ratio = 1.0 / REFRACTION;
    let inner = (1.0 - ratio * ratio * (1.0 - facing * facing))
        .max(0.0)
        .sqrt();
    ratio * way + (ratio * facing - inner) * normal
}

/// Draws a line where no water hides it.
fn draw_edge(colors: &mut [DVec3], surface: &Surface, camera: &Camera, ends: [Vec3; 2]) {
    let steps = 4 * camera.width;
    for s in 0..=steps {
        let place = ends[0].lerp(ends[1], s as f32 / steps as f32);
        let (at, depth) = camera.project(place.as_dvec3());
        let within = at.cmpge(DVec2::ZERO).all()
            && at.x < camera.width as f64
            && at.y < camera.height as f64;
        if within {
            let i = at.y as usize * camera.width + at.x as usize;
            if depth < f64::from(surface.depths[i]) {
                colors[i] = EDGE.as_dvec3();
            }
        }
    }
}
