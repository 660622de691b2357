//! Putting an entry where it belongs.

use super::LooseOrthtree;
use super::choice::{Items, rule_for};
use super::lanes::{parts, replace};
use super::node::{EMPTY, INNER, NONE, Node};
use super::rule::{FAN, Rule, bits};
use super::spot::Spot;
use crate::simd::LANES;
use crate::{Bounded, InstructionSet, Scalar, Vector};

impl<T: Bounded> LooseOrthtree<T> {
    /// Puts an entry where it belongs.
    pub(super) fn place(&mut self, slot: u32) {
        let spot = Spot::of(&self.entries[slot as usize].item);
        self.place_at(slot, spot);
    }

    /// Puts an entry where it belongs; what is to be known of it comes in registers, since memory
    /// that was just written would be waited for.
    #[inline(always)]
    pub(super) fn place_at(&mut self, slot: u32, spot: Spot<T::Vector>) {
        if self.nodes.is_empty() {
            self.add_node(Node::new(Rule::Sizes, NONE));
            self.instructions = InstructionSet::best();
        }
        let mut at = 0;
        loop {
            let lane = if at == 0 {
                self.lane_of_class(spot.class)
            } else {
                let (cell, is_stray) = self.nodes[at].cell(spot.center, slot);
                if is_stray && let Some(above) = self.raise(at, spot.center, slot) {
                    at = above;
                    continue;
                }
                self.nodes[at].lane_of[cell]
            };
            if lane == EMPTY {
                return self.begin(at, slot);
            }
            let lane = (at * FAN) as u32 + u32::from(lane);
            let child = self.child(lane);
            if child & INNER != 0 {
                at = (child & !INNER) as usize;
            } else if (self.leaves[child as usize].len as usize) < LANES {
                self.push(child, slot, &spot.extent);
                return self.grow(lane, &spot.extent);
            } else {
                self.divide(child);
            }
        }
    }

    /// The lane of a size; `EMPTY` if there is to be a new one. Classes that come when there is no
    /// more room share that of the nearest.
    #[inline(always)]
    fn lane_of_class(&self, class: u32) -> u8 {
        let known = self.classes.iter().position(|&other| other == class);
        match known {
            Some(lane) => lane as u8,
            None if self.classes.len() < FAN => EMPTY,
            None => self.nearest_class(class),
        }
    }

    #[cold]
    fn nearest_class(&self, class: u32) -> u8 {
        let lanes = 0..self.classes.len();
        let nearest = lanes.min_by_key(|&lane| self.classes[lane].abs_diff(class));
        nearest.map_or(EMPTY, |lane| lane as u8)
    }

    /// Begins a leaf with an entry. It takes all empty cells of the node: what comes there seldom
    /// lies together.
    fn begin(&mut self, at: usize, slot: u32) {
        let spot = Spot::of(&self.entries[slot as usize].item);
        let leaf = self.add_leaf();
        self.push(leaf, slot, &spot.extent);
        let lane = self.add_lane(at, leaf, &spot.extent);
        if at == 0 {
            self.classes.push(spot.class);
        } else {
            replace(
                &mut self.nodes[at].lane_of,
                EMPTY,
                (lane as usize % FAN) as u8,
            );
        }
        self.grow(self.nodes[at].parent, &spot.extent);
    }

    /// Divides a full leaf between two lanes of its node, or makes a node of it.
    #[inline(never)]
    fn divide(&mut self, leaf: u32) {
        let (at, lane) = parts(self.leaves[leaf as usize].parent);
        let items = self.items(leaf);
        if at == 0 {
            return self.push_down(leaf, rule_for(&items, None));
        }
        let Items { centers, slots, .. } = &items;
        let node = &mut self.nodes[at];
        let mut cells = [0; LANES];
        for i in 0..LANES {
            cells[i] = node.cell(centers[i], slots[i]).0;
        }
        let (all, own) = node.confine(lane as u8, &cells);
        match dividing_bit::<T::Vector>(&node.rule, &cells, centers) {
            Some(bit) => self.split(leaf, &cells, own, bit),
            // What is to come may go elsewhere now.
            None if own != all => {}
            None => {
                let rule = node.rule_below(cells[0], &items);
                self.push_down(leaf, rule);
            }
        }
    }

    /// What is to be known of the items of a full leaf.
    fn items(&self, leaf: u32) -> Items<T::Vector> {
        let mut items = Items {
            centers: [self.center_at(leaf, 0); LANES],
            slots: self.leaves[leaf as usize].slots,
            size: Scalar::INFINITY,
        };
        for (i, center) in items.centers.iter_mut().enumerate() {
            *center = self.center_at(leaf, i);
            let extent = self.extent_at(leaf, i);
            for axis in 0..T::Vector::DIM {
                let edge = extent.core.max().axis(axis) - extent.core.min().axis(axis);
                items.size = items.size.smaller(edge + extent.most + extent.most);
            }
        }
        items
    }

    /// Puts a node between a leaf and its lane.
    fn push_down(&mut self, leaf: u32, rule: Rule<T::Vector>) {
        let lane = self.leaves[leaf as usize].parent;
        let mut node = Node::new(rule, lane);
        node.lane_of = [0; FAN];
        let at = self.add_node(node);
        self.link(lane, at as u32 | INNER);
        let bounds = self.lane_bounds(lane);
        self.add_lane(at, leaf, &bounds);
    }

    /// Moves to a new lane what has a bit in the number of its cell: items of a leaf, and cells of
    /// its own.
    fn split(&mut self, leaf: u32, cells: &[usize; LANES], own: u64, bit: usize) {
        let lane = self.leaves[leaf as usize].parent;
        let (at, _) = parts(lane);
        let other = self.add_leaf();
        let (mut stay, mut go) = (0, 0);
        for (i, cell) in cells.iter().enumerate() {
            if cell >> bit & 1 == 1 {
                self.copy((leaf, i), (other, go));
                go += 1;
            } else {
                if stay < i {
                    self.copy((leaf, i), (leaf, stay));
                }
                stay += 1;
            }
        }
        self.leaves[leaf as usize].len = stay as u32;
        self.leaves[other as usize].len = go as u32;
        let bounds = self.lane_bounds(lane);
        let new = self.add_lane(at, other, &bounds);
        for cell in ones(own) {
            if cell >> bit & 1 == 1 {
                self.nodes[at].lane_of[cell] = parts(new).1 as u8;
            }
        }
        self.tighten(leaf);
        self.tighten(other);
    }

    /// Puts a node with a wider rule above one that an item is not for, if there is such a rule.
    #[cold]
    #[inline(never)]
    fn raise(&mut self, at: usize, towards: T::Vector, slot: u32) -> Option<usize> {
        let lane = self.nodes[at].parent;
        let (rule, cell, has_room) = self.nodes[at].rule.wider(towards, slot)?;
        if has_room {
            // What comes there is left to this, else there would be grids between without end.
            self.nodes[at].rule.open();
        }
        let mut node = Node::new(rule, lane);
        node.lane_of[cell] = 0;
        let above = self.add_node(node);
        let bounds = self.lane_bounds(lane);
        self.link(lane, above as u32 | INNER);
        self.add_lane(above, at as u32 | INNER, &bounds);
        Some(above)
    }
}

impl<V: Vector> Node<V> {
    /// Takes from a lane the cells that differ in a bit from those of all of its items: halves in
    /// which nothing lies. A bit for each cell that it had, and for each that it keeps.
    fn confine(&mut self, lane: u8, cells: &[usize; LANES]) -> (u64, u64) {
        let (mut all, mut any) = (usize::MAX, 0);
        for cell in cells {
            (all, any) = (all & cell, any | cell);
        }
        // All the bits that there are: slots use them in any dimension.
        let same = !(all ^ any) & (FAN - 1);
        let mut own = 0;
        for (cell, &lane_of) in self.lane_of.iter().enumerate() {
            own |= u64::from(lane_of == lane) << cell;
        }
        let mut kept = own;
        for cell in ones(own) {
            if (cell ^ all) & same != 0 {
                self.lane_of[cell] = EMPTY;
                kept ^= 1 << cell;
            }
        }
        (own, kept)
    }
}

/// The numbers of the bits that are set.
#[inline(always)]
fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let one = bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
        (one < FAN).then_some(one)
    })
}

/// The bit of cells that divides items best: the highest that differs on the axis on which they are
/// spread widest.
fn dividing_bit<V: Vector>(
    rule: &Rule<V>,
    cells: &[usize; LANES],
    centers: &[V; LANES],
) -> Option<usize> {
    let (mut all, mut any) = (usize::MAX, 0);
    for cell in cells {
        (all, any) = (all & cell, any | cell);
    }
    let differing = all ^ any;
    if differing == 0 {
        return None;
    }
    if matches!(rule, Rule::Slots { .. }) {
        return Some(differing.ilog2() as usize);
    }
    let mut best = None;
    let mut widest = V::Scalar::ZERO;
    for axis in 0..V::DIM {
        let field = differing >> (bits::<V>() * axis) & ((1 << bits::<V>()) - 1);
        if field == 0 {
            continue;
        }
        let (mut low, mut high) = (centers[0].axis(axis), centers[0].axis(axis));
        for center in centers {
            low = low.smaller(center.axis(axis));
            high = high.larger(center.axis(axis));
        }
        if best.is_none() || high - low > widest {
            widest = high - low;
            best = Some(bits::<V>() * axis + field.ilog2() as usize);
        }
    }
    best
}
