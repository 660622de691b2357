//! What a tree holds, over arrays: all but the user's items themselves.
//!
//! Nodes and leaves are groups of four blocks, with room for 64 children or items. A place counts the lanes of all groups of
//! a kind: the 64 places of group `n` begin at `64 n`.

use alloc::vec::Vec;
use core::iter::Copied;
use core::mem::size_of;
use core::ops::Range;
use core::slice::Iter;

use fearless_simd::Simd;

use crate::handle::Handle;
use crate::overlap::Extent;
use crate::overlap::columns::{Boxes, Columns, all, point, set_point};
use crate::overlap::lanes::RadiusRange;
use crate::query::{HandleWriter, Hierarchy};
use crate::shape::{Aabb, Layout};
use crate::simd::{Column, InstructionSet, LANES, Mask, compress};
use crate::vector::{Scalar, Vector};
use crate::wide_nodes::{ItemBlocks, MOST_BLOCKS, NodeBlocks, Run, WideNodes, first_lanes};

/// The most children of a node, and the most items of a leaf.
pub(super) const ROOM: usize = MOST_BLOCKS * LANES;

/// No place, no slot.
pub(super) const NONE: u32 = u32::MAX;

/// The leaf in which new items wait: it is below no node.
pub(super) const DOOR: usize = 0;

/// A tree over arrays. It knows of an item its box, grown by a radius, and names it by a slot.
#[derive(Clone, Debug)]
pub struct Tree<A: Vector> {
    pub(super) items: Items<A>,
    pub(super) children: Children<A>,
    /// The first is the door, if there are any.
    pub(super) leaves: Vec<Group<A>>,
    pub(super) nodes: Vec<Group<A>>,
    /// The number of the root, if the height is not 0.
    pub(super) root: usize,
    /// The number of levels of nodes.
    pub(super) height: usize,
    pub(super) slots: Vec<Slot>,
    pub(super) len: usize,
    /// The number of insertions so far: its lower 32 bits are the generation of the next.
    pub(super) inserted: u64,
    pub(super) instructions: InstructionSet,
}

/// Where an item lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) generation: u32,
    /// `NONE` of a free slot.
    pub(super) place: u32,
}

/// What is known of a leaf or a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group<A: Vector> {
    /// Its place among the children of nodes; `NONE` of the root and of the door.
    pub(super) home: u32,
    /// How many children or items it has.
    pub(super) len: u32,
    /// How often something moved or left below since the box was tight.
    pub(super) changes: u32,
    /// The number of levels of nodes below it.
    pub(super) height: u32,
    /// Around all that it holds, as at home. Not known of the door.
    pub(super) bounds: Extent<A>,
    /// The part of space whose centers belong here, as at home: without its upper faces.
    pub(super) cell: Aabb<A>,
}

/// The items of all leaves. A list is empty where the layout has no use for it.
#[derive(Clone, Debug)]
pub(super) struct Items<A: Vector> {
    pub(super) layout: Layout,
    pub(super) has_radii: bool,
    /// Points, the least corners of boxes, or the centers of balls.
    pub(super) points: Vec<Columns<A>>,
    /// The largest corners of boxes.
    pub(super) highs: Vec<Columns<A>>,
    pub(super) radii: Vec<Column<A::Scalar>>,
    pub(super) slots: Vec<[u32; LANES]>,
    pub(super) generations: Vec<[u32; LANES]>,
}

/// The children of all nodes.
#[derive(Clone, Debug)]
pub(super) struct Children<A: Vector> {
    pub(super) boxes: Vec<Boxes<A>>,
    /// The least and largest radius of what each holds, if items have any.
    pub(super) radii: Vec<RadiusRange<A::Scalar>>,
    pub(super) cells: Vec<Boxes<A>>,
    /// The last block in use of each child: see [`Group::entry`].
    pub(super) entries: Vec<[u32; LANES]>,
}

/// The block and the lane of a place.
#[inline(always)]
fn parts(place: usize) -> (usize, usize) {
    (place / LANES, place % LANES)
}

/// The least and the largest coordinates of the first of some points, of which there is at least one.
pub(super) fn ends<A: Vector>(blocks: &[Columns<A>], len: usize) -> (A, A) {
    let mut ends = [(A::Scalar::ZERO, A::Scalar::ZERO); 4];
    for (axis, ends) in ends.iter_mut().enumerate().take(A::DIM) {
        let columns = blocks.iter().map(|columns| &columns.as_ref()[axis].0);
        *ends = ends_of(columns, len);
    }
    (
        A::from_fn(|axis| ends[axis].0),
        A::from_fn(|axis| ends[axis].1),
    )
}

/// The least and the largest of the first of some numbers, lane by lane, as vector instructions compare them.
#[inline(always)]
fn ends_of<'a, S: Scalar>(columns: impl Iterator<Item = &'a [S; LANES]>, mut len: usize) -> (S, S) {
    let (mut low, mut high) = ([S::INFINITY; LANES], [S::ZERO - S::INFINITY; LANES]);
    for column in columns {
        for lane in 0..LANES {
            // Behind the last, the first of the block again.
            let x = if lane < len { column[lane] } else { column[0] };
            (low[lane], high[lane]) = (low[lane].smaller(x), high[lane].larger(x));
        }
        len = len.saturating_sub(LANES);
    }
    (
        low.iter().fold(low[0], |low, &x| low.smaller(x)),
        high.iter().fold(high[0], |high, &x| high.larger(x)),
    )
}

/// The extent of nothing.
pub(super) fn nothing<A: Vector>() -> Extent<A> {
    Extent {
        core: Boxes::empty().get(0),
        least: Scalar::INFINITY,
        most: Scalar::ZERO,
    }
}

/// The cell of all there is.
pub(super) fn everywhere<A: Vector>() -> Aabb<A> {
    let infinity = A::Scalar::INFINITY;
    Aabb::from_corners(A::splat(A::Scalar::ZERO - infinity), A::splat(infinity))
}

impl<A: Vector> Group<A> {
    /// Whether the cell holds a center.
    #[inline(always)]
    pub(super) fn is_for(&self, center: A) -> bool {
        let mut held = true;
        for axis in 0..A::DIM {
            let at = center.axis(axis);
            held &= self.cell.min().axis(axis) <= at && at < self.cell.max().axis(axis);
        }
        held
    }

    /// The entry of the group with a number: its last block in use. Its first is the nearest multiple of four below.
    #[inline(always)]
    pub(super) fn entry(&self, number: usize) -> u32 {
        (number * MOST_BLOCKS) as u32 + self.len.saturating_sub(1) / LANES as u32
    }

    /// How many lanes of one of its blocks are in use.
    #[inline(always)]
    fn lanes(&self, block: usize) -> u32 {
        first_lanes((self.len as usize).saturating_sub(block % MOST_BLOCKS * LANES))
    }

    #[inline(always)]
    pub(super) fn run(&self, number: usize) -> Run {
        Run {
            first: number * MOST_BLOCKS,
            len: self.len as usize,
        }
    }
}

impl<A: Vector> Items<A> {
    const fn new(layout: Layout, has_radii: bool) -> Self {
        Self {
            layout,
            has_radii,
            points: Vec::new(),
            highs: Vec::new(),
            radii: Vec::new(),
            slots: Vec::new(),
            generations: Vec::new(),
        }
    }

    /// Whether items have two corners.
    #[inline(always)]
    fn has_highs(&self) -> bool {
        matches!(self.layout, Layout::Box | Layout::Whole)
    }

    /// Reserves the memory of some leaves.
    fn reserve(&mut self, leaves: usize) {
        let blocks = leaves * MOST_BLOCKS;
        self.points.reserve_exact(blocks);
        self.highs
            .reserve_exact(if self.has_highs() { blocks } else { 0 });
        self.radii
            .reserve_exact(if self.has_radii { blocks } else { 0 });
        self.slots.reserve_exact(blocks);
        self.generations.reserve_exact(blocks);
    }

    /// Adds room for one more leaf.
    fn grow(&mut self) {
        let len = self.slots.len() + MOST_BLOCKS;
        let zeros = all::<A>(Scalar::ZERO);
        self.points.resize(len, zeros);
        if self.has_highs() {
            self.highs.resize(len, zeros);
        }
        if self.has_radii {
            self.radii.resize(len, Column([Scalar::ZERO; LANES]));
        }
        self.slots.resize(len, [0; LANES]);
        self.generations.resize(len, [0; LANES]);
    }

    #[inline(always)]
    pub(super) fn get(&self, place: usize) -> Extent<A> {
        let (block, lane) = parts(place);
        let low = point(&self.points[block], lane);
        let high = self.highs.get(block).map_or(low, |high| point(high, lane));
        let radii = self.radii.get(block);
        let radius = radii.map_or(Scalar::ZERO, |radii| radii.0[lane]);
        Extent {
            core: Aabb::from_corners(low, high),
            least: radius,
            most: radius,
        }
    }

    #[inline(always)]
    pub(super) fn set(&mut self, place: usize, to: &Extent<A>) {
        let (block, lane) = parts(place);
        set_point(&mut self.points[block], lane, to.core.min());
        if let Some(high) = self.highs.get_mut(block) {
            set_point(high, lane, to.core.max());
        }
        if let Some(radii) = self.radii.get_mut(block) {
            radii.0[lane] = to.most;
        }
    }

    /// The smallest extent around some items.
    pub(super) fn around(&self, run: Run) -> Extent<A> {
        if run.len == 0 {
            return nothing();
        }
        let blocks = run.first..run.first + run.blocks();
        let points = &self.points[blocks.clone()];
        let (low, mut high) = ends::<A>(points, run.len);
        if let Some(highs) = self.highs.get(blocks.clone()) {
            (_, high) = ends::<A>(highs, run.len);
        }
        let radii = self.radii.get(blocks);
        let (least, most) = radii.map_or([Scalar::ZERO; 2].into(), |radii| {
            ends_of(radii.iter().map(|radii| &radii.0), run.len)
        });
        Extent {
            core: Aabb::from_corners(low, high),
            least,
            most,
        }
    }

    #[inline(always)]
    pub(super) fn slot(&self, place: usize) -> u32 {
        self.slots.as_flattened()[place]
    }

    /// The centers of the items of a full leaf.
    pub(super) fn centers(&self, leaf: usize) -> [Columns<A>; MOST_BLOCKS] {
        crate::simd::from_fn(|block| {
            let block = leaf * MOST_BLOCKS + block;
            let mut centers = self.points[block];
            if self.has_highs() {
                for lane in 0..LANES {
                    let extent = self.get(block * LANES + lane);
                    set_point(&mut centers, lane, extent.core.center());
                }
            }
            centers
        })
    }

    /// Which leaf an item belongs into is a matter of its center.
    #[inline(always)]
    pub(super) fn center_of(&self, extent: &Extent<A>) -> A {
        if self.has_highs() {
            extent.core.center()
        } else {
            extent.core.min()
        }
    }
}

impl<A: Vector> Children<A> {
    const fn new() -> Self {
        Self {
            boxes: Vec::new(),
            radii: Vec::new(),
            cells: Vec::new(),
            entries: Vec::new(),
        }
    }

    /// Reserves the memory of some nodes.
    fn reserve(&mut self, nodes: usize, has_radii: bool) {
        let blocks = nodes * MOST_BLOCKS;
        self.boxes.reserve_exact(blocks);
        self.cells.reserve_exact(blocks);
        self.radii.reserve_exact(if has_radii { blocks } else { 0 });
        self.entries.reserve_exact(blocks);
    }

    /// Adds room for one more node.
    fn grow(&mut self, has_radii: bool) {
        let len = self.entries.len() + MOST_BLOCKS;
        self.boxes.resize(len, Boxes::empty());
        self.cells.resize(len, Boxes::empty());
        if has_radii {
            self.radii.resize(len, [Column([Scalar::ZERO; LANES]); 2]);
        }
        self.entries.resize(len, [0; LANES]);
    }

    #[inline(always)]
    pub(super) fn get(&self, place: usize) -> Extent<A> {
        let (block, lane) = parts(place);
        let radii = self.radii.get(block);
        let [least, most] = radii.map_or([Scalar::ZERO; 2], |radii| {
            radii.each_ref().map(|radii| radii.0[lane])
        });
        Extent {
            core: self.boxes[block].get(lane),
            least,
            most,
        }
    }

    #[inline(always)]
    pub(super) fn set(&mut self, place: usize, to: &Extent<A>) {
        let (block, lane) = parts(place);
        self.boxes[block].set(lane, &to.core);
        if let Some([least, most]) = self.radii.get_mut(block) {
            (least.0[lane], most.0[lane]) = (to.least, to.most);
        }
    }

    pub(super) fn cell(&self, place: usize) -> Aabb<A> {
        let (block, lane) = parts(place);
        self.cells[block].get(lane)
    }

    pub(super) fn set_cell(&mut self, place: usize, to: &Aabb<A>) {
        let (block, lane) = parts(place);
        self.cells[block].set(lane, to);
    }

    #[inline(always)]
    pub(super) fn entry(&self, place: usize) -> u32 {
        self.entries.as_flattened()[place]
    }

    #[inline(always)]
    pub(super) fn set_entry(&mut self, place: usize, to: u32) {
        self.entries.as_flattened_mut()[place] = to;
    }

    /// The number of the leaf or node that is the child at a place.
    #[inline(always)]
    pub(super) fn child(&self, place: usize) -> usize {
        self.entry(place) as usize / MOST_BLOCKS
    }
}

impl<A: Vector> Tree<A> {
    pub(super) const fn empty(layout: Layout, has_radii: bool) -> Self {
        Self {
            items: Items::new(layout, has_radii),
            children: Children::new(),
            leaves: Vec::new(),
            nodes: Vec::new(),
            root: 0,
            height: 0,
            slots: Vec::new(),
            len: 0,
            inserted: 0,
            instructions: InstructionSet::BASELINE,
        }
    }

    /// Removes everything, and gives back all memory.
    pub(super) fn clear(&mut self) {
        self.clear_nodes();
        (self.slots, self.len) = (Vec::new(), 0);
    }

    /// Removes all nodes and leaves, but no slots.
    pub(super) fn clear_nodes(&mut self) {
        self.items = Items::new(self.items.layout, self.items.has_radii);
        self.children = Children::new();
        (self.leaves, self.nodes) = (Vec::new(), Vec::new());
        (self.root, self.height) = (0, 0);
    }

    /// Reserves the memory of an empty tree.
    pub(super) fn reserve(&mut self, leaves: usize, nodes: usize) {
        self.items.reserve(leaves);
        self.children.reserve(nodes, self.items.has_radii);
        self.leaves.reserve_exact(leaves);
        self.nodes.reserve_exact(nodes);
    }

    /// The leaves, or the nodes that are higher.
    #[inline(always)]
    pub(super) fn groups(&mut self, height: usize) -> &mut Vec<Group<A>> {
        if height == 0 {
            &mut self.leaves
        } else {
            &mut self.nodes
        }
    }

    #[inline(always)]
    pub(super) fn group(&mut self, height: usize, number: usize) -> &mut Group<A> {
        &mut self.groups(height)[number]
    }

    /// Adds an empty leaf, or an empty node, and returns its number.
    pub(super) fn add_group(&mut self, height: usize, cell: Aabb<A>) -> usize {
        if height == 0 {
            self.items.grow();
        } else {
            self.children.grow(self.items.has_radii);
        }
        let groups = self.groups(height);
        groups.push(Group {
            home: NONE,
            len: 0,
            changes: 0,
            height: height as u32,
            bounds: nothing(),
            cell,
        });
        groups.len() - 1
    }

    /// Gives back the memory of slots behind the last that is in use: handles name slots, so that only those can be.
    pub(super) fn shrink_slots(&mut self, to: usize) {
        self.slots.truncate(to);
        self.slots.shrink_to_fit();
    }

    /// Where the item of a handle lies; `None` when it has been removed.
    #[inline(always)]
    pub(super) fn find(&self, handle: Handle) -> Option<usize> {
        let slot = self.slots.get(handle.slot())?;
        (slot.generation == handle.generation && slot.place != NONE).then_some(slot.place as usize)
    }

    /// Names the item in a slot that is in use.
    #[inline(always)]
    pub(super) fn handle(&self, slot: u32) -> Handle {
        Handle {
            slot,
            generation: self.slots[slot as usize].generation,
        }
    }

    /// The memory of its lists, in bytes.
    pub(super) fn bytes(&self) -> usize {
        fn of<X>(list: &Vec<X>) -> usize {
            list.capacity() * size_of::<X>()
        }
        let (items, children) = (&self.items, &self.children);
        of(&items.points)
            + of(&items.highs)
            + of(&items.radii)
            + of(&items.slots)
            + of(&items.generations)
            + of(&children.boxes)
            + of(&children.radii)
            + of(&children.cells)
            + of(&children.entries)
            + of(&self.leaves)
            + of(&self.nodes)
            + of(&self.slots)
    }
}

/// An entry is the last block in use of a group.
impl<A: Vector> WideNodes<A> for Tree<A> {
    type Key = Handle;

    const BLOCKS: usize = MOST_BLOCKS;

    const COUNTS: bool = false;

    #[inline(always)]
    fn instructions(&self) -> InstructionSet {
        self.instructions
    }

    #[inline(always)]
    fn items(&self) -> ItemBlocks<'_, A> {
        ItemBlocks {
            layout: self.items.layout,
            points: &self.items.points,
            highs: &self.items.highs,
            radii: &self.items.radii,
            names: &self.items.slots,
        }
    }

    #[inline(always)]
    fn key(&self, place: usize) -> Handle {
        Handle {
            slot: self.items.slot(place),
            generation: self.items.generations.as_flattened()[place],
        }
    }

    #[inline(always)]
    fn key_of(&self, name: u32) -> Handle {
        self.handle(name)
    }

    #[inline(always)]
    fn write<S: Simd>(&self, simd: S, block: usize, mask: Mask, to: &mut HandleWriter<'_>) {
        compress(simd, &self.items.slots[block], mask, &mut to.slots);
        let generations = &self.items.generations[block];
        compress(simd, generations, mask, &mut to.generations);
    }

    #[inline(always)]
    fn item_lanes(&self, block: usize) -> u32 {
        self.leaves[block / MOST_BLOCKS].lanes(block)
    }

    #[inline(always)]
    fn door(&self) -> Option<Run> {
        let door = self.leaves.first()?;
        (door.len > 0).then(|| door.run(DOOR))
    }

    #[inline(always)]
    fn boxes(&self) -> NodeBlocks<'_, A> {
        NodeBlocks {
            boxes: &self.children.boxes,
            radii: &self.children.radii,
        }
    }

    #[inline(always)]
    fn height(&self) -> usize {
        self.height
    }

    #[inline(always)]
    fn top(&self) -> Range<u32> {
        match self.nodes.get(self.root) {
            Some(root) => root.entry(self.root)..root.entry(self.root) + 1,
            None => 0..0,
        }
    }

    #[inline(always)]
    fn blocks_of(entry: u32) -> Range<usize> {
        let last = entry as usize;
        last / MOST_BLOCKS * MOST_BLOCKS..last + 1
    }

    #[inline(always)]
    fn children(&self, _: usize, block: usize) -> [u32; LANES] {
        self.children.entries[block]
    }

    #[inline(always)]
    fn box_lanes(&self, _: usize, block: usize) -> u32 {
        self.nodes[block / MOST_BLOCKS].lanes(block)
    }

    #[inline(always)]
    fn count_below(&self, _: usize, _: usize, _: usize) -> usize {
        unreachable!("items are counted where they lie")
    }

    #[inline(always)]
    fn wide_boxes(&self) -> NodeBlocks<'_, A> {
        self.boxes()
    }

    #[inline(always)]
    fn wide_root(&self) -> (usize, usize) {
        (self.height, self.root)
    }

    #[inline(always)]
    fn wide_children(&self, _: usize, number: usize) -> Run {
        self.nodes[number].run(number)
    }

    #[inline(always)]
    fn wide_child(&self, _: usize, number: usize, child: usize) -> usize {
        self.children.child(number * ROOM + child)
    }

    #[inline(always)]
    fn wide_leaf(&self, number: usize) -> Run {
        self.leaves[number].run(number)
    }
}

/// Nodes and leaves are named by their places among the children of nodes, the root and the door together by `NONE`.
impl<A: Vector> Hierarchy for Tree<A> {
    type Space = A;
    type Run<'a> = Copied<Iter<'a, u32>>;

    #[inline]
    fn root(&self) -> Option<u32> {
        (self.len > 0).then_some(NONE)
    }

    #[inline]
    fn extent(&self, place: u32) -> Extent<A> {
        if place != NONE {
            return self.children.get(place as usize);
        }
        let door = self.around(0, DOOR);
        let root = self.nodes.get(self.root);
        root.map_or(door, |root| door.union(&root.bounds))
    }

    #[inline]
    fn children(&self, place: u32, _inside: bool) -> impl DoubleEndedIterator<Item = u32> {
        let node = match place {
            NONE if self.height > 0 => Some(self.root),
            NONE => None,
            place => {
                let of = &self.nodes[place as usize / ROOM];
                (of.height > 1).then(|| self.children.child(place as usize))
            }
        };
        let places = node.map_or(0..0, |node| {
            let first = (node * ROOM) as u32;
            first..first + self.nodes[node].len
        });
        // A leaf that has been emptied has no extent.
        places.filter(|&place| {
            let of = &self.nodes[place as usize / ROOM];
            of.height > 1 || self.leaves[self.children.child(place as usize)].len > 0
        })
    }

    #[inline]
    fn run(&self, place: u32, _inside: bool) -> Copied<Iter<'_, u32>> {
        let leaf = match place {
            NONE => Some(DOOR),
            place => {
                let of = &self.nodes[place as usize / ROOM];
                (of.height == 1).then(|| self.children.child(place as usize))
            }
        };
        let slots = leaf.map_or(&[][..], |leaf| {
            let len = self.leaves[leaf].len as usize;
            &self.items.slots.as_flattened()[leaf * ROOM..][..len]
        });
        slots.iter().copied()
    }
}
