//! Grids: which leaf, or which finer grid, an item goes to.

use super::choice::{Items, rule_for};
use super::node::NONE;
use super::rule::{FAN, Rule};
use crate::Vector;
use crate::simd::LANES;

/// What a cell leads to that is a grid and not a leaf: the highest bit of its number.
pub(super) const FINER: u32 = 1 << 31;

/// Cells that say where an item goes. The first tells sizes apart: it has a cell for each class.
#[derive(Clone, Copy)]
pub(super) struct Grid<V: Vector> {
    pub(super) rule: Rule<V>,
    /// The grid that it is in a cell of; `NONE` of the first.
    pub(super) parent: u32,
    /// The number of a leaf, or that of a grid with [`FINER`]; `NONE` where nothing lies.
    pub(super) cells: [u32; FAN],
}

impl<V: Vector> Grid<V> {
    /// All cells of which lead to the same.
    pub(super) fn new(rule: Rule<V>, parent: u32, to: u32) -> Self {
        Self {
            rule,
            parent,
            cells: [to; FAN],
        }
    }

    /// The cell of an item, and whether it lies far outside of what the rule was made for.
    #[inline(always)]
    pub(super) fn cell(&self, center: V, slot: u32) -> (usize, bool) {
        self.rule.cell(center, slot)
    }

    /// The rule of a finer grid for items, which all lie in one cell.
    pub(super) fn rule_below(&self, cell: usize, items: &Items<V>) -> Rule<V> {
        rule_for(items, self.rule.region(cell))
    }

    /// Lets all cells that led to one thing lead to another.
    #[inline(always)]
    pub(super) fn replace(&mut self, old: u32, new: u32) {
        for cell in &mut self.cells {
            *cell = if *cell == old { new } else { *cell };
        }
    }

    /// The one thing that cells lead to, if there are not several; `NONE` where there is nothing.
    pub(super) fn only(&self) -> Option<u32> {
        // All bits are set in the number of nothing.
        let (mut all, mut any) = (NONE, 0);
        for &cell in &self.cells {
            all &= cell;
            any |= if cell == NONE { 0 } else { cell };
        }
        (all == any || any == 0).then_some(all)
    }

    /// Takes from a leaf the cells that differ in a bit from those of all of its items: halves in
    /// which nothing lies. A bit for each cell that it had, and for each that it keeps.
    pub(super) fn confine(&mut self, leaf: u32, cells: &[usize; LANES]) -> (u64, u64) {
        let (mut all, mut any) = (usize::MAX, 0);
        for cell in cells {
            (all, any) = (all & cell, any | cell);
        }
        // All the bits that there are: slots use them in any dimension.
        let same = !(all ^ any) & (FAN - 1);
        let (mut own, mut kept) = (0, 0);
        for (cell, to) in self.cells.iter_mut().enumerate() {
            let is_own = *to == leaf;
            let is_kept = is_own && (cell ^ all) & same == 0;
            own |= u64::from(is_own) << cell;
            kept |= u64::from(is_kept) << cell;
            *to = if is_own && !is_kept { NONE } else { *to };
        }
        (own, kept)
    }
}
