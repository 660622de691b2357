//! Culling and picking: entities with oriented boxes.
use orthant::glam::{Mat4, Quat, Vec3};
use orthant::{
    Aabb, Bounded, Distance, Frustum, Impact, Overlaps, Ray, Region, Relation, Sweep, Times,
};

#[derive(Clone, Debug)]
struct Entity {
    name: u32,
    center: Vec3,
    half: Vec3,
    turn: Quat,
}

impl Entity {
    /// The box in its own frame.
    fn own_box(&self) -> Aabb<Vec3> {
        Aabb::new(-self.half, self.half)
    }

    fn to_own(&self, place: Vec3) -> Vec3 {
        self.turn.inverse() * (place - self.center)
    }

    fn own_ray(&self, ray: &Ray<Vec3>) -> Ray<Vec3> {
        Ray::new(
            self.to_own(ray.origin()),
            self.turn.inverse() * ray.direction(),
        )
        .until(ray.horizon())
    }
}

impl Bounded for Entity {
    type Vector = Vec3;
    fn core(&self) -> Aabb<Vec3> {
        let axes = [
            self.turn * Vec3::X,
            self.turn * Vec3::Y,
            self.turn * Vec3::Z,
        ];
        let reach =
            axes[0].abs() * self.half.x + axes[1].abs() * self.half.y + axes[2].abs() * self.half.z;
        // A little larger, since what is computed in the frame of the box is rounded otherwise.
        let reach = reach + (self.center.abs().max_element() + self.half.max_element()) * 1e-5;
        Aabb::new(self.center - reach, self.center + reach)
    }
}

impl Distance for Entity {
    fn distance_sq(&self, from: Vec3) -> f32 {
        self.own_box()
            .distance_sq(self.to_own(from))
            .max(self.core().distance_sq(from))
    }
}

impl Sweep<Entity> for Ray<Vec3> {
    type Vector = Vec3;
    fn times(&self, entity: &Entity) -> Option<Times<Vec3>> {
        entity.own_ray(self).times(&entity.own_box())
    }
    fn sweep(&self, entity: &Entity) -> Option<Impact<Vec3>> {
        let own = entity.own_ray(self).sweep(&entity.own_box())?;
        Some(Impact {
            point: self.at(own.first),
            normal: entity.turn * own.normal,
            ..own
        })
    }
}

/// What a camera sees, by its view-projection matrix.
struct Camera {
    matrix: Mat4,
    frustum: Frustum<Vec3>,
}

impl Camera {
    fn new(matrix: Mat4) -> Self {
        Self {
            matrix,
            frustum: Frustum::from_view_projection(matrix),
        }
    }
}

impl Region for Camera {
    type Vector = Vec3;
    fn relate(&self, cell: &Aabb<Vec3>) -> Relation {
        self.frustum.relate(cell)
    }
}

impl Overlaps<Entity> for Camera {
    fn overlaps(&self, entity: &Entity) -> bool {
        let pose = Mat4::from_rotation_translation(entity.turn, entity.center);
        Frustum::from_view_projection(self.matrix * pose).overlaps(&entity.own_box())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;
    use orthant::glam::{DMat4, DVec3};
    use orthant::{LooseOrthtree, SpatialIndex};

    fn corners(entity: &Entity) -> [DVec3; 8] {
        let upper = |i: usize, bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        [0, 1, 2, 3, 4, 5, 6, 7].map(|i| {
            let corner = entity.half.as_dvec3() * DVec3::new(upper(i, 0), upper(i, 1), upper(i, 2));
            entity.center.as_dvec3() + entity.turn.as_dquat() * corner
        })
    }

    /// Solids of eight corners, numbered by bits, meet: no axis separates them.
    fn meet(a: &[DVec3; 8], b: &[DVec3; 8]) -> bool {
        let edges = |c: &[DVec3; 8]| {
            let mut edges = Vec::new();
            for i in 0..8 {
                edges.extend(
                    [1, 2, 4]
                        .into_iter()
                        .filter(|bit| i & bit == 0)
                        .map(|bit| c[i | bit] - c[i]),
                );
            }
            edges
        };
        let (of_a, of_b) = (edges(a), edges(b));
        let mut axes = Vec::new();
        for (first, second) in [(&of_a, &of_a), (&of_b, &of_b), (&of_a, &of_b)] {
            axes.extend(
                first
                    .iter()
                    .flat_map(|e| second.iter().map(|f| e.normalize().cross(f.normalize()))),
            );
        }
        axes.into_iter()
            .filter_map(DVec3::try_normalize)
            .all(|axis| {
                let range = |c: &[DVec3; 8]| {
                    let along = c.map(|corner| corner.dot(axis));
                    (
                        along.into_iter().fold(f64::INFINITY, f64::min),
                        along.into_iter().fold(-f64::INFINITY, f64::max),
                    )
                };
                let (a, b) = (range(a), range(b));
                a.0 <= b.1 && b.0 <= a.1
            })
    }

    fn plain_ray(entity: &Entity, origin: Vec3, direction: Vec3) -> Option<f64> {
        let turn = entity.turn.as_dquat().inverse();
        let o = turn * (origin.as_dvec3() - entity.center.as_dvec3());
        let d = turn * direction.as_dvec3();
        let half = entity.half.as_dvec3();
        let (to_lower, to_upper) = ((-half - o) / d, (half - o) / d);
        let first = to_lower.min(to_upper).max_element().max(0.0);
        (first <= to_lower.max(to_upper).min_element()).then_some(first)
    }

    fn plain_distance(entity: &Entity, from: Vec3) -> f64 {
        let own = entity.turn.as_dquat().inverse() * (from.as_dvec3() - entity.center.as_dvec3());
        (own.abs() - entity.half.as_dvec3())
            .max(DVec3::ZERO)
            .length()
    }

    #[test]
    fn seen_picked_and_nearest_are_those_of_plain_loops() {
        let mut random = Random::new(7);
        let entities: Vec<Entity> = (0..2000)
            .map(|name| {
                let axis = random.in_cube(-1.0, 1.0).normalize();
                let turn = Quat::from_axis_angle(axis, random.range(0.0, 3.0));
                Entity {
                    name,
                    center: random.in_cube(-50.0, 50.0),
                    half: random.in_cube(0.1, 2.0),
                    turn,
                }
            })
            .collect();
        let mut tree = LooseOrthtree::new();
        for entity in &entities {
            tree.insert(entity.clone());
        }
        let (mut seen, mut picked) = (0, 0);
        for _ in 0..30 {
            let (eye, to) = (random.in_cube(-60.0, 60.0), random.in_cube(-20.0, 20.0));
            let view = orthant::glam::camera::rh::view::look_at_mat4(eye, to, Vec3::Y);
            let matrix =
                orthant::glam::camera::rh::proj::directx::perspective(1.0, 1.5, 0.5, 60.0) * view;

            let mut names: Vec<u32> = tree
                .query(Camera::new(matrix))
                .map(|handle| tree[handle].name)
                .collect();
            names.sort();
            let back = DMat4::from_cols_array(&matrix.to_cols_array().map(f64::from)).inverse();
            let upper = |i: usize, bit: usize| f64::from((i >> bit & 1) as u8);
            let frustum = [0, 1, 2, 3, 4, 5, 6, 7].map(|i| {
                back.project_point3(DVec3::new(
                    2.0 * upper(i, 0) - 1.0,
                    2.0 * upper(i, 1) - 1.0,
                    upper(i, 2),
                ))
            });
            let plain = entities
                .iter()
                .filter(|entity| meet(&corners(entity), &frustum))
                .map(|entity| entity.name);
            assert_eq!(names, plain.collect::<Vec<_>>());
            seen += names.len();

            let direction = to - eye;
            let hit = tree.cast_ray(Ray::new(eye, direction));
            let met = entities
                .iter()
                .filter_map(|entity| plain_ray(entity, eye, direction).map(|t| (t, entity.name)));
            let first = met.min_by(|a, b| a.0.total_cmp(&b.0));
            assert_eq!(
                hit.map(|hit| tree[hit.item].name),
                first.map(|first| first.1)
            );
            if let (Some(hit), Some(first)) = (hit, first) {
                assert!((f64::from(hit.impact.first) - first.0).abs() < 1e-4);
                picked += 1;
            }

            let near = tree.nearest_n(eye, 10);
            let mut plain: Vec<&Entity> = entities.iter().collect();
            plain.sort_by(|a, b| plain_distance(a, eye).total_cmp(&plain_distance(b, eye)));
            assert!(
                near.iter()
                    .map(|near| tree[near.item].name)
                    .eq(plain[..10].iter().map(|entity| entity.name))
            );
            for (near, plain) in near.iter().zip(plain) {
                assert!((f64::from(near.distance()) - plain_distance(plain, eye)).abs() < 1e-3);
            }
        }
        assert!(seen > 1000 && picked > 15, "{seen} {picked}");
    }
}
