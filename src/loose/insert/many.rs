//! Many items into an empty tree: grids from the top down, each item sorted into the cells of a few of them,
//! and nodes from the bottom up.
//!
//! ```text
//! fill(items):
//!     as many as fit into a leaf: a new leaf
//!     else: a new grid of the box around them; sort them by its cells, along a curve
//!           a run of cells with as many as fit into a leaf: a new leaf of these cells
//!           a cell with more: fill(its items)
//! ```
//!
//! What lies so unevenly that grids would be nested deeply is left to single insertions.

use alloc::vec::Vec;
use core::ops::Range;

use crate::error::Error;
use crate::handle::Handle;
use crate::loose::grid::{FINER, Grid, Partition, axis_bits, cell_bits, half};
use crate::loose::node::{FANOUT, INNER, NONE, Node};
use crate::loose::tree::Tree;
use crate::overlap::{Extent, check_count};
use crate::simd::LANES;
use crate::vector::{Scalar, Vector};

/// Fewer are inserted one by one.
const MANY: usize = 4 * LANES;
/// So many grids are put below each other; each cell is an eighth or less of what is above in space, a 64th at most
/// in number where items are spread evenly.
const DEEPEST: u32 = 12;
/// Nodes with fewer lanes than this are not made where there is room above.
const FEW: usize = 8;

/// Adds items that were checked, and names them in their order.
pub(in crate::loose) fn insert_many<A: Vector>(
    tree: &mut Tree<A>,
    extents: &[Extent<A>],
) -> Result<Vec<Handle>, Error> {
    check_count(tree.len + extents.len())?;
    tree.slots.reserve(extents.len());
    let handles: Vec<Handle> = extents.iter().map(|_| tree.take_slot()).collect();
    if !tree.grids.is_empty() || extents.len() < MANY {
        for (handle, extent) in handles.iter().zip(extents) {
            tree.place(&tree.item(handle.slot, extent));
        }
        return Ok(handles);
    }
    tree.start();
    let mut entries: Vec<Entry<A>> = Vec::with_capacity(extents.len());
    let mut size: A::Scalar = Scalar::INFINITY;
    let mut classes = Vec::with_capacity(extents.len());
    let mut ends = [0; FANOUT + 1];
    for (number, extent) in (0..).zip(extents) {
        let center = tree.center_of(extent);
        entries.push(Entry { center, number });
        for axis in 0..A::DIM {
            let edge = extent.core.max().axis(axis) - extent.core.min().axis(axis);
            size = size.smaller(edge + extent.most + extent.most);
        }
        let class = tree.class_of(extent);
        let cell = tree.cell_of_class(class);
        if cell == tree.classes.len() {
            tree.classes.push(class);
        }
        classes.push(cell as u8);
        ends[cell + 1] += 1;
    }
    let places = curve::<A>();
    let mut cells = [0; FANOUT];
    for (cell, &place) in places.iter().enumerate() {
        cells[usize::from(place)] = cell as u8;
    }
    let mut many = Many {
        sorted: entries.clone(),
        at: classes,
        tree,
        extents,
        handles: &handles,
        entries,
        places,
        cells,
        size,
        lanes: Vec::new(),
        later: Vec::new(),
    };
    many.sort(0..extents.len(), &mut ends);
    for class in 0..many.tree.classes.len() {
        let to = many.fill(0, ends[class]..ends[class + 1], None, 0);
        many.tree.grids[0].cells[class] = to;
        if many.lanes.len() > 1 {
            many.join(0..many.lanes.len());
        }
        for (child, bounds) in many.lanes.drain(..) {
            many.tree.add_lane(0, child, &bounds);
        }
    }
    for number in many.later {
        let number = number as usize;
        let item = tree.item(handles[number].slot, &extents[number]);
        tree.place(&item);
    }
    Ok(handles)
}

/// An item on its way.
#[derive(Clone, Copy)]
struct Entry<A> {
    center: A,
    number: u32,
}

struct Many<'a, A: Vector> {
    tree: &'a mut Tree<A>,
    extents: &'a [Extent<A>],
    handles: &'a [Handle],
    entries: Vec<Entry<A>>,
    /// Room to sort in.
    sorted: Vec<Entry<A>>,
    /// Where each goes in the order that they are being sorted into.
    at: Vec<u8>,
    /// The place of each cell of a grid on a curve through them, and the cell of each place.
    places: [u8; FANOUT],
    cells: [u8; FANOUT],
    /// The shortest edge of any item.
    size: A::Scalar,
    /// What was made and has no lane yet, in the order of the curve.
    lanes: Vec<(u32, Extent<A>)>,
    /// What is left to single insertions.
    later: Vec<u32>,
}

impl<A: Vector> Many<'_, A> {
    /// Makes the leaves of some items, and says what leads to them: a leaf or a grid.
    fn fill(&mut self, above: u32, items: Range<usize>, region: Option<(A, A)>, depth: u32) -> u32 {
        if items.len() <= LANES {
            return self.leaf(above, items);
        }
        let partition = match depth < DEEPEST {
            true => self.partition(items.clone(), region),
            false => None,
        };
        let Some(partition) = partition else {
            let rest = &self.entries[items.start + LANES..items.end];
            self.later.extend(rest.iter().map(|entry| entry.number));
            return self.leaf(above, items.start..items.start + LANES);
        };
        let mut ends = [0; FANOUT + 1];
        for at in items.clone() {
            let (cell, _) = partition.cell(self.entries[at].center, 0);
            let place = self.places[cell % FANOUT];
            self.at[at] = place;
            ends[usize::from(place) + 1] += 1;
        }
        self.sort(items, &mut ends);
        let grid = self.tree.grids.len() as u32;
        self.tree.grids.push(Grid::new(partition, above, NONE));
        self.divide(grid, &ends, 0..1 << cell_bits::<A>(), depth);
        grid | FINER
    }

    /// Makes the leaves of a run of cells, whose items end where it is said.
    fn divide(&mut self, grid: u32, ends: &[usize; FANOUT + 1], run: Range<usize>, depth: u32) {
        let items = ends[run.start]..ends[run.end];
        if items.is_empty() {
            return;
        }
        if items.len() > LANES && run.len() > 1 {
            let (first, middle) = (self.lanes.len(), run.start.midpoint(run.end));
            self.divide(grid, ends, run.start..middle, depth);
            let second = self.lanes.len();
            self.divide(grid, ends, middle..run.end, depth);
            if self.lanes.len() - first > FANOUT {
                for part in [second..self.lanes.len(), first..second] {
                    if part.len() > FEW {
                        self.join(part);
                    }
                }
            }
            return;
        }
        let cell = usize::from(self.cells[run.start]);
        let region = self.tree.grids[grid as usize].partition.region(cell);
        let to = self.fill(grid, items, region, depth + 1);
        for &cell in &self.cells[run] {
            self.tree.grids[grid as usize].cells[usize::from(cell)] = to;
        }
    }

    /// Sorts some items by where each goes, of which there are so many each; then these are where each ends.
    fn sort(&mut self, items: Range<usize>, ends: &mut [usize; FANOUT + 1]) {
        let mut end = items.start;
        let mut next = [0; FANOUT];
        for (next, many) in next.iter_mut().zip(&mut ends[..]) {
            end += *many;
            (*next, *many) = (end, end);
        }
        ends[FANOUT] = items.end;
        for at in items.clone() {
            let to = &mut next[usize::from(self.at[at]) % FANOUT];
            self.sorted[*to] = self.entries[at];
            *to += 1;
        }
        self.entries[items.clone()].copy_from_slice(&self.sorted[items]);
    }

    /// A grid of items, if one tells them apart.
    fn partition(&self, items: Range<usize>, region: Option<(A, A)>) -> Option<Partition<A>> {
        let (mut low, mut high) = (
            self.entries[items.start].center,
            self.entries[items.start].center,
        );
        for entry in &self.entries[items] {
            low = A::from_fn(|axis| low.axis(axis).smaller(entry.center.axis(axis)));
            high = A::from_fn(|axis| high.axis(axis).larger(entry.center.axis(axis)));
        }
        let halved = |corner: A| A::from_fn(|axis| corner.axis(axis) * half::<A>());
        Partition::of_many(halved(low), halved(high), region, self.size)
    }

    /// A leaf of items.
    fn leaf(&mut self, grid: u32, items: Range<usize>) -> u32 {
        let leaf = self.tree.add_leaf(grid);
        let mut bounds = self.extents[self.entries[items.start].number as usize];
        for entry in &self.entries[items] {
            let number = entry.number as usize;
            let extent = &self.extents[number];
            self.tree.push(leaf, self.handles[number].slot, extent);
            bounds = bounds.union(extent);
        }
        self.tree.leaves[leaf as usize].bounds = bounds;
        self.lanes.push((leaf, bounds));
        leaf
    }

    /// Puts some lanes into a node.
    fn join(&mut self, lanes: Range<usize>) {
        let node = self.tree.add_node(Node::new(NONE));
        let mut all = self.lanes[lanes.start].1;
        for (child, bounds) in &self.lanes[lanes.clone()] {
            self.tree.add_lane(node, *child, bounds);
            all = all.union(bounds);
        }
        self.lanes[lanes.start] = (node as u32 | INNER, all);
        self.lanes.drain(lanes.start + 1..lanes.end);
    }
}

/// The place of each cell on a curve through a grid, whose halves are halves of the grid, and so on.
fn curve<A: Vector>() -> [u8; FANOUT] {
    core::array::from_fn(|cell| {
        let mut place = cell >> cell_bits::<A>();
        for bit in (0..axis_bits::<A>()).rev() {
            for axis in (0..A::DIM).rev() {
                place = place << 1 | cell >> (axis_bits::<A>() * axis + bit) & 1;
            }
        }
        place as u8
    })
}
