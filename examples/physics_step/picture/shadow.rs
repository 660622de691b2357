//! How far the sun reaches: a depth map seen from it.

use orthant::Sphere;
use orthant::glam::DVec3;

use crate::scene::Tub;

const SIZE: usize = 1500;
/// Blurred over this many cells to each side.
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
    pub(crate) fn new(balls: &[Sphere<DVec3>], sun: DVec3, tub: Tub) -> Self {
        let right = sun.cross(DVec3::Z).normalize();
        let mut map = Self {
            sun,
            right,
            up: right.cross(sun),
            reach: 2.0 * tub.half + tub.rim,
            heights: vec![f64::NEG_INFINITY; SIZE * SIZE],
        };
        for ball in balls {
            map.cover(ball);
        }
        map
    }

    fn cell(&self) -> f64 {
        2.0 * self.reach / SIZE as f64
    }

    fn cover(&mut self, ball: &Sphere<DVec3>) {
        let (c, r) = (ball.center(), ball.radius());
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
                let inside = r * r - dx * dx - dy * dy;
                if inside > 0.0 {
                    let height = &mut self.heights[row * SIZE + column];
                    *height = height.max(c.dot(self.sun) + inside.sqrt());
                }
            }
        }
    }

    /// 0 in the shadow, 1 in the sun.
    pub(crate) fn light_at(&self, at: DVec3, normal: DVec3) -> f64 {
        let cell = self.cell();
        // Off the surface, which must not shade itself.
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
