//! The shape of the tree: halving what is sorted along a curve, and packing cells into nodes.

use alloc::vec::Vec;

use super::keys::Coder;
use super::keys::Key;
use super::tree::{BLOCKS_BITS, Child, INNER};
use crate::parallel::{GRAIN, join};
use crate::simd::LANES;
use crate::vector::Vector;

/// A leaf holds at most this many items that differ. Against 16, queries for ten of 100 000 points
/// take 0.7 of the time; 96 is as good.
pub(super) const LEAF: usize = 64;

/// The most blocks that a leaf touches.
pub(super) const TOUCHED: usize = LEAF / LANES + 1;

/// The most blocks of a node. Against one, queries for 1000 points take 0.85 of the time.
pub(super) const BLOCKS: usize = 4;

/// A list of children is packed into a node of its own beside a sibling only if it is longer.
const FEW: usize = 20;

/// Fewer leaves between nodes are not worth a node.
const LOOSE: usize = 4;

/// A child of a node to be: what it is, and its slots.
#[derive(Clone, Copy, Default)]
pub(super) struct Part {
    pub(super) child: Child,
    pub(super) from: u32,
    pub(super) to: u32,
}

/// What a cell is made of.
#[derive(Default)]
pub(super) struct Shape {
    /// Children before their parents, the root last.
    pub(super) blocks: Vec<[Part; LANES]>,
    /// Children that are not in a node yet.
    parts: Vec<Part>,
}

/// Halves cells until they are leaves, and packs cells into nodes on the way back.
pub(super) struct Splitter<'a, A: Vector> {
    pub(super) coder: Coder<'a, A>,
}

impl<A: Vector> Splitter<'_, A> {
    /// Shapes the tree of the items of some keys, and puts the keys into the order of its slots.
    pub(super) fn shape(&self, keys: &mut [Key]) -> Shape {
        let mut shape = Shape::default();
        if !keys.is_empty() {
            self.coder.code(keys);
            self.halve(keys, 0, &mut shape);
            shape.pack(0);
            shape.pack(0);
        }
        shape
    }

    /// Appends the children of a cell, whose slots begin at `from`: as many as fit into a node.
    fn halve(&self, keys: &mut [Key], from: u32, shape: &mut Shape) {
        if keys.len() <= LEAF {
            return shape.leaf(keys, from);
        }
        // The highest bit in which the first and the last differ halves the cell along one axis.
        let Some(bit) = self.coder.differ(keys[0], keys[keys.len() - 1]) else {
            return self.halve_anew(keys, from, shape);
        };
        let middle = keys.partition_point(|key| key & bit == 0);
        // Only what is divided evenly: in a chain of small pieces, each thread's stack would hold all.
        let divide = middle.min(keys.len() - middle) > GRAIN / 4;
        let (keys, others) = keys.split_at_mut(middle);
        let first = shape.parts.len();
        let then = from + middle as u32;
        let second;
        if divide {
            let mut other = Shape::default();
            join(
                || self.halve(keys, from, shape),
                || self.halve(others, then, &mut other),
            );
            second = shape.parts.len();
            shape.append(other);
        } else {
            self.halve(keys, from, shape);
            second = shape.parts.len();
            self.halve(others, then, shape);
        }
        shape.fit(first, second);
    }

    /// Where codes run out: new ones, within the bounds of these items alone. Items that still do
    /// not differ go into leaves as they come.
    fn halve_anew(&self, keys: &mut [Key], mut from: u32, shape: &mut Shape) {
        if self.coder.code_anew(keys) {
            return self.halve(keys, from, shape);
        }
        let first = shape.parts.len();
        for keys in keys.chunks(LEAF) {
            let second = shape.parts.len();
            shape.leaf(keys, from);
            shape.fit(first, second);
            from += keys.len() as u32;
        }
    }
}

impl Shape {
    fn leaf(&mut self, keys: &[Key], from: u32) {
        let to = from + keys.len() as u32;
        let first = from / LANES as u32;
        let many = to.div_ceil(LANES as u32) - first;
        let child = first << BLOCKS_BITS | many;
        self.parts.push(Part { child, from, to });
    }

    /// Packs the children of two siblings until they fit into one node.
    fn fit(&mut self, first: usize, second: usize) {
        if self.parts.len() - first <= BLOCKS * LANES || self.gather(first, second) {
            return;
        }
        if self.parts.len() - second > FEW {
            self.pack(second);
        }
        if second - first > FEW {
            let others = self.parts.split_off(second);
            self.pack(first);
            self.parts.extend(others);
        }
    }

    /// Packs leaves that follow each other, unless there are only leaves or too many children stay.
    ///
    /// Large nodes keep their place beside their parent's siblings so. Where points lie on surfaces,
    /// that saves most descents a level: queries for ten of 100 000 take two thirds of the time.
    fn gather(&mut self, first: usize, second: usize) -> bool {
        let is_leaf = |part: &Part| part.child & INNER == 0;
        let runs = |parts: &[Part]| {
            let runs = parts.chunk_by(|a, b| is_leaf(a) && is_leaf(b));
            runs.map(<[Part]>::len).collect::<Vec<_>>()
        };
        let (some, others) = self.parts[first..].split_at(second - first);
        let runs = [runs(some), runs(others)].concat();
        let stay = |&run: &usize| if run > LOOSE { 1 } else { run };
        if runs.len() <= 2 || runs.iter().map(stay).sum::<usize>() > BLOCKS * LANES {
            return false;
        }
        let parts = self.parts.split_off(first);
        let mut rest = &parts[..];
        for run in runs {
            let place = self.parts.len();
            let (run, behind) = rest.split_at(run);
            self.parts.extend_from_slice(run);
            if run.len() > LOOSE {
                self.pack(place);
            }
            rest = behind;
        }
        true
    }

    /// Makes a node of the children from `first` on.
    fn pack(&mut self, first: usize) {
        let parts = &self.parts[first..];
        let block = self.blocks.len();
        for parts in parts.chunks(LANES) {
            let mut block = [Part::default(); LANES];
            block[..parts.len()].copy_from_slice(parts);
            self.blocks.push(block);
        }
        let many = self.blocks.len() - block;
        let node = Part {
            child: INNER | (block << BLOCKS_BITS | many) as u32,
            from: parts[0].from,
            to: parts[parts.len() - 1].to,
        };
        self.parts.truncate(first);
        self.parts.push(node);
    }

    /// Appends what was made apart; its blocks get higher numbers.
    fn append(&mut self, mut other: Self) {
        let before = (self.blocks.len() << BLOCKS_BITS) as u32;
        for part in other
            .blocks
            .as_flattened_mut()
            .iter_mut()
            .chain(&mut other.parts)
        {
            if part.child & INNER != 0 {
                part.child += before;
            }
        }
        self.blocks.append(&mut other.blocks);
        self.parts.append(&mut other.parts);
    }
}
