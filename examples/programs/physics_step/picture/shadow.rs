//! The shadows of the sun: a depth map as the sun sees it.

use orthant::glam::DVec3;
use orthant::{Aabb, Sphere};

use super::crates::met;
use crate::scene::Tub;

const SIZE: usize = 1500;
/// Shadows are blurred over this many cells to each side.
const BLUR: isize = 2;

pub(crate) struct ShadowMap {
    sun: DVec3,
    right: DVec3,
    up: DVec3,
    /// Half the width of the map.
    reach: f64,
    /// The height above the origin, towards the sun, of the first thing hit.
    heights: Vec<f64>,
}

impl ShadowMap {
    pub(crate) fn new(
        balls: &[Sphere<DVec3>],
        crates: &[Aabb<DVec3>],
        sun: DVec3,
        tub: Tub,
    ) -> Self {
        let right = sun.cross(DVec3::Z).normalize();
        let mut map = Self {
            sun,
            right,
            up: right.cross(sun),
            reach: 2.0 * tub.half + tub.rim,
            heights: vec![f64::NEG_INFINITY; SIZE * SIZE],
        };
        for ball in balls {
            let (c, r) = (ball.center(), ball.radius());
            map.cover(c, r, |x, y| {
                let inside = r * r - x * x - y * y;
                (inside > 0.0).then(|| c.dot(sun) + inside.sqrt())
            });
        }
        for bounds in crates {
            let (c, r) = (bounds.center(), 0.5 * bounds.size().length());
            map.cover(c, r, |x, y| {
                let from = c + right * x + right.cross(sun) * y + sun * r;
                let (way, _) = met(bounds, from, -sun)?;
                Some(from.dot(sun) - way)
            });
        }
        map
    }

    fn cell(&self) -> f64 {
        2.0 * self.reach / SIZE as f64
    }

    /// Raises the map within `r` of `c` to the height of a body. `height_at` gives that height at an offset to the
    /// right and up, as seen from the sun.
    fn cover(&mut self, c: DVec3, r: f64, height_at: impl Fn(f64, f64) -> Option<f64>) {
        let (x, y) = (c.dot(self.right) + self.reach, c.dot(self.up) + self.reach);
        let cell = self.cell();
        let range = |middle: f64| {
            let index = |x: f64| (x / cell).clamp(0.0, SIZE as f64) as usize;
            index(middle - r)..index(middle + r + cell)
        };
        for row in range(y) {
            for column in range(x) {
                let dx = (column as f64 + 0.5) * cell - x;
                let dy = (row as f64 + 0.5) * cell - y;
                if let Some(there) = height_at(dx, dy) {
                    let height = &mut self.heights[row * SIZE + column];
                    *height = height.max(there);
                }
            }
        }
    }

    /// The share of the sun's light at a point: 0 in the shadow, 1 in the sun.
    pub(crate) fn light_at(&self, at: DVec3, normal: DVec3) -> f64 {
        let cell = self.cell();
        // The point is moved off the surface, which must not shade itself.
        let at = at + normal * (3.0 * cell);
        let column = ((at.dot(self.right) + self.reach) / cell).floor() as isize;
        let row = ((at.dot(self.up) + self.reach) / cell).floor() as isize;
        let height = at.dot(self.sun) + 2.0 * cell;
        let (mut lit, mut all) = (0, 0);
        for y in row - BLUR..=row + BLUR {
            for x in column - BLUR..=column + BLUR {
                let known = (0..SIZE as isize).contains(&x) && (0..SIZE as isize).contains(&y);
                let hidden = known && self.heights[y as usize * SIZE + x as usize] > height;
                lit += i32::from(!hidden);
                all += 1;
            }
        }
        f64::from(lit) / f64::from(all)
    }
}
