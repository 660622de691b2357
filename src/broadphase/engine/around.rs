//! The boxes that meet a box or a ball, sixteen at a time. A search fills a list and stops where the
//! next boxes might not fit, to be resumed.

use fearless_simd::{Simd, SimdBase, SimdFrom, u32x16};

use super::Engine;
use super::items::Items;
use super::queries::Node;
use super::row::Row;
use crate::Vector;
use crate::overlap::lanes::{Boxes, Lanewise, Plain, lanewise};
use crate::simd::{Column, Job, LANES, Mask, Pile, Room, compress};

/// Nodes to come: at most fifteen of each level beside those of the last, and the tops of two trees.
pub(super) const STACK: usize = 10 * LANES;

/// How far a search is.
#[derive(Debug)]
pub struct Search {
    nodes: Room<STACK>,
    /// How many of the boxes that are not in their slots were handed out, by sixteen.
    pending: usize,
    /// How many of them there are, by sixteen.
    all_pending: usize,
}

impl Search {
    #[inline]
    pub(in super::super) fn new() -> Self {
        Self {
            nodes: Room::new(),
            pending: 0,
            all_pending: 0,
        }
    }

    /// Puts both trees before it.
    #[inline]
    pub(in super::super) fn start<V: Vector>(&mut self, engine: &Engine<V>) {
        for rests in [true, false] {
            let tree = engine.tree(rests);
            if tree.len > 0 {
                let top = Node::of(rests, tree.levels.len() - 1, 0);
                self.nodes.pile().append(&[top]);
            }
        }
        self.all_pending = engine.pending.len().div_ceil(LANES);
    }

    #[inline]
    pub(in super::super) fn is_done(&self) -> bool {
        self.nodes.len() == 0 && self.pending == self.all_pending
    }

    /// Appends ids to an empty list, and says whether it is known that their boxes meet the region.
    #[inline]
    pub(in super::super) fn fill<V: Vector, const N: usize>(
        &mut self,
        engine: &Engine<V>,
        asked: &Plain<V>,
        found: &mut Room<N>,
    ) -> bool {
        if self.nodes.len() > 0 {
            let (nodes, to) = (&mut self.nodes, &mut found.pile());
            engine.instructions().run(Meet {
                engine,
                asked,
                nodes,
                to,
            });
        }
        if found.len() > 0 {
            return true;
        }
        while found.len() == 0 && self.pending < self.all_pending {
            let mut pile = found.pile();
            for id in engine.unsettled(self.pending) {
                pile.append(&[id]);
            }
            self.pending += 1;
        }
        false
    }
}

struct Meet<'a, 'b, V: Vector> {
    engine: &'a Engine<V>,
    asked: &'a Plain<V>,
    nodes: &'a mut Room<STACK>,
    to: &'a mut Pile<'b>,
}

impl<V: Vector> Job for Meet<'_, '_, V> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        lanewise!(self.asked, V, S, simd, |probe| {
            search(simd, self.engine, &probe, self.nodes, self.to);
        });
    }
}

/// The lanes of those of sixteen boxes that a region meets.
#[inline(always)]
pub(super) fn meets<V: Vector, S: Simd>(
    simd: S,
    probe: &impl Lanewise<V, S>,
    boxes: &Boxes<V>,
) -> Mask {
    // The square of a radius may be infinite, and so reach places that hold nothing.
    probe.meets_boxes(&boxes.low, &boxes.high) & Row::load(simd, boxes).filled()
}

#[inline(always)]
fn search<V: Vector, S: Simd>(
    simd: S,
    engine: &Engine<V>,
    probe: &impl Lanewise<V, S>,
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
        let mut mask = meets(simd, probe, &tree.levels[level][at]);
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
