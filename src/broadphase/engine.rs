//! A plain stand-in.

use alloc::vec::Vec;
use core::iter::Copied;
use core::mem::size_of;
use core::ops::Deref;
use core::slice::Iter;

use crate::loose::LooseOrthtree;
use crate::overlap::Extent;
use crate::query::Hierarchy;
use crate::{Aabb, Bounded, Handle, Overlaps, Vector};

pub(super) trait Judge {
    fn all(&self) -> bool;
    fn judges(&self, a: u32, b: u32) -> bool;
    #[allow(dead_code, reason = "stand-in")]
    fn is_steady(&self) -> bool {
        self.all()
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Placed<V> {
    id: u32,
    bounds: Aabb<V>,
}

impl<V: Vector> Bounded for Placed<V> {
    type Vector = V;

    fn core(&self) -> Aabb<V> {
        self.bounds
    }
}

impl<V: Vector> Overlaps<Placed<V>> for Aabb<V> {
    fn overlaps(&self, other: &Placed<V>) -> bool {
        self.overlaps(&other.bounds)
    }
}

#[derive(Clone, Debug)]
pub struct Engine<V: Vector> {
    tree: LooseOrthtree<Placed<V>>,
    handles: Vec<Option<Handle>>,
    touched: Vec<bool>,
    moved: Vec<u32>,
    pairs: Vec<[u32; 2]>,
    begun: Vec<[u32; 2]>,
    ended: Vec<[u32; 2]>,
}

impl<V: Vector> Engine<V> {
    pub(super) const fn new() -> Self {
        Self {
            tree: LooseOrthtree::new(),
            handles: Vec::new(),
            touched: Vec::new(),
            moved: Vec::new(),
            pairs: Vec::new(),
            begun: Vec::new(),
            ended: Vec::new(),
        }
    }

    pub(super) fn insert(&mut self, id: u32, bounds: Aabb<V>, _rests: bool) {
        let at = id as usize;
        if self.handles.len() <= at {
            self.handles.resize(at + 1, None);
            self.touched.resize(at + 1, false);
        }
        self.handles[at] = Some(self.tree.insert(Placed { id, bounds }));
        self.touch(id);
    }

    pub(super) fn remove(&mut self, id: u32) {
        if let Some(handle) = self.handles[id as usize].take() {
            self.tree.remove(handle);
        }
        self.touch(id);
    }

    pub(super) fn set(&mut self, id: u32, bounds: Aabb<V>) {
        if let Some(handle) = self.handles[id as usize] {
            self.tree.update(handle, Placed { id, bounds });
        }
        self.touch(id);
    }

    pub(super) fn touch(&mut self, id: u32) {
        if !core::mem::replace(&mut self.touched[id as usize], true) {
            self.moved.push(id);
        }
    }

    pub(super) fn rest(&mut self, _id: u32, _rests: bool) {}

    pub(super) fn bounds(&self, id: u32) -> Aabb<V> {
        match self.handles[id as usize] {
            Some(handle) => self.tree[handle].bounds,
            None => unreachable!("no body {id}"),
        }
    }

    pub(super) fn step(&mut self, judge: &impl Judge) {
        let doubt = |pair: [u32; 2]| pair.iter().any(|&id| self.touched[id as usize]);
        let old = core::mem::take(&mut self.pairs);
        let mut pairs: Vec<_> = old.iter().copied().filter(|&pair| !doubt(pair)).collect();
        for &id in &self.moved {
            if self.handles[id as usize].is_none() {
                continue;
            }
            self.tree.query(self.bounds(id)).for_each(|other| {
                let other = self.tree[other].id;
                let mine = other > id || (other < id && !self.touched[other as usize]);
                if mine && (judge.all() || judge.judges(id, other)) {
                    pairs.push([id.min(other), id.max(other)]);
                }
            });
        }
        pairs.sort_unstable();
        [self.begun, self.ended] = super::event::changes(&old, &pairs);
        self.pairs = pairs;
        self.moved.clear();
        self.touched.fill(false);
    }

    pub(super) fn pairs(&self) -> &[[u32; 2]] {
        &self.pairs
    }

    pub(super) fn begun(&self) -> &[[u32; 2]] {
        &self.begun
    }

    pub(super) fn ended(&self) -> &[[u32; 2]] {
        &self.ended
    }

    pub(super) fn optimize(&mut self, _budget: usize) {}

    pub(super) fn bytes(&self) -> usize {
        self.tree.bytes() + self.pairs.capacity() * size_of::<[u32; 2]>()
    }

    pub(super) fn validate(&self) -> Result<(), &'static str> {
        self.tree.validate()
    }
}

impl<V: Vector> Hierarchy for Engine<V> {
    type Item = Placed<V>;
    type Key = u32;
    type Run<'a> = Copied<Iter<'a, u32>>;

    fn root(&self) -> Option<u32> {
        self.tree.root()
    }

    fn extent(&self, node: u32) -> Extent<V> {
        self.tree.extent(node)
    }

    fn children(&self, node: u32, inside: bool) -> impl DoubleEndedIterator<Item = u32> {
        self.tree.children(node, inside)
    }

    fn run(&self, node: u32, inside: bool) -> Self::Run<'_> {
        self.tree.run(node, inside)
    }

    fn item(&self, slot: u32) -> impl Deref<Target = Placed<V>> {
        self.tree.item(slot)
    }

    fn key(&self, slot: u32) -> u32 {
        self.tree.item(slot).id
    }
}
