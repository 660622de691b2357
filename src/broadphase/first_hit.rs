//! Finds the bodies that a moving shape touches, in the order of their times.
//!
//! The first is found by a search that only lowers its limit. For the others, nodes wait in a heap by the time at which
//! they can be touched, and bodies in another. A body is handed out when no node can hold an earlier one.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;

use super::body::Body;
use super::sweep_bounds::SweepBounds;
use super::world::World;
use super::{Filter, Volume};
use crate::bits::set_bits;
use crate::handle::Handle;
use crate::nearest::Ranked;
use crate::query::{Hierarchy, Hit};
use crate::shape::Aabb;
use crate::simd::LANES;
use crate::sweep::{Cast, Impact, Sweep};
use crate::vector::{Scalar, Vector};

/// A cast under way: a shape on its way, and the bodies that count.
pub(super) struct Casting<'a, V: Vector> {
    world: &'a World<V>,
    filter: Option<Filter>,
    mover: Cast<V>,
    /// Bounds of the sweep against which sixteen boxes are tested; `None` where they cannot be.
    probe: Option<SweepBounds<V>>,
}

/// How bodies are tested. Against boxes a ray is a box; against balls and nodes it is a ball.
impl<V: Vector> Cast<V> {
    fn probe(&self) -> Option<SweepBounds<V>> {
        match self {
            Self::Ray(ray) => SweepBounds::new(&ray.as_box()),
            Self::Box(bounds) => SweepBounds::new(bounds),
            Self::Ball(ball) => SweepBounds::new(ball),
        }
    }

    fn horizon(&self) -> V::Scalar {
        match self {
            Self::Box(bounds) => bounds.horizon(),
            Self::Ball(ball) => ball.horizon(),
            Self::Ray(ray) => ray.horizon(),
        }
    }

    /// A time before which nothing in a box is touched; `None` for never.
    fn bound_of(&self, cell: &Aabb<V>) -> Option<V::Scalar> {
        match self {
            Self::Box(bounds) => bounds.bound_of_cell(cell),
            Self::Ball(ball) => ball.bound_of_cell(cell),
            Self::Ray(ray) => ray.as_ball().bound_of_cell(cell),
        }
    }

    /// The time at which a volume is touched, `None` for never; above the limit it may be anything.
    #[inline(always)]
    fn time(&self, volume: &Volume<V>, limit: V::Scalar) -> Option<V::Scalar> {
        match self {
            Self::Ray(ray) => ray.first(volume, limit),
            Self::Box(bounds) => bounds.first(volume, limit),
            Self::Ball(ball) => ball.first(volume, limit),
        }
    }

    /// When and where a volume is touched.
    fn impact(&self, volume: &Volume<V>) -> Option<Impact<V>> {
        match self {
            Self::Box(bounds) => bounds.sweep(volume),
            Self::Ball(ball) => ball.sweep(volume),
            Self::Ray(ray) => ray.sweep(volume),
        }
    }
}

impl<'a, V: Vector> Casting<'a, V> {
    fn new(world: &'a World<V>, filter: Option<Filter>, cast: &Cast<V>) -> Self {
        Self {
            world,
            filter,
            mover: *cast,
            probe: cast.probe(),
        }
    }

    fn counts(&self, body: &Body<V>) -> bool {
        self.filter.is_none_or(|filter| filter.meets(body.filter))
    }

    /// The time at which a body is touched.
    fn time_of(&self, body: &Body<V>, limit: V::Scalar) -> Option<V::Scalar> {
        let counts = self.counts(body);
        counts.then(|| self.mover.time(&body.volume, limit))?
    }

    /// The first body by time, ties by handle.
    fn first(&self) -> Option<Ranked<V::Scalar, Handle>> {
        if let Some(probe) = &self.probe {
            return self.first_by_lanes(probe);
        }
        self.next_of(&mut self.heaps(None), self.mover.horizon())
    }

    /// All that is to be looked at for the bodies but the first.
    fn heaps(&self, first: Option<Ranked<V::Scalar, Handle>>) -> Heaps<V::Scalar> {
        let root = self.world.root();
        Heaps {
            first,
            nodes: root.and_then(|root| self.bound(root)).into_iter().collect(),
            bodies: BinaryHeap::new(),
        }
    }

    /// The first body by time, found by testing sixteen boxes at a time.
    ///
    /// ```text
    /// until no node can be entered up to the limit:
    ///     of the next block of boxes, those met at the start are touched at 0
    ///     the others that may be entered up to the limit are asked when
    ///     the limit is the least time so far
    /// then the bodies that are not in the tree
    /// ```
    fn first_by_lanes(&self, probe: &SweepBounds<V>) -> Option<Ranked<V::Scalar, Handle>> {
        let world = self.world;
        // If so, the boxes in the tree are the bodies.
        let bare = self.filter.is_none() && world.is_bare();
        let mut first = None;
        let mut limit = self.mover.horizon();
        let mut offer = |time: Option<V::Scalar>, slot, limit: &mut V::Scalar| {
            if let Some(time) = time.filter(|time| *time <= *limit) {
                let rank = Ranked(time, world.bodies.handle(slot));
                if first.is_none_or(|first| rank < first) {
                    first = Some(rank);
                    *limit = time;
                }
            }
        };
        let mut descent = world.descent();
        while let Some(entered) = world.next_entered(&mut descent, probe, limit) {
            let mut others = entered.others;
            if bare {
                for lane in set_bits(entered.met) {
                    let slot = world.tree.ids[entered.block].0[lane % LANES];
                    offer(Some(V::Scalar::ZERO), slot, &mut limit);
                }
            } else {
                others |= entered.met;
            }
            for lane in set_bits(others) {
                if entered.times[lane] > limit {
                    continue;
                }
                let slot = world.tree.ids[entered.block].0[lane % LANES];
                let touched = if bare {
                    let bounds = world.tree.levels[0][entered.block].get(lane % LANES);
                    let volume = Volume::Box(bounds);
                    self.mover.time(&volume, limit)
                } else {
                    self.time_of(&world.body(slot), limit)
                };
                offer(touched, slot, &mut limit);
            }
        }
        for slot in world.all_out_of_place() {
            let bound = self.mover.bound_of(&world.bodies.bounds(slot));
            if bound.is_some_and(|bound| bound <= limit) {
                let touched = self.time_of(&world.body(slot), limit);
                offer(touched, slot, &mut limit);
            }
        }
        first
    }
}

/// The bodies that a shape meets, one after the other.
#[allow(
    missing_debug_implementations,
    reason = "cannot be named outside the crate"
)]
pub struct Hits<'a, V: Vector> {
    casting: Casting<'a, V>,
    stage: Stage<V::Scalar>,
}

/// How far a search for all is.
enum Stage<S> {
    /// Most ask for no more than the first, which has a shorter way.
    Fresh,
    /// The first was handed out.
    First(Option<Ranked<S, Handle>>),
    Heaps(Heaps<S>),
}

struct Heaps<S> {
    first: Option<Ranked<S, Handle>>,
    /// By the time before which nothing in them is touched.
    nodes: BinaryHeap<Reverse<Ranked<S, u32>>>,
    bodies: BinaryHeap<Reverse<Ranked<S, Handle>>>,
}

impl<'a, V: Vector> Hits<'a, V> {
    pub(super) fn new(world: &'a World<V>, filter: Option<Filter>, cast: &Cast<V>) -> Self {
        let casting = Casting::new(world, filter, cast);
        let stage = Stage::Fresh;
        Self { casting, stage }
    }

    /// The next body by time, ties by handle, up to a limit that may fall from call to call.
    pub(super) fn next_hit(&mut self, limit: V::Scalar) -> Option<(Handle, V::Scalar)> {
        let casting = &self.casting;
        if matches!(self.stage, Stage::Fresh) {
            let first = casting.first();
            self.stage = Stage::First(first);
            return first.map(|Ranked(time, handle)| (handle, time));
        }
        if let Stage::First(first) = self.stage {
            self.stage = Stage::Heaps(casting.heaps(first));
        }
        let Stage::Heaps(heaps) = &mut self.stage else {
            return None;
        };
        let next = casting.next_of(heaps, limit.smaller(casting.mover.horizon()));
        next.map(|Ranked(time, handle)| (handle, time))
    }
}

impl<V: Vector> Casting<'_, V> {
    /// A time before which nothing in a node is touched.
    fn bound(&self, node: u32) -> Option<Reverse<Ranked<V::Scalar, u32>>> {
        let enter = self.mover.bound_of(&self.world.extent(node).core);
        enter.map(|enter| Reverse(Ranked(enter, node)))
    }

    fn next_of(
        &self,
        heaps: &mut Heaps<V::Scalar>,
        limit: V::Scalar,
    ) -> Option<Ranked<V::Scalar, Handle>> {
        let world = self.world;
        let Heaps {
            first,
            nodes,
            bodies,
        } = heaps;
        loop {
            let earliest = bodies.peek().map(|Reverse(Ranked(time, _))| *time);
            // At an equal time too: a tie goes by handle.
            let opens = |time| time <= limit && earliest.is_none_or(|earliest| time <= earliest);
            let next = nodes.peek().copied();
            let Some(Reverse(Ranked(_, node))) = next.filter(|next| opens(next.0.0)) else {
                let Reverse(next) = bodies.pop()?;
                return (next.0 <= limit).then_some(next);
            };
            nodes.pop();
            let mut ask = |slot| {
                let touched = self.time_of(&world.body(slot), limit);
                if let Some(time) = touched.filter(|&time| time <= limit) {
                    let rank = Ranked(time, world.bodies.handle(slot));
                    if *first != Some(rank) {
                        bodies.push(Reverse(rank));
                    }
                }
            };
            let asked = self.probe.as_ref().is_some_and(|probe| {
                let child = |node, enter| nodes.push(Reverse(Ranked(enter, node)));
                world.enter(node, probe, limit, child, &mut ask)
            });
            if !asked {
                world.ids(node).for_each(ask);
                let children = world.children(node, false);
                let children = children.filter_map(|child| self.bound(child));
                nodes.extend(children.filter(|child| child.0.0 <= limit));
            }
        }
    }
}

impl<V: Vector> World<V> {
    /// The body that is touched first, and when.
    pub(super) fn first_hit(
        &self,
        filter: Option<Filter>,
        cast: &Cast<V>,
    ) -> Option<(Handle, V::Scalar)> {
        let Ranked(time, handle) = Casting::new(self, filter, cast).first()?;
        Some((handle, time))
    }

    /// The body that is touched first, and when and where.
    pub(super) fn sweep(&self, filter: Option<Filter>, cast: &Cast<V>) -> Option<Hit<Handle, V>> {
        let casting = Casting::new(self, filter, cast);
        let Ranked(_, item) = casting.first()?;
        let impact = casting.mover.impact(&self.body(item.slot).volume)?;
        Some(Hit { item, impact })
    }

    /// All bodies that are touched, and when and where.
    pub(super) fn sweep_all(&self, filter: Option<Filter>, cast: &Cast<V>) -> Vec<Hit<Handle, V>> {
        let casting = Casting::new(self, filter, cast);
        let mut heaps = casting.heaps(None);
        let next = || casting.next_of(&mut heaps, casting.mover.horizon());
        let touched = core::iter::from_fn(next).filter_map(|Ranked(_, item)| {
            let impact = casting.mover.impact(&self.body(item.slot).volume)?;
            Some(Hit { item, impact })
        });
        touched.collect()
    }
}
