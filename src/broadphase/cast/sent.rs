//! Which bodies are met, in the order of their times.
//!
//! The first is found by a search that only lowers its limit. Of all, nodes wait in a heap by the time
//! at which they can be touched, bodies in another; a body is told once no node can hold an earlier
//! one.

use alloc::collections::BinaryHeap;
use core::cmp::Reverse;

use super::super::engine::Probe;
use super::super::{Body, Broadphase, Filter, Volume};
use crate::nearest::Ranked;
use crate::query::Hierarchy;
use crate::sweep::{First, first_in_hierarchy};
use crate::{Bounded, Handle, Moving, Region, Scalar, Sweep, Vector};

/// Something sent through the world: as nodes see it, and as sixteen boxes do.
pub(super) struct Sent<'a, V: Vector, S: Bounded<Vector = V>> {
    pub(super) world: &'a Broadphase<V>,
    pub(super) filter: Option<Filter>,
    pub(super) moving: &'a Moving<S>,
    pub(super) probe: Option<Probe<V>>,
}

impl<V: Vector, S> Sent<'_, V, S>
where
    S: Bounded<Vector = V> + Region<Vector = V>,
{
    /// The time at which a body is touched.
    fn time_of(
        &self,
        body: &Body<V>,
        limit: V::Scalar,
        time: impl Fn(&Volume<V>, V::Scalar) -> Option<V::Scalar>,
    ) -> Option<V::Scalar> {
        let counts = self.filter.is_none_or(|filter| filter.meets(body.filter));
        counts.then(|| time(&body.volume, limit))?
    }

    /// The first body by time, ties by handle.
    fn first(
        &self,
        probe: &Probe<V>,
        time: impl Fn(&Volume<V>, V::Scalar) -> Option<V::Scalar>,
    ) -> Option<Ranked<V::Scalar, Handle>> {
        let world = self.world;
        let engine = &world.engine;
        // Then the tree holds all that is to be known.
        let bare = self.filter.is_none() && world.is_bare();
        let mut first = None;
        let mut limit = self.moving.horizon();
        let mut offer = |time: Option<V::Scalar>, slot, limit: &mut V::Scalar| {
            if let Some(time) = time.filter(|time| *time <= *limit) {
                let rank = Ranked(time, world.slots.handle(slot));
                if first.is_none_or(|first| rank < first) {
                    first = Some(rank);
                    *limit = time;
                }
            }
        };
        let mut descent = engine.descent();
        while let Some(entered) = engine.next_entered(&mut descent, probe, limit) {
            let mut others = entered.others;
            if bare {
                for lane in lanes(entered.met) {
                    let slot = engine.entered_id(&entered, lane);
                    offer(Some(V::Scalar::ZERO), slot, &mut limit);
                }
            } else {
                others |= entered.met;
            }
            for lane in lanes(others) {
                if entered.times[lane] > limit {
                    continue;
                }
                let slot = engine.entered_id(&entered, lane);
                let touched = if bare {
                    time(&Volume::Box(engine.entered_box(&entered, lane)), limit)
                } else {
                    self.time_of(&world.body(slot), limit, &time)
                };
                offer(touched, slot, &mut limit);
            }
        }
        for slot in engine.astray() {
            let bound = self.moving.bound_of(&engine.bounds(slot));
            if bound.is_some_and(|bound| bound <= limit) {
                offer(
                    self.time_of(&world.body(slot), limit, &time),
                    slot,
                    &mut limit,
                );
            }
        }
        first
    }

    /// Meets bodies by time, ties by handle, up to a time that `visit` may lower. `time` is that of
    /// a volume, `None` for never; above the limit it is given it may be anything.
    pub(super) fn meet(
        &self,
        time: impl Fn(&Volume<V>, V::Scalar) -> Option<V::Scalar>,
        mut visit: impl FnMut(Handle, V::Scalar) -> V::Scalar,
    ) {
        let mut limit = self.moving.horizon();
        let mut met = None;
        if let Some(probe) = &self.probe {
            // Most ask for no more than the first, which has a shorter way.
            let Some(Ranked(t, handle)) = self.first(probe, &time) else {
                return;
            };
            let lower = visit(handle, t);
            // NaN is no time either.
            if lower >= V::Scalar::ZERO {
                limit = limit.smaller(lower);
            } else {
                return;
            }
            met = Some(Ranked(t, handle));
        }
        let world = self.world;
        // A time before which nothing in a node is touched.
        let bound = |node| {
            let enter = self.moving.bound_of(&world.engine.extent(node).core);
            enter.map(|enter| Reverse(Ranked(enter, node)))
        };
        let mut nodes: BinaryHeap<_> = world.engine.root().and_then(bound).into_iter().collect();
        let mut bodies = BinaryHeap::new();
        loop {
            let earliest = bodies.peek().map(|Reverse(Ranked(time, _))| *time);
            // At an equal time too: a tie goes by handle.
            let opens = |time| time <= limit && earliest.is_none_or(|earliest| time <= earliest);
            if let Some(Reverse(Ranked(enter, node))) = nodes.peek().copied()
                && opens(enter)
            {
                nodes.pop();
                let mut ask = |slot| {
                    let touched = self.time_of(&world.body(slot), limit, &time);
                    if let Some(time) = touched.filter(|&time| time <= limit) {
                        let rank = Ranked(time, world.slots.handle(slot));
                        if met != Some(rank) {
                            bodies.push(Reverse(rank));
                        }
                    }
                };
                let asked = self.probe.as_ref().is_some_and(|probe| {
                    let child = |node, enter| nodes.push(Reverse(Ranked(enter, node)));
                    world.engine.enter(node, probe, limit, child, &mut ask)
                });
                if !asked {
                    world.engine.run(node, false).for_each(ask);
                    let children = world.engine.children(node, false).filter_map(bound);
                    nodes.extend(children.filter(|child| child.0.0 <= limit));
                }
            } else if let Some(Reverse(Ranked(time, handle))) = bodies.pop()
                && time <= limit
            {
                let lower = visit(handle, time);
                if lower >= V::Scalar::ZERO {
                    limit = limit.smaller(lower);
                } else {
                    return;
                }
            } else {
                return;
            }
        }
    }
}

impl<V: Vector> Broadphase<V> {
    /// Offers the body that a moving shape touches first, or all that may be it.
    pub(in super::super) fn find_first<S>(
        &self,
        filter: Option<Filter>,
        moving: &Moving<S>,
        first: &mut First<V::Scalar, Handle>,
    ) where
        S: Bounded<Vector = V> + Region<Vector = V>,
        Moving<S>: Sweep<Volume<V>, Vector = V>,
    {
        let sent = Sent {
            world: self,
            filter,
            moving,
            probe: Probe::new(moving),
        };
        let time = |volume: &Volume<V>, limit| moving.first(volume, limit);
        if let Some(probe) = &sent.probe {
            if let Some(Ranked(t, handle)) = sent.first(probe, time) {
                first.offer(t, handle, handle.slot);
            }
            return;
        }
        first_in_hierarchy(
            self,
            |extent| moving.bound::<Body<V>>(extent),
            |body| sent.time_of(body, V::Scalar::INFINITY, time),
            first,
        );
    }
}

/// The numbers of the bits that are set.
fn lanes(mut bits: u32) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let lane = bits.trailing_zeros() as usize;
        let some = bits != 0;
        bits &= bits.wrapping_sub(1);
        some.then_some(lane)
    })
}
