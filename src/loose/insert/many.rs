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

use crate::handle::Handle;
use crate::loose::grid::{FINER, Grid, Partition, axis_bits, cell_bits, half};
use crate::loose::leaf::Leaf;
use crate::loose::node::{FANOUT, INNER, NONE, Node};
use crate::loose::tree::{Slot, Tree};
use crate::orthtree::build::Source;
use crate::overlap::columns::{all, set_point};
use crate::shape::Aabb;
use crate::simd::{Column, LANES};
use crate::vector::{Scalar, Vector};

/// Fewer are inserted one by one.
const MANY: usize = 4 * LANES;
/// So many grids are put below each other; each cell is an eighth or less of what is above in space, a 64th at most
/// in number where items are spread evenly.
const DEEPEST: u32 = 12;
/// Nodes with fewer lanes than this are not made where there is room above.
const FEW: usize = 8;

/// Adds items and names them in their order, or adds none and returns the index of the first that is refused.
pub(in crate::loose) fn insert_many<A: Vector>(
    tree: &mut Tree<A>,
    source: &Source<'_, A>,
) -> Result<Vec<Handle>, usize> {
    if let Some(index) = source.invalid() {
        return Err(index);
    }
    let len = source.len();
    if tree.len > 0 || len < MANY {
        let mut handles = Vec::with_capacity(len);
        for index in 0..len {
            let handle = tree.take_slot();
            tree.place(&tree.item(handle.slot, &source.extent(index)));
            handles.push(handle);
        }
        return Ok(handles);
    }
    Ok(if tree.has_highs() {
        build(tree, source, Aabb::from_corners)
    } else {
        build(tree, source, |low, _| low)
    })
}

/// Fills an empty tree.
fn build<A: Vector, C: Core<A>>(
    tree: &mut Tree<A>,
    source: &Source<'_, A>,
    core_of: impl Fn(A, A) -> C,
) -> Vec<Handle> {
    let len = source.len();
    // Slots are the numbers of items.
    tree.clear();
    let generation = tree.inserted as u32;
    tree.inserted += len as u64;
    tree.len = len;
    let handles = (0..len as u32).map(|slot| Handle {
        slot,
        generation: generation.wrapping_add(slot),
    });
    let handles: Vec<Handle> = handles.collect();
    let slots = handles.iter().map(|handle| Slot {
        generation: handle.generation,
        leaf: NONE,
        at: 0,
    });
    tree.slots.extend(slots);
    tree.start();
    let mut entries = Vec::with_capacity(len);
    let mut size: A::Scalar = Scalar::INFINITY;
    let mut classes = Vec::with_capacity(len);
    let mut ends = [0; FANOUT + 1];
    for number in 0..len as u32 {
        let extent = source.extent(number as usize);
        let core = core_of(extent.core.min(), extent.core.max());
        entries.push(Entry { core, number });
        for axis in 0..A::DIM {
            let edge = extent.core.max().axis(axis) - extent.core.min().axis(axis);
            size = size.smaller(edge + extent.most + extent.most);
        }
        let class = tree.class_of(&extent);
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
        at: classes,
        tree,
        source,
        generation,
        entries: [entries.clone(), entries],
        places,
        cells,
        size,
        leaves: Vec::new(),
        nodes: Vec::new(),
        lanes: Vec::new(),
        later: Vec::new(),
    };
    if many.tree.classes.len() > 1 {
        many.sort(1, 0..len, &mut ends);
    }
    let mut roots = Vec::new();
    for class in 0..many.tree.classes.len() {
        let to = many.fill(0, ends[class]..ends[class + 1], None, 0);
        many.tree.grids[0].cells[class] = to;
        if many.lanes.len() > 1 {
            many.join(0);
        }
        roots.append(&mut many.lanes);
    }
    many.write_leaves();
    many.write_nodes(&roots);
    for number in many.later {
        let item = tree.item(number, &source.extent(number as usize));
        tree.place(&item);
    }
    handles
}

/// What an item takes with it: its center if that is all, or its box. Boxes looked up where a leaf is written
/// took half of a build.
trait Core<A: Vector>: Copy {
    fn center(self) -> A;
    fn corners(self) -> (A, A);
}

impl<A: Vector> Core<A> for A {
    #[inline(always)]
    fn center(self) -> A {
        self
    }

    #[inline(always)]
    fn corners(self) -> (A, A) {
        (self, self)
    }
}

impl<A: Vector> Core<A> for Aabb<A> {
    #[inline(always)]
    fn center(self) -> A {
        Self::center(&self)
    }

    #[inline(always)]
    fn corners(self) -> (A, A) {
        (self.min(), self.max())
    }
}

/// An item on its way.
#[derive(Clone, Copy)]
struct Entry<C> {
    core: C,
    number: u32,
}

/// The entries of a leaf to be, at the depth that they were sorted to.
struct Run {
    grid: u32,
    depth: u32,
    start: u32,
    end: u32,
}

struct Many<'a, A: Vector, C> {
    tree: &'a mut Tree<A>,
    source: &'a Source<'a, A>,
    /// The generation of the first item; each of the others has the next.
    generation: u32,
    /// Those of even and of odd depths: each time that they are sorted they change sides.
    entries: [Vec<Entry<C>>; 2],
    /// Where each goes in the order that they are being sorted into.
    at: Vec<u8>,
    /// The place of each cell of a grid on a curve through them, and the cell of each place.
    places: [u8; FANOUT],
    cells: [u8; FANOUT],
    /// The shortest edge of any item.
    size: A::Scalar,
    /// The leaves to be.
    leaves: Vec<Run>,
    /// The nodes to be, children before their parents: what is in their lanes.
    nodes: Vec<Vec<u32>>,
    /// Leaves and nodes to be that have no lane yet, in the order of the curve.
    lanes: Vec<u32>,
    /// What is left to single insertions.
    later: Vec<u32>,
}

impl<A: Vector, C: Core<A>> Many<'_, A, C> {
    /// Makes the leaves of some items, and says what leads to them: a leaf or a grid.
    fn fill(&mut self, above: u32, items: Range<usize>, region: Option<(A, A)>, depth: u32) -> u32 {
        if items.len() <= LANES {
            return self.leaf(above, items, depth);
        }
        let partition = match depth < DEEPEST {
            true => self.partition(&self.entries[depth as usize % 2][items.clone()], region),
            false => None,
        };
        let Some(partition) = partition else {
            let rest = &self.entries[depth as usize % 2][items.start + LANES..items.end];
            self.later.extend(rest.iter().map(|entry| entry.number));
            return self.leaf(above, items.start..items.start + LANES, depth);
        };
        let mut ends = [0; FANOUT + 1];
        for at in items.clone() {
            let (cell, _) = partition.cell(self.entries[depth as usize % 2][at].core.center(), 0);
            let place = self.places[cell % FANOUT];
            self.at[at] = place;
            ends[usize::from(place) + 1] += 1;
        }
        self.sort(depth, items, &mut ends);
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
                let others = self.lanes.split_off(second);
                if second - first > FEW {
                    self.join(first);
                }
                let second = self.lanes.len();
                self.lanes.extend(&others);
                if others.len() > FEW {
                    self.join(second);
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
    fn sort(&mut self, depth: u32, items: Range<usize>, ends: &mut [usize; FANOUT + 1]) {
        let mut end = items.start;
        let mut next = [0; FANOUT];
        for (next, many) in next.iter_mut().zip(&mut ends[..]) {
            end += *many;
            (*next, *many) = (end, end);
        }
        ends[FANOUT] = items.end;
        let [even, odd] = &mut self.entries;
        let (entries, sorted) = match depth % 2 {
            0 => (even, odd),
            _ => (odd, even),
        };
        for at in items {
            let to = &mut next[usize::from(self.at[at]) % FANOUT];
            sorted[*to] = entries[at];
            *to += 1;
        }
    }

    /// A grid of items, if one tells them apart.
    fn partition(&self, entries: &[Entry<C>], region: Option<(A, A)>) -> Option<Partition<A>> {
        let first = entries[0].core.center();
        let (mut low, mut high) = (first, first);
        for entry in entries {
            let center = entry.core.center();
            low = A::from_fn(|axis| low.axis(axis).smaller(center.axis(axis)));
            high = A::from_fn(|axis| high.axis(axis).larger(center.axis(axis)));
        }
        let halved = |corner: A| A::from_fn(|axis| corner.axis(axis) * half::<A>());
        Partition::of_many(halved(low), halved(high), region, self.size)
    }

    /// A leaf of items, to be written when it is known how many there are.
    fn leaf(&mut self, grid: u32, items: Range<usize>, depth: u32) -> u32 {
        let number = self.leaves.len() as u32;
        self.leaves.push(Run {
            grid,
            depth,
            start: items.start as u32,
            end: items.end as u32,
        });
        self.lanes.push(number);
        number
    }

    /// Puts the lanes from one on into a node.
    fn join(&mut self, first: usize) {
        let lanes = self.lanes.split_off(first);
        self.nodes.push(lanes);
        // The tree has a first node already.
        self.lanes.push(self.nodes.len() as u32 | INNER);
    }

    fn write_leaves(&mut self) {
        let tree = &mut *self.tree;
        let (has_highs, has_radii) = (tree.has_highs(), tree.has_radii);
        let count = |wanted: bool| if wanted { self.leaves.len() } else { 0 };
        tree.leaves.reserve_exact(count(true));
        tree.highs.reserve_exact(count(has_highs));
        tree.radii.reserve_exact(count(has_radii));
        for (number, run) in (0..).zip(&self.leaves) {
            let mut leaf = Leaf::new(run.grid);
            let mut high = all::<A>(Scalar::ZERO);
            let mut radius = Column([Scalar::ZERO; LANES]);
            let entries =
                &self.entries[run.depth as usize % 2][run.start as usize..run.end as usize];
            leaf.len = entries.len() as u32;
            for (at, entry) in entries.iter().take(LANES).enumerate() {
                let slot = entry.number;
                let corners = entry.core.corners();
                set_point(&mut leaf.points, at, corners.0);
                set_point(&mut high, at, corners.1);
                if has_radii {
                    radius.0[at] = self.source.extent(slot as usize).most;
                }
                leaf.slots[at] = slot;
                let generation = self.generation.wrapping_add(slot);
                leaf.generations[at] = generation;
                tree.slots[slot as usize] = Slot {
                    generation,
                    leaf: number,
                    at: at as u32,
                };
            }
            tree.leaves.push(leaf);
            if has_highs {
                tree.highs.push(high);
            }
            if has_radii {
                tree.radii.push(radius);
            }
            tree.leaves[number as usize].bounds = tree.leaf_bounds(number);
        }
    }

    /// The nodes, children before their parents.
    fn write_nodes(&mut self, roots: &[u32]) {
        let tree = &mut *self.tree;
        tree.nodes.reserve_exact(self.nodes.len());
        for children in &self.nodes {
            let node = tree.add_node(Node::new(NONE));
            add_lanes(tree, node, children);
        }
        add_lanes(tree, 0, roots);
    }
}

/// Gives a node its children.
fn add_lanes<A: Vector>(tree: &mut Tree<A>, node: usize, children: &[u32]) {
    for &child in children {
        let of_node = |node: u32| tree.node_bounds(node as usize);
        let bounds = match child & INNER {
            0 => Some(tree.leaves[child as usize].bounds),
            _ => of_node(child & !INNER),
        };
        // A node has children.
        if let Some(bounds) = bounds {
            tree.add_lane(node, child, &bounds);
        }
    }
}

/// The place of each cell on a curve through a grid, whose halves are halves of the grid, and so on.
fn curve<A: Vector>() -> [u8; FANOUT] {
    crate::simd::from_fn(|cell| {
        let mut place = cell >> cell_bits::<A>();
        for bit in (0..axis_bits::<A>()).rev() {
            for axis in (0..A::DIM).rev() {
                place = place << 1 | cell >> (axis_bits::<A>() * axis + bit) & 1;
            }
        }
        place as u8
    })
}
