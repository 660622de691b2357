//! Finds the box under the cursor, and the boxes that a camera sees.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::{Dir3, Mat4, Ray3d, Vec3};
use bevy_orthant::prelude::*;
use bevy_transform::prelude::*;

#[derive(Component)]
struct Crate;

fn main() {
    let mut app = App::new();
    app.add_plugins((
        TransformPlugin,
        SpatialPlugin::<Crate>::new().with_boxes::<Bounds>(),
    ));
    let half = Bounds {
        center: Vec3::ZERO,
        half_size: Vec3::splat(0.4),
    };
    for i in 0..1000 {
        let place = Vec3::new((i % 10) as f32, (i / 10 % 10) as f32, (i / 100) as f32);
        let name = Name::new(format!("crate {i}"));
        app.world_mut()
            .spawn((Crate, name, half, Transform::from_translation(place)));
    }
    app.update();
    let crates = app.world().resource::<SpatialIndex<Crate>>();
    // The camera looks along the rows, and the ray goes through the middle of its picture.
    let eye = Vec3::new(4.5, 4.5, 20.0);
    let view = Mat4::look_at_rh(eye, Vec3::new(4.0, 4.0, 0.0), Vec3::Y);
    let projection = Mat4::perspective_infinite_reverse_rh(0.3, 1.5, 0.1);
    println!("seen {}", crates.in_frustum(projection * view).count());
    let under = Ray3d::new(
        eye,
        Dir3::new(Vec3::new(-0.5, -0.5, -20.0)).expect("not zero"),
    );
    match crates.cast_ray(under, 100.0) {
        Some((hit, _)) => println!("picked {}", app.world().get::<Name>(hit).expect("named")),
        None => println!("picked nothing"),
    }
}
