//! Insertion and update: grids say in which leaf an item belongs; a full leaf is split.

pub(super) mod many;

use super::grid::{FINER, Grid, LeafItems, Partition, axis_bits};
use super::node::{FANOUT, NONE, Node, REFIT_AFTER};
use super::tree::{Slot, Tree};
use crate::error::Error;
use crate::handle::Handle;
use crate::overlap::{Extent, check_count};
use crate::shape::Layout;
use crate::simd::{InstructionSet, LANES};
use crate::vector::{Scalar, Vector};

/// An item on its way to a leaf: its bounds, and what decides where it belongs.
#[derive(Clone, Copy)]
struct Item<A: Vector> {
    slot: u32,
    extent: Extent<A>,
    center: A,
    class: u32,
}

/// Adds an item.
///
/// ```text
/// grid = the first, which tells sizes apart
/// loop:
///     if the item lies far outside of the grid: grid = a coarser one put above it; again
///     what does the cell of the item lead to?
///         nothing: a new leaf with the item, beside the nearest one in the nodes; end
///         a finer grid: grid = that
///         a leaf that has room: append the item, enlarge the bounds above; end
///         a full leaf: split it, or put a finer grid below the cell; items whose cells lead elsewhere by now are placed again
/// ```
pub(super) fn insert<A: Vector>(tree: &mut Tree<A>, extent: &Extent<A>) -> Result<Handle, Error> {
    extent.check()?;
    check_count(tree.len + 1)?;
    let handle = tree.take_slot();
    tree.place(&tree.item(handle.slot, extent));
    Ok(handle)
}

/// Replaces the item of a handle.
///
/// ```text
/// if it lies in the bounds of its leaf: overwrite it, now and then make the bounds tight
/// else if it belongs into the same leaf: overwrite it, enlarge the bounds above
/// else: remove it from its leaf, insert it anew
/// ```
pub(super) fn update<A: Vector>(
    tree: &mut Tree<A>,
    handle: Handle,
    extent: &Extent<A>,
) -> Result<(), Error> {
    let Some(slot) = tree.find(handle) else {
        return Err(Error::Stale { handle });
    };
    extent.check()?;
    let (number, at) = (slot.leaf, slot.at as usize);
    // Of points and balls, the bounds tell the class of sizes.
    let is_alike =
        !tree.has_highs() || tree.class_of(&tree.extent_at(number, at)) == tree.class_of(extent);
    let leaf = &mut tree.leaves[number as usize];
    if !is_alike || !leaf.holds(extent) {
        tree.relocate(handle.slot, number, at, extent);
        return Ok(());
    }
    leaf.changes += 1;
    let is_loose = leaf.changes > REFIT_AFTER * leaf.len;
    tree.write(number, at, extent);
    if is_loose {
        tree.refit_leaf(number);
    }
    Ok(())
}

impl<A: Vector> Tree<A> {
    /// A slot for a new item: the one that was freed last, if there is any.
    #[inline(always)]
    pub(super) fn take_slot(&mut self) -> Handle {
        let generation = self.inserted as u32;
        self.inserted += 1;
        self.len += 1;
        let new = Slot {
            generation,
            leaf: NONE,
            at: 0,
        };
        let mut slot = self.free;
        if slot == NONE {
            slot = self.slots.len() as u32;
            self.slots.push(new);
        } else {
            let old = core::mem::replace(&mut self.slots[slot as usize], new);
            self.free = old.at;
        }
        Handle { slot, generation }
    }

    #[inline(always)]
    fn item(&self, slot: u32, extent: &Extent<A>) -> Item<A> {
        Item {
            slot,
            extent: *extent,
            center: self.center_of(extent),
            class: self.class_of(extent),
        }
    }

    #[inline(always)]
    pub(super) fn center_of(&self, extent: &Extent<A>) -> A {
        if self.has_highs() {
            extent.core.center()
        } else {
            extent.core.min()
        }
    }

    /// Sizes that differ by less than 32 times have the same class or adjacent ones. There are fewer
    /// classes of `f32` than lanes.
    #[inline(always)]
    fn class_of(&self, extent: &Extent<A>) -> u32 {
        if self.layout == Layout::Point {
            return 0;
        }
        let core = &extent.core;
        let edge = (0..A::DIM).fold(A::Scalar::ZERO, |most, axis| {
            most.larger(core.max().axis(axis) - core.min().axis(axis))
        });
        let size: f64 = (edge + extent.most + extent.most).into();
        (size.to_bits() >> 52) as u32 / 5
    }

    /// Replaces an item by one that is not in the bounds of its leaf.
    #[inline(never)]
    fn relocate(&mut self, slot: u32, number: u32, at: usize, extent: &Extent<A>) {
        let item = self.item(slot, extent);
        let is_alike = self.class_of(&self.extent_at(number, at)) == item.class;
        if is_alike && self.belongs(number, &item) {
            self.write(number, at, extent);
            self.enlarge_leaf(number, extent);
        } else {
            self.take_out(slot);
            self.place(&item);
        }
    }

    /// Whether an item would be put into this leaf again, as far as its grid can tell.
    #[inline(always)]
    fn belongs(&self, number: u32, item: &Item<A>) -> bool {
        let at = self.leaves[number as usize].grid as usize;
        let (cell, is_outside) = self.grids[at].cell(item.center, item.slot);
        at == 0 || !is_outside && self.grids[at].cells[cell % FANOUT] == number
    }

    /// Puts an item where it belongs, and then those that this displaced from their leaves.
    #[inline(always)]
    fn place(&mut self, item: &Item<A>) {
        self.place_one(item);
        while let Some((slot, extent)) = self.displaced.pop() {
            self.place_displaced(&self.item(slot, &extent));
        }
    }

    #[cold]
    #[inline(never)]
    fn place_displaced(&mut self, item: &Item<A>) {
        self.place_one(item);
    }

    /// The first grid and the first node of an empty tree.
    fn start(&mut self) {
        self.grids.push(Grid::new(Partition::Sizes, NONE, NONE));
        self.add_node(Node::new(NONE));
        self.instructions = InstructionSet::best();
    }

    /// Puts an item where it belongs.
    #[inline(always)]
    fn place_one(&mut self, item: &Item<A>) {
        if self.grids.is_empty() {
            self.start();
        }
        let mut at = 0;
        loop {
            let cell = if at == 0 {
                self.cell_of_class(item.class)
            } else {
                let (cell, is_outside) = self.grids[at].cell(item.center, item.slot);
                if is_outside && let Some(above) = self.put_grid_above(at, item.center, item.slot) {
                    at = above;
                    continue;
                }
                cell
            };
            let to = self.grids[at].cells[cell % FANOUT];
            if to == NONE {
                return self.start_leaf(at, item);
            } else if to & FINER != 0 {
                at = (to & !FINER) as usize;
            } else if (self.leaves[to as usize].len as usize) < LANES {
                self.push(to, item.slot, &item.extent);
                return self.enlarge_leaf(to, &item.extent);
            } else if !self.split_leaf(to) {
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
            None if self.classes.len() < FANOUT => self.classes.len(),
            None => self.nearest_class(class),
        }
    }

    #[cold]
    fn nearest_class(&self, class: u32) -> usize {
        let cells = 0..self.classes.len();
        let nearest = cells.min_by_key(|&cell| self.classes[cell].abs_diff(class));
        nearest.unwrap_or_default()
    }

    /// A new leaf with an item. It takes all empty cells of the grid: what comes there seldom
    /// lies together.
    #[inline(never)]
    fn start_leaf(&mut self, at: usize, item: &Item<A>) {
        let leaf = self.add_leaf(at as u32);
        self.push(leaf, item.slot, &item.extent);
        let cell = self.cell_of_class(item.class);
        if at == 0 {
            self.classes.push(item.class);
            self.grids[0].cells[cell % FANOUT] = leaf;
            let lane = self.add_lane(0, leaf, &item.extent);
            // Cell of a class in grid 0, and lane of its leaf in node 0, are one number.
            debug_assert_eq!(lane as usize, cell);
        } else {
            self.grids[at].redirect(NONE, leaf);
            let beside = self.nearest_leaf(cell as u32, item.center);
            self.attach_leaf(leaf, beside);
        }
    }

    /// Makes room in a full leaf; whether its grid is still there.
    ///
    /// ```text
    /// if some of its items moved to cells of other leaves: displace those
    /// else if halves of its cells are empty: they are its cells no more
    /// if its items lie in several cells: move those on one side, with their cells, to a new leaf
    /// else if it had one cell only: put a finer grid below that
    /// ```
    #[inline(never)]
    fn split_leaf(&mut self, leaf: u32) -> bool {
        let at = self.leaves[leaf as usize].grid as usize;
        let items = self.items(leaf);
        if at == 0 {
            self.put_grid_below(leaf, Partition::of_items(&items, None));
            return true;
        }
        let LeafItems { centers, slots, .. } = &items;
        let grid = &mut self.grids[at];
        let (mut cells, mut strays) = ([0; LANES], 0);
        for i in 0..LANES {
            cells[i] = grid.cell(centers[i], slots[i]).0;
            strays |= u32::from(grid.cells[cells[i]] != leaf) << i;
        }
        if strays != 0 {
            self.displace(leaf, strays);
            return false;
        }
        let (all, own) = grid.drop_empty_halves(leaf, &cells);
        match dividing_bit::<A>(&grid.partition, &cells, centers) {
            Some(bit) => self.split_by(leaf, &cells, own, bit),
            // What is to come may go elsewhere now.
            None if own != all => {}
            None => {
                let partition = grid.partition_below(cells[0], &items);
                self.put_grid_below(leaf, partition);
            }
        }
        true
    }

    /// Takes some items out of a leaf, to be placed again.
    #[cold]
    #[inline(never)]
    fn displace(&mut self, leaf: u32, which: u32) {
        for at in (0..LANES).rev() {
            if which >> at & 1 == 1 {
                let slot = self.leaves[leaf as usize].slots[at];
                self.displaced.push((slot, self.extent_at(leaf, at)));
                self.take(leaf, at);
            }
        }
        if self.leaves[leaf as usize].len == 0 {
            self.free_empty_leaf(leaf);
        }
    }

    /// What is to be known of the items of a full leaf.
    fn items(&self, leaf: u32) -> LeafItems<A> {
        let mut items = LeafItems {
            centers: [self.center_at(leaf, 0); LANES],
            slots: self.leaves[leaf as usize].slots,
            size: Scalar::INFINITY,
        };
        for (i, center) in items.centers.iter_mut().enumerate() {
            *center = self.center_at(leaf, i);
            let extent = self.extent_at(leaf, i);
            for axis in 0..A::DIM {
                let edge = extent.core.max().axis(axis) - extent.core.min().axis(axis);
                items.size = items.size.smaller(edge + extent.most + extent.most);
            }
        }
        items
    }

    /// Puts a grid between a leaf and its cells.
    fn put_grid_below(&mut self, leaf: u32, partition: Partition<A>) {
        let above = self.leaves[leaf as usize].grid;
        let finer = self.grids.len() as u32;
        self.grids.push(Grid::new(partition, above, leaf));
        self.grids[above as usize].redirect(leaf, finer | FINER);
        self.leaves[leaf as usize].grid = finer;
    }

    /// Moves to a new leaf what has a bit in the number of its cell: items of a leaf, and cells of
    /// its own.
    fn split_by(&mut self, leaf: u32, cells: &[usize; LANES], own: u64, bit: usize) {
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
        self.attach_leaf(other, leaf);
        self.refit_leaf(leaf);
    }

    /// Puts a grid with a wider partition above one that an item is not for, if there is one.
    #[cold]
    #[inline(never)]
    fn put_grid_above(&mut self, at: usize, towards: A, slot: u32) -> Option<usize> {
        let (partition, cell, has_room) = self.grids[at].partition.coarser_for(towards, slot)?;
        if has_room {
            // What comes there is left to this, else there would be grids between without end.
            self.grids[at].partition.open();
        }
        let parent = self.grids[at].parent;
        let above = self.grids.len();
        let mut grid = Grid::new(partition, parent, NONE);
        grid.cells[cell] = at as u32 | FINER;
        self.grids.push(grid);
        self.grids[parent as usize].redirect(at as u32 | FINER, above as u32 | FINER);
        self.grids[at].parent = above as u32;
        Some(above)
    }
}

/// The bit of cells that divides items best: the highest that differs on the axis on which they are
/// spread widest.
fn dividing_bit<A: Vector>(
    partition: &Partition<A>,
    cells: &[usize; LANES],
    centers: &[A; LANES],
) -> Option<usize> {
    let (mut all, mut any) = (usize::MAX, 0);
    for cell in cells {
        (all, any) = (all & cell, any | cell);
    }
    let differing = all ^ any;
    if differing == 0 {
        return None;
    }
    if matches!(partition, Partition::Slots { .. }) {
        return Some(differing.ilog2() as usize);
    }
    let mut best = None;
    let mut widest = A::Scalar::ZERO;
    for axis in 0..A::DIM {
        let field = differing >> (axis_bits::<A>() * axis) & ((1 << axis_bits::<A>()) - 1);
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
            best = Some(axis_bits::<A>() * axis + field.ilog2() as usize);
        }
    }
    best
}
