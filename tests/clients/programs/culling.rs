//! Culling and picking: entities with oriented boxes.
use orthant::glam::{Mat4, Quat, Vec3};
use orthant::{Frustum, Hexahedron, LooseOrthtree, Ray, SpatialIndex};

#[derive(Clone, Debug)]
struct Entity {
    name: u32,
    center: Vec3,
    half: Vec3,
    turn: Quat,
    walls: Hexahedron<Vec3>,
}

orthant::item!(Entity: Hexahedron<Vec3>, |entity| entity.walls);

impl Entity {
    fn new(name: u32, center: Vec3, half: Vec3, turn: Quat) -> Self {
        let axes = [turn * Vec3::X, turn * Vec3::Y, turn * Vec3::Z];
        Self {
            name,
            center,
            half,
            turn,
            walls: Hexahedron::oriented(center, half, axes),
        }
    }
}

/// Returns the names of the entities that a camera sees, in order.
fn seen(scene: &LooseOrthtree<Entity>, camera: Mat4) -> Vec<u32> {
    let seen = scene.query(Frustum::from_view_projection(camera));
    let mut names: Vec<u32> = seen.map(|handle| scene[handle].name).collect();
    names.sort();
    names
}

/// Returns the first entity that a ray meets, and the time of the hit.
fn picked(scene: &LooseOrthtree<Entity>, ray: Ray<Vec3>) -> Option<(u32, f32)> {
    let hit = scene.cast_ray(ray)?;
    Some((scene[hit.item].name, hit.impact.first))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;
    use orthant::glam::{DMat4, DVec3};

    fn corners(entity: &Entity) -> [DVec3; 8] {
        let upper = |i: usize, bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        [0, 1, 2, 3, 4, 5, 6, 7].map(|i| {
            let corner = entity.half.as_dvec3() * DVec3::new(upper(i, 0), upper(i, 1), upper(i, 2));
            entity.center.as_dvec3() + entity.turn.as_dquat() * corner
        })
    }

    /// Returns true if two solids of eight corners, numbered by bits, meet: no axis separates them.
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
                Entity::new(
                    name,
                    random.in_cube(-50.0, 50.0),
                    random.in_cube(0.1, 2.0),
                    turn,
                )
            })
            .collect();
        let mut tree = LooseOrthtree::new();
        for entity in &entities {
            tree.insert(entity.clone());
        }
        let (mut count, mut hits) = (0, 0);
        for _ in 0..30 {
            let (eye, to) = (random.in_cube(-60.0, 60.0), random.in_cube(-20.0, 20.0));
            let view = orthant::glam::camera::rh::view::look_at_mat4(eye, to, Vec3::Y);
            let matrix =
                orthant::glam::camera::rh::proj::directx::perspective(1.0, 1.5, 0.5, 60.0) * view;

            let names = seen(&tree, matrix);
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
            count += names.len();

            let direction = to - eye;
            let hit = picked(&tree, Ray::new(eye, direction));
            let met = entities
                .iter()
                .filter_map(|entity| plain_ray(entity, eye, direction).map(|t| (t, entity.name)));
            let first = met.min_by(|a, b| a.0.total_cmp(&b.0));
            assert_eq!(hit.map(|hit| hit.0), first.map(|first| first.1));
            if let (Some(hit), Some(first)) = (hit, first) {
                assert!((f64::from(hit.1) - first.0).abs() < 1e-4);
                hits += 1;
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
        assert!(count > 1000 && hits > 15, "{count} {hits}");
    }
}
