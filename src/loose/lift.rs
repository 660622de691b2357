//! Taking an entry out of its node, and what that leaves behind.

use super::LooseOrthtree;
use super::node::{List, NONE, Node, SPLIT};
use crate::Bounded;
use crate::overlap::Extent;

/// A subtree of no more than this is made a leaf.
const MERGE: u32 = 8;

impl<T: Bounded> LooseOrthtree<T> {
    /// Takes an entry out of its node; it stays in the slab.
    pub(super) fn lift(&mut self, slot: u32) {
        let (at, place) = {
            let entry = &self.entries[slot as usize];
            (entry.node, entry.place)
        };
        let slots = &mut self.nodes[at as usize].slots;
        slots.swap_remove(place as usize);
        if slots.spilled() && slots.len() < slots.capacity() / 4 {
            slots.shrink_to_fit();
        }
        let len = slots.len() as u32;
        if let Some(&moved) = slots.get(place as usize) {
            self.entries[moved as usize].place = place;
        }
        let node = &mut self.nodes[at as usize];
        if len < node.split_at / 4 {
            node.split_at = SPLIT.max(node.split_at / 2);
        }
        self.climb(at, |node| {
            node.count -= 1;
            node.departures += 1;
        });
        self.prune(at);
    }

    /// Changes a node and all above it, and makes bounds tight that too much has left.
    pub(super) fn climb(&mut self, mut at: u32, mut change: impl FnMut(&mut Node<T::Vector>)) {
        while at != NONE {
            let node = &mut self.nodes[at as usize];
            change(node);
            let parent = node.parent;
            // As many departures as there are parts to look at: constant time each, in the mean.
            if node.departures as usize > node.slots.len() + node.octants.len() {
                self.tighten(at);
            }
            at = parent;
        }
    }

    fn tighten(&mut self, at: u32) {
        let node = &self.nodes[at as usize];
        let items = node.slots.iter();
        let items = items.map(|&slot| Extent::of(&self.entries[slot as usize].item));
        let children = node.children().map(|child| &self.nodes[child as usize]);
        // A child that is about to be pruned holds nothing.
        let children = children
            .filter(|child| child.count > 0)
            .map(|child| child.extent);
        let tight = items.chain(children).reduce(|a, b| a.union(&b));
        let node = &mut self.nodes[at as usize];
        node.departures = 0;
        if let Some(tight) = tight {
            node.extent = tight;
        }
    }

    /// Frees what is empty from a node upwards, and makes a leaf of what has become small.
    fn prune(&mut self, mut at: u32) {
        let mut small = NONE;
        while at != NONE {
            let node = &self.nodes[at as usize];
            let (count, parent) = (node.count, node.parent);
            if count == 0 {
                self.nodes.remove(at as usize);
                match self.nodes.get_mut(parent as usize) {
                    None => self.root = NONE,
                    Some(parent) => {
                        for child in &mut parent.octants {
                            if *child == at {
                                *child = NONE;
                            }
                        }
                    }
                }
            } else if count > MERGE {
                break;
            } else if !node.is_leaf() {
                small = at;
            }
            at = parent;
        }
        if small != NONE {
            self.merge(small);
        }
    }

    /// Takes everything below a node into its own list.
    fn merge(&mut self, at: u32) {
        let mut below: List = self.nodes[at as usize].children().collect();
        self.nodes[at as usize].octants = List::new();
        while let Some(child) = below.pop() {
            let node = self.nodes.remove(child as usize);
            below.extend(node.children());
            for slot in node.slots {
                self.put(at, slot);
            }
        }
    }
}
