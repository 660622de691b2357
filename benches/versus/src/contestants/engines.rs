//! Physics and game engines: their bounding volumes, trees and broadphases.

/// bevy's bounding volumes. They are in `bevy_shape` since bevy 0.20, and were in `bevy_math` before.
pub(super) mod bevy {
    use bevy_math::Vec3A;
    use bevy_shape::{Aabb3d, BoundingSphere, IntersectsVolume};

    use crate::contestant::at_rest::{AtRest, Find, Finder, finder};
    use crate::contestant::one_by_one::{OneByOne, Test};
    use crate::contestants::Crate;
    use crate::jobs::frustum::View;
    use crate::jobs::predicate::{Tester, tester};
    use crate::worlds::{Ball, Bounds};

    pub(crate) struct Entries;

    impl Crate for Entries {
        fn predicate(&self) -> Vec<Tester> {
            vec![tester::<OneByOne<Volumes>>()]
        }

        fn frustum(&self) -> Vec<Finder<3, View>> {
            vec![finder::<3, _, Loop>()]
        }
    }

    /// A loop over all boxes, as in bevy's `check_visibility` on one thread.
    struct Loop(Vec<[::glam::Vec3A; 2]>);

    impl AtRest<3> for Loop {
        const NAME: &'static str = "bevy's loop";

        fn build(boxes: &[Bounds<3>]) -> Self {
            let cuboid = |bounds: &Bounds<3>| [bounds.min.into(), bounds.max.into()];
            Self(boxes.iter().map(cuboid).collect())
        }
    }

    impl Find<3, View> for Loop {
        fn find(&mut self, view: &View, ids: &mut Vec<u32>) {
            let seen = (0..).zip(&self.0);
            let seen = seen.filter(|(_, [min, max])| view.sees(*min, *max));
            ids.extend(seen.map(|(id, _)| id));
        }
    }

    struct Volumes;

    impl Test for Volumes {
        const NAME: &'static str = "bevy_math";
        type Box = Aabb3d;
        type Ball = BoundingSphere;

        fn cuboid(cuboid: &Bounds<3>) -> Aabb3d {
            Aabb3d {
                min: Vec3A::from_array(cuboid.min),
                max: Vec3A::from_array(cuboid.max),
            }
        }

        fn ball(ball: &Ball) -> BoundingSphere {
            BoundingSphere::new(Vec3A::from_array(ball.center), ball.radius)
        }

        fn meet(cuboid: &Aabb3d, ball: &BoundingSphere) -> bool {
            cuboid.intersects(ball)
        }
    }
}

/// The dynamic tree of Box2D, maintained as in its physics engine.
pub(super) mod boxdd {
    use ::boxdd::{Aabb, DynamicTree, Foundation, TreeProxyId};

    use crate::contestants::Crate;
    use crate::stepper::{
        KeptPairs, Pair, PairFilter, StepContestant, Stepper, keep_exact, stepper,
    };
    use crate::worlds::Bounds;

    pub(crate) struct Entries;

    impl Crate for Entries {
        fn broadphase2(&self) -> Vec<StepContestant<2>> {
            vec![stepper::<2, Tree>()]
        }
    }

    /// Fat boxes. A fat box is replaced if its box has left it, and a part of the tree is rebuilt
    /// in each step.
    struct Tree {
        tree: DynamicTree,
        proxies: Vec<TreeProxyId>,
        fat: Vec<Bounds<2>>,
        /// The boxes that left their fat boxes.
        left: Vec<u32>,
        kept: KeptPairs,
        fat_pairs: Vec<Pair>,
    }

    /// Box2D's margin, in meters.
    const MARGIN: f32 = 0.1;

    fn cuboid(bounds: &Bounds<2>) -> Aabb {
        Aabb::new(bounds.min, bounds.max).expect("the box is finite")
    }

    impl Stepper<2> for Tree {
        const NAME: &'static str = "boxdd";

        fn new(boxes: &[Bounds<2>]) -> Self {
            Foundation::initialize_default().expect("nobody sets anything else");
            let mut tree = DynamicTree::with_capacity(boxes.len()).expect("there is room");
            let fat: Vec<_> = boxes.iter().map(|bounds| bounds.grown(MARGIN)).collect();
            let proxies = fat.iter().zip(0..).map(|(bounds, id)| {
                let proxy = tree.create_proxy(cuboid(bounds), 1, id);
                proxy.expect("there is room")
            });
            Self {
                proxies: proxies.collect(),
                tree,
                fat,
                left: Vec::new(),
                kept: KeptPairs::default(),
                fat_pairs: Vec::new(),
            }
        }

        fn step(&mut self, boxes: &[Bounds<2>], moved: &[u32], pairs: &mut Vec<Pair>) {
            self.left.clear();
            for &id in moved {
                let i = id as usize;
                if !self.fat[i].contains(&boxes[i]) {
                    self.fat[i] = boxes[i].grown(MARGIN);
                    let enlarged = self
                        .tree
                        .enlarge_proxy(self.proxies[i], cuboid(&self.fat[i]));
                    enlarged.expect("the proxy lives");
                    self.left.push(id);
                }
            }
            self.tree.rebuild(false).expect("the tree is whole");
            let (tree, fat) = (&self.tree, &self.fat);
            let query = |id: u32, keep: PairFilter, pairs: &mut Vec<Pair>| {
                let mut visit = |_, other: u64| {
                    keep.offer(other as u32, pairs);
                    true
                };
                let asked = tree.query_all(cuboid(&fat[id as usize]), &mut visit);
                asked.expect("the box is finite");
            };
            self.kept
                .step(boxes.len(), &self.left, &mut self.fat_pairs, query);
            keep_exact(&self.fat_pairs, boxes, pairs);
        }
    }
}

/// The broad phase of rapier by itself: colliders are moved, and its events patch a list of pairs. Its boxes
/// are fat, so the exact boxes filter the list.
pub(super) mod rapier {
    use crate::contestants::Crate;
    use crate::stepper::{Pair, StepContestant, Stepper, keep_exact, pair, stepper};
    use crate::worlds::Bounds;

    pub(crate) struct Entries;

    impl Crate for Entries {
        fn broadphase3(&self) -> Vec<StepContestant<3>> {
            vec![stepper::<3, three::Rapier>()]
        }

        fn broadphase2(&self) -> Vec<StepContestant<2>> {
            vec![stepper::<2, two::Rapier>()]
        }
    }

    macro_rules! contestant {
        ($module:ident, $rapier:ident, $d:literal) => {
            mod $module {
                use $rapier::dynamics::{IntegrationParameters, RigidBodySet};
                use $rapier::geometry::{
                    ActiveCollisionTypes, BroadPhaseBvh, BroadPhasePairEvent, ColliderBuilder,
                    ColliderHandle, ColliderPair, ColliderSet, Cuboid, SharedShape,
                };

                use super::{Bounds, Pair, Stepper, keep_exact, pair};

                pub(super) struct Rapier {
                    parameters: IntegrationParameters,
                    bodies: RigidBodySet,
                    colliders: ColliderSet,
                    handles: Vec<ColliderHandle>,
                    broad_phase: BroadPhaseBvh,
                    changed: Vec<ColliderHandle>,
                    events: Vec<BroadPhasePairEvent>,
                    /// Sorted.
                    fat_pairs: Vec<Pair>,
                    began: Vec<Pair>,
                    ended: Vec<Pair>,
                }

                impl Rapier {
                    fn update(&mut self) {
                        self.events.clear();
                        self.broad_phase.update(
                            &self.parameters,
                            &self.colliders,
                            &self.bodies,
                            &self.changed,
                            &[],
                            &mut self.events,
                        );
                        let named = |pair_of: &ColliderPair| {
                            let [a, b] = [pair_of.collider1, pair_of.collider2];
                            pair(a.into_raw_parts().0, b.into_raw_parts().0)
                        };
                        self.began.clear();
                        self.ended.clear();
                        for event in &self.events {
                            match event {
                                BroadPhasePairEvent::AddPair(pair) => self.began.push(named(pair)),
                                BroadPhasePairEvent::DeletePair(pair) => {
                                    self.ended.push(named(pair))
                                }
                            }
                        }
                        if !self.ended.is_empty() {
                            self.ended.sort_unstable();
                            let mut ended = self.ended.iter().copied().peekable();
                            self.fat_pairs.retain(|&pair| {
                                while ended.next_if(|&other| other < pair).is_some() {}
                                ended.peek() != Some(&pair)
                            });
                        }
                        if !self.began.is_empty() {
                            self.began.sort_unstable();
                            self.fat_pairs.append(&mut self.began);
                            // The standard library's sort finds the two runs, and merges them.
                            self.fat_pairs.sort();
                            self.fat_pairs.dedup();
                        }
                    }
                }

                fn shape(bounds: &Bounds<$d>) -> SharedShape {
                    let half: [f32; $d] =
                        std::array::from_fn(|a| 0.5 * (bounds.max[a] - bounds.min[a]));
                    if half.iter().all(|x| (x - half[0]).abs() < 1e-3 * half[0]) {
                        // A ball has the bounds of the cube, and they cost less to compute.
                        SharedShape::ball(half[0])
                    } else {
                        SharedShape::new(Cuboid::new(half.into()))
                    }
                }

                impl Stepper<$d> for Rapier {
                    const NAME: &'static str = stringify!($rapier);
                    const MOST_BOXES: usize = 100_000;

                    fn new(boxes: &[Bounds<$d>]) -> Self {
                        let mut colliders = ColliderSet::new();
                        let collider = |bounds: &Bounds<$d>| {
                            ColliderBuilder::new(shape(bounds))
                                .translation(bounds.center().into())
                                .active_collision_types(ActiveCollisionTypes::all())
                                .build()
                        };
                        let inserted = boxes.iter().map(collider);
                        let handles: Vec<_> = inserted.map(|c| colliders.insert(c)).collect();
                        let mut rapier = Self {
                            parameters: IntegrationParameters::default(),
                            bodies: RigidBodySet::new(),
                            colliders,
                            changed: handles.clone(),
                            handles,
                            broad_phase: BroadPhaseBvh::new(),
                            events: Vec::new(),
                            fat_pairs: Vec::new(),
                            began: Vec::new(),
                            ended: Vec::new(),
                        };
                        rapier.update();
                        rapier
                    }

                    fn step(&mut self, boxes: &[Bounds<$d>], moved: &[u32], pairs: &mut Vec<Pair>) {
                        self.changed.clear();
                        for &id in moved {
                            let handle = self.handles[id as usize];
                            let center = boxes[id as usize].center();
                            self.colliders[handle].set_translation(center.into());
                            self.changed.push(handle);
                        }
                        self.update();
                        keep_exact(&self.fat_pairs, boxes, pairs);
                    }
                }
            }
        };
    }

    contestant!(two, rapier2d, 2);
    contestant!(three, rapier3d, 3);
}
