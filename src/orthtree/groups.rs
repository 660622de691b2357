//! Friends of friends, and clusters by density (M. Ester, H.-P. Kriegel, J. Sander and X. Xu, "A density-based
//! algorithm for discovering clusters in large spatial databases with noise", 1996), without listing pairs.
//!
//! ```text
//! core points: those with enough points within the radius; counting stops there
//! for each leaf, in the order of the tree:
//!     its core points are joined with each other, and with those of the leaves before it
//! sets of core points are numbered; other points take the least number among the core points near them
//! ```
//!
//! Where all points of a node are within the radius of each other, as the bounds of the node prove by the law of
//! the distance expressions (the difference of two coordinates is no larger than that of the bounds, rounded or
//! not), they are joined at once, and count as enough without a look. What is known to be one set is asked for
//! one pair that joins it to another, and not at all if it is joined already: so what lies dense costs a few steps a
//! point, however many neighbors it has.

mod asked;
mod join;
mod near;

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use super::tree::Tree;
use crate::groups::{Forest, Groups};
use crate::overlap::distance::point_sq;
use crate::parallel;
use crate::query::Hierarchy;
use crate::simd::{LANES, run, run_up_to_avx2};
use crate::vector::{Scalar, Vector};
use asked::{border, find_cores};
use join::join;

/// So many leaves are a piece of work.
const PART: usize = 64;

/// Of a node without core points, and of one whose core points are not known to be one set.
const NONE: u32 = u32::MAX;
const MIXED: u32 = u32::MAX - 1;

/// An image in which points of a periodic box are seen: how far it lies from them, and whether towards the lower end of the
/// box, which of an image and its opposite one does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shift<A> {
    pub(crate) offset: A,
    pub(crate) is_lower: bool,
}

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a, A: Vector> {
    pub(crate) radius: A::Scalar,
    /// How many points within the radius make a core point, itself among them.
    pub(crate) least: usize,
    /// All images in which points may be near, but that in which they are.
    pub(crate) shifts: &'a [Shift<A>],
}

/// Groups the points of a tree.
pub(super) fn groups<A: Vector>(tree: &Tree<A>, question: Question<'_, A>) -> Groups {
    let Question { radius, least, .. } = question;
    let mut work = Work {
        tree,
        question,
        limit: radius * radius,
        cores: vec![0; tree.items.points.len()],
        known: Vec::new(),
        forest: Forest::new(tree.len),
    };
    // A radius below 0 reaches nothing, and neither does NaN.
    let reaches = radius >= A::Scalar::ZERO;
    if least <= usize::from(reaches) {
        work.cores.fill(0xffff);
    } else if reaches {
        work.find_cores();
    }
    if reaches {
        work.join();
    }
    work.label(reaches)
}

struct Work<'a, A: Vector> {
    tree: &'a Tree<A>,
    question: Question<'a, A>,
    /// The square of the radius.
    limit: A::Scalar,
    /// The lanes of core points, block by block.
    cores: Vec<u32>,
    /// Of each node, by its lane: a core point, if all of them are known to be one set.
    known: Vec<u32>,
    forest: Forest,
}

impl<A: Vector> Work<'_, A> {
    fn run_of(&self, node: u32) -> Range<u32> {
        self.tree.slots_below(node)
    }

    /// Whether all points of a node are within the radius of each other.
    fn is_clique(&self, node: u32) -> bool {
        let cell = self.tree.extent(node).core;
        point_sq(&cell.min(), cell.max()) <= self.limit
    }

    #[inline(always)]
    fn is_core(&self, slot: u32) -> bool {
        self.cores[slot as usize / LANES] >> (slot as usize % LANES) & 1 != 0
    }

    fn first_core(&self, mut slots: Range<u32>) -> Option<u32> {
        slots.find(|&slot| self.is_core(slot))
    }

    /// Joins the core points of a run with one.
    fn join_run(&mut self, first: u32, slots: Range<u32>) {
        for slot in slots {
            if self.is_core(slot) {
                self.forest.join(first, slot);
            }
        }
    }

    fn find_cores(&mut self) {
        let mut asking = Vec::new();
        let mut waiting: Vec<u32> = self.tree.root().into_iter().collect();
        while let Some(node) = waiting.pop() {
            let run = self.run_of(node);
            if run.len() >= self.question.least && self.is_clique(node) {
                for slot in run {
                    self.cores[slot as usize / LANES] |= 1 << (slot as usize % LANES);
                }
                continue;
            }
            let before = waiting.len();
            waiting.extend(self.tree.children(node, false));
            if waiting.len() == before {
                asking.push(node);
            }
        }
        asking.sort_unstable_by_key(|&leaf| self.run_of(leaf).start);
        let mut found = Vec::new();
        let part = |range: Range<usize>| {
            let mut cores = Vec::new();
            run!(self.tree.instructions, |simd| find_cores(
                simd,
                self,
                &asking[range],
                &mut cores
            ));
            cores
        };
        parallel::parts(asking.len(), PART, part, |part| found.extend(part));
        for (block, lanes) in found {
            self.cores[block as usize] |= lanes;
        }
    }

    /// Joins core points.
    fn join(&mut self) {
        self.join_cliques();
        let set = self.tree.instructions;
        run_up_to_avx2!(set, |simd| join(simd, self));
    }

    /// Joins what is known to be one set, and finds of each node what is known.
    fn join_cliques(&mut self) {
        self.known = vec![NONE; self.tree.nodes.levels.blocks() * LANES];
        let mut waiting: Vec<(u32, bool)> = Vec::new();
        waiting.extend(self.tree.root().map(|root| (root, false)));
        while let Some((node, joined)) = waiting.pop() {
            let run = self.run_of(node);
            let Some(first) = self.first_core(run.clone()) else {
                continue;
            };
            let clique = joined || self.is_clique(node);
            if clique && !joined {
                self.join_run(first, run);
            }
            self.known[node as usize] = if clique { first } else { MIXED };
            waiting.extend(self.tree.children(node, false).map(|node| (node, clique)));
        }
    }

    /// Whether the core points of a leaf are one set by now.
    fn update_known(&mut self, leaf: u32) {
        let run = self.run_of(leaf);
        let mut first = None;
        for slot in run {
            if self.is_core(slot) {
                let root = self.forest.find(slot);
                if *first.get_or_insert(root) != root {
                    return;
                }
            }
        }
        self.known[leaf as usize] = first.unwrap_or(NONE);
    }

    /// The same of a node, from what is known of its children.
    fn update_known_of_node(&mut self, node: u32) {
        let mut first = None;
        for child in self.tree.children(node, false) {
            let known = self.known[child as usize];
            if known == MIXED {
                return;
            }
            if known != NONE {
                let root = self.forest.find(known);
                if *first.get_or_insert(root) != root {
                    return;
                }
            }
        }
        self.known[node as usize] = first.unwrap_or(NONE);
    }

    /// Nodes that are no leaves, and where their slots end, in that order; of those that end together, children first.
    fn ends(&self) -> Vec<(u32, u32)> {
        let mut ends = Vec::new();
        for level in self.tree.nodes.levels.as_slice().iter().skip(1) {
            for number in 0..level.len() {
                let (block, lane) = level.place(number);
                let end = level.slots(number, self.tree.len).end;
                ends.push((end as u32, (block * LANES + lane) as u32));
            }
        }
        ends.sort_unstable();
        ends
    }

    /// Numbers the sets of core points, and gives the others what is near.
    fn label(mut self, reaches: bool) -> Groups {
        let len = self.tree.len;
        let forest = core::mem::replace(&mut self.forest, Forest::new(0)).flatten();
        let indices = &self.tree.indices[..len];
        // The least index of each set, at its root.
        let mut first = vec![NONE; len];
        for (slot, &index) in (0..).zip(indices) {
            if self.is_core(slot) {
                let first = &mut first[forest[slot as usize] as usize];
                *first = index.min(*first);
            }
        }
        let mut roots = vec![NONE; len];
        for (root, &index) in (0..).zip(&first) {
            if index != NONE {
                roots[index as usize] = root;
            }
        }
        let mut groups = Groups {
            labels: vec![Groups::NOISE; len],
            len: 0,
        };
        for root in roots.into_iter().filter(|&root| root != NONE) {
            first[root as usize] = groups.len as u32;
            groups.len += 1;
        }
        // By slot from here on.
        let mut labels = vec![Groups::NOISE; len];
        for (slot, label) in (0..).zip(&mut labels) {
            if self.is_core(slot) {
                *label = first[forest[slot as usize] as usize];
            }
        }
        if reaches && groups.len > 0 && labels.contains(&Groups::NOISE) {
            let part = |range: Range<usize>| {
                let mut found = Vec::new();
                run_up_to_avx2!(self.tree.instructions, |simd| border(
                    simd, &self, range, &labels, &mut found
                ));
                found
            };
            let mut border = Vec::new();
            let leaves = self.tree.items.points.len();
            parallel::parts(leaves, PART, part, |part| border.extend(part));
            for (slot, label) in border {
                labels[slot as usize] = label;
            }
        }
        for (&index, label) in indices.iter().zip(labels) {
            groups.labels[index as usize] = label;
        }
        groups
    }
}
