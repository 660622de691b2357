//! All points against all: sixteen neighbors descend together. What may be near any of them is
//! packed once, and each of them asks only that; what is near all of them is copied.

use alloc::vec::Vec;
use core::ops::{ControlFlow, Range};

use fearless_simd::Simd;

use super::tree::{Tree, blocks_of};
use crate::lists::{NeighborLists, PART};
use crate::overlap::columns::{Columns, all, point, set_point};
use crate::overlap::lanes::{Ball, Nearby, Probe, WideRegion};
use crate::shape::Aabb;
use crate::simd::{Column, Job, LANES, Lane, ListWriter, Mask, compress};
use crate::vector::{Scalar, Vector};

/// Fills lists of the neighbors of every point.
pub(super) fn lists<A: Vector>(tree: &Tree<A>, radius: A::Scalar, near: &mut NeighborLists) {
    let (points, indices) = (&tree.items.points, &tree.indices[..tree.len]);
    lists_about(tree, points, indices, radius, near);
}

/// The same of the points at some slots, each with the number of its list.
pub(super) fn lists_of<A: Vector>(
    tree: &Tree<A>,
    asking: &[(u32, u32)],
    radius: A::Scalar,
    near: &mut NeighborLists,
) {
    let numbers: Vec<u32> = asking.iter().map(|&(_, number)| number).collect();
    let mut points = Vec::with_capacity(asking.len().div_ceil(LANES));
    for asking in asking.chunks(LANES) {
        let mut columns = all::<A>(A::Scalar::ZERO);
        for (lane, &(slot, _)) in asking.iter().enumerate() {
            let slot = slot as usize;
            let from = point::<A>(&tree.items.points[slot / LANES], slot % LANES);
            set_point(&mut columns, lane, from);
        }
        points.push(columns);
    }
    lists_about(tree, &points, &numbers, radius, near);
}

/// Makes list `numbers[i]` of what is near point `i`.
fn lists_about<A: Vector>(
    tree: &Tree<A>,
    points: &[Columns<A>],
    numbers: &[u32],
    radius: A::Scalar,
    near: &mut NeighborLists,
) {
    // A part begins where a block does.
    const { assert!(PART.is_multiple_of(LANES)) }
    near.fill(numbers, PART, |places, part| {
        let (mut before, lens) = (0, &mut part.lens);
        let asking = Asking {
            points,
            numbers,
            radius,
            places,
        };
        let _ = about(tree, asking, &mut part.items, &mut |_, found| {
            lens.push((found.len() - before) as u32);
            before = found.len();
            ControlFlow::Continue(())
        });
    });
}

/// Hands on each point and its neighbors.
pub(super) fn visit<A: Vector>(
    tree: &Tree<A>,
    radius: A::Scalar,
    visit: &mut dyn FnMut(usize, &[u32]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let found = &mut Vec::new();
    let asking = Asking {
        points: &tree.items.points,
        numbers: &tree.indices,
        radius,
        places: 0..tree.len,
    };
    about(tree, asking, found, &mut |point, found| {
        let flow = visit(point, found);
        found.clear();
        flow
    })
}

/// Appends what is near each of some points, and calls `f` with it.
fn about<A: Vector>(
    tree: &Tree<A>,
    asking: Asking<'_, A>,
    found: &mut Vec<u32>,
    f: &mut dyn FnMut(usize, &mut Vec<u32>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    tree.instructions.run(About {
        tree,
        asking,
        found,
        f,
    })
}

/// Points in the order of the tree, whose neighbors are asked for.
struct Asking<'a, A: Vector> {
    points: &'a [Columns<A>],
    /// What each is called.
    numbers: &'a [u32],
    radius: A::Scalar,
    /// Those that ask, the first of which begins a block.
    places: Range<usize>,
}

/// The neighbors of some points.
struct About<'a, A: Vector> {
    tree: &'a Tree<A>,
    asking: Asking<'a, A>,
    /// Where what is near a point is appended, before `f` is called with it.
    found: &'a mut Vec<u32>,
    f: &'a mut dyn FnMut(usize, &mut Vec<u32>) -> ControlFlow<()>,
}

impl<A: Vector> Job for About<'_, A> {
    type Output = ControlFlow<()>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> ControlFlow<()> {
        let tree = self.tree;
        let Asking {
            points,
            numbers,
            radius,
            places,
        } = self.asking;
        let mut near = Near::new();
        for first in places.clone().step_by(LANES) {
            let used = LANES.min(places.end - first);
            let points = &points[first / LANES];
            let limit = radius * radius;
            // A radius below 0 reaches nothing, and neither does NaN.
            if radius >= Scalar::ZERO {
                near.gather(simd, tree, &Nearby::new(simd, &around(points, used), limit));
            }
            for lane in 0..used {
                let ball = Ball {
                    center: A::from_fn(|axis| points.as_ref()[axis].0[lane]),
                    outer: radius,
                    inner: Scalar::ZERO,
                    hollow: false,
                };
                near.list(simd, tree, &ball, self.found);
                (self.f)(numbers[first + lane] as usize, self.found)?;
            }
        }
        ControlFlow::Continue(())
    }
}

/// The box around the first points of a block.
#[inline(always)]
fn around<A: Vector>(points: &Columns<A>, used: usize) -> Aabb<A> {
    let mut corners = [A::Scalar::ZERO; 8];
    for (axis, Column(lanes)) in points.as_ref().iter().enumerate() {
        let (mut least, mut most) = (lanes[0], lanes[0]);
        for &x in &lanes[..used] {
            least = least.smaller(x);
            most = most.larger(x);
        }
        corners[axis] = least;
        corners[4 + axis] = most;
    }
    Aabb::from_corners(
        A::from_fn(|axis| corners[axis]),
        A::from_fn(|axis| corners[4 + axis]),
    )
}

/// What is near a block of points.
struct Near<A: Vector> {
    nodes: Vec<u32>,
    leaves: Vec<u32>,
    /// Their edges.
    edges: Vec<u32>,
    /// Slots of what is near all points of the block.
    whole: Vec<(u32, u32)>,
    /// What may be near some: the coordinates on each axis, one axis after the other.
    coordinates: Vec<A::Scalar>,
    /// Where they begin, for the sake of aligned loads, and the room of an axis.
    begin: usize,
    stride: usize,
    indices: Vec<u32>,
    len: usize,
}

impl<A: Vector> Near<A> {
    fn new() -> Self {
        Self {
            nodes: Vec::new(),
            leaves: Vec::new(),
            edges: Vec::new(),
            whole: Vec::new(),
            coordinates: Vec::new(),
            begin: 0,
            stride: 0,
            indices: Vec::new(),
            len: 0,
        }
    }

    /// Finds what may be near a box.
    #[inline(always)]
    fn gather<S: Simd>(&mut self, simd: S, tree: &Tree<A>, probe: &Nearby<A, S>) {
        self.leaves.clear();
        self.edges.clear();
        self.whole.clear();
        self.len = 0;
        self.descend(simd, tree, probe);
        self.make_room();
        for leaf in 0..self.leaves.len() {
            self.pack(simd, tree, probe, leaf);
        }
    }

    /// Room for all items of the leaves.
    fn make_room(&mut self) {
        let blocks: usize = self.leaves.iter().map(|&leaf| blocks_of(leaf).len()).sum();
        // Sixteen are written at a time, and sixteen read.
        let many = (blocks + 1) * LANES;
        if many > self.stride {
            self.stride = 2 * many;
            let zero = A::Scalar::ZERO;
            self.coordinates.resize(A::DIM * self.stride + LANES, zero);
            self.indices.resize(self.stride, 0);
            let aligned = self
                .coordinates
                .as_ptr()
                .align_offset(align_of::<Column<A::Scalar>>());
            self.begin = aligned.min(LANES);
        }
    }

    /// Finds the leaves that are near, and what is near as a whole.
    #[inline(always)]
    fn descend<S: Simd>(&mut self, simd: S, tree: &Tree<A>, probe: &Nearby<A, S>) {
        self.nodes.clear();
        let many = tree.nodes.children.len();
        // The last block holds the root.
        let mut blocks = many.saturating_sub(1)..many;
        loop {
            for block in blocks {
                let cells = &tree.nodes.cells[block];
                let children = &tree.nodes.children[block];
                let near = probe.meets(&cells.low, &cells.high);
                if near.is_empty() {
                    continue;
                }
                let whole = near & probe.holds(&cells.low, &cells.high);
                let mut left = whole.bits(simd);
                while left != 0 {
                    let lane = left.trailing_zeros() as usize % LANES;
                    self.whole.push(tree.nodes.runs[block][lane]);
                    left &= left - 1;
                }
                let near = near & !whole;
                let inner = Mask::of_top_bits(simd, children);
                append(simd, &mut self.nodes, children, near & inner);
                append(simd, &mut self.leaves, children, near & !inner);
                append(
                    simd,
                    &mut self.edges,
                    &tree.nodes.edges[block],
                    near & !inner,
                );
            }
            match self.nodes.pop() {
                Some(node) => blocks = blocks_of(node),
                None => break,
            }
        }
    }

    /// Packs those points of a leaf that may be near.
    #[inline(always)]
    fn pack<S: Simd>(&mut self, simd: S, tree: &Tree<A>, probe: &Nearby<A, S>, leaf: usize) {
        let (blocks, edges) = (blocks_of(self.leaves[leaf]), self.edges[leaf]);
        let points = &tree.items.points[blocks.clone()];
        let indices = &tree.indices.as_chunks().0[blocks];
        let mut keep = Mask::new(simd, edges);
        let mut len = self.len;
        for block in 0..points.len() {
            let mut mask = probe.meets(&points[block], &points[block]) & keep;
            keep = Mask::new(simd, !0);
            if block + 1 == points.len() {
                mask = mask & Mask::new(simd, edges >> LANES);
            }
            for axis in 0..A::DIM {
                let lanes = &points[block].as_ref()[axis].0;
                let to = &mut self.coordinates[self.begin + axis * self.stride..];
                Lane::squeeze(simd, lanes, mask, to, len);
            }
            Lane::squeeze(simd, &indices[block], mask, &mut self.indices, len);
            len += mask.count();
        }
        self.len = len;
    }

    /// Appends what overlaps a ball about a point of the block.
    #[inline(always)]
    fn list<S: Simd>(&self, simd: S, tree: &Tree<A>, ball: &Ball<A>, to: &mut Vec<u32>) {
        for &(from, end) in &self.whole {
            to.extend_from_slice(&tree.indices[from as usize..end as usize]);
        }
        let probe = Probe::<A, S, false>::new(simd, ball);
        let blocks = self.len.div_ceil(LANES);
        let coordinates = &self.coordinates[self.begin..];
        let indices = &self.indices.as_chunks().0[..blocks];
        to.reserve(blocks * LANES);
        ListWriter::extend(
            to,
            #[inline(always)]
            |to| {
                let mut to = to.writer();
                for block in 0..blocks {
                    let mut mask = probe.meets_row(&coordinates[block * LANES..], self.stride);
                    if block + 1 == blocks {
                        let behind = 0xffff >> (blocks * LANES - self.len);
                        mask = mask & Mask::new(simd, behind);
                    }
                    compress(simd, &indices[block], mask, &mut to);
                }
            },
        );
    }
}

/// Appends the lanes of a mask.
#[inline(always)]
fn append<S: Simd>(simd: S, list: &mut Vec<u32>, lanes: &[u32; LANES], mask: Mask) {
    list.reserve(LANES);
    ListWriter::extend(
        list,
        #[inline(always)]
        |to| compress(simd, lanes, mask, to),
    );
}
