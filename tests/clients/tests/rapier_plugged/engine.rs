//! Rapier with a broad phase of choice.

use std::collections::BTreeSet;

use clients::bodies::{Pair, pair};
use clients::scene::{Act, Body, Form, Groups, Scene};
use orthant::Motion;
use rapier27::dynamics::{
    CCDSolver, ImpulseJointSet, IntegrationParameters, IslandManager, MultibodyJointSet,
    RigidBodyBuilder, RigidBodyHandle, RigidBodySet, RigidBodyType,
};
use rapier27::geometry::{
    BroadPhase, ColliderBuilder, ColliderSet, Group, InteractionGroups, NarrowPhase,
};
use rapier27::pipeline::PhysicsPipeline;

use crate::broad_phase::key;
use crate::seen::Seen;

fn interactions(groups: Groups) -> InteractionGroups {
    let [memberships, filter] = groups.map(Group::from_bits_retain);
    InteractionGroups::new(memberships, filter)
}

pub(crate) struct Engine<B> {
    pub(crate) broad_phase: B,
    bodies: RigidBodySet,
    colliders: ColliderSet,
    narrow_phase: NarrowPhase,
    params: IntegrationParameters,
    pipeline: PhysicsPipeline,
    islands: IslandManager,
    joints: ImpulseJointSet,
    multibody_joints: MultibodyJointSet,
    ccd_solver: CCDSolver,
    /// The handles by the numbers of the scene, those of removed bodies included.
    handles: Vec<RigidBodyHandle>,
    steps: usize,
}

impl<B: BroadPhase> Engine<B> {
    pub(crate) fn new(scene: &Scene, broad_phase: B) -> Self {
        let mut engine = Self {
            broad_phase,
            bodies: RigidBodySet::new(),
            colliders: ColliderSet::new(),
            narrow_phase: NarrowPhase::new(),
            params: IntegrationParameters::default(),
            pipeline: PhysicsPipeline::new(),
            islands: IslandManager::new(),
            joints: ImpulseJointSet::new(),
            multibody_joints: MultibodyJointSet::new(),
            ccd_solver: CCDSolver::new(),
            handles: Vec::new(),
            steps: 0,
        };
        for body in &scene.bodies {
            engine.enter(body);
        }
        engine
    }

    fn enter(&mut self, body: &Body) {
        let builder = match body.motion {
            Motion::Static => RigidBodyBuilder::fixed(),
            Motion::Kinematic => RigidBodyBuilder::kinematic_velocity_based(),
            Motion::Dynamic => RigidBodyBuilder::dynamic(),
        };
        let builder = builder
            .translation(body.at.into())
            .linvel(body.velocity.into())
            .ccd_enabled(body.fast);
        let collider = match body.form {
            Form::Cuboid([x, y, z]) => ColliderBuilder::cuboid(x, y, z),
            Form::Ball(radius) => ColliderBuilder::ball(radius),
            Form::Capsule(half, radius) => ColliderBuilder::capsule_y(half, radius),
        };
        let handle = self.bodies.insert(builder);
        let collider = collider
            .sensor(body.sensor)
            .collision_groups(interactions(body.groups));
        self.colliders
            .insert_with_parent(collider, handle, &mut self.bodies);
        self.handles.push(handle);
    }

    fn act(&mut self, act: &Act) {
        match *act {
            Act::Enter(body) => self.enter(&body),
            Act::Leave(number) => {
                let left = self.bodies.remove(
                    self.handles[number],
                    &mut self.islands,
                    &mut self.colliders,
                    &mut self.joints,
                    &mut self.multibody_joints,
                    true,
                );
                assert!(left.is_some());
            }
            Act::Switch(number, on) => self.bodies[self.handles[number]].set_enabled(on),
            Act::Move(number, to) => {
                self.bodies[self.handles[number]].set_translation(to.into(), true);
            }
            Act::Become(number, motion) => {
                let kind = match motion {
                    Motion::Static => RigidBodyType::Fixed,
                    Motion::Kinematic => RigidBodyType::KinematicVelocityBased,
                    Motion::Dynamic => RigidBodyType::Dynamic,
                };
                self.bodies[self.handles[number]].set_body_type(kind, true);
            }
            Act::Regroup(number, groups) => {
                for &collider in self.bodies[self.handles[number]].colliders() {
                    self.colliders[collider].set_collision_groups(interactions(groups));
                }
            }
        }
    }

    /// Applies the changes of the scene, and then takes a step.
    pub(crate) fn step(&mut self, scene: &Scene) {
        let step = self.steps;
        for (_, act) in scene.acts.iter().filter(|act| act.0 == step) {
            self.act(act);
        }
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
        self.steps += 1;
    }

    /// Returns the positions, rotations and velocities of all bodies, to the last bit.
    pub(crate) fn state(&self) -> Vec<u32> {
        let mut bits = Vec::new();
        for body in self
            .handles
            .iter()
            .filter_map(|&handle| self.bodies.get(handle))
        {
            let numbers = body
                .translation()
                .iter()
                .chain(body.rotation().coords.iter());
            let numbers = numbers
                .chain(body.linvel().iter())
                .chain(body.angvel().iter());
            bits.extend(numbers.map(|x| x.to_bits()));
            bits.push(body.is_sleeping().into());
        }
        bits
    }

    /// Returns the pairs that the narrow phase knows.
    pub(crate) fn graph(&self) -> BTreeSet<Pair> {
        let contacts = self.narrow_phase.contact_graph();
        let contacts = contacts.interactions_with_endpoints().map(|e| (e.0, e.1));
        let sensed = self.narrow_phase.intersection_graph();
        let sensed = sensed.interactions_with_endpoints().map(|e| (e.0, e.1));
        contacts
            .chain(sensed)
            .map(|(a, b)| pair(key(a), key(b)))
            .collect()
    }

    /// Returns all colliders that are switched on.
    pub(crate) fn colliders(&self) -> Vec<Seen> {
        let enabled = self.colliders.iter().filter(|(_, c)| c.is_enabled());
        enabled
            .map(|(handle, collider)| Seen::new(handle, collider, &self.bodies, &self.params))
            .collect()
    }

    /// Returns the number of bodies so fast that rapier looks for impacts within a step.
    pub(crate) fn fast(&self) -> usize {
        let bodies = self.bodies.iter();
        bodies.filter(|(_, body)| body.is_ccd_active()).count()
    }

    /// Returns the least height of the dynamic bodies that are switched on.
    pub(crate) fn lowest(&self) -> f32 {
        let moving = self.bodies.iter().map(|(_, body)| body);
        moving
            .filter(|body| body.is_dynamic() && body.is_enabled())
            .map(|body| body.translation().y)
            .fold(f32::INFINITY, f32::min)
    }
}
