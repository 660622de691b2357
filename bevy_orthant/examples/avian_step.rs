//! Times a step of avian's physics with its own broad phase and with ours, for boxes that fall on a pile: the time of the broad phase, and of
//! the whole step.
//!
//! `cargo run --release --features avian --example avian_step -- --bodies 4000 --steps 300`

use std::time::{Duration, Instant};

use avian3d::collision::CollisionDiagnostics;
use avian3d::prelude::*;
use bevy_app::prelude::*;
use bevy_math::Vec3;
use bevy_orthant::avian::AvianBroadPhasePlugin;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::prelude::*;
use clap::Parser;

#[derive(Parser)]
struct Arguments {
    /// Number of boxes that fall
    #[arg(long, default_value_t = 4000)]
    bodies: usize,
    /// Number of steps
    #[arg(long, default_value_t = 300)]
    steps: usize,
}

fn app(ours: bool, bodies: usize) -> App {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin, TransformPlugin));
    let physics = PhysicsPlugins::default().build();
    if ours {
        let physics = physics.disable::<BvhBroadPhasePlugin>();
        app.add_plugins(physics.add(AvianBroadPhasePlugin::<()>::default()));
    } else {
        app.add_plugins(physics);
    }
    let step = Duration::from_secs_f64(1.0 / 64.0);
    app.insert_resource(TimeUpdateStrategy::ManualDuration(step));
    app.finish();
    app.cleanup();
    let world = app.world_mut();
    world.spawn((
        RigidBody::Static,
        Collider::cuboid(200.0, 1.0, 200.0),
        Transform::from_xyz(0.0, -0.5, 0.0),
    ));
    // The boxes lie in square layers, each turned and moved a little, so that they topple.
    let side = (bodies as f32 / 8.0).sqrt().ceil().max(1.0) as usize;
    for i in 0..bodies {
        let (x, y, z) = (i % side, i / (side * side), i / side % side);
        let middle = 0.5 * side as f32;
        let place = Vec3::new(x as f32 - middle, 0.7 + 1.3 * y as f32, z as f32 - middle);
        let shift = Vec3::new(0.13 * (i % 7) as f32, 0.0, 0.11 * (i % 5) as f32);
        let transform = Transform::from_translation(1.2 * place + shift);
        world.spawn((
            RigidBody::Dynamic,
            Collider::cuboid(0.8, 0.8, 0.8),
            transform,
        ));
    }
    app
}

fn main() {
    let arguments = Arguments::parse();
    for ours in [false, true] {
        let mut app = app(ours, arguments.bodies);
        let (mut whole, mut broad) = (0.0, 0.0);
        let mut pairs = 0;
        for _ in 0..arguments.steps {
            let begin = Instant::now();
            app.update();
            whole += begin.elapsed().as_secs_f64();
            // The diagnostics are those of the last step, if there was one.
            let mut diagnostics = app.world_mut().resource_mut::<CollisionDiagnostics>();
            broad += std::mem::take(&mut diagnostics.broad_phase).as_secs_f64();
            let graph = app.world().resource::<ContactGraph>();
            pairs += graph.active_pairs().len() + graph.sleeping_pairs().len();
        }
        let steps = arguments.steps.max(1);
        let milliseconds = |seconds: f64| seconds * 1e3 / steps as f64;
        println!(
            "{}: {:.3} ms a step, of which the broad phase {:.3}; {} pairs",
            if ours { "orthant" } else { "avian's own" },
            milliseconds(whole),
            milliseconds(broad),
            pairs / steps,
        );
    }
}
