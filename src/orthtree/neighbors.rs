//! All points against all: sixteen neighbours descend together. What may be near any of them is
//! packed once, and each of them asks only that; what is near all of them is copied.

use alloc::vec::Vec;
use core::ops::{ControlFlow, Range};

use fearless_simd::Simd;

use super::{Orthtree, blocks_of};
use crate::lists::PART;
use crate::overlap::lanes::{Ball, BoxProbe, Columns, Probe};
use crate::simd::{Column, Job, LANES, Lane, Mask, Pile, compress};
use crate::{Aabb, Lists, Scalar, Vector};

impl<V: Vector> Orthtree<V> {
    /// Calls `f` with each point and all points within a radius of it, itself included, until it
    /// breaks. Points come in the tree's order, and so does what is near them: an order that depends
    /// on nothing but the points and the radius. A negative or NaN radius reaches nothing.
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
        self.instructions.run(Neighbors {
            tree: self,
            radius,
            slots: 0..self.len,
            f: &mut f,
        })
    }

    /// The neighbours of every point: list `i` holds the points within a radius of point `i`, itself
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
    pub fn neighbors(&self, radius: V::Scalar) -> Lists<u32> {
        // A part begins where a block does.
        const { assert!(PART % LANES == 0) }
        Lists::in_order(&self.indices[..self.len], |slots, part| {
            let _ = self.instructions.run(Neighbors {
                tree: self,
                radius,
                slots,
                f: &mut |_, near: &[u32]| {
                    part.items.extend_from_slice(near);
                    part.lens.push(near.len() as u32);
                    ControlFlow::<()>::Continue(())
                },
            });
        })
    }
}

/// The neighbours of the points at some slots, the first of which begins a block.
struct Neighbors<'a, V: Vector, F> {
    tree: &'a Orthtree<V>,
    radius: V::Scalar,
    slots: Range<usize>,
    f: &'a mut F,
}

impl<V: Vector, B, F: FnMut(usize, &[u32]) -> ControlFlow<B>> Job for Neighbors<'_, V, F> {
    type Output = ControlFlow<B>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> ControlFlow<B> {
        let tree = self.tree;
        let mut near = Near::new();
        let mut found = Vec::new();
        for first in self.slots.clone().step_by(LANES) {
            let block = first / LANES;
            let used = LANES.min(self.slots.end - first);
            let points = &tree.items.points[block];
            let limit = self.radius * self.radius;
            // A radius below 0 reaches nothing, and neither does NaN.
            if self.radius >= Scalar::ZERO {
                near.gather(
                    simd,
                    tree,
                    &BoxProbe::new(simd, &around(points, used), limit),
                );
            }
            for lane in 0..used {
                let ball = Ball {
                    center: V::from_fn(|axis| points.as_ref()[axis].0[lane]),
                    outer: self.radius,
                    inner: Scalar::ZERO,
                    hollow: false,
                };
                found.clear();
                near.list(simd, tree, &ball, &mut found);
                (self.f)(tree.indices[first + lane] as usize, &found)?;
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
    /// What may be near some, sixteen together.
    points: Vec<Columns<V>>,
    indices: Vec<[u32; LANES]>,
    /// What does not fill sixteen lanes yet: its coordinates, its indices, and how much it is.
    stage: V::Axes<[V::Scalar; 2 * LANES]>,
    stage_indices: [u32; 2 * LANES],
    staged: usize,
}

impl<V: Vector> Near<V> {
    fn new() -> Self {
        Self {
            nodes: Vec::new(),
            leaves: Vec::new(),
            edges: Vec::new(),
            whole: Vec::new(),
            points: Vec::new(),
            indices: Vec::new(),
            stage: V::axes([V::Scalar::ZERO; 2 * LANES]),
            stage_indices: [0; 2 * LANES],
            staged: 0,
        }
    }

    /// Finds what may be near a box.
    #[inline(always)]
    fn gather<S: Simd>(&mut self, simd: S, tree: &Orthtree<V>, probe: &BoxProbe<V, S>) {
        self.leaves.clear();
        self.edges.clear();
        self.whole.clear();
        self.points.clear();
        self.indices.clear();
        self.staged = 0;
        self.descend(simd, tree, probe);
        for at in 0..self.leaves.len() {
            self.pack(simd, tree, probe, at);
        }
        // The last sixteen, of which `staged` count.
        self.store();
    }

    /// Finds the leaves that are near, and what is near as a whole.
    #[inline(always)]
    fn descend<S: Simd>(&mut self, simd: S, tree: &Orthtree<V>, probe: &BoxProbe<V, S>) {
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
    fn pack<S: Simd>(&mut self, simd: S, tree: &Orthtree<V>, probe: &BoxProbe<V, S>, leaf: usize) {
        let (blocks, edges) = (blocks_of(self.leaves[leaf]), self.edges[leaf]);
        let points = &tree.items.points[blocks.clone()];
        let indices = &tree.indices.as_chunks().0[blocks];
        let mut keep = Mask::new(simd, edges);
        for block in 0..points.len() {
            let mut mask = probe.meets(&points[block], &points[block]) & keep;
            keep = Mask::new(simd, !0);
            if block + 1 == points.len() {
                mask = mask & Mask::new(simd, edges >> LANES);
            }
            for (stage, column) in self.stage.as_mut().iter_mut().zip(points[block].as_ref()) {
                Lane::squeeze(simd, &column.0, mask, stage, self.staged);
            }
            u32::squeeze(
                simd,
                &indices[block],
                mask,
                &mut self.stage_indices,
                self.staged,
            );
            self.staged += mask.count();
            if self.staged >= LANES {
                self.store();
                self.staged -= LANES;
            }
        }
    }

    /// Takes sixteen lanes from the stage.
    #[inline(always)]
    fn store(&mut self) {
        let mut points = V::axes(Column([V::Scalar::ZERO; LANES]));
        for (column, stage) in points.as_mut().iter_mut().zip(self.stage.as_mut()) {
            column.0.copy_from_slice(&stage[..LANES]);
            stage.copy_within(LANES.., 0);
        }
        self.points.push(points);
        let (first, rest) = self.stage_indices.split_at_mut(LANES);
        let mut indices = [0; LANES];
        indices.copy_from_slice(first);
        first.copy_from_slice(rest);
        self.indices.push(indices);
    }

    /// Appends what overlaps a ball about a point of the block.
    #[inline(always)]
    fn list<S: Simd>(&self, simd: S, tree: &Orthtree<V>, ball: &Ball<V>, to: &mut Vec<u32>) {
        for &(from, end) in &self.whole {
            to.extend_from_slice(&tree.indices[from as usize..end as usize]);
        }
        let probe = Probe::new(simd, ball);
        to.reserve(self.points.len() * LANES);
        Pile::extend(
            to,
            #[inline(always)]
            |to| {
                let mut to = to.pile();
                for block in 0..self.points.len() {
                    let mut mask = probe.meets_points(&self.points[block]);
                    if block + 1 == self.points.len() {
                        mask = mask & Mask::new(simd, (1 << self.staged) - 1);
                    }
                    compress(simd, &self.indices[block], mask, &mut to);
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
