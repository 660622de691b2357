//! Compares any sequence of calls with a list of bodies and the double loop: pairs, events and answers.

use std::marker::PhantomData;

use orthant::glam::{DVec3, Vec2, Vec3};
use orthant::{BodyInfo, Broadphase, Event, Filter, Handle, Motion, Scalar, Vector, Volume};
use proptest::prelude::*;
use proptest_state_machine::{ReferenceStateMachine, StateMachineTest, prop_state_machine};

use super::make::{Raw, Scale, crowd, filter, motion, proxy, raw, scale, way};
use super::model::{Body, Pairs};
use crate::cases::cases;

#[derive(Clone, Debug)]
pub(crate) enum Step {
    Insert(Raw, BodyInfo),
    InsertBatch(Vec<(Raw, BodyInfo)>),
    Remove(usize),
    Place(usize, Raw, [i8; 3]),
    Sweep(usize, Raw, [i8; 3]),
    /// Moves every n-th body a little, or far.
    Stir(usize, [i8; 3], bool),
    /// Moves all bodies that are neither static nor asleep.
    StirAll([i8; 3]),
    SetMotion(usize, Motion),
    SetFilter(usize, Filter),
    SetUser(usize, u64),
    Sleep(usize),
    Wake(usize),
    Update,
    Refresh,
    Optimize(usize),
    /// Continues with a copy, made in one way or another.
    Copy(bool),
    Ask(Raw, [i8; 3], Filter),
}

#[derive(Clone, Debug)]
pub(crate) struct Model<V: Vector> {
    pub(crate) scale: Scale,
    margin: f64,
    pub(crate) prediction: f64,
    pub(crate) fat: bool,
    pub(crate) paired: bool,
    bodies: Vec<Body<V>>,
    /// The numbers from which each volume was made, for moves.
    raws: Vec<Raw>,
}

fn steps() -> BoxedStrategy<Step> {
    let which = || any::<prop::sample::Index>().prop_map(|index| index.index(10_000));
    let some = proptest::collection::vec((raw(), proxy()), 0..9);
    prop_oneof![
        8 => (raw(), proxy()).prop_map(|(raw, proxy)| Step::Insert(raw, proxy)),
        1 => some.prop_map(Step::InsertBatch),
        4 => which().prop_map(Step::Remove),
        8 => (which(), raw(), way()).prop_map(|(i, raw, by)| Step::Place(i, raw, by)),
        2 => (which(), raw(), way()).prop_map(|(i, raw, by)| Step::Sweep(i, raw, by)),
        3 => (1..30usize, way(), any::<bool>()).prop_map(|(i, by, back)| Step::Stir(i, by, back)),
        2 => way().prop_map(Step::StirAll),
        1 => (which(), motion()).prop_map(|(i, motion)| Step::SetMotion(i, motion)),
        2 => (which(), filter()).prop_map(|(i, filter)| Step::SetFilter(i, filter)),
        1 => (which(), any::<u64>()).prop_map(|(i, user)| Step::SetUser(i, user)),
        2 => which().prop_map(Step::Sleep),
        1 => which().prop_map(Step::Wake),
        8 => Just(Step::Update),
        3 => Just(Step::Refresh),
        1 => (0..50usize).prop_map(Step::Optimize),
        1 => any::<bool>().prop_map(Step::Copy),
        3 => (raw(), way(), filter()).prop_map(|(raw, by, filter)| Step::Ask(raw, by, filter)),
    ]
    .boxed()
}

fn moved(raw: Raw, by: [i8; 3]) -> Raw {
    let at = std::array::from_fn(|a| raw.0[a].saturating_add(by[a]));
    (at, raw.1, raw.2)
}

/// Returns the bodies that a stir moves.
fn stirred(len: usize, every: usize) -> impl Iterator<Item = usize> {
    (0..len).filter(move |i| i.wrapping_mul(7).wrapping_add(3).is_multiple_of(every))
}

fn pick(len: usize, number: usize) -> Option<usize> {
    (len > 0).then(|| number % len)
}

impl<V: Vector> Model<V> {
    fn add(&mut self, raw: Raw, proxy: BodyInfo) {
        self.raws.push(raw);
        self.bodies.push(Body {
            volume: self.scale.volume(raw),
            path: V::splat(V::Scalar::ZERO),
            proxy,
            asleep: false,
        });
    }

    fn place(&mut self, i: usize, raw: Raw, path: [i8; 3]) {
        self.raws[i] = raw;
        let body = &mut self.bodies[i];
        body.volume = self.scale.volume(raw);
        body.path = self.scale.way(path);
        body.asleep = false;
    }
}

impl<V: Vector> ReferenceStateMachine for Model<V> {
    type State = Self;
    type Transition = Step;

    fn init_state() -> BoxedStrategy<Self> {
        let margin = proptest::sample::select(&[0.0, 0.0, 0.5, 3.0][..]);
        let prediction = proptest::sample::select(&[0.0, 0.0, 0.0, 1.0][..]);
        let fat = prop_oneof![5 => Just(false), 1 => Just(true)];
        let paired = prop_oneof![5 => Just(true), 1 => Just(false)];
        let start = prop_oneof![7 => Just(Vec::new()), 1 => crowd()];
        (scale(), margin, prediction, (fat, paired), start)
            .prop_map(|(scale, margin, prediction, (fat, paired), start)| {
                let mut model = Self {
                    scale,
                    margin,
                    prediction,
                    fat,
                    paired,
                    bodies: Vec::new(),
                    raws: Vec::new(),
                };
                for raw in start {
                    model.add(raw, Motion::Dynamic.into());
                }
                model
            })
            .boxed()
    }

    fn transitions(_: &Self) -> BoxedStrategy<Step> {
        steps()
    }

    fn apply(mut model: Self, step: &Step) -> Self {
        let len = model.bodies.len();
        match step {
            Step::Insert(raw, proxy) => model.add(*raw, *proxy),
            Step::InsertBatch(many) => many.iter().for_each(|&(raw, proxy)| model.add(raw, proxy)),
            Step::Remove(i) => {
                if let Some(i) = pick(len, *i) {
                    model.bodies.swap_remove(i);
                    model.raws.swap_remove(i);
                }
            }
            Step::Place(i, raw, _) => {
                if let Some(i) = pick(len, *i) {
                    model.place(i, *raw, [0; 3]);
                }
            }
            Step::Sweep(i, raw, by) => {
                if let Some(i) = pick(len, *i) {
                    model.place(i, *raw, *by);
                }
            }
            Step::Stir(every, by, _) => {
                for i in stirred(len, *every) {
                    model.place(i, moved(model.raws[i], *by), [0; 3]);
                }
            }
            Step::StirAll(by) => {
                for i in 0..len {
                    let body = &model.bodies[i];
                    if body.proxy.motion != Motion::Static && !body.asleep {
                        model.place(i, moved(model.raws[i], *by), [0; 3]);
                    }
                }
            }
            Step::SetMotion(i, motion) => {
                if let Some(i) = pick(len, *i) {
                    model.bodies[i].proxy.motion = *motion;
                }
            }
            Step::SetFilter(i, filter) => {
                if let Some(i) = pick(len, *i) {
                    model.bodies[i].proxy.filter = *filter;
                }
            }
            Step::SetUser(i, user) => {
                if let Some(i) = pick(len, *i) {
                    model.bodies[i].proxy.user = *user;
                }
            }
            Step::Sleep(i) | Step::Wake(i) => {
                if let Some(i) = pick(len, *i) {
                    model.bodies[i].asleep = matches!(step, Step::Sleep(_));
                }
            }
            Step::Update | Step::Refresh | Step::Optimize(_) | Step::Copy(_) | Step::Ask(..) => {}
        }
        model
    }
}

pub(crate) struct World<V: Vector> {
    pub(crate) world: Broadphase<V>,
    /// The handles in the order of the model's bodies.
    pub(crate) handles: Vec<Handle>,
    /// The pairs, kept by events alone.
    pairs: Pairs,
    removed: Vec<Handle>,
}

impl<V: Vector> World<V> {
    /// Returns the model's bodies by their handles.
    pub(crate) fn named<'a>(&self, model: &'a Model<V>) -> Vec<(Handle, &'a Body<V>)> {
        let handles = self.handles.iter().copied();
        handles.zip(&model.bodies).collect()
    }

    fn update(&mut self, model: &Model<V>) {
        let events = self.world.update().to_vec();
        assert!(events.is_sorted_by(|a, b| a.pair() < b.pair()), "events");
        for event in events {
            let (a, b) = event.pair();
            assert!(a < b);
            let news = match event {
                Event::Begin(..) => self.pairs.insert((a, b)),
                Event::End(..) => self.pairs.remove(&(a, b)),
            };
            assert!(news, "{event:?} tells nothing new");
        }
        assert_eq!(self.pairs, self.expected(model));
        assert!(self.world.pairs().eq(self.pairs.iter().copied()), "pairs");
    }

    fn refresh(&mut self, model: &Model<V>) {
        self.world.refresh();
        self.pairs = self.world.pairs().collect();
        assert_eq!(self.pairs.len(), self.world.pairs().len());
        assert_eq!(self.pairs, self.expected(model));
    }

    fn check(&self, model: &Model<V>) {
        assert_eq!(self.world.len(), model.bodies.len());
        for (handle, body) in self.named(model) {
            assert_eq!(self.world.volume(handle), Some(body.volume));
            assert_eq!(self.world.path(handle), Some(body.path));
            assert_eq!(self.world.motion(handle), Some(body.proxy.motion));
            assert_eq!(self.world.filter(handle), Some(body.proxy.filter));
            assert_eq!(self.world.user(handle), Some(body.proxy.user));
            assert_eq!(self.world.is_asleep(handle), Some(body.asleep));
        }
        for &handle in &self.removed {
            assert!(!self.world.contains(handle));
            assert_eq!(self.world.partners(handle).count(), 0);
        }
    }
}

#[cfg(feature = "serde")]
fn copied<V>(world: &Broadphase<V>, written: bool) -> Broadphase<V>
where
    V: Vector + serde::Serialize + serde::de::DeserializeOwned,
    V::Scalar: serde::Serialize + serde::de::DeserializeOwned,
{
    if written {
        let text = serde_json::to_string(world).unwrap();
        serde_json::from_str(&text).unwrap()
    } else {
        world.clone()
    }
}

#[cfg(not(feature = "serde"))]
fn copied<V: Vector>(world: &Broadphase<V>, _written: bool) -> Broadphase<V> {
    world.clone()
}

struct Machine<V>(PhantomData<V>);

macro_rules! machine {
    ($($v:ident),*) => {$(
        impl StateMachineTest for Machine<$v> {
            type SystemUnderTest = World<$v>;
            type Reference = Model<$v>;

            fn init_test(model: &Model<$v>) -> World<$v> {
                let mut world = Broadphase::new()
                    .with_margin(model.scale.length::<$v>(model.margin))
                    .with_prediction(model.scale.length::<$v>(model.prediction));
                if model.fat {
                    world = world.with_fat_pairs();
                }
                if !model.paired {
                    world = world.without_pairs();
                }
                let bodies = model.bodies.iter().map(|body| (body.volume, body.proxy));
                let handles = world.insert_batch(bodies);
                World { world, handles, pairs: Pairs::new(), removed: Vec::new() }
            }

            fn apply(mut this: World<$v>, model: &Model<$v>, step: Step) -> World<$v> {
                if let Step::Copy(written) = step {
                    this.world = copied(&this.world, written);
                } else {
                    this.apply(model, step);
                }
                this
            }

            fn check_invariants(this: &World<$v>, model: &Model<$v>) {
                this.check(model);
                this.world.validate().unwrap();
            }

            fn teardown(mut this: World<$v>, model: Model<$v>) {
                this.update(&model);
                let none: [Event; 0] = [];
                assert_eq!(this.world.update(), none);
            }
        }
    )*};
}

machine!(Vec2, Vec3, DVec3);

impl<V: Vector> World<V> {
    /// Takes a step, which the model has already taken.
    fn apply(&mut self, model: &Model<V>, step: Step) {
        let scale = model.scale;
        let i = match &step {
            Step::Remove(i)
            | Step::Place(i, ..)
            | Step::Sweep(i, ..)
            | Step::SetMotion(i, _)
            | Step::SetFilter(i, _)
            | Step::SetUser(i, _)
            | Step::Sleep(i)
            | Step::Wake(i) => match pick(self.handles.len(), *i) {
                Some(i) => i,
                None => return,
            },
            _ => 0,
        };
        match step {
            Step::Insert(raw, proxy) => {
                let volume: Volume<V> = scale.volume(raw);
                self.handles.push(self.world.insert(volume, proxy));
            }
            Step::InsertBatch(many) => {
                let many = many
                    .into_iter()
                    .map(|(raw, proxy)| (scale.volume::<V>(raw), proxy));
                self.handles.extend(self.world.insert_batch(many));
            }
            Step::Remove(_) => {
                let handle = self.handles.swap_remove(i);
                let volume = self.world.volume(handle);
                assert_eq!(self.world.remove(handle), volume);
                assert_eq!(self.world.remove(handle), None);
                self.removed.push(handle);
            }
            Step::Place(_, raw, by) => self.place(model, i, raw, by),
            Step::Sweep(_, raw, by) => {
                let volume = scale.volume::<V>(raw);
                self.world.set_swept(self.handles[i], volume, scale.way(by));
            }
            Step::Stir(every, by, expected) => {
                for i in stirred(self.handles.len(), every) {
                    let by = if expected { by } else { [0; 3] };
                    self.place(model, i, model.raws[i], by);
                }
            }
            Step::StirAll(_) => {
                let last = self.handles.iter().map(|handle| handle.slot()).max();
                let mut places = vec![None; last.map_or(0, |last| last + 1)];
                for (handle, body) in self.named(model) {
                    places[handle.slot()] = Some((handle, body.volume));
                }
                self.world.set_all_bounds(|handle| {
                    let (named, volume) = places[handle.slot()].expect("it is in use");
                    assert_eq!(named, handle);
                    volume
                });
            }
            Step::SetMotion(_, motion) => self.world.set_motion(self.handles[i], motion),
            Step::SetFilter(_, filter) => self.world.set_filter(self.handles[i], filter),
            Step::SetUser(_, user) => self.world.set_user(self.handles[i], user),
            Step::Sleep(_) => self.world.sleep(self.handles[i]),
            Step::Wake(_) => self.world.wake(self.handles[i]),
            Step::Update => self.update(model),
            Step::Refresh => self.refresh(model),
            Step::Optimize(budget) => self.world.optimize(budget),
            Step::Copy(_) => unreachable!("done by the caller"),
            Step::Ask(raw, by, filter) => self.ask(model, raw, by, filter),
        }
    }

    fn place(&mut self, model: &Model<V>, i: usize, raw: Raw, by: [i8; 3]) {
        let handle = self.handles[i];
        let before = self.world.fat_bounds(handle);
        let volume: Volume<V> = model.scale.volume(raw);
        let left = if by == [0; 3] {
            self.world.set_bounds(handle, volume)
        } else {
            let way = model.scale.way(by);
            self.world.set_bounds_expecting(handle, volume, way)
        };
        assert_eq!(left, self.world.fat_bounds(handle) != before);
    }
}

/// Runs fewer cases in debug builds, where the model is slow.
fn config() -> ProptestConfig {
    ProptestConfig {
        max_shrink_iters: 4000,
        ..cases(40, 10_000)
    }
}

prop_state_machine! {
    #![proptest_config(config())]

    #[test]
    fn in_the_plane(sequential 1..60 => Machine<Vec2>);

    #[test]
    fn in_space(sequential 1..60 => Machine<Vec3>);

    #[test]
    fn in_double_precision(sequential 1..60 => Machine<DVec3>);
}
