//! Times a step of rapier 0.27 with its own broad phase and with this crate's, for bodies that fall on a heap. It is the last version whose
//! broad phase can be replaced. Both fatten boxes by rapier's rule, find the same pairs, and move the bodies the same way, bit for bit.
//!
//! `cargo bench -p clients --bench rapier`, or `-- BODIES STEPS`

use std::time::{Duration, Instant};

use orthant::{Aabb, BodyInfo, Broadphase, Event, Handle, Motion};
use rapier27::dynamics::{
    CCDSolver, ImpulseJointSet, IntegrationParameters, IslandManager, MultibodyJointSet,
    RigidBodyBuilder, RigidBodySet,
};
use rapier27::geometry::{
    BroadPhase, BroadPhaseBvh, BroadPhasePairEvent, ColliderBuilder, ColliderHandle, ColliderPair,
    ColliderSet, NarrowPhase,
};
use rapier27::pipeline::PhysicsPipeline;

/// A broad phase on [`Broadphase`], with boxes as fat as rapier's.
struct Plugged {
    world: Broadphase<[f32; 3]>,
    /// The handle of each collider, by its index.
    handles: Vec<Option<Handle>>,
}

impl Plugged {
    fn collider(&self, handle: Handle) -> ColliderHandle {
        let user = self.world.user(handle).expect("known while pairs end");
        ColliderHandle::from_raw_parts((user >> 32) as u32, user as u32)
    }
}

impl BroadPhase for Plugged {
    fn update(
        &mut self,
        params: &IntegrationParameters,
        colliders: &ColliderSet,
        _: &RigidBodySet,
        modified: &[ColliderHandle],
        removed: &[ColliderHandle],
        events: &mut Vec<BroadPhasePairEvent>,
    ) {
        for handle in removed {
            let index = handle.into_raw_parts().0 as usize;
            if let Some(body) = self.handles.get_mut(index).and_then(Option::take) {
                self.world.remove(body);
            }
        }
        for &handle in modified {
            let Some(collider) = colliders.get(handle).filter(|c| c.is_enabled()) else {
                continue;
            };
            let tight = collider.compute_collision_aabb(params.prediction_distance() / 2.0);
            let tight: Aabb<[f32; 3]> = Aabb::new(tight.mins.into(), tight.maxs.into());
            let (index, generation) = handle.into_raw_parts();
            let at = index as usize;
            if self.handles.len() <= at {
                self.handles.resize(at + 1, None);
            }
            if let Some(body) = self.handles[at] {
                let held = self.world.bounds(body).expect("it is in");
                if !held.contains(&tight) {
                    let by = 0.01 * params.length_unit;
                    let fat = Aabb::new(tight.min().map(|x| x - by), tight.max().map(|x| x + by));
                    self.world.set_bounds(body, fat);
                }
            } else {
                let user = u64::from(index) << 32 | u64::from(generation);
                let info = BodyInfo::from(Motion::Dynamic).with_user(user);
                self.handles[at] = Some(self.world.insert(tight, info));
            }
        }
        self.world.update();
        for event in self.world.events() {
            let (a, b) = event.pair();
            let pair = ColliderPair::new(self.collider(a), self.collider(b));
            match event {
                Event::Begin(..) => events.push(BroadPhasePairEvent::AddPair(pair)),
                // rapier drops the pairs of removed colliders by itself.
                Event::End(..) if self.world.contains(a) && self.world.contains(b) => {
                    events.push(BroadPhasePairEvent::DeletePair(pair));
                }
                Event::End(..) => {}
            }
        }
    }
}

/// Times a broad phase, and sorts its events, since the solver sums forces in their order.
struct Timed<B> {
    inner: B,
    time: Duration,
    pairs: usize,
}

impl<B: BroadPhase> BroadPhase for Timed<B> {
    fn update(
        &mut self,
        params: &IntegrationParameters,
        colliders: &ColliderSet,
        bodies: &RigidBodySet,
        modified: &[ColliderHandle],
        removed: &[ColliderHandle],
        events: &mut Vec<BroadPhasePairEvent>,
    ) {
        let begin = Instant::now();
        self.inner
            .update(params, colliders, bodies, modified, removed, events);
        self.time += begin.elapsed();
        let key = |event: &BroadPhasePairEvent| {
            let (ends, pair) = match event {
                BroadPhasePairEvent::AddPair(pair) => (false, pair),
                BroadPhasePairEvent::DeletePair(pair) => (true, pair),
            };
            let (a, b) = (
                pair.collider1.into_raw_parts(),
                pair.collider2.into_raw_parts(),
            );
            (ends, a.min(b), a.max(b))
        };
        events.sort_by_key(key);
        for event in events.iter_mut() {
            let (_, a, b) = key(event);
            let [a, b] =
                [a, b].map(|(index, generation)| ColliderHandle::from_raw_parts(index, generation));
            let pair = ColliderPair::new(a, b);
            *event = match event {
                BroadPhasePairEvent::AddPair(_) => BroadPhasePairEvent::AddPair(pair),
                BroadPhasePairEvent::DeletePair(_) => BroadPhasePairEvent::DeletePair(pair),
            };
        }
        let begun = events.iter().filter(|event| !key(event).0).count();
        self.pairs = self.pairs + begun - (events.len() - begun);
    }
}

struct Engine<B> {
    broad_phase: Timed<B>,
    bodies: RigidBodySet,
    colliders: ColliderSet,
    narrow_phase: NarrowPhase,
    params: IntegrationParameters,
    pipeline: PhysicsPipeline,
    islands: IslandManager,
    joints: ImpulseJointSet,
    multibody_joints: MultibodyJointSet,
    ccd_solver: CCDSolver,
    time: Duration,
}

impl<B: BroadPhase> Engine<B> {
    fn new(count: usize, broad_phase: B) -> Self {
        let (mut bodies, mut colliders) = (RigidBodySet::new(), ColliderSet::new());
        let ground = ColliderBuilder::cuboid(500.0, 1.0, 500.0);
        colliders.insert(ground.translation([0.0, -1.0, 0.0].into()));
        let side = (count as f32 / 8.0).sqrt().ceil().max(1.0) as usize;
        for i in 0..count {
            let (x, y, z) = (i % side, i / (side * side), i / side % side);
            let shift = [0.13 * (i % 7) as f32, 0.11 * (i % 5) as f32];
            let at = [
                1.3 * x as f32 + shift[0],
                1.0 + 1.6 * y as f32,
                1.3 * z as f32 + shift[1],
            ];
            let body = bodies.insert(RigidBodyBuilder::dynamic().translation(at.into()));
            let collider = match i % 2 {
                0 => ColliderBuilder::cuboid(0.4, 0.4, 0.4),
                _ => ColliderBuilder::ball(0.45),
            };
            colliders.insert_with_parent(collider, body, &mut bodies);
        }
        Self {
            broad_phase: Timed {
                inner: broad_phase,
                time: Duration::ZERO,
                pairs: 0,
            },
            bodies,
            colliders,
            narrow_phase: NarrowPhase::new(),
            params: IntegrationParameters::default(),
            pipeline: PhysicsPipeline::new(),
            islands: IslandManager::new(),
            joints: ImpulseJointSet::new(),
            multibody_joints: MultibodyJointSet::new(),
            ccd_solver: CCDSolver::new(),
            time: Duration::ZERO,
        }
    }

    fn step(&mut self) {
        let begin = Instant::now();
        self.pipeline.step(
            &[0.0, -9.81, 0.0].into(),
            &self.params,
            &mut self.islands,
            &mut self.broad_phase,
            &mut self.narrow_phase,
            &mut self.bodies,
            &mut self.colliders,
            &mut self.joints,
            &mut self.multibody_joints,
            &mut self.ccd_solver,
            &(),
            &(),
        );
        self.time += begin.elapsed();
    }

    fn places(&self) -> Vec<[u32; 3]> {
        let places = self.bodies.iter().map(|(_, body)| body.translation());
        places
            .map(|at| [at.x, at.y, at.z].map(f32::to_bits))
            .collect()
    }
}

fn main() {
    let numbers: Vec<usize> = std::env::args()
        .filter_map(|arg| arg.parse().ok())
        .collect();
    let count = numbers.first().copied().unwrap_or(10_000);
    let steps = numbers.get(1).copied().unwrap_or(200);
    let mut theirs = Engine::new(count, BroadPhaseBvh::new());
    let plugged = Plugged {
        world: Broadphase::new(),
        handles: Vec::new(),
    };
    let mut ours = Engine::new(count, plugged);
    for _ in 0..steps {
        theirs.step();
        ours.step();
        assert_eq!(ours.broad_phase.pairs, theirs.broad_phase.pairs);
    }
    assert!(ours.places() == theirs.places(), "the bodies are elsewhere");
    let each = |time: Duration| time.as_secs_f64() * 1e3 / steps.max(1) as f64;
    let print = |name, time, broad| {
        println!(
            "{name}: {:.2} ms a step, of which the broad phase {:.3}",
            each(time),
            each(broad)
        );
    };
    println!(
        "{count} bodies, {steps} steps, {} pairs at the end",
        ours.broad_phase.pairs
    );
    print("rapier's own", theirs.time, theirs.broad_phase.time);
    print("orthant's", ours.time, ours.broad_phase.time);
}
