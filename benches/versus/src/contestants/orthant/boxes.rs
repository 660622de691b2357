//! Moving boxes, casts through them, and boxes at rest.

use super::library::glam::{Vec2, Vec3};
use super::library::{Aabb, Broadphase, Event, Frustum, Handle, Motion, Orthtree, Sphere, Vector};
use super::{KIND, NAME, first_of_ball, first_on_ray, set_bounds};

use crate::contestant::at_rest::{AtRest, Find};
use crate::jobs::casts::{Casts, Path};
use crate::jobs::frustum::View;
use crate::race::Kind;
use crate::stepper::{Events, Pair, Stepper};
use crate::worlds::Bounds;

/// Boxes at rest.
pub(crate) struct Tree<V: Vector>(Orthtree<Aabb<V>>);

/// A world whose steps give a sorted list and events.
pub(crate) struct Proxies<V: Vector> {
    pub(crate) world: Broadphase<V>,
    handles: Vec<Handle>,
    begins: Vec<Pair>,
    ends: Vec<Pair>,
    /// True until the list was written once, whether or not pairs changed.
    is_new: bool,
}

/// A world whose steps give the list only, in any order.
pub(crate) struct Listed<V: Vector>(Proxies<V>);

fn named((a, b): (Handle, Handle)) -> Pair {
    (a.slot() as u64) << 32 | b.slot() as u64
}

macro_rules! contestant {
    ($vector:ty, $d:literal) => {
        impl Proxies<$vector> {
            fn filled(boxes: &[Bounds<$d>]) -> Self {
                let mut world = Broadphase::new();
                let insert = |bounds| world.insert(cuboid(bounds), Motion::Dynamic);
                let handles: Vec<_> = boxes.iter().map(insert).collect();
                assert!(
                    handles
                        .iter()
                        .map(|handle| handle.slot())
                        .eq(0..boxes.len())
                );
                world.update();
                return Self {
                    world,
                    handles,
                    begins: Vec::new(),
                    ends: Vec::new(),
                    is_new: true,
                };

                fn cuboid(bounds: &Bounds<$d>) -> Aabb<$vector> {
                    Aabb::new(bounds.min.into(), bounds.max.into())
                }
            }

            pub(crate) fn place(&mut self, boxes: &[Bounds<$d>], moved: &[u32]) {
                let cuboid = |id: usize| {
                    let Bounds { min, max } = boxes[id];
                    Aabb::new(min.into(), max.into())
                };
                if moved.len() == boxes.len() {
                    self.world.set_all_bounds(|handle| cuboid(handle.slot()));
                    return;
                }
                for &id in moved {
                    let handle = self.handles[id as usize];
                    let bounds = cuboid(id as usize);
                    set_bounds(&mut self.world, handle, bounds);
                }
            }
        }

        impl Stepper<$d> for Proxies<$vector> {
            const NAME: &'static str = NAME;
            const KIND: Kind = KIND;
            const ROWS: [bool; 2] = [false, true];

            fn new(boxes: &[Bounds<$d>]) -> Self {
                Self::filled(boxes)
            }

            fn step(&mut self, boxes: &[Bounds<$d>], moved: &[u32], pairs: &mut Vec<Pair>) {
                self.place(boxes, moved);
                self.begins.clear();
                self.ends.clear();
                for event in self.world.update() {
                    match *event {
                        Event::Begin(a, b) => self.begins.push(named((a, b))),
                        Event::End(a, b) => self.ends.push(named((a, b))),
                    }
                }
                if self.is_new || !self.begins.is_empty() || !self.ends.is_empty() {
                    self.is_new = false;
                    pairs.clear();
                    pairs.extend(self.world.pairs().map(named));
                }
            }

            fn report(&mut self, _: &mut Vec<Pair>, events: &mut Events) {
                events.begins.clone_from(&self.begins);
                events.ends.clone_from(&self.ends);
            }
        }

        impl Stepper<$d> for Listed<$vector> {
            const NAME: &'static str = NAME;
            const KIND: Kind = KIND;
            const ROWS: [bool; 2] = [true, false];

            fn new(boxes: &[Bounds<$d>]) -> Self {
                Self(Proxies::<$vector>::filled(boxes))
            }

            fn step(&mut self, boxes: &[Bounds<$d>], moved: &[u32], pairs: &mut Vec<Pair>) {
                let Self(proxies) = self;
                proxies.place(boxes, moved);
                proxies.world.refresh();
                if proxies.is_new || !moved.is_empty() {
                    proxies.is_new = false;
                    pairs.clear();
                    pairs.extend(proxies.world.pairs().map(named));
                }
            }
        }

        impl AtRest<$d> for Tree<$vector> {
            const NAME: &'static str = NAME;
            const KIND: Kind = KIND;

            fn build(boxes: &[Bounds<$d>]) -> Self {
                let cuboid = |bounds: &Bounds<$d>| Aabb::new(bounds.min.into(), bounds.max.into());
                Self(Orthtree::new(&boxes.iter().map(cuboid).collect::<Vec<_>>()))
            }
        }

        impl Find<$d, Bounds<$d>> for Tree<$vector> {
            fn find(&mut self, window: &Bounds<$d>, ids: &mut Vec<u32>) {
                let window = Aabb::<$vector>::new(window.min.into(), window.max.into());
                self.0.query(window).append_to(ids);
            }
        }
    };
}

contestant!(Vec2, 2);
contestant!(Vec3, 3);

impl Find<3, View> for Tree<Vec3> {
    fn find(&mut self, view: &View, ids: &mut Vec<u32>) {
        let frustum = Frustum::from_view_projection(view.matrix);
        self.0.query(frustum).append_to(ids);
    }
}

impl Casts for Proxies<Vec3> {
    fn ray(&self, path: &Path) -> Option<u32> {
        let (from, by) = (path.from.into(), path.by.into());
        Some(first_on_ray(&self.world, from, by)?.slot() as u32)
    }

    fn sphere(&self, path: &Path, radius: f32) -> Option<u32> {
        let ball = Sphere::new(path.from.into(), radius);
        Some(first_of_ball(&self.world, ball, path.by.into())?.slot() as u32)
    }

    fn overlapping(&self, bounds: &Bounds<3>, ids: &mut Vec<u32>) {
        let asked = Aabb::<Vec3>::new(bounds.min.into(), bounds.max.into());
        let found = self.world.query(asked);
        found.for_each(|handle| ids.push(handle.slot() as u32));
    }
}
