//! Putting an entry where it belongs.

use super::LooseOrthtree;
use super::choice::{Items, rule_for};
use super::grid::{FINER, Grid};
use super::node::{NONE, Node};
use super::rule::{FAN, Rule, bits};
use super::spot::Spot;
use crate::simd::LANES;
use crate::{Bounded, InstructionSet, Scalar, Vector};

impl<T: Bounded> LooseOrthtree<T> {
    /// Puts an entry where it belongs, and then those that this turned out of their leaves.
    #[inline(always)]
    pub(super) fn place(&mut self, slot: u32, spot: &Spot<T::Vector>) {
        self.place_one(slot, spot);
        while let Some(slot) = self.strays.pop() {
            let spot = Spot::of(&self.entries[slot as usize].item);
            self.place_stray(slot, &spot);
        }
    }

    #[cold]
    #[inline(never)]
    fn place_stray(&mut self, slot: u32, spot: &Spot<T::Vector>) {
        self.place_one(slot, spot);
    }

    /// Puts an entry where it belongs; what is to be known of it comes in registers, since memory
    /// that was just written would be waited for.
    #[inline(always)]
    fn place_one(&mut self, slot: u32, spot: &Spot<T::Vector>) {
        if self.grids.is_empty() {
            self.grids.push(Grid::new(Rule::Sizes, NONE, NONE));
            self.add_node(Node::new(NONE));
            self.instructions = InstructionSet::best();
        }
        let mut at = 0;
        loop {
            let cell = if at == 0 {
                self.cell_of_class(spot.class)
            } else {
                let (cell, is_stray) = self.grids[at].cell(spot.center, slot);
                if is_stray && let Some(above) = self.raise(at, spot.center, slot) {
                    at = above;
                    continue;
                }
                cell
            };
            let to = self.grids[at].cells[cell % FAN];
            if to == NONE {
                return self.begin(at, slot, spot);
            } else if to & FINER != 0 {
                at = (to & !FINER) as usize;
            } else if (self.leaves[to as usize].len as usize) < LANES {
                self.push(to, slot, &spot.extent);
                return self.grow_leaf(to, &spot.extent);
            } else if !self.divide(to) {
                at = 0;
            }
        }
    }

    /// The cell of a size; the next if it is to have a new one. Classes that come when there is no
    /// more room share that of the nearest.
    #[inline(always)]
    fn cell_of_class(&self, class: u32) -> usize {
        let known = self.classes.iter().position(|&other| other == class);
        match known {
            Some(cell) => cell,
            None if self.classes.len() < FAN => self.classes.len(),
            None => self.nearest_class(class),
        }
    }

    #[cold]
    fn nearest_class(&self, class: u32) -> usize {
        let cells = 0..self.classes.len();
        let nearest = cells.min_by_key(|&cell| self.classes[cell].abs_diff(class));
        nearest.unwrap_or_default()
    }

    /// Begins a leaf with an entry. It takes all empty cells of the grid: what comes there seldom
    /// lies together.
    #[inline(never)]
    fn begin(&mut self, at: usize, slot: u32, spot: &Spot<T::Vector>) {
        let leaf = self.add_leaf(at as u32);
        self.push(leaf, slot, &spot.extent);
        let class = self.cell_of_class(spot.class);
        if at == 0 {
            self.classes.push(spot.class);
            self.grids[0].cells[class % FAN] = leaf;
            let lane = self.add_lane(0, leaf, &spot.extent);
            debug_assert_eq!(lane as usize, class);
        } else {
            self.grids[at].replace(NONE, leaf);
            let beside = self.nearest_leaf(class as u32, spot.center);
            self.settle(leaf, beside);
        }
    }

    /// Makes room in a full leaf: divides it between cells of its grid, puts a finer grid into its
    /// cell, or turns out what moved to a cell that is not its own; whether its grid is still there.
    #[inline(never)]
    fn divide(&mut self, leaf: u32) -> bool {
        let at = self.leaves[leaf as usize].grid as usize;
        let items = self.items(leaf);
        if at == 0 {
            self.refine(leaf, rule_for(&items, None));
            return true;
        }
        let Items { centers, slots, .. } = &items;
        let grid = &mut self.grids[at];
        let (mut cells, mut strays) = ([0; LANES], 0);
        for i in 0..LANES {
            cells[i] = grid.cell(centers[i], slots[i]).0;
            strays |= u32::from(grid.cells[cells[i]] != leaf) << i;
        }
        if strays != 0 {
            self.turn_out(leaf, strays);
            return false;
        }
        let (all, own) = grid.confine(leaf, &cells);
        match dividing_bit::<T::Vector>(&grid.rule, &cells, centers) {
            Some(bit) => self.split(leaf, &cells, own, bit),
            // What is to come may go elsewhere now.
            None if own != all => {}
            None => {
                let rule = grid.rule_below(cells[0], &items);
                self.refine(leaf, rule);
            }
        }
        true
    }

    /// Takes some items out of a leaf, to be placed again.
    #[cold]
    #[inline(never)]
    fn turn_out(&mut self, leaf: u32, which: u32) {
        for place in (0..LANES).rev() {
            if which >> place & 1 == 1 {
                self.strays.push(self.leaves[leaf as usize].slots[place]);
                self.take(leaf, place);
            }
        }
        if self.leaves[leaf as usize].len == 0 {
            self.discard(leaf);
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

    /// Puts a grid between a leaf and its cells.
    fn refine(&mut self, leaf: u32, rule: Rule<T::Vector>) {
        let above = self.leaves[leaf as usize].grid;
        let finer = self.grids.len() as u32;
        self.grids.push(Grid::new(rule, above, leaf));
        self.grids[above as usize].replace(leaf, finer | FINER);
        self.leaves[leaf as usize].grid = finer;
    }

    /// Moves to a new leaf what has a bit in the number of its cell: items of a leaf, and cells of
    /// its own.
    fn split(&mut self, leaf: u32, cells: &[usize; LANES], own: u64, bit: usize) {
        let at = self.leaves[leaf as usize].grid;
        let other = self.add_leaf(at);
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
        for (cell, to) in self.grids[at as usize].cells.iter_mut().enumerate() {
            let goes = own >> cell & cell as u64 >> bit & 1 == 1;
            *to = if goes { other } else { *to };
        }
        self.leaves[other as usize].bounds = self.leaf_bounds(other);
        self.settle(other, leaf);
        self.tighten(leaf);
    }

    /// Puts a grid with a wider rule above one that an item is not for, if there is such a rule.
    #[cold]
    #[inline(never)]
    fn raise(&mut self, at: usize, towards: T::Vector, slot: u32) -> Option<usize> {
        let (rule, cell, has_room) = self.grids[at].rule.wider(towards, slot)?;
        if has_room {
            // What comes there is left to this, else there would be grids between without end.
            self.grids[at].rule.open();
        }
        let parent = self.grids[at].parent;
        let above = self.grids.len();
        let mut grid = Grid::new(rule, parent, NONE);
        grid.cells[cell] = at as u32 | FINER;
        self.grids.push(grid);
        self.grids[parent as usize].replace(at as u32 | FINER, above as u32 | FINER);
        self.grids[at].parent = above as u32;
        Some(above)
    }
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
