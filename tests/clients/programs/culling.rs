//! A town of buildings: what a camera sees of them, what the pointer points at, and which are nearest.

use orthant::glam::camera::rh::proj::directx::perspective_infinite_reverse;
use orthant::glam::camera::rh::view::look_to_mat4;
use orthant::glam::{Mat4, Vec2, Vec3, Vec4};
use orthant::{Aabb, Frustum, Orthtree, Ray, SpatialIndex};

use crate::random;

#[derive(Clone, Debug)]
struct Building {
    name: String,
    walls: Aabb<Vec3>,
}

orthant::item!(Building: Aabb<Vec3>, |building| building.walls);

fn town() -> Vec<Building> {
    let mut random = random(7);
    let mut building = |i: usize| {
        let corner = Vec3::new((i % 30) as f32, (i / 30) as f32, 0.0) * 20.0;
        let size = Vec3::new(
            5.0 + 10.0 * random(),
            5.0 + 10.0 * random(),
            3.0 + 50.0 * random(),
        );
        Building {
            name: format!("{} Street {}", i / 30 + 1, i % 30 + 1),
            walls: Aabb::new(corner, corner + size),
        }
    };
    (0..900).map(&mut building).collect()
}

fn view_projection(eye: Vec3, forward: Vec3) -> Mat4 {
    let view = look_to_mat4(eye, forward.normalize(), Vec3::Z);
    perspective_infinite_reverse(1.0, 16.0 / 9.0, 0.1) * view
}

fn visible<'a>(town: &'a [Building], tree: &Orthtree<Building>, camera: Mat4) -> Vec<&'a str> {
    let Ok(frustum) = Frustum::try_from_view_projection(camera) else {
        return Vec::new(); // the window is minimized
    };
    let seen = tree.query(&frustum);
    let mut names: Vec<&str> = seen.map(|i| town[i].name.as_str()).collect();
    names.sort_unstable();
    names
}

/// What lies under the pointer, in coordinates from -1 to 1, up to a distance.
fn picked<'a>(
    town: &'a [Building],
    tree: &Orthtree<Building>,
    (eye, camera): (Vec3, Mat4),
    pointer: [f32; 2],
) -> Option<(&'a str, Vec3)> {
    let far = camera.inverse() * Vec4::new(pointer[0], pointer[1], 0.001, 1.0);
    let direction = (far.truncate() / far.w - eye).normalize();
    let hit = tree.cast_ray(Ray::new(eye, direction).until(1000.0))?;
    Some((&town[hit.item].name, hit.impact.point))
}

#[test]
fn what_is_seen_picked_and_near() {
    let town = town();
    let tree = Orthtree::new(&town);
    let mut seen = 0;
    let mut hits = 0;
    for frame in 0..40 {
        let angle = frame as f32 * 0.16;
        let eye = Vec3::new(300.0, 300.0, 60.0);
        let forward = Vec3::new(angle.cos(), angle.sin(), -0.3);
        let camera = view_projection(eye, forward);

        let names = visible(&town, &tree, camera);
        seen += names.len();
        // Whatever has a corner on the screen is seen.
        for building in &town {
            let (min, max) = (building.walls.min(), building.walls.max());
            let on_screen = (0..8).any(|corner| {
                let pick = |axis: usize| {
                    if corner >> axis & 1 == 0 {
                        min[axis]
                    } else {
                        max[axis]
                    }
                };
                let clip = camera * Vec4::new(pick(0), pick(1), pick(2), 1.0);
                clip.w > 0.11 && clip.x.abs() < 0.999 * clip.w && clip.y.abs() < 0.999 * clip.w
            });
            assert!(!on_screen || names.binary_search(&building.name.as_str()).is_ok());
        }

        for pointer in [[0.0, 0.0], [0.4, -0.3], [-0.7, -0.6]] {
            let Some((name, point)) = picked(&town, &tree, (eye, camera), pointer) else {
                continue;
            };
            hits += 1;
            assert!(
                names.contains(&name),
                "{name} is under the pointer, but not seen"
            );
            let walls = town.iter().find(|it| it.name == name).unwrap().walls;
            assert!(walls.inflated(0.01).contains(&point));
            let clip = camera * point.extend(1.0);
            let there = clip.truncate().truncate() / clip.w;
            assert!((there - Vec2::from(pointer)).length() < 1e-3);
        }

        let near = tree.nearest_n(eye, 4);
        assert!(
            near.windows(2)
                .all(|two| two[0].distance_sq <= two[1].distance_sq)
        );
        let nearer =
            |b: &&Building| orthant::Distance::distance_sq(&b.walls, eye) < near[3].distance_sq;
        assert_eq!(town.iter().filter(nearer).count(), 3);
    }
    assert!(seen > 2000 && hits > 60, "{seen} {hits}");
}

#[test]
fn a_minimized_window_shows_nothing() {
    let town = town();
    let tree = Orthtree::new(&town);
    let flat = Mat4::from_scale(Vec3::new(0.0, 1.0, 1.0)) * view_projection(Vec3::ZERO, Vec3::X);
    assert!(visible(&town, &tree, flat).is_empty());
}
