//! All points against all: sixteen neighbors descend together. What may be near any of them is
//! packed once, and each of them asks only that; what is near all of them is copied.

use alloc::vec::Vec;
use core::ops::{ControlFlow, Range};

use fearless_simd::Simd;

use super::{Orthtree, blocks_of};
use crate::lists::PART;
use crate::overlap::lanes::{Ball, Columns, Lanewise, Nearby, Probe};
use crate::simd::{Column, Job, LANES, Lane, Mask, Pile, compress};
use crate::{Aabb, NeighborLists, Scalar, Vector};

impl<V: Vector> Orthtree<V> {
    /// Calls `f` with each point and all points within a radius of it, itself included, until it
    /// breaks. The order, of points and of what is near each, depends on nothing but the points and
    /// the radius. A negative or NaN radius reaches nothing.
    ///
    /// Several times faster than a query for each point.
    ///
    /// ```
    /// use core::ops::ControlFlow;
    /// use orthant::{Octree, glam::Vec3};
    /// let tree = Octree::new(&[Vec3::ZERO, Vec3::X, Vec3::X * 3.0]);
    /// let mut pairs = 0;
    /// let _ = tree.visit_neighbors(1.0, |point, near| {
    ///     pairs += near.iter().filter(|&&other| (other as usize) < point).count();
    ///     ControlFlow::<()>::Continue(())
    /// });
    /// assert_eq!(pairs, 1);
    /// ```
    ///
    /// # Complexity
    ///
    /// O(n + answer) for points that are spread evenly about each other, O(n²) at worst.
    pub fn visit_neighbors<B>(
        &self,
        radius: V::Scalar,
        mut f: impl FnMut(usize, &[u32]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.instructions.run(About {
            tree: self,
            radius,
            slots: 0..self.len,
            found: &mut Vec::new(),
            f: &mut |point, found: &mut Vec<u32>| {
                let flow = f(point, found);
                found.clear();
                flow
            },
        })
    }

    /// The neighbors of every point: list `i` holds the points within a radius of point `i`, itself
    /// included, in the order of [`visit_neighbors`](Self::visit_neighbors). On several threads with
    /// the feature `rayon`.
    ///
    /// ```
    /// use orthant::{Octree, glam::Vec3};
    /// let tree = Octree::new(&[Vec3::ZERO, Vec3::X, Vec3::X * 3.0]);
    /// let near = tree.neighbors(1.0);
    /// assert_eq!(near[2], [2]);
    /// assert_eq!(near[0].len(), 2);
    /// ```
    ///
    /// # Complexity
    ///
    /// O(n + answer) for points that are spread evenly about each other, O(n²) at worst.
    #[must_use]
    pub fn neighbors(&self, radius: V::Scalar) -> NeighborLists {
        let mut near = NeighborLists::new();
        self.neighbors_into(radius, &mut near);
        near
    }

    /// The same, in the memory of lists of before: a large answer's new memory is cleared by the
    /// system, which takes a fifth of the time, on two threads more.
    ///
    /// ```
    /// use orthant::{NeighborLists, Octree, glam::Vec3};
    /// let (mut tree, mut near) = (Octree::new(&[Vec3::ZERO, Vec3::X]), NeighborLists::new());
    /// for step in [1.0, 2.0] {
    ///     tree.rebuild(&[Vec3::ZERO, Vec3::X * step]).unwrap();
    ///     tree.neighbors_into(1.0, &mut near);
    /// }
    /// assert_eq!(near[1], [1]);
    /// ```
    ///
    /// # Complexity
    ///
    /// That of [`neighbors`](Self::neighbors).
    pub fn neighbors_into(&self, radius: V::Scalar, near: &mut NeighborLists) {
        // A part begins where a block does.
        const { assert!(PART.is_multiple_of(LANES)) }
        near.fill(&self.indices[..self.len], PART, |slots, part| {
            let (mut before, lens) = (0, &mut part.lens);
            let _ = self.instructions.run(About {
                tree: self,
                radius,
                slots,
                found: &mut part.items,
                f: &mut |_, found: &mut Vec<u32>| {
                    lens.push((found.len() - before) as u32);
                    before = found.len();
                    ControlFlow::<()>::Continue(())
                },
            });
        });
    }
}

/// The neighbors of the points at some slots, the first of which begins a block.
struct About<'a, V: Vector, F> {
    tree: &'a Orthtree<V>,
    radius: V::Scalar,
    slots: Range<usize>,
    /// Where what is near a point is appended, before `f` is called with it.
    found: &'a mut Vec<u32>,
    f: &'a mut F,
}

impl<V: Vector, B, F: FnMut(usize, &mut Vec<u32>) -> ControlFlow<B>> Job for About<'_, V, F> {
    type Output = ControlFlow<B>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> ControlFlow<B> {
        let tree = self.tree;
        let mut near = Near::new();
        for first in self.slots.clone().step_by(LANES) {
            let block = first / LANES;
            let used = LANES.min(self.slots.end - first);
            let points = &tree.items.points[block];
            let limit = self.radius * self.radius;
            // A radius below 0 reaches nothing, and neither does NaN.
            if self.radius >= Scalar::ZERO {
                near.gather(simd, tree, &Nearby::new(simd, &around(points, used), limit));
            }
            for lane in 0..used {
                let ball = Ball {
                    center: V::from_fn(|axis| points.as_ref()[axis].0[lane]),
                    outer: self.radius,
                    inner: Scalar::ZERO,
                    hollow: false,
                };
                near.list(simd, tree, &ball, self.found);
                (self.f)(tree.indices[first + lane] as usize, self.found)?;
            }
        }
        ControlFlow::Continue(())
    }
}

/// The box around the first points of a block.
#[inline(always)]
fn around<V: Vector>(points: &Columns<V>, used: usize) -> Aabb<V> {
    let mut corners = [V::Scalar::ZERO; 8];
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
        V::from_fn(|axis| corners[axis]),
        V::from_fn(|axis| corners[4 + axis]),
    )
}

/// What is near a block of points.
struct Near<V: Vector> {
    nodes: Vec<u32>,
    leaves: Vec<u32>,
    /// Their edges.
    edges: Vec<u32>,
    /// Slots of what is near all points of the block.
    whole: Vec<(u32, u32)>,
    /// What may be near some: the coordinates on each axis, one axis after the other.
    coordinates: Vec<V::Scalar>,
    /// Where they begin, for the sake of aligned loads, and the room of an axis.
    begin: usize,
    stride: usize,
    indices: Vec<u32>,
    len: usize,
}

impl<V: Vector> Near<V> {
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
    fn gather<S: Simd>(&mut self, simd: S, tree: &Orthtree<V>, probe: &Nearby<V, S>) {
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
            let zero = V::Scalar::ZERO;
            self.coordinates.resize(V::DIM * self.stride + LANES, zero);
            self.indices.resize(self.stride, 0);
            let aligned = self
                .coordinates
                .as_ptr()
                .align_offset(align_of::<Column<V::Scalar>>());
            self.begin = aligned.min(LANES);
        }
    }

    /// Finds the leaves that are near, and what is near as a whole.
    #[inline(always)]
    fn descend<S: Simd>(&mut self, simd: S, tree: &Orthtree<V>, probe: &Nearby<V, S>) {
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
    fn pack<S: Simd>(&mut self, simd: S, tree: &Orthtree<V>, probe: &Nearby<V, S>, leaf: usize) {
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
            for axis in 0..V::DIM {
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
    fn list<S: Simd>(&self, simd: S, tree: &Orthtree<V>, ball: &Ball<V>, to: &mut Vec<u32>) {
        for &(from, end) in &self.whole {
            to.extend_from_slice(&tree.indices[from as usize..end as usize]);
        }
        let probe = Probe::<V, S, false>::new(simd, ball);
        let blocks = self.len.div_ceil(LANES);
        let coordinates = &self.coordinates[self.begin..];
        let indices = &self.indices.as_chunks().0[..blocks];
        to.reserve(blocks * LANES);
        Pile::extend(
            to,
            #[inline(always)]
            |to| {
                let mut to = to.pile();
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
    Pile::extend(
        list,
        #[inline(always)]
        |to| compress(simd, lanes, mask, to),
    );
}
