//! The blocks that a moving box enters, the earliest first.
//!
//! What is entered at the start is gone into at once, in any order: all of it has to be. Other nodes
//! wait, row by row, with their times.

use fearless_simd::{Simd, SimdBase, SimdFrom, u32x16};

use super::enter::Probe;
use super::queries::Node;
use super::row;
use super::{Engine, around};
use crate::overlap::lanes::W;
use crate::simd::{Column, InstructionSet, Job, LANES, Mask, Room, Wide, compress};
use crate::{Aabb, Scalar, Vector};

/// Rows that wait. Where there are more, nodes are gone into too soon.
const ROWS: usize = 8;

/// A search for what is entered first.
pub(in super::super) struct Descent<V: Vector> {
    set: InstructionSet,
    /// To be gone into next.
    nodes: Room<{ around::STACK }>,
    waiting: Waiting<V>,
}

/// The children of some nodes, and when they are entered.
struct Waiting<V: Vector> {
    times: [Column<V::Scalar>; ROWS],
    /// The earliest time of each row.
    first: [V::Scalar; ROWS],
    /// A bit for each lane that is still to be gone into; none is 0.
    left: [u32; ROWS],
    nodes: [u32; ROWS],
    rows: usize,
}

impl<V: Vector> Waiting<V> {
    /// Adds the lanes of a row of sixteen nodes. There is to be room.
    #[inline(always)]
    fn push<S: Simd>(&mut self, simd: S, nodes: u32, times: W<V, S>, lanes: Mask) {
        let row = self.rows;
        self.times[row] = Column(times.store());
        self.first[row] = first::<V, S>(simd, times, lanes);
        self.left[row] = lanes.bits(simd);
        self.nodes[row] = nodes;
        self.rows += 1;
    }

    /// Takes out the earliest node, if that is entered up to a limit.
    #[inline(always)]
    fn pop<S: Simd>(&mut self, simd: S, limit: V::Scalar) -> Option<u32> {
        let last = self.rows.checked_sub(1)?;
        let mut row = 0;
        for other in 1..=last {
            if self.first[other] < self.first[row] {
                row = other;
            }
        }
        if self.first[row] > limit {
            return None;
        }
        let times = <W<V, S>>::load(simd, &self.times[row].0);
        let earliest = times.at_most(<W<V, S>>::splat(simd, self.first[row]));
        let earliest = earliest & Mask::new(simd, self.left[row]);
        let lane = earliest.bits(simd).trailing_zeros();
        let node = self.nodes[row] | lane;
        self.left[row] &= !(1 << lane);
        if self.left[row] == 0 {
            self.times[row] = self.times[last];
            self.first[row] = self.first[last];
            self.left[row] = self.left[last];
            self.nodes[row] = self.nodes[last];
            self.rows = last;
        } else {
            self.first[row] = first::<V, S>(simd, times, Mask::new(simd, self.left[row]));
        }
        Some(node)
    }
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
            waiting: Waiting {
                times: [Column([V::Scalar::ZERO; LANES]); ROWS],
                first: [V::Scalar::ZERO; ROWS],
                left: [0; ROWS],
                nodes: [0; ROWS],
                rows: 0,
            },
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
    waiting: &'a mut Waiting<V>,
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
                None => waiting.pop(simd, limit)?,
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
                    Some(start) => lanes & start.meets(simd, boxes),
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
            let now = if waiting.rows < ROWS {
                times.at_most(zero) & lanes
            } else {
                lanes
            };
            let children = Node::of(rests, level - 1, at * LANES);
            let numbers = u32x16::splat(simd, children) | lane;
            compress(simd, &numbers.into(), now, &mut nodes);
            let later = lanes & !now;
            if !later.is_empty() {
                waiting.push(simd, children, times, later);
            }
        }
    }
}
