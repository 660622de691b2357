//! Draws the bodies in their box, seen from above and in front.
//!
//! A depth buffer finds the visible points. Each of them is lit by a sun, with a shadow map, and by the sky. Balls
//! around the point dim the sky by a closed formula (I. Quilez, "Sphere ambient occlusion"), in which a crate is a
//! ball of its volume. The walls are of glass: they take light and cast no shadow, and those between the eye and the
//! balls show only their edges.

mod crates;
mod shadow;

use image::RgbImage;
use orthant::glam::DVec3;
use orthant::{Orthtree, Sphere};
use rayon::prelude::*;

use crate::camera::Camera;
use crate::scene::{RADII, Tub};
use crate::shared::{decode, edges, mean_light};
use crate::world::World;
use shadow::ShadowMap;

const WIDTH: usize = 1000;
const HEIGHT: usize = 750;
/// Samples per pixel along each axis: fewer in debug builds, where each takes thirty times as long.
const SAMPLES: usize = if cfg!(debug_assertions) { 1 } else { 2 };
/// Distance within which balls dim the sky.
const NEARBY: f64 = 2.0 * RADII.1;
const SUN: DVec3 = DVec3::new(-0.45, -0.5, 0.74);
const SUN_LIGHT: DVec3 = DVec3::new(1.05, 0.99, 0.88);
const SKY_LIGHT: DVec3 = DVec3::new(0.58, 0.62, 0.70);
const GLASS: DVec3 = DVec3::new(0.68, 0.76, 0.80);
const GROUND: DVec3 = DVec3::new(0.62, 0.61, 0.58);
const EDGE: DVec3 = DVec3::new(0.03, 0.05, 0.08);
const HAZE: DVec3 = DVec3::new(0.80, 0.84, 0.88);

/// The point of a surface that a sample shows.
#[derive(Clone, Copy)]
struct Hit {
    distance: f64,
    normal: DVec3,
    color: DVec3,
    /// Edges are not lit.
    lit: bool,
}

const NOTHING: Hit = Hit {
    distance: f64::INFINITY,
    normal: DVec3::ZERO,
    color: HAZE,
    lit: false,
};

pub(crate) fn draw(world: &World) -> RgbImage {
    let balls: Vec<_> = world.balls().map(|(_, ball)| ball).collect();
    let crates: Vec<_> = world.crates().map(|(_, bounds)| bounds).collect();
    let size = [WIDTH, HEIGHT].map(|side| side * SAMPLES);
    // The camera sees the whole box.
    let target = DVec3::new(0.0, 0.0, 0.3 * world.tub.rim);
    let eye = target + DVec3::new(0.30, -1.0, 0.72).normalize() * 6.5 * world.tub.half;
    let corners = (0..8).map(|i| corner(world.tub, i));
    let camera = Camera::new(eye, target, corners, 0.92, size);
    let mut hits = vec![NOTHING; size[0] * size[1]];
    for ball in &balls {
        draw_ball(&mut hits, &camera, ball);
    }
    for bounds in &crates {
        crates::draw(&mut hits, &camera, bounds);
    }
    let shading: Vec<_> = balls
        .iter()
        .copied()
        .chain(crates.iter().map(crates::as_ball))
        .collect();
    draw_planes(&mut hits, &camera, world.tub);
    draw_edges(&mut hits, &camera, world.tub);

    let light = Light {
        shadow: ShadowMap::new(&balls, &crates, SUN.normalize(), world.tub),
        tree: Orthtree::new(&shading),
        balls: &shading,
        tub: world.tub,
    };
    let colors: Vec<DVec3> = hits
        .par_iter()
        .enumerate()
        .map(|(i, hit)| {
            let at = camera.eye + camera.ray(i).normalize() * hit.distance;
            if hit.lit {
                light.on(hit, at)
            } else {
                hit.color
            }
        })
        .collect();
    mean_light(&colors, WIDTH, SAMPLES)
}

/// A corner of the box, by the bits of its number.
pub(crate) fn corner(tub: Tub, number: usize) -> DVec3 {
    let side = |bit: usize| {
        if number & bit == 0 {
            -tub.half
        } else {
            tub.half
        }
    };
    let height = if number & 4 == 0 { 0.0 } else { tub.rim };
    DVec3::new(side(1), side(2), height)
}

fn draw_ball(hits: &mut [Hit], camera: &Camera, ball: &Sphere<DVec3>) {
    let span = (ball.radius() - RADII.0) / (RADII.1 - RADII.0);
    let paint = colorous::SPECTRAL.eval_continuous(span.clamp(0.0, 1.0));
    let color = decode([paint.r, paint.g, paint.b]);
    for i in camera.pixels_around(ball.center(), ball.radius()) {
        let ray = camera.ray(i).normalize();
        let to = camera.eye - ball.center();
        let b = to.dot(ray);
        let inside = b * b - to.length_squared() + ball.radius() * ball.radius();
        if inside < 0.0 {
            continue;
        }
        let distance = -b - inside.sqrt();
        if distance > 0.0 && distance < hits[i].distance {
            let normal = (to + ray * distance) / ball.radius();
            hits[i] = Hit {
                distance,
                normal,
                color,
                lit: true,
            };
        }
    }
}

/// Draws the ground, and the walls that the eye sees from within.
fn draw_planes(hits: &mut [Hit], camera: &Camera, tub: Tub) {
    let far = 14.0 * tub.half;
    let walls = [DVec3::X, DVec3::NEG_X, DVec3::NEG_Y];
    for (i, hit) in hits.iter_mut().enumerate() {
        let ray = camera.ray(i).normalize();
        for normal in walls {
            if ray.dot(normal) >= 0.0 {
                continue;
            }
            let distance = -(camera.eye.dot(normal) + tub.half) / ray.dot(normal);
            let at = camera.eye + ray * distance;
            let within = at.x.abs() <= tub.half * (1.0 + 1e-9)
                && at.y.abs() <= tub.half * (1.0 + 1e-9)
                && (0.0..=tub.rim).contains(&at.z);
            if within && distance < hit.distance {
                *hit = Hit {
                    distance,
                    normal,
                    color: GLASS,
                    lit: true,
                };
            }
        }
        let distance = -camera.eye.z / ray.z;
        if ray.z < 0.0 && distance < hit.distance {
            let haze = ((distance - 0.3 * far) / far).clamp(0.0, 1.0);
            let color = GROUND.lerp(HAZE, haze);
            *hit = Hit {
                distance,
                normal: DVec3::Z,
                color,
                lit: haze < 1.0,
            };
        }
    }
}

fn draw_edges(hits: &mut [Hit], camera: &Camera, tub: Tub) {
    let thick = 0.006 * tub.half;
    for ends in edges() {
        let [a, b] = ends.map(|i| corner(tub, i));
        // An edge is a row of small discs.
        let steps = 4000;
        for s in 0..=steps {
            let at = a.lerp(b, f64::from(s) / f64::from(steps));
            let distance = at.distance(camera.eye) - 3.0 * thick;
            for i in camera.pixels_around(at, thick) {
                let (center, depth) = camera.project(at);
                let near = camera.pixel(i).distance(center) <= camera.size(thick, depth);
                if near && distance < hits[i].distance {
                    hits[i] = Hit {
                        distance,
                        normal: DVec3::ZERO,
                        color: EDGE,
                        lit: false,
                    };
                }
            }
        }
    }
}

struct Light<'a> {
    shadow: ShadowMap,
    tree: Orthtree<Sphere<DVec3>>,
    balls: &'a [Sphere<DVec3>],
    tub: Tub,
}

impl Light<'_> {
    fn on(&self, hit: &Hit, at: DVec3) -> DVec3 {
        let sun = SUN.normalize().dot(hit.normal).max(0.0);
        let sun = if sun > 0.0 {
            sun * self.shadow.light_at(at, hit.normal)
        } else {
            0.0
        };
        let sky = (0.72 + 0.28 * hit.normal.z) * self.open_sky(at, hit.normal);
        hit.color * (SUN_LIGHT * sun + SKY_LIGHT * sky)
    }

    /// The share of the sky's light that reaches a point.
    fn open_sky(&self, at: DVec3, normal: DVec3) -> f64 {
        let mut open = 1.0;
        for i in self.tree.query(Sphere::new(at, NEARBY)) {
            let ball = &self.balls[i];
            let way = ball.center() - at;
            let distance = way.length().max(ball.radius());
            let facing = (normal.dot(way) / distance).max(0.0);
            // The effect fades out towards the border of the query.
            let fade = ((NEARBY - (distance - ball.radius())) / NEARBY).clamp(0.0, 1.0);
            open *= 1.0 - facing * (ball.radius() / distance).powi(2) * fade;
        }
        let Tub { half, rim } = self.tub;
        let inside = at.x.abs() <= 1.001 * half && at.y.abs() <= 1.001 * half && at.z <= rim;
        if inside {
            for (out, room) in [
                (DVec3::X, half - at.x),
                (DVec3::NEG_X, half + at.x),
                (DVec3::Y, half - at.y),
                (DVec3::NEG_Z, at.z),
            ] {
                let facing = 0.5 + 0.5 * normal.dot(out);
                open *= 1.0 - 0.4 * facing * (-room.max(0.0) / NEARBY).exp();
            }
        }
        open
    }
}
