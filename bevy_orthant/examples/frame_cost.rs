//! Times a frame in which a tenth of all entities moves: with the index, and with a `kd-tree` that is rebuilt in each frame, as `bevy_spatial`
//! did it. Both find the same entities.
//!
//! `cargo run --release --example frame_cost`

use std::time::Instant;

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_orthant::prelude::*;
use bevy_transform::prelude::*;
use kd_tree::KdTree;

#[derive(Component)]
struct Rock;

const FRAMES: usize = 21;

fn main() {
    let mut least = (f64::INFINITY, 0);
    for count in [10_000, 100_000] {
        let ratio = race(count);
        if ratio < least.0 {
            least = (ratio, count);
        }
    }
    println!("least speed-up {:.2} at {}", least.0, least.1);
}

/// Returns how many times faster a frame is with the index.
fn race(count: usize) -> f64 {
    let mut state = 1u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 24) as f32
    };
    let mut app = App::new();
    app.add_plugins((TransformPlugin, SpatialPlugin::<Rock>::new()));
    // An app without an index measures bevy's own time, which is subtracted.
    let mut bare = App::new();
    bare.add_plugins(TransformPlugin);
    let mut rocks = Vec::new();
    for _ in 0..count {
        let transform = Transform::from_xyz(random(), random(), random());
        rocks.push([&mut app, &mut bare].map(|app| app.world_mut().spawn((Rock, transform)).id()));
    }
    let begin = Instant::now();
    app.update();
    let first = begin.elapsed().as_secs_f64() * 1e3;
    bare.update();
    let (mut ours, mut theirs, mut bevy) = (Vec::new(), Vec::new(), Vec::new());
    for frame in 0..FRAMES {
        for (app, which) in [(&mut app, 0), (&mut bare, 1)] {
            for rock in rocks.iter().skip(frame % 10).step_by(10) {
                let mut transform = app
                    .world_mut()
                    .get_mut::<Transform>(rock[which])
                    .expect("it is there");
                transform.translation.x += 0.001;
            }
        }
        let time = |app: &mut App| {
            let begin = Instant::now();
            app.update();
            begin.elapsed().as_secs_f64() * 1e3
        };
        ours.push(time(&mut app));
        bevy.push(time(&mut bare));
        let world = bare.world_mut();
        let mut all = world.query_filtered::<(Entity, &GlobalTransform), With<Rock>>();
        let begin = Instant::now();
        let places = all
            .iter(world)
            .map(|(entity, at)| (at.translation().to_array(), entity));
        let tree = KdTree::build_by_key(places.collect(), |place: &([f32; 3], Entity), axis| {
            ordered(place.0[axis])
        });
        theirs.push(begin.elapsed().as_secs_f64() * 1e3);
        let near = tree.within_by_cmp(|place, axis| {
            let apart = place.0[axis] - 0.5;
            match apart {
                _ if apart < -0.1 => std::cmp::Ordering::Less,
                _ if apart > 0.1 => std::cmp::Ordering::Greater,
                _ => std::cmp::Ordering::Equal,
            }
        });
        let index = app.world().resource::<SpatialIndex<Rock>>();
        let box_of = index.in_box(Vec3::splat(0.4), Vec3::splat(0.6)).count();
        assert!(
            near.len().abs_diff(box_of) <= 2,
            "but for what lies on the faces"
        );
    }
    let median = |mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[FRAMES / 2]
    };
    let (ours, theirs, bevy) = (median(ours), median(theirs), median(bevy));
    let own = (ours - bevy).max(1e-3);
    println!(
        "{count}: first frame {first:.1} ms; then {ours:.2} ms, of which bevy's {bevy:.2}; kd-tree {theirs:.2} ms"
    );
    theirs / own
}

/// Returns an integer that is ordered like the number.
fn ordered(number: f32) -> i32 {
    let bits = number.to_bits() as i32;
    bits ^ ((bits >> 31) as u32 >> 1) as i32
}
