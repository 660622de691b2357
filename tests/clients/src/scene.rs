//! Scenes for physics engines, as plain numbers, since each version of an engine has its own vectors. Lengths are in metres and times in
//! seconds; y is up, and the ground is at 0.

use orthant::Motion;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

/// The shape of a body, about its center.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// A box, by half of each edge.
    Cuboid([f32; 3]),
    /// A ball, by its radius.
    Ball(f32),
    /// An upright capsule, by half of its segment and its radius.
    Capsule(f32, f32),
}

/// A body as it enters a scene.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    /// The motion, which says whether forces move the body.
    pub motion: Motion,
    /// The shape.
    pub form: Form,
    /// The center.
    pub at: [f32; 3],
    /// The displacement in a second.
    pub velocity: [f32; 3],
    /// True if the engine looks for impacts within a step.
    pub fast: bool,
    /// True if the body only detects the bodies that it meets.
    pub sensor: bool,
    /// The groups that the body belongs to, and those that it meets.
    pub groups: Groups,
}

/// The groups to which a body belongs, and those with which it collides, as bits.
pub type Groups = [u32; 2];

/// Membership in all groups, and collisions with all.
pub const ALL: Groups = [u32::MAX; 2];

/// Collisions with all bodies but other ghosts.
const GHOST: Groups = [2, !2];

/// A change between two steps.
#[derive(Clone, Copy, Debug)]
pub enum Act {
    /// A body comes; its number is the count of bodies before it.
    Enter(Body),
    /// The body of this number goes.
    Leave(usize),
    /// The body of this number is switched on or off.
    Switch(usize, bool),
    /// The body of this number is put elsewhere.
    Move(usize, [f32; 3]),
    /// The groups of the body of this number change.
    Regroup(usize, Groups),
    /// The body of this number gets another motion.
    Become(usize, Motion),
}

/// Bodies, and their changes.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// The bodies with which the scene starts.
    pub bodies: Vec<Body>,
    /// The changes, each with the step before which it happens.
    pub acts: Vec<(usize, Act)>,
}

const fn body(motion: Motion, form: Form, at: [f32; 3]) -> Body {
    Body {
        motion,
        form,
        at,
        velocity: [0.0; 3],
        fast: false,
        sensor: false,
        groups: ALL,
    }
}

/// The ground is so large that nothing reaches its edge.
const GROUND: Body = body(
    Motion::Static,
    Form::Cuboid([500.0, 1.0, 500.0]),
    [0.0, -1.0, 0.0],
);

/// A pyramid of 506 boxes. Twenty balls are shot into it, each by more than its diameter in a step, and every other ball is removed again.
#[must_use]
pub fn pyramid() -> Scene {
    const LAYERS: usize = 11;
    let random = &mut Xoshiro256PlusPlus::seed_from_u64(1);
    let mut bodies = vec![GROUND];
    for layer in 0..LAYERS {
        let side = LAYERS - layer;
        let first = -0.51 * (side - 1) as f32;
        for x in 0..side {
            for z in 0..side {
                bodies.push(body(
                    Motion::Dynamic,
                    Form::Cuboid([0.5; 3]),
                    [
                        first + 1.02 * x as f32,
                        0.5 + layer as f32,
                        first + 1.02 * z as f32,
                    ],
                ));
            }
        }
    }
    let mut acts = Vec::new();
    for ball in 0..20 {
        let (sin, cos) = random.random_range(0.0..std::f32::consts::TAU).sin_cos();
        let (height, speed) = (
            random.random_range(1.0..8.0),
            random.random_range(60.0..90.0),
        );
        let step = 20 + 8 * ball;
        let number = bodies.len() + ball;
        let shot = Body {
            velocity: [-speed * cos, 0.0, -speed * sin],
            fast: true,
            ..body(
                Motion::Dynamic,
                Form::Ball(0.4),
                [20.0 * cos, height, 20.0 * sin],
            )
        };
        acts.push((step, Act::Enter(shot)));
        if ball % 2 == 0 {
            acts.push((step + 60, Act::Leave(number)));
        }
    }
    for number in 40..45 {
        acts.push((100, Act::Switch(number, false)));
        acts.push((160, Act::Switch(number, true)));
    }
    in_order(bodies, acts)
}

/// Three hundred bodies of all forms that fall into a tray, through a sensor. Some bodies of the heap are taken out, some thrown in again, some
/// held fast for a while, and some no longer touch each other.
#[must_use]
pub fn pile() -> Scene {
    let random = &mut Xoshiro256PlusPlus::seed_from_u64(2);
    let mut bodies = vec![GROUND];
    for (x, z) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let half = |along: f32| if along == 0.0 { 4.0 } else { 0.5 };
        bodies.push(body(
            Motion::Static,
            Form::Cuboid([half(x), 2.0, half(z)]),
            [4.5 * x, 2.0, 4.5 * z],
        ));
    }
    bodies.push(Body {
        sensor: true,
        ..body(
            Motion::Static,
            Form::Cuboid([4.0, 0.5, 4.0]),
            [0.0, 5.0, 0.0],
        )
    });
    let first = bodies.len();
    for layer in 0..12 {
        for place in 0..25 {
            let form = match random.random_range(0..3) {
                0 => Form::Ball(random.random_range(0.2..0.6)),
                1 => Form::Cuboid(std::array::from_fn(|_| random.random_range(0.15..0.55))),
                _ => Form::Capsule(
                    random.random_range(0.1..0.4),
                    random.random_range(0.15..0.4),
                ),
            };
            let mut near = |x: f32| x + random.random_range(-0.2..0.2);
            let (x, z) = ((place % 5) as f32 - 2.0, (place / 5) as f32 - 2.0);
            let at = [near(1.4 * x), near(6.5 + 1.5 * layer as f32), near(1.4 * z)];
            bodies.push(body(Motion::Dynamic, form, at));
        }
    }
    let acts = (0..10).flat_map(|i| {
        let number = first + 7 * i;
        [
            (130, Act::Become(number + 3, Motion::Static)),
            (150, Act::Switch(number + 1, false)),
            (170 + 5 * i, Act::Leave(number)),
            (200, Act::Switch(number + 1, true)),
            (180, Act::Regroup(number + 4, GHOST)),
            (180, Act::Regroup(number + 5, GHOST)),
            (190, Act::Become(number + 3, Motion::Dynamic)),
            (210, Act::Move(number + 2, [0.0, 7.0 + 1.5 * i as f32, 0.0])),
            (240, Act::Regroup(number + 4, ALL)),
        ]
    });
    in_order(bodies, acts.collect())
}

/// Two thousand blocks that stand, many of them overlapping; forty balls that roll among them, some through each other; and three sliders that
/// are pushed through. Blocks go, and others come in their place.
#[must_use]
pub fn field() -> Scene {
    const SIDE: usize = 45;
    let random = &mut Xoshiro256PlusPlus::seed_from_u64(3);
    let mut bodies = vec![GROUND];
    for place in 0..SIDE * SIDE {
        let half = random.random_range(0.2..1.1);
        let height = random.random_range(0.2..1.0);
        bodies.push(body(
            Motion::Static,
            Form::Cuboid([half, height, half]),
            [
                2.0 * (place % SIDE) as f32 - SIDE as f32,
                height,
                2.0 * (place / SIDE) as f32 - SIDE as f32,
            ],
        ));
    }
    for ball in 0..40 {
        let mut coordinate = || random.random_range(-30.0..30.0);
        let at = [coordinate(), 4.0, coordinate()];
        let velocity = [coordinate() / 2.0, 0.0, coordinate() / 2.0];
        bodies.push(Body {
            velocity,
            groups: if ball % 2 == 0 { GHOST } else { ALL },
            ..body(Motion::Dynamic, Form::Ball(0.5), at)
        });
    }
    for lane in [-20.0, 0.0, 20.0] {
        bodies.push(Body {
            velocity: [6.0, 0.0, 0.0],
            ..body(
                Motion::Kinematic,
                Form::Cuboid([1.0, 1.0, 8.0]),
                [-30.0, 1.5, lane],
            )
        });
    }
    let acts = (0..60).flat_map(|i| {
        let leaves = 1 + 31 * i;
        let enters = Body {
            at: [0.5 * i as f32, 0.6, -0.5 * i as f32],
            form: Form::Cuboid([0.6; 3]),
            ..bodies[leaves]
        };
        [(4 * i, Act::Leave(leaves)), (4 * i + 2, Act::Enter(enters))]
    });
    let acts = acts.collect();
    in_order(bodies, acts)
}

fn in_order(bodies: Vec<Body>, mut acts: Vec<(usize, Act)>) -> Scene {
    acts.sort_by_key(|act| act.0);
    Scene { bodies, acts }
}
