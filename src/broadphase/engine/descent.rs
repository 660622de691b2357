//! The blocks that a moving box enters, the earliest first.
//!
//! What is entered at the start is gone into at once, in any order: all of it has to be. Other nodes
//! wait, row by row, with their times.

use fearless_simd::{Simd, SimdBase, SimdFrom, u32x16};
use smallvec::SmallVec;

use super::enter::Probe;
use super::queries::Node;
use super::row;
use super::{Engine, around};
use crate::overlap::lanes::{W, lanewise};
use crate::simd::{Column, InstructionSet, Job, LANES, Mask, Room, Wide, compress};
use crate::{Aabb, Scalar, Vector};

/// Rows that wait. Where there are more, nodes are gone into too soon.
const ROWS: usize = 8;

/// A search for what is entered first.
pub(in super::super) struct Descent<V: Vector> {
    set: InstructionSet,
    /// To be gone into next.
    nodes: Room<{ around::STACK }>,
    waiting: Rows<V>,
}

/// The children of a node that are still to be gone into, and when they are entered.
struct Row<V: Vector> {
    times: Column<V::Scalar>,
    /// The earliest time.
    first: V::Scalar,
    /// A bit for each lane; not 0.
    left: u32,
    /// The number of the first child.
    children: u32,
}

type Rows<V> = SmallVec<[Row<V>; ROWS]>;

/// Takes the earliest node out of some rows, if it is entered up to a limit.
#[inline(always)]
fn earliest<V: Vector, S: Simd>(simd: S, rows: &mut Rows<V>, limit: V::Scalar) -> Option<u32> {
    let mut at = 0;
    for other in 1..rows.len() {
        if rows[other].first < rows[at].first {
            at = other;
        }
    }
    let row = rows.get_mut(at)?;
    if row.first > limit {
        return None;
    }
    let times = <W<V, S>>::load(simd, &row.times.0);
    let nearest = times.at_most(<W<V, S>>::splat(simd, row.first));
    let lane = (nearest & Mask::new(simd, row.left))
        .bits(simd)
        .trailing_zeros();
    let node = row.children | lane;
    row.left &= !(1 << lane);
    if row.left == 0 {
        rows.swap_remove(at);
    } else {
        row.first = first::<V, S>(simd, times, Mask::new(simd, row.left));
    }
    Some(node)
}

/// The earliest of some times, which are finite.
#[inline(always)]
fn first<V: Vector, S: Simd>(simd: S, times: W<V, S>, lanes: Mask) -> V::Scalar {
    let never = <W<V, S>>::splat(simd, V::Scalar::INFINITY);
    times.only(lanes, never).smallest()
}

/// Some boxes of a block.
pub(in super::super) struct Entered<V: Vector> {
    rests: bool,
    at: usize,
    /// A bit for each box that is met at the start, if it was possible to tell.
    pub(in super::super) met: u32,
    /// A bit for each other that may be met up to the limit, not before its time.
    pub(in super::super) others: u32,
    pub(in super::super) times: [V::Scalar; LANES],
}

impl<V: Vector> Engine<V> {
    /// A search that has both trees before it.
    #[inline]
    pub(in super::super) fn descent(&self) -> Descent<V> {
        let mut nodes = Room::new();
        for rests in [true, false] {
            let tree = self.tree(rests);
            if tree.len > 0 {
                let top = Node::of(rests, tree.levels.len() - 1, 0);
                nodes.pile().append(&[top]);
            }
        }
        Descent {
            set: self.instructions(),
            nodes,
            waiting: Rows::new(),
        }
    }

    /// The next boxes that may be entered up to a limit, which may fall from call to call.
    #[inline]
    pub(in super::super) fn next_entered(
        &self,
        descent: &mut Descent<V>,
        probe: &Probe<V>,
        limit: V::Scalar,
    ) -> Option<Entered<V>> {
        descent.set.run(Descend {
            engine: self,
            nodes: &mut descent.nodes,
            waiting: &mut descent.waiting,
            probe,
            limit,
        })
    }

    /// The id of a box that is entered.
    #[inline(always)]
    pub(in super::super) fn entered_id(&self, entered: &Entered<V>, lane: usize) -> u32 {
        self.tree(entered.rests).ids[entered.at].0[lane % LANES]
    }

    /// A box that is entered.
    #[inline(always)]
    pub(in super::super) fn entered_box(&self, entered: &Entered<V>, lane: usize) -> Aabb<V> {
        let boxes = &self.tree(entered.rests).levels[0][entered.at];
        row::at(boxes, lane % LANES)
    }
}

struct Descend<'a, V: Vector> {
    engine: &'a Engine<V>,
    nodes: &'a mut Room<{ around::STACK }>,
    waiting: &'a mut Rows<V>,
    probe: &'a Probe<V>,
    limit: V::Scalar,
}

impl<V: Vector> Job for Descend<'_, V> {
    type Output = Option<Entered<V>>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Option<Entered<V>> {
        const LANE: [u32; LANES] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
        let Self {
            engine,
            nodes,
            waiting,
            probe,
            limit,
        } = self;
        let lane = u32x16::simd_from(simd, LANE);
        let zero = <W<V, S>>::splat(simd, V::Scalar::ZERO);
        let mut nodes = nodes.pile();
        loop {
            let node = match nodes.pop() {
                Some(node) => node,
                None => earliest(simd, waiting, limit)?,
            };
            let Node::Of { rests, level, at } = Node::new(node) else {
                continue;
            };
            let tree = engine.tree(rests);
            let boxes = &tree.levels[level][at];
            let (times, mut lanes) = probe.times(simd, boxes, limit);
            if lanes.is_empty() {
                continue;
            }
            if level == 0 {
                if !engine.pending.is_empty() {
                    lanes = around::settled(simd, lanes, &tree.ids[at], &engine.items);
                }
                let met = match &probe.start {
                    Some(start) => {
                        lanes
                            & lanewise!(start, V, S, simd, |probe| around::meets(
                                simd, &probe, boxes
                            ))
                    }
                    None => Mask::new(simd, 0),
                };
                let others = lanes & !met;
                if !lanes.is_empty() {
                    return Some(Entered {
                        rests,
                        at,
                        met: met.bits(simd),
                        others: others.bits(simd),
                        times: times.store(),
                    });
                }
                continue;
            }
            let now = if waiting.len() < ROWS {
                times.at_most(zero) & lanes
            } else {
                lanes
            };
            let children = Node::of(rests, level - 1, at * LANES);
            let numbers = u32x16::splat(simd, children) | lane;
            compress(simd, &numbers.into(), now, &mut nodes);
            let later = lanes & !now;
            if !later.is_empty() {
                waiting.push(Row {
                    times: Column(times.store()),
                    first: first::<V, S>(simd, times, later),
                    left: later.bits(simd),
                    children,
                });
            }
        }
    }
}
