//! Draws the flock as cones that point in the direction of flight.

use std::path::PathBuf;

use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured, save_to_disk};

use crate::{Arguments, Boid, Seen, fly};

/// The mesh and the material of a boid.
#[derive(Resource)]
struct Looks {
    cone: Handle<Mesh>,
    colors: Vec<Handle<StandardMaterial>>,
}

/// Adds a window, and systems that draw the boids. With a file, a picture of the last frame is written to it, and the program ends.
pub(crate) fn open(app: &mut App, picture: Option<PathBuf>) {
    let window = Window {
        title: "bevy_orthant: flock".into(),
        resolution: (800, 500).into(),
        ..default()
    };
    app.add_plugins(DefaultPlugins.set(WindowPlugin {
        primary_window: Some(window),
        ..default()
    }));
    app.insert_resource(ClearColor(Color::srgb(0.05, 0.06, 0.1)));
    app.add_systems(Startup, set_up);
    app.add_systems(Update, (dress, turn.after(fly), title));
    if let Some(picture) = picture {
        let mut frame = 0;
        app.add_systems(
            Last,
            move |mut commands: Commands, arguments: Res<Arguments>| {
                frame += 1;
                if frame == arguments.steps {
                    let mut shot = commands.spawn(Screenshot::primary_window());
                    shot.observe(save_to_disk(picture.clone()));
                    shot.observe(
                        |_: On<ScreenshotCaptured>, mut exit: MessageWriter<AppExit>| {
                            exit.write(AppExit::Success);
                        },
                    );
                }
            },
        );
    }
}

#[allow(
    clippy::needless_pass_by_value,
    reason = "what a system is given is its own"
)]
fn set_up(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
    arguments: Res<Arguments>,
) {
    let far = 1.6 * (arguments.boids as f32).cbrt();
    commands.spawn((
        Camera3d::default(),
        // The default tone mapping needs a table, which is a separate feature.
        Tonemapping::Reinhard,
        Transform::from_xyz(0.7 * far, 0.5 * far, far).looking_at(Vec3::ZERO, Vec3::Y),
    ));
    let light = Transform::from_xyz(1.0, 3.0, 2.0).looking_at(Vec3::ZERO, Vec3::Y);
    commands.spawn((DirectionalLight::default(), light));
    let mut color = |hue: u16| materials.add(Color::hsl(f32::from(hue), 0.75, 0.6));
    commands.insert_resource(Looks {
        cone: meshes.add(Cone::new(0.15, 0.7).mesh().resolution(6)),
        colors: (180..300).step_by(20).map(&mut color).collect(),
    });
}

#[allow(
    clippy::needless_pass_by_value,
    reason = "what a system is given is its own"
)]
fn dress(mut commands: Commands, looks: Res<Looks>, new: Query<Entity, Added<Boid>>) {
    for boid in &new {
        let color = boid.index_u32() as usize % looks.colors.len();
        commands.entity(boid).insert((
            Mesh3d(looks.cone.clone()),
            MeshMaterial3d(looks.colors[color].clone()),
        ));
    }
}

fn turn(mut boids: Query<(&mut Transform, &Boid)>) {
    for (mut transform, velocity) in &mut boids {
        transform.rotation = Quat::from_rotation_arc(Vec3::Y, velocity.0.normalize());
    }
}

#[allow(
    clippy::needless_pass_by_value,
    reason = "what a system is given is its own"
)]
fn title(mut window: Single<&mut Window>, seen: Res<Seen>, time: Res<Time>, boids: Query<&Boid>) {
    let milliseconds = time.delta_secs() * 1e3;
    window.title = format!(
        "{} boids that see {} others; {milliseconds:.0} ms a frame",
        boids.count(),
        seen.0
    );
}
