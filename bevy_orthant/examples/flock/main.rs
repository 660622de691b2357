//! Boids that find each other by the index: each flies with the boids that it sees and towards their middle, and away from those that are too
//! near. Without a window: `cargo run --release --example flock -- --boids 20000 --steps 100`; with one: `cargo run --release --features window
//! --example flock`; `--picture flock.png` writes the last frame.

#[cfg(feature = "window")]
mod window;

use std::time::Instant;

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_orthant::prelude::*;
use bevy_transform::prelude::*;
use clap::Parser;

#[derive(Parser, Resource, Clone)]
struct Arguments {
    /// Number of boids
    #[arg(long, default_value_t = 20_000)]
    boids: usize,
    /// Number of frames
    #[arg(long, default_value_t = 100)]
    steps: usize,
    /// Distance up to which a boid sees others
    #[arg(long, default_value_t = 2.0)]
    sight: f32,
    /// File for the last frame
    #[cfg(feature = "window")]
    #[arg(long)]
    picture: Option<std::path::PathBuf>,
}

/// A boid, with its velocity.
#[derive(Component)]
struct Boid(Vec3);

/// The number of boids seen in the last frame, summed over all boids.
#[derive(Resource, Default)]
struct Seen(usize);

#[allow(
    clippy::needless_pass_by_value,
    reason = "what a system is given is its own"
)]
fn steer(
    arguments: Res<Arguments>,
    index: Res<SpatialIndex<Boid>>,
    places: Query<&GlobalTransform>,
    mut boids: Query<(Entity, &GlobalTransform, &mut Boid)>,
    mut seen: ResMut<Seen>,
) {
    seen.0 = 0;
    for (boid, at, mut velocity) in &mut boids {
        let here = at.translation();
        let (mut middle, mut away, mut count) = (Vec3::ZERO, Vec3::ZERO, 0);
        for other in index
            .within(here, arguments.sight)
            .filter(|&other| other != boid)
        {
            let from = here - places.get(other).expect("it is in the index").translation();
            middle -= from;
            away += from / (from.length_squared() + 0.1);
            count += 1;
        }
        seen.0 += count;
        // The boid turns towards home, and around it.
        let home = Vec3::Y.cross(here) * 0.0005 - here * 0.001;
        let turn = 0.02 * middle / count.max(1) as f32 + 0.003 * away + home;
        velocity.0 = (velocity.0 + turn).clamp_length(0.05, 0.3);
    }
}

fn fly(mut boids: Query<(&mut Transform, &Boid)>) {
    for (mut transform, velocity) in &mut boids {
        transform.translation += velocity.0;
    }
}

fn main() {
    let arguments = Arguments::parse();
    let mut app = App::new();
    app.insert_resource(arguments.clone())
        .init_resource::<Seen>();
    #[cfg(feature = "window")]
    window::open(&mut app, arguments.picture);
    #[cfg(not(feature = "window"))]
    app.add_plugins(TransformPlugin);
    app.add_plugins(SpatialPlugin::<Boid>::new());
    app.add_systems(Update, (steer, fly).chain());
    let mut state = 1u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 24) as f32 - 0.5
    };
    let mut vector = || Vec3::from([(); 3].map(|()| random()));
    // The room grows with the number of boids, so that a boid always sees about as many.
    let room = 2.5 * (arguments.boids as f32).cbrt();
    for _ in 0..arguments.boids {
        let transform = Transform::from_translation(vector() * room);
        app.world_mut().spawn((Boid(vector() * 0.2), transform));
    }
    if cfg!(feature = "window") {
        app.run();
        return;
    }
    let begin = Instant::now();
    for _ in 0..arguments.steps {
        app.update();
    }
    let frame = begin.elapsed().as_secs_f64() * 1e3 / arguments.steps.max(1) as f64;
    eprintln!("{frame:.2} ms a frame");
    println!("seen {}", app.world().resource::<Seen>().0);
}
