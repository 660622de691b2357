//! Makes convex solids from small integers, in space and in the plane.

use orthant::{Frustum, Hexahedron, Planar, Plane, Quadrilateral, Scalar, Space, Vector};

use crate::make::{Make, Raw, Scale, place};

/// Oriented boxes, frustums by their corners, and solids of six half-spaces.
pub(crate) struct Solid;
/// Oriented boxes in the plane, and quadrilaterals by their corners.
pub(crate) struct Turned;
/// Frustums without a far plane.
pub(crate) struct Camera;

fn vector<V: Vector>(values: [f64; 3]) -> V {
    V::from_fn(|a| Scalar::from_f64(values[a]))
}

impl<V: Vector + Space> Make<V> for Solid {
    type Shape = Hexahedron<V>;

    fn make(raw: &Raw, scale: Scale) -> Hexahedron<V> {
        let center: V = place(raw, scale);
        let [a, b, c, kind] = raw.1.map(|size| f64::from(size.max(1)));
        let step = scale.step();
        // If the scale rounds the step to zero, all kinds but the last are refused.
        let made = match kind as u8 % 5 {
            0 => Hexahedron::try_oriented(
                center,
                vector([a * step, b * step, c * step]),
                [[1.0, 1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(vector),
            ),
            1 => Hexahedron::try_oriented(
                center,
                vector([a * step, b * step, c * step]),
                [[2.0, 2.0, 1.0], [-2.0, 1.0, 2.0], [1.0, -2.0, 2.0]].map(vector),
            ),
            2 => Hexahedron::try_from_corners([0, 1, 2, 3, 4, 5, 6, 7].map(|i: usize| {
                let half = if i & 4 == 0 { a } else { a + b };
                let side = |bit: usize| if i & bit == 0 { -half } else { half };
                let away: [f64; 3] = [side(1), side(2), if i & 4 == 0 { 0.0 } else { c }];
                let base = |axis| -> f64 { center.axis(axis).into() };
                vector([0, 1, 2].map(|axis| base(axis) + away[axis] * step))
            })),
            3 => {
                let wedge = [
                    ([-1.0, 0.0, 0.0], a),
                    ([1.0, 0.0, 0.0], 100.0),
                    ([0.0, -1.0, 0.0], b),
                    ([0.0, 1.0, 0.0], b),
                    ([2.0, 0.0, -1.0], c),
                    ([2.0, 0.0, 1.0], c),
                ];
                let planes = wedge.map(|(normal, k)| {
                    let at = (0..3).map(|i| normal[i] * Into::<f64>::into(center.axis(i)));
                    let k = at.sum::<f64>() + k * step;
                    Plane::new(vector::<V>(normal), Scalar::from_f64(k))
                });
                Hexahedron::try_from_planes(planes)
            }
            _ => Hexahedron::try_oriented(
                center,
                vector([a * step, b * step, c * step]),
                [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(vector),
            ),
        };
        made.unwrap_or_else(|_| {
            let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
            Hexahedron::oriented(center, V::splat(Scalar::ONE), axes.map(vector))
        })
    }
}

impl<V: Vector + Space> Make<V> for Camera {
    type Shape = Frustum<V>;

    fn make(raw: &Raw, scale: Scale) -> Frustum<V> {
        let eye: V = place(raw, scale);
        let looks = usize::from(raw.1[0]);
        let axis = |i: usize, size: f64| {
            let mut row = [0.0; 3];
            row[(looks + i) % 3] = size;
            row
        };
        let forward = axis(0, if looks % 2 == 0 { 1.0 } else { -1.0 });
        let rows = [axis(1, 0.5), axis(2, 1.0), [0.0; 3], forward];
        let near = scale.step() * f64::from(raw.1[1].max(1));
        let columns = |near: f64| {
            [0, 1, 2, 3].map(|c: usize| {
                [0, 1, 2, 3].map(|r: usize| -> V::Scalar {
                    let at = |i: usize| rows[r][i] * Into::<f64>::into(eye.axis(i));
                    Scalar::from_f64(match (r, c) {
                        (2, 3) => near,
                        (_, 3) => 0.0 - (at(0) + at(1) + at(2)),
                        _ => rows[r][c],
                    })
                })
            })
        };
        Frustum::try_from_view_projection(columns(near))
            .unwrap_or_else(|_| Frustum::from_view_projection(columns(1.0)))
    }
}

impl<V: Vector + Planar> Make<V> for Turned {
    type Shape = Quadrilateral<V>;

    fn make(raw: &Raw, scale: Scale) -> Quadrilateral<V> {
        let center: V = place(raw, scale);
        let [a, b, c, kind] = raw.1.map(|size| f64::from(size.max(1)));
        let step = scale.step();
        let pair = |x: f64, y: f64| vector::<V>([x, y, 0.0]);
        let half = pair(a * step, b * step);
        // If the scale rounds the step to zero, all kinds but the last are refused.
        let made = match kind as u8 % 4 {
            0 => Quadrilateral::try_oriented(center, half, [pair(1.0, 1.0), pair(-1.0, 1.0)]),
            1 => Quadrilateral::try_oriented(center, half, [pair(0.6, 0.8), pair(-0.8, 0.6)]),
            2 => {
                let away = [(-a, 0.0), (0.0, -b), (c, 0.0), (0.0, a)];
                let corner = |(x, y): (f64, f64)| {
                    let at = [x, y];
                    V::from_fn(|axis| {
                        let center: f64 = center.axis(axis).into();
                        Scalar::from_f64(center + at[axis] * step)
                    })
                };
                Quadrilateral::try_from_corners(away.map(corner))
            }
            _ => Quadrilateral::try_oriented(center, half, [pair(1.0, 0.0), pair(0.0, 1.0)]),
        };
        let one = V::splat(Scalar::ONE);
        let axes = [pair(1.0, 0.0), pair(0.0, 1.0)];
        made.unwrap_or_else(|_| Quadrilateral::oriented(center, one, axes))
    }
}
