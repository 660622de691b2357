//! The bounds above blocks.

use alloc::vec::Vec;

use fearless_simd::Simd;

use super::olds::Olds;
use super::row::Row;
use super::tree::Tree;
use crate::overlap::lanes::Boxes;
use crate::simd::{Job, LANES};
use crate::{InstructionSet, Vector};

/// Bounds the stale blocks, and all levels above them.
pub(super) fn refit<V: Vector>(tree: &mut Tree<V>, set: InstructionSet) {
    if !tree.levels.is_empty() {
        set.run(Refit { tree, olds: None });
    }
}

/// The nodes that wait for their turn, of which one is bounded anew.
const TURNS: usize = 8;

/// Bounds all levels above the blocks, with the boxes that marked ones were. The blocks are wide enough
/// already; of those that may be too wide some are bounded anew.
pub(super) fn refit_both<V: Vector>(tree: &mut Tree<V>, olds: &Olds<V>, set: InstructionSet) {
    if !tree.levels.is_empty() {
        tree.turn = tree.turn.wrapping_add(1);
        let olds = Some(olds);
        set.run(Refit { tree, olds });
    }
}

struct Refit<'a, V: Vector> {
    tree: &'a mut Tree<V>,
    olds: Option<&'a Olds<V>>,
}

impl<V: Vector> Job for Refit<'_, V> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (rows, above) = self.tree.levels.split_at_mut(1);
        let turn = self.tree.turn % TURNS;
        let mut any = false;
        let nodes = self.tree.stale.as_chunks_mut::<LANES>().0;
        for (node, stale) in nodes.iter_mut().enumerate() {
            if *stale == [false; LANES] {
                continue;
            }
            any = true;
            let waits = self.olds.is_some() && !(node + turn).is_multiple_of(TURNS);
            for (lane, stale) in stale.iter_mut().enumerate() {
                if waits || !*stale {
                    continue;
                }
                let block = node * LANES + lane;
                let mut row = Row::load(simd, &rows[0][block]);
                match self.olds {
                    Some(olds) if self.tree.marks[block] != 0 => {
                        row = row.with(&Row::load(simd, olds.of(block)));
                    }
                    _ => *stale = false,
                }
                row.bound(&mut above[0][node], lane);
            }
            if let [nodes, parents, ..] = &mut *above {
                let row = Row::load(simd, &nodes[node]);
                row.bound(&mut parents[node / LANES], node % LANES);
            }
        }
        if any && above.len() > 1 {
            upper(simd, &mut above[1..]);
        }
    }
}

/// Bounds all levels but the first by the one below.
pub(super) fn raise<V: Vector>(above: &mut [Vec<Boxes<V>>], set: InstructionSet) {
    set.run(Upper { above });
}

struct Upper<'a, V: Vector> {
    above: &'a mut [Vec<Boxes<V>>],
}

impl<V: Vector> Job for Upper<'_, V> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        upper(simd, self.above);
    }
}

#[inline(always)]
fn upper<V: Vector, S: Simd>(simd: S, above: &mut [Vec<Boxes<V>>]) {
    for level in 1..above.len() {
        let (below, rest) = above.split_at_mut(level);
        for (block, boxes) in below[level - 1].iter().enumerate() {
            let to = &mut rest[0][block / LANES];
            Row::load(simd, boxes).bound(to, block % LANES);
        }
    }
}

/// Makes bounds of old places, level by level, such of old and new ones.
pub(super) fn unite<V: Vector>(tree: &Tree<V>, both: &mut [Vec<Boxes<V>>], set: InstructionSet) {
    set.run(Unite {
        now: tree.above(),
        both,
    });
}

struct Unite<'a, V: Vector> {
    now: &'a [Vec<Boxes<V>>],
    both: &'a mut [Vec<Boxes<V>>],
}

impl<V: Vector> Job for Unite<'_, V> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        for (now, both) in self.now.iter().zip(self.both) {
            for (now, both) in now.iter().zip(both) {
                let all = Row::load(simd, now).with(&Row::load(simd, both));
                all.store(both);
            }
        }
    }
}
