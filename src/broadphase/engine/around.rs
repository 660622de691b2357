//! The boxes that meet a box or a ball, sixteen at a time. A search fills a list and stops where the
//! next boxes might not fit, to be resumed.

use fearless_simd::{Simd, SimdBase, SimdFrom, u32x16};

use super::Engine;
use super::items::Items;
use super::queries::Node;
use super::row::Row;
use crate::overlap::lanes::{Ball, Boxes, Probe};
use crate::simd::{Column, Job, LANES, Mask, Pile, Room, compress};
use crate::{Aabb, Region, Vector};

/// Nodes to come: at most fifteen of each level beside those of the last, and the tops of two trees.
pub(super) const STACK: usize = 10 * LANES;

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Asked<V: Vector> {
    Box(Aabb<V>),
    Ball(Ball<V>),
}

impl<V: Vector> Asked<V> {
    /// `None` for a region that is neither a box nor a ball.
    #[inline]
    pub(super) fn of(region: &impl Region<Vector = V>) -> Option<Self> {
        match region.cuboid() {
            Some(cuboid) => Some(Self::Box(cuboid)),
            None => region.ball().map(Self::Ball),
        }
    }

    /// The lanes of those of sixteen boxes that are met.
    #[inline(always)]
    pub(super) fn meets<S: Simd>(&self, simd: S, boxes: &Boxes<V>) -> Mask {
        match self {
            Self::Box(cuboid) => Row::load(simd, boxes).meets(&Row::of(simd, cuboid)),
            Self::Ball(ball) if ball.hollow => {
                Probe::<V, S, true>::new(simd, ball).meets(simd, boxes)
            }
            Self::Ball(ball) => Probe::<V, S, false>::new(simd, ball).meets(simd, boxes),
        }
    }
}

/// Where a search stands.
pub(in super::super) struct Around<V: Vector> {
    asked: Asked<V>,
    nodes: Room<STACK>,
    /// How many of the boxes that are not in their slots were handed out, by sixteen.
    pending: usize,
}

impl<V: Vector> Around<V> {
    /// `None` for a region that is neither a box nor a ball.
    #[inline]
    pub(in super::super) fn new(
        engine: &Engine<V>,
        region: &impl Region<Vector = V>,
    ) -> Option<Self> {
        let asked = Asked::of(region)?;
        let mut nodes = Room::new();
        for rests in [true, false] {
            let tree = engine.tree(rests);
            if tree.len > 0 {
                nodes
                    .pile()
                    .append(&[Node::of(rests, tree.levels.len() - 1, 0)]);
            }
        }
        Some(Self {
            asked,
            nodes,
            pending: 0,
        })
    }

    /// Appends ids to an empty list, and says whether it is known that their boxes meet the region.
    /// The list stays empty where there is no more.
    #[inline]
    pub(in super::super) fn fill<const N: usize>(
        &mut self,
        engine: &Engine<V>,
        found: &mut Room<N>,
    ) -> bool {
        if self.nodes.len() > 0 {
            let (nodes, to) = (&mut self.nodes, &mut found.pile());
            let set = engine.instructions();
            match &self.asked {
                Asked::Box(asked) => set.run(MeetBox {
                    engine,
                    asked,
                    nodes,
                    to,
                }),
                Asked::Ball(asked) => set.run(MeetBall {
                    engine,
                    asked,
                    nodes,
                    to,
                }),
            }
        }
        if found.len() > 0 {
            return true;
        }
        while found.len() == 0 && self.pending * LANES < engine.pending.len() {
            let mut pile = found.pile();
            for id in engine.unsettled(self.pending) {
                pile.append(&[id]);
            }
            self.pending += 1;
        }
        false
    }
}

struct MeetBox<'a, 'b, V: Vector> {
    engine: &'a Engine<V>,
    asked: &'a Aabb<V>,
    nodes: &'a mut Room<STACK>,
    to: &'a mut Pile<'b>,
}

impl<V: Vector> Job for MeetBox<'_, '_, V> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let probe = Row::of(simd, self.asked);
        search(simd, self.engine, &probe, self.nodes, self.to);
    }
}

struct MeetBall<'a, 'b, V: Vector> {
    engine: &'a Engine<V>,
    asked: &'a Ball<V>,
    nodes: &'a mut Room<STACK>,
    to: &'a mut Pile<'b>,
}

impl<V: Vector> Job for MeetBall<'_, '_, V> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        if self.asked.hollow {
            let probe = Probe::<V, S, true>::new(simd, self.asked);
            search(simd, self.engine, &probe, self.nodes, self.to);
        } else {
            let probe = Probe::<V, S, false>::new(simd, self.asked);
            search(simd, self.engine, &probe, self.nodes, self.to);
        }
    }
}

/// A region in registers.
trait Lanewise<V: Vector, S: Simd> {
    /// The lanes of those of sixteen boxes that it meets.
    fn meets(&self, simd: S, boxes: &Boxes<V>) -> Mask;
}

impl<V: Vector, S: Simd> Lanewise<V, S> for Row<V, S> {
    #[inline(always)]
    fn meets(&self, simd: S, boxes: &Boxes<V>) -> Mask {
        Row::load(simd, boxes).meets(self)
    }
}

impl<V: Vector, S: Simd, const HOLLOW: bool> Lanewise<V, S> for Probe<V, S, HOLLOW> {
    #[inline(always)]
    fn meets(&self, simd: S, boxes: &Boxes<V>) -> Mask {
        // The square of a radius may be infinite, and so reach places that hold nothing.
        self.meets_boxes(&boxes.low, &boxes.high) & Row::load(simd, boxes).filled()
    }
}

#[inline(always)]
fn search<V: Vector, S: Simd, P: Lanewise<V, S>>(
    simd: S,
    engine: &Engine<V>,
    probe: &P,
    nodes: &mut Room<STACK>,
    to: &mut Pile<'_>,
) {
    const LANE: [u32; LANES] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
    let lane = u32x16::simd_from(simd, LANE);
    let mut nodes = nodes.pile();
    let mut to = to.pile();
    while to.room() >= LANES {
        let Some(node) = nodes.pop() else { break };
        let Node::Of { rests, level, at } = Node::new(node) else {
            continue;
        };
        let tree = engine.tree(rests);
        let mut mask = probe.meets(simd, &tree.levels[level][at]);
        if level > 0 {
            let first = u32x16::splat(simd, Node::of(rests, level - 1, at * LANES));
            compress(simd, &(lane | first).into(), mask, &mut nodes);
        } else {
            let ids = &tree.ids[at];
            if !engine.pending.is_empty() {
                mask = settled(simd, mask, ids, &engine.items);
            }
            compress(simd, &ids.0, mask, &mut to);
        }
    }
}

/// The lanes of a mask whose boxes are in their slots.
#[inline(always)]
pub(super) fn settled<V: Vector, S: Simd>(
    simd: S,
    mask: Mask,
    ids: &Column<u32>,
    items: &Items<V>,
) -> Mask {
    let mut left = mask.bits(simd);
    let mut settled = left;
    while left != 0 {
        let lane = left.trailing_zeros();
        left &= left - 1;
        if !items.is_settled(ids.0[lane as usize % LANES]) {
            settled &= !(1 << lane);
        }
    }
    Mask::new(simd, settled)
}
