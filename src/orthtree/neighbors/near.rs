//! What is near a block of sixteen points: its leaves by one descent, their points packed once.

use alloc::vec::Vec;

use fearless_simd::Simd;

use super::descent::{Found, Within, append};
use crate::error::{Error, reserve};
use crate::nearest::Few;
use crate::orthtree::tree::Tree;
use crate::overlap::columns::Columns;
use crate::overlap::lanes::{Ball, Nearby, Probe, WideRegion};
use crate::query::Hierarchy;
use crate::shape::Aabb;
use crate::simd::{Column, LANES, Lane, ListWriter, Mask, compress};
use crate::vector::{Scalar, Vector};

/// The box around the first points of a block.
#[inline(always)]
pub(super) fn around<A: Vector>(points: &Columns<A>, used: usize) -> Aabb<A> {
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
pub(super) struct Near<A: Vector> {
    found: Found,
    /// Blocks of points before this one are left out.
    pub(super) first: usize,
    /// Slots of what is near all points of the block.
    whole: Vec<[u32; 2]>,
    /// What may be near some: the coordinates on each axis, one axis after the other.
    coordinates: Vec<A::Scalar>,
    /// Where they begin, for the sake of aligned loads, and the room of an axis.
    begin: usize,
    stride: usize,
    indices: Vec<u32>,
    len: usize,
}

impl<A: Vector> Near<A> {
    pub(super) fn new() -> Self {
        Self {
            found: Found::default(),
            first: 0,
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
    pub(super) fn gather<S: Simd>(&mut self, simd: S, tree: &Tree<A>, probe: &Nearby<A, S>) {
        let found = &mut self.found;
        found.descend(
            simd,
            tree,
            &mut Within::<A, S, true>(probe, simd),
            usize::MAX,
        );
        self.whole.clear();
        let first = (self.first * LANES) as u32;
        self.whole.extend(found.whole.iter().map(
            #[inline(always)]
            |&node| {
                let run = tree.run(node, true);
                [run.start.max(first), run.end.max(first)]
            },
        ));
        self.pack_all(simd, tree, probe);
    }

    /// Finds all that is within the limit of a box, and where it lies, unless that is in more leaves than `most`: then
    /// nothing, and false.
    #[inline(always)]
    pub(super) fn gather_points<S: Simd>(
        &mut self,
        simd: S,
        tree: &Tree<A>,
        probe: &Nearby<A, S>,
        most: usize,
    ) -> bool {
        let found = &mut self.found;
        found.descend(simd, tree, &mut Within::<A, S, false>(probe, simd), most);
        if found.leaves.len() > most {
            self.len = 0;
            return false;
        }
        self.pack_all(simd, tree, probe);
        // Nothing is as near as what is read behind them.
        let end = self.begin + self.len;
        self.coordinates[end..end + LANES].fill(A::Scalar::from_f64(f64::NAN));
        true
    }

    /// The number of points that were packed.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Packs the points of all leaves.
    #[inline(always)]
    fn pack_all<S: Simd>(&mut self, simd: S, tree: &Tree<A>, probe: &Nearby<A, S>) {
        self.len = 0;
        self.make_room();
        for place in 0..self.found.leaves.len() {
            let block = self.found.leaves[place] as usize;
            if block >= self.first {
                self.pack(simd, tree, probe, block);
            }
        }
    }

    /// Room for all items of the leaves.
    fn make_room(&mut self) {
        // Sixteen are written at a time, and sixteen read.
        let many = (self.found.leaves.len() + 1) * LANES;
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

    /// Packs those points of a leaf that may be near.
    #[inline(always)]
    fn pack<S: Simd>(&mut self, simd: S, tree: &Tree<A>, probe: &Nearby<A, S>, block: usize) {
        let points = &tree.items.points[block];
        let mask = probe.meets(points, points) & Mask::new(simd, tree.lanes_of(block));
        for axis in 0..A::DIM {
            let to = &mut self.coordinates[self.begin + axis * self.stride..];
            Lane::compress(simd, &points.as_ref()[axis].0, mask, to, self.len);
        }
        let indices = &tree.indices.as_chunks().0[block];
        Lane::compress(simd, indices, mask, &mut self.indices, self.len);
        self.len += mask.count();
    }

    /// Appends those points of the block itself that overlap a ball about one of them and come after it.
    #[inline(always)]
    pub(super) fn list_later<S: Simd>(
        &self,
        simd: S,
        tree: &Tree<A>,
        ball: &Ball<A>,
        slot: usize,
        to: &mut Vec<u32>,
    ) -> Result<(), Error> {
        let (block, lane) = (slot / LANES, slot % LANES);
        let used = (tree.len - block * LANES).min(LANES);
        let later = (0xfffe << lane) & (0xffff >> (LANES - used));
        let probe = Probe::<A, S, false>::new(simd, ball);
        let mask = probe.meets_points(&tree.items.points[block]) & Mask::new(simd, later);
        reserve(to, LANES)?;
        append(simd, to, &tree.indices.as_chunks().0[block], mask);
        Ok(())
    }

    /// Appends what overlaps a ball about a point of the block.
    #[inline(always)]
    pub(super) fn list<S: Simd>(
        &self,
        simd: S,
        tree: &Tree<A>,
        ball: &Ball<A>,
        to: &mut Vec<u32>,
    ) -> Result<(), Error> {
        for &[from, end] in &self.whole {
            let run = &tree.indices[from as usize..end as usize];
            reserve(to, run.len())?;
            to.extend_from_slice(run);
        }
        let probe = Probe::<A, S, false>::new(simd, ball);
        let blocks = self.len.div_ceil(LANES);
        let coordinates = &self.coordinates[self.begin..];
        let indices = &self.indices.as_chunks().0[..blocks];
        reserve(to, blocks * LANES)?;
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
        Ok(())
    }

    /// Offers all that was packed to the nearest few.
    #[inline(always)]
    pub(super) fn offer<S: Simd>(
        &self,
        simd: S,
        probe: &Probe<A, S, false>,
        few: &mut Few<A::Scalar>,
    ) {
        let blocks = self.len.div_ceil(LANES);
        let coordinates = &self.coordinates[self.begin..];
        let axes = crate::simd::from_fn(
            #[inline(always)]
            |axis| {
                let from = if axis < A::DIM { axis * self.stride } else { 0 };
                &coordinates[from..].as_chunks().0[..blocks]
            },
        );
        let mut taking = few.taking(simd);
        for (block, indices) in self.indices.as_chunks().0[..blocks].iter().enumerate() {
            let distances = probe.block_sq(&axes, block);
            taking.take(distances, Mask::new(simd, 0xffff), indices);
        }
        taking.end();
    }
}
